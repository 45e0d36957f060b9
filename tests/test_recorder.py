"""Contacts of an observed step one by one: their forces and torques are those that the bodies received, whatever touches by whatever rule."""

from __future__ import annotations

import numpy as np
import pytest
from beds import SCENES, moved
from mpi4py import MPI

from pardem.case import Case
from pardem.compiled.fixedpoint import totals
from pardem.engine import Engine
from pardem.observables.exact import exact_totals
from pardem.state.arrays import CONTACTS, STRESS, WALL_CONTACTS

EPS = np.finfo(float).eps


def observed(name: str, comm: MPI.Comm, steps: int = 700) -> Engine:
    """The engine of a bed, whose last step was observed and its contacts kept."""
    case = SCENES[name]()
    data = case.model_dump(exclude_none=True)
    data["output"]["contacts"] = True
    return moved(Case(**data).located(case.directory), comm, axis=2, steps=steps, observe=True)[1]


def on_bodies(engine: Engine, columns: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Sums by grain of what the first body of each contact gets, and of what the second does where it is a grain."""
    key = engine.recorder.contacts.key
    sums = np.zeros((engine.grains.count, columns.shape[1]))
    np.add.at(sums, key[:, 0], columns)
    grains = key[:, 1] >= 0
    np.add.at(sums, key[grains, 1], second[grains])
    return sums


BEDS = ["spheres", "shapes of all sizes", "features on bodies", "pieces in a tube", "regularised in the plane"]


@pytest.mark.parametrize("name", BEDS)
def test_forces_and_torques_of_contacts_are_those_that_the_grains_received(name: str) -> None:
    """To half a quantum for each contribution, and the rounding of the sums taken here."""
    engine = observed(name, MPI.COMM_SELF)
    c, settings = engine.recorder.contacts, engine.scene.settings
    order = np.argsort(engine.grains.gid)
    g = engine.grains.take(order)
    assert len(c.key) > 20
    force, torque = totals(g.ft, 0) * settings.force, totals(g.ft, 4) * settings.torque
    arm = c.point - g.x[c.key[:, 0], :3]
    other = c.point - g.x[np.maximum(c.key[:, 1], 0), :3]
    other -= np.where(settings.period > 0.0, np.rint(other / np.where(settings.period > 0.0, settings.period, 1.0)) * settings.period, 0.0)
    count, size = g.ft[:, 3:4], np.linalg.norm(c.force, axis=1)[:, None]
    summed = on_bodies(engine, size, size)
    assert (np.abs(on_bodies(engine, c.force, -c.force) - force) <= 0.5 * count * settings.force + EPS * (count + 2) * summed).all()
    turning = on_bodies(engine, np.cross(arm, c.force) + c.couple, -np.cross(other, c.force) - c.couple)
    rounding = 16.0 * EPS * (count + 2) * summed * np.abs(g.x[:, :3]).max()
    assert (np.abs(turning - torque) <= 0.5 * count * settings.torque + rounding).all()
    assert (np.abs(np.linalg.norm(c.normal, axis=1) - 1.0) < 1e-14).all()
    assert (c.overlap > 0.0).all()
    tally = exact_totals(MPI.COMM_SELF, engine.tally)
    assert len(c.key) == tally[CONTACTS] + tally[WALL_CONTACTS]
    branch = np.where((c.key[:, 1] >= 0)[:, None], arm - other, arm)
    stress = np.array([float(v) for v in tally[STRESS:]]).reshape(3, 3) * settings.energy
    assert np.allclose(branch.T @ c.force, stress, rtol=0.0, atol=len(c.key) * settings.energy + 1e-12 * np.abs(stress).max())


@pytest.mark.mpi
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
        assert len(alone[0]) > 20
        assert all(one.tobytes() == other.tobytes() for one, other in zip(alone, together, strict=True))
