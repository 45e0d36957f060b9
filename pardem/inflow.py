"""Grains that arrive while a run goes on (`[[pour]]`): until then they have rows in the files, flagged, and nothing meets them.

At steps whose number is a multiple of ``EVERY``, before the next one begins, those that are due are put into their region one after the other, each
at a random position that is free. All ranks place them alike, among the grains that reach into the region, which they exchange. So an arrival follows
from seed, step, id and the state of the bed alone, and neither lists nor chunks nor ranks can show.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from mpi4py import MPI

from .guard import made_by_first
from .insertion import NewGrains, PlacedGrains, Region, Surroundings, insert_while_free
from .outflow import EVERY
from .spouts import Plan, Spout
from .state import arrays as st
from .state.population import Population
from .state.saved import InflowTotals
from .walls.surfaces.place import ABSENT

if TYPE_CHECKING:
    from .setup.scene import Scene
    from .step import RankState

ATTEMPTS = 1000  # positions that are tried for a grain at a step; where none of them is free, it waits
NOT_YET = -2  # where the step is kept after which a grain left, that it has not arrived; -1: it is there


class Arrivals(NamedTuple):
    """Grains that arrive at a step, the same on all ranks.

    Attributes:
        ids: (k,) int64.
        species: (k,) int64 rows of the catalogue.
        scale: (k,) size factors.
        x: (k, 3) centres of mass (m).
        q: (k, 4) orientations.
        v: (k, 3) velocities (m/s).
    """

    ids: np.ndarray
    species: np.ndarray
    scale: np.ndarray
    x: np.ndarray
    q: np.ndarray
    v: np.ndarray

    @classmethod
    def joined(cls, parts: Iterable[Arrivals]) -> Arrivals:
        """Put several together, in order.

        Args:
            parts: at least one.
        """
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class Inflow:
    """The grains that are still to come. Construction is collective.

    Args:
        comm: communicator.
        plan: where and when they arrive.
        coming: those of this rank.
        totals: of a run that goes on, or None at its start.

    Attributes:
        coming: rows of grains of this rank that are still to come; with the place of their region and at rest.
        count: number of grains that are still to come, on all ranks.
        brought: energy that grains have arrived with, in quanta.

    Raises:
        InsertionError: there is no room for the first grain of a spout; on every rank.
    """

    def __init__(self, comm: MPI.Comm, plan: Plan, coming: Population, totals: InflowTotals | None = None) -> None:
        self.comm, self.plan, self.coming = comm, plan, coming
        made_by_first(comm, plan.try_first)
        self.brought = totals.brought if totals is not None else 0
        for k, spout in enumerate(plan.spouts):
            if totals is not None:
                spout.base, spout.arrived = totals.bases[k], totals.arrived[k]
        self.count = sum(len(spout.ids) - spout.arrived for spout in plan.spouts)

    def totals(self) -> InflowTotals:
        """What a checkpoint keeps besides the rows."""
        spouts = self.plan.spouts
        return InflowTotals(self.brought, [spout.base for spout in spouts], [spout.arrived for spout in spouts])

    @property
    def arrived(self) -> int:
        """Number of grains that have arrived, on all ranks."""
        return sum(spout.arrived for spout in self.plan.spouts)

    def arrived_mass(self) -> float:
        """Their mass (kg)."""
        masses = (self.plan.catalogue.masses(np.full(spout.arrived, spout.species), spout.scale[: spout.arrived]) for spout in self.plan.spouts)
        return float(sum(mass.sum() for mass in masses))

    @property
    def waiting(self) -> bool:
        """Whether grains are still to come of those whose stage has begun."""
        return any(spout.waiting for spout in self.plan.spouts)

    def begin(self, stage: str, step: int) -> None:
        """Let the grains arrive that are poured from a stage on.

        Args:
            stage: name of the stage.
            step: number of its first step.
        """
        for spout in self.plan.spouts:
            if spout.stage == stage:
                spout.base = step

    def next_look(self, step: int) -> int:
        """Name the next step at which a grain is to arrive.

        Args:
            step: first step that counts.
        """
        due = min((spout.due(spout.arrived) for spout in self.plan.spouts if spout.waiting), default=st.NEVER)
        return -(-max(due, step) // EVERY) * EVERY

    def let_in(self, scene: Scene, state: RankState, step: int) -> Population | None:
        """Place the grains that are due at a step. Collective.

        Args:
            scene: constants of the run.
            state: state of this rank at the end of the step.
            step: number of the step.

        Returns:
            Those of this rank, which must be added to the state; None if none has arrived on any rank.
        """
        due = [spout for spout in self.plan.spouts if spout.waiting and spout.due(spout.arrived) <= step]
        if not due:
            return None
        around = self._surroundings(scene, state, [spout.region for spout in due])
        found = []
        for spout in due:
            for first, count in _runs(spout.ids[spout.arrived : spout.due_at(step)]):
                new = NewGrains([spout.species] * count, spout.scale[spout.arrived : spout.arrived + count], first)
                x, q = insert_while_free(spout.region, self.plan.catalogue, new, seed=self.plan.seed, around=around, max_attempts=ATTEMPTS)
                made = _arrivals(spout, x, q)
                found.append(made)
                around = around._replace(placed=_with(around.placed, made))
                spout.arrived += len(x)
                if len(x) < count:
                    break
        arrivals = Arrivals.joined(found)
        return self._taken(arrivals, scene) if len(arrivals.ids) else None

    def _surroundings(self, scene: Scene, state: RankState, regions: list[Region]) -> Surroundings:
        """The grains of all ranks that reach into some regions, ordered by id, and the bodies among the walls that are there. Collective."""
        g, owned, shapes = state.grains, state.owned, scene.shapes
        x, reach = g.x[:owned, :3], shapes.core_radius[g.species[:owned]] * g.scale[:owned] + g.x[:owned, 3]
        near = np.zeros(owned, bool)
        for region in regions:
            near |= _reaches_into(x, reach, region, scene.settings.period)
        rows = np.flatnonzero(near)
        mine = (g.gid[rows], g.species[rows], g.scale[rows], x[rows], g.q[rows])
        every = [np.concatenate(parts) for parts in zip(*self.comm.allgather(mine), strict=True)]
        order = np.argsort(every[0])
        placed = PlacedGrains(*(column[order] for column in every[1:]))
        bodies = np.arange(state.total, len(g.gid))
        bodies = bodies[scene.walls.there[-1 - g.gid[bodies]] != ABSENT]
        moved = scene.walls.pose[-1 - g.gid[bodies], :3]
        walls = PlacedGrains(g.species[bodies], g.scale[bodies], g.x[bodies, :3] + moved, g.q[bodies])
        return Surroundings(self.plan.domain, placed, walls)

    def _taken(self, arrivals: Arrivals, scene: Scene) -> Population:
        """Take the grains of this rank that arrive out of those to come."""
        settings = scene.settings
        mass = self.plan.catalogue.masses(arrivals.species, arrivals.scale)
        gravity = np.array([settings.gx, settings.gy, settings.gz])
        energy = mass * (0.5 * (arrivals.v * arrivals.v).sum(axis=1) - (arrivals.x * gravity).sum(axis=1))
        self.brought += sum(int(number) for number in np.rint(energy / settings.energy))
        self.count -= len(arrivals.ids)
        order = np.argsort(arrivals.ids)
        mine = np.isin(self.coming.gid, arrivals.ids)
        grains = self.coming.take(mine)
        rows = order[np.searchsorted(arrivals.ids[order], grains.gid)]
        grains.x[:, :3], grains.q[:], grains.v[:, :3] = arrivals.x[rows], arrivals.q[rows], arrivals.v[rows]
        self.coming = self.coming.take(~mine)
        return grains


def _runs(ids: np.ndarray) -> list[tuple[int, int]]:
    """First id and number of ids of each series of consecutive ones."""
    starts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 2) != 1)
    return [(int(ids[a]), int(n)) for a, n in zip(starts, np.diff(starts, append=len(ids)), strict=True)]


def _arrivals(spout: Spout, x: np.ndarray, q: np.ndarray) -> Arrivals:
    """The next grains of a spout at the positions that were found."""
    rows = slice(spout.arrived, spout.arrived + len(x))
    return Arrivals(spout.ids[rows], np.full(len(x), spout.species), spout.scale[rows], x, q, np.tile(spout.velocity, (len(x), 1)))


def _with(placed: PlacedGrains, made: Arrivals) -> PlacedGrains:
    """Grains that are there, with those that have just arrived."""
    new = (made.species, made.scale, made.x, made.q)
    return PlacedGrains(*(np.concatenate([np.asarray(there), column]) for there, column in zip(placed, new, strict=True)))


def _reaches_into(x: np.ndarray, reach: np.ndarray, region: Region, period: np.ndarray) -> np.ndarray:
    """Which balls (centres x, radii reach, m) may reach into the box about a region, in any image."""
    box, far2 = region.arrays(), np.zeros(len(x))
    for c in np.flatnonzero(~box.free):
        beyond = [np.maximum(0.0, np.maximum(box.lower[c] - place, place - box.upper[c])) for place in _images(x[:, c], period[c])]
        far2 += np.minimum.reduce(beyond) ** 2
    return np.asarray(far2 <= reach**2)


def _images(x: np.ndarray, period: float) -> list[np.ndarray]:
    """A coordinate in all images that can be near."""
    return [x] if period == 0.0 else [x - period, x, x + period]
