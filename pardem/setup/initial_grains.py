"""The grains at the start of a case: of another run, inserted at random, given one by one, or read from a file. One rank places all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from mpi4py import MPI

from ..case import Case
from ..case.grains_file import load_grains_file
from ..case.placement import Insert
from ..decomposition.scatter import scattered
from ..errors import CaseError, FileError
from ..guard import made_by_first
from ..insertion import (
    BoxDomain,
    BoxRegion,
    CylinderRegion,
    NewGrains,
    PlacedGrains,
    Region,
    Surroundings,
    Way,
    insert_random,
    lower_grains,
    periodic_region,
    random_scales,
    require_clear,
)
from ..insertion.placed_grains import require_sizes
from ..shapes.catalogue import Catalogue, principal_orientations
from ..shapes.rotations import matrices
from ..state.origin_state import SettledGrains
from ..state.population import Population, make_population
from ..state.table import Column, Table
from .insert_fraction import require_room
from .law_tables import lent_radii
from .wall_tables import placed_bodies

NOTHING_SETTLED = SettledGrains(np.empty(0, np.int64), np.empty(0), np.empty((0, 3)), np.empty((0, 4)), np.empty((0, 3)))


@dataclass(eq=False)
class StartingGrains(Table):
    """Grains as a case places them; the rest of their state follows from it."""

    gid: Annotated[np.ndarray, Column(np.int64)]
    species: Annotated[np.ndarray, Column(np.int32)]
    scale: Annotated[np.ndarray, Column(np.float64)]
    position: Annotated[np.ndarray, Column(np.float64, (3,))]
    orientation: Annotated[np.ndarray, Column(np.float64, (4,))]
    velocity: Annotated[np.ndarray, Column(np.float64, (3,))]
    spin: Annotated[np.ndarray, Column(np.float64, (3,))]


def size_range(case: Case) -> tuple[dict[str, float], dict[str, float]]:
    """Determine the range of sizes of each species in a case.

    Args:
        case: validated case.

    Returns:
        Largest and smallest size factor of each species, by name.

    Raises:
        InsertionError: a size factor of ``grains_file`` is not positive.
        FileError: ``grains_file`` cannot be read.
    """
    sizes: dict[str, list[float]] = {s.name: [] for s in case.species}
    for insert in case.insert:
        sizes[insert.species] += [insert.size.value] if insert.size.kind == "constant" else [insert.size.min, insert.size.max]
    for grain in case.grain:
        sizes[grain.species].append(grain.scale)
    if case.grains_file:
        table = read_grains_file(case)
        scale = np.asarray(table["scale"], float)
        require_sizes(scale)
        for name in np.unique(table["species"]):
            found = scale[table["species"] == name]
            sizes[str(name)] += [float(found.min()), float(found.max())]
    if case.origin is not None:
        for name, ends in case.origin.sizes.items():
            sizes[name] += ends
    return {n: max(s or [1.0]) for n, s in sizes.items()}, {n: min(s or [1.0]) for n, s in sizes.items()}


def own_initial_grains(comm: MPI.Comm, case: Case, catalogue: Catalogue, overlaps: bool = False) -> Population:
    """Create the grains of a case: the first rank places all of them, and each rank gets an equal share. Collective.

    Those that the case takes over from another run (`[start]`) are left out: each rank has read its share of them.

    Args:
        comm: communicator.
        case: validated case.
        catalogue: shape catalogue of the case.
        overlaps: whether given grains may overlap.

    Returns:
        The grains of this rank, with any ids.

    Raises:
        PardemError: as ``initial_grains``; on every rank.
    """

    def placed() -> StartingGrains:
        everything = _place(case, catalogue, overlaps)
        return everything.take(slice(len(settled_grains(case).species), None))

    return _at_rest_or_moving(case, catalogue, scattered(comm, made_by_first(comm, placed), StartingGrains.made(0)))


def initial_grains(case: Case, catalogue: Catalogue, overlaps: bool = False) -> Population:
    """Create all grains of a case. Ids are assigned first to those of another run (``[start]``), then those of ``grains_file``, ``[[grain]]`` and
    ``[[insert]]``, each in order.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        overlaps: whether given grains may overlap, as in a packing that was settled elsewhere.

    Returns:
        The grains.

    Raises:
        InsertionError: given grains overlap or lie outside the domain, or random ones do not fit.
        FileError: ``grains_file`` cannot be read.
    """
    return _at_rest_or_moving(case, catalogue, _place(case, catalogue, overlaps))


def _place(case: Case, catalogue: Catalogue, overlaps: bool) -> StartingGrains:
    """Place all grains of a case, see ``initial_grains``."""
    names = [s.name for s in case.species]
    number = {name: row for row, name in enumerate(names)}
    domain = BoxDomain(case.domain.lower, case.domain.upper, case.domain.periodic) if case.domain else None
    given = given_grains(case, number)
    settled = settled_grains(case)
    orientation = principal_orientations(catalogue, given["species"], given["orientation"])
    placed = PlacedGrains(
        np.concatenate([settled.species, given["species"]]), np.concatenate([settled.scale, given["scale"]]),
        np.concatenate([settled.position, given["position"]]), np.concatenate([settled.orientation, orientation]),
    )  # fmt: skip
    if len(given["species"]) and not overlaps:
        require_clear(catalogue, placed, domain=domain, names=names, settled=len(settled.species))
    walls = placed_bodies(case, catalogue, case.stage[0].name)
    regions = insert_regions(case)
    require_room(case, catalogue, regions)
    for insert, region in zip(case.insert, regions, strict=True):
        first = len(placed.species)
        species = np.full(insert.count, number[insert.species])
        scale = _scales(case, insert, first)
        grains, around = NewGrains(species, scale, first, names), Surroundings(domain, placed, walls)
        x, q = insert_random(region, catalogue, grains, seed=case.seed, around=around)
        placed = PlacedGrains(
            np.concatenate([placed.species, species]), np.concatenate([placed.scale, scale]),
            np.concatenate([placed.positions, x]), np.concatenate([placed.orientations, q]),
        )  # fmt: skip
    if any(insert.lowered for insert in case.insert):
        placed = _lowered(case, catalogue, placed, Surroundings(domain, walls=walls))
    if not len(placed.species):
        raise CaseError("the case has no grains: give [[insert]], [[grain]], [[voronoi]], grains_file or [start]")
    count, first, last = len(placed.species), len(settled.species), len(settled.species) + len(given["species"])
    velocity, spin = np.zeros((count, 3)), np.zeros((count, 3))
    velocity[:first], velocity[first:last], spin[first:last] = settled.velocity, given["velocity"], given["angular_velocity"]
    return StartingGrains(
        np.arange(count), placed.species.astype(np.int32), np.asarray(placed.scale), placed.positions, placed.orientations, velocity, spin
    )


def _lowered(case: Case, catalogue: Catalogue, placed: PlacedGrains, around: Surroundings) -> PlacedGrains:
    """All grains placed, those of inserts that ask for it lowered along gravity, together and in the order of their heights."""
    axis = int(np.argmax(np.abs(case.gravity)))
    way = Way(axis, float(np.sign(case.gravity[axis])))
    floors = np.full(len(placed.species), np.nan)
    last = len(floors)
    for insert, region in zip(case.insert[::-1], insert_regions(case)[::-1], strict=True):
        if insert.lowered:
            ends = region.arrays()
            floors[last - insert.count : last] = ends.lower[axis] if way.sign < 0.0 else ends.upper[axis]
        last -= insert.count
    x = lower_grains(catalogue, placed, floors, way, domain=around.domain, walls=around.walls, planar=case.dimension == 2)
    return placed._replace(positions=x)


def _at_rest_or_moving(case: Case, catalogue: Catalogue, grains: StartingGrains) -> Population:
    """Grains with all of their state."""
    p = make_population(catalogue, grains.species, grains.scale, grains.position, grains.orientation)
    lent = lent_radii(case)
    p.gid[:] = grains.gid
    p.x[:, 3] += np.array([lent.get(s.material, 0.0) for s in case.species])[p.species]
    p.v[:, :3], p.w[:, :3] = grains.velocity, grains.spin
    p.am[:, :3] = angular_momentum(p.q, p.w[:, :3], catalogue.moments(p.species, p.scale))
    return p


def angular_momentum(q: np.ndarray, w: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Compute R I R^T w for each grain.

    Args:
        q: (n, 4) orientations.
        w: (n, 3) angular velocities (rad/s).
        inertia: (n, 3) principal moments (kg m^2).

    Returns:
        (n, 3) angular momenta, world frame (kg m^2/s).
    """
    rotation = matrices(q)
    body = np.einsum("nji,nj->ni", rotation, w) * inertia
    return np.einsum("nij,nj->ni", rotation, body)


