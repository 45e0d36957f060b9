"""Continuum fields of a frame on a regular grid: density, velocity, stress, and strain since another frame (docs/theory/observables.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .smoothing import KERNELS, Smoothing
from .units import GRID

if TYPE_CHECKING:
    from .frame import Frame

Corner = Sequence[float] | np.ndarray
COLLINEAR = 1e-6
"""Least scatter of the grains about a cell that determines a gradient: a variance, relative to the kernel's."""

MOST_CELLS = 1e8


def coarse_grained(
    frame: Frame, width: float, cells: int | Sequence[int] | None, lower: Corner | None, upper: Corner | None, kernel: str, since: Frame | None
) -> Any:  # fmt: skip
    """Compute the fields; see ``Frame.coarse_grained``.

    Args:
        frame: frame of a result.
        width: standard deviation of the kernel along each axis (m).
        cells: numbers of cells along the axes, or one for all axes; None: the cells are as large as the width.
        lower: lower corner of the grid (m); None: the period along periodic axes, all that kernels reach along others.
        upper: upper corner (m).
        kernel: ``lucy`` or ``gaussian``.
        since: earlier frame of the same result.

    Returns:
        ``xarray.Dataset``.

    Raises:
        ValueError: an argument is of no use.
    """
    import xarray as xr

    smoothing = _smoothing(frame, width, cells, lower, upper, kernel)
    d = frame.dimension
    found = _of_grains(frame, smoothing) | _of_contacts(frame, smoothing)
    if since is not None:
        found |= _increments(frame, since, smoothing)
    axes = ["x", "y", "z"][:d]
    variables = {}
    for name, values in found.items():
        inner = {1: ["axis"], 2: ["row", "column"]}.get(values.ndim - 1, [])
        variables[name] = xr.Variable([*axes, *inner], values.reshape(*smoothing.count, *values.shape[1:]), {"units": GRID[name]})
    coordinates = {name: (name, smoothing.centres(c), {"units": "m"}) for c, name in enumerate(axes)}
    about = {
        "time": frame.time, "step": frame.step, "kernel": kernel, "width": float(width), "cell_volume": smoothing.volume,
        **({} if since is None else {"since_time": since.time, "since_step": since.step}),
    }  # fmt: skip
    return xr.Dataset(variables, coordinates, about)


def _smoothing(
    frame: Frame, width: float, cells: int | Sequence[int] | None, lower: Corner | None, upper: Corner | None, kernel: str
) -> Smoothing:  # fmt: skip
    """The grid and the kernel that are asked for."""
    if kernel not in KERNELS:
        raise ValueError(f"kernel = '{kernel}' must be {' or '.join(KERNELS)}")
    if not (math.isfinite(width) and width > 0.0):
        raise ValueError(f"width = {width} m must be a positive number")
    d, box = frame.dimension, frame.box
    period = np.where(box.periodic, box.upper - box.lower, 0.0)[:d]
    low, high = (np.where(box.periodic, corner, np.nan)[:d] for corner in (box.lower, box.upper))
    reach = KERNELS[kernel].reach * width
    points = [np.asarray(frame["position"], float)[frame.present][:, :d]]
    if _has_contacts(frame):
        points.append(np.asarray(frame.contacts["point"], float)[:, :d])
    every = np.concatenate(points)
    if len(every):
        low = np.where(np.isnan(low), every.min(axis=0) - reach, low)
        high = np.where(np.isnan(high), every.max(axis=0) + reach, high)
    low, high = (
        found if given is None else np.asarray(given, float).reshape(-1) for given, found in ((lower, low), (upper, high))
    )  # fmt: skip
    if not len(every) and np.isnan(np.concatenate((low, high))).any():
        raise ValueError(f"frame {frame.number} has no grains between which a grid would lie: give its lower and upper corner")
    if low.shape != (d,) or high.shape != (d,) or not (np.isfinite(high - low) & (low < high)).all():
        raise ValueError(f"the grid goes from {low.tolist()} to {high.tolist()} m: lower and upper must be {d} finite numbers, lower < upper")
    count = np.maximum(np.ceil((high - low) / width * (1.0 - 1e-9)), 1.0) if cells is None else np.broadcast_to(np.asarray(cells), d)
    if not (count >= 1).all() or (count != np.floor(count)).any():
        raise ValueError(f"cells = {cells} must be whole numbers of at least 1")
    if (total := float(np.prod(count))) > MOST_CELLS:
        raise ValueError(f"the grid has {total:.3g} cells, more than {MOST_CELLS:.3g}: give a larger width, fewer cells, or a smaller grid")
    return Smoothing(KERNELS[kernel], float(width), low, (high - low) / count, count.astype(np.int64), period)


