"""The observables of a result as tables of pandas and xarray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import h5py
import numpy as np

from ..layout import observed
from .units import is_vector, unit_of

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class TimeSeries:
    """Time series of a result.

    Attributes:
        steps: numbers of the time steps of the rows, (T,) int64.
        times: times of the rows (s), (T,).
        values: (T, ...) array of each observable by its name.
    """

    steps: np.ndarray
    times: np.ndarray
    values: dict[str, np.ndarray]

    @classmethod
    def of(cls, file: h5py.File, only: str | None = None) -> Self:
        """Read those of a file.

        Args:
            file: the open result.
            only: name of the only observable that is wanted.
        """
        return cls(*(observed(file, only=only) or (np.zeros(0, np.int64), np.zeros(0), {})))

    def at(self, step: int) -> dict[str, np.ndarray]:
        """The first row that is not before a step, or the last one, by name; nothing where there are no rows.

        Args:
            step: number of the time step.
        """
        if not len(self.steps):
            return {}
        row = min(int(np.searchsorted(self.steps, step)), len(self.steps) - 1)
        return {name: values[row] for name, values in self.values.items()}

    def columns(self) -> dict[str, np.ndarray]:
        """The numbers of all observables, (T,) each, by the names of columns; see ``Result.observables``."""
        return {column: series for name, values in self.values.items() for column, series in _columns(name, values)}

    def frame(self) -> Any:
        """A pandas DataFrame over time; see ``Result.observables``."""
        import pandas as pd

        table = pd.DataFrame(self.columns(), index=pd.Index(self.times, name="time"))
        table.attrs["units"] = {column: unit_of(column.partition("[")[0]) for column in table}
        return table

    def dataset(self) -> Any:
        """An xarray Dataset over time; see ``Result.dataset``."""
        import xarray as xr

        variables = {}
        for name, values in self.values.items():
            variables[name] = xr.Variable(["time", *_dimensions(name, values.shape[1:])], values, {"units": unit_of(name)})
        clock = {"time": ("time", self.times, {"units": "s"}), "step": ("time", self.steps)}
        return xr.Dataset(variables, clock)


def _dimensions(name: str, shape: tuple[int, ...]) -> list[str]:
    """Names of the dimensions of one row of an observable."""
    if is_vector(name) and shape == (3,):
        return ["axis"]
    if shape == (3, 3):
        return ["row", "column"]
    if len(shape) == 1 and name.endswith("_layers"):
        return ["layer"]
    return [f"{name}_{k}" for k in range(len(shape))]


def _columns(name: str, values: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The columns of an observable: their names, and (T,) numbers each."""
    if values.ndim == 1:
        return [(name, values)]
    if _dimensions(name, values.shape[1:]) == ["axis"]:
        return [(f"{name}[{axis}]", values[:, c]) for c, axis in enumerate(AXES)]
    return [(f"{name}[{','.join(map(str, index))}]", values[(slice(None), *index)]) for index in np.ndindex(*values.shape[1:])]
