"""Figures of a scaling study: efficiency over ranks, with the prediction beside it, and the time of a step by part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError
from .run_figures import PARTS

if TYPE_CHECKING:
    import pandas as pd

DPI = 110


def draw(table: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw the figures of a study.

    Args:
        table: as ``collect`` makes it.
        folder: where to write the figures.

    Returns:
        The files.

    Raises:
        FileError: a figure cannot be written.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    written = []
    for scene, rows in table.groupby("scene"):
        drawn = {"efficiency": _draw_efficiency(str(scene), rows)}
        if "seconds" in rows and rows["seconds"].notna().any():
            drawn["parts"] = _draw_parts(str(scene), rows.dropna(subset="seconds"))
        for name, figure in drawn.items():
            path = folder / f"{scene}.{name}.png"
            save(figure, path)
            written.append(path)
    return written


def save(figure: Any, path: Path) -> None:
    """Write a figure and close it.

    Args:
        figure: figure of matplotlib.
        path: file.

    Raises:
        FileError: it cannot be written.
    """
    import matplotlib.pyplot as plt

    try:
        figure.savefig(path, dpi=DPI)
    except OSError as error:
        raise FileError(f"{path} could not be written: {error.strerror}") from None
    finally:
        plt.close(figure)


def number(value: float) -> str:
    """A number of grains in mathematical notation where it is a power of ten.

    Args:
        value: the number.
    """
    text = f"{int(value)}"
    return f"$10^{{{len(text) - 1}}}$" if text.strip("0") == "1" and len(text) > 3 else text


def _draw_efficiency(scene: str, rows: pd.DataFrame) -> Any:
    """Measured efficiencies as points, predicted ones as lines with their ranges."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for k, ((form, asked), series) in enumerate(rows.groupby(["form", "asked"])):
        colour, name = f"C{k % 10}", f"{number(asked)} {scene}{', cubic' if form == 'cubic' else ''}"
        if "predicted_typical" in series and series["predicted_typical"].notna().any():
            known = series.dropna(subset="predicted_typical")
            axes.plot(known["ranks"], known["predicted_typical"], "-", color=colour, label=f"{name}, predicted")
            axes.fill_between(known["ranks"], known["predicted_low"], known["predicted_high"], color=colour, alpha=0.2, lw=0)
        if "strong" in series and series["strong"].notna().any():
            axes.plot(series["ranks"], series["strong"], "o", color=colour, label=f"{name}, measured")
    if "weak" in rows and rows["weak"].notna().any():
        per_rank = (rows["asked"] / rows["ranks"]).astype(float).round(6)
        for grains, series in rows.dropna(subset="weak").groupby(per_rank):
            axes.plot(series["ranks"], series["weak"], "s--", mfc="none", label=f"{grains:g} {scene} a rank, measured")
    axes.set_xscale("log")
    axes.set_ylim(0.0, 1.1)
    axes.set_xlabel("ranks")
    axes.set_ylabel("efficiency")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")
    return figure


def _draw_parts(scene: str, rows: pd.DataFrame) -> Any:
    """Time of a step by part, as shares of a bar for each run."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 0.8 + 0.35 * len(rows)), layout="constrained")
    labels = [f"{number(row.asked)} on {row.ranks:.0f}" for row in rows.itertuples()]
    left = rows["seconds"].to_numpy() * 0.0
    for name in PARTS:
        share = (rows[f"{name}_seconds"] / rows["seconds"]).to_numpy()
        axes.barh(labels, share, left=left, label=name)
        left = left + share
    axes.invert_yaxis()
    axes.set_xlabel("share of the time of a step, mean over the ranks")
    axes.set_title(f"{scene}: grains and ranks", fontsize="medium")
    figure.legend(loc="outside lower center", ncols=len(PARTS), fontsize="x-small")
    return figure
