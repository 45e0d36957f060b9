"""Figure and part of docs/validation.md of the gases (001, section 3; 002, figure 5), from the tables of their studies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
from judging import Claim, claims_table, column, label, measures, part, said, verdict, waiting
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write
from scipy import stats
from study_runs import rows_of

import pardem
from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import groups_of
from pardem.io.views.plot_style import COLOURS, STYLE

PART = "gases"
PICTURE = "gas_2d.png"
NAMES = ("paper", "long")
CLAIMED = 1e-4  # error of the energy
NEAR = 0.02  # of the ratio of energies to 1/2
LEAST = 0.01  # p below which a run contradicts the law
LONG = "gases are softer and run for four minutes"


def claims(paper: list[Row], long: list[Row]) -> list[Claim]:
    """What the papers say, beside the runs.

    Args:
        paper: runs with the papers' stiffness, step and time.
        long: softer and longer ones.
    """
    disks, turning = ([[r for r in rows if (r["grains"] == "disk.toml") == own] for rows in (paper, long)] for own in (True, False))
    return [
        _claim("the energy errs by less than 0.01 %", [paper, long], "error", ".1e", lambda x: x < CLAIMED),
        _claim("it has a trend to grow in all samples", [paper, long], "growth", "+.1e", lambda x: x > 0.0),
        _claim("E_rot/E_lin reaches 1/2, grains other than disks", turning, "ratio", ".3f", lambda x: abs(x - 0.5) < NEAR),
        _claim("it does for all samples, disks among them", disks, "ratio", ".3f", lambda x: abs(x - 0.5) < NEAR),
        _claim("energies of grains follow the law with beta = 3/2", turning, "p", ".2g", lambda x: x >= LEAST),
    ]


def _claim(what: str, runs: list[list[Row]], name: str, form: str, holds: Callable[[float], bool]) -> Claim:
    """A claim about each run by one of its measures: with the papers' values, and in the longer runs."""
    values = [column(rows, name) for rows in runs]
    spans = [f"{x.min():{form}} to {x.max():{form}} (runs: {len(x)})" if len(x) else "no run" for x in values]
    judged = [[bool(holds(float(x))) for x in row] for row in values]
    kinds = ", ".join(dict.fromkeys(label(row["grains"]) for rows in runs for row in rows))
    return Claim(what, f"{name}: {spans[0]}; longer and softer: {spans[1]}; grains: {kinds}", verdict(judged[0], {LONG: judged[1]}))


def text(tables: dict[str, list[Row]], left: list[str], pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        tables: runs by study.
        left: sentences about what has not been run.
        pictures: Markdown of the figures that are there.
    """
    if not any(tables.values()):
        return part(["Nothing has been run so far.", *left])
    head = ["grains", "run", "starts", "energy error", "change at the end", "E_rot/E_lin", "its error in a run", "distance to the law", "p"]
    lines = []
    for name, rows in tables.items():
        for (grains,), members in groups_of(rows, ["grains"]).items():
            numbers = [f"{column(members, 'error').max():.1e}", said(column(members, "growth"), "+.1e"), said(column(members, "ratio"), ".3f")]
            numbers += [f"{column(members, 'ratio_error').mean():.3f}", said(column(members, "distance"), ".4f")]
            lines.append([label(grains), name, str(len(members)), *numbers, ", ".join(f"{p:.2g}" for p in column(members, "p"))])
    rule = (
        "Means over starts +- standard deviation; of the energy error the largest. Runs of 8 s are evaluated from 1 s on as in the papers, longer "
        f"ones in their second half. A ratio is 1/2 if it is within {NEAR:g}; p is the probability that a sample of the law (of two terms for disks, "
        "whose spin stays exactly zero) deviates from it more than frames that have forgotten each other, and a run contradicts the law if p < "
        f"{LEAST:g}."
    )
    return part([claims_table(claims(tables["paper"], tables["long"])), table(head, lines), rule, *left, *pictures])


def draw(results: dict[str, Path], module: ModuleType, target: Path) -> None:
    """The ratio over time, and the distribution of energies against its law.

    Args:
        results: by name.
        module: `gas_measures.py`.
        target: the figure.
    """
    bins = np.linspace(0.0, 6.0, 41)
    with rc_context(STYLE):
        figure = Figure(figsize=(10.0, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        for (name, path), colour in zip(results.items(), COLOURS, strict=False):
            with pardem.open(path) as result:
                left.plot(result.series.times, module.ratios(result), linewidth=0.8, color=colour, label=name)
                energies = module.energies(result).ravel()
            counts, _ = np.histogram(energies, bins)
            right.plot(0.5 * (bins[1:] + bins[:-1]), counts / len(energies) / np.diff(bins), "o", markersize=3, color=colour, label=name)
        for terms, style in ((3, "-"), (2, "--")):
            density = stats.gamma.pdf(bins, 0.5 * terms, scale=2.0 / terms)
            right.plot(bins, density, style, color="black", linewidth=0.9, label=f"{terms} quadratic terms")
        left.axhline(0.5, color="gray", linewidth=0.8, linestyle=":")
        left.set(xlabel="time (s)", ylabel="rotational over translational energy")
        right.set(xlabel="energy of a grain over the mean", ylabel="probability density", yscale="log", ylim=(1e-4, 1.5))
        left.legend()
        right.legend()
        figure.savefig(target, dpi=100)
    shrunk(target)


def collect(folder: Path) -> None:
    """Draw the figure and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    studies = {name: folder / "gas" / f"{name}.toml" for name in NAMES}
    tables = {name: rows_of(path) for name, path in studies.items()}
    results = {}
    for row in tables["long"]:
        path = studies["long"].with_suffix(".runs") / row["id"] / "result.h5"
        if row["seed"] == "1" and path.exists():
            results[label(row["grains"])] = path
    if results:
        draw(results, measures(folder / "gas" / "gas_measures.py"), FIGURES / PICTURE)
    pictures = [f"![partition and distribution of the energy in the longer runs](figures/{PICTURE})"] if tables["long"] else []
    write(PART, text(tables, [waiting(path, ["grains"]) for path in studies.values()], pictures))
