"""Figure and part of docs/validation.md of the time against the number of sides (000, figure 11), from the table that its script fills."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from judging import Claim, claims_table, measures, part, verdict
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write
from table_rows import read_rows

from pardem.io.views.plot_style import COLOURS, STYLE

PART = "time against the number of sides"
PICTURE = "sides.png"
QUADRATIC = (1.7, 2.3)  # exponents that count as quadratic
PAPER = 0.3533
ALIKE = 0.05  # relative difference of the times of hexagons and heptagons that is not apparent

Times = dict[float, dict[int, np.ndarray]]


def times(rows: list[dict[str, str]]) -> Times:
    """CPU seconds of a step of a grain, and those of them that go to forces and lists, medians of the turns, by range (m) and number of sides.

    Args:
        rows: of the table.
    """
    found: dict[float, dict[int, list[list[float]]]] = {}
    for row in rows:
        turns = found.setdefault(float(row["alpha"]), {}).setdefault(int(row["sides"]), [])
        turns.append([float(row[name]) for name in ("seconds", "forces", "lists")])
    return {alpha: {n: np.median(turns, axis=0) for n, turns in sorted(by.items())} for alpha, by in sorted(found.items(), reverse=True)}


def exponent(by: dict[int, np.ndarray], column: int = 0) -> float:
    """Exponent of the power law that fits best; not a number with fewer than two numbers of sides.

    Args:
        by: times by number of sides.
        column: 0: all of the time, 1: that of forces.
    """
    if len(by) < 2:
        return float("nan")
    return float(np.polyfit(np.log(list(by)), np.log([value[column] for value in by.values()]), 1)[0])


def claims(found: Times, off: float, short: float) -> list[Claim]:
    """What the paper says, beside the runs.

    Args:
        found: the times.
        off: range without lists (m).
        short: range with lists (m).
    """
    without, with_lists = found.get(off, {}), found.get(short, {})
    slow, fast = exponent(without), exponent(with_lists)
    known = [np.isfinite(slow)], [np.isfinite(fast)]
    both = [with_lists[n][0] for n in (6, 7) if n in with_lists]
    apart = abs(both[1] / both[0] - 1.0) if len(both) == 2 else float("nan")
    return [
        Claim(
            f"without lists (alpha = {off:g} m) the time is quadratic",
            f"exponent {slow:.2f}, of the forces alone {exponent(without, 1):.2f}" if known[0][0] else "",
            verdict([QUADRATIC[0] <= slow <= QUADRATIC[1]] if known[0][0] else []),
        ),
        Claim(
            f"with lists it is not: the exponent is {PAPER}, or less", f"exponent {fast:.2f}" if known[1][0] else "",
            verdict([fast <= PAPER] if known[1][0] else []),
        ),
        Claim(
            "with lists heptagons take as long as hexagons", f"{apart:.1%} apart" if np.isfinite(apart) else "",
            verdict([apart <= ALIKE] if np.isfinite(apart) else []),
        ),
    ]  # fmt: skip


def text(rows: list[dict[str, str]], missing: int, ranges: tuple[float, float], pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the table.
        missing: number of runs that are left.
        ranges: without lists, and with them (m).
        pictures: Markdown of the figures that are there.
    """
    left = f"Not run yet: {missing} runs." if missing else ""
    if not rows:
        return part(["Nothing has been run so far.", left])
    found = times(rows)
    head = ["sides", *(f"alpha = {alpha:g} m: ns a grain and step; forces, lists" for alpha in found), "without lists over with them"]
    lines = []
    for n in sorted({n for by in found.values() for n in by}):
        cells = [f"{1e9 * by[n][0]:.0f}; {1e9 * by[n][1]:.0f}, {1e9 * by[n][2]:.0f}" if n in by else "" for by in found.values()]
        both = all(n in found.get(alpha, {}) for alpha in ranges)
        lines.append([str(n), *cells, f"{found[ranges[0]][n][0] / found[ranges[1]][n][0]:.2f}" if both else ""])
    return part([claims_table(claims(found, *ranges)), table(head, lines), left, *pictures])


def draw(found: Times, target: Path) -> None:
    """Time of a step of a grain, the inverse of the Cundall number, against the number of sides, with power laws.

    Args:
        found: the times.
        target: the figure.
    """
    with rc_context(STYLE | {"axes.grid": True}):
        figure = Figure(figsize=(5.5, 3.8), layout="constrained")
        axes = figure.subplots()
        for (alpha, by), colour in zip(found.items(), COLOURS, strict=False):
            sides, spent = np.array(list(by)), np.array([value[0] for value in by.values()])
            power = exponent(by)
            axes.loglog(sides, spent, "o", color=colour, label=f"alpha = {alpha:g} m, exponent {power:.2f}")
            if np.isfinite(power):
                axes.loglog(sides, np.exp(np.log(spent).mean()) * (sides / np.exp(np.log(sides).mean())) ** power, color=colour, linewidth=1.0)
        ticks = sorted({n for by in found.values() for n in by})
        axes.set_xticks(ticks, [str(n) for n in ticks])
        axes.minorticks_off()
        axes.set(xlabel="sides of a grain", ylabel="CPU seconds a grain and step")
        axes.legend()
        figure.savefig(target, dpi=100)
    shrunk(target)


def collect(folder: Path) -> None:
    """Draw the figure and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    script = measures(folder / "shear" / "sides.py")
    rows = read_rows(folder / "shear" / "sides.csv")
    pictures = []
    if rows:
        draw(times(rows), FIGURES / PICTURE)
        pictures = [f"![CPU time against the number of sides](figures/{PICTURE})"]
    write(PART, text(rows, len(script.wanted()) - len(rows), (script.OFF, script.SHORT), pictures))
