"""What is measured of the result of a run."""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CaseError, MeasureError
from ..io.analysis.result import Result
from ..io.analysis.units import unit_of
from ..suggestions import nearest
from .run_rows import FINISHED, Row, text_of
from .study import Measure, Study

REDUCE: dict[str, Callable[[np.ndarray], Any]] = {
    "last": lambda rows: rows[-1], "first": lambda rows: rows[0], "mean": np.mean, "min": np.min, "max": np.max
}  # fmt: skip


def measured(study: Study, path: Path) -> Row:
    """Measure a result.

    Args:
        study: the study.
        path: the finished result.

    Returns:
        Measures by name, status and sentence.

    Raises:
        CaseError: an observable is not in the result, or a function cannot be loaded.
        MeasureError: a function fails on this result, or returns no number.
    """
    with Result(path) as result:
        return {m.name: text_of(_value(study, m, result)) for m in study.measure} | {"status": FINISHED, "sentence": ""}


def units_of(study: Study) -> dict[str, str]:
    """Units of the measures that are observables, by name.

    Args:
        study: the study.
    """
    return {m.name: unit_of(m.observable.partition("[")[0]) for m in study.measure if m.observable is not None}


def _value(study: Study, measure: Measure, result: Result) -> Any:
    if measure.observable is not None:
        return _of_observable(measure, result)
    function = load(study.path.parent, str(measure.function))
    try:
        value = function(result)
    except (Exception, SystemExit) as error:  # whatever a function of the user may raise
        raise MeasureError(f"measure.{measure.name}: {measure.function} has failed on {result.path}: {type(error).__name__}: {error}") from error
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, bool | int | float | str):
        raise MeasureError(f"measure.{measure.name}: {measure.function} must return a number, not {type(value).__name__}")
    return value


def _of_observable(measure: Measure, result: Result) -> float:
    series = result.series_of(str(measure.observable).partition("[")[0])
    found = series.columns().get(str(measure.observable))
    if found is None:
        columns = result.series.columns()
        raise CaseError(
            f"measure.{measure.name}.observable = '{measure.observable}' is not among the observables of {result.path} "
            f"({', '.join(columns)}){nearest(str(measure.observable), list(columns))}"
        )
    rows = np.asarray(found, float)[series.times >= measure.after]
    rows = rows[np.isfinite(rows)]
    return float(REDUCE[measure.reduce](rows)) if len(rows) else math.nan


@lru_cache(maxsize=64)
def load(folder: Path, name: str) -> Callable[[Result], Any]:
    """Load a function of the user.

    Args:
        folder: folder to which the path of a file is relative.
        name: ``file.py:function`` or ``module:function``.

    Returns:
        The function.

    Raises:
        CaseError: there is no such file, module or function.
    """
    where, _, function = name.rpartition(":")
    try:
        if where.endswith(".py"):
            spec = importlib.util.spec_from_file_location(f"pardem_measures_{Path(where).stem}", folder / where)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(where)
    except (Exception, SystemExit) as error:  # whatever a file of the user may raise
        raise CaseError(f"measure.function = '{name}' cannot be loaded: {type(error).__name__}: {error}") from error
    found = getattr(module, function, None)
    if not callable(found):
        raise CaseError(f"measure.function = '{name}': {where} has no function '{function}'")
    return found
