"""Curves, figures and the part of docs/validation.md of the segregation experiments, from the tables of their studies.

`curves.csv` holds means over the seeds against time; it is written from results, as far as they are there, and lies beside the tables.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import bed_measures
import numpy as np
from judging import CONFIDENCE, alike, claims_table, with_interval
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from page import FIGURES, show_frame, shrunk, table, write
from segregation_claims import RULE, STARTS, claims, experiments
from study_runs import rows_of

import pardem
from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import groups_of, numbers
from pardem.io.views.plot_style import COLOURS, STYLE

TWELVE = "study"  # the study of the twelve experiments
PART, PICTURE, SNAPSHOTS = "segregation", "segregation.png", "segregation_snapshots.png"
WINDOW = 0.5  # s, over which curves are averaged
COLUMNS = ("experiment", "time (s)", "ratio", "ratio spread", "wall share", "wall share spread", "seeds")
_SEEDS = "(columns as above, over the seeds run so far):"
LEFT_OPEN = {
    "shapes": f"Left open by the thesis: other ratios l/r, and rods and triangles against spheres {_SEEDS}",
    "inertia": (
        "The thesis ends with the hypothesis that grains mix because a tetrahedron has the inertia of a sphere. In the cylinder, mixed at first, "
        f"with gamma = 3, tetrahedra with moments of inertia of their own {_SEEDS}"
    ),
}
"""What two studies of questions that the thesis left open are about."""
MEANS = (
    f"Means over seeds +- standard deviation, and the interval of {CONFIDENCE:.0%} of the mean (bootstrap, bias-corrected and accelerated; of five "
    "seeds it is rather too narrow):"
)
DIFFERENCE = "if R at the end did not depend on the {}, it would differ so much with probability {:.2g}, and P with {:.2g} (Kruskal-Wallis)."
Curve = dict[str, np.ndarray]


# -- curves --------------------------------------------------------------------------------------------------------------------------------------


def curve(results: list[Path]) -> Curve:
    """Means and standard deviations over seeds of the ratio and the share at the wall, in windows of time.

    Args:
        results: results of one experiment.

    Returns:
        Columns of `COLUMNS` but for the experiment.
    """
    seeds = []
    for path in results:
        with pardem.open(path) as result:
            times, rows = bed_measures.shaken_times(result), np.stack([bed_measures.ratios(result), bed_measures.wall_shares(result)])
        known = np.isfinite(times)
        place = np.floor(times[known] / WINDOW - 1e-9).astype(int).clip(0)
        seeds.append(np.array([rows[:, known][:, place == k].mean(axis=1) for k in range(place.max() + 1)]))
    length = min(map(len, seeds))
    every = np.stack([seed[:length] for seed in seeds])
    spread = every.std(axis=0, ddof=1) if len(every) > 1 else np.zeros(every.shape[1:])
    middle = every.mean(axis=0)
    columns = ((np.arange(length) + 0.5) * WINDOW, middle[:, 0], spread[:, 0], middle[:, 1], spread[:, 1], np.full(length, len(every)))
    return dict(zip(COLUMNS[1:], columns, strict=True))


def read_curves(path: Path) -> dict[int, Curve]:
    """Read the curves of all experiments.

    Args:
        path: of curves.csv; there may be none.
    """
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    numbers_of = sorted({int(row["experiment"]) for row in rows})
    return {n: {c: np.array([float(row[c]) for row in rows if int(row["experiment"]) == n]) for c in COLUMNS[1:]} for n in numbers_of}


def write_curves(path: Path, curves: dict[int, Curve]) -> None:
    """Write the curves of all experiments.

    Args:
        path: of curves.csv.
        curves: by experiment.
    """
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for number, columns in sorted(curves.items()):
            out.writerows([number, *(f"{value:.6g}" for value in row)] for row in zip(*columns.values(), strict=True))


def results_of(folder: Path, rows: list[Row]) -> list[Path]:
    """Results of rows of the first study that are there.

    Args:
        folder: of the studies.
        rows: the rows.
    """
    paths = (folder / f"{TWELVE}.runs" / row["id"] / "result.h5" for row in rows)
    return [path for path in paths if path.exists()]


# -- figures -------------------------------------------------------------------------------------------------------------------------------------


def draw(curves: dict[int, Curve], target: Path) -> None:
    """Figures 7.2 to 7.7: the ratio of all experiments, and the share at the wall of those in the cylinder.

    Args:
        curves: by experiment.
        target: the figure.
    """
    panels = [
        (4, "ratio", "7.2: cylinder, gamma 2"), (4, "wall share", "7.3: cylinder, gamma 2"), (1, "ratio", "7.4: periodic, gamma 2"),
        (7, "ratio", "7.5: periodic, gamma 3"), (10, "ratio", "7.6: cylinder, gamma 3"), (10, "wall share", "7.7: cylinder, gamma 3"),
    ]  # fmt: skip
    with rc_context(STYLE | {"font.size": 9}):
        figure = Figure(figsize=(10.0, 5.6), layout="constrained")
        for axes, (first, what, title) in zip(figure.subplots(2, 3).ravel(), panels, strict=True):
            _draw_curves(axes, {k: curves[first + k] for k in range(3) if first + k in curves}, first, what)
            axes.set(title=title, xlabel="time (s)", ylabel="R" if what == "ratio" else "P")
            axes.grid(True)
        figure.savefig(target, dpi=100)
    shrunk(target)


def _draw_curves(axes: Axes, curves: dict[int, Curve], first: int, what: str) -> None:
    """The curves of three experiments with one standard deviation to either side."""
    for k, columns in curves.items():
        x, y, spread = columns["time (s)"], columns[what], columns[f"{what} spread"]
        axes.plot(x, y, color=COLOURS[k], label=f"{first + k}: {STARTS[k]}")
        axes.fill_between(x, y - spread, y + spread, color=COLOURS[k], alpha=0.2, linewidth=0.0)
    if curves:
        axes.legend(fontsize=8)


def draw_snapshots(results: dict[int, Path], target: Path) -> None:
    """Figure 7.1: experiments 4 to 6 before and after the vibration, one seed.

    Args:
        results: a result of each of the three experiments.
        target: the figure.
    """
    figure = Figure(figsize=(6.0, 6.0), layout="constrained")
    grid = figure.subplots(2, len(results), squeeze=False)
    for column, (number, path) in zip(grid.T, results.items(), strict=True):
        with pardem.open(path) as result:
            before = max(0, sum(result.stage_at(int(step)) == "settle" for step in result.steps) - 1)
            frames = (before, len(result) - 1)
        for axes, frame in zip(column, frames, strict=True):
            show_frame(axes, path, frame, "--colour", "species", "--size", "300x450")
        column[0].set_title(f"experiment {number}", fontsize=10)
    figure.savefig(target, dpi=100)
    shrunk(target)


# -- text ----------------------------------------------------------------------------------------------------------------------------------------


def text(tables: dict[str, list[Row]], pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        tables: finished rows, by study.
        pictures: names of the figures that are there.
    """
    if not any(tables.values()):
        return "Nothing has been run so far.\n"
    parts = []
    found = experiments(tables[TWELVE])
    if found:
        head = ["experiment", "vessel, gamma, start", "R at rest", "R at 5 s", "R at the end", "P at the end", "seeds"]
        parts.append(MEANS + "\n\n" + table(head, [_line_of(n, rows) for n, rows in found.items()]).strip())
        parts += [claims_table(claims(found), "thesis"), RULE]
    for name, columns in (("shapes", ["gamma", "shape"]), ("inertia", ["inertia"])):
        groups = groups_of(tables[name], columns)
        if groups:
            shown = ("ratio_at_rest", "ratio", "wall_share")
            lines = [[*group, *(with_interval(numbers(rows, name), ".3f") for name in shown), str(len(rows))] for group, rows in groups.items()]
            parts.append(LEFT_OPEN[name] + "\n\n" + table([*columns, "R at rest", "R at the end", "P at the end", "seeds"], lines).strip())
            parts += differences(groups)
    missing = [str(n) for n in range(1, 13) if n not in found]
    if missing:
        parts.append(f"Experiments not run yet: {', '.join(missing)}.")
    parts += [f"![{name.removesuffix('.png').replace('_', ' ')}](figures/{name})" for name in pictures]
    return "\n\n".join(parts) + "\n"


