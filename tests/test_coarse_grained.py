"""Coarse-grained fields of frames: sums that are exact, and known fields of one grain, of flows, of a shear and of columns under gravity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scipy.special import ndtr

import pardem
from pardem.case import Case
from pardem.io.analysis.smoothing import KERNELS
from pardem.io.results.contact_frames import ContactFrame
from pardem.io.results.output_path import prepare_output
from pardem.io.results.static_part import DomainBox, StaticPart
from pardem.io.results.writer import ResultWriter
from pardem.shapes import Species, build_catalogue

Write = Callable[..., pardem.Result]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Results with given positions, velocities, turns and contacts in two frames; grains are balls or disks of radius 0.5 m."""

    def written(
        position: Any, *, velocity: Any = 0.0, moved: Any = 0.0, turned: float = 0.0, periodic: Any = (False, False, False), dimension: int = 3,
        contacts: tuple[Any, Any, Any] | None = None, scale: Any = 1.0, size: float = 10.0,
    ) -> pardem.Result:  # fmt: skip
        x = np.array(position, float)
        n, d = len(x), dimension
        species = {"name": "ball", "shape": "sphere" if d == 3 else "disk", "radius": 0.5, "density": 1000.0}
        domain = {"lower": (0.0,) * d, "upper": (size,) * d, "periodic": tuple(periodic[:d])}
        case = Case(
            dimension=d, time={"step": 1e-3}, domain=domain, species=[species], contact={"restitution": 0.5, "contact_time": 0.1},
            grain=[{"species": "ball", "position": (1.0,) * d}], stage=[{"name": "go", "kind": "run", "steps": 10}],
            wall=[{"name": "floor", "kind": "plane", "point": (0.0,) * d, "normal": (0.0,) * (d - 1) + (1.0,)}],
        )  # fmt: skip
        assert case.domain is not None
        catalogue = build_catalogue([Species(s.name, s.make_shape(), s.density) for s in case.species])
        box = DomainBox(case.domain.lower, case.domain.upper, case.domain.periodic)
        out = tmp_path / f"{len(list(tmp_path.iterdir()))}.h5"
        prepare_output(MPI.COMM_SELF, out, resume=False, force=False, fresh=True)
        static = StaticPart(case.to_toml(), case.hash(), catalogue._asdict(), np.arange(n), np.zeros(n, int), np.broadcast_to(scale, n).copy(), box)
        results = ResultWriter(MPI.COMM_SELF, out, static)
        for k in (0, 1):
            there = x + k * np.broadcast_to(moved, x.shape)
            period = np.where(box.periodic, size, np.inf)
            image = np.where(box.periodic, np.floor(there / period), 0.0)
            fields = {
                "position": there - np.where(box.periodic, image * size, 0.0), "image": image.astype(np.int32),
                "velocity": np.broadcast_to(velocity, x.shape).astype(float),
                "orientation": np.tile([np.cos(0.5 * k * turned), 0.0, 0.0, np.sin(0.5 * k * turned)], (n, 1)),
            }  # fmt: skip
            shown = None
            if contacts is not None:
                bodies, point, force = (np.array(part) for part in contacts)
                key = np.column_stack([bodies, np.zeros(len(bodies), int)])
                shown = ContactFrame(key, {"point": point.astype(float), "force": force.astype(float)}, ("floor",))
            results.observables(10 * k, 1e-2 * k, {"taps": 0.0})
            results.frame(10 * k, 1e-2 * k, np.arange(n), fields, shown)
        results.close()
        return pardem.open(out)

    return written


def at_random(n: int, dimension: int = 3, seed: int = 1) -> np.ndarray:
    x = np.zeros((n, 3))
    x[:, :dimension] = np.random.default_rng(seed).uniform(0.0, 10.0, (n, dimension))
    return x


def total(data: Any, name: str) -> np.ndarray:
    """Integral of a field over the grid."""
    return np.asarray(data[name].sum(dim=[axis for axis in "xyz" if axis in data.dims]).values * data.attrs["cell_volume"])


def test_kernels_have_integral_and_deviation_one() -> None:
    for kernel in KERNELS.values():
        t = np.linspace(-kernel.reach, kernel.reach, 20001)
        weight = np.diff(kernel.cumulative(t))
        middle = 0.5 * (t[1:] + t[:-1])
        assert kernel.cumulative(t[[0, -1]]).tolist() == [0.0, 1.0]
        assert weight.min() >= 0.0
        assert (weight * middle**2).sum() == pytest.approx(1.0, abs=2e-3)
    r = np.linspace(0.0, 1.0, 11)
    lucy = KERNELS["lucy"]
    slope = (lucy.cumulative(lucy.reach * (r + 1e-6)) - lucy.cumulative(lucy.reach * (r - 1e-6))) / 2e-6
    assert slope == pytest.approx(1.25 * (1.0 + 3.0 * r) * (1.0 - r) ** 3, abs=1e-9)


