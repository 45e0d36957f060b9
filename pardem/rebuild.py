"""Making the lists of a rank anew: grains migrate, the work is balanced, ghosts are chosen, candidates are found and get their history back."""

from __future__ import annotations

import time

import numpy as np

from .contacts.dispatch import history_width
from .decomposition.agreement import sums_and_maxima
from .decomposition.ghosts import GhostPlan, HaloChannel, fetch_ghosts, moving_numbers, no_ghosts, plan_ghosts
from .decomposition.migration import migrate
from .decomposition.partition import Partition
from .detection.bounds import bounded_grains
from .detection.counted_work import costs_of, work_by_grain, work_of_rebuild
from .detection.linked_cells import spatial_order
from .detection.needed_vertices import with_needed_vertices
from .detection.rank_lists import RankLists
from .detection.skin import core_reach, fastest_point, least_skin, note_fast, skin_tuner
from .integrators.phases import follows
from .outflow import clearances, nearest_open_face, note_lost
from .setup.scene import Scene
from .stale import steps_left, walls_left
from .state import arrays as st
from .state.arrays import Grains
from .state.counters import Counters
from .state.diagnosis import diagnose
from .state.placing import place_grains
from .state.population import ContactTable, Population
from .step import RankState
from .walls.motion.driven import place_walls
from .walls.surfaces.bodies import turn_bodies

REBALANCE_EVERY = 20  # rebuilds
SORT_EVERY = 4  # rebuilds, in each of which a grain moves by half the skin at most; rows that are new are sorted at once


