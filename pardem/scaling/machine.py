"""The machine of a prediction: what messages, memory and disturbances cost there, with the range within which each of these numbers may lie.

Cores, caches, memory channels and network cards are those of LUMI-C, as its documentation gives them: two AMD EPYC 7763 a node, 128 cores, 32 MiB of
level-3 cache for 8 cores, 204.8 GB/s of memory bandwidth a socket at most, one card of 200 Gb/s. Latencies, overheads and disturbances are assumed,
with ranges around what is reported of such networks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Machine(NamedTuple):
    """A cluster in the terms of the LogGP model, and more.

    Attributes:
        node: ranks on a node, which share its memory and its network card.
        latency: of a message to another node (s).
        local_latency: of a message within a node (s).
        overhead: processor time to send or to receive a message (s).
        gap: least time between two messages on a card (s).
        byte: time of a byte on a card (s).
        local_byte: time of a byte between two ranks of a node (s).
        reduction: time of a level of an all-reduce (s).
        eager: length up to which a message travels without its receiver (B).
        progress: share of communication that proceeds while ranks compute (1).
        detours: share of the time that the system takes away (1).
        detour: how long it does at a time (s).
        unevenness: standard deviation of the speed of the cores (1).
        memory: bandwidth of the memory of a node (B/s).
        cache: of a core (B).
    """

    node: int = 128
    latency: float = 0.0
    local_latency: float = 0.0
    overhead: float = 0.0
    gap: float = 0.0
    byte: float = 0.0
    local_byte: float = 0.0
    reduction: float = 0.0
    eager: float = np.inf
    progress: float = 1.0
    detours: float = 0.0
    detour: float = 0.0
    unevenness: float = 0.0
    memory: float = np.inf
    cache: float = 0.0


RANGES: dict[str, tuple[float, float, float]] = {
    "latency": (1.5e-6, 2.0e-6, 3.5e-6),
    "local_latency": (0.3e-6, 0.5e-6, 1.0e-6),
    "overhead": (0.2e-6, 0.4e-6, 0.8e-6),
    "gap": (5e-9, 2e-8, 1e-7),
    "byte": (1 / 25e9, 1 / 22e9, 1 / 12e9),
    "local_byte": (1 / 10e9, 1 / 6e9, 1 / 2e9),
    "reduction": (1.0e-6, 2.0e-6, 4.0e-6),
    "eager": (65536.0, 16384.0, 8192.0),
    "progress": (1.0, 0.5, 0.0),
    "detours": (1e-4, 1e-3, 5e-3),
    "detour": (5e-6, 1e-5, 5e-5),
    "unevenness": (0.002, 0.01, 0.03),
}
"""Of each number: favourable, typical, adverse."""
NODE_MEMORY, CORE_CACHE = 350e9, 4 * 2.0**20
"""What a node of LUMI-C reaches of its 410 GB/s when all cores stream (B/s, assumed), and the cache of a core (B)."""


def typical(limited: bool = False) -> Machine:
    """Make the machine with the typical value of each number.

    Args:
        limited: whether cores share the bandwidth of the memory.
    """
    machine = _machine({name: values[1] for name, values in RANGES.items()})
    return machine._replace(memory=NODE_MEMORY, cache=CORE_CACHE) if limited else machine


def drawn(count: int, seed: int = 1) -> list[Machine]:
    """Make machines whose numbers are spread over their ranges, by a Latin hypercube.

    Args:
        count: number of machines.
        seed: of the hypercube.

    Returns:
        The machines.
    """
    from scipy.stats import qmc

    rows = qmc.LatinHypercube(len(RANGES), seed=seed).random(count)
    return [_machine({name: _between(*values, at) for (name, values), at in zip(RANGES.items(), row, strict=True)}) for row in rows]


def _machine(values: dict[str, float]) -> Machine:
    return Machine(**values)  # type: ignore[arg-type]


def _between(favourable: float, middle: float, adverse: float, at: float) -> float:
    """A value between two ends, geometric but for shares that may be zero; its median is the typical one."""
    low, high, part = (favourable, middle, 2.0 * at) if at < 0.5 else (middle, adverse, 2.0 * at - 1.0)
    return low * (high / low) ** part if min(low, high) > 0.0 else low + part * (high - low)
