"""Small scenes for tests: an engine from a case, and exact comparisons of states."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from pardem.case import Case
from pardem.compiled.fixedpoint import LIMB
from pardem.decomposition.grids import Grid
from pardem.decomposition.nested_slabs import Nested
from pardem.engine import Engine
from pardem.observables.energy import rotational_energy, translational_energy
from pardem.setup.initial_grains import initial_grains, size_range
from pardem.setup.preparation import Setup, build_scene
from pardem.shapes.mass.polytope_mass import MassProperties
from pardem.state.arrays import CONTACTS, STORED, WALL_CONTACTS, sum_columns
from pardem.state.population import ContactTable, Population

# The axes that slabs are cut across. Three ranks cut the third one, others the first; the rest runs with --full.
AXES = [pytest.param(axis, marks=[pytest.mark.slow] * ((axis == 2) != (MPI.COMM_WORLD.size == 3))) for axis in (0, 2)]


def engine_of(
    case: Case, comm: MPI.Comm = MPI.COMM_SELF, axis: int = 0, skin: float | None = None, overlaps: bool = False, wide: bool = False
) -> tuple[Engine, Setup]:
    """An engine with the grains of a case, dealt out to the ranks in turn; given ones may overlap, and sums be wide that need not, if so said."""
    largest, smallest = size_range(case)
    setup = build_scene(case, largest, smallest)
    if wide:
        setup.scene = replace(setup.scene, settings=setup.scene.settings._replace(wide=True))
        setup.scene.bodies.widen(*sum_columns(setup.scene.settings))
    grains = initial_grains(case, setup.catalogue, overlaps)
    mine = np.arange(grains.count) % comm.size == comm.rank
    return Engine(Nested(comm, slabs_across(axis)), setup.scene, grains.take(mine), skin=skin), setup


def slabs_across(axis: int) -> Grid:
    """The grid of slabs across an axis, for any number of ranks."""
    return (int(axis != 0), int(axis != 1), int(axis != 2))


def grains_of(engine: Engine) -> Population:
    """All grains in the order of ids, on every rank."""
    mine = engine.grains.take(np.arange(engine.grains.count))
    grains = mine if engine.comm.size == 1 else Population.joined(engine.comm.allgather(mine))
    return grains.take(np.argsort(grains.gid))


def gathered(engine: Engine) -> tuple[Population, ContactTable]:
    """All grains in the order of ids and all contacts in the order of keys, on every rank."""
    contacts = ContactTable.joined(engine.comm.allgather(engine.owned_contacts()))
    return grains_of(engine), contacts.take(np.lexsort(contacts.key.T[::-1]))


def fingerprint(engine: Engine) -> str:
    """Hash of every bit of the state: grains, forces, histories, and the totals of the energy budget."""
    grains, contacts = gathered(engine)
    digest = hashlib.sha256()
    arrays = [*vars(grains).values(), contacts.key, contacts.hist, contacts.warm]
    if engine.outflow is not None:
        gone = engine.comm.allgather((engine.outflow.gone, engine.outflow.left))
        left = Population.joined([grains for grains, _ in gone])
        order = np.argsort(left.gid)
        arrays += [*vars(left.take(order)).values(), np.concatenate([steps for _, steps in gone])[order], np.array([engine.outflow.carried])]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(engine.scene.walls.motion.tobytes())
    limbs = [int(low) + (int(high) << 32) for low, high in (*engine.tally[:2], *engine.scene.walls.work)]
    totals = [sum(column) for column in zip(*engine.comm.allgather(limbs), strict=True)]
    digest.update(repr(totals).encode())
    return digest.hexdigest()[:16]


def energy(engine: Engine) -> float:
    """Kinetic, elastic and gravity energy (J); the contacts must be those of an observed step."""
    g = engine.grains if engine.comm.size == 1 else grains_of(engine)
    s = engine.scene.settings
    height = g.x[:, :3] @ np.array([s.gx, s.gy, s.gz])
    return float(kinetic(engine, g).sum() - (g.v[:, 3] * height).sum() + booked(engine.tally[STORED]) * s.energy)


def kinetic(engine: Engine, g: Population) -> np.ndarray:
    """Kinetic energy of each of the engine's grains ``g``, (n,) J."""
    sphere = engine.scene.shapes.kind[g.species] == 1
    inertia = engine.scene.shapes.inertia[g.species, 0] * g.scale**5
    return np.asarray(translational_energy(g.v) + rotational_energy(g.w, g.am, sphere, inertia))


