"""What chapter 5 of the thesis claims of mean critical diameters D_c, beside what the trials show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flowability_media import MONODISPERSE, Medium, Tables, openings
from judging import Claim, verdict

from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import numbers

STEEL = {1.0: (3.88, 0.15), 4.0: (14.92, 0.23), 5.0: (17.46, 0.37), 7.0: (21.85, 1.24)}
"""Table 5.1 of the thesis: measured mean critical diameters of steel beads and their intervals (mm), by the diameter of the beads (mm)."""
ROUGH = 0.4
"""Friction from which on the thesis calls it high."""
PLATEAU = (5.5, 6.5)
"""Mass-average diameters of figure 5.10 between which D_c hardly changes (mm)."""


def claims(found: list[Medium], tables: Tables) -> list[Claim]:
    """What the thesis claims of D_c, beside what is found.

    Args:
        found: media.
        tables: finished rows, by study.
    """
    known = [m for m in found if np.isfinite(m.found.value)]
    single = [m for m in known if m.study in MONODISPERSE]
    rough = [m.found.value / m.average for m in single if m.friction >= ROUGH]
    return [
        _rises(single),
        Claim("at high friction D_c is 3 to 4 diameters", _span(rough, ".2f"), verdict([3.0 <= ratio <= 4.0 for ratio in rough])),
        _affine(single),
        _steel(single),
        _interval(tables.get("one_bed", [])),
        *(_mixtures(known, friction, figure) for friction, figure in ((0.2, "5.8"), (0.0, "5.10"))),
        _plateau(known),
    ]


def _span(values: Sequence[float], form: str) -> str:
    return f"{min(values):{form}} to {max(values):{form}}" if len(values) else ""


def _rises(single: list[Medium]) -> Claim:
    """Whether D_c grows with the friction, and less at high friction."""
    runs, told = [], []
    for diameter in sorted({m.average for m in single}):
        values = {m.friction: m.found.value for m in single if m.average == diameter}
        if {0.0, 0.1, ROUGH, 0.8} <= set(values):
            low, high = values[0.1] - values[0.0], values[0.8] - values[ROUGH]
            runs.append(values[0.8] > values[0.0] and high < low)
            told.append(f"{diameter:g} mm {low:+.1f}, {high:+.1f} mm")
    what = f"D_c rises with the friction, little at high friction (from 0 to .1, from {ROUGH:g} to .8)"
    return Claim(what, "; ".join(told), verdict(runs))


def _affine(single: list[Medium]) -> Claim:
    """Whether D_c is a straight line over the diameter: whether it runs through the intervals."""
    runs, told = [], []
    for friction in sorted({m.friction for m in single} - {0.0}):
        media_of = [m for m in single if m.friction == friction]
        if len(media_of) > 2:
            x, y = np.array([(m.average, m.found.value) for m in media_of]).T
            line = np.polynomial.Polynomial.fit(x, y, 1)(x)
            runs.append(all(m.found.low <= value <= m.found.high for m, value in zip(media_of, line, strict=True)))
            told.append(f"friction {friction:g}: {np.abs(line - y).max():.2f} mm")
    measured = f"largest distances to a line: {'; '.join(told)}" if told else ""
    return Claim("D_c is nearly affine in the diameter but without friction", measured, verdict(runs))


def _steel(single: list[Medium]) -> Claim:
    """Whether beads of steel agree with one friction: whether the intervals of measurement and simulation overlap."""
    fits: dict[float, list[bool]] = {}
    for m in single:
        if m.average in STEEL:
            value, error = STEEL[m.average]
            fits.setdefault(m.friction, []).append(m.found.low <= value + error and m.found.high >= value - error)
    told = "; ".join(f"friction {friction:g}: {sum(agree)} of {len(agree)}" for friction, agree in sorted(fits.items()))
    best = [all(agree) for agree in fits.values() if len(agree) > 1]
    return Claim("measured D_c of steel beads agree with one friction", told, verdict([any(best)] if best else []))


def _mixtures(known: list[Medium], friction: float, figure: str) -> Claim:
    """Whether mixtures have the D_c of beads of one size with their mass-average diameter."""
    claim = f"figure {figure}: mixtures (friction {friction:g}) have D_c of beads of their mass-average diameter"
    single = sorted((m.average, m.found.value) for m in known if m.friction == friction and not m.mixed)
    if len(single) < 2:
        return Claim(claim, "", verdict([]))
    x, y = np.array(single).T
    mixed = [m for m in known if m.friction == friction and m.mixed and x[0] <= m.average <= x[-1]]
    apart = [m.found.value - float(np.interp(m.average, x, y)) for m in mixed]
    inside = [bool(m.found.low <= np.interp(m.average, x, y) <= m.found.high) for m in mixed]
    told = f"{_span(apart, '+.2f')} mm against these (interpolated), within {sum(inside)} of {len(inside)} intervals" if mixed else ""
    return Claim(claim, told, verdict(inside))


def _plateau(known: list[Medium]) -> Claim:
    """Whether D_c without friction hardly changes over a range of diameters: less than a third as fast as in proportion."""
    media_of = [m for m in known if m.friction == 0.0 and m.study == "frictionless"]
    low, high = ([m for m in media_of if not m.mixed and m.average == end] for end in PLATEAU)
    claim = f"figure 5.10: without friction D_c has a plateau from {PLATEAU[0]} to {PLATEAU[1]} mm"
    if not low or not high:
        return Claim(claim, "", verdict([]))
    rise = high[0].found.value - low[0].found.value
    even = low[0].found.value * (PLATEAU[1] / PLATEAU[0] - 1.0)
    return Claim(claim, f"D_c rises by {rise:.2f} mm (in proportion to the diameter: {even:.2f} mm)", verdict([rise < even / 3.0]))


def _interval(rows: list[Row]) -> Claim:
    """What figure 5.5 tells: below D- no trial flows, above D+ every one."""
    claim = "figure 5.5: one bed flows through some openings between D- and D+, and not through others"
    if not rows:
        return Claim(claim, "", verdict([]))
    x, y = openings(rows), numbers(rows, "flows")
    below = x[y > 0.5].min() if (y > 0.5).any() else np.nan
    above = x[y < 0.5].max() if (y < 0.5).any() else np.nan
    told = f"of {len(rows)} openings none below D- = {below:.2f} mm flows, and all above D+ = {above:.2f} mm do"
    return Claim(claim, told, verdict([bool(below < above)]))