def settled_grains(case: Case) -> SettledGrains:
    """The grains that a case takes over from another run; none where it starts from itself.

    Raises:
        CaseError: the state of that run is not at hand, or a grain lies outside the domain.
    """
    if case.origin is None:
        return NOTHING_SETTLED
    if case.origin.state is None:
        raise CaseError(f"start.from = '{case.start.source if case.start else ''}': only a run that goes on from its own checkpoint does without it")
    settled = case.origin.state.settled
    if case.domain is not None:
        x = settled.position
        open_faces = np.array([[f"{side}-{axis}" in (case.domain.outflow or ()) for axis in "xyz"] for side in ("lower", "upper")])
        outside = ((x < case.domain.lower) & ~open_faces[0]) | ((x > case.domain.upper) & ~open_faces[1])
        if outside.any():
            row = int(np.argmax(outside.any(axis=1)))
            raise CaseError(
                f"start.from: {np.count_nonzero(outside.any(axis=1))} grains lie outside [domain] ({list(case.domain.lower)} to "
                f"{list(case.domain.upper)} m), the first at {x[row].tolist()}: enlarge it, or leave them out by start.without_region"
            )
    return settled


def _scales(case: Case, insert: Insert, first: int) -> np.ndarray:
    if insert.size.kind == "constant":
        return np.full(insert.count, insert.size.value)
    return random_scales(case.seed, first, insert.count, insert.size.min, insert.size.max)


