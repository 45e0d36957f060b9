"""Draws stress ratio and void ratio of biaxial tests against axial strain, and prints what they come to.

python jobs/campaigns/papers/biaxial/figure.py dense_disks.h5 loose_disks.h5 dense_rice.h5 -o biaxial.png

Results of one title count as samples of one test: the lines drawn are their means, those of single samples faint; means have their standard errors.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from biaxial_measures import LAST, WINDOW, curves, smooth

import pardem
from pardem.io.views.plot_style import STYLE

__all__ = ["WINDOW", "plt", "read", "smooth"]
matplotlib.use("Agg")
from matplotlib import pyplot as plt

plt.rcParams.update(STYLE | {"axes.grid": True})

COLOURS = {"disks": "#0072b2", "rice": "#d55e00", "peanuts": "#009e73"}


def read(path: Path) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Title; axial strain, stress ratio (s1 - s3)/(s1 + s3), void ratio and coordination from the start of the shear on, (T,) each."""
    with pardem.open(path) as result:
        return result.case.title, *curves(result)[1:]


def common(tests: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Mean of curves (x, y) on the rows of the first, as far as all go."""
    x = tests[0][0]
    x = x[x <= min(rows[-1] for rows, _ in tests)]
    return x, np.mean([np.interp(x, *curve) for curve in tests], axis=0)


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("-o", type=Path, default=Path("biaxial.png"))
    given = parser.parse_args()
    samples: dict[str, list[tuple[np.ndarray, ...]]] = {}
    for path in given.files:
        title, *rows = read(path)
        samples.setdefault(title, []).append(tuple(rows))
    figure, panels = plt.subplots(1, 2, figsize=(9.0, 4.3), layout="constrained")
    names = ("void ratio", "at the end", "stress ratio at most", "at the end", "coordination", "at the end")
    for title, tests in samples.items():
        look = {"color": COLOURS[title.split()[-1]], "linestyle": "-" if "dense" in title else "--"}
        curves: list[list[tuple[np.ndarray, np.ndarray]]] = [[], []]
        found = []
        for strain, ratio, void, contacts in tests:
            late = strain > strain[-1] - LAST
            for drawn, y in zip(curves, (ratio, void), strict=True):
                drawn.append((strain, smooth(strain, y)))
            found.append((void[0], void[late].mean(), curves[0][-1][1].max(), ratio[late].mean(), contacts[0], contacts[late].mean()))
            blocks = [part.mean() for part in np.array_split(ratio[late], 5)]
            print(f"{title}: " + ", ".join(f"{n} {v:.3f}" for n, v in zip(names, found[-1], strict=True)), f"(blocks: +- {np.std(blocks) / 2.0:.3f})")
        for panel, drawn in zip(panels, curves, strict=True):
            if len(drawn) > 1:
                for curve in drawn:
                    panel.plot(*curve, **look, linewidth=0.5, alpha=0.4)
            panel.plot(*common(drawn), **look, label=title)
        if len(found) > 1:
            mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / len(found) ** 0.5
            print(f"{title}, {len(found)} samples: " + ", ".join(f"{n} {v:.4f} +- {e:.4f}" for n, v, e in zip(names, mean, error, strict=True)))
    for panel, name in zip(panels, (r"$(\sigma_1 - \sigma_3)/(\sigma_1 + \sigma_3)$", "void ratio"), strict=True):
        panel.set(xlabel="axial strain", ylabel=name)
    panels[0].set_ylim(bottom=0.0)
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
