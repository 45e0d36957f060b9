"""Draws stress ratio and void ratio of biaxial tests against axial strain, and prints what they come to.

python jobs/campaigns/papers/biaxial/figure.py dense_disks.h5 loose_disks.h5 dense_rice.h5 loose_rice.h5 -o biaxial.png
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import h5py
import matplotlib
import numpy as np

from pardem.case import Case
from pardem.io.plot import STYLE

matplotlib.use("Agg")
from matplotlib import pyplot as plt

plt.rcParams.update(STYLE | {"axes.grid": True})

WINDOW = 0.01  # of strain, for the running mean
LAST = 0.1  # of strain: what the critical state is averaged over
COLOURS = {"disks": "#0072b2", "rice": "#d55e00"}


def read(path: Path) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Title; axial strain, stress ratio (s1 - s3)/(s1 + s3), void ratio and coordination from the start of the shear on, (T,) each."""
    with h5py.File(path) as file:
        case = Case(**tomllib.loads(file["parameters/pardem/case"][()].decode()))
        rows = {name: file[f"observables/{name}/value"][()] for name in ("coordination",)}
        time = file["observables/coordination/time"][()]
        force = {w: file[f"observables/wall_force/{w}/value"][()] for w in ("left", "right", "bottom", "top")}
        shift = {w: file[f"observables/wall_displacement/{w}/value"][()] for w in ("left", "right", "bottom", "top")}
        scale = file["particles/grains/scale"][()]
    point = {wall.name: wall.point for wall in case.wall}
    width = point["right"][0] - point["left"][0] + shift["right"][:, 0] - shift["left"][:, 0]
    height = point["top"][1] - point["bottom"][1] + shift["top"][:, 1] - shift["bottom"][:, 1]
    solid = case.species[0].make_shape().mass_properties(density=1.0).mass * float((scale**2).sum())
    axial = 0.5 * (force["top"][:, 1] - force["bottom"][:, 1]) / width
    side = 0.5 * (force["right"][:, 0] - force["left"][:, 0]) / height
    begin = int(np.searchsorted(time, case.stage[0].time))
    strain = 1.0 - height[begin:] / height[begin]
    return case.title, strain, ((axial - side) / (axial + side))[begin:], (width * height / solid - 1.0)[begin:], rows["coordination"][begin:]


def smooth(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean of y over WINDOW about each x."""
    return np.array([y[abs(x - centre) <= 0.5 * WINDOW].mean() for centre in x])


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("-o", type=Path, default=Path("biaxial.png"))
    given = parser.parse_args()
    figure, panels = plt.subplots(1, 2, figsize=(9.0, 3.8))
    for path in given.files:
        title, strain, ratio, void, contacts = read(path)
        look = {"color": COLOURS[title.split()[-1]], "linestyle": "-" if "dense" in title else "--", "label": title}
        panels[0].plot(strain, smooth(strain, ratio), **look)
        panels[1].plot(strain, smooth(strain, void), **look)
        late = strain > strain[-1] - LAST
        blocks = [part.mean() for part in np.array_split(ratio[late], 5)]
        print(
            f"{title}: void ratio {void[0]:.3f}, at the end {void[late].mean():.3f}; stress ratio at most {smooth(strain, ratio).max():.3f}, "
            f"at the end {ratio[late].mean():.3f} +- {np.std(blocks) / 2.0:.3f}; coordination {contacts[0]:.2f}, {contacts[late].mean():.2f}"
        )
    for panel, name in zip(panels, (r"$(\sigma_1 - \sigma_3)/(\sigma_1 + \sigma_3)$", "void ratio"), strict=True):
        panel.set(xlabel="axial strain", ylabel=name)
    panels[0].set_ylim(bottom=0.0)
    panels[1].legend()
    figure.tight_layout()
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
