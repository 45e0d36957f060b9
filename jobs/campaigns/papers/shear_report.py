"""Figure and part of docs/validation.md of the shear band (000, section IV.A), from the table of its study."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from judging import Claim, claims_table, column, label, measures, part, said, verdict, waiting
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write
from study_runs import rows_of

import pardem
from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import groups_of
from pardem.io.views.plot_style import COLOURS, STYLE

PART = "shear band"
PICTURE = "shear_band.png"
CLAIMED = 0.01  # of the work
STEP = 1e-5  # s, the paper's
OWN = "tight_voronoi.toml"  # Voronoi grains that stay locked


def claims(rows: list[Row]) -> list[Claim]:
    """What the paper says, beside the runs.

    Args:
        rows: of the study.
    """
    found = []
    for grains in ("pentagons.toml", "voronoi.toml"):
        mine = [row for row in rows if row["grains"] == grains]
        paper, longer = ([float(r["imbalance"]) for r in mine if (float(r["step"]) == STEP) == own] for own in (True, False))
        shown = f"at most {max(paper):.1g} of the work (runs: {len(paper)})" if paper else "no run with the paper's step"
        shown += f"; with ten times the step at most {max(longer):.1g} (runs: {len(longer)})" if longer else ""
        other = {"the step is ten times as long": [value < CLAIMED for value in longer]}
        found.append(Claim(f"work = loss + change of energy within 1 %, {label(grains)}", shown, verdict([v < CLAIMED for v in paper], other)))
    for grains in ("pentagons.toml", "voronoi.toml", OWN):
        shares = column([row for row in rows if row["grains"] == grains], "sheared")
        shown = f"{said(100.0 * shares, '.0f')} % of the velocity of the plate (runs: {len(shares)})" if len(shares) else ""
        found.append(Claim(f"the grains are sheared, more than the plates slip on them ({label(grains)})", shown, verdict([s > 0.5 for s in shares])))
    return found


def text(rows: list[Row], left: str, pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the study.
        left: sentence about what has not been run.
        pictures: Markdown of the figures that are there.
    """
    if not rows:
        return part(["Nothing has been run so far.", left])
    head = [
        "grains, step", "runs", "work (J)", "lost (J)", "change of energy (J)", "largest imbalance / work", "slip at the upper plate",
        "shear of the grains", "slip at the lower plate", "height with 90 % of the shear",
    ]  # fmt: skip
    lines = []
    for (grains, step), members in groups_of(rows, ["grains", "step"]).items():
        energies = [said(column(members, name), ".0f") for name in ("work", "lost", "stored")]
        shares = [said(column(members, name), ".2f") for name in ("slip_above", "sheared", "slip_below", "band")]
        worst = f"{column(members, 'imbalance').max():.1g}"
        lines.append([f"{label(grains)}, {float(step):g} s", str(len(members)), *energies, worst, *shares])
    rule = (
        "Means over samples +- standard deviation; slip and shear are shares of the velocity of the upper plate and add up to 1, velocities of "
        "grains are taken from 2 s of shear on, next to a plate over 1 m. The height is a share of that of the grains, 0.9 where shear is uniform. "
        "The paper speaks of a shear band, but shows no velocities."
    )
    return part([claims_table(claims(rows)), table(head, lines), rule, left, *pictures])


def draw(results: dict[str, Path], module: ModuleType, target: Path) -> None:
    """The imbalance against time, and the velocity of the grains over the height, with those of the plates.

    Args:
        results: by name.
        module: `shear_measures.py`.
        target: the figure.
    """
    with rc_context(STYLE | {"axes.grid": True}):
        figure = Figure(figsize=(9.0, 3.8), layout="constrained")
        panels = figure.subplots(1, 2)
        for (name, path), colour in zip(results.items(), COLOURS, strict=False):
            with pardem.open(path) as result:
                rows = module.books(result)
                speed, height = module.velocities(result)
                plate = module.plate_speed(result)
            time, work, lost, energy = (rows[name][rows["time"] >= module.LOOKS] for name in ("time", "work", "lost", "energy"))
            panels[0].semilogy(time, abs(work - lost - energy) / abs(work), color=colour)
            middles, mean = module.layers(height, speed)
            panels[1].plot(mean / plate, middles, "o-", color=colour, label=name)
            panels[1].plot([0.0, 1.0], [height.min() - 1.0, height.max() + 1.0], "s", color=colour, markerfacecolor="none")
        panels[0].axhline(CLAIMED, color="black", linewidth=0.8, linestyle=":")
        panels[0].set(xlabel="time of shear (s)", ylabel="|work - loss - change of energy| / work")
        panels[1].set(xlabel="velocity over that of the plate (squares: plates)", ylabel="height (m)")
        panels[1].legend()
        figure.savefig(target, dpi=100)
    shrunk(target)


def collect(folder: Path) -> None:
    """Draw the figure and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    study = folder / "shear" / "balance.toml"
    rows = rows_of(study)
    results: dict[str, Path] = {}
    for row in sorted(rows, key=lambda row: (int(row["seed"]), float(row["step"]))):
        path = study.with_suffix(".runs") / row["id"] / "result.h5"
        if path.exists():
            results.setdefault(label(row["grains"]), path)
    if results:
        draw(results, measures(folder / "shear" / "shear_measures.py"), FIGURES / PICTURE)
    pictures = [f"![imbalance, and velocity over height](figures/{PICTURE})"] if rows else []
    write(PART, text(rows, waiting(study, ["grains", "step"]), pictures))
