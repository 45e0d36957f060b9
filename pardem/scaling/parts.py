"""What the steps and rebuilds of a rank cost: parts of a settled bed, each with its ghosts, advanced alone by the compiled loop of a run."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..compiled.clock import INTEGRATION, TICKS, TOTAL
from ..decomposition.exchange import RowExchange
from ..decomposition.ghosts import GhostPlan, HaloChannel
from ..decomposition.nested_slabs import Nested
from ..detection.bounds import bounded_grains
from ..rebuild import Rebuilder
from ..setup.scene import Scene
from ..state import arrays as st
from ..state.arrays import Grains
from ..state.counters import Counters
from ..state.placing import place_grains
from ..state.population import ContactTable, Population
from ..step import Physics, Registers, advance
from .imagined import imagined
from .virtual_beds import SettledBed

CHUNK = 40  # steps


class PartTimes(NamedTuple):
    """A part of a bed, and what it took.

    Attributes:
        owned: number of grains.
        ghosts: number of ghosts.
        pairs: candidates of two owned grains.
        crossing: candidates with a ghost.
        walls: candidates on walls.
        step: processor time of a step, without messages (s).
        rebuild: processor time of a rebuild, without messages (s).
        bytes: bytes of the arrays that a step reads, and of those that it writes.
        motion: share of the step that is not contacts (1).
    """

    owned: int
    ghosts: int
    pairs: int
    crossing: int
    walls: int
    step: float
    rebuild: float
    bytes: int
    motion: float


def time_parts(bed: SettledBed, ranks: int, chosen: list[int], skin: float, turns: int) -> list[PartTimes]:
    """Cut a bed, and time some of its parts.

    Args:
        bed: the bed.
        ranks: number of parts.
        chosen: ranks whose parts are timed.
        skin: distance beyond contact within which pairs are candidates (m).
        turns: how often each is timed; the least time counts.

    Returns:
        One of each part.
    """
    x = bed.grains.x
    parts = Nested(imagined(ranks))
    radius = np.asarray(bed.scene.shapes.core_radius[bed.grains.species] * bed.grains.scale + x[:, 3])
    parts.divide(x, radius, np.ones(len(x)))
    owner = parts.owner(x) if ranks > 1 else np.zeros(len(x), np.int64)
    extent = bounded_grains(len(x), len(x), place_grains(bed.grains, bed.scene)).extent[: len(x)]
    found = []
    for rank in chosen:
        own = owner == rank
        low, high = (x[own, :3] - extent[own]).min(axis=0) - skin, (x[own, :3] + extent[own]).max(axis=0) + skin
        near = ~own & ((x[:, :3] + extent >= low) & (x[:, :3] - extent <= high)).all(axis=1)
        known = bed.contacts.take(np.isin(bed.contacts.key[:, 0], bed.grains.gid[own]) | np.isin(bed.contacts.key[:, 1], bed.grains.gid[own]))
        found.append(_time_part(bed.scene, bed.grains.take(own), bed.grains.take(near), known, skin, turns))
    return found


class _Alone(Rebuilder):
    """Makes the lists of a part whose ghosts stay where they are."""

    def __init__(self, scene: Scene, own: Population, ghosts: Population, skin: float) -> None:
        super().__init__(Nested(MPI.COMM_SELF), scene, own, skin, Counters())
        self._ghosts = ghosts

    def _with_ghosts(self, own: Population) -> tuple[int, Grains]:
        everything = Population.joined([own, self._ghosts])
        none = GhostPlan(np.zeros(0, np.int32), RowExchange(self.comm, np.zeros(0, np.int64)))
        self._channel = HaloChannel(none, bool((self.scene.shapes.kind == 1).all()), self._ballot)
        return everything.count, place_grains(everything, self.scene)


def _time_part(scene: Scene, own: Population, ghosts: Population, contacts: ContactTable, skin: float, turns: int) -> PartTimes:
    """Time the steps and rebuilds of one part."""
    control, tally, ticks = np.zeros(st.CONTROL, np.int64), np.zeros((st.TALLY, 2), np.int64), np.zeros(TICKS, np.int64)
    rebuilder = _Alone(scene, own, ghosts, skin)
    physics = Physics(scene.shapes, scene.interaction, scene.law, scene.integrator, scene.walls, scene.settings)
    registers, steps, rebuilds = Registers(control, tally, ticks), [], []
    for _ in range(turns):
        control[:] = 0
        start = Population(**{name: array.copy() for name, array in vars(own).items()})
        begin = time.process_time()
        rebuilder.rebuild(start, contacts, control)
        rebuilds.append(time.process_time() - begin)
        begin = time.process_time()
        done = int(advance(CHUNK, physics, rebuilder.state, registers))
        steps.append((time.process_time() - begin) / max(1, done))
    state = rebuilder.state
    pairs, inner = state.pairs, int(state.pairs.ptr[state.pairs.interior[0]])
    g = state.grains
    both = [g.x, g.v, g.w, g.ft, pairs.touch]
    if not (scene.shapes.kind == 1).all():
        both += [g.q, g.am, g.vert]
    read, written = [*both, pairs.col, pairs.first, pairs.hist], [*both, pairs.hist[pairs.touch > 0]]
    size = sum(array.nbytes for array in (*read, *written))
    motion = float(ticks[INTEGRATION] / max(1, ticks[TOTAL]))
    counts = state.owned, state.total - state.owned, inner, len(pairs.col) - inner, len(state.wall_pairs.col)
    return PartTimes(*counts, min(steps), min(rebuilds), size, motion)
