"""Clumps: rigid clusters of disks in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpi4py import MPI
from scenes import case_of, energy, engine_of, fingerprint, grains_of

from pardem.errors import ShapeError
from pardem.shapes import Shape

TRIPLE = {"name": "triple", "shape": "clump", "vertices": [(0.0, 0.0), (0.3, 0.1), (0.1, 0.4)], "radius": 0.2, "density": 3.0}
LAW = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.01, "friction": 0.5, "interaction": "superposition"}


def test_two_disks_share_a_lens() -> None:
    """Area, centre and moment of two disks at a distance d: twice those of a disk less those of the lens, integrated by strips."""
    r, d = 0.7, 0.9
    properties = Shape.clump(vertices=[(1.0, 2.0), (1.0 + d, 2.0)], radius=r).mass_properties()
    nodes, weights = np.polynomial.legendre.leggauss(80)
    # of the right half of the lens, cut at x = d/2 from the first middle: x = r sin(t)
    low = np.arcsin(0.5 * d / r)
    t = low + (0.5 * np.pi - low) * 0.5 * (nodes + 1.0)
    w = 0.5 * (0.5 * np.pi - low) * weights * 2.0 * (r * np.cos(t)) ** 2
    x = r * np.sin(t) - 0.5 * d
    lens = 2.0 * w.sum()
    polar = 2.0 * (w @ (x**2 + (r * np.cos(t)) ** 2 / 3.0))
    disk = np.pi * r**2
    assert properties.volume == pytest.approx(2.0 * disk - lens, rel=1e-13)
    assert properties.centre == pytest.approx([1.0 + 0.5 * d, 2.0, 0.0], rel=1e-13)
    assert properties.principal_moments[2] == pytest.approx(2.0 * disk * (0.5 * r**2 + 0.25 * d**2) - polar, rel=1e-12)


def test_disks_apart_and_a_hole() -> None:
    """Six disks about a hole, each overlapping its neighbours: six disks less six lenses."""
    r, angle = 0.55, np.pi / 3.0 * np.arange(6)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    lens = 2.0 * r**2 * np.arccos(0.5 / r) - 0.5 * np.sqrt(4.0 * r**2 - 1.0)
    assert Shape.clump(vertices=ring, radius=r).mass_properties().volume == pytest.approx(6.0 * (np.pi * r**2 - lens), rel=1e-13)
    apart = Shape.clump(vertices=ring * 3.0, radius=r).mass_properties()
    assert apart.volume == pytest.approx(6.0 * np.pi * r**2, rel=1e-13)
    assert apart.principal_moments[2] == pytest.approx(6.0 * np.pi * r**2 * (0.5 * r**2 + 9.0), rel=1e-13)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 30), st.floats(0.05, 1.0))
def test_any_clump_against_sampling(seed: int, count: int, radius: float) -> None:
    shape = Shape.clump(vertices=np.random.default_rng(seed).normal(size=(count, 2)), radius=radius)
    exact, sampled = shape.mass_properties(), shape.mass_properties_monte_carlo(samples=1 << 15)
    # the errors are estimated from 16 values each, so they scatter themselves
    assert abs(exact.volume - sampled.volume) < 8.0 * sampled.volume_error
    assert abs(exact.inertia[2, 2] - sampled.inertia[2, 2]) < 8.0 * sampled.inertia_error[2, 2]


def test_disks_of_one_place_are_refused() -> None:
    with pytest.raises(ShapeError, match="same point"):
        Shape.clump(vertices=[(0, 0), (1, 0), (0, 0)], radius=0.1)


def bed(count: int, law: dict[str, Any] = LAW, **more: Any) -> Any:
    region = {"kind": "box", "lower": (0.5, 0.5), "upper": (7.5, 8.0)}
    return case_of([TRIPLE], law, 2e-4, dimension=2, seed=3,
                   domain={"lower": (0.0, -0.1), "upper": (8.0, 20.0), "periodic": (True, False)},
                   wall=[{"name": "floor", "kind": "plane", "point": (0, 0), "normal": (0, 1)}],
                   insert=[{"species": "triple", "count": count, "region": region}], **more)  # fmt: skip


@pytest.mark.mpi
@pytest.mark.ranks(3)
def test_the_same_bits_on_any_number_of_ranks() -> None:
    comm = MPI.COMM_WORLD
    case = bed(40, gravity=(0.0, -9.8))

    def bits(on: MPI.Comm) -> str:
        engine, _ = engine_of(case, on)
        engine.advance(10_000)
        assert on.allreduce(len(engine.contacts().key)) > 20
        return fingerprint(engine)

    alone = comm.bcast(bits(MPI.COMM_SELF) if comm.rank == 0 else None)
    assert bits(comm) == alone


def test_two_clumps_bounce_without_loss() -> None:
    """Concave sides meet in several disks at once: energy is kept to second order, with scatter from where in a step contacts begin and end."""
    lost = []
    for step in (8e-4, 5e-5):
        law = {"law": "viscoelastic", "normal_stiffness": 2e4, "interaction": "superposition"}
        grains = [
            {"species": "triple", "position": (0.0, 0.0), "velocity": (0.8, 0.0)},
            {"species": "triple", "position": (1.1, 0.15), "velocity": (-0.8, 0.0), "orientation": 1.8},
        ]
        engine, _ = engine_of(case_of([TRIPLE], law, step, dimension=2, gravity=(0, 0), grain=grains, domain={"lower": (-5, -5), "upper": (5, 5)}))
        before = energy(engine)
        engine.advance(round(0.8 / step), observe=True)
        g = grains_of(engine)
        assert np.abs(g.w[:, 2]).max() > 0.05
        assert np.abs(g.v[:, 3] @ g.v[:, :2]).max() < 1e-12
        lost.append(abs(energy(engine) / before - 1.0))
    assert lost[0] < 5e-3
    assert lost[1] < lost[0] / 50.0