class Rebuilder:
    """Makes the state of a rank between two rebuilds, and holds what outlives one: skin, halo requests, what the last search found.

    Attributes:
        channel: the halo's buffers and requests.
        made_from: on several ranks, the grains and contacts that the lists were made from.
        may_leave: whether a grain of any rank may reach an open face of the domain before the lists are made anew.

    Args:
        partition: partition of the domain among the ranks.
        scene: constants of the run.
        grains: that this rank starts with.
        skin: extra reach of the lists (m), or None for one that is chosen and adapted.
        counters: counters of this rank.
    """

    def __init__(self, partition: Partition, scene: Scene, grains: Population, skin: float | None, counters: Counters) -> None:
        self.partition, self.comm, self.scene, self.counters = partition, partition.comm, scene, counters
        self.width = history_width(scene.interaction, scene.law, scene.settings)
        self.tuner = skin_tuner(self.comm, scene, grains, skin)
        self.lists = RankLists(scene, self.width)
        self.wall_places = np.zeros((len(scene.walls.kind), 5))
        self._state: RankState | None = None
        self.channel = self.channel_for(no_ghosts(self.comm))
        self.made_from: tuple[Population, ContactTable] | None = None
        self.may_leave = scene.outflow is not None
        self._costs, self._reach = costs_of(scene), core_reach(scene)
        self._work = np.ones(grains.count)
        self._fastest, self._least_skin = 0.0, 0.0
        self._rebuilt_at = 0
        partition.divide(grains.x, self.radii(grains), self._work)

    @property
    def state(self) -> RankState:
        """What the rank works on until the next rebuild."""
        assert self._state is not None
        return self._state

    @property
    def skin(self) -> float:
        """Extra reach of the lists (m)."""
        return max(self.tuner.skin, self._least_skin)

    def radii(self, grains: Population) -> np.ndarray:
        """Bounding radii of grains.

        Args:
            grains: any number of grains.

        Returns:
            (n,) float64 (m).
        """
        return np.asarray(self.scene.shapes.core_radius[grains.species] * grains.scale + grains.x[:, 3])

    def drop(self) -> None:
        """Let go of a state whose grains are no longer those that its lists were made for."""
        self._state = self.made_from = None

    def rebuild(self, own: Population, contacts: ContactTable, control: np.ndarray) -> bool:
        """Migrate, balance, sort, choose ghosts, list pairs and give them their history back. Collective.

        Args:
            own: grains of this rank; changed.
            contacts: living contacts that this rank knows, by key.
            control: (CONTROL,) int64 of this rank, in which it is noted for how long the lists hold.

        Returns:
            Whether the state was sound; if lists were stale on some rank, nothing has been done.

        Raises:
            BlowUpError: something went wrong in a step, or a grain has left the domain; on every rank.
        """
        begin = time.perf_counter()
        scene, step = self.scene, int(control[st.STEP])
        if not self._agree(own, control):
            return False
        new = self._state is None
        self._state = self.made_from = None  # the old arrays go as the new ones come: lists are the largest part of a rank's memory
        self.lists.let_go(contacts)
        own, contacts = migrate(self.partition, own, contacts)
        if new or self.counters.rebuilds % SORT_EVERY == 0:
            edge = 2.0 * float(self.radii(own).mean()) if own.count else 1.0
            own.arrange(spatial_order(own.count, own.x, edge))
        owned, (total, g) = own.count, self._with_ghosts(own)
        if self.comm.size > 1:
            self.made_from = own, contacts
        del own
        self.lists.search.reset()
        pairs = self.lists.list_pairs(owned, total, g, self.skin, contacts, self.counters.candidates)
        self.counters.candidates = len(pairs.col)
        place_walls(scene.walls, step, scene.settings.dt)
        if scene.bodies.count:
            turn_bodies(scene.walls, g, scene.shapes)
        wall_pairs = self.lists.list_wall_pairs(owned, g, self.skin, contacts, step, self.wall_places)
        g = with_needed_vertices(g, pairs, wall_pairs, scene)
        self._work = work_by_grain(pairs, wall_pairs, owned, g, self._costs)
        way = self._fastest * scene.settings.dt
        spare = np.array([0.5 * self.skin, way, way, step, 0.0, 0.0])
        self._state = RankState(owned, total, g, pairs, wall_pairs, self.wall_places, self.skin, spare, self.channel.halo)
        self._note_age(control, step)
        self.counters.rebuilds += 1
        self.counters.detection_seconds += time.perf_counter() - begin
        return True

    def _note_age(self, control: np.ndarray, step: int) -> None:
        """Note when the lists were made, and until when they hold on all ranks if the fastest grain becomes no faster."""
        scene, places = self.scene, self.wall_places
        self._rebuilt_at = control[st.KNOWN] = step
        way, steps = self._fastest * scene.settings.dt, int(walls_left(scene.walls, scene.settings, places, step))
        control[st.HOLDS] = step + 1 + min(steps, int(steps_left(0.5 * self.skin, way, 0.0, scene.settings)))
        if step > control[st.CLOSELY]:
            control[st.CLOSELY] = 0

    def _agree(self, own: Population, control: np.ndarray) -> bool:
        """With one message: whether the state is sound, the skin, and how equal the work is; the partition is balanced by it. Collective."""
        counters, work, left = self.counters, float(self._work.sum()), clearances(own, self.scene.settings)
        note_lost(self.scene, own, left, control)
        quickest = fastest_point(own, self._reach)
        note_fast(self.scene, own, self._reach, quickest, control)
        fault = int(control[st.FAULT_STEP]) if control[st.FAULT] else st.NEVER
        late = int(control[st.LATE]) or st.NEVER
        counts = int(work), own.count, counters.candidates, self.lists.search.tests
        values = quickest, work, -nearest_open_face(self.scene, left), -float(fault), -float(late)
        (total, *tested), (fastest, largest, beyond, *ends) = sums_and_maxima(self.comm, counts, values)
        fault, late = (-int(end) for end in ends)
        if late != st.NEVER and late <= fault:
            return False
        if fault != st.NEVER:
            diagnose(self.comm, control, self.scene)
        self._fastest, self._least_skin = fastest, least_skin(self.scene, fastest)
        if self._state is not None:
            if self.tuner.adapt:
                self.tuner.note(int(control[st.STEP]) - self._rebuilt_at, float(total), work_of_rebuild(self.comm.size, *tested))
            if counters.rebuilds % REBALANCE_EVERY == 1:
                self.partition.balance(own.x, self.radii(own), self._work, largest * self.comm.size / max(1, total))
        self.may_leave = -beyond <= self.skin  # with these lists a grain moves by no more than half of it
        return True

    def channel_for(self, plan: GhostPlan) -> HaloChannel:
        """Make the halo for a choice of ghosts.

        Args:
            plan: what is sent to which rank.
        """
        scene = self.scene
        spheres = bool((scene.shapes.kind == 1).all())
        following = follows(scene.integrator, spheres)
        moves = moving_numbers(spheres, following, scene.settings.planar)
        return HaloChannel(plan, moves, following, scene.walls.reaction.size if scene.settings.servo else 0)

    def _with_ghosts(self, own: Population) -> tuple[int, Grains]:
        """The owned grains followed by the ghosts that they may meet, and how many these are together; renews the halo. Collective."""
        scene = self.scene
        g = place_grains(own, scene)
        if self.comm.size == 1:
            return own.count, g  # the channel of the start, without ghosts, serves for good
        extent = bounded_grains(own.count, own.count, g).extent[: own.count]
        del g
        self.channel.free()
        plan = plan_ghosts(self.comm, own.x, extent, self.skin, scene.settings.period)
        self.channel = self.channel_for(plan)
        everything = Population.joined([own, fetch_ghosts(plan, own)])
        return everything.count, place_grains(everything, scene)