@pytest.mark.parametrize("kernel", ["lucy", "gaussian"])
@pytest.mark.parametrize("cells", [None, 1, 7, (3, 2, 40)])
@pytest.mark.parametrize("periodic", [(False, False, False), (True, False, True), (True, True, True)])
def test_mass_and_momentum_are_kept(write: Write, kernel: str, cells: Any, periodic: Any) -> None:
    """On a grid of any resolution, and where the kernel is wider than a period."""
    x, v = at_random(23), np.random.default_rng(2).normal(size=(23, 3))
    result = write(x, velocity=v, periodic=periodic, scale=np.random.default_rng(3).uniform(0.5, 1.0, 23))
    frame = result[0]
    for width in (0.4, 2.0) if cells != 7 else (5.0,):
        data = frame.coarse_grained(width, cells, kernel=kernel)
        assert total(data, "density") == pytest.approx(frame.mass.sum(), rel=1e-13)
        assert total(data, "solid_fraction") == pytest.approx(4.0 / 3.0 * np.pi * (frame.radius**3).sum(), rel=1e-13)
        assert total(data, "momentum") == pytest.approx((frame.mass[:, None] * v).sum(axis=0), rel=1e-11)
        flux = data.kinetic_stress + data.momentum.rename(axis="row") * data.velocity.rename(axis="column").fillna(0.0)
        whole = flux.sum(dim=["x", "y", "z"]).transpose("row", "column").values * data.attrs["cell_volume"]
        assert whole == pytest.approx(np.einsum("n,ni,nj->ij", frame.mass, v, v), rel=1e-11)


def test_one_grain_is_its_kernel(write: Write) -> None:
    """Means over cells of a normal distribution, in the middle of the domain and across a corner of a periodic one."""
    width, edges = 0.7, np.linspace(0.0, 10.0, 26)
    part = np.diff(ndtr((edges - 5.0) / width))
    part /= part.sum()
    for place, shift in ((5.0, 0), (0.0, -12), (9.6, 11)):
        frame = write([[place] * 3], periodic=(True,) * 3)[0]
        data = frame.coarse_grained(width, 25, kernel="gaussian")
        centred = np.roll(data.density.values, -shift, axis=(0, 1, 2)) if place != 0.0 else None
        along = data.density.sum(dim=["y", "z"]).values * data.attrs["cell_volume"] / frame.mass[0]
        assert data.x.values == pytest.approx(0.5 * (edges[1:] + edges[:-1]))
        distance = (data.x.values - place + 5.0) % 10.0 - 5.0
        expected = ndtr((distance + 0.2) / width) - ndtr((distance - 0.2) / width)
        assert along == pytest.approx(expected, abs=2e-4)
        if place == 5.0:
            assert centred == pytest.approx(frame.mass[0] * part[:, None, None] * part[:, None] * part / data.attrs["cell_volume"], abs=2e-2)


def test_a_window_shows_what_the_whole_grid_shows(write: Write) -> None:
    """Also across a periodic face; nothing that lies outside is added to it."""
    frame = write(at_random(60), periodic=(True, False, False), velocity=at_random(60, seed=5))[0]
    whole = frame.coarse_grained(0.6, (20, 20, 20), lower=(0.0, 0.0, 0.0), upper=(10.0, 10.0, 10.0))
    part = frame.coarse_grained(0.6, (8, 4, 6), lower=(8.0, 2.0, 5.0), upper=(12.0, 4.0, 8.0))
    for name in ("density", "momentum", "kinetic_stress"):
        block = np.roll(whole[name].values, -16, axis=0)[:8, 4:8, 10:16]
        assert part[name].values == pytest.approx(block, rel=1e-9, abs=1e-9 * float(np.abs(block).max()))


def test_uniform_flow_has_its_velocity_and_no_stress(write: Write) -> None:
    v = np.array([1.5, -2.0, 0.25])
    data = write(at_random(300), velocity=v, periodic=(True, True, True))[0].coarse_grained(1.0, 8)
    assert np.abs(data.velocity.values - v).max() < 1e-12
    assert np.abs(data.kinetic_stress.values).max() < 1e-9 * float(data.density.max())
    assert data.velocity.attrs["units"] == "m/s"
    assert "contact_stress" not in data


