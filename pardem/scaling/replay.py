"""The steps of virtual ranks replayed: who computes, sends and waits when, by a LogGP model in which the ranks of a node share a network card."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .machine import Machine
from .virtual_ranks import VirtualRanks

TOLD = 60  # bytes that each rank tells every other one at a rebuild
CONSTANTS = 148  # bytes of a ghost that travel at a rebuild
STEPS = 12  # that are replayed, at most, of those between two rebuilds
COLLECTIVES = 6  # sums and announcements at a rebuild
VOTE = 4  # steps from one vote to the next, before which its result is read


class RankCosts(NamedTuple):
    """What a rank's own work costs, on a core alone.

    Attributes:
        grain: an owned grain in a step, with its contacts (s).
        motion: the part of it before messages are sent (s).
        pair: a candidate pair (s).
        ghost: a ghost in a step, packed, unpacked and placed (s).
        step: a step, however few the grains (s).
        rebuild: a rebuild, however few the grains (s).
        rebuild_grain: an owned grain at a rebuild (s).
        rebuild_ghost: a ghost at a rebuild (s).
        interval: steps from one rebuild to the next.
        bytes: that a step reads and writes, an owned grain or ghost.
    """

    grain: float
    motion: float
    pair: float
    ghost: float
    step: float
    rebuild: float
    rebuild_grain: float
    rebuild_ghost: float
    interval: int
    bytes: float


def alone(grains: int, costs: RankCosts) -> float:
    """Time of a step on one core alone.

    Args:
        grains: number of grains.
        costs: what they cost.

    Returns:
        The time (s), rebuilds included.
    """
    return grains * costs.grain + costs.step + (costs.rebuild + grains * costs.rebuild_grain) / costs.interval


def efficiency(ranks: VirtualRanks, costs: RankCosts, machine: Machine, seed: int = 1) -> float:
    """Efficiency of some ranks: the time of a step on one core alone over the time on all of them together.

    Args:
        ranks: what they own and send.
        costs: what their own work costs.
        machine: what messages and disturbances cost.
        seed: of the disturbances.
    """
    return alone(int(ranks.owned.sum()), costs) / (ranks.ranks * replay(ranks, costs, machine, seed))


def replay(ranks: VirtualRanks, costs: RankCosts, machine: Machine, seed: int = 1) -> float:
    """Replay steps between two rebuilds, and a rebuild.

    In each step a rank moves its grains, sends, evaluates contacts without ghosts, waits for its messages, and evaluates the others. In every VOTE-th
    step it waits for the vote that began VOTE steps before, and begins another one as it sends.

    Args:
        ranks: what they own and send.
        costs: what their own work costs.
        machine: what messages and disturbances cost.
        seed: of the disturbances.

    Returns:
        Mean time of a step (s).
    """
    rng = np.random.default_rng(seed)
    count = ranks.ranks
    if count == 1:  # the core on which the costs were measured was disturbed as well
        machine = machine._replace(detours=0.0, unevenness=0.0, memory=np.inf)
    owned, ghosts, sent = ranks.owned.astype(float), ranks.ghosts.astype(float), ranks.sent.astype(float)
    wire = _Wire(ranks, machine)
    crossing = (0.0 if np.isnan(ranks.crossing) else ranks.crossing) * ghosts
    pace = np.maximum(0.5, 1.0 + machine.unevenness * rng.standard_normal(count)) if machine.unevenness else np.ones(count)
    work = owned * costs.grain + 0.5 * crossing * costs.pair + ghosts * costs.ghost + costs.step
    pace = pace * _starved(costs.bytes * (owned + ghosts), work, count, machine)
    move = pace * (owned * costs.motion + costs.step)
    pack, unpack = pace * 0.5 * costs.ghost * sent, pace * 0.5 * costs.ghost * ghosts
    inner = pace * np.maximum(0.0, owned * (costs.grain - costs.motion) - 0.5 * crossing * costs.pair)
    border = pace * (owned * (costs.grain - costs.motion) + 0.5 * crossing * costs.pair) - inner
    calls = np.bincount(ranks.source, minlength=count), np.bincount(ranks.target, minlength=count)
    levels = float(np.ceil(np.log2(count))) if count > 1 else 0.0
    now, voted = np.zeros(count), 0.0
    steps = min(STEPS, costs.interval)
    for step in range(steps):
        votes = step % VOTE == 0
        delay = _detours(rng, move + inner + border, machine)
        ready = np.maximum(now + move, voted if votes else 0.0) + pack + machine.overhead * calls[0]
        computed = ready + inner + delay
        received = np.maximum(computed, wire.arrivals(ready, computed)) + machine.overhead * calls[1] + unpack
        # without progress of its own the vote proceeds only where ranks wait for their ghosts
        if votes and count > 1:
            voted = float(machine.progress * ready.max() + (1.0 - machine.progress) * received.max()) + machine.reduction * levels
        now = received + border
    rebuild = pace * (costs.rebuild + owned * costs.rebuild_grain + ghosts * costs.rebuild_ghost)
    end = max(float(now.max()), voted) * costs.interval / steps + float(rebuild.max())
    if count > 1:
        end += COLLECTIVES * machine.reduction * levels + TOLD * count * machine.local_byte
        end += CONSTANTS * float(ghosts.max()) * machine.byte * min(machine.node, count) + 2.0 * machine.overhead * float(calls[1].max())
    return end / costs.interval


class _Wire:
    """The messages of a step on their way."""

    def __init__(self, ranks: VirtualRanks, machine: Machine) -> None:
        self._ranks, self._machine = ranks, machine
        self._from, self._to = ranks.source // machine.node, ranks.target // machine.node
        self._away = np.flatnonzero(self._from != self._to)
        size = (ranks.rows * ranks.bytes_per_ghost).astype(float)
        self._service = np.maximum(machine.gap, size * machine.byte)[self._away]
        self._travel = machine.local_latency + size * machine.local_byte
        self._long = size > machine.eager

    def arrivals(self, ready: np.ndarray, computed: np.ndarray) -> np.ndarray:
        """When the last message of each rank arrives.

        Args:
            ready: (P,) when each rank has sent its messages (s).
            computed: (P,) when each rank begins to wait for its own (s).

        Returns:
            (P,) times (s); minus infinity where nothing is received.
        """
        machine, source, target = self._machine, self._ranks.source, self._ranks.target
        start = ready[source]
        if self._long.any():
            late = (1.0 - machine.progress) * np.maximum(0.0, computed[target] - start) + 2.0 * machine.latency
            start = start + np.where(self._long, late, 0.0)
        arrival = start + self._travel
        away = self._away
        if len(away):
            left = queued(self._from[away], start[away], self._service)
            arrival[away] = queued(self._to[away], left + machine.latency - self._service, self._service)
        last = np.full(self._ranks.ranks, -np.inf)
        np.maximum.at(last, target, arrival)
        return last


def queued(card: np.ndarray, ready: np.ndarray, service: np.ndarray) -> np.ndarray:
    """Find when each message has passed its card, which takes them one after the other in the order in which they are ready.

    Args:
        card: (n,) int64 card of each message.
        ready: (n,) float64 when each is ready (s).
        service: (n,) float64 how long the card is busy with each (s).

    Returns:
        (n,) float64 times (s).
    """
    order = np.lexsort((ready, card))
    ready, service, card = ready[order], service[order], card[order]
    before = np.cumsum(service) - service
    # the time at which a card would have had to begin without a pause; cards are kept apart by a shift that grows with their number
    shift = card * (2.0 * (np.ptp(ready) + service.sum()) + 1.0)
    begin = np.maximum.accumulate(ready - before + shift) - shift
    done = np.empty(len(order))
    done[order] = begin + before + service
    return done


def _detours(rng: np.random.Generator, busy: np.ndarray, machine: Machine) -> np.ndarray:
    """Time that the system takes away from each rank in a step."""
    if machine.detours == 0.0 or machine.detour == 0.0:
        return np.zeros(len(busy))
    return machine.detour * rng.poisson(machine.detours / machine.detour * busy)


def _starved(size: np.ndarray, work: np.ndarray, count: int, machine: Machine) -> np.ndarray:
    """By how much the shared memory slows down each rank: nothing as long as its arrays fit into the cache, all of it from twice that size on."""
    if not np.isfinite(machine.memory):
        return np.ones(len(size))
    traffic = size * np.clip(size / machine.cache - 1.0, 0.0, 1.0)
    return np.maximum(1.0, traffic * min(machine.node, count) / machine.memory / np.maximum(work, 1e-300))
