"""Draws how many grains have left plane hoppers against the time since the outlet opened, and prints when the last one did.

python jobs/campaigns/papers/plane_hopper/figure.py disks20.h5 disks30.h5 cows20.h5 cows30.h5 cows40.h5 -o plane_hopper.png
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import h5py
import matplotlib
import numpy as np

from pardem.case import Case
from pardem.io.views.plot_style import STYLE

matplotlib.use("Agg")
from matplotlib import pyplot as plt

plt.rcParams.update(STYLE | {"axes.grid": True})

COLOURS = {"disks": "#0072b2", "cows": "#d55e00"}
LINES = {20: "-", 30: "--", 40: ":"}


def read(path: Path) -> tuple[str, float, np.ndarray, np.ndarray]:
    """Kind of grain, width of the outlet (m), time since it opened (T,) s, and grains below it (T,)."""
    with h5py.File(path) as file:
        case = Case(**tomllib.loads(file["parameters/pardem/case"][()].decode()))
        frames = file["particles/grains/position"]
        time, height = frames["time"][()] - case.stage[0].time, frames["value"][..., 1]
    edges = {wall.name: wall.position[0] for wall in case.wall if wall.kind == "body"}
    open_ = time >= -1e-9
    return case.title.split()[-1], edges["right"] - edges["left"], time[open_], (height < 0.0).sum(axis=1)[open_]


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("-o", type=Path, default=Path("plane_hopper.png"))
    given = parser.parse_args()
    figure, panel = plt.subplots(figsize=(5.5, 3.8))
    named = set()
    for path in given.files:
        kind, width, time, out = read(path)
        name = f"{kind}, {width:.0f} m"
        panel.plot(time, out, color=COLOURS[kind], linestyle=LINES.get(round(width), "-."), label=None if name in named else name)
        named.add(name)
        last = time[int(np.argmax(out == out[-1]))]
        print(f"{name}: {out[-1]} grains left in {time[-1]:.1f} s, the last at {last:.2f} s")
    panel.set(xlabel="time since the outlet opened (s)", ylabel="grains that have left")
    panel.legend()
    figure.tight_layout()
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