def _of_grains(frame: Frame, smoothing: Smoothing) -> dict[str, np.ndarray]:
    """Density, share of the volume, and what velocities give."""
    d, result, there = frame.dimension, frame.result, frame.present
    images, rows = smoothing.images(np.asarray(frame["position"], float)[there][:, :d])
    mass = frame.mass[there]
    volume = (result.catalogue["volume"][result.species_rows] * frame.scale**d)[there]
    columns = [mass[:, None], volume[:, None]]
    if "velocity" in result.fields:
        v = np.asarray(frame["velocity"], float)[there][:, :d]
        columns += [mass[:, None] * v, (mass[:, None, None] * v[:, :, None] * v[:, None, :]).reshape(-1, d * d)]
    found = smoothing.spread(images, np.concatenate(columns, axis=1)[rows])
    density, momentum, flux = found[:, 0], found[:, 2 : 2 + d], found[:, 2 + d :].reshape(-1, d, d)
    fields = {"density": density, "solid_fraction": found[:, 1]}
    if "velocity" in result.fields:
        velocity = _ratio(momentum, density)
        stress = flux - momentum[:, :, None] * np.where(density > 0.0, velocity.T, 0.0).T[:, None, :]
        fields |= {"momentum": momentum, "velocity": velocity, "kinetic_stress": stress}
    return fields


def _ratio(total: np.ndarray, density: np.ndarray) -> np.ndarray:
    """Means by mass, not-a-number in empty cells."""
    return np.asarray(total / np.where(density > 0.0, density, np.nan).reshape(-1, *[1] * (total.ndim - 1)))


# -- contacts -------------------------------------------------------------------------------------------------------------------------


def _has_contacts(frame: Frame) -> bool:
    return {"point", "force"} <= set(frame.result.contact_fields) and frame.contacts.known


def _of_contacts(frame: Frame, smoothing: Smoothing) -> dict[str, np.ndarray]:
    """Stress of the contacts, spread along the lines from centres to contact points, and the forces of the walls at these points."""
    if not _has_contacts(frame):
        return {}
    d = frame.dimension
    stress = np.zeros((smoothing.cells, d * d))
    for start, arm, force in _arms(frame):
        moment = -(arm[:, :, None] * force[:, None, :]).reshape(-1, d * d)
        longest = float(np.sqrt((arm * arm).sum(axis=1).max(initial=0.0)))
        nodes, weights = np.polynomial.legendre.leggauss(2 + math.ceil(3.0 * longest / smoothing.width))
        for node, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
            images, rows = smoothing.images(start + node * arm)
            stress += smoothing.spread(images, weight * moment[rows])
    contacts = frame.contacts
    walls = contacts.with_wall
    images, rows = smoothing.images(np.asarray(contacts["point"], float)[walls][:, :d])
    return {
        "contact_stress": stress.reshape(-1, d, d),
        "wall_force_density": smoothing.spread(images, np.asarray(contacts["force"], float)[walls][:, :d][rows]),
    }


