"""What a rank counts for reports; nothing in a trajectory depends on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compiled.clock import TICKS


@dataclass
class Counters:
    """What a rank counted since the start."""

    steps: int = 0
    grain_steps: int = 0
    rebuilds: int = 0
    candidates: int = 0
    detection_seconds: float = 0.0
    loop_seconds: float = 0.0
    halo_bytes: int = 0
    halo_messages: int = 0
    ticks: np.ndarray = field(default_factory=lambda: np.zeros(TICKS, np.int64))
