"""Tables, figure and text of the penetration test."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write

import pardem
from pardem.io.views.plot_style import STYLE

HERE = Path(__file__).resolve().parent / "penetration"
sys.path.insert(0, str(HERE))
from measures import heights, speeds  # noqa: E402

PART = "penetration test"
EVERY = 5  # rows of a result to one of the table, as often as the codes of the benchmark tell
COLUMNS = {
    "surface": ("surface of the bed (99 % of the volume) (mm)", 1e3), "density": ("volume fraction below it", 1.0),
    "coordination": ("coordination", 1.0), "deepest": ("deepest point of the centre of the ball (mm)", 1e3),
    "deepest_time": ("time of it (ms)", 1e3), "rebound": ("largest speed of the rebound (m/s)", 1.0), "last": ("height at 0.1 s (mm)", 1e3),
}  # fmt: skip


def rows_of(path: Path) -> dict[int, dict[str, str]]:
    """Rows of the table of a campaign by seed, columns without their units."""
    with path.open(newline="") as file:
        rows = [{name.partition(" (")[0]: value for name, value in row.items()} for row in csv.DictReader(file)]
    return {int(row["seed"]): row for row in rows if row["status"] == "finished"}


def curves(results: dict[int, Path]) -> tuple[np.ndarray, dict[int, np.ndarray], dict[int, np.ndarray]]:
    """Times of the rows (s), and heights and speeds of the ball by seed (m, m/s); speeds are those between two rows, taken at rows."""
    times, z, v = np.zeros(0), {}, {}
    for seed, path in sorted(results.items()):
        with pardem.open(path) as result:
            times, z[seed] = heights(result)
            between, speed = speeds(result)
            v[seed] = np.interp(times, between, speed)
    return times, z, v


def draw(times: np.ndarray, z: dict[int, np.ndarray], v: dict[int, np.ndarray], target: Path) -> None:
    """Height and speed of the ball against time: each bed, the mean, and one standard deviation to either side."""
    with rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.6), layout="constrained")
        for axes, found, scale, label in zip(figure.subplots(1, 2), (z, v), (1e3, 1.0), ("height of the ball (mm)", "velocity (m/s)"), strict=True):
            every = scale * np.array(list(found.values()))
            axes.plot(1e3 * times, every.T, color="#999999", linewidth=0.4)
            mean = every.mean(axis=0)
            axes.plot(1e3 * times, mean, color="C0", linewidth=1.4)
            if len(every) > 1:
                spread = every.std(axis=0, ddof=1)
                axes.fill_between(1e3 * times, mean - spread, mean + spread, color="C0", alpha=0.25, linewidth=0.0)
            axes.set(xlabel="time (ms)", ylabel=label)
        figure.savefig(target, dpi=100)
    shrunk(target)


def write_heights(times: np.ndarray, z: dict[int, np.ndarray], target: Path) -> None:
    """The table of heights: mean, standard deviation, and each bed."""
    every = np.array(list(z.values()))
    spread = every.std(axis=0, ddof=1) if len(every) > 1 else np.zeros(len(times))
    with target.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["time (s)", "mean (m)", "standard deviation (m)", *(f"bed {seed} (m)" for seed in z)])
        for k in range(0, len(times), EVERY):
            out.writerow([f"{times[k]:.4f}", f"{every[:, k].mean():.6f}", f"{spread[k]:.6f}", *(f"{x:.6f}" for x in every[:, k])])


def collect(results: dict[str, dict[int, Path]], folder: Path) -> None:
    """Write heights.csv, beds.csv, the figure, and the part of docs/validation.md.

    Args:
        results: results of the finished runs, by campaign and seed.
        folder: of the campaigns.
    """
    done = results["impact"]
    if not done:
        raise SystemExit(f"{folder}: no bed has been hit so far")
    times, z, v = curves(done)
    write_heights(times, z, HERE / "heights.csv")
    rest, impact = rows_of(folder / "rest.csv"), rows_of(folder / "impact.csv")
    whole = {seed: rest[seed] | impact[seed] for seed in sorted(done)}
    with (HERE / "beds.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["seed", *COLUMNS])
        out.writerows([[seed, *(row[name] for name in COLUMNS)] for seed, row in whole.items()])
    draw(times, z, v, FIGURES / "penetration.png")
    write(PART, text(whole))


def text(rows: dict[int, dict[str, str]]) -> str:
    """The part of docs/validation.md.

    Args:
        rows: measures of the beds, by seed.
    """
    lines = []
    for name, (label, scale) in COLUMNS.items():
        values = scale * np.array([float(row[name]) for row in rows.values()])
        spread = f"{values.std(ddof=1):.3g}" if len(values) > 1 else "-"
        lines.append([label, f"{values.mean():.4g}", spread, f"{values.min():.4g} to {values.max():.4g}"])
    many = f"{len(rows)} beds (seeds {', '.join(map(str, rows))})" if len(rows) > 1 else f"one bed (seed {next(iter(rows))})"
    figures = table(["", "mean", "standard deviation", "range"], lines)
    return f"Results of {many}:\n\n{figures}\n![height and velocity of the ball](figures/penetration.png)\n"
