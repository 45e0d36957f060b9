"""Contacts of an observed step one by one: their forces and torques are those that the bodies received, whatever touches by whatever rule."""

from __future__ import annotations

import numpy as np
import pytest
from beds import SCENES, STIFF, moved
from mpi4py import MPI
from scenes import CUBE, FLOOR, case_of, engine_of, turned

from pardem.case import Case
from pardem.compiled.fixedpoint import totals
from pardem.decomposition.exact import exact_totals
from pardem.engine import Engine
from pardem.recorder import Recorder
from pardem.state.arrays import CONTACTS, STRESS, WALL_CONTACTS

EPS = np.finfo(float).eps


def observed(name: str, comm: MPI.Comm, steps: int = 1200) -> Engine:
    """The engine of a bed, whose last step was observed and its contacts kept."""
    case = SCENES[name]()
    data = case.model_dump(exclude_none=True)
    data["output"]["contacts"] = True
    return moved(Case(**data).located(case.directory), comm, axis=2, steps=steps, observe=True)[1]


def check_sums(engine: Engine) -> None:
    """Forces and torques of the recorded contacts against those of the grains: half a quantum for each contribution, and rounding."""
    c, settings = engine.recorder.contacts, engine.scene.settings
    g = engine.grains.take(np.argsort(engine.grains.gid))
    force, torque = totals(g.ft, 0) * settings.force, totals(g.ft, 4) * settings.torque
    arm, other = arms(engine)
    count, size = g.ft[:, 3:4], np.linalg.norm(c.force, axis=1)[:, None]
    summed = on_bodies(engine, size, size)
    assert (np.abs(on_bodies(engine, c.force, -c.force) - force) <= 0.5 * count * settings.force + EPS * (count + 2) * summed).all()
    turning = on_bodies(engine, np.cross(arm, c.force) + c.couple, -np.cross(other, c.force) - c.couple)
    rounding = 16.0 * EPS * (count + 2) * summed * max(1.0, np.abs(g.x[:, :3]).max())
    assert (np.abs(turning - torque) <= 0.5 * count * settings.torque + rounding).all()


def arms(engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """From the centres of the first and of the second body to the contact points; the latter in the nearest image."""
    c, period = engine.recorder.contacts, engine.scene.settings.period
    g = engine.grains.take(np.argsort(engine.grains.gid))
    arm, other = (c.point - g.x[np.maximum(c.key[:, k], 0), :3] for k in (0, 1))
    length = np.where(period > 0.0, period, np.inf)
    return arm, other - np.where(period > 0.0, np.rint(other / length) * np.where(period > 0.0, period, 0.0), 0.0)


def on_bodies(engine: Engine, columns: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Sums by grain of what the first body of each contact gets, and of what the second does where it is a grain."""
    key = engine.recorder.contacts.key
    sums = np.zeros((engine.grains.count, columns.shape[1]))
    np.add.at(sums, key[:, 0], columns)
    grains = key[:, 1] >= 0
    np.add.at(sums, key[grains, 1], second[grains])
    return sums


BEDS = ["spheres", "shapes of all sizes", "features on bodies", "pieces in a tube"]


@pytest.mark.parametrize("name", BEDS)
def test_forces_and_torques_of_contacts_are_those_that_the_grains_received(name: str) -> None:
    """To half a quantum for each contribution, and the rounding of the sums taken here."""
    engine = observed(name, MPI.COMM_SELF)
    c = engine.recorder.contacts
    assert len(c.key) > 3
    check_sums(engine)
    assert (np.abs(np.linalg.norm(c.normal, axis=1) - 1.0) < 1e-14).all()
    assert (c.overlap > 0.0).all()
    tally = exact_totals(MPI.COMM_SELF, engine.tally)
    assert len(c.key) == tally[CONTACTS] + tally[WALL_CONTACTS]
    arm, other = arms(engine)
    branch = np.where((c.key[:, 1] >= 0)[:, None], arm - other, arm)
    quantum = engine.scene.settings.energy
    stress = np.array([float(v) for v in tally[STRESS:]]).reshape(3, 3) * quantum
    assert np.allclose(branch.T @ c.force, stress, rtol=0.0, atol=len(c.key) * quantum + 1e-12 * np.abs(stress).max())


def test_what_hardens_a_contact_is_part_of_its_force_and_couple() -> None:
    """A corner of a cube pressed into another one's, and one into the floor: forces beyond those of the law, and they add up."""
    corner_down = turned((1.0, -1.0, 0.0), np.arctan(np.sqrt(2.0)))
    cubes = [
        {"species": "cube", "position": (0.0, 0.0, 0.0)},
        {"species": "cube", "position": (0.82, 0.82, 0.82), "orientation": turned((1.0, 0.4, 0.2), 0.05), "velocity": (-2.0, -2.0, -1.8)},
        {"species": "cube", "position": (5.0, 5.0, 0.4 * np.sqrt(3.0) + 0.015 - 3.0), "orientation": corner_down, "velocity": (0.5, 0.0, -1.0)},
    ]
    contact = STIFF | {"restitution": 1.0, "friction": 0.0, "eps": {"cube": 0.13}}
    engine, _ = engine_of(case_of([CUBE], contact, 1e-4, grain=cubes, wall=[FLOOR | {"point": (0.0, 0.0, -3.0)}]), overlaps=True)
    engine.recorder = Recorder()
    mass, beyond = engine.grains.v[0, 3], np.zeros(2, int)
    for _ in range(100):
        engine.advance(1, observe=True)
        check_sums(engine)
        c = engine.recorder.contacts
        of_law = mass * np.where(c.key[:, 1] >= 0, 0.5, 1.0) * (np.pi / STIFF["contact_time"]) ** 2 * c.overlap
        hardened = -(c.force * c.normal).sum(axis=1) > 1.001 * of_law
        beyond += [np.count_nonzero(hardened & (c.key[:, 1] >= 0)), np.count_nonzero(hardened & (c.key[:, 1] < 0))]
    assert (beyond > 5).all()


@pytest.mark.mpi
@pytest.mark.ranks(3)
@pytest.mark.parametrize("name", ["spheres", "shapes of all sizes"])
def test_ranks_book_each_contact_once_with_the_bits_of_one(name: str) -> None:
    comm = MPI.COMM_WORLD

    def rows(engine: Engine) -> list[np.ndarray]:
        parts = engine.comm.gather(tuple(vars(engine.recorder.contacts).values()))
        if parts is None:
            return []
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.lexsort(columns[0].T[::-1])
        return [column[order] for column in columns]

    together = rows(observed(name, comm))
    if comm.rank == 0:
        alone = rows(observed(name, MPI.COMM_SELF))
        assert len(alone[0]) > 10
        assert all(one.tobytes() == other.tobytes() for one, other in zip(alone, together, strict=True))
