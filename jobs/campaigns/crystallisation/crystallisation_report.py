"""Figures and the part of docs/validation.md of the crystallisation experiments, from the tables of their studies and the curves beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import an_6_report
import numpy as np
import pandas as pd
from an_6_report import at
from crystallisation_claims import EXPERIMENTS, RULE, claims
from judging import CONFIDENCE, claims_table
from page import FIGURES, table, write
from rod_curves import collected, name_of, of_run
from rod_figures import draw_curves, draw_layers, draw_snapshots
from rod_overlaps import collected_overlaps
from rod_starts import draw_starts, oscillation
from scipy.stats import t
from study_runs import failures_of, rows_of

from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import numbers
from pardem.campaign.study import read_study

PART = "crystallisation"
CURVES, LAYERS, STARTS = "crystallisation.png", "crystallisation_layers.png", "crystallisation_starts.png"
PICTURES = {name: f"crystallisation_{name}.png" for name in ("an_6", "an_9")}
CAPTIONS = {
    CURVES: "figures 6.3 and 6.4, runs of an_6",
    LAYERS: "figure 6.5",
    STARTS: "figures 6.1 and 6.2, first pictures: an_6 and an_9 before the first tap",
    PICTURES["an_6"]: "figure 6.1: an_6 while it is shaken",
    PICTURES["an_9"]: "figure 6.2: an_9 while it is shaken",
}
"""Of the figures, in their order."""
BEGUN = "The beds before the first tap, and the density in the inset of figure 6.3, are of short runs of the same cases, made for the purpose."
UNCHANGED, TAPS = "none", 2000  # the row of the causes that is an_6 itself, and their number of taps
GAMMAS = {"an_5": 1.5, "an_7": 2.5}  # of the experiments that differ from an_6 in it alone
OF_CHANGES = ("causes", "conditions", "walton")
"""Studies whose rows are an_6 with something changed."""


def text(
    tables: dict[str, list[Row]], curves: pd.DataFrame, pictures: Sequence[str], stopped: Sequence[Row] = (), wanted: Sequence[str] = (),
    overlapping: pd.DataFrame | None = None,
) -> str:  # fmt: skip
    """The part of docs/validation.md.

    Args:
        tables: finished rows, by study.
        curves: of all runs.
        pictures: names of the figures that are there.
        stopped: rows of changes whose runs stopped on an error.
        wanted: the changes that the studies have.
        overlapping: by how much rods overlap at the end, by runs (`rod_overlaps.collected_overlaps`).
    """
    if not any(tables.values()):
        return "Nothing has been run so far.\n"
    parts = []
    if tables["study"]:
        densities = {row["change"]: float(row["density"]) for row in _changed(tables) if row["change"] != UNCHANGED}
        parts += [_experiments(tables["study"], curves), claims_table(claims(curves, densities), "thesis"), RULE]
    if _changed(tables):
        parts += causes(tables, stopped, wanted)
    if overlapping is not None and len(overlapping):
        parts.append(_overlapping(tables, overlapping))
    parts += [f"With {row['change']}, the run stopped. {row['sentence'].split(';')[0]}." for row in stopped]
    found = {name_of(row)[0] for row in tables["study"]}
    missing = [name for name in EXPERIMENTS if name not in found]
    if missing:
        parts.append(f"Not run yet: {', '.join(missing)}.")
    if STARTS in pictures:
        parts.append(BEGUN)
    parts += [f"![{CAPTIONS[name]}](figures/{name})" for name in pictures]
    return "\n\n".join(parts) + "\n"


def _experiments(rows: list[Row], curves: pd.DataFrame) -> str:
    """A row for each run of the experiments."""
    head = [
        "run", "taps", "settled: density, angle", "density at 10, 100, 1000 taps", "at the end", "on the base", "layers 2, 3",
        "angle at 10, 100, 1000 taps", "at the end", "layers 2, 3", "residual",
    ]  # fmt: skip
    lines = []
    for row in sorted(rows, key=name_of):
        name, rule, seed = name_of(row)
        found = of_run(curves, name, rule, seed)
        lines.append([
            f"{name}, {rule}, seed {seed}", row["taps"], f"{float(row['density_settled']):.3f}, {float(row['angle_settled']):.1f}",
            ", ".join(f"{at(found, 'density', taps):.3f}" for taps in (10.0, 100.0, 1000.0)),
            *(f"{float(row[what]):.3f}" for what in ("density", "density_at_rest", "density_inside")),
            ", ".join(f"{at(found, 'angle', taps):.0f}" for taps in (10.0, 100.0, 1000.0)),
            *(f"{float(row[what]):.0f}" for what in ("angle", "angle_inside")), f"{float(row['residual']):.0e}",
        ])  # fmt: skip
    return (
        "Densities are moving averages over the oscillation (as figure 6.3 has them), those at the end means over the last hundred taps; *on the "
        "base*: of the densest instant of each tap. Angles in degrees; layers of 4 mm; residual of the energy over the work of the base.\n\n"
        + table(head, lines).strip()
    )


# -- what the density depends on -----------------------------------------------------------------------------------------------------------------


def causes(tables: dict[str, list[Row]], stopped: Sequence[Row], wanted: Sequence[str]) -> list[str]:
    """A row for each change of an_6, with a verdict by the spread over its seeds, and what has not been run.

    Args:
        tables: finished rows, by study.
        stopped: rows of changes whose runs stopped on an error.
        wanted: the changes that the studies have.
    """
    of_an_6 = [row for row in tables["study"] if name_of(row)[0] == "an_6" and int(row["taps"]) == TAPS]
    changed = _changed(tables)
    unchanged = [row for row in changed if row["change"] == UNCHANGED]
    seeds = numbers([*unchanged, *(row for row in of_an_6 if name_of(row)[1] == "regularised")], "density")
    rows = [(row["change"], row) for row in changed] + [("nearest points", row) for row in of_an_6 if name_of(row)[1] == "minima"]
    head = ["an_6 with", "settled", "density at the end", "on the base", "layers 2, 3", "angle", "layers 2, 3", "residual", "verdict"]
    lines = []
    for name, row in rows:
        values = [f"{float(numbers([row], what)[0]):.3f}" for what in ("density_settled", "density", "density_at_rest", "density_inside")]
        angles = [f"{float(numbers([row], what)[0]):.0f}" for what in ("angle", "angle_inside")]
        judged = "" if name == UNCHANGED else _against(float(row["density"]), seeds)
        lines.append([name, *values, *angles, f"{float(row['residual']):.0e}", judged])
    lines += [[row["change"], *[""] * 7, f"undecided: ended early{_time_of(row)}"] for row in stopped]
    known = {name for name, _ in rows} | {row["change"] for row in stopped}
    lines += [[name, *[""] * 7, "not run yet"] for name in wanted if name not in known]
    title = f"What the density of an_6 depends on ({TAPS} taps, one run each, the same rods at first as in seed 1 where no other is named):"
    return [f"{title}\n\n{table(head, lines).strip()}", _allowed(seeds), _amplitudes(tables["study"])]


def _overlapping(tables: dict[str, list[Row]], overlapping: pd.DataFrame) -> str:
    """Overlaps, and the densities without them."""
    named = [(f"seed {row['seed']}", row) for row in tables["study"] if name_of(row)[:2] == ("an_6", "regularised")]
    lines = []
    for name, row in [*named, *((row["change"], row) for row in _changed(tables))]:
        if row["id"] in overlapping.index:
            overlap, left = overlapping.loc[row["id"], ["overlap", "shrunk"]]
            density = float(row["density"])
            lines.append([name, f"{overlap:.3f}", f"{density:.3f}", f"{density * left:.3f}"])
    return (
        "Rods that touch overlap, and the more, the softer the law is. Mean overlap over their radius in the last ten frames, the density at the "
        "end, and that of rods whose radius is smaller by half that overlap, of the runs whose results are at hand:\n\n"
        f"{table(['an_6 with', 'overlap', 'density', 'density of thinner rods'], lines).strip()}"
    )


def _changed(tables: dict[str, list[Row]]) -> list[Row]:
    return [row for name in OF_CHANGES for row in tables.get(name, [])]


def interval(seeds: np.ndarray) -> tuple[float, float]:
    """Where a single further run lies with the probability `CONFIDENCE`, if runs are distributed normally.

    Args:
        seeds: values of at least two runs, (n,).
    """
    width = float(t.ppf(0.5 + 0.5 * CONFIDENCE, len(seeds) - 1) * seeds.std(ddof=1) * (1.0 + 1.0 / len(seeds)) ** 0.5)
    return float(seeds.mean()) - width, float(seeds.mean()) + width


def _against(density: float, seeds: np.ndarray) -> str:
    """A density beside those of seeds."""
    if len(seeds) < 2:
        return "undecided: one seed"
    if seeds.min() <= density <= seeds.max():
        return "as the seeds"
    word, (low, high) = "higher" if density > seeds.max() else "lower", interval(seeds)
    return f"undecided: {word} than all seeds, as a further one may be" if low <= density <= high else f"{word} than seeds allow"


def _allowed(seeds: np.ndarray) -> str:
    if len(seeds) < 2:
        return ""
    low, high = interval(seeds)
    return (
        f"Verdicts are about the density at the end. Over {len(seeds)} seeds of an_6 it is {seeds.min():.3f} to {seeds.max():.3f}; a single further "
        f"run lies with {CONFIDENCE:.0%} between {low:.3f} and {high:.3f} (normal distribution, of which so few seeds say little)."
    )


def _time_of(row: Row) -> str:
    found = re.search(r"t = ([0-9.]+) s", row["sentence"])
    return f", at {float(found.group(1)):.1f} s" if found else ""


def _amplitudes(rows: list[Row]) -> str:
    """Other experiments with another amplitude."""
    ends = {name: float(row["density"]) for row in rows for name in [name_of(row)[0]] if name in GAMMAS}
    told = " and ".join(f"{ends[name]:.3f} with Gamma = {gamma:g} ({name})" for name, gamma in GAMMAS.items() if name in ends)
    return f"With other amplitudes, the density of experiments that are otherwise like an_6 ends at {told}." if told else ""


def collect(folder: Path, names: Sequence[str]) -> None:
    """Write curves, draw figures and write the part of docs/validation.md.

    Args:
        folder: of the studies.
        names: names of the studies.
    """
    tables = {name: rows_of(folder / f"{name}.toml") for name in names}
    curves = collected(folder, "study", tables["study"])
    if len(curves):
        draw_curves(curves, FIGURES / CURVES, oscillation(folder))
        draw_layers(curves, FIGURES / LAYERS)
    for row in tables["study"]:
        name, rule, seed = name_of(row)
        result = folder / "study.runs" / row["id"] / "result.h5"
        if name in PICTURES and (rule, seed) == ("regularised", 1) and result.exists():
            draw_snapshots(result, FIGURES / PICTURES[name])
    draw_starts(folder, FIGURES / STARTS)
    there = [picture for picture in CAPTIONS if (FIGURES / picture).exists()]
    of_changes = [folder / f"{name}.toml" for name in OF_CHANGES]
    wanted = [str(entry[0]) for path in of_changes for entry in read_study(path).axis[0].entries()]
    stopped = [row for path in of_changes for row in failures_of(path)]
    of_an_6 = [row for row in tables["study"] if name_of(row)[0] == "an_6"]
    overlapping = collected_overlaps(folder, {**{name: tables[name] for name in OF_CHANGES}, "study": of_an_6})
    write(PART, text(tables, curves, there, stopped, wanted, overlapping))
    if an_6_report.of_an_6(tables["study"]):
        write(an_6_report.PART, an_6_report.text(tables["study"], curves))
