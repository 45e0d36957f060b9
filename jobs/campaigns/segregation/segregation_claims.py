"""What chapter 7 of the thesis says of the twelve experiments, beside what they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from judging import Claim, alike, said, verdict

from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import groups_of, numbers

STARTS = ("spheres above", "others above", "mixed")
VESSELS = {"periodic.toml": 1, "cylinder.toml": 4}
"""First experiment of table 7.1 in each vessel at gamma = 2; at gamma = 3 it is six more."""
STILL = 0.05
"""Relative change of R up to which nothing has moved."""
EVEN = (0.85, 1.0)
"""R that is slightly below 1."""
RISEN = 0.75
"""P that counts as .8."""
PARTLY = (0.1, 0.9)
"""Shares of log R at rest that a partial mixing may have made up for."""
LIKELY = 0.05
"""Probability of differences as large as those between starts from which on they may be due to chance."""
RULE = (
    f"A run has not moved if R changes by at most {STILL:.0%}; R is slightly below 1 from {EVEN[0]:g} to {EVEN[1]:g}, and P is .8 from {RISEN:g} on; "
    f"grains mix partly if log R has come {PARTLY[0]:.0%} to {PARTLY[1]:.0%} of its way to 0. Ranges are those of single runs. Experiments do not "
    f"depend on the start if three starts would differ so much with a probability of {LIKELY:g} or more though there is no difference "
    "(Kruskal-Wallis)."
)
Experiments = dict[int, list[Row]]


def experiment(vessel: str, gamma: float, start: str) -> int:
    """Number of an experiment in table 7.1.

    Args:
        vessel: case of the vessel.
        gamma: largest acceleration of the base over that of gravity.
        start: label of the start.
    """
    return VESSELS[vessel] + (6 if gamma > 2.5 else 0) + STARTS.index(start)


def experiments(rows: list[Row]) -> Experiments:
    """Rows of the first study by experiment, in their order.

    Args:
        rows: the rows.
    """
    found = {experiment(v, float(g), s): members for (v, g, s), members in groups_of(rows, ["vessel", "gamma", "start"]).items()}
    return dict(sorted(found.items()))


def claims(found: Experiments) -> list[Claim]:
    """What the thesis says of the experiments, beside what they show, run by run.

    Args:
        found: rows by experiment.
    """

    def of(*chosen: int) -> list[Row]:
        return [row for n in chosen for row in found.get(n, [])]

    def even(value: float) -> bool:
        return EVEN[0] <= value <= EVEN[1]

    periodic, cylinder, weak = (7, 8, 9), (10, 11, 12), (4, 5, 6)
    walls, later = _chance(found, cylinder, "ratio"), "it is judged at the end, after 10 s"
    return [
        _claim("1 to 3: nothing moves", of(1, 2, 3), _moved, lambda value: abs(value) <= STILL),
        _claim("4, 5: mix partly within 10 s", of(4, 5), _mixed, lambda value: PARTLY[0] < value < PARTLY[1]),
        _claim("6: mixed grains stay so", of(6), _moved, lambda value: abs(value) <= STILL),
        _claim("4 to 6: P rises to .8", of(*weak), _value("wall_share"), lambda value: value >= RISEN),
        _same("7 to 9: the final R is the same from every start", found, periodic, "ratio", {"in the cylinder (10 to 12)": walls}),
        _claim("7 to 9: the final R is slightly below 1", of(*periodic), _value("ratio"), even),
        _same("10 to 12: the final R is the same from every start", found, cylinder, "ratio", {}),
        _same("10 to 12: the final P is the same from every start", found, cylinder, "wall_share", {}),
        _same("10 to 12: R is the same from every start within 5 s", found, cylinder, "ratio_at_five", {later: walls}),
        _claim("10 to 12: R is slightly below 1 within 5 s", of(*cylinder), _value("ratio_at_five"), even),
        _claim("10 to 12: the final R is slightly below 1", of(*cylinder), _value("ratio"), even),
        _less("10 to 12: P weaker than in 4 to 6", numbers(of(*cylinder), "wall_share"), numbers(of(*weak), "wall_share"), "P"),
        _less("10 to 12: mixed better than 4 to 6", *(np.abs(np.log(numbers(of(*n), "ratio"))) for n in (cylinder, weak)), "abs(log R)"),
    ]


def _claim(what: str, rows: list[Row], measure: Callable[[Row], float], holds: Callable[[float], bool]) -> Claim:
    """A claim that each run shows or not."""
    values = [measure(row) for row in rows]
    return Claim(what, f"{min(values):.2f} to {max(values):.2f} ({len(values)} runs)" if values else "", verdict([bool(holds(v)) for v in values]))


def _less(what: str, low: np.ndarray, high: np.ndarray, name: str) -> Claim:
    """A claim that some runs have a lower mean than others."""
    if not len(low) or not len(high):
        return Claim(what, "", verdict([]))
    return Claim(what, f"{name} {said(low)} against {said(high)}", verdict([bool(low.mean() < high.mean())]))


def _same(what: str, found: Experiments, chosen: Sequence[int], name: str, changes: dict[str, float | None]) -> Claim:
    """A claim that three starts end in the same way."""
    chance = _chance(found, chosen, name)
    if chance is None:
        return Claim(what, "", verdict([]))
    means = ", ".join(f"{numbers(found[n], name).mean():.3f}" for n in chosen)
    other = {change: [p >= LIKELY] for change, p in changes.items() if p is not None}
    return Claim(what, f"means {means}; probability {chance:.2g}", verdict([chance >= LIKELY], other))


def _chance(found: Experiments, chosen: Sequence[int], name: str) -> float | None:
    """The probability that starts differ as much as they do by chance; None where one has not been run twice."""
    groups = [numbers(found.get(n, []), name) for n in chosen]
    return alike(groups) if min(map(len, groups)) > 1 else None


def _value(name: str) -> Callable[[Row], float]:
    return lambda row: float(row[name])


def _moved(row: Row) -> float:
    """Relative change of R from rest to the end."""
    return float(row["ratio"]) / float(row["ratio_at_rest"]) - 1.0


def _mixed(row: Row) -> float:
    """How far log R has come from its value at rest to 0."""
    return 1.0 - float(np.log(float(row["ratio"])) / np.log(float(row["ratio_at_rest"])))
