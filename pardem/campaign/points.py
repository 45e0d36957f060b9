"""From the axes of a study to its runs: each a set of values, a name, and the tables of its case."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..case import Case
from ..errors import CaseError
from ..io.casefile import put_key, read_tables, user_law_of, without_user_code
from .adaptive import next_value
from .study import Axis, Study

LENGTH = 16
"""Hexadecimal digits of a run's id."""
CASE = "case"
"""Key of an axis whose values are base cases."""


@dataclass(frozen=True)
class Point:
    """A run of a study.

    Attributes:
        id: hash of its case, so far as it does not depend on other files; the name of its folder.
        columns: its values by the columns of the table, in their order.
        tables: its case as tables.
    """

    id: str
    columns: Mapping[str, Any]
    tables: Mapping[str, Any]

    def case(self, study: Study) -> Case:
        """The validated case.

        Args:
            study: the study.

        Returns:
            The case, whose relative paths refer to the folder of the base case.

        Raises:
            CaseError: the values do not go together.
        """
        return Case(**copy.deepcopy(dict(self.tables))).located((study.path.parent / study.case).parent)


class Design:
    """All runs of a study, in the order of its table.

    Args:
        study: the study.
        user_code: whether its runs may use a contact law of their own (``contact.user_law``), and its measures functions of Python.

    Raises:
        CaseError: the base case cannot be read, a key is none of it, or there is code that is forbidden.
    """

    def __init__(self, study: Study, user_code: bool = True) -> None:
        self.study, self._user_code = study, user_code
        for measure in study.measure:
            if measure.function is not None and not user_code:
                raise CaseError(
                    f"{study.path}: measure.{measure.name}.function = '{measure.function}' is code that comes with the study, which --no-user-code "
                    "forbids to run"
                )
        self._bases: dict[str, dict[str, Any]] = {}
        self._base(study.case)
        self.fixed = [axis for axis in study.axis if axis.adaptive is None]
        self._made: dict[str, Point] = {}
        self._all: list[Point] | None = None  # once all are made
        self.cells = [tuple(cell) for cell in itertools.product(*(axis.entries() for axis in self.fixed))]

    def code(self) -> list[str]:
        """The code that the study brings along, so far as its runs are known: names of functions, with their keys."""
        laws = dict.fromkeys(str(law) for point in self.points({}) if (law := user_law_of(point.tables)) is not None)
        found = [f"measure.{measure.name}.function = '{measure.function}'" for measure in self.study.measure if measure.function is not None]
        return found + [f"contact.user_law = '{law}'" for law in laws]

    @property
    def count(self) -> int:
        """Number of runs."""
        axis = self.study.adaptive
        return len(self.cells) * (axis.adaptive.trials if axis is not None and axis.adaptive is not None else 1)

    def points(self, rows: Mapping[str, Mapping[str, str]]) -> Iterator[Point]:
        """Yield the runs that are known so far; those of an adaptive axis follow from the outcomes of others.

        Args:
            rows: rows of the table that are there, by id.
        """
        if self._all is not None:
            yield from self._all
            return
        made = []
        for cell in self.cells:
            settings = [(axis, entry) for axis, entry in zip(self.fixed, cell, strict=True)]
            if self.study.adaptive is None:
                made.append(self._point(settings, []))
                yield made[-1]
            else:
                yield from self._trials(settings, self.study.adaptive, rows)
        if self.study.adaptive is None:
            self._all = made

    def _trials(self, settings: list[tuple[Axis, tuple[Any, ...]]], axis: Axis, rows: Mapping[str, Mapping[str, str]]) -> Iterator[Point]:
        """The trials of one cell: each is chosen from the outcomes of all but the last few before it, whichever are known by now."""
        plan = axis.adaptive
        assert plan is not None
        outcomes: list[tuple[float, float | None]] = []
        for trial in range(plan.trials):
            known = outcomes[: max(0, trial - plan.ahead + 1)]
            if any(outcome is None for _, outcome in known):
                return
            value = next_value(plan, trial, tuple((x, y) for x, y in known if y is not None and y == y))
            point = self._point([*settings, (axis, (value,))], [(plan.seed_key, trial + 1)] if plan.seed_key else [], trial + 1)
            yield point
            row = rows.get(point.id)
            outcomes.append((value, None if row is None else _number(row, plan.measure)))

    def _point(self, settings: list[tuple[Axis, tuple[Any, ...]]], more: list[tuple[str, Any]], trial: int | None = None) -> Point:
        name = repr([entry for _, entry in settings] + [trial])
        if name in self._made:
            return self._made[name]
        columns = {column: value for axis, entry in settings for column, value in zip(axis.columns, entry, strict=True)}
        wanted = [(key, value, axis.columns[0]) for axis, entry in settings for key, value in axis.settings(entry)]
        tables = copy.deepcopy(self._base(next((value for key, value, _ in wanted if key == CASE), self.study.case)))
        for key, value, column in wanted:
            if key != CASE:
                self._put(tables, key, value, f"axis.{column}")
        for key, value in more:
            self._put(tables, key, value, "axis.adaptive.seed_key")
        if trial is not None:
            columns["trial"] = trial
        if not self._user_code:
            without_user_code(tables, self.study.path)
        self._made[name] = Point(_id_of(tables), columns, tables)
        return self._made[name]

    def _base(self, case: Any) -> dict[str, Any]:
        """The tables of a base case with the values that all runs have.

        Raises:
            CaseError: it cannot be read, or is not in the folder of the study's case, to which relative paths refer.
        """
        if case not in self._bases:
            path = self.study.path.parent / str(case)
            if path.parent.resolve() != (self.study.path.parent / self.study.case).parent.resolve():
                raise CaseError(f"{self.study.path}: case '{case}' must lie in the folder of {self.study.case}, to which the paths in a case refer")
            tables = read_tables(path)
            for key, value in flat(self.study.set):
                self._put(tables, key, value, "set")
            self._bases[case] = tables
        return self._bases[case]

    def _put(self, tables: dict[str, Any], key: str, value: Any, where: str) -> None:
        try:
            put_key(tables, key, copy.deepcopy(value), f"{key} = {value!r}")
        except CaseError as error:
            raise CaseError(f"{self.study.path}: {where}: {error}") from None


def flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested tables by dotted keys.

    Args:
        table: the tables.
        above: key of the table.
    """
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _id_of(tables: Mapping[str, Any]) -> str:
    """Hash of what defines a run; not of what changes neither its motion nor what it writes."""
    content = {key: value for key, value in tables.items() if key not in ("title", "detection", "parallel")}
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:LENGTH]


def _number(row: Mapping[str, str], column: str) -> float:
    """A number of a row; not a number where the run has failed."""
    try:
        return float(row[column])
    except (KeyError, ValueError):
        return float("nan")