def test_kinetic_stress_of_a_gas_is_a_pressure(write: Write) -> None:
    """Of many grains with independent velocities: density times the variance along each axis; it never is a tension."""
    rng = np.random.default_rng(4)
    data = write(at_random(20000, seed=8), velocity=rng.normal((5.0, 0.0, 0.0), 0.3, (20000, 3)), periodic=(True,) * 3)[0]
    data = data.coarse_grained(2.0, 3)
    pressure = data.kinetic_stress.mean(dim=["x", "y", "z"]).values / float(data.density.mean())
    assert pressure == pytest.approx(0.09 * np.eye(3), abs=3e-3)
    assert np.linalg.eigvalsh(data.kinetic_stress.values).min() > 0.0


@pytest.mark.parametrize("dimension", [2, 3])
def test_affine_motion_has_its_strain_and_rotation(write: Write, dimension: int) -> None:
    """A simple shear to rounding, whatever the places of the grains; a rigid rotation by any angle has no strain."""
    x = at_random(400, dimension)
    gradient = np.zeros((3, 3))
    gradient[0, 1] = 0.2
    both = write(x, moved=x @ gradient.T + [0.3, 0.0, 0.0], dimension=dimension)
    data = both[1].coarse_grained(1.2, 6, lower=(2.0,) * dimension, upper=(8.0,) * dimension, since=both[0])
    d = slice(dimension)
    strain = 0.5 * (gradient + gradient.T)[d, d]
    assert np.abs(data.strain.values - strain).max() < 1e-11  # halfway the gradient is the same: it squares to zero
    spin = -2.0 * np.arctan(0.05)
    assert np.abs(data.rotation.values - (spin if dimension == 2 else np.array([0.0, 0.0, spin]))).max() < 1e-11
    turn, c = 0.7, np.array([5.0, 5.0, 0.0])
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    both = write(x, moved=(x - c) @ (rotation.T - np.eye(3)), turned=turn, dimension=dimension)
    data = both[1].coarse_grained(1.2, 4, lower=(4.0,) * dimension, upper=(6.0,) * dimension, since=both[0])
    assert np.abs(data.strain.values).max() < 1e-11
    for name in ("rotation", "grain_rotation"):
        assert np.abs(data[name].values - (turn if dimension == 2 else np.array([0.0, 0.0, turn]))).max() < 1e-11, name
    assert (data.attrs["since_step"], data.attrs["step"]) == (0, 10)


def test_displacements_go_through_periodic_faces(write: Write) -> None:
    both = write(at_random(200), moved=(7.0, 0.0, 13.0), periodic=(True, False, True))
    data = both[1].coarse_grained(1.5, 4, since=both[0])
    moved = data.displacement.values[np.isfinite(data.displacement.values[..., 0])]
    assert np.abs(moved - (7.0, 0.0, 13.0)).max() < 1e-11
    assert np.nanmax(np.abs(data.strain.values)) < 1e-10


def test_where_too_few_grains_are_there_is_no_strain(write: Write) -> None:
    both = write([[2.0, 2.0, 2.0], [2.5, 2.0, 2.0], [3.0, 2.0, 2.0]], moved=(0.1, 0.0, 0.0))
    data = both[1].coarse_grained(0.5, 10, lower=(0.0,) * 3, upper=(5.0,) * 3, since=both[0])
    assert np.isnan(data.strain.values).all()
    assert float(np.nanmax(data.displacement.values)) == pytest.approx(0.1)
    assert np.isnan(data.velocity.values[-1, -1, -1]).all()


def column(write: Write, n: int = 6, dimension: int = 3, x: float = 5.0) -> pardem.Result:
    """Balls on top of each other on a floor, at rest: each contact carries what is above it."""
    up = dimension - 1
    position = np.zeros((n, 3))
    position[:, 0], position[:, up] = x, 0.5 + np.arange(n)
    if dimension == 3:
        position[:, 1] = 5.0
    point = position - 0.5 * np.eye(3)[up]
    weight = 10.0 * 1000.0 * (4.0 / 3.0 * np.pi * 0.125 if dimension == 3 else np.pi * 0.25)
    force = np.zeros((n, 3))
    force[0, up] = n * weight  # of the floor on the lowest
    force[1:, up] = -weight * np.arange(n - 1, 0, -1)  # of the upper one on the lower one
    bodies = [[0, -1]] + [[k, k + 1] for k in range(n - 1)]
    return write(position, contacts=(bodies, point, force), dimension=dimension)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("kernel", ["lucy", "gaussian"])
