"""Figure and part of docs/validation.md of the plane hopper (002, figure 6), from the tables of its studies."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from judging import CONFIDENCE, Claim, claims_table, column, label, part, said, verdict, waiting
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write
from scipy.stats import binomtest
from study_runs import rows_of

from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import fitted, groups_of, threshold
from pardem.io.views.plot_style import STYLE

PART = "plane hopper"
PICTURE, ARCH = "plane_hopper.png", "cows_jam.png"
RANGE = (20.0, 25.0, 30.0, 40.0)  # outlets of the paper (m)
COLOURS = {"disks.toml": "#0072b2", "cows.toml": "#d55e00"}
SHIFTS = dict(zip(COLOURS.values(), (-0.15, 0.15), strict=True))
"""Of intervals in the figure, so that they do not cover each other (m)."""
Groups = dict[tuple[float, str], list[Row]]


def outlets(rows: list[Row]) -> Groups:
    """Runs by the width of the outlet (m) and the case of the grains.

    Args:
        rows: of the study of outlets.
    """
    found = groups_of(rows, ["outlet", "grains"])
    return dict(sorted(((float(outlet.split()[0]), grains), members) for (outlet, grains), members in found.items()))


def jams(groups: Groups, grains: str, widths: tuple[float, ...]) -> list[bool]:
    """Whether each run of some outlets has jammed.

    Args:
        groups: runs.
        grains: case of the grains.
        widths: of the outlets (m).
    """
    return [row["jammed"] == "1" for width in widths for row in groups.get((width, grains), [])]


def claims(groups: Groups, changes: dict[str, list[Row]]) -> list[Claim]:
    """What the paper says, beside the runs.

    Args:
        groups: runs with the paper's values.
        changes: runs of cows at 20 m by what differs.
    """
    other = {f"the outlet is {w:g} m": jams(groups, "cows.toml", (w,)) for w in (15.0, 10.0)}
    other |= {f"{name}, at 20 m": [row["jammed"] == "1" for row in rows] for name, rows in changes.items()}
    arches = [float(row["arch"]) for (width, kind), rows in groups.items() if kind == "cows.toml" for row in rows if row["jammed"] == "1"]
    longest = f"shortest chain between the slopes of jammed cows: {max(arches):g} cows at most (jams: {len(arches)})" if arches else "no jam"
    return [
        _claim(groups, "disks flow at all outlets from 20 to 40 m", "disks.toml", RANGE, False, {}),
        _claim(groups, "cows jam below 30 m (here 20 and 25 m)", "cows.toml", (20.0, 25.0), True, other),
        _claim(groups, "cows flow from 30 m on (30 and 40 m)", "cows.toml", (30.0, 40.0), False, {}),
        Claim("arches of cows may be longer than 20 grains", longest, verdict([max(arches) > 20.0] if arches else [])),
    ]


def _claim(groups: Groups, what: str, grains: str, widths: tuple[float, ...], jam: bool, other: dict[str, list[bool]]) -> Claim:
    """A claim about some outlets; those that have not been run are named."""
    jammed = jams(groups, grains, widths)
    judged = verdict([found == jam for found in jammed], other)
    left = ", ".join(f"{w:g}" for w in widths if (w, grains) not in groups)
    return Claim(what, f"jams in {sum(jammed)} of {len(jammed)} runs", f"{judged}; not run yet at {left} m" if left and jammed else judged)


def text(rows: list[Row], changes: list[Row], left: list[str], pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the study of outlets.
        changes: of the study of changes.
        left: sentences about what has not been run.
        pictures: Markdown of the figures that are there.
    """
    if not rows and not changes:
        return part(["Nothing has been run so far.", *left])
    groups, changed = outlets(rows), {name: members for (name,), members in groups_of(changes, ["change"]).items()}
    head = ["grains", "outlet", "runs", "of which jam", "left in 8 s", "last one left at (s)", "rms speed at opening (m/s)"]
    ordered = sorted(groups.items(), key=lambda group: (group[0][1], group[0][0]))
    lines = [[label(grains), f"{width:g} m", *_line_of(members)] for (width, grains), members in ordered]
    lines += [[f"cows, {name}", "20 m", *_line_of(members)] for name, members in changed.items()]
    rule = (
        "Means over fillings +- standard deviation. A run jams if more than 5 % of the grains stay behind and none has left in the last 2 s of the 8."
    )
    return part([claims_table(claims(groups, changed)), table(head, lines), rule, critical(groups), *left, *pictures])


def critical(groups: Groups) -> str:
    """Say at which outlet half of the fillings jam, where some jam and some flow.

    Args:
        groups: runs with the paper's values.
    """
    told = []
    for grains in sorted(COLOURS):
        found = threshold(*outcomes(groups, grains), CONFIDENCE)
        if np.isfinite(found.value):
            told.append(f"{label(grains)} {found.value:.1f} m ({found.low:.1f} to {found.high:.1f}, {found.runs} runs)")
    if not told:
        return ""
    return f"Outlets at which half of the fillings jam (binomial GLM with a logit link, bootstrap interval of {CONFIDENCE:.0%}): {'; '.join(told)}."


