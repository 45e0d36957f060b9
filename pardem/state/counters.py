"""What a rank counts for reports; nothing in a trajectory depends on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compiled.clock import TICKS


@dataclass
class Counters:
    """Counts of a rank since the start.

    Attributes:
        steps: steps.
        grain_steps: sum over the steps of the number of owned grains.
        rebuilds: rebuilds of the lists.
        candidates: candidate pairs in the present list.
        detection_seconds: wall time spent in rebuilds (s).
        loop_seconds: wall time spent in the compiled loop (s).
        returns: how often steps were repeated, because lists had been stale.
        halo_bytes: bytes sent to other ranks in steps.
        halo_messages: messages sent to other ranks in steps.
        ticks: (TICKS,) int64 processor cycles by phase of the step.
    """

    steps: int = 0
    grain_steps: int = 0
    rebuilds: int = 0
    candidates: int = 0
    detection_seconds: float = 0.0
    loop_seconds: float = 0.0
    returns: int = 0
    halo_bytes: int = 0
    halo_messages: int = 0
    ticks: np.ndarray = field(default_factory=lambda: np.zeros(TICKS, np.int64))
