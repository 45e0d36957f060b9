"""Few balls that hold all patches: a greedy cover, pruned, two balls exchanged for one wherever that does, radii then made small."""

from __future__ import annotations

import numpy as np

CHUNK = 64
FEW = 40  # balls: among more, exchanging two for one takes long and gains little
ROUNDING = 1e-6  # more than that of single precision


class Candidates:
    """Centres and the patches that balls around them must hold.

    Args:
        centres: (M, 3).
        patches: (N, k, 3) arrays of points whose hull holds a patch.

    Attributes:
        need: (M, N) float32 square of the radius with which a ball about each centre holds each patch, rounded upwards (m^2).
    """

    def __init__(self, centres: np.ndarray, patches: list[np.ndarray]) -> None:
        self.centres = centres
        size = max(float(np.abs(p).max()) for p in patches) + float(np.abs(centres).max())
        self.need = np.empty((len(centres), sum(len(p) for p in patches)), np.float32)
        last = 0
        for part in patches:
            flat, first, last = part.reshape(-1, 3), last, last + len(part)
            square = (flat * flat).sum(axis=1)
            for k in range(0, len(centres), CHUNK):
                c = centres[k : k + CHUNK]
                distance = square - 2.0 * c @ flat.T + (c * c).sum(axis=1)[:, None]
                self.need[k : k + CHUNK, first:last] = distance.reshape(len(c), len(part), -1).max(axis=2)
        self.need += np.float32(ROUNDING * size * size)


def few_balls(candidates: Candidates, radius: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Choose a few balls whose union contains all patches.

    Args:
        candidates: the balls to choose from.
        radius: (M,) largest radius allowed for each ball (m); 0 excludes the ball.
        most: largest number of balls.

    Returns:
        Rows of the chosen balls, and their radii, as small as they can be together (m). None if no cover was found.
    """
    square = radius * radius
    holds = (candidates.need <= square[:, None]) & (radius > 0.0)[:, None]
    useful = np.nonzero(holds.any(axis=1))[0]
    holds = holds[useful]
    if not len(useful) or not holds.any(axis=0).all():
        return None
    found: list[list[int]] = []
    for weight in (np.ones(holds.shape[1]), holds.sum(axis=0) ** -0.5):
        chosen = _greedy(holds, weight, most)
        if chosen is not None:
            found.append(_improved(holds, chosen))
    if not found:
        return None
    rows = useful[min(found, key=len)]
    return rows, np.sqrt(_shrunk(candidates.need[rows], square[rows]))


def _greedy(holds: np.ndarray, weight: np.ndarray, most: int) -> list[int] | None:
    """Always the ball that holds most of what is left."""
    left = np.ones(holds.shape[1], bool)
    gain = holds @ weight
    chosen: list[int] = []
    while left.any():
        if len(chosen) == most:
            return None
        k = int(np.argmax(gain))
        new = np.nonzero(holds[k] & left)[0]
        chosen.append(k)
        left[new] = False
        gain -= holds[:, new] @ weight[new]
        gain[chosen] = -1.0
    return chosen


def _improved(holds: np.ndarray, chosen: list[int]) -> list[int]:
    """Drop balls that are not needed, and exchange two for one, as long as that is possible."""
    while True:
        times = holds[chosen].sum(axis=0)
        k = next((k for k in reversed(range(len(chosen))) if not (holds[chosen[k]] & (times == 1)).any()), None)
        if k is not None:
            chosen = chosen[:k] + chosen[k + 1 :]
            continue
        found = _exchange(holds, chosen, times) if len(chosen) <= FEW else None
        if found is None:
            return chosen
        chosen = found


def _exchange(holds: np.ndarray, chosen: list[int], times: np.ndarray) -> list[int] | None:
    """The same cover with one ball less."""
    for a in range(len(chosen)):
        for b in range(a):
            lost = np.nonzero(times - holds[chosen[a]] - holds[chosen[b]] == 0)[0]
            rows = np.nonzero(holds[:, lost[:: max(1, len(lost) // 4)]].all(axis=1))[0]
            rows = rows[holds[np.ix_(rows, lost)].all(axis=1)]
            if len(rows):
                return [*(c for i, c in enumerate(chosen) if i not in (a, b)), int(rows[0])]
    return None


def _shrunk(need: np.ndarray, square: np.ndarray) -> np.ndarray:
    """Squares of radii with which all patches are held still: first all smaller by one factor, then each by what only others need.

    Args:
        need: (m, N) of the chosen balls.
        square: (m,) the most they may have (m^2).
    """
    square = square * (need / square[:, None]).min(axis=0).max()
    for k in np.argsort(-square):
        others = np.delete(need <= square[:, None], k, axis=0).any(axis=0)
        square[k] = need[k, ~others].max(initial=need[k].min())
    return np.asarray(square)
