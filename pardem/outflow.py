"""Grains that leave through open faces of the domain: they are frozen as they were, nothing meets them any more, and they stay in the files, flagged.

At every step whose number is a multiple of ``EVERY``, before the next one begins, the grains whose centre is beyond an open face are taken out. That
depends on the state alone, so neither lists nor chunks nor ranks can show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from .compiled.fixedpoint import totals
from .contacts.pairs import pair_contacts
from .contacts.spheres import Spheres, sphere_contacts
from .observables.exact import exact_totals
from .state import arrays as st
from .state.arrays import Contacts, Grains, Settings, sum_columns
from .state.population import Population
from .walls.contacts import wall_contacts
from .walls.motion.work import work_to_come

if TYPE_CHECKING:
    from .setup.scene import Scene

EVERY = 32  # steps
FACES = ("lower-x", "lower-y", "lower-z", "upper-x", "upper-y", "upper-z")


class Outflow:
    """The grains that have left, each on the rank that owned it then.

    Args:
        comm: communicator.
        gone: this rank's. left: (n,) int64 step after which each left. carried: see below.

    Attributes:
        count: number of grains that have left, on all ranks.
        carried: energy of their contacts that left with them, on all ranks, in quanta.
    """

    def __init__(self, comm: MPI.Comm, gone: Population, left: np.ndarray, carried: int = 0) -> None:
        self.gone, self.left, self.carried = gone, left, carried
        self.count = int(comm.allreduce(gone.count))

    @classmethod
    def none(cls, comm: MPI.Comm, settings: Settings) -> Outflow:
        """No grain has left yet."""
        gone = Population.empty()
        gone.widen(*sum_columns(settings))
        return cls(comm, gone, np.zeros(0, np.int64))

    def add(self, grains: Population, step: int, count: int, carried: int) -> None:
        """Take up grains that leave after a step.

        Args:
            grains: this rank's. count: of all ranks. carried: energy of their contacts (quanta).
        """
        grains.ft[:] = 0
        grains.past[:] = 0
        self.gone = Population.joined([self.gone, grains])
        self.left = np.concatenate([self.left, np.full(grains.count, step)])
        self.count += count
        self.carried += carried


def open_faces(names: tuple[str, ...]) -> np.ndarray:
    """Which faces of the domain are open, (2, 3) bool: lower and upper by axis."""
    return np.array([face in names for face in FACES]).reshape(2, 3)


def outside(x: np.ndarray, faces: np.ndarray, settings: Settings) -> np.ndarray:
    """Which centres are beyond one of some faces of the domain, (n,) bool.

    Args:
        x: (n, 3 or more) centres (m). faces: (2, 3) bool, lower and upper. settings: with the corners of the domain.
    """
    lower, upper = faces & (settings.period == 0.0)
    return np.asarray(((x[:, :3] < settings.lower) & lower | (x[:, :3] > settings.upper) & upper).any(axis=1))


def carried_energy(comm: MPI.Comm, leaving: np.ndarray, owned: int, g: Grains, pairs: Contacts, wall_pairs: Contacts, scene: Scene) -> int:
    """Energy (quanta) that goes with the contacts of grains that leave: what they hold, less the work that their forces still do on the grains that
    stay, more that which is booked for walls, both in the half-step to come. Collective; velocities must be those of the step, ghosts' too.

    The contacts are evaluated once more, in copies and over no time, which changes neither springs nor memories.

    Args:
        leaving: ids, of all ranks. owned: rows of ``g`` that are owned. pairs, wall_pairs: the lists.
    """
    settings, still = scene.settings, scene.settings._replace(dt=0.0)
    bodies = g._replace(ft=np.zeros_like(g.ft))
    walls = scene.walls._replace(**{name: getattr(scene.walls, name).copy() for name in ("there", "reaction", "work")})
    walls.reaction[:] = 0
    control, tally = np.zeros(st.CONTROL, np.int64), np.zeros((st.TALLY, 2), np.int64)
    control[st.OBSERVE] = st.TALLIED
    goes = np.isin(g.gid, leaving)
    between = _living(pairs, goes[pairs.row].repeat(np.diff(pairs.ptr)) | goes[pairs.col])
    if isinstance(scene.interaction, Spheres):
        sphere_contacts(0, len(between.row), owned, between, bodies, scene.law, still, control, tally)
    else:
        pair_contacts(0, len(between.row), owned, between, bodies, scene.interaction, scene.law, still, control, tally)
    on_walls = _living(wall_pairs, goes[wall_pairs.row].repeat(np.diff(wall_pairs.ptr)))
    wall_contacts(on_walls, walls, bodies, scene.interaction, scene.law, still, control, tally)
    stays = ~goes[:owned]
    push, twist = totals(bodies.ft[:owned][stays], 0) * settings.force, totals(bodies.ft[:owned][stays], 4) * settings.torque
    power = push * g.v[:owned, :3][stays] + twist * g.w[:owned, :3][stays]
    work = 0.5 * settings.dt * (power[:, 0] + power[:, 1] + power[:, 2])
    done = sum(int(c) for c in np.rint(work / settings.energy))
    limbs = np.concatenate([tally[st.STORED : st.STORED + 1], [[done & 0xFFFFFFFF, done >> 32]], walls.reaction.reshape(-1, 2)])
    held, done, *reaction = exact_totals(comm, limbs)
    booked = work_to_come(walls, np.array(reaction, dtype=object).reshape(-1, 6), settings).sum()
    return held - done + round(float(booked) / settings.energy)


def _living(contacts: Contacts, chosen: np.ndarray) -> Contacts:
    """The candidates that are chosen and touch, as a list of their own, a row each."""
    keep = np.flatnonzero(chosen & (contacts.touch != 0))
    rows = contacts.row.repeat(np.diff(contacts.ptr))[keep]
    columns = {name: values[keep] for name in ("col", "sub", "touch", "free", "hist", "warm") if len(values := getattr(contacts, name))}
    return contacts._replace(row=rows, ptr=np.arange(len(keep) + 1), interior=np.array([len(keep)]), **columns)
