"""The engine of one rank: its state, advanced in chunks of compiled steps and rebuilt in between.

It knows neither case files nor HDF5; ``pardem.simulation`` gives it a scene and asks it for numbers.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from mpi4py import MPI

from .contacts.history_rows import moved_to_front
from .decomposition.nested_slabs import Nested
from .decomposition.partition import Partition
from .decomposition.rehearsal import rehearse
from .detection.lists import living_contacts
from .going_back import ReturnPoint, changing_arrays
from .held import Held
from .inflow import NOT_YET, Inflow
from .integrators.phases import Integrator, first_past
from .outflow import EVERY, Outflow, carried_energy
from .rebuild import Rebuilder
from .recorder import Recorder
from .setup.scene import Scene
from .state import arrays as st
from .state.arrays import Contacts, sum_columns
from .state.counters import Counters
from .state.diagnosis import diagnose
from .state.memory import free_large_arrays_at_once
from .state.population import ContactTable, Population
from .step import Physics, RankState, Registers, advance
from .walls.motion.driven import place_walls

CAUTION = 32  # steps for which ranks still vote closely once those steps are repeated in which lists did not hold


class Engine:
    """Owns the state of one rank.

    Args:
        partition: partition of the domain among the ranks. Every method that says so is collective over its communicator.
        scene: constants of the run.
        grains: the grains this rank starts with (any; they migrate at the first rebuild).
        contacts: their living contacts.
        skin: extra reach of the lists (m), or None for one that is chosen and adapted.
        step: number of the step the state belongs to.
        outflow: grains that have left before, where faces are open.
        inflow: grains that are still to come, where grains are poured.

    Attributes:
        recorder: collects the individual contacts of observed steps, if it is set.
    """

    recorder: Recorder | None = None

    def __init__(
        self, partition: Partition, scene: Scene, grains: Population, contacts: ContactTable | None = None, *, skin: float | None = None,
        step: int = 0, outflow: Outflow | None = None, inflow: Inflow | None = None,
    ) -> None:  # fmt: skip
        free_large_arrays_at_once()
        self.comm = comm = partition.comm
        if comm.size > 1:
            self._rehearse(comm, scene)
        self.scene = scene
        self.outflow = Outflow.none(comm, scene.settings) if outflow is None and scene.outflow is not None else outflow
        self.inflow = inflow
        self.counters = Counters()
        self.control = np.zeros(st.CONTROL, np.int64)
        self.control[st.STEP] = step
        self.tally = np.zeros((st.TALLY, 2), np.int64)
        self._observed_at = -1
        own = Population(**vars(grains))
        own.widen(*sum_columns(scene.settings))
        self.rebuilder = Rebuilder(partition, scene, own, skin, self.counters)
        place_walls(scene.walls, step, scene.settings.dt)
        self._there: ReturnPoint | None = None
        self._make_lists(own, contacts or ContactTable.blank(self.rebuilder.width))
        if scene.rule.sparse_histories:
            moved_to_front(self.state.pairs)  # they are there: it is compiled with the rest, not when lists are first made anew
        if self.outflow is not None and scene.settings.budget:
            carried_energy(comm, np.zeros(0, np.int64), self.state, scene)  # nothing: it is compiled with the rest, not when the first grain leaves
        self.control[st.HOLDS] = 0  # on several ranks the first step makes the lists anew, with what forces are known by then

    @staticmethod
    def _rehearse(comm: MPI.Comm, scene: Scene) -> None:
        """Let rank 0 compile every kernel on an empty scene, so that the other ranks find them in the cache. Collective."""
        if comm.rank == 0:
            walls = scene.walls._replace(**changing_arrays(scene.walls))
            rehearse()
            Engine(Nested(MPI.COMM_SELF), replace(scene, walls=walls), Population.made(0)).advance(1)
        comm.Barrier()

    # -- what others read ---------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> RankState:
        """Grains and lists (arrays are valid until the next rebuild)."""
        return self.rebuilder.state

    @property
    def skin(self) -> float:
        """Extra reach of the lists (m)."""
        return self.rebuilder.skin

    @property
    def step(self) -> int:
        """Number of the step that the state belongs to."""
        return int(self.control[st.STEP])

    @property
    def observed(self) -> bool:
        """Whether the tally of contacts is that of the present step."""
        return self._observed_at == self.step

    @property
    def grains(self) -> Population:
        """The owned grains (views; valid until the next rebuild)."""
        return Population.of(self.state.grains, self.state.owned)

    def all_grains(self) -> tuple[Population, np.ndarray]:
        """Return the owned grains, followed by those that left the domain from this rank, and by those that this rank holds until they arrive.

        Returns:
            The grains, and (n,) int64 the step after which each of them left; -1 for those that are present, -2 for those to come.
        """
        grains, left = [self.grains], [np.full(self.state.owned, -1)]
        if self.outflow is not None:
            grains, left = [*grains, self.outflow.gone], [*left, self.outflow.left]
        if self.inflow is not None:
            grains, left = [*grains, self.inflow.coming], [*left, np.full(self.inflow.coming.count, NOT_YET)]
        return (grains[0], left[0]) if len(grains) == 1 else (Population.joined(grains), np.concatenate(left))

    def contacts(self) -> ContactTable:
        """Return the living contacts that this rank knows, walls included. Both ranks know a pair across a cut."""
        return self._living(self.state.pairs)

    def _living(self, pairs: Contacts) -> ContactTable:
        """The living contacts of a list of pairs, and those with walls."""
        count = int(np.count_nonzero(pairs.touch[: pairs.ptr[-1]])) + int(np.count_nonzero(self.state.wall_pairs.touch))
        return self._written(pairs, False, ContactTable.blank(self.rebuilder.width, count))

    def _written(self, pairs: Contacts, in_place: bool, table: ContactTable) -> ContactTable:
        """A table filled with the living contacts of a list of pairs, whose histories may be in place, and with those with walls."""
        gid = self.state.grains.gid
        first = living_contacts(pairs, gid, False, in_place, 0, table.key, table.hist, table.warm)
        living_contacts(self.state.wall_pairs, gid, True, False, first, table.key, table.hist, table.warm)
        return table

    def _handed_over(self) -> ContactTable:
        """The living contacts for the lists that follow these; on a rank alone, sparse histories stay where they are (``contacts.history_rows``)."""
        begin, pairs = time.perf_counter(), self.state.pairs
        count = int(np.count_nonzero(pairs.touch)) + int(np.count_nonzero(self.state.wall_pairs.touch))
        if self.comm.size > 1 or not len(pairs.rows.at) or count > len(pairs.hist):
            table = self.contacts()  # of several ranks, what a list was made from is kept for those that return to it
        else:
            moved_to_front(pairs)
            table = self._written(pairs, True, ContactTable.made(count, {"hist": pairs.hist[:count]}))
        self.counters.detection_seconds += time.perf_counter() - begin
        return table

    def owned_contacts(self) -> ContactTable:
        """Return the living contacts whose lower id is owned by this rank: over all ranks, each contact once."""
        pairs = self.state.pairs
        rows = int(np.count_nonzero(pairs.row < self.state.owned))  # they come before those of ghosts, see ``rows_of``
        return self._living(pairs._replace(row=pairs.row[:rows], ptr=pairs.ptr[: rows + 1]))

    # -- motion -------------------------------------------------------------------------------------------------------------------

    def advance(self, steps: int, observe: bool = False) -> None:
        """Advance by a number of steps. Collective.

        Args:
            steps: number of steps.
            observe: whether the contacts of the last step are tallied.

        Raises:
            BlowUpError: a fault has occurred on some rank; raised on every rank alike.
        """
        if observe:
            self._run(steps - 1)
            self.control[st.OBSERVE] = st.RECORDED if self.recorder else st.TALLIED
            self._run(1)
            self.control[st.OBSERVE] = 0
            self._observed_at = self.step
        else:
            self._run(steps)

    def evaluate(self, held: Held | None = None) -> None:
        """Forces between grains that have not moved yet, observed: the start of a run, whose first kick needs them. Collective.

        Args:
            held: forces and histories that are known, and put back; the contacts are observed as if the last step were done once more.

        Raises:
            BlowUpError: a fault has occurred on some rank; raised on every rank alike.
        """
        spins = self.grains.w.copy()
        self.grains.ft[:] = 0
        self.tally[st.STORED :] = 0
        self.control[st.PHASE], self.control[st.OBSERVE] = st.DRIFTED, st.RECORDED if self.recorder else st.TALLIED
        self._call(1, self.scene.integrator._replace(closes=False))
        self.control[st.OBSERVE] = 0
        self._observed_at = self.step
        self.grains.w[:] = spins  # as given, not as recomputed from the angular momentum
        self.grains.past[:] = first_past(self.scene.integrator, self.grains.ft)
        if held is not None:
            held.put_back()
        self.control[st.HOLDS] = 0
        if self.control[st.STATUS] == st.ERROR:
            diagnose(self.comm, self.control, self.scene)

    def _physics(self, integrator: Integrator) -> Physics:
        scene = self.scene
        return Physics(scene.shapes, scene.interaction, scene.law, integrator, scene.walls, scene.settings)

    def _call(self, steps: int, integrator: Integrator) -> int:
        """Run the compiled loop; how many steps it finished comes back."""
        counters, channel = self.counters, self.rebuilder.channel
        state, recorder = self.state, self.recorder if self.control[st.OBSERVE] == st.RECORDED else None
        if recorder:
            state = state._replace(pairs=recorder.with_records(state.pairs), wall_pairs=recorder.with_records(state.wall_pairs))
        fetched = int(self.control[st.KNOWN] == self.step and self.control[st.PHASE] == st.DRIFTED)  # no halo in a step whose ghosts are known
        begin = time.perf_counter()
        done = int(advance(steps, self._physics(integrator), state, Registers(self.control, self.tally, counters.ticks)))
        counters.loop_seconds += time.perf_counter() - begin
        if recorder:
            recorder.collect(self.step, state.grains, state.pairs, state.wall_pairs)
        sent = max(0, done - fetched)
        counters.halo_bytes += sent * channel.bytes
        counters.halo_messages += sent * channel.messages
        return done

    @property
    def _finished(self) -> int:
        """Number of the last step that was finished."""
        return self.step - int(self.control[st.PHASE] == st.DRIFTED)

    def _run(self, steps: int) -> None:
        """Advance by chunks, each as long as the lists hold, or until grains may leave or arrive."""
        begun = self.step
        observe = int(self.control[st.OBSERVE])
        while self._finished < begun + steps:
            first = self._finished
            chunk = begun + steps - first
            again = first < begun  # these steps are repeated: what else was to be done at them has been done
            if again:
                chunk = begun - first
            self.control[st.OBSERVE] = 0 if again else observe
            if observe and first == begun:
                self.tally[st.STORED :] = 0
            if self.outflow is not None and self.rebuilder.may_leave:
                if not again:
                    self._let_out(self.outflow)
                chunk = min(chunk, EVERY - first % EVERY)
            if self.inflow is not None:
                if not again:
                    self._let_in(self.inflow)
                chunk = min(chunk, self.inflow.next_look(first + 1) - first)
            done = self._call(chunk, self.scene.integrator)
            self.counters.steps += done
            self.counters.grain_steps += done * self.state.owned
            if self.control[st.STATUS] == st.ERROR:
                diagnose(self.comm, self.control, self.scene)
            if self.control[st.STATUS] == st.GO_BACK or (self.control[st.STATUS] == st.REBUILD and not self._rebuild()):
                self._go_back()

    def _rebuild(self) -> bool:
        """Make the lists anew. Collective; tells whether the old ones were sound."""
        return self._make_lists(self.grains, self._handed_over())

    def _make_lists(self, grains: Population, contacts: ContactTable) -> bool:
        """Make the lists of grains and contacts, and keep what it takes to return to them. Collective; tells whether the old ones were sound."""
        sound = self.rebuilder.rebuild(grains, contacts, self.control)
        if sound and self.rebuilder.made_from is not None:
            self._there = ReturnPoint((self.control, self.tally), self.scene.walls)
        return sound

    def _go_back(self) -> None:
        """Return to the state in which lists were last made: on some rank they did not hold as long as had been foretold. Collective."""
        made_from = self.rebuilder.made_from
        assert self._there is not None
        assert made_from is not None
        reached, finished = self.step, self._finished
        self._there.restore()
        self.control[st.CLOSELY] = reached + CAUTION
        self.counters.returns += 1
        self.counters.steps -= finished - self._finished
        self._go_on_with(*made_from)

    def _go_on_with(self, grains: Population, contacts: ContactTable) -> None:
        """Make lists of other grains than the state has. Collective."""
        self.rebuilder.drop()
        self._make_lists(grains, contacts)

    @property
    def _looked_at(self) -> bool:
        """Whether grains may leave and arrive now: between two steps, at every few of them."""
        return self.step % EVERY == 0 and bool(self.control[st.PHASE] == st.AT_END)

    def _let_out(self, outflow: Outflow) -> None:
        """Take out the grains that are beyond an open face, at the steps at which that is looked at. Collective."""
        goes = outflow.let_out(self.scene, self.state, self.step) if self._looked_at else None
        if goes is not None:
            self._go_on_with(self.grains.take(~goes), self.contacts())

    def _let_in(self, inflow: Inflow) -> None:
        """Add the grains that arrive, at the steps at which that is looked at. Collective."""
        arrived = inflow.let_in(self.scene, self.state, self.step) if self._looked_at else None
        if arrived is not None:
            self._go_on_with(Population.joined([self.grains, arrived]), self.contacts())

    def wall_moved(self) -> None:
        """A wall's motion was changed: make the lists anew in the next step. To be called on all ranks."""
        self.control[st.HOLDS] = 0
        self.rebuilder.wall_places[:, 3] = -1.0
