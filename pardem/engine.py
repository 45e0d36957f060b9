"""The engine of one rank: grains, lists, halo and walls, advanced in chunks of compiled steps and rebuilt in between.

It knows neither case files nor HDF5; ``pardem.simulation`` gives it a scene and asks it for numbers.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from mpi4py import MPI

from .contacts.dispatch import history_width
from .decomposition.ghosts import HaloChannel, fetch_ghosts, null_ballot, plan_ghosts
from .decomposition.halo import finish_halo, start_halo
from .decomposition.slabs import Slabs
from .detection.bounds import oriented_extents
from .detection.edge_detector import EdgeDetector
from .detection.linked_cells import spatial_order
from .detection.lists import living_contacts
from .detection.rank_lists import list_pairs, list_wall_pairs
from .detection.search import Search
from .detection.skin import SkinTuner, least_skin
from .detection.work import work_by_grain, work_of_rebuild
from .integrators import gear4
from .outflow import EVERY, Outflow, carried_energy, outside
from .recorder import Recorder
from .setup.scene import Scene
from .state import arrays as st
from .state.arrays import Contacts, Grains, Settings, sum_columns
from .state.counters import Counters
from .state.diagnosis import diagnose
from .state.placing import place_grains
from .state.population import ContactTable, Population
from .step import MARGIN, advance, must_rebuild
from .walls.motion.driven import place_walls
from .walls.surfaces.bodies import turn_bodies

REBALANCE_EVERY = 20  # rebuilds


class Engine:
    """Owns the state of one rank.

    Args:
        comm: communicator; every method that says so is collective.
        scene: constants of the run.
        grains: the grains this rank starts with (any; they migrate at the first rebuild).
        contacts: their living contacts.
        axis: of the slabs. skin: (m); None: chosen and adapted.
        step: number of the step the state belongs to. outflow: grains that have left before, where faces are open.

    Attributes:
        recorder: keeps the contacts of observed steps one by one, where it is set.
    """

    recorder: Recorder | None = None

    def __init__(
        self, comm: MPI.Comm, scene: Scene, grains: Population, contacts: ContactTable | None = None, *, axis: int = 2,
        skin: float | None = None, step: int = 0, rebalance: bool = True, outflow: Outflow | None = None,
    ) -> None:  # fmt: skip
        if comm.size > 1:
            self._rehearse(comm, scene)
        self.comm = comm
        self.scene = scene
        self.width = history_width(scene.interaction, scene.settings.budget)
        self._faces = np.zeros((2, 3), bool) if scene.outflow is None else scene.outflow
        self.outflow = Outflow.none(comm, scene.settings) if outflow is None and self._faces.any() else outflow
        self.slabs = Slabs(comm, axis)
        self.rebalance = rebalance
        self.counters = Counters()
        self.control = np.zeros(st.CONTROL, np.int64)
        self.control[st.STEP] = step
        self.tally = np.zeros((st.TALLY, 2), np.int64)
        self._observed_at = -1
        smallest = comm.allreduce(float(grains.x[:, 3].min()) if grains.count else np.inf, MPI.MIN)
        largest = comm.allreduce(float((scene.shapes.core_radius[grains.species] * grains.scale + grains.x[:, 3]).max(initial=0.0)), MPI.MAX)
        period = scene.settings.period
        highest = min([max(smallest, 0.3 * largest), *(0.5 * period[period > 0.0] - 2.0 * largest)])
        self.detector = EdgeDetector(scene.covering, period) if scene.covering else None
        if scene.covering:
            highest = min(highest, scene.covering.skin)
        self.tuner = SkinTuner(min(0.3 * smallest, highest) if skin is None else skin, 0.02 * smallest, highest, skin is None)
        self._least_skin = 0.0
        self._ballot = null_ballot()
        self._channel: HaloChannel | None = None
        self._wall_x0 = np.zeros((len(scene.walls.kind), 5))
        self._rebuilt_at = step
        self._own = Population(**vars(grains))
        self._own.widen(*sum_columns(scene.settings))
        self._work = np.ones(grains.count)
        self._search = Search()
        self._grains: Grains | None = None
        self._pairs: Contacts | None = None
        self._wall_pairs: Contacts | None = None
        place_walls(scene.walls, step, scene.settings.dt)
        self.slabs.place_cuts(grains.x, self._work)
        self._rebuild(contacts or ContactTable.empty(self.width))
        assert self._channel is not None
        # nobody has voted yet on how far the first step may go: make the lists anew in it
        self._channel.halo.agreed[0] = int(comm.size > 1)

    @staticmethod
    def _rehearse(comm: MPI.Comm, scene: Scene) -> None:
        """Let rank 0 compile every kernel on an empty scene, so that the other ranks find them in the cache. Collective."""
        if comm.rank == 0:
            changed = ("there", "motion", "pose", "reaction", "total", "work")
            walls = scene.walls._replace(**{name: getattr(scene.walls, name).copy() for name in changed})
            Engine(MPI.COMM_SELF, replace(scene, walls=walls), Population.empty()).advance(1)
        comm.Barrier()

    # -- what others read ---------------------------------------------------------------------------------------------------------

    @property
    def skin(self) -> float:
        """Extra reach of the lists (m)."""
        return max(self.tuner.skin, self._least_skin)

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
        g, n = self._grains, self._own.count
        assert g is not None
        return Population(g.gid[:n], g.species[:n], g.scale[:n], g.x[:n], g.v[:n], g.w[:n], g.q[:n], g.am[:n], g.ft[:n], g.image[:n], g.past[:n])

    def everyone(self) -> tuple[Population, np.ndarray]:
        """The owned grains, behind them those that left from here; and the step after which each left, -1: it is there."""
        if self.outflow is None:
            return self.grains, np.full(self._own.count, -1)
        return Population.joined([self.grains, self.outflow.gone]), np.concatenate([np.full(self._own.count, -1), self.outflow.left])

    def contacts(self) -> ContactTable:
        """The living contacts that this rank knows, walls included; pairs across slabs are known to both ranks."""
        assert self._grains is not None
        assert self._pairs is not None
        assert self._wall_pairs is not None
        table = ContactTable.empty(self.width, int(np.count_nonzero(self._pairs.touch)) + int(np.count_nonzero(self._wall_pairs.touch)))
        first = living_contacts(self._pairs, self._grains.gid, False, 0, table.key, table.hist, table.warm)
        living_contacts(self._wall_pairs, self._grains.gid, True, first, table.key, table.hist, table.warm)
        return table

    def owned_contacts(self) -> ContactTable:
        """The living contacts whose lower id is owned here: over all ranks each contact once."""
        table = self.contacts()
        return table.take(np.isin(table.key[:, 0], self.grains.gid))

    # -- motion -------------------------------------------------------------------------------------------------------------------

    def advance(self, steps: int, observe: bool = False) -> None:
        """Advance by ``steps`` steps; with ``observe`` the contacts of the last one are tallied. Collective.

        Raises:
            BlowUpError: on every rank alike.
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

    def evaluate(self) -> None:
        """Forces between grains that have not moved yet, observed: the start of a run, whose first kick needs them. Collective.

        Raises:
            BlowUpError: on one rank alone; with several the fault is kept for ``settle_faults``.
        """
        spins = self.grains.w.copy()
        self.tally[st.STORED :] = 0
        self.control[st.PHASE], self.control[st.OBSERVE] = st.DRIFTED, st.RECORDED if self.recorder else st.TALLIED
        self._call(1, self.scene.settings._replace(euler=True))  # the scheme whose step ends without a kick
        self.control[st.OBSERVE] = 0
        self._observed_at = self.step
        self.grains.w[:] = spins  # as given, not as recomputed from the angular momentum
        if self.scene.settings.gear:
            self.grains.past[:] = gear4.begin(self.grains.ft)
        if self.comm.size == 1 and self.control[st.FAULT]:
            diagnose(self.comm, self.control, self.scene)

    def _call(self, steps: int, settings: Settings) -> int:
        """Run the compiled loop; how many steps it finished comes back."""
        scene, channel, pairs, wall_pairs = self.scene, self._channel, self._pairs, self._wall_pairs
        assert channel is not None
        assert pairs is not None
        assert wall_pairs is not None
        recorder = self.recorder if self.control[st.OBSERVE] == st.RECORDED else None
        if recorder:
            pairs, wall_pairs = recorder.with_room(pairs), recorder.with_room(wall_pairs)
        begin = time.perf_counter()
        done = advance(
            steps, self._own.count, self._total, self._grains, scene.shapes, scene.interaction, scene.law, pairs, wall_pairs,
            scene.walls, self._wall_x0, settings, self.skin, channel.halo, self.control, self.tally, self.counters.ticks,
        )  # fmt: skip
        self.counters.loop_seconds += time.perf_counter() - begin
        if recorder and self._grains is not None:
            recorder.keep(self._grains, pairs, wall_pairs)
        self.counters.halo_bytes += done * channel.bytes
        self.counters.halo_messages += done * channel.messages
        return int(done)

    def _run(self, steps: int) -> None:
        scene = self.scene
        while steps > 0:
            chunk = steps
            if self.outflow is not None:
                self._let_out(self.outflow)
                finished = self.step - int(self.control[st.PHASE] == st.DRIFTED)
                chunk = min(steps, EVERY - finished % EVERY)
            done = self._call(chunk, scene.settings)
            self.counters.steps += done
            self.counters.grain_steps += done * self._own.count
            steps -= done
            if self.control[st.STATUS] == st.ERROR or (self.comm.size == 1 and self.control[st.FAULT]):
                diagnose(self.comm, self.control, scene)
            if self.control[st.STATUS] == st.REBUILD:
                contacts = self.contacts()
                self._pairs = self._wall_pairs = None
                self._rebuild(contacts)

    def _let_out(self, outflow: Outflow) -> None:
        """Take out the grains that are beyond an open face, at the steps at which that is looked at. Collective."""
        comm, scene, g, channel, pairs, wall_pairs = self.comm, self.scene, self._grains, self._channel, self._pairs, self._wall_pairs
        if self.step % EVERY or self.control[st.PHASE] != st.AT_END:
            return
        assert g is not None
        assert channel is not None
        assert pairs is not None
        assert wall_pairs is not None
        own = self.grains
        goes = outside(own.x, self._faces, scene.settings)
        count = int(comm.allreduce(np.count_nonzero(goes)))
        if not count:
            return
        carried = 0
        if scene.settings.budget:
            start_halo(channel.halo, g)
            finish_halo(channel.halo, g, own.count)  # ghosts had the velocities of the half-step
            leaving = np.concatenate(comm.allgather(own.gid[goes]))
            carried = carried_energy(comm, leaving, own.count, g, pairs, wall_pairs, scene)
        contacts = self.contacts()
        outflow.add(own.take(goes), self.step, count, carried)
        self._own = own.take(~goes)
        self._grains = self._pairs = self._wall_pairs = None
        self._rebuild(contacts)
        if comm.size > 1:  # nobody has voted on these lists yet
            wish = must_rebuild(
                self._own.count, self._grains, scene.shapes, scene.walls, self._wall_x0, scene.settings, self.skin, MARGIN, self.control
            )
            assert self._channel is not None
            self._channel.halo.agreed[0] = comm.allreduce(int(wish), MPI.MAX)

    def settle_faults(self) -> None:
        """Raise on every rank if any rank met a fault in the steps so far. Collective; call before results are trusted."""
        if self.comm.allreduce(int(self.control[st.FAULT]), MPI.MAX):
            diagnose(self.comm, self.control, self.scene)

    def wall_moved(self) -> None:
        """A wall's motion was changed: make its list anew at the next step."""
        self._wall_x0[:, 3] = -1.0

    # -- lists --------------------------------------------------------------------------------------------------------------------

    def _rebuild(self, contacts: ContactTable) -> None:
        """Migrate, balance, sort, choose ghosts, list pairs and give them their history back. Collective."""
        begin = time.perf_counter()
        scene = self.scene
        own = self.grains if self._grains is not None else self._own
        self._refuse_lost(own)
        self._tune(own)
        self._least_skin = least_skin(self.comm, scene, own)
        own, contacts = self.slabs.migrate(own, contacts)
        self._grains = None  # the old arrays go as the new ones come: lists are the largest part of a rank's memory
        self._own = own
        reach = scene.shapes.core_radius[own.species] * own.scale + own.x[:, 3]
        edge = 2.0 * float(reach.mean()) if own.count else 1.0
        own.arrange(spatial_order(own.count, own.x, edge))
        everything = self._with_ghosts(own)
        assert self._grains is not None
        self._search.room.tests[0] = 0
        self._pairs = list_pairs(
            own.count, everything.count, self._grains, scene, self.skin, contacts, self.width, self.counters.candidates, self.detector, self._search
        )
        self.counters.candidates = len(self._pairs.col)
        place_walls(scene.walls, self.step, scene.settings.dt)
        turn_bodies(scene.walls, self._grains, scene.shapes)
        self._wall_pairs = list_wall_pairs(own.count, self._grains, scene, self.skin, contacts, self.width, self.step, self._wall_x0, self._search)
        self._work = work_by_grain(self._pairs, self._wall_pairs, own.count, self._grains, scene)
        self._rebuilt_at = self.step
        self.counters.rebuilds += 1
        self.counters.detection_seconds += time.perf_counter() - begin

    def _refuse_lost(self, own: Population) -> None:
        """Raise on every rank if a grain left the domain other than through a periodic or open face. Collective."""
        settings = self.scene.settings
        lost = np.flatnonzero(outside(own.x, ~self._faces, settings) & ~outside(own.x, self._faces, settings))
        if self.comm.allreduce(len(lost), MPI.MAX):
            if len(lost) and not self.control[st.FAULT]:
                self.control[st.FAULT], self.control[st.FAULT_A] = st.ERROR_LEFT, own.gid[lost[0]]
            diagnose(self.comm, self.control, self.scene)

    def _tune(self, own: Population) -> None:
        """Adapt the skin to how long the last lists held, and the cuts to the counted work; both are alike on all ranks. Collective."""
        held = self.step - self._rebuilt_at
        if self._grains is None:
            return
        if self.tuner.adapt:
            counts = np.array([int(self._work.sum()), own.count, self.counters.candidates, self._search.room.tests[0]])
            self.comm.Allreduce(MPI.IN_PLACE, counts, MPI.SUM)
            self.tuner.note(held, float(counts[0]), work_of_rebuild(self.comm.size, *(int(c) for c in counts[1:])))
        if self.comm.size > 1 and self.rebalance and self.counters.rebuilds % REBALANCE_EVERY == 1:
            self.slabs.balance(own.x, self._work)

    def _with_ghosts(self, own: Population) -> Population:
        """The owned grains followed by the ghosts that they may meet; renews the halo. Collective."""
        comm, scene = self.comm, self.scene
        spheres = bool((scene.shapes.kind == 1).all())
        g = place_grains(own, scene)
        extent, radius = np.empty((own.count, 3)), np.empty(own.count)
        oriented_extents(0, own.count, g, extent, radius)
        everything = own
        if self._channel is not None:
            self._channel.free()
        if comm.size > 1:
            plan = plan_ghosts(comm, self.slabs.axis, own.x, extent, self.skin, float(scene.settings.period[self.slabs.axis]))
            ghosts, arriving = fetch_ghosts(comm, plan, own)
            everything = Population.joined([own, ghosts])
        else:
            plan, arriving = plan_ghosts(comm, 0, own.x[:0], extent[:0], 0.0, 0.0), np.zeros(1, np.int64)
        self._channel = HaloChannel(comm, plan, arriving, spheres, self._ballot)
        self._total, self._grains = everything.count, place_grains(everything, scene)
        return everything
