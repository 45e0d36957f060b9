"""Making the lists of a rank anew: grains migrate, the work is balanced, ghosts are chosen, candidates are found and get their history back."""

from __future__ import annotations

import time

import numpy as np
from mpi4py import MPI

from .contacts.dispatch import history_width
from .decomposition.ghosts import HaloChannel, fetch_ghosts, null_ballot, plan_ghosts
from .decomposition.migration import migrate
from .decomposition.partition import Partition
from .detection.bounds import bounded_grains
from .detection.counted_work import work_by_grain, work_of_rebuild
from .detection.linked_cells import spatial_order
from .detection.rank_lists import RankLists
from .detection.skin import least_skin, skin_tuner
from .outflow import refuse_lost
from .setup.scene import Scene
from .state import arrays as st
from .state.arrays import Grains
from .state.counters import Counters
from .state.placing import place_grains
from .state.population import ContactTable, Population
from .step import RankState
from .walls.motion.driven import place_walls
from .walls.surfaces.bodies import turn_bodies

REBALANCE_EVERY = 20  # rebuilds


class Rebuilder:
    """Makes the state of a rank between two rebuilds, and holds what outlives one: skin, halo requests, what the last search found.

    Args:
        partition: of the domain among the ranks.
        scene: constants of the run.
        grains: that this rank starts with.
        skin: extra reach of the lists (m); None: chosen and adapted.
        counters: of this rank.
    """

    def __init__(self, partition: Partition, scene: Scene, grains: Population, skin: float | None, counters: Counters) -> None:
        self.partition, self.comm, self.scene, self.counters = partition, partition.comm, scene, counters
        self.width = history_width(scene.interaction, scene.law, scene.settings)
        self.tuner = skin_tuner(self.comm, scene, grains, skin)
        self.lists = RankLists(scene, self.width)
        self.wall_places = np.zeros((len(scene.walls.kind), 5))
        self._state: RankState | None = None
        self._channel: HaloChannel | None = None
        self._ballot = null_ballot()
        self._work = np.ones(grains.count)
        self._least_skin = 0.0
        self._rebuilt_at = 0
        partition.divide(grains.x, self._work)

    @property
    def state(self) -> RankState:
        """What the rank works on until the next rebuild."""
        assert self._state is not None
        return self._state

    @property
    def channel(self) -> HaloChannel:
        """The halo's buffers and requests."""
        assert self._channel is not None
        return self._channel

    @property
    def skin(self) -> float:
        """Extra reach of the lists (m)."""
        return max(self.tuner.skin, self._least_skin)

    def drop(self) -> None:
        """Let go of a state whose grains are no longer those that its lists were made for."""
        self._state = None

    def rebuild(self, own: Population, contacts: ContactTable, control: np.ndarray) -> None:
        """Migrate, balance, sort, choose ghosts, list pairs and give them their history back. Collective.

        Args:
            own: grains of this rank; changed.
            contacts: living contacts that this rank knows, by key.
            control: (CONTROL,) int64 of this rank.

        Raises:
            BlowUpError: a grain has left the domain; on every rank.
        """
        begin = time.perf_counter()
        scene, step = self.scene, int(control[st.STEP])
        refuse_lost(self.comm, scene, own, control)
        self._tune(own, step)
        self._least_skin = least_skin(self.comm, scene, own)
        own, contacts = migrate(self.partition, own, contacts)
        self._state = None  # the old arrays go as the new ones come: lists are the largest part of a rank's memory
        reach = scene.shapes.core_radius[own.species] * own.scale + own.x[:, 3]
        edge = 2.0 * float(reach.mean()) if own.count else 1.0
        own.arrange(spatial_order(own.count, own.x, edge))
        owned, (total, g) = own.count, self._with_ghosts(own)
        del own
        self.lists.search.reset()
        pairs = self.lists.list_pairs(owned, total, g, self.skin, contacts, self.counters.candidates)
        self.counters.candidates = len(pairs.col)
        place_walls(scene.walls, step, scene.settings.dt)
        turn_bodies(scene.walls, g, scene.shapes)
        wall_pairs = self.lists.list_wall_pairs(owned, g, self.skin, contacts, step, self.wall_places)
        self._work = work_by_grain(pairs, wall_pairs, owned, g, scene)
        self._state = RankState(owned, total, g, pairs, wall_pairs, self.wall_places, self.skin, self.channel.halo)
        self._rebuilt_at = step
        self.counters.rebuilds += 1
        self.counters.detection_seconds += time.perf_counter() - begin

    def _tune(self, own: Population, step: int) -> None:
        """Adapt the skin to how long the last lists held, and the partition to the counted work; both are alike on all ranks. Collective."""
        if self._state is None:
            return
        if self.tuner.adapt:
            counts = np.array([int(self._work.sum()), own.count, self.counters.candidates, self.lists.search.tests])
            self.comm.Allreduce(MPI.IN_PLACE, counts, MPI.SUM)
            self.tuner.note(step - self._rebuilt_at, float(counts[0]), work_of_rebuild(self.comm.size, *(int(c) for c in counts[1:])))
        if self.counters.rebuilds % REBALANCE_EVERY == 1:
            self.partition.balance(own.x, self._work)

    def _with_ghosts(self, own: Population) -> tuple[int, Grains]:
        """The owned grains followed by the ghosts that they may meet, and how many these are together; renews the halo. Collective."""
        scene = self.scene
        extent = bounded_grains(own.count, own.count, place_grains(own, scene)).extent
        if self._channel is not None:
            self._channel.free()
        plan = plan_ghosts(self.partition, own.x, extent, self.skin, scene.settings.period)
        everything = own if self.comm.size == 1 else Population.joined([own, fetch_ghosts(plan, own)])
        self._channel = HaloChannel(plan, bool((scene.shapes.kind == 1).all()), self._ballot)
        return everything.count, place_grains(everything, scene)
