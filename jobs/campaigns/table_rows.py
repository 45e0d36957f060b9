"""Tables to which scripts add a row for each of their runs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

Key = TypeVar("Key", bound=tuple[Any, ...])


def read_rows(table: Path) -> list[dict[str, str]]:
    """Rows of a table by columns; none where there is no table yet.

    Args:
        table: the table.
    """
    if not table.exists():
        return []
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def append_row(table: Path, columns: Sequence[str], row: Sequence[Any]) -> None:
    """Add a row to a table, which is made with its columns if need be.

    Args:
        table: the table.
        columns: names of its columns.
        row: an entry for each.
    """
    new = not table.exists()
    with table.open("a", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        if new:
            out.writerow(columns)
        out.writerow(row)


def missing(table: Path, names: Sequence[str], keys: Sequence[Key]) -> list[Key]:
    """Keys that no row of a table has, in their order.

    Args:
        table: the table.
        names: of the columns that hold a key.
        keys: of all rows that the table should have.
    """
    there = {tuple(row[name] for name in names) for row in read_rows(table)}
    return [key for key in keys if tuple(map(str, key)) not in there]
