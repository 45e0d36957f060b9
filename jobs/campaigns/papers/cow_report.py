"""Figure and part of docs/validation.md of the bouncing cow (002, figures 2 and 3), from the table of its study."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from judging import Claim, claims_table, column, part, said, verdict, waiting
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write
from study_runs import rows_of

import pardem
from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import groups_of
from pardem.io.views.plot_style import COLOURS, STYLE

PART = "bouncing cow"
PICTURE = "cow_energy.png"
CLAIMED = 1e-6  # of the energy
PAPER, FINE = ("gear4", 1e-5), ("verlet", 1e-6)  # schemes and steps (s) that the figure shows
SHOWN = ("total", "gravity", "kinetic_translational", "kinetic_rotational")
COWS = {"base.toml": "6.52 m2", "low.toml": "4.97 m2"}
Groups = dict[tuple[str, float, str], list[Row]]


def grouped(rows: list[Row]) -> Groups:
    """Runs by scheme, step (s) and cow.

    Args:
        rows: of the study.
    """
    return {(scheme, float(step), cow): members for (scheme, step, cow), members in groups_of(rows, ["scheme", "step", "cow"]).items()}


def claims(groups: Groups) -> list[Claim]:
    """What the paper says, beside the runs.

    Args:
        groups: the runs.
    """
    paper = groups.get((*PAPER, "base.toml"), [])
    errors = column(paper, "error")
    other = {_name(scheme, step, cow): list(column(m, "error") < CLAIMED) for (scheme, step, cow), m in groups.items() if step < PAPER[1]}
    first = column(paper, "error_of_first_bounce")
    shown = f"{_span(errors)}, in the first bounce {_span(first)} (runs: {len(errors)})" if paper else ""
    turning = column(paper, "turning")
    turns = f"the largest share of the kinetic energy in the rotation is {said(turning, '.2f')}" if paper else ""
    return [
        Claim("the energy errs by less than 0.0001 % throughout", shown, verdict(list(errors < CLAIMED), other)),
        Claim("contacts without friction make the cow rotate", turns, verdict(list(turning > 0.01))),
    ]


def _span(values: np.ndarray) -> str:
    return f"{values.min():.1e}" + (f" to {values.max():.1e}" if len(values) > 1 else "")


def _name(scheme: str, step: float, cow: str) -> str:
    return f"the step is {step:g} s ({scheme}, cow of {COWS[cow]})"


def text(rows: list[Row], left: str, pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the study.
        left: sentence about what has not been run.
        pictures: Markdown of the figures that are there.
    """
    if not rows:
        return part(["Nothing has been run so far.", left])
    groups = grouped(rows)
    head = ["scheme, step", "cow", "runs", "bounces in 10 s", "first contact (s)", "largest energy error", "after the first bounce"]
    lines = []
    for (scheme, step, cow), members in groups.items():
        errors = [f"{np.median(column(members, name)):.1e} ({column(members, name).max():.1e})" for name in ("error", "error_of_first_bounce")]
        bounces = said(column(members, "bounces"), ".1f")
        lines.append([f"{scheme}, {step:g} s", COWS[cow], str(len(members)), bounces, said(column(members, "first_contact"), ".2f"), *errors])
    rule = "Errors are changes of the energy over that at first: median of the runs (largest). Runs differ in the place from which the cow falls."
    return part([claims_table(claims(groups)), table(head, lines), rule, left, *pictures])


def draw(paper: Path, fine: Path | None, target: Path) -> None:
    """The energy budget with the paper's scheme and step, and the error of the energy, beside that of a run with a shorter step.

    Args:
        paper: result with the paper's scheme and step.
        fine: result with the shorter step.
        target: the figure.
    """
    with rc_context(STYLE | {"axes.grid": True}):
        figure = Figure(figsize=(9.0, 3.8), layout="constrained")
        panels = figure.subplots(1, 2)
        for path, (scheme, step), colour in zip((paper, fine), (PAPER, FINE), (COLOURS[1], COLOURS[0]), strict=True):
            if path is None:
                continue
            with pardem.open(path) as result:
                times, rows = result.series.times, result.series.values
                values = {name: np.asarray(rows[f"energy/{name}"]) for name in SHOWN}
            if path == paper:
                for (name, row), line in zip(values.items(), COLOURS, strict=False):
                    panels[0].plot(times, row, color=line, label=name.replace("_", " "), linewidth=0.9)
                panels[0].set(title=f"{scheme}, {step:g} s", xlabel="time (s)", ylabel="energy (J)")
                panels[0].legend()
            total = values["total"]
            panels[1].semilogy(times, np.maximum(np.abs(total / total[0] - 1.0), 1e-12), color=colour, label=f"{scheme}, {step:g} s")
        panels[1].axhline(CLAIMED, color="black", linewidth=0.8, linestyle=":")
        panels[1].set(xlabel="time (s)", ylabel="change of the energy / energy", ylim=(1e-9, 1e-3))
        panels[1].legend()
        figure.savefig(target, dpi=100)
    shrunk(target)


def collect(folder: Path) -> None:
    """Draw the figure and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    study = folder / "cow" / "bounces.toml"
    rows = rows_of(study)
    results: dict[tuple[str, float], Path] = {}
    for (scheme, step, cow), members in grouped(rows).items():
        path = study.with_suffix(".runs") / members[0]["id"] / "result.h5"
        if cow == "base.toml" and path.exists():
            results[scheme, step] = path
    if PAPER in results:
        draw(results[PAPER], results.get(FINE), FIGURES / PICTURE)
    pictures = [f"![energies with the paper's scheme and step; error of the energy](figures/{PICTURE})"] if rows else []
    write(PART, text(rows, waiting(study, ["scheme", "step", "cow"]), pictures))
