"""How many grains have left the hopper of paper 003, from results of the cases hopper_*.toml.

python jobs/campaigns/papers/hopper.py RESULT.h5 ...

Results of one opening and one kind of grains count as samples of one experiment: the means have their standard errors.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import h5py
import numpy as np


def outside(position: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Find the centres that lie below the outlet or outside the faces of the hopper.

    Args:
        position: (..., 3) centres (m).
        corners: (12, 3) corners of outlet, rim and top (four each) about the z axis (m).

    Returns:
        (...) bool, whether a centre lies outside.
    """
    heights, widths = corners[::4, 2], np.abs(corners[::4, 0])
    across = np.abs(position[..., :2]).max(axis=-1)
    return (position[..., 2] < heights[0]) | (across > np.interp(position[..., 2], heights, widths))


def main() -> None:
    """Print the number of grains outside every other second, one row a result, and the means of several."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--interval", type=float, default=2.0, help="seconds between columns")
    chosen = parser.parse_args()
    samples: dict[str, list[dict[float, int]]] = {}
    for path in chosen.results:
        with h5py.File(path) as file:
            text = file["parameters/pardem/case"][()]
            case = tomllib.loads(text.decode() if isinstance(text, bytes) else str(text))
            frames = file["particles/grains/position"]
            time, position = frames["time"][()], frames["value"][()]
        hopper = next(s for s in case["species"] if s["name"] == "hopper")
        count = outside(position, np.array(hopper["vertices"])).sum(axis=1)
        rows = np.unique(np.searchsorted(time, np.arange(0.0, time[-1] + 0.5 * chosen.interval, chosen.interval) - 1e-9).clip(max=len(time) - 1))
        found = {float(f"{time[k]:.3g}"): int(count[k]) for k in rows}
        samples.setdefault(f"{case['title']}, {case['insert'][0]['species']}", []).append(found)
        print(f"{path.name}: {position.shape[1]} grains; outside at", ", ".join(f"{t:g} s: {n}" for t, n in found.items()))
    for name, runs in samples.items():
        shared = [t for t in runs[0] if all(t in run for run in runs)]
        if len(runs) > 1:
            table = np.array([[run[t] for t in shared] for run in runs])
            mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / len(runs) ** 0.5
            texts = (f"{t:g} s: {m:.1f} +- {e:.1f}" for t, m, e in zip(shared, mean, error, strict=True))
            print(f"{name}, {len(runs)} samples: outside at", ", ".join(texts))


if __name__ == "__main__":
    main()