def outcomes(groups: Groups, grains: str) -> tuple[np.ndarray, np.ndarray]:
    """Widths of the outlets of all runs of some grains (m), (n,), and whether these flow, (n,).

    Args:
        groups: runs with the paper's values.
        grains: case of the grains.
    """
    found = [(width, 1.0 - float(row["jammed"])) for (width, kind), rows in groups.items() if kind == grains for row in rows]
    widths, flow = np.array(found).reshape(-1, 2).T
    return widths, flow


def _line_of(rows: list[Row]) -> list[str]:
    """A row of the table."""
    numbers = (said(column(rows, "left"), ".0f"), said(column(rows, "last"), ".1f"), said(column(rows, "speed_at_opening"), ".2f"))
    return [str(len(rows)), f"{column(rows, 'jammed').sum():.0f}", *numbers]


def draw(groups: Groups, target: Path) -> None:
    """Grains that leave within the eight seconds against the outlet, runs that jam as crosses; and the probability to jam.

    Args:
        groups: runs with the paper's values.
        target: the figure.
    """
    with rc_context(STYLE):
        figure = Figure(figsize=(9.5, 3.8), layout="constrained")
        leaving, jamming = figure.subplots(1, 2)
        for grains, colour in COLOURS.items():
            for jam, mark in (("0", "o"), ("1", "x")):
                points = [(w, float(r["left"])) for (w, kind), rows in groups.items() if kind == grains for r in rows if r["jammed"] == jam]
                if points:
                    name = f"{label(grains)}, {'jam' if jam == '1' else 'flow'}"
                    leaving.plot(*zip(*points, strict=True), mark, color=colour, markerfacecolor="none", label=name)
            _draw_jams(jamming, *outcomes(groups, grains), colour, label(grains))
        leaving.set(xlabel="outlet (m)", ylabel="grains that have left in 8 s")
        jamming.set(xlabel="outlet (m)", ylabel="probability to jam", ylim=(-0.03, 1.03))
        for panel in (leaving, jamming):
            panel.legend()
        figure.savefig(target, dpi=100)
    shrunk(target)


def _draw_jams(axes: Axes, widths: np.ndarray, flow: np.ndarray, colour: str, name: str) -> None:
    """Shares of runs that jam by outlet, with Wilson's intervals, and the curve of the GLM."""
    places = np.unique(widths)
    tests = [binomtest(int((flow[widths == w] < 0.5).sum()), int((widths == w).sum())) for w in places]
    shares = np.array([test.statistic for test in tests])
    intervals = [test.proportion_ci(CONFIDENCE, "wilson") for test in tests]
    ends = np.array([(share - ci.low, ci.high - share) for share, ci in zip(shares, intervals, strict=True)]).reshape(-1, 2).T
    axes.errorbar(places + SHIFTS[colour], shares, yerr=ends.clip(0.0), fmt="o", color=colour, markersize=4.0, capsize=3.0, linewidth=0.8, label=name)
    if len(flow) and 0.0 < flow.mean() < 1.0:
        intercept, slope = fitted(widths, flow)
        fine = np.linspace(widths.min(), widths.max(), 300)
        axes.plot(fine, 1.0 / (1.0 + np.exp(np.clip(intercept + slope * fine, -500.0, 500.0))), color=colour)


def draw_arch(groups: Groups, folder: Path, target: Path) -> str:
    """Draw cows that jam over the widest outlet that does, if the result is there.

    Args:
        groups: runs with the paper's values.
        folder: of the runs.
        target: the figure.

    Returns:
        The caption; empty where there is no jam.
    """
    jammed = [(w, row) for (w, kind), rows in reversed(groups.items()) if kind == "cows.toml" for row in rows if row["jammed"] == "1"]
    if not jammed:
        return ""
    width, row = jammed[0]
    result = folder / row["id"] / "result.h5"
    if result.exists():
        words = [sys.executable, "-m", "pardem", "render", str(result), "--size", "800x640", "-o", str(target)]
        subprocess.run(words, check=True)
        shrunk(target)
    return f"cows jam over an outlet of {width:g} m, filling {row['seed']}"


def collect(folder: Path) -> None:
    """Draw figures and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    studies = [folder / "plane_hopper" / f"{name}.toml" for name in ("outlets", "changes")]
    rows, changes = (rows_of(path) for path in studies)
    left = [waiting(studies[0], ["grains", "outlet"]), waiting(studies[1], ["change"])]
    pictures = []
    if rows:
        draw(outlets(rows), FIGURES / PICTURE)
        pictures.append(f"![grains that leave, and the probability to jam with the curve of the GLM, against the outlet](figures/{PICTURE})")
        caption = draw_arch(outlets(rows), studies[0].with_suffix(".runs"), FIGURES / ARCH)
        if caption:
            pictures.append(f"![{caption}](figures/{ARCH})")
    write(PART, text(rows, changes, left, pictures))
