"""What is measured of shear cells between two plates: the energy balance, and how the motion of the upper plate is shared out over the height."""

from __future__ import annotations

import numpy as np

import pardem

SETTLING = 2.0  # s of shear before velocities are taken, or half of a shorter one
LOOKS = 1.0  # s of shear from which on the balance is relative to a work that is not small, or a tenth of a shorter one
EDGE = 1.0  # m: layer of grains next to a plate, about one grain
LAYERS = 10


def work(result: pardem.Result) -> float:
    """Work of the plates during the shear (J)."""
    return float(books(result)["work"][-1])


def lost(result: pardem.Result) -> float:
    """Energy that damping and friction have taken (J)."""
    return float(books(result)["lost"][-1])


def stored(result: pardem.Result) -> float:
    """Change of the energy (J)."""
    return float(books(result)["energy"][-1])


def imbalance(result: pardem.Result) -> float:
    """Largest |work - loss - change of energy| over the work (1)."""
    rows = books(result)
    shown = rows["time"] >= min(LOOKS, 0.1 * rows["time"][-1])
    work, lost, energy = (rows[name][shown] for name in ("work", "lost", "energy"))
    return float((np.abs(work - lost - energy) / np.abs(work)).max())


def slip_above(result: pardem.Result) -> float:
    """Velocity of the upper plate less that of the grains next to it, over that of the plate (1)."""
    speed, height = velocities(result)
    return float(1.0 - speed[height > height.max() - EDGE].mean() / plate_speed(result))


def slip_below(result: pardem.Result) -> float:
    """Velocity of the grains next to the lower plate, which is at rest, over that of the upper one (1)."""
    speed, height = velocities(result)
    return float(speed[height < height.min() + EDGE].mean() / plate_speed(result))


def sheared(result: pardem.Result) -> float:
    """What is left for the grains: the difference of their velocities at the two plates over that of the plate (1)."""
    return 1.0 - slip_above(result) - slip_below(result)


def band(result: pardem.Result) -> float:
    """Share of the height in which nine tenths of the shear of the grains happen: 0.9 where it is uniform (1)."""
    speed, height = velocities(result)
    _, mean = layers(height, speed)
    steps = np.sort(np.abs(np.diff(mean)))[::-1]
    share = np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])
    return float(np.interp(0.9, share, np.arange(len(share)) / len(steps)))


def books(result: pardem.Result) -> dict[str, np.ndarray]:
    """Time since the shear began (s); work, loss and change of energy since then (J)."""
    values, times = result.series.values, result.series.times
    first = int(np.searchsorted(times, _begin(result) - 1e-9))
    rows = {
        "work": values["energy/wall_work"], "lost": values["energy/lost_damping"] + values["energy/lost_friction"], "energy": values["energy/total"]
    }  # fmt: skip
    return {name: np.asarray(row[first:] - row[first]) for name, row in rows.items()} | {"time": times[first:] - times[first]}


def velocities(result: pardem.Result) -> tuple[np.ndarray, np.ndarray]:
    """Mean velocities along x (m/s) and mean heights (m) of all grains, once the shear has settled."""
    period = np.asarray(result.box.upper - result.box.lower)
    end = result.times[-1]
    first = int(np.searchsorted(result.times, _begin(result) + min(SETTLING, 0.5 * (end - _begin(result))) - 1e-9))
    frames = [result[k] for k in range(first, len(result))]
    way = frames[-1].position + frames[-1]["image"] * period - frames[0].position - frames[0]["image"] * period
    height = np.mean([frame.position[:, 1] for frame in frames], axis=0)
    return way[:, 0] / (frames[-1].time - frames[0].time), height


def layers(height: np.ndarray, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middles (m) and mean velocities (m/s) of the layers that hold grains."""
    edges = np.linspace(height.min(), height.max() * (1.0 + 1e-9), LAYERS + 1)
    place = np.digitize(height, edges) - 1
    there = [k for k in range(LAYERS) if (place == k).any()]
    return 0.5 * (edges[1:] + edges[:-1])[there], np.array([speed[place == k].mean() for k in there])


def plate_speed(result: pardem.Result) -> float:
    """Velocity of the upper plate along x (m/s)."""
    upper = next(wall for wall in result.case.wall if wall.name == "upper")
    return float(upper.then[0].velocity[0])


def _begin(result: pardem.Result) -> float:
    """Time at which the shear begins (s)."""
    return float(result.case.stage[0].time)
