"""What the steps and rebuilds of a rank cost: parts of a settled bed, each with its ghosts, advanced alone by the compiled loop of a run."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..compiled.clock import INTEGRATION, TICKS, TOTAL, WALLS
from ..contacts.history_rows import rows_of_histories
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

CHUNK = 25_000  # grain steps that are timed at once: some 2 ms, within which a busy machine may leave a core alone
LEAST = 4  # steps


class PartTimes(NamedTuple):
    """A part of a bed, and what it took.

    Attributes:
        owned: number of grains.
        ghosts: number of ghosts.
        pairs: candidates of two owned grains.
        crossing: candidates with a ghost.
        step: processor time of a step, without messages and without contacts with walls, of which large beds have few (s).
        rebuild: processor time of a rebuild, without messages (s).
        bytes: bytes of the arrays that a step reads, and of those that it writes.
        motion: share of the step that is not contacts (1).
    """

    owned: int
    ghosts: int
    pairs: int
    crossing: int
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
        self._ghosts = ghosts.take(np.arange(ghosts.count))
        for rate in (self._ghosts.v[:, :3], self._ghosts.w, self._ghosts.am):
            rate[:] = 0.0

    def _with_ghosts(self, own: Population) -> tuple[int, Grains]:
        everything = Population.joined([own, self._ghosts])
        return everything.count, place_grains(everything, self.scene)


def _time_part(scene: Scene, own: Population, ghosts: Population, contacts: ContactTable, skin: float, turns: int) -> PartTimes:
    """Time the steps and rebuilds of one part."""
    control, tally, ticks = np.zeros(st.CONTROL, np.int64), np.zeros((st.TALLY, 2), np.int64), np.zeros(TICKS, np.int64)
    rebuilder = _Alone(scene, own, ghosts, skin)
    physics = Physics(scene.shapes, scene.interaction, scene.law, scene.integrator, scene.walls, scene.settings)
    registers, steps, rebuilds = Registers(control, tally, ticks), [], []
    chunk = max(LEAST, CHUNK // own.count)
    for _ in range(turns):
        control[:] = 0
        start = Population(**{name: array.copy() for name, array in vars(own).items()})
        rebuilder.drop()
        begin = time.process_time()
        rebuilder.rebuild(start, contacts, control)
        rebuilds.append(time.process_time() - begin)
        advance(1, physics, rebuilder.state, registers)
        ticks[:] = 0
        begin = time.process_time()
        done = int(advance(chunk, physics, rebuilder.state, registers))
        steps.append((ticks[TOTAL] / max(1, done), (time.process_time() - begin) / max(1, done), ticks.copy()))
    state = rebuilder.state
    pairs, inner = state.pairs, int(state.pairs.ptr[state.pairs.interior[0]])
    g = state.grains
    both = [g.x, g.v, g.w, g.ft, pairs.touch]
    if not (scene.shapes.kind == 1).all():
        both += [g.q, g.am, g.vert]
    histories = pairs.hist[rows_of_histories(pairs, np.flatnonzero(pairs.touch))]
    read, written = [*both, pairs.col, pairs.first, pairs.rows.at, histories], [*both, histories]
    size = sum(array.nbytes for array in (*read, *written))
    _, seconds, ticks = min(steps, key=lambda turn: turn[0])  # the turn that was disturbed least
    rest = float(ticks[TOTAL] - ticks[WALLS])
    counts = state.owned, state.total - state.owned, inner, len(pairs.col) - inner
    return PartTimes(*counts, seconds * rest / float(ticks[TOTAL]), min(rebuilds), size, float(ticks[INTEGRATION]) / rest)
