"""Figure and text of the penetration test, from its tables."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import penetration_tables as tables
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write

import pardem
from pardem.io.views.plot_style import STYLE

sys.path.insert(0, str(Path(__file__).resolve().parent / "penetration"))
from measures import heights

PART = "penetration test"
SIZES = (25_000, 50_000, 100_000)
COLUMNS = {
    "surface": ("surface of the bed (99 % of the volume) (mm)", 1e3), "density": ("volume fraction below it", 1.0),
    "coordination": ("coordination", 1.0), "deepest": ("deepest point of the centre of the ball (mm)", 1e3),
    "deepest_time": ("time of it (ms)", 1e3), "rebound": ("largest speed of the rebound (m/s)", 1.0), "last": ("height at 0.1 s (mm)", 1e3),
}  # fmt: skip


def rows_of(path: Path) -> tables.Beds:
    """Rows of the table of a campaign by seed, columns without their units."""
    with path.open(newline="") as file:
        rows = [{name.partition(" (")[0]: value for name, value in row.items()} for row in csv.DictReader(file)]
    return {int(row["seed"]): row for row in rows if row["status"] == "finished"}


def curves(results: Mapping[int, Path]) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Times (s), and heights of the ball by seed (m), at each row of the table of heights."""
    times, z = np.zeros(0), {}
    for seed, path in sorted(results.items()):
        with pardem.open(path) as result:
            times, every = heights(result)
            times, z[seed] = times[:: tables.EVERY], every[:: tables.EVERY]
    return times, z


def draw(times: np.ndarray, z: Mapping[int, np.ndarray], target: Path) -> None:
    """Height and speed of the ball against time: each bed, the mean, and one standard deviation to either side."""
    heights = np.array(list(z.values()))
    speeds = np.gradient(heights, times, axis=1)
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.6), layout="constrained")
        for axes, every, label in zip(figure.subplots(1, 2), (1e3 * heights, speeds), ("height of the ball (mm)", "velocity (m/s)"), strict=True):
            axes.plot(1e3 * times, every.T, color="#999999", linewidth=0.4)
            mean = every.mean(axis=0)
            axes.plot(1e3 * times, mean, color="C0", linewidth=1.4)
            if len(every) > 1:
                spread = every.std(axis=0, ddof=1)
                axes.fill_between(1e3 * times, mean - spread, mean + spread, color="C0", alpha=0.25, linewidth=0.0)
            axes.set(xlabel="time (ms)", ylabel=label)
        figure.savefig(target, dpi=100)
    shrunk(target)


def collect(results: Mapping[int, Path], folder: Path, beads: int) -> None:
    """Add the beds of a folder to the tables, and write the figure and the part of docs/validation.md.

    Args:
        results: results of the impacts that are finished, by seed.
        folder: of the campaigns.
        beads: number of beads of a bed.
    """
    beds = tables.beds_of(beads)
    if not results and not beds:
        raise SystemExit(f"{folder}: no bed has been hit so far")
    if results:
        times, z = tables.heights_of(beads)
        new_times, new = curves(results)
        if z and not np.allclose(times, new_times, rtol=0.0, atol=0.01 * (new_times[1] - new_times[0])):
            raise SystemExit(f"{tables.path_of('heights', beads)} has other times than the results in {folder}: remove it to begin anew")
        tables.write_heights(new_times, z | new, beads)
        rest, impact = rows_of(folder / "rest.csv"), rows_of(folder / "impact.csv")
        tables.write_beds(beds | {seed: rest[seed] | impact[seed] for seed in results}, list(COLUMNS), beads)
    sizes = [size for size in sorted({beads, *SIZES}) if tables.beds_of(size)]
    draw(*tables.heights_of(sizes[0]), FIGURES / "penetration.png")
    parts = [text(tables.beds_of(size), size) for size in sizes]
    write(PART, "\n".join(parts) + f"\n![height and velocity of the ball in beds of {sizes[0]} beads](figures/penetration.png)\n")


def text(rows: tables.Beds, beads: int) -> str:
    """The part of docs/validation.md on beds of one size.

    Args:
        rows: measures of the beds, by seed.
        beads: number of beads of a bed.
    """
    lines = []
    for name, (label, scale) in COLUMNS.items():
        values = scale * np.array([float(row[name]) for row in rows.values()])
        spread = [f"{values.std(ddof=1):.3g}", f"{values.min():.4g} to {values.max():.4g}"] if len(values) > 1 else []
        lines.append([label, f"{values.mean():.4g}", *spread])
    many = f"{len(rows)} beds (seeds {', '.join(map(str, rows))})" if len(rows) > 1 else f"one bed (seed {next(iter(rows))})"
    figures = table(["", "mean", "standard deviation", "range"] if len(rows) > 1 else ["", "value"], lines)
    return f"Results of {many} of {beads} beads:\n\n{figures}"