def insert_regions(case: Case) -> list[Region]:
    """The regions of all inserts of a case."""
    domain = BoxDomain(case.domain.lower, case.domain.upper, case.domain.periodic) if case.domain else None
    return [_region(insert, domain, case.dimension == 2) for insert in case.insert]


def _region(insert: Insert, domain: BoxDomain | None, planar: bool) -> Region:
    region = insert.region
    if region.kind == "cylinder":
        return CylinderRegion(radius=region.radius, lower=region.lower, upper=region.upper, axis=region.axis, center=region.center, planar=planar)
    if region.kind == "box":
        return BoxRegion(region.lower, region.upper, planar=planar)
    if domain is None:
        raise CaseError("insert.region.kind = 'periodic' needs a [domain]")
    return periodic_region(domain, planar)


def given_grains(case: Case, number: dict[str, int]) -> dict[str, Any]:
    """Grains given one by one, as arrays."""
    table = read_grains_file(case) if case.grains_file else _empty_table()
    rows = case.grain
    quaternion = np.array([g.orientation for g in rows], dtype=float).reshape(-1, 4)
    quaternion /= np.sqrt((quaternion**2).sum(axis=1, keepdims=True))
    mine = {
        "species": np.array([number[g.species] for g in rows], dtype=np.int64),
        "scale": np.array([g.scale for g in rows], dtype=float),
        "position": np.array([g.position for g in rows], dtype=float).reshape(-1, 3),
        "orientation": quaternion,
        "velocity": np.array([g.velocity for g in rows], dtype=float).reshape(-1, 3),
        "angular_velocity": np.array([g.angular_velocity for g in rows], dtype=float).reshape(-1, 3),
    }
    known, row = np.unique(table["species"], return_inverse=True)
    table["species"] = np.array([number[str(s)] for s in known], dtype=np.int64)[row]
    return {key: np.concatenate([table[key], mine[key]]) for key in mine}


def _empty_table() -> dict[str, Any]:
    return {
        "species": np.empty(0, "U1"), "scale": np.empty(0), "position": np.empty((0, 3)), "orientation": np.empty((0, 4)),
        "velocity": np.empty((0, 3)), "angular_velocity": np.empty((0, 3)),
    }  # fmt: skip


def read_grains_file(case: Case) -> dict[str, Any]:
    """Read the arrays of the ``grains_file`` of a case and fill in defaults; species are names."""
    names = [s.name for s in case.species]
    data = load_grains_file(case)
    n = len(data["position"])
    species = data["species"]
    if species.dtype.kind in "iu":
        if species.size and not (species.min() >= 0 and species.max() < len(names)):
            raise FileError(f"grains_file = '{case.grains_file}': species rows must be 0 to {len(names) - 1}")
        species = np.array(names)[species]
    if species.shape != (n,):
        raise FileError(f"grains_file = '{case.grains_file}': array 'species' must be of shape {(n,)}, not {species.shape}")
    unknown = sorted(set(map(str, np.unique(species))) - set(names))
    if unknown:
        raise FileError(f"grains_file = '{case.grains_file}' names species '{unknown[0]}'; the case has {', '.join(names)}")
    identity = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    out = {
        "species": species, "scale": data.get("scale", np.ones(n)), "position": data["position"], "orientation": data.get("orientation", identity),
        "velocity": data.get("velocity", np.zeros((n, 3))), "angular_velocity": data.get("angular_velocity", np.zeros((n, 3))),
    }  # fmt: skip
    widths = {"scale": (n,), "position": (n, 3), "orientation": (n, 4), "velocity": (n, 3), "angular_velocity": (n, 3), "species": (n,)}
    for key, shape in widths.items():
        if out[key].shape != shape:
            raise FileError(f"grains_file = '{case.grains_file}': array '{key}' must be of shape {shape}, not {out[key].shape}")
        if key != "species" and not np.isfinite(out[key]).all():
            first = int(np.argwhere(~np.isfinite(out[key]))[0, 0])
            raise FileError(f"grains_file = '{case.grains_file}': {key} of grain {first} = {out[key][first].tolist()} must be finite")
    largest = np.abs(out["orientation"]).max(axis=1, keepdims=True)
    if n and not (largest > 0).all():
        raise FileError(f"grains_file = '{case.grains_file}': orientations must not be zero")
    # scaled by powers of two, which change no digit, so that no square over- or underflows
    scaled = np.ldexp(out["orientation"], -np.frexp(largest)[1])
    out["orientation"] = scaled / np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    return out
