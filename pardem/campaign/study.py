"""The study file: a base case, axes, what is measured at the end of each run, and how it is summed up."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from ..case import sentences
from ..case_values import Count, Many, Model, Name, Number, PathName, Positive, at_most_one, exactly_one
from ..errors import CaseError
from ..suggestions import unknown

FIXED = ("id", "status", "sentence")
"""Columns of every table."""


class Range(Model):
    """Evenly spaced numbers."""

    first: Number = Field(description="the first")
    last: Number = Field(description="the last")
    count: Annotated[int, Field(ge=2, le=1_000_000)] | None = Field(default=None, description="how many, both ends included; alternative: `step`")
    step: Positive | None = Field(default=None, description="distance from one to the next, up to the last; alternative: `count`")
    seed_key: str | None = Field(default=None, description="key of the case that is set to the number of the value, from 1; default: none")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "count", "step")
        if not self.first < self.last:
            raise ValueError(f"needs first < last, but first is {self.first!r} and last is {self.last!r}")
        return self

    def numbers(self) -> list[float]:
        """The numbers."""
        count = self.count if self.count is not None else int((self.last - self.first) / (self.step or 1.0) * (1.0 + 1e-9)) + 1
        step = (self.last - self.first) / (count - 1) if self.step is None else self.step
        return [self.first + k * step for k in range(count)]


class Adaptive(Model):
    """Trials of which each is placed where it tells most about the value at which a measure is 1 half of the time."""

    lower: Number = Field(description="smallest value")
    upper: Number = Field(description="largest value")
    trials: Count = Field(description="number of trials (1)")
    measure: str = Field(description="name of the measure, which is 0 or 1")
    ahead: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=4, description="number of trials that are chosen before the outcome of the first of them is known, and can thus run at once (1)"
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] = Field(default=0, description="seed of the choices (1)")
    seed_key: str | None = Field(default=None, description="key of the case that is set to the number of the trial, from 1; default: none")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.lower < self.upper:
            raise ValueError(f"needs lower < upper, but lower is {self.lower!r} and upper is {self.upper!r}")
        return self


class Axis(Model):
    """One key of the case, or several together, and the values that they take."""

    name: Name | None = Field(default=None, description="column of the table; default: the last part of the key")
    key: str | None = Field(
        default=None, description="dotted key of the case, as for `--set`, or `case`: another base case in the same folder; alternative: `keys`"
    )
    keys: Annotated[Many[str], Field(min_length=2)] | None = Field(
        default=None,
        description="several keys that change together; each entry of `values` is then a list with a value for each, while a number of `range`, "
        "`seeds` or `adaptive` is that of all of them",
    )
    names: Many[Name] | None = Field(default=None, description="columns of several keys; default: their last parts")
    values: Many[Any] | None = Field(default=None, description="the values; or `range`, `seeds`, `adaptive`")
    range: Range | None = Field(default=None, description="evenly spaced numbers: `first`, `last` and `count` or `step`")
    seeds: Count | None = Field(default=None, description="so many whole numbers from `first_seed` on (1)")
    first_seed: Annotated[int, Field(ge=0, lt=2**62)] = Field(default=1, description="the first of the seeds (1)")
    adaptive: Adaptive | None = Field(default=None, description="values that follow from the outcomes of the runs before")
    unit: str = Field(default="", description="unit, which the table shows with the name")
    units: Many[str] | None = Field(default=None, description="units of several keys; default: `unit` for all of them")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "key", "keys")
        exactly_one(self, "values", "range", "seeds", "adaptive")
        at_most_one(self, "name", "names")
        if self.values is not None and not self.values:
            raise ValueError("has no values: give at least one")
        if self.keys is None:
            if self.names is not None or self.units is not None:
                raise ValueError("has names or units, which go with keys: give name and unit")
            return self
        if self.values is None:
            if self.names is not None or self.units is not None:
                raise ValueError("has names or units, but its keys share one number, which has one column: give name and unit")
            return self
        if self.name is not None:
            raise ValueError("has a name, but a column for each of its keys: give names")
        for what, given in (("names", self.names), ("units", self.units)):
            if given is not None and len(given) != len(self.keys):
                raise ValueError(f"has {len(given)} {what} for {len(self.keys)} keys")
        for k, entry in enumerate(self.values):
            if not isinstance(entry, list | tuple) or len(entry) != len(self.keys):
                raise ValueError(f"needs a list of {len(self.keys)} values, one for each key, but entry {k} is {sentences.shown(entry)}")
        return self

    @property
    def all_keys(self) -> tuple[str, ...]:
        """The keys of the case that it sets, but for that of a seed."""
        return self.keys if self.keys is not None else (str(self.key),)

    @property
    def shared(self) -> bool:
        """Whether its keys take one number together."""
        return self.values is None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of its columns, without units."""
        if self.keys is None or self.shared:
            return (self.name or self.all_keys[0].rpartition(".")[2],)
        return self.names or tuple(key.rpartition(".")[2] for key in self.keys)

    @property
    def column_units(self) -> dict[str, str]:
        """Units of its columns, by their names."""
        return dict(zip(self.columns, self.units or [self.unit] * len(self.columns), strict=True))

    def entries(self) -> list[tuple[Any, ...]]:
        """What its columns hold, one entry after the other; none where they are chosen by and by."""
        if self.range is not None:
            return [(number,) for number in self.range.numbers()]
        if self.seeds is not None:
            return [(self.first_seed + k,) for k in range(self.seeds)]
        return [tuple(entry) if self.keys else (entry,) for entry in self.values or ()]

    def settings(self, entry: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """What the keys of the case are set to for an entry.

        Args:
            entry: an entry of `entries`, or a value that was chosen.

        Returns:
            Keys with their values.
        """
        if self.range is not None and self.range.seed_key is not None:
            seed = [(self.range.seed_key, self.range.numbers().index(entry[0]) + 1)]
        else:
            seed = []
        return [*((key, entry[0 if self.shared else k]) for k, key in enumerate(self.all_keys)), *seed]


class Measure(Model):
    """A number that is taken from the result of each run."""

    name: Name = Field(description="column of the table")
    observable: str | None = Field(default=None, description="name of an observable, `stress[2,2]` for one component; alternative: `function`")
    reduce: Literal["last", "first", "mean", "min", "max"] = Field(default="last", description="what becomes of its rows")
    after: Number = Field(default=0.0, description="time from which rows count (s)")
    function: PathName | None = Field(
        default=None,
        description="`file.py:name` beside the study, or `module:name`: a Python function that takes a `pardem.Result` and returns a number",
    )
    unit: str | None = Field(default=None, description="unit, which the table shows with the name; default: that of the observable")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "observable", "function")
        if self.function is not None and ":" not in self.function:
            raise ValueError(f"function = '{self.function}' must read file.py:name or module:name")
        return self


