"""Figures and the part of docs/validation.md of the crystallisation experiments, from the tables of their studies and the curves beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import an_6_report
import numpy as np
import pandas as pd
from an_6_report import at
from page import FIGURES, table, write
from rod_curves import collected, name_of, of_run
from rod_figures import EXPERIMENTS, draw_curves, draw_layers, draw_snapshots
from scipy.stats import linregress
from study_runs import failures_of, rows_of

from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import numbers

PART = "crystallisation"
CURVES, LAYERS = "crystallisation.png", "crystallisation_layers.png"
PICTURES = {name: f"crystallisation_{name}.png" for name in ("an_6", "an_9")}
COMPARED = 1600.0  # taps: the last that all experiments reach with a whole window
RISE = (12.0, 600.0)  # taps between which the angle is to rise with the logarithm of their number
RISING = ("an_4", "an_6", "an_7", "an_8", "an_9")  # of which the thesis says so
STRAIGHT, DOUBT = 0.97, 0.01  # share of the variance that a straight line explains where a rise is logarithmic; how near to it nothing is decided
MARGIN = 2.0  # standard deviations of single runs within which two experiments agree


def text(tables: dict[str, list[Row]], curves: pd.DataFrame, pictures: list[str], stopped: Sequence[Row] = ()) -> str:
    """The part of docs/validation.md.

    Args:
        tables: finished rows, by study.
        curves: of all runs.
        pictures: names of the figures that are there.
        stopped: rows of the causes whose runs stopped on an error.
    """
    if not any(tables.values()):
        return "Nothing has been run so far.\n"
    parts = []
    if tables["study"]:
        parts += [_experiments(tables["study"], curves), claims(curves)]
    if tables["causes"]:
        parts.append(_causes(tables["causes"]))
    parts += [f"With {row['change']}, the run stopped. {row['sentence'].split(';')[0]}." for row in stopped]
    found = {name_of(row)[0] for row in tables["study"]}
    missing = [name for name in EXPERIMENTS if name not in found]
    if missing:
        parts.append(f"Not run yet: {', '.join(missing)}.")
    parts += [f"![{name.removesuffix('.png').replace('_', ' ')}](figures/{name})" for name in pictures]
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


def spread(curves: pd.DataFrame, column: str, taps: float) -> float:
    """Standard deviation of a curve of an_6 over its seeds; not a number where there are fewer than two.

    Args:
        curves: of all runs.
        column: column of the curves.
        taps: number of taps.
    """
    runs = curves[(curves["experiment"] == "an_6") & (curves["rule"] == "regularised")]
    values = np.array([at(run, column, taps) for _, run in runs.groupby("seed")])
    values = values[np.isfinite(values)]
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


# -- claims --------------------------------------------------------------------------------------------------------------------------------------


def claims(curves: pd.DataFrame) -> str:
    """A row for each claim of the thesis about several experiments.

    Args:
        curves: of all runs.
    """
    judged: list[tuple[str, Callable[[pd.DataFrame], tuple[str, str]]]] = [
        ("no dependence on the restitution from .2 on (an_4, an_6, an_8)", lambda c: _alike(c, ("an_4", "an_6", "an_8"))),
        ("no dependence on Gamma from 2 on (an_6, an_7)", lambda c: _alike(c, ("an_6", "an_7"))),
        (f"the angle rises as the logarithm of the taps ({', '.join(RISING)})", lambda c: _logarithmic(c, RISING)),
        ("it does not in an_3 and an_5", lambda c: _logarithmic(c, ("an_3", "an_5"), holds=False)),
        ("an_9 saturates at a lower angle than an_6", _lower),
        ("layers 2 and 3 end at 80 to 90 degrees (an_3, an_4, an_6, an_8)", lambda c: _inside(c, ("an_3", "an_4", "an_6", "an_8"), 80.0, 90.0)),
        ("at 60 to 80 degrees (an_5, an_7, an_9)", lambda c: _inside(c, ("an_5", "an_7", "an_9"), 60.0, 80.0)),
    ]
    lines = [[claim, *found(curves)] for claim, found in judged]
    rule = (
        f"Experiments agree where angle and density at {COMPARED:.0f} taps differ by less than {MARGIN:.0f} standard deviations of a difference of "
        f"two runs, from the seeds of an_6; a rise is logarithmic where a straight line over log(taps) from {RISE[0]:.0f} to {RISE[1]:.0f} taps "
        f"explains {STRAIGHT:.0%} of the variance of the angle, undecided within {DOUBT:.0%} of that."
    )
    return f"{table(['claim of the thesis', 'measured', 'found'], lines).strip()}\n\n{rule}"


def _said(holds: bool | None) -> str:
    return "not run yet" if holds is None else "yes" if holds else "no"


def _shown(values: Iterable[float], form: str) -> str:
    """Numbers, with a dash for each that has not been measured."""
    return ", ".join(f"{value:{form}}" if np.isfinite(value) else "-" for value in values)


def _alike(curves: pd.DataFrame, names: Sequence[str]) -> tuple[str, str]:
    """Whether experiments end alike."""
    said, alike = [], True
    for column, form in (("density", ".3f"), ("angle", ".1f")):
        values = np.array([at(of_run(curves, name), column, COMPARED) for name in names])
        one = spread(curves, column, COMPARED)
        said.append(f"{column} {_shown(values, form)} (seeds: +- {_shown([one], form)})")
        alike &= bool(np.ptp(values) < MARGIN * 2.0**0.5 * one)
        if not (np.isfinite(values).all() and np.isfinite(one)):
            return "; ".join(said), _said(None)
    return "; ".join(said), _said(alike)


def _logarithmic(curves: pd.DataFrame, names: Sequence[str], holds: bool = True) -> tuple[str, str]:
    """Whether the angle rises as the logarithm of the number of taps."""
    shares = []
    for name in names:
        found = of_run(curves, name)
        found = found[(found["taps"] >= RISE[0]) & (found["taps"] <= RISE[1])]
        shares.append(float(linregress(np.log(found["taps"]), found["angle"]).rvalue ** 2) if len(found) > 2 else float("nan"))
    said = ", ".join(f"{name} {_shown([share], '.3f')}" for name, share in zip(names, shares, strict=True))
    if not np.isfinite(shares).all():
        return said, _said(None)
    said = f"variance explained: {said}"
    margins = [share - STRAIGHT for share in shares]
    by = min(margins) if holds else -max(margins)
    return said, "undecided" if abs(by) <= DOUBT else _said(by > 0.0)


def _lower(curves: pd.DataFrame) -> tuple[str, str]:
    """Whether an_9 ends at a lower angle than an_6."""
    values = [at(of_run(curves, name), "angle", 3000.0) for name in ("an_9", "an_6")]
    said = f"{_shown(values[:1], '.1f')} against {_shown(values[1:], '.1f')} degrees at 3000 taps"
    return said, _said(values[0] < values[1] if np.isfinite(values).all() else None)


def _inside(curves: pd.DataFrame, names: Sequence[str], low: float, high: float) -> tuple[str, str]:
    """Whether the two layers in the middle end within a range of angles."""
    values = [[at(of_run(curves, name), f"angle_{layer}", COMPARED) for layer in (2, 3)] for name in names]
    said = "; ".join(f"{name} {_shown(pair, '.0f')}" for name, pair in zip(names, values, strict=True))
    if not np.isfinite(values).all():
        return said, _said(None)
    return said, _said(bool(np.all((np.array(values) >= low) & (np.array(values) <= high))))


# -- what the density depends on -----------------------------------------------------------------------------------------------------------------


def _causes(rows: list[Row]) -> str:
    """A row for each change of an_6."""
    head = ["an_6 with", "settled", "density at the end", "on the base", "layers 2, 3", "angle", "layers 2, 3", "residual"]
    lines = []
    for row in rows:
        values = [f"{float(numbers([row], what)[0]):.3f}" for what in ("density_settled", "density", "density_at_rest", "density_inside")]
        angles = [f"{float(numbers([row], what)[0]):.0f}" for what in ("angle", "angle_inside")]
        lines.append([row["change"], *values, *angles, f"{float(row['residual']):.0e}"])
    return "What the density of an_6 depends on (2000 taps, one run each, the same rods at first):\n\n" + table(head, lines).strip()


def collect(folder: Path, names: Sequence[str]) -> None:
    """Write curves, draw figures and write the part of docs/validation.md.

    Args:
        folder: of the studies.
        names: names of the studies.
    """
    tables = {name: rows_of(folder / f"{name}.toml") for name in names}
    curves = collected(folder, "study", tables["study"])
    if len(curves):
        draw_curves(curves, FIGURES / CURVES)
        draw_layers(curves, FIGURES / LAYERS)
    for row in tables["study"]:
        name, rule, seed = name_of(row)
        result = folder / "study.runs" / row["id"] / "result.h5"
        if name in PICTURES and (rule, seed) == ("regularised", 1) and result.exists():
            draw_snapshots(result, FIGURES / PICTURES[name])
    there = [picture for picture in (CURVES, LAYERS, *PICTURES.values()) if (FIGURES / picture).exists()]
    write(PART, text(tables, curves, there, failures_of(folder / "causes.toml")))
    if an_6_report.of_an_6(tables["study"]):
        write(an_6_report.PART, an_6_report.text(tables["study"], curves))
