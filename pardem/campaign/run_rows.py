"""Rows of finished runs: one file each in the folder of the run, and all of them in the table of the study.

A row is text by columns; what is once written is never rounded, formatted or ordered anew, so that the table has the same bits however often a
campaign was stopped.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import CaseError, FileError
from ..io.state.disk import sync_path
from .attempts import forget
from .points import Design, Point
from .study import Study

CASE, RESULT, LOG, LOCK, ROW = "case.toml", "result.h5", "run.log", "lock", "row.json"
"""Files in the folder of a run."""
FINISHED, FAILED = "finished", "failed"
WALL_SECONDS = "wall seconds"
"""What the row of a run, but not the table, also holds: the time that it took; no name of a measure has a space."""
Row = dict[str, str]


def header(study: Study, units: Mapping[str, str]) -> dict[str, str]:
    """The columns of the table: their names, and how the table shows them, with units.

    Args:
        study: the study.
        units: units of observables, by the names of measures.
    """
    shown = {"id": ""} | {column: unit for axis in study.axis for column, unit in axis.column_units.items()}
    if study.adaptive is not None:
        shown["trial"] = ""
    shown |= {m.name: m.unit if m.unit is not None else units.get(m.name, "") for m in study.measure}
    shown |= {"status": "", "sentence": ""}
    return {name: f"{name} ({unit})" if unit not in ("", "1") else name for name, unit in shown.items()}


def text_of(value: Any) -> str:
    """A value as the table holds it: numbers to the last bit, truth as 1 and 0, text as it is, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(value, sort_keys=True, default=str)


def folder_of(study: Study, run: str) -> Path:
    """Folder of a run.

    Args:
        study: the study.
        run: its id.
    """
    return study.folder / run


def folders(study: Study) -> set[str]:
    """Names of the folders of runs that are there: all that have a row, or were begun.

    Args:
        study: the study.
    """
    try:
        return set(os.listdir(study.folder))
    except OSError:
        return set()


def write_row(study: Study, point: Point, row: Row) -> None:
    """Write the row of a run: whole, or not at all.

    Args:
        study: the study.
        point: the run.
        row: measures, status and sentence.
    """
    path = folder_of(study, point.id) / ROW
    whole = {"id": point.id} | {name: text_of(value) for name, value in point.columns.items()} | row
    write_whole(path, json.dumps(whole, indent=1) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a file under another name, force it onto the disk, and give it its name.

    Args:
        path: path of the file.
        text: its content.

    Raises:
        FileError: it cannot be written.
    """
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.write_text(text, encoding="utf-8")
        sync_path(new)
        new.rename(path)
    except OSError as error:
        raise FileError(f"{path} could not be written: {error.strerror}") from None


def read_row(study: Study, run: str) -> Row | None:
    """The row of a run; None if it has none, or lacks measures that the study asks for now.

    Args:
        study: the study.
        run: its id.
    """
    try:
        row = json.loads((folder_of(study, run) / ROW).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return row if isinstance(row, dict) and complete(study, row) else None


def complete(study: Study, row: Mapping[str, str]) -> bool:
    """Whether a row holds all that the study measures, or says why it does not.

    Args:
        study: the study.
        row: the row.
    """
    return row.get("status") == FAILED or (row.get("status") == FINISHED and all(row.get(m.name, "") != "" for m in study.measure))


def read_table(study: Study) -> dict[str, Row]:
    """Rows of the table that lies beside the study, by id; those of another machine count like those of this one.

    Args:
        study: the study.

    Raises:
        FileError: there is a file of this name that is no such table.
    """
    if not study.table.exists():
        return {}
    try:
        with study.table.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names, lines = reader.fieldnames or (), list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{study.table} cannot be read as a table: {error}") from None
    if names and not {"id", "status"} <= set(names):
        raise FileError(f"{study.table} has no columns id and status: it is no table of a campaign; move it away")
    rows = [{name.partition(" (")[0]: value or "" for name, value in line.items() if name} for line in lines]
    return {row["id"]: row for row in rows if complete(study, row)}


class Rows:
    """The rows that are there by now.

    Args:
        study: the study.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.known = read_table(study)

    def look(self, runs: Iterable[str]) -> None:
        """Look for rows of runs that had none.

        Args:
            runs: ids.
        """
        there = folders(self.study)
        for run in runs:
            if run in there and run not in self.known and (row := read_row(self.study, run)) is not None:
                self.known[run] = row


def known_points(design: Design, rows: Rows) -> list[Point]:
    """The runs that are known by now; where values follow from outcomes, rows are looked for until no more runs follow.

    Args:
        design: design of the study.
        rows: looked for anew.
    """
    while True:
        points = list(design.points(rows.known))
        before = len(rows.known)
        rows.look(point.id for point in points)
        if len(rows.known) == before or design.study.adaptive is None:
            return points


def retry_failed(design: Design, rows: Rows, units: Mapping[str, str]) -> None:
    """Forget that runs have failed, so that they are done once more.

    Args:
        design: design of the study.
        rows: that are there; those of failed runs go, from the table, too.
        units: units of observables, by the names of measures.

    Raises:
        CaseError: other runs have followed from the outcome of those that failed.
        FileError: the table cannot be written.
    """
    study = design.study
    if study.adaptive is not None:
        raise CaseError(
            f"{study.path}: --retry-failed is not for an adaptive axis, whose later trials follow from those that failed: to begin again, move "
            f"{study.folder} and {study.table} away"
        )
    failed = [point.id for point in known_points(design, rows) if rows.known.get(point.id, {}).get("status") == FAILED]
    for run in failed:
        (folder_of(study, run) / ROW).unlink(missing_ok=True)
        forget(folder_of(study, run))
        del rows.known[run]
    if failed and study.table.exists():
        collect(design, rows, units)


def collect(design: Design, rows: Rows, units: Mapping[str, str]) -> int:
    """Write the table: a row for each run that has ended, in the order of the study.

    Args:
        design: design of the study.
        rows: that are there.
        units: units of observables, by the names of measures.

    Returns:
        Number of rows.

    Raises:
        FileError: the table that is there holds rows of other runs, which would be lost.
    """
    study = design.study
    points = known_points(design, rows)
    names = header(study, units)
    there = read_table(study)
    foreign = sorted(set(there) - {point.id for point in points})
    if foreign:
        raise FileError(
            f"{study.table} has {len(foreign)} rows of runs that {study.path} does not ask for ({foreign[0]} is the first): the base case or an axis "
            "has changed; move the table away, or undo the change"
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names.values())
    found = [rows.known[point.id] for point in points if point.id in rows.known]
    writer.writerows([row.get(name, "") for name in names] for row in found)
    if not study.table.exists() or study.table.read_text(encoding="utf-8") != text.getvalue():
        write_whole(study.table, text.getvalue())
    return len(found)
