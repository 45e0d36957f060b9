"""Figure of the flowability experiment and its part of docs/validation.md, from the tables of its studies.

The panels are figures 5.3 to 5.8 and 5.10 of the thesis; those whose tables are not there yet are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from flowability_claims import STEEL, claims
from flowability_media import MONODISPERSE, Medium, Tables, by_both_rules, critical, media, of_whole_media, one_size, openings, remaining, windows
from flowability_outcomes import clear_column, middle_claim, rules, shares
from judging import CONFIDENCE, claims_table
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write
from study_runs import failures_of, rows_of

from pardem.campaign.points import Design
from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import groups_of, numbers
from pardem.campaign.study import read_study
from pardem.io.views.plot_style import COLOURS, STYLE

PART, PICTURE = "flowability", "flowability.png"
COMPARED = (4.0, 5.0, 7.0)
"""Diameters of figure 5.6 (mm)."""
EQUAL = 5.0
"""Diameter of the beads that have the volume of the grains of other shapes (mm), and friction of both."""
EQUAL_FRICTION = 0.2
WHAT = {f"beads_{d}mm": f"{d} mm with five frictions" for d in (3, 4, 5, 6, 7)} | {
    "six_millimetres": "510 trials of 6 mm (figure 5.4)",
    "one_bed": "one bed under 1000 openings (figure 5.5)",
    "mixtures": "eight mixtures (figure 5.8)",
    "frictionless": "five sizes and three mixtures without friction (figure 5.10)",
    "rule": "the rule",
    "shapes": "rods, cubes and spherotetrahedra",
}


# -- panels --------------------------------------------------------------------------------------------------------------------------------------


def draw_remaining(axes: Axes, rows: list[Row], even: list[Row]) -> None:
    """Figure 5.3: how much is left above the hole, in all trials and in those whose openings have even distances."""
    looks = ({"color": COLOURS[0]}, {"color": COLOURS[1], "histtype": "step", "linewidth": 1.5})
    for chosen, name, look in zip((rows, even), ("all with a bed each", "those of figure 5.4"), looks, strict=True):
        left = remaining(chosen)
        if len(left):
            axes.hist(left, bins=np.linspace(0.0, 1.1, 23), weights=np.full(len(left), 1.0 / len(left)), label=f"{name}: {len(left)}", **look)
    axes.set(xlabel="m_f/m_i", ylabel="share of the trials", title="5.3: trials with beads of one size")


def draw_shares(axes: Axes, rows: list[Row], width: float, title: str) -> None:
    """Shares of trials that flow in windows of the diameter, and the fitted curve."""
    x, y = openings(rows), numbers(rows, "flows")
    axes.plot(x, y, "o", markersize=2.5, markerfacecolor="none", color="#999999")
    axes.plot(*windows(rows, width), "o", markersize=4.0, color=COLOURS[0])
    estimate = critical(rows)
    if estimate.curve is not None:
        fine = np.linspace(x.min(), x.max(), 300)
        axes.plot(fine, 1.0 / (1.0 + np.exp(-np.clip(estimate.curve[0] + estimate.curve[1] * fine, -500.0, 500.0))), color=COLOURS[1])
        axes.axvspan(estimate.low, estimate.high, color=COLOURS[1], alpha=0.25, linewidth=0.0)
    axes.set(xlabel="diameter of the hole (mm)", ylabel="share that flows", title=title)


def draw_frictions(axes: Axes, chosen: list[Medium]) -> None:
    """Figure 5.6: against the friction, with the values of steel beads."""
    for k, diameter in enumerate(COMPARED):
        _line(axes, [m for m in chosen if m.average == diameter], "friction", COLOURS[k], f"{diameter:g} mm")
        value, spread = STEEL[diameter]
        axes.axhspan(value - spread, value + spread, color=COLOURS[k], alpha=0.15, linewidth=0.0)
        axes.axhline(value, color=COLOURS[k], linestyle="--", linewidth=0.8)
    axes.set(xlabel="friction", ylabel="mean critical diameter (mm)", title="5.6 (dashed: steel, measured)")


def draw_diameters(axes: Axes, chosen: list[Medium]) -> None:
    """Figure 5.7: against the diameter of the beads, with the values of steel beads."""
    for k, friction in enumerate(sorted({m.friction for m in chosen})):
        _line(axes, [m for m in chosen if m.friction == friction], "average", COLOURS[k], f"friction {friction:g}")
    values = np.array(list(STEEL.values()))
    axes.errorbar(list(STEEL), values[:, 0], yerr=values[:, 1], fmt="kx", capsize=3.0, label="steel, measured")
    axes.set(xlabel="diameter of the beads (mm)", ylabel="mean critical diameter (mm)", title="5.7")


def draw_mixtures(axes: Axes, chosen: list[Medium], title: str) -> None:
    """Figures 5.8 and 5.10: mixtures beside beads of one size, against the mass-average diameter."""
    _line(axes, [m for m in chosen if not m.mixed], "average", COLOURS[0], "one size")
    _line(axes, [m for m in chosen if m.mixed], "average", COLOURS[1], "two sizes", "o")
    axes.set(xlabel="mass-average diameter (mm)", ylabel="mean critical diameter (mm)", title=title)


def _line(axes: Axes, chosen: list[Medium], what: str, colour: str, label: str, style: str = "o-") -> None:
    """Mean critical diameters with their intervals."""
    chosen = sorted(chosen, key=lambda m: float(getattr(m, what)))
    y = np.array([m.found.value for m in chosen])
    ends = np.maximum([y - [m.found.low for m in chosen], [m.found.high for m in chosen] - y], 0.0)
    axes.errorbar([getattr(m, what) for m in chosen], y, yerr=np.nan_to_num(ends), fmt=style, markersize=4.0, capsize=3.0, color=colour, label=label)


def draw(tables: Tables, found: list[Medium], target: Path) -> bool:
    """Draw all panels for which there are trials; False if there is none.

    Args:
        tables: finished rows, by study.
        found: media.
        target: the figure.
    """
    rows, six, bed = one_size(tables), tables.get("six_millimetres", []), tables.get("one_bed", [])
    single = [m for m in found if m.study in MONODISPERSE]
    alike = {friction: [m for m in found if m.friction == friction and m.study != "six_millimetres"] for friction in (0.0, 0.2)}
    panels: list[tuple[Callable[..., None], Any, tuple[Any, ...]]] = [
        (draw_remaining, rows, (six,)),
        (draw_shares, six, (0.4, "5.4: 6 mm, friction 0.8")),
        (draw_shares, bed, (0.1, "5.5: one bed")),
        (draw_frictions, single, ()),
        (draw_diameters, single, ()),
        (draw_mixtures, alike[0.2], ("5.8: friction 0.2",)),
        (draw_mixtures, alike[0.0], ("5.10: no friction",)),
    ]
    drawn = [(panel, what, words) for panel, what, words in panels if what]
    if not drawn:
        return False
    with rc_context(STYLE | {"font.size": 9}):
        lines = (len(drawn) + 1) // 2
        figure = Figure(figsize=(9.0, 3.2 * lines), layout="constrained")
        grid = figure.subplots(lines, 2, squeeze=False).ravel()
        for axes, (panel, what, words) in zip(grid, drawn, strict=False):
            panel(axes, what, *words)
            axes.grid(True)
            if axes.get_legend_handles_labels()[0]:
                axes.legend(fontsize=8)
        for axes in grid[len(drawn) :]:
            axes.set_visible(False)
        figure.savefig(target, dpi=100)
    shrunk(target)
    return True


# -- text ----------------------------------------------------------------------------------------------------------------------------------------


def text(tables: Tables, found: list[Medium], failed: int, drawn: bool, asked: Mapping[str, int]) -> str:
    """The part of docs/validation.md.

    Args:
        tables: finished rows, by study.
        found: media.
        failed: number of runs that have failed.
        drawn: whether there is a figure.
        asked: how many trials each study asks for.
    """
    trials = sum(map(len, tables.values()))
    if not trials:
        return "No trials have been run so far.\n"
    parts = [f"{trials} trials{f'; {failed} more have failed' if failed else ''}. Intervals hold with {CONFIDENCE:.0%}."]
    parts += [piece for piece in (shares(tables),) if piece]
    if found:
        head = [
            "beads (mm)", "mass-average (mm)", "friction", "D_c (mm)", "interval", "D_c by the mass-average", "trials", "D_c, none left (mm)",
            "steel, measured (mm)",
        ]  # fmt: skip
        parts.append(table(head, [_line_of(medium) for medium in found]).strip())
        parts += [claims_table([middle_claim(tables), *claims(found, tables)], "thesis"), *rules(tables, found)]
    if tables.get("shapes"):
        parts.append(_shapes(tables["shapes"], found))
    missing = [WHAT[name] for name, rows in tables.items() if not rows]
    begun = {name: len(rows) for name, rows in tables.items() if 0 < len(rows) < asked.get(name, 0)}
    missing += [f"{asked[name] - there} of {asked[name]} trials of {WHAT[name]}" for name, there in begun.items()]
    if missing:
        parts.append(f"Not run yet, or not all of it: {', '.join(missing)}.")
    if drawn:
        parts.append(f"![flowability, by the thesis' figures](figures/{PICTURE})")
    return "\n\n".join(parts) + "\n"


def _shapes(rows: list[Row], found: list[Medium]) -> str:
    """A row for each shape, beside the beads of the same volume."""
    beads = [m._replace(study="beads") for m in found if (m.study, m.friction) == (f"beads_{EQUAL:g}mm", EQUAL_FRICTION)]
    shapes = [by_both_rules(shape, (EQUAL, EQUAL), EQUAL_FRICTION, members) for (shape,), members in groups_of(rows, ["shape"]).items()]
    lines = []
    for m in [*beads, *shapes]:
        value, low, high = m.found.value, m.found.low, m.found.high
        lines.append([m.study, f"{value:.2f}", f"{low:.2f} to {high:.2f}", f"{value / EQUAL:.2f}", str(m.found.runs), clear_column(m)])
    head = ["grains", "D_c (mm)", "interval", "D_c by the diameter of the bead", "trials", "D_c, none left (mm)"]
    said = f"Grains with the volume of a bead of {EQUAL:g} mm, friction {EQUAL_FRICTION:g} (left open in the thesis):"
    return f"{said}\n\n{table(head, lines).strip()}"


def _line_of(medium: Medium) -> list[str]:
    """A row of the table of media."""
    value, low, high = medium.found.value, medium.found.low, medium.found.high
    steel = STEEL.get(medium.average) if not medium.mixed else None
    return [
        medium.name, f"{medium.average:.2f}", f"{medium.friction:g}", f"{value:.2f}", f"{low:.2f} to {high:.2f}",
        f"{value / medium.average:.2f}", str(medium.found.runs), clear_column(medium), f"{steel[0]} +- {steel[1]}" if steel else "",
    ]  # fmt: skip


def collect(folder: Path, names: Sequence[str]) -> None:
    """Draw the figure and write the part of docs/validation.md.

    Args:
        folder: of the studies.
        names: names of the studies.
    """
    studies = {name: read_study(folder / f"{name}.toml") for name in names}
    failed = {name: failures_of(folder / f"{name}.toml") for name in names}
    tables = {name: of_whole_media(rows_of(folder / f"{name}.toml"), failed[name], study) for name, study in studies.items()}
    found = media(tables)
    drawn = draw(tables, found, FIGURES / PICTURE)
    asked = {name: Design(study).count for name, study in studies.items()}
    write(PART, text(tables, found, sum(map(len, failed.values())), drawn, asked))