def differences(groups: dict[tuple[str, ...], list[Row]]) -> list[str]:
    """How probable the differences between shapes or moments of inertia are if there are none, a sentence for each acceleration.

    Args:
        groups: rows by acceleration, if there are several, and by what differs.
    """
    sentences = []
    for under in dict.fromkeys(group[:-1] for group in groups):
        samples = [rows for group, rows in groups.items() if group[:-1] == under]
        if len(samples) > 1:
            chances = [alike([numbers(rows, key) for rows in samples]) for key in ("ratio", "wall_share")]
            sentence = DIFFERENCE.format("shape" if under else "inertia", *chances)
            sentences.append(f"With gamma = {under[0]}, {sentence}" if under else sentence[0].upper() + sentence[1:])
    return sentences


def _line_of(number: int, rows: list[Row]) -> list[str]:
    """A row of the table of experiments."""
    what = f"{rows[0]['vessel'].removesuffix('.toml')}, {float(rows[0]['gamma']):g}, {rows[0]['start']}"
    names = ("ratio_at_rest", "ratio_at_five", "ratio", "wall_share")
    return [str(number), what, *(with_interval(numbers(rows, name), ".3f") for name in names), str(len(rows))]


def collect(folder: Path, names: Sequence[str]) -> None:
    """Write curves, draw figures and write the part of docs/validation.md.

    Args:
        folder: of the studies.
        names: names of the studies.
    """
    tables = {name: rows_of(folder / f"{name}.toml") for name in names}
    rows = experiments(tables[TWELVE])
    there = {number: results_of(folder, members) for number, members in rows.items()}
    curves = read_curves(folder / "curves.csv") | {n: curve(paths) for n, paths in there.items() if len(paths) == len(rows[n])}
    pictures = []
    if curves:
        write_curves(folder / "curves.csv", curves)
        draw(curves, FIGURES / PICTURE)
        pictures.append(PICTURE)
    shown = {n: there[n][0] for n in (4, 5, 6) if there.get(n)}
    if len(shown) == 3:
        draw_snapshots(shown, FIGURES / SNAPSHOTS)
    if (FIGURES / SNAPSHOTS).exists():
        pictures.append(SNAPSHOTS)
    write(PART, text(tables, pictures))
