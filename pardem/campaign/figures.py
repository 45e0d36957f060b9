"""Figures of a campaign: what `summary` of the study asks for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import FileError
from .run_rows import Row
from .statistics import Group, IntervalEstimate, groups_of, numbers, summed
from .study import Study, Summing

WINDOWS = 12  # of a threshold's axis, in which shares are counted


def draw(study: Study, rows: list[Row]) -> list[Path]:
    """Draw all summaries of a study, each into a file beside it.

    Args:
        study: the study.
        rows: rows of the table.

    Returns:
        The files.

    Raises:
        FileError: nothing is to be drawn, or a figure cannot be written.
    """
    if not study.summary:
        raise FileError(f"{study.path} has no [[summary]]: say what is to be drawn")
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    written = []
    for summing in study.summary:
        figure, axes = plt.subplots(figsize=(6.0, 4.0), layout="constrained")
        found = summed(study, summing, rows)
        if summing.kind == "threshold":
            _draw_thresholds(axes, summing, rows, found)
        else:
            _draw_means(axes, summing, found)
        axes.set_xlabel(_labelled(study, summing.over or (summing.by[-1] if summing.by else "")))
        axes.set_title(study.title)
        if len(axes.get_legend_handles_labels()[0]) > 1:
            axes.legend()
        path = study.path.with_name(f"{study.path.stem}.{summing.name}.png")
        try:
            figure.savefig(path, dpi=150)
        except OSError as error:
            raise FileError(f"{path} could not be written: {error.strerror}") from None
        plt.close(figure)
        written.append(path)
    return written


def _labelled(study: Study, column: str) -> str:
    unit = next((axis.column_units[column] for axis in study.axis if column in axis.columns), "")
    return f"{column} ({unit})" if unit else column


def _label(summing: Summing, group: Group) -> str:
    return ", ".join(f"{name} = {value}" for name, value in zip(summing.by, group, strict=False))


def _draw_thresholds(axes: object, summing: Summing, rows: list[Row], found: dict[Group, IntervalEstimate]) -> None:
    """Shares in windows, the fitted curve, and the threshold with its interval."""
    for group, members in groups_of(rows, summing.by).items():
        x, y, estimate = numbers(members, str(summing.over)), numbers(members, summing.measure), found[group]
        edges = np.linspace(x.min(), x.max() + 1e-12 * max(1e-300, np.ptp(x)), WINDOWS + 1)
        place = np.clip(np.digitize(x, edges) - 1, 0, WINDOWS - 1)
        shares = [(x[place == k].mean(), y[place == k].mean()) for k in range(WINDOWS) if (place == k).any()]
        points = axes.plot(*zip(*shares, strict=True), "o", label=_label(summing, group))[0]  # type: ignore[attr-defined]
        if estimate.curve is not None:
            fine = np.linspace(x.min(), x.max(), 300)
            curve = 1.0 / (1.0 + np.exp(-np.clip(estimate.curve[0] + estimate.curve[1] * fine, -500.0, 500.0)))
            axes.plot(fine, curve, color=points.get_color())  # type: ignore[attr-defined]
            axes.errorbar(  # type: ignore[attr-defined]
                [estimate.value], [0.5], xerr=_ends(estimate), color=points.get_color(), capsize=4.0
            )
    axes.set_ylabel(f"share of {summing.measure}")  # type: ignore[attr-defined]


def _draw_means(axes: object, summing: Summing, found: dict[Group, IntervalEstimate]) -> None:
    """Means with their intervals over a column, a line for each group; without such a column over the groups."""
    lines: dict[Group, list[tuple[str, IntervalEstimate]]] = {}
    for group, estimate in found.items():
        name, at = (group[:-1], group[-1]) if summing.over or summing.by else (group, "")
        lines.setdefault(name, []).append((at, estimate))
    for name, values in lines.items():
        try:
            x: list[float] | list[str] = [float(at) for at, _ in values]
        except ValueError:
            x = [at for at, _ in values]
        ends = np.concatenate([_ends(estimate) for _, estimate in values], axis=1)
        axes.errorbar(x, [e.value for _, e in values], yerr=ends, fmt="o-", capsize=4.0, label=_label(summing, name))  # type: ignore[attr-defined]
    axes.set_ylabel(summing.measure)  # type: ignore[attr-defined]


def _ends(estimate: IntervalEstimate) -> np.ndarray:
    """Lengths of an error bar, (2, 1)."""
    ends = np.array([[estimate.value - estimate.low], [estimate.high - estimate.value]])
    return np.nan_to_num(np.maximum(ends, 0.0))