def test_stress_in_a_column_is_the_weight_above(write: Write, dimension: int, kernel: str) -> None:
    """Integrated over the cross-section, the vertical stress at a height is the weight above it, smoothed; below the floor's force there is none."""
    frame, g, width, bins = column(write, dimension=dimension)[0], 10.0, 0.6, 200
    across = dimension - 1
    data = frame.coarse_grained(width, (1,) * across + (bins,), kernel=kernel)
    section = data.attrs["cell_volume"] / float(np.diff(data["xyz"[across]].values)[0])
    found = data.contact_stress.values.reshape(bins, dimension, dimension) * section
    assert np.abs(np.delete(found.reshape(bins, -1), -1, axis=1)).max() < 1e-9 * found.max()
    cumulative, height = KERNELS[kernel].cumulative, data["xyz"[across]].values
    edge = 0.5 * float(np.diff(height)[0])
    above = np.zeros(bins)
    for shift in np.linspace(-edge, edge, 41)[1::2]:  # mean over a cell
        z = height + shift
        above += sum(m * g * cumulative((h - z) / width) for m, h in zip(frame.mass, frame.position[:, across], strict=True)) / 20.0
        above -= frame.mass.sum() * g * cumulative((0.0 - z) / width) / 20.0  # the floor carries all of it
    assert found[:, -1, -1] == pytest.approx(above, abs=1e-4 * frame.mass.sum() * g)
    assert total(data, "wall_force_density")[across] == pytest.approx(frame.mass.sum() * g, rel=1e-13)


@pytest.mark.parametrize("kernel", ["lucy", "gaussian"])
def test_momentum_balance_at_rest(write: Write, kernel: str) -> None:
    """In every cell the divergence of the stress is the weight and the force of the floor; an error of differences falls with the cells' square."""
    frame, worst = column(write, n=3)[0], []
    for cells in (12, 24):
        data = frame.coarse_grained(0.8, cells, lower=(3.0, 3.0, 0.0), upper=(7.0, 7.0, 4.0), kernel=kernel)
        force = data.wall_force_density.values.copy()
        force[..., 2] -= 10.0 * data.density.values
        sigma = data.contact_stress.values
        divergence = sum(np.gradient(sigma[..., c, :], 4.0 / cells, axis=c) for c in range(3))
        error = np.abs(divergence - force)[2:-2, 2:-2, 2:-2]
        worst.append(error.max() / np.abs(force).max())
    assert worst[1] < 0.02
    assert worst[1] < 0.35 * worst[0]


def test_stress_of_contacts_sums_to_that_of_love_and_weber(write: Write) -> None:
    """Over the whole grid, also across a periodic face and for grains of different sizes."""
    x = np.array([[9.7, 5.0, 5.0], [0.4, 5.1, 5.0], [0.7, 5.8, 5.2]])
    point, force = np.array([[10.1, 5.05, 5.0], [0.5, 5.5, 5.1]]), np.array([[-3.0, 0.2, 0.1], [-1.0, -2.0, 0.5]])
    frame = write(x, periodic=(True, False, False), contacts=([[0, 1], [1, 2]], point, force))[0]
    expected = -frame.contacts.branch.T @ frame.contacts.force
    assert frame.contacts.branch[0] == pytest.approx([0.7, 0.1, 0.0])
    for width in (0.3, 3.0):
        data = frame.coarse_grained(width, (9, 11, 6))
        assert total(data, "contact_stress") == pytest.approx(expected, rel=1e-12)


def test_useless_arguments_are_refused_in_sentences(write: Write) -> None:
    frame = write(at_random(5))[0]
    for message, arguments in {
        "kernel = 'box' must be lucy or gaussian": {"width": 1.0, "kernel": "box"},
        "width = 0.0 m must be a positive number": {"width": 0.0},
        "lower and upper must be 3 finite numbers, lower < upper": {"width": 1.0, "lower": (0.0, 0.0), "upper": (1.0, 1.0)},
        r"the grid has 1e\+09 cells, more than 1e\+08: give a larger width": {"width": 1.0, "cells": 1000},
        "cells = 0 must be whole numbers of at least 1": {"width": 1.0, "cells": 0},
    }.items():
        with pytest.raises(ValueError, match=message):
            frame.coarse_grained(**arguments)


def test_the_grid_of_a_frame_without_grains_is_to_be_given(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = write(at_random(5))[0]
    monkeypatch.setattr("pardem.io.analysis.frame.Frame.present", np.zeros(5, bool))
    with pytest.raises(ValueError, match="frame 0 has no grains between which a grid would lie: give its lower and upper corner"):
        frame.coarse_grained(1.0, upper=(10.0, 10.0, 10.0))
    data = frame.coarse_grained(1.0, lower=(0.0, 0.0, 0.0), upper=(10.0, 10.0, 10.0))
    assert data.density.shape == (10, 10, 10)
    assert not data.density.any()