def _arms(frame: Frame) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Centres (m), the way from there to the contact points (m) and the forces on the grains (N): first bodies, then those of second ones."""
    d, c = frame.dimension, frame.contacts
    centre, force = np.asarray(frame["position"], float)[c.first][:, :d], np.asarray(c["force"], float)[:, :d]
    arm = np.asarray(c["point"], float)[:, :d] - centre
    yield centre, arm, force
    pairs = ~c.with_wall
    branch = np.asarray(c.branch, float)[pairs][:, :d]
    yield centre[pairs] + branch, arm[pairs] - branch, -force[pairs]


# -- increments -----------------------------------------------------------------------------------------------------------------------


def _increments(frame: Frame, since: Frame, smoothing: Smoothing) -> dict[str, np.ndarray]:
    """Displacement, strain and rotation between two frames, in the configuration halfway."""
    if len(since) != len(frame):
        raise ValueError(f"the frames have {len(frame)} and {len(since)} grains: both must be of one result")
    d, there = frame.dimension, frame.present & since.present
    moved = _displacement(frame, since)[there][:, :d]
    images, rows = smoothing.images(np.asarray(since["position"], float)[there][:, :d] + 0.5 * moved)
    mass, u = frame.mass[there][rows], moved[rows]
    z = images - (smoothing.lower + 0.5 * smoothing.size * smoothing.count)
    turned = "orientation" in frame.result.fields
    turn = _turns(frame["orientation"][there], since["orientation"][there])[rows] if turned else np.zeros((len(rows), 3))
    parts = [np.ones((len(z), 1)), z, u, (z[:, :, None] * z[:, None, :]).reshape(-1, d * d), (z[:, :, None] * u[:, None, :]).reshape(-1, d * d), turn]
    sums = smoothing.spread(images, mass[:, None] * np.concatenate(parts, axis=1))
    density = sums[:, 0]
    place, shift, spread, coupled, turn = np.split(_ratio(sums[:, 1:], density), np.cumsum([d, d, d * d, d * d]), axis=1)
    gradient = _gradient(
        spread.reshape(-1, d, d) - place[:, :, None] * place[:, None, :], coupled.reshape(-1, d, d) - place[:, :, None] * shift[:, None, :],
        COLLINEAR * smoothing.width**2,
    )  # fmt: skip
    transposed = gradient.transpose(0, 2, 1)
    antisymmetric = 0.5 * (gradient - transposed)
    spin = np.stack([antisymmetric[:, a, b] for a, b in ((2, 1), (0, 2), (1, 0))], axis=1) if d == 3 else antisymmetric[:, 1, 0]
    fields = {"displacement": shift, "strain": 0.5 * (gradient + transposed), "rotation": _angle(spin)}
    return fields | ({"grain_rotation": turn if d == 3 else turn[:, 2]} if turned else {})


def _displacement(frame: Frame, since: Frame) -> np.ndarray:
    """How far the grains have moved (m), (n, 3)."""
    if not frame.box.periodic.any():
        return np.asarray(frame["position"], float) - since["position"]
    return np.asarray(frame.unwrapped, float) - since.unwrapped


def _gradient(scatter: np.ndarray, coupled: np.ndarray, least: float) -> np.ndarray:
    """Slopes of a linear regression.

    Args:
        scatter: (cells, d, d) covariances of the positions (m^2).
        coupled: (cells, d, d) covariances of positions and displacements (m^2).
        least: smallest variance of the positions that counts (m^2).

    Returns:
        (cells, d, d) derivative of displacement i along axis j; not-a-number where the positions do not tell.
    """
    gradient = np.full_like(scatter, np.nan)
    good = np.isfinite(scatter).all(axis=(1, 2))
    good[good] = np.linalg.eigvalsh(scatter[good])[:, 0] > least
    gradient[good] = np.linalg.solve(scatter[good], coupled[good]).transpose(0, 2, 1)
    return gradient


def _angle(spin: np.ndarray) -> np.ndarray:
    """Angle (rad) whose half has the tangent ``spin`` / 2: that of a rigid rotation, whose gradient is taken halfway; of vectors, along them."""
    size = np.abs(spin) if spin.ndim == 1 else np.linalg.norm(spin, axis=1, keepdims=True)
    return np.asarray(spin * np.where(size > 0.0, 2.0 * np.arctan(0.5 * size) / np.where(size > 0.0, size, 1.0), 1.0))


def _turns(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Rotation vectors (rad) from orientations to others, by half a turn at most, (n, 3)."""
    w = (after * before).sum(axis=1, keepdims=True)
    v = before[:, :1] * after[:, 1:] - after[:, :1] * before[:, 1:] - np.cross(after[:, 1:], before[:, 1:])
    size = np.linalg.norm(v, axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(size, np.abs(w))
    return np.asarray(v * np.copysign(np.where(size > 0.0, angle / np.where(size > 0.0, size, 1.0), 2.0), w))
