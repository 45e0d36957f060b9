"""Draws the energy balance of shear bands against time and the velocity of the grains against height, and prints what they come to.

python jobs/campaigns/papers/shear/figure.py pentagons.h5 voronoi.h5 -o shear_band.png
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import h5py
import matplotlib
import numpy as np

from pardem.case import Case
from pardem.io.views.plot_style import COLOURS, STYLE

matplotlib.use("Agg")
from matplotlib import pyplot as plt

plt.rcParams.update(STYLE | {"axes.grid": True})

SETTLING = 2.0  # seconds of shear before velocities are taken
LAYERS = 10
LOOKS = 1.0  # s of shear from which on the balance is relative to a work that is not small


def read(path: Path) -> tuple[str, dict[str, np.ndarray]]:
    """Title; time of shear (s), work, loss and change of energy since its start (J), heights (m) and mean velocities (m/s) of layers."""
    with h5py.File(path) as file:
        case = Case(**tomllib.loads(file["parameters/pardem/case"][()].decode()))
        rows = {name: file[f"observables/energy/{name}/value"][()] for name in ("total", "wall_work", "lost_damping", "lost_friction")}
        time = file["observables/energy/total/time"][()]
        frames = file["particles/grains/position/time"][()]
        assert case.domain is not None
        period = np.subtract(case.domain.upper, case.domain.lower)
        place = file["particles/grains/position/value"][()] + file["particles/grains/image/value"][()] * period
    begin = case.stage[0].time
    first = int(np.searchsorted(time, begin - 1e-9))
    lost = rows["lost_damping"] + rows["lost_friction"]
    since = {name: values[first:] - values[first] for name, values in (("work", rows["wall_work"]), ("lost", lost), ("energy", rows["total"]))}
    early = int(np.searchsorted(frames, begin + SETTLING - 1e-9))
    speed = (place[-1, :, 0] - place[early, :, 0]) / (frames[-1] - frames[early])
    height = place[early:, :, 1].mean(axis=0)
    edges = np.linspace(0.0, height.max() * (1.0 + 1e-9), LAYERS + 1)
    layer = np.digitize(height, edges) - 1
    mean = np.array([speed[layer == k].mean() for k in range(LAYERS)])
    return case.title, since | {"time": time[first:] - time[first], "height": 0.5 * (edges[1:] + edges[:-1]), "speed": mean}


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("-o", type=Path, default=Path("shear_band.png"))
    given = parser.parse_args()
    figure, panels = plt.subplots(1, 2, figsize=(9.0, 3.8))
    for path, colour in zip(given.files, COLOURS, strict=False):
        title, s = read(path)
        name = title.removeprefix("shear band of ")
        shown = s["time"] >= LOOKS
        balance = 100.0 * np.abs(s["work"] - s["lost"] - s["energy"])[shown] / np.abs(s["work"])[shown]
        panels[0].semilogy(s["time"][shown], balance, color=colour, label=name)
        panels[1].plot(s["speed"], s["height"], "o-", color=colour, label=name)
        print(
            f"{name}: work {s['work'][-1]:.0f} J, lost {s['lost'][-1]:.0f} J, change of energy {s['energy'][-1]:.1f} J; balance at most "
            f"{balance.max():.2g} %, at the end {balance[-1]:.2g} %; velocity of the top layer {s['speed'][-1]:.2f} m/s"
        )
    panels[0].axhline(1.0, color="black", linewidth=0.8, linestyle=":")
    panels[0].set(xlabel="time of shear (s)", ylabel="|work - loss - change of energy| / work (%)")
    panels[1].set(xlabel="mean velocity along x (m/s)", ylabel="height (m)")
    panels[1].legend()
    figure.tight_layout()
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
