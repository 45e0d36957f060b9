"""Tables of measurements, to which each call adds rows, and the parts of docs/performance.md that are made of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from turns import ROOT

sys.path.append(str(ROOT / "jobs" / "campaigns"))
from table_rows import append_row, read_rows

__all__ = ["PAGE", "add_rows", "append_row", "by_call", "newest", "put_into_page", "read_rows", "table", "table_cells", "table_line"]
PAGE = ROOT / "docs" / "performance.md"


def add_rows(file: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Add rows to a table of measurements, and print them.

    Args:
        file: the table.
        columns: their names.
        rows: an entry for each column.
    """
    for row in rows:
        append_row(file, columns, row)
        print(", ".join(str(x) for x in row), flush=True)


def by_call(rows: list[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    """Rows of a table by the call that measured them, the newest call first."""
    calls: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        calls.setdefault(row["call"], []).append(row)
    return dict(sorted(calls.items(), reverse=True))


def newest(rows: list[dict[str, str]], *names: str) -> dict[tuple[str, ...], list[dict[str, str]]]:
    """Rows of the newest call for each combination of the entries of some columns, such as processor and scene.

    Args:
        rows: the table, oldest call first.
        names: names of the columns.
    """
    calls = {tuple(row[name] for name in names): row["call"] for row in rows}
    return {of: [row for row in rows if row["call"] == call and tuple(row[name] for name in names) == of] for of, call in calls.items()}


def table_line(cells: Sequence[str]) -> str:
    """A line of a table of the page."""
    return f"| {' | '.join(cells)} |"


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table of the page.

    Args:
        head: names of the columns.
        lines: an entry for each column.
    """
    return [table_line(head), table_line(["---"] * len(head)), *map(table_line, lines)]


def table_cells(page: str, part: str) -> list[list[str]]:
    """The rows of a table of the page, without its head.

    Args:
        page: text of the page.
        part: the name in the marks around the table.
    """
    lines = page.partition(f"<!-- {part} -->\n")[2].partition(f"<!-- end of {part} -->")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines if line.startswith("|")]
    return rows[2:]


def put_into_page(page: Path, part: tuple[str, str], made: str) -> None:
    """Replace a part of a page.

    Args:
        page: the page.
        part: the marks at its beginning and at its end.
        made: the new text.
    """
    before, begin, rest = page.read_text().partition(part[0])
    _, end, after = rest.partition(part[1])
    if not end:
        raise SystemExit(f"{page}: {part[0].strip()} and {part[1]} are missing")
    page.write_text(before + begin + made + end + after)
