"""Sums of a campaign: means with bootstrap intervals (SciPy), thresholds by a binomial GLM with a logit link (statsmodels)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import scipy

from ..errors import FileError
from .run_rows import FINISHED, Row
from .study import Study, Summing

RESAMPLES = 999
Group = tuple[str, ...]


class IntervalEstimate(NamedTuple):
    """A number with its interval.

    Attributes:
        value: not a number where the rows do not tell it.
        low: lower end of the interval.
        high: upper end of the interval.
        runs: number of rows.
        curve: for a threshold, intercept and slope of the logit.
    """

    value: float
    low: float
    high: float
    runs: int
    curve: tuple[float, float] | None = None


def groups_of(rows: Iterable[Row], columns: Iterable[str]) -> dict[Group, list[Row]]:
    """Sort finished rows by the values of some columns.

    Args:
        rows: the rows.
        columns: names of the columns.

    Returns:
        Rows by their values, in the order in which these first occur.
    """
    found: dict[Group, list[Row]] = {}
    names = list(columns)
    for row in rows:
        if row.get("status") == FINISHED:
            found.setdefault(tuple(row.get(name, "") for name in names), []).append(row)
    return found


def numbers(rows: Iterable[Mapping[str, str]], column: str) -> np.ndarray:
    """A column as numbers, (n,).

    Args:
        rows: the rows.
        column: its name.

    Raises:
        FileError: an entry is no number.
    """
    values = [row[column] for row in rows]
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        raise FileError(f"column '{column}' holds what is no number, for instance '{next(v for v in values if not _is_number(v))}'") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def summed(study: Study, summing: Summing, rows: Iterable[Row]) -> dict[Group, IntervalEstimate]:
    """Sum up the rows of a study.

    Args:
        study: the study.
        summing: the sums to be formed.
        rows: rows of the table.

    Returns:
        Estimates by group: values of the columns in ``by``, of a mean then that in ``over``.
    """
    if summing.kind == "threshold":
        groups = groups_of(rows, summing.by)
        return {name: threshold(numbers(g, str(summing.over)), numbers(g, summing.measure), summing.confidence) for name, g in groups.items()}
    groups = groups_of(rows, [*summing.by, *([summing.over] if summing.over else [])])
    return {name: mean(numbers(g, summing.measure), summing.confidence) for name, g in groups.items()}


def mean(values: np.ndarray, confidence: float) -> IntervalEstimate:
    """The mean, with a bootstrap interval (bias-corrected and accelerated).

    Args:
        values: (n,); those that are not finite do not count.
        confidence: level of the interval.
    """
    values = values[np.isfinite(values)]
    if len(values) < 2 or np.ptp(values) == 0.0:
        value = float(values.mean()) if len(values) else np.nan
        return IntervalEstimate(value, value if len(values) > 1 else np.nan, value if len(values) > 1 else np.nan, len(values))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few values: the interval says so
        found = scipy.stats.bootstrap((values,), np.mean, confidence_level=confidence, n_resamples=RESAMPLES, rng=np.random.default_rng(0))
    return IntervalEstimate(float(values.mean()), float(found.confidence_interval.low), float(found.confidence_interval.high), len(values))


def threshold(x: np.ndarray, outcome: np.ndarray, confidence: float) -> IntervalEstimate:
    """Where the outcome 1 is as likely as the outcome 0: - intercept/slope of the logit, with a bootstrap interval (percentiles, over trials).

    Args:
        x: (n,) values.
        outcome: (n,) 0 or 1.
        confidence: level of the interval.

    Returns:
        The estimate. Where the outcomes are separated, so that the likelihood has no maximum, it is the middle between them, and where there is only
        one outcome it is not a number.
    """
    known = np.isfinite(x) & np.isfinite(outcome)
    x, outcome = x[known], outcome[known]
    if not len(x) or not 0.0 < outcome.mean() < 1.0:
        return IntervalEstimate(np.nan, np.nan, np.nan, len(x))
    intercept, slope = fitted(x, outcome)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scipy.stats.bootstrap(
            (x, outcome), _place, paired=True, vectorized=False, confidence_level=confidence, n_resamples=RESAMPLES, method="percentile",
            rng=np.random.default_rng(0),
        )  # fmt: skip
        # resamples of one outcome alone tell nothing
        low, high = np.nanquantile(found.bootstrap_distribution, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    return IntervalEstimate(_place(x, outcome), float(low), float(high), len(x), (intercept, slope))


def _place(x: np.ndarray, outcome: np.ndarray) -> float:
    if not 0.0 < outcome.mean() < 1.0:
        return float("nan")
    intercept, slope = fitted(x, outcome)
    return -intercept / slope if slope else float("nan")


def fitted(x: np.ndarray, outcome: np.ndarray) -> tuple[float, float]:
    """Intercept and slope of the logit of the probability of 1.

    Args:
        x: (n,) values.
        outcome: (n,) 0 or 1, both of which occur.

    Raises:
        FileError: statsmodels is not installed.
    """
    try:
        import statsmodels.api as sm
    except ImportError:
        raise FileError("thresholds need statsmodels: pip install 'pardem[campaign]'") from None
    ones, zeros = x[outcome > 0.5], x[outcome <= 0.5]
    if ones.min() > zeros.max() or ones.max() < zeros.min():  # separated: any steep curve between them fits
        near, far = (zeros.max(), ones.min()) if ones.min() > zeros.max() else (zeros.min(), ones.max())
        middle, gap = 0.5 * (near + far), far - near
        return -40.0 * middle / gap, 40.0 / gap
    centre, size = float(x.mean()), float(x.std())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sm.GLM(outcome, sm.add_constant((x - centre) / size), family=sm.families.Binomial()).fit()
    intercept, slope = (float(p) for p in found.params)
    return intercept - slope * centre / size, slope / size
