"""The engine of one rank: its state, advanced in chunks of compiled steps and rebuilt in between.

It knows neither case files nor HDF5; ``pardem.simulation`` gives it a scene and asks it for numbers.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from mpi4py import MPI

from .decomposition.nested_slabs import Nested
from .decomposition.partition import Partition
from .decomposition.rehearsal import rehearse
from .detection.lists import living_contacts
from .held import Held
from .integrators.phases import Integrator, first_past
from .outflow import EVERY, Outflow, carried_energy
from .rebuild import Rebuilder
from .recorder import Recorder
from .setup.scene import Scene
from .stale import must_rebuild
from .state import arrays as st
from .state.arrays import Contacts, sum_columns
from .state.counters import Counters
from .state.diagnosis import diagnose
from .state.population import ContactTable, Population
from .step import MARGIN, Physics, RankState, Registers, advance
from .walls.motion.driven import place_walls


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

    Attributes:
        recorder: collects the individual contacts of observed steps, if it is set.
    """

    recorder: Recorder | None = None

    def __init__(
        self, partition: Partition, scene: Scene, grains: Population, contacts: ContactTable | None = None, *, skin: float | None = None,
        step: int = 0, outflow: Outflow | None = None,
    ) -> None:  # fmt: skip
        self.comm = comm = partition.comm
        if comm.size > 1:
            self._rehearse(comm, scene)
        self.scene = scene
        self.outflow = Outflow.none(comm, scene.settings) if outflow is None and scene.outflow is not None else outflow
        self.counters = Counters()
        self.control = np.zeros(st.CONTROL, np.int64)
        self.control[st.STEP] = step
        self.tally = np.zeros((st.TALLY, 2), np.int64)
        self._observed_at = -1
        own = Population(**vars(grains))
        own.widen(*sum_columns(scene.settings))
        self.rebuilder = Rebuilder(partition, scene, own, skin, self.counters)
        place_walls(scene.walls, step, scene.settings.dt)
        self.rebuilder.rebuild(own, contacts or ContactTable.blank(self.rebuilder.width), self.control)
        if self.outflow is not None and scene.settings.budget:
            carried_energy(comm, np.zeros(0, np.int64), self.state, scene)  # nothing: it is compiled with the rest, not when the first grain leaves
        # nobody has voted yet on how far the first step may go: make the lists anew in it
        self.state.halo.agreed[0] = int(comm.size > 1)

    @staticmethod
    def _rehearse(comm: MPI.Comm, scene: Scene) -> None:
        """Let rank 0 compile every kernel on an empty scene, so that the other ranks find them in the cache. Collective."""
        if comm.rank == 0:
            changed = ("there", "motion", "pose", "reaction", "total", "work")
            walls = scene.walls._replace(**{name: getattr(scene.walls, name).copy() for name in changed})
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
        """Return the owned grains, followed by those that left the domain from this rank.

        Returns:
            The grains, and (n,) int64 the step after which each of them left; -1 for those that are present.
        """
        there = np.full(self.state.owned, -1)
        if self.outflow is None:
            return self.grains, there
        return Population.joined([self.grains, self.outflow.gone]), np.concatenate([there, self.outflow.left])

    def contacts(self) -> ContactTable:
        """Return the living contacts that this rank knows, walls included. Both ranks know a pair across a cut."""
        return self._living(self.state.pairs)

    def _living(self, pairs: Contacts) -> ContactTable:
        """The living contacts of a list of pairs, and those with walls."""
        wall_pairs, gid = self.state.wall_pairs, self.state.grains.gid
        count = int(np.count_nonzero(pairs.touch[: pairs.ptr[-1]])) + int(np.count_nonzero(wall_pairs.touch))
        table = ContactTable.blank(self.rebuilder.width, count)
        first = living_contacts(pairs, gid, False, 0, table.key, table.hist, table.warm)
        living_contacts(wall_pairs, gid, True, first, table.key, table.hist, table.warm)
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
            self.tally[st.STORED :] = 0
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
            BlowUpError: on one rank alone; with several the fault is kept for ``settle_faults``.
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
        if self.comm.size == 1 and self.control[st.FAULT]:
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
        begin = time.perf_counter()
        done = int(advance(steps, self._physics(integrator), state, Registers(self.control, self.tally, counters.ticks)))
        counters.loop_seconds += time.perf_counter() - begin
        if recorder:
            recorder.collect(self.step, state.grains, state.pairs, state.wall_pairs, self.scene.settings.period)
        counters.halo_bytes += done * channel.bytes
        counters.halo_messages += done * channel.messages
        return done

    def _run(self, steps: int) -> None:
        """Advance by chunks, each as long as the lists hold, or until grains may leave."""
        while steps > 0:
            chunk = steps
            if self.outflow is not None:
                self._let_out(self.outflow)
                finished = self.step - int(self.control[st.PHASE] == st.DRIFTED)
                chunk = min(steps, EVERY - finished % EVERY)
            done = self._call(chunk, self.scene.integrator)
            self.counters.steps += done
            self.counters.grain_steps += done * self.state.owned
            steps -= done
            if self.control[st.STATUS] == st.ERROR or (self.comm.size == 1 and self.control[st.FAULT]):
                diagnose(self.comm, self.control, self.scene)
            if self.control[st.STATUS] == st.REBUILD:
                self.rebuilder.rebuild(self.grains, self.contacts(), self.control)

    def _let_out(self, outflow: Outflow) -> None:
        """Take out the grains that are beyond an open face, at the steps at which that is looked at. Collective."""
        if self.step % EVERY or self.control[st.PHASE] != st.AT_END:
            return
        goes = outflow.let_out(self.scene, self.state, self.step)
        if goes is None:
            return
        stay, contacts = self.grains.take(~goes), self.contacts()
        self.rebuilder.drop()
        self.rebuilder.rebuild(stay, contacts, self.control)
        if self.comm.size > 1:  # nobody has voted on these lists yet
            wish = must_rebuild(self._physics(self.scene.integrator), self.state, MARGIN, self.control)
            self.state.halo.agreed[0] = self.comm.allreduce(int(wish), MPI.MAX)

    def settle_faults(self) -> None:
        """Raise on every rank if any rank met a fault in the steps so far. Collective; call before results are trusted."""
        if self.comm.allreduce(int(self.control[st.FAULT]), MPI.MAX):
            diagnose(self.comm, self.control, self.scene)

    def wall_moved(self) -> None:
        """A wall's motion was changed: make its list anew at the next step."""
        self.rebuilder.wall_places[:, 3] = -1.0
