"""The media of the flowability experiment and their mean critical diameters, from the trials in the tables of its studies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from judging import CONFIDENCE

from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import IntervalEstimate, groups_of, mean, numbers, threshold
from pardem.campaign.study import Study

MONODISPERSE = {f"beads_{d}mm": float(d) for d in (3, 4, 5, 6, 7)}
"""Diameter of the beads of each study (mm)."""
Tables = dict[str, list[Row]]


class Medium(NamedTuple):
    """A medium and its mean critical diameter.

    Attributes:
        study: name of the study.
        diameters: of the beads, small and large (mm).
        friction: of the beads.
        found: mean critical diameter with its interval (mm).
        leaning: number of trials that flow with a bead or two left above the hole.
        clear: the mean critical diameter if these are counted as blocked; None where there are none, so that it is the same.
    """

    study: str
    diameters: tuple[float, float]
    friction: float
    found: IntervalEstimate
    leaning: int = 0
    clear: IntervalEstimate | None = None

    @property
    def average(self) -> float:
        """Mass-average diameter of equal numbers of beads, eq 5.1 (mm)."""
        a, b = self.diameters
        return (a**4 + b**4) / (a**3 + b**3)

    @property
    def mixed(self) -> bool:
        """Whether the beads have two sizes."""
        return self.diameters[0] != self.diameters[1]

    @property
    def name(self) -> str:
        """Diameters as a table shows them."""
        a, b = self.diameters
        return f"{a:g} and {b:g}" if self.mixed else f"{a:g}"


def openings(rows: Iterable[Row]) -> np.ndarray:
    """Diameters of the holes, (n,) (mm)."""
    return 2e3 * numbers(rows, "hole_radius")


def critical(rows: list[Row], clear: bool = False) -> IntervalEstimate:
    """The mean critical diameter (mm), with a bootstrap interval over the trials.

    Args:
        rows: the trials.
        clear: whether only those flow that leave no bead above the hole, as in the thesis.
    """
    return threshold(openings(rows), (numbers(rows, "left") == 0.0).astype(float) if clear else numbers(rows, "flows"), CONFIDENCE)


def leaning(rows: list[Row]) -> int:
    """Number of trials that flow with a bead or two left above the hole."""
    return int(np.count_nonzero((numbers(rows, "flows") > 0.5) & (numbers(rows, "left") > 0.0)))


def by_both_rules(study: str, diameters: tuple[float, float], friction: float, rows: list[Row]) -> Medium:
    """A medium with its mean critical diameter by the rule of these trials and by that of the thesis.

    Args:
        study: name of the study.
        diameters: of the beads, small and large (mm).
        friction: of the beads.
        rows: its trials.
    """
    few = leaning(rows)
    return Medium(study, diameters, friction, critical(rows), few, critical(rows, clear=True) if few else None)


def remaining(rows: list[Row]) -> np.ndarray:
    """m_f/m_i of the trials with a bead above the hole at first, (n,)."""
    before, after = numbers(rows, "mass_before"), numbers(rows, "mass_after")
    return np.asarray(after[before > 0.0] / before[before > 0.0])


def one_size(tables: Tables) -> list[Row]:
    """All trials with beads of one size and a bed each.

    Args:
        tables: finished rows, by study.
    """
    equal = [row for row in tables.get("frictionless", []) if row["small"] == row["large"]]
    return [row for name in (*MONODISPERSE, "six_millimetres") for row in tables.get(name, [])] + equal


def between(rows: list[Row]) -> IntervalEstimate:
    """Share of the trials with .01 < m_f/m_i < .99, with its interval.

    Args:
        rows: the trials.
    """
    left = remaining(rows)
    return mean(((left > 0.01) & (left < 0.99)).astype(float), CONFIDENCE)


def of_whole_media(rows: list[Row], failed: list[Row], study: Study) -> list[Row]:
    """Trials of those media of a study all of whose trials have ended; of an adaptive design, whose openings close in on D_c, a part says little.

    Args:
        rows: finished rows.
        failed: rows of runs that have failed.
        study: the study.
    """
    wanted = next((axis.adaptive.trials for axis in study.axis if axis.adaptive is not None), 0)
    by = [column for summing in study.summary for column in summing.by]

    def medium_of(row: Row) -> tuple[str, ...]:
        return tuple(row[column] for column in by)

    ended = Counter(map(medium_of, [*rows, *failed]))
    return [row for row in rows if ended[medium_of(row)] >= wanted]


def media(tables: Tables) -> list[Medium]:
    """All media of which there are so many trials that they have a mean critical diameter.

    Args:
        tables: finished rows, by study.
    """
    found = []
    for name, diameter in MONODISPERSE.items():
        for (friction,), rows in groups_of(tables.get(name, []), ["friction"]).items():
            found.append(by_both_rules(name, (diameter, diameter), float(friction), rows))
    if tables.get("six_millimetres"):
        found.append(by_both_rules("six_millimetres", (6.0, 6.0), 0.8, tables["six_millimetres"]))
    for name, friction in (("mixtures", 0.2), ("frictionless", 0.0)):
        for (small, large), rows in groups_of(tables.get(name, []), ["small", "large"]).items():
            sizes = (round(2e3 * float(small), 6), round(2e3 * float(large), 6))
            found.append(by_both_rules(name, sizes, friction, rows))
    return sorted((m for m in found if np.isfinite(m.found.value)), key=lambda m: (m.friction, m.average, m.study))


def windows(rows: list[Row], width: float) -> tuple[np.ndarray, np.ndarray]:
    """Middles of windows of diameters of the hole (mm), and shares of the trials in them that flow."""
    x, y = openings(rows), numbers(rows, "flows")
    place = np.floor((x - x.min()) / width + 1e-9).astype(int)
    used = np.unique(place)
    return x.min() + (used + 0.5) * width, np.array([y[place == k].mean() for k in used])
