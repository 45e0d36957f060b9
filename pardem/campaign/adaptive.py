"""The next value of an adaptive axis: where the outcome of a trial is expected to tell most about the threshold.

The probability of the outcome 1 at x is taken as 1/(1 + exp(-(x - m)/s)). What is known of the threshold m and the width s is a distribution on a
grid, uniform in m and in log |s| before the first trial, over both signs of s. The next value is the one that leaves the smallest expected variance
of m.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .study import Adaptive

PLACES, WIDTHS, CANDIDATES = 121, 15, 61
NARROWEST, WIDEST = 0.003, 0.5  # width over the length of the interval


@lru_cache(maxsize=1 << 20)
def next_value(plan: Adaptive, trial: int, known: tuple[tuple[float, float], ...]) -> float:
    """Choose the value of a trial.

    Args:
        plan: plan of the axis.
        trial: its number, from 0.
        known: value and outcome (0 or 1) of the trials before it that count.

    Returns:
        The value; a function of the arguments alone.
    """
    random = np.random.Generator(np.random.Philox(key=[plan.seed, trial]))
    length = plan.upper - plan.lower
    if not known:  # spread over the interval, one in each part of it
        part = (trial % plan.ahead + random.random()) / plan.ahead
        return float(plan.lower + part * length)
    place, width = _grid()
    weight = np.full(place.shape, 1.0 / place.size)
    for x, outcome in known:
        chance = _chance((x - plan.lower) / length, place, width)
        weight = weight * np.where(outcome > 0.5, chance, 1.0 - chance)
        weight /= weight.sum()
    candidates = (np.arange(CANDIDATES) + 0.5) / CANDIDATES
    left = [_variance_after(c, place, width, weight) for c in candidates]
    best = candidates[int(np.argmin(left))] + (random.random() - 0.5) / CANDIDATES
    return float(plan.lower + best * length)


def _grid() -> tuple[np.ndarray, np.ndarray]:
    """Thresholds and widths, in parts of the interval."""
    sizes = np.geomspace(NARROWEST, WIDEST, WIDTHS)
    place, width = np.meshgrid((np.arange(PLACES) + 0.5) / PLACES, np.concatenate([-sizes, sizes]), indexing="ij")
    return place.ravel(), width.ravel()


def _chance(x: float, place: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Probability of the outcome 1 at ``x``."""
    out: np.ndarray = 1.0 / (1.0 + np.exp(np.clip((place - x) / width, -500.0, 500.0)))
    return np.clip(out, 1e-6, 1.0 - 1e-6)


def _variance_after(x: float, place: np.ndarray, width: np.ndarray, weight: np.ndarray) -> float:
    """Variance of the threshold that is expected after a trial at ``x``."""
    chance, left = _chance(x, place, width), 0.0
    for outcome in (chance, 1.0 - chance):
        joint = weight * outcome
        total = joint.sum()
        mean = (joint * place).sum() / total
        left += (joint * (place - mean) ** 2).sum()
    return float(left)