class Summing(Model):
    """How the runs of a study are summed up."""

    name: Name = Field(description="name of the figure and of the table")
    kind: Literal["mean", "threshold"] = Field(
        description="`mean`: of a measure, with a bootstrap interval; `threshold`: where on an axis a measure of 0 and 1 is 1 half of the time"
    )
    measure: str = Field(description="name of the measure")
    over: str | None = Field(default=None, description="column that stands on the horizontal axis; of a threshold the one that is sought")
    by: Many[str] = Field(default=(), description="columns whose values make groups")
    confidence: Annotated[float, Field(gt=0, lt=1)] = Field(default=0.95, description="level of the intervals (1)")


class Study(Model):
    """A campaign."""

    title: str = Field(default="", description="title of the study")
    case: PathName = Field(description="base case; its path is relative to the study")
    set: dict[str, Any] = Field(default={}, description="values that all runs have: dotted keys in quotes, or tables")
    ranks_per_run: Annotated[int, Field(ge=1, le=100_000)] = Field(default=1, description="number of ranks that work on one run together (1)")
    keep_results: bool = Field(default=True, description="whether the results of runs stay once their row is written")
    axis: Many[Axis] = Field(default=(), description="axes; the runs are all combinations")
    measure: Many[Measure] = Field(min_length=1, description="what is measured")
    summary: Many[Summing] = Field(default=(), description="how it is summed up")

    _path: Path = PrivateAttr(default_factory=Path)

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = list(_clashes(self))
        if problems:
            raise CaseError("\n".join(problems))
        return self

    @property
    def path(self) -> Path:
        """The study file."""
        return self._path

    @property
    def folder(self) -> Path:
        """Folder of the runs."""
        return self._path.with_suffix(".runs")

    @property
    def table(self) -> Path:
        """Table of all finished runs."""
        return self._path.with_suffix(".csv")

    @property
    def adaptive(self) -> Axis | None:
        """The axis whose values are chosen by and by."""
        return next((axis for axis in self.axis if axis.adaptive is not None), None)


def read_study(path: Path) -> Study:
    """Read a study file.

    Args:
        path: the TOML file.

    Returns:
        The study.

    Raises:
        CaseError: the file is missing, is no TOML, or no valid study. Each line is a sentence that begins with the name of the file.
    """
    try:
        data = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError(f"{path}: is no valid TOML: {error}") from None
    if "stage" in data and "case" not in data:
        raise CaseError(f"{path}: is a case, not a study of one: `pardem run {path}` runs it")
    try:
        study = Study(**data)
    except ValidationError as error:
        raise CaseError("\n".join(f"{path}: {line}" for line in sentences.describe(error, Study, data))) from None
    except CaseError as error:
        raise CaseError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None
    study._path = path
    return study


def _clashes(study: Study) -> Iterator[str]:
    """Names that are used twice or refer to nothing."""
    columns = [column for axis in study.axis for column in axis.columns]
    trial = ["trial"] if study.adaptive is not None else []
    every = [*columns, *trial, *(m.name for m in study.measure)]
    for name in sorted({name for name in every if every.count(name) > 1}):
        yield f"two columns of the table would be named '{name}': give axis.name or measure.name"
    for name in sorted(set(every) & set(FIXED)):
        yield f"'{name}' names a column that every table has: give another axis.name or measure.name"
    keys = [key for axis in study.axis for key in axis.all_keys]
    keys += [axis.range.seed_key for axis in study.axis if axis.range is not None and axis.range.seed_key is not None]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        yield f"two axes set '{key}': a key can have one axis"
    if sum(axis.adaptive is not None for axis in study.axis) > 1:
        yield "two axes are adaptive: one can be"
    measures = [m.name for m in study.measure]
    axis = study.adaptive
    if axis is not None and axis.adaptive is not None and axis.adaptive.measure not in measures:
        yield unknown(f"axis.{axis.columns[0]}.adaptive.measure", axis.adaptive.measure, measures, "measure").replace("case", "study")
    names = [s.name for s in study.summary]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"summary.name = '{name}' is used twice: names must differ"
    for summing in study.summary:
        key = f"summary.{summing.name}"
        if summing.measure not in measures:
            yield unknown(f"{key}.measure", summing.measure, measures, "measure").replace("case", "study")
        for what in [*summing.by, *([summing.over] if summing.over else [])]:
            if what not in [*columns, *trial]:
                where = f"{key}.{'over' if what == summing.over else 'by'}"
                yield unknown(where, what, columns, "column of an axis").replace("case", "study")
        if summing.kind == "threshold" and summing.over is None:
            yield f"{key}.over is missing: give the axis whose threshold is sought"