def booked(limbs: np.ndarray) -> int:
    """The integer that a two-limb sum stands for."""
    return (int(limbs[1]) << LIMB) + int(limbs[0])


def turned(axis: tuple[float, float, float], angle: float) -> tuple[float, ...]:
    """Quaternion of a rotation by ``angle`` (rad) about ``axis``."""
    u = np.array(axis) / np.linalg.norm(axis)
    return (math.cos(0.5 * angle), *(math.sin(0.5 * angle) * u).tolist())


SPHERE = {"name": "ball", "shape": "sphere", "radius": 0.5, "density": 1000.0}
ROD = {"name": "rod", "shape": "spherocylinder", "length": 1.0, "radius": 0.25, "density": 1000.0}
CUBE = {"name": "cube", "shape": "cube", "side": 0.8, "radius": 0.1, "density": 1000.0}
TETRAHEDRON = {"name": "tetrahedron", "shape": "spherotetrahedron", "edge": 1.0, "radius": 0.1, "density": 1000.0}


def box(lower: tuple[float, ...], upper: tuple[float, ...]) -> list[tuple[float, ...]]:
    """Corners of a box."""
    return [(x, y, z) for x in (lower[0], upper[0]) for y in (lower[1], upper[1]) for z in (lower[2], upper[2])]


ELL = {
    "name": "ell", "shape": "compound", "radius": 0.1, "density": 1000.0,
    "pieces": [box((0, 0, 0), (1.2, 0.4, 0.4)), box((0, 0.4, 0), (0.4, 1.2, 0.4))],
}  # fmt: skip
CROSS = {
    "name": "cross", "shape": "compound", "radius": 0.15, "density": 1000.0,
    "pieces": [[(-0.6, 0, 0), (0.6, 0, 0)], [(0, -0.6, 0), (0, 0.6, 0)], [(0, 0, -0.6), (0, 0, 0.6)]],
}  # fmt: skip
# Without damping and friction this is the law `elastic`; its kernels are those that dissipative scenes need anyway.
ELASTIC = {"law": "viscoelastic", "restitution": 1.0, "contact_time": 0.02}
FLOOR = {"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)}


def case_of(species: list[dict[str, Any]], contact: dict[str, Any], step: float, **more: Any) -> Case:
    """A case with one stage, no gravity unless given, and no output."""
    return Case(
        **{
            "gravity": (0.0, 0.0, 0.0), "time": {"step": step}, "species": species, "contact": contact,
            "domain": {"lower": (-50.0, -50.0, -50.0), "upper": (50.0, 50.0, 50.0)}, "stage": [{"name": "go", "kind": "run", "steps": 1}],
        } | more
    )  # fmt: skip


def mass_of(species: dict[str, Any], **more: Any) -> MassProperties:
    """Mass, centre and moments of a species in the axes in which its shape is given; ``more``: as for ``case_of``."""
    grain = {"species": species["name"], "position": (0.0,) * more.get("dimension", 3)}
    return case_of([species], ELASTIC, 1e-4, grain=[grain], **more).species[0].make_shape().mass_properties(species["density"])


def centre_of(species: dict[str, Any], **more: Any) -> np.ndarray:
    """Its centre of mass (m)."""
    return np.asarray(mass_of(species, **more).centre)


def worst_energy(
    species: list[dict[str, Any]],
    grains: list[dict[str, Any]],
    walls: list[dict[str, Any]],
    contact: dict[str, Any],
    step: float,
    duration: float,
    interval: float,
) -> float:
    """Largest relative energy error over an elastic collision, at times ``interval`` apart; the bodies touch, and are apart in the end.

    Runs with different steps are looked at at the same times, as often as the one with the longest step goes.
    """
    engine, _ = engine_of(case_of(species, contact, step, grain=grains, wall=walls))
    engine.advance(1, observe=True)
    start = energy(engine)
    worst, touched, every = 0.0, 0, round(interval / step)
    for _ in range(round(duration / step) // every):
        engine.advance(every, observe=True)
        touched += int(engine.tally[CONTACTS, 0] + engine.tally[WALL_CONTACTS, 0])
        worst = max(worst, abs(energy(engine) / start - 1.0))
    assert touched > 0
    assert not len(engine.contacts().key)
    return worst
