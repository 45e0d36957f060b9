"""Grains that leave through open faces of the domain: they are frozen as they were, nothing meets them any more, and they stay in the files, flagged.

At every step whose number is a multiple of ``EVERY``, before the next one begins, the grains whose centre is beyond an open face are taken out. That
depends on the state alone, so neither lists nor chunks nor ranks can show. Nobody looks while all grains are too far from these faces to reach them
before the lists are made anew (``Rebuilder.may_leave``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from .compiled.fixedpoint import totals
from .contacts.history_rows import USED, rows_for, rows_of_histories
from .contacts.loop import contacts
from .contacts.pair_loop import PairLoop
from .decomposition.agreement import sums_and_maxima
from .decomposition.exact import exact_totals
from .decomposition.halo import finish_halo, start_halo
from .integrators.poses import update_spins
from .state import arrays as st
from .state.arrays import Contacts, Settings, sum_columns
from .state.population import Population
from .walls.loop import wall_contacts
from .walls.motion.work import work_to_come
from .walls.surfaces.place import WallLoop

if TYPE_CHECKING:
    from .setup.scene import Scene
    from .step import RankState

EVERY = 32  # steps


class Outflow:
    """The grains that have left the domain, each on the rank that owned it when it left.

    Args:
        comm: communicator.
        gone: grains of this rank that have left.
        left: (n,) int64 step after which each of them left.
        carried: energy of their contacts, as in the attribute of that name.

    Attributes:
        count: number of grains that have left, on all ranks.
        carried: energy of their contacts that left with them, on all ranks, in quanta.
    """

    def __init__(self, comm: MPI.Comm, gone: Population, left: np.ndarray, carried: int = 0) -> None:
        self.comm, self.carried = comm, carried
        self._blocks = [(gone, left)]  # one for each time that grains left; joined when they are asked for
        self.count = int(comm.allreduce(gone.count))

    @property
    def gone(self) -> Population:
        """Grains of this rank that have left."""
        return self._joined()[0]

    @property
    def left(self) -> np.ndarray:
        """(n,) int64 step after which each of them left."""
        return self._joined()[1]

    def _joined(self) -> tuple[Population, np.ndarray]:
        if len(self._blocks) > 1:
            grains, steps = zip(*self._blocks, strict=True)
            self._blocks = [(Population.joined(grains), np.concatenate(steps))]
        return self._blocks[0]

    @classmethod
    def none(cls, comm: MPI.Comm, settings: Settings) -> Outflow:
        """Make the state before any grain has left.

        Args:
            comm: communicator.
            settings: constants of the run.

        Returns:
            The outflow, without grains.
        """
        gone = Population.made(0)
        gone.widen(*sum_columns(settings))
        return cls(comm, gone, np.zeros(0, np.int64))

    def let_out(self, scene: Scene, state: RankState, step: int) -> np.ndarray | None:
        """Take up the owned grains that are beyond an open face. Collective.

        Args:
            scene: constants of the run.
            state: state of this rank; the velocities of its ghosts are updated.
            step: number of the step.

        Returns:
            (owned,) bool, which grains have left and must be removed from the state; None if no grain has left on any rank.
        """
        goes = outside(state.grains.x[: state.owned], faces_of(scene), scene.settings)
        (count,), _ = sums_and_maxima(self.comm, [int(np.count_nonzero(goes))], [])
        if not count:
            return None
        own, carried = Population.of(state.grains, state.owned), 0
        if scene.settings.budget:
            start_halo(state.halo, state.grains, scene.shapes)  # ghosts had the velocities of the half-step
            finish_halo(state.halo, state.grains, state.owned, scene.shapes)
            if state.halo.follows[0]:
                update_spins(state.owned, state.total, state.grains, scene.shapes, scene.settings)
            leaving = np.concatenate(self.comm.allgather(own.gid[goes]))
            carried = carried_energy(self.comm, leaving, state, scene)
        self._add(own.take(goes), step, count, carried)
        return goes

    def _add(self, grains: Population, step: int, count: int, carried: int) -> None:
        """Take up grains that leave after a step.

        Args:
            grains: this rank's.
            step: number of the step.
            count: number of grains of all ranks.
            carried: energy of their contacts (quanta).
        """
        grains.ft[:] = 0
        grains.past[:] = 0
        if grains.count:
            self._blocks.append((grains, np.full(grains.count, step)))
        self.count += count
        self.carried += carried


def faces_of(scene: Scene) -> np.ndarray:
    """Return which faces of the domain are open.

    Args:
        scene: constants of the run.

    Returns:
        (2, 3) bool, lower and upper faces by axis.
    """
    return np.zeros((2, 3), bool) if scene.outflow is None else scene.outflow


def clearances(own: Population, settings: Settings) -> np.ndarray:
    """Find how far the outermost centres still are from each face of the domain.

    Args:
        own: grains of this rank.
        settings: constants of the run, with the corners of the domain.

    Returns:
        (2, 3) distance (m) from the lower and the upper face across each axis, negative beyond it; infinite where the axis is periodic or there is no
        grain.
    """
    if not own.count:
        return np.full((2, 3), np.inf)
    x = np.ascontiguousarray(own.x[:, :3].T)  # numpy takes fifteen times as long for the least of short rows
    left = np.array([np.minimum.reduce(x, 1) - settings.lower, settings.upper - np.maximum.reduce(x, 1)])
    if settings.periodic:
        left[:, settings.period != 0.0] = np.inf
    return left


def note_lost(scene: Scene, own: Population, left: np.ndarray, control: np.ndarray) -> None:
    """Note a fault if grains of this rank left the domain other than through a periodic or open face.

    Args:
        scene: constants of the run.
        own: grains of this rank.
        left: their ``clearances``.
        control: (CONTROL,) int64 of this rank.
    """
    faces, settings = faces_of(scene), scene.settings
    if not ((left < 0.0) & ~faces).any():
        return
    lost = np.flatnonzero(outside(own.x, ~faces, settings) & ~outside(own.x, faces, settings))
    if len(lost) and not control[st.FAULT]:
        control[st.FAULT], control[st.FAULT_A], control[st.FAULT_STEP] = st.ERROR_LEFT, own.gid[lost[0]], control[st.STEP]


def nearest_open_face(scene: Scene, left: np.ndarray) -> float:
    """Find how far the centres of grains still are from the open faces of the domain.

    Args:
        scene: constants of the run.
        left: ``clearances`` of the grains.

    Returns:
        The least distance (m), negative beyond a face; infinite if there is no such face or no grain.
    """
    return float(np.where(faces_of(scene), left, np.inf).min())


def outside(x: np.ndarray, faces: np.ndarray, settings: Settings) -> np.ndarray:
    """Find the centres that lie beyond given faces of the domain.

    Args:
        x: (n, 3 or more) centres (m).
        faces: (2, 3) bool, the lower and the upper faces to test.
        settings: constants of the run, with the corners of the domain.

    Returns:
        (n,) bool.
    """
    beyond = np.zeros(len(x), bool)
    for axis in np.flatnonzero(settings.period == 0.0):  # one axis after the other: numpy takes ten times as long for short rows
        if faces[0, axis]:
            beyond |= x[:, axis] < settings.lower[axis]
        if faces[1, axis]:
            beyond |= x[:, axis] > settings.upper[axis]
    return beyond


def carried_energy(comm: MPI.Comm, leaving: np.ndarray, state: RankState, scene: Scene) -> int:
    """Sum the energy (quanta) that goes with the contacts of grains that leave. Collective.

    It is the energy stored in the contacts, minus the work that their forces still do on the remaining grains in the coming half-step, plus the
    work accounted for at walls in it. All velocities, those of ghosts included, must be those of the step. The contacts are evaluated once more, on
    copies and with a time step of zero, which changes neither springs nor history.

    Args:
        comm: communicator.
        leaving: (n,) int64 ids of the grains that leave, of all ranks.
        state: state of this rank.
        scene: constants of the run.
    """
    owned, g, pairs, wall_pairs = state.owned, state.grains, state.pairs, state.wall_pairs
    settings, still = scene.settings, scene.settings._replace(dt=0.0)
    bodies = g._replace(ft=np.zeros_like(g.ft))
    walls = scene.walls._replace(**{name: getattr(scene.walls, name).copy() for name in ("there", "reaction", "work")})
    walls.reaction[:] = 0
    control, tally = np.zeros(st.CONTROL, np.int64), np.zeros((st.TALLY, 2), np.int64)
    control[st.OBSERVE] = st.TALLIED
    goes = np.isin(g.gid, leaving)
    between = _living(pairs, goes[pairs.row].repeat(np.diff(pairs.ptr)) | goes[pairs.col])
    contacts(scene.interaction, 0, len(between.row), PairLoop(between, bodies, scene.interaction, scene.law, still, owned, control, tally, np.inf))
    on_walls = _living(wall_pairs, goes[wall_pairs.row].repeat(np.diff(wall_pairs.ptr)))
    wall_contacts(WallLoop(on_walls, walls, bodies, scene.interaction, scene.law, still, control, tally))
    stays = ~goes[:owned]
    push, twist = totals(bodies.ft[:owned][stays], 0) * settings.force, totals(bodies.ft[:owned][stays], 4) * settings.torque
    power = push * g.v[:owned, :3][stays] + twist * g.w[:owned, :3][stays]
    work = 0.5 * settings.dt * (power[:, 0] + power[:, 1] + power[:, 2])
    done = sum(int(c) for c in np.rint(work / settings.energy))
    limbs = np.concatenate([tally[st.STORED : st.STORED + 1], [[done & 0xFFFFFFFF, done >> 32]], walls.reaction.reshape(-1, 2)])
    held, done, *reaction = exact_totals(comm, limbs)
    at_walls = work_to_come(walls, np.array(reaction, dtype=object).reshape(-1, 6), settings).sum()
    return held - done + round(float(at_walls) / settings.energy)


def _living(listed: Contacts, chosen: np.ndarray) -> Contacts:
    """The candidates that are chosen and touch, as a list of their own, a row each."""
    keep = np.flatnonzero(chosen & (listed.touch != 0))
    rows = listed.row.repeat(np.diff(listed.ptr))[keep]
    columns = {name: values[keep] for name in ("col", "first", "sub", "touch", "free", "warm") if len(values := getattr(listed, name))}
    columns["hist"] = listed.hist[rows_of_histories(listed, keep)]
    own = rows_for(len(keep), len(keep) if len(listed.rows.at) else 0)
    own.at[:] = np.arange(len(own.at))
    own.counts[USED] = len(own.at)
    columns["near"] = np.zeros_like(listed.near)  # what is there may be places behind the end of this list
    return listed._replace(row=rows, ptr=np.arange(len(keep) + 1), rows=own, interior=np.array([len(keep)]), **columns)
