#!/usr/bin/env python
"""The table of outcomes of the campaigns of faults: adds those of some files, and writes the part of docs/validation.md.

    python jobs/campaigns/faults/report.py [FILE ...]

A file is named after its campaign, as `kills.jsonl`; `bounds.xml` is what `jobs/test --junitxml` wrote of tests of this version with indices
checked, beside which lie the reports of several ranks. Outcomes take the place of those that the table (`outcomes.csv`) has of the
campaign; campaigns of which no file is given keep theirs. The commit is that of the tries.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bulk")]

from page import table, write  # noqa: E402
from table_rows import append_row  # noqa: E402
from table_rows import read_rows as rows_of  # noqa: E402
from trials import BAD, Row, commit, read_rows, read_tries  # noqa: E402

TABLE = HERE / "outcomes.csv"
COLUMNS = ("campaign", "what", "tries", "outcomes", "failures", "commit", "day", "machine")
PART = "campaigns of faults"
CAMPAIGNS = {
    "cases": "mutated cases", "files": "damaged files", "kills": "kills", "disks": "disks that fail", "bits": "the same bits",
    "soak": "a very long run", "bounds": "tests with indices checked",
}  # fmt: skip
Line = dict[str, str]


def lines_of(path: Path) -> list[Line]:
    """Rows of the table out of a file of outcomes.

    Args:
        path: its stem is the name of the campaign.
    """
    if path.stem not in CAMPAIGNS:
        raise SystemExit(f"{path}: name the file after one of the campaigns {', '.join(CAMPAIGNS)}")
    if path.stem == "soak":
        return _soak(path)
    if path.stem == "bounds":
        return _bounds(path)
    tries = read_tries(path)
    lines = _grouped(path.stem, tries, WHAT[path.stem])
    return [*lines, _kills(tries)] if path.stem == "kills" else lines


def _of_case(row: Row) -> str:
    """How far a case has come."""
    return "some steps" if row["outcome"].startswith(("ran", "run")) else "check"


def _of_file(row: Row) -> str:
    """Which file was damaged: what it holds, not its number."""
    name = row.get("damage", "").partition(":")[0].rpartition("/")[2]
    kinds = {"whole": "result", "stopped": "index of a stopped run", "segment": "segment", "checkpoint": "checkpoint", "static": "static part"}
    return next((what for start, what in kinds.items() if name.startswith(start)), "file of grains" if name else "file")


WHAT: dict[str, Callable[[Row], str]] = {
    "cases": _of_case, "files": _of_file, "kills": lambda row: f"last kill in phase {row['phase']}",
    "disks": lambda row: row["fault"].replace("_", " "),
    "bits": lambda row: row["what"].split(", ")[1] if row["what"] else "scene",
}  # fmt: skip


def _grouped(campaign: str, tries: list[Row], what: Callable[[Row], str]) -> list[Line]:
    """A row for each kind of try."""
    groups: dict[str, list[Row]] = {}
    for row in tries:
        groups.setdefault(what(row), []).append(row)
    return [_line(campaign, name, some, Counter(row["outcome"] for row in some)) for name, some in sorted(groups.items())]


def _line(campaign: str, what: str, tries: list[Row], found: Counter[str]) -> Line:
    """A row of tries, whose commits and last day it takes."""
    commits, days = dict.fromkeys(row.get("commit", "") for row in tries), [row.get("day", "") for row in tries]
    return _made(campaign, what, len(tries), _counted(found), sum(found[name] for name in BAD), " ".join(filter(None, commits)), max(days))


def _kills(tries: list[Row]) -> Line:
    """All kills, of which a try has up to three."""
    every = [kill for row in tries for kill in row["kills"]]
    found = Counter("amid the run" if kill["came"] else "after its end" for kill in every)
    return _line("kills", "all kills of these runs", tries, found) | {"tries": str(len(every))}


def _soak(path: Path) -> list[Line]:
    """The verdict on a very long run; each note is no try."""
    from soak import judge

    notes = read_rows(path)
    steps = max((note["step"] for note in notes), default=0)
    lines, well = judge(notes, steps)
    row = _line("soak", f"{steps:.0e} steps".replace("e+0", "e"), notes, Counter())
    return [row | {"tries": "1", "outcomes": "; ".join(lines[1:]), "failures": str(int(not well))}]


def _bounds(path: Path) -> list[Line]:
    """Tests on each number of ranks, whose reports lie beside that of one rank; files of tests with failures are named."""
    lines = []
    for report in (path, *sorted(path.parent.glob(f"{path.stem}-*{path.suffix}"))):
        ends: Counter[str] = Counter()
        where: set[str] = set()
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            found = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            ends[found[0] if found else "passed"] += 1
            if {"failure", "error"} & set(found):
                where.add(case.get("classname", "").rpartition(".")[2])
        ranks = report.stem.partition("-")[2] or "1"
        told = _counted(ends) + (f" (in {', '.join(sorted(where))})" if where else "")
        bad = ends["failure"] + ends["error"]
        lines.append(_made("bounds", f"{ranks} rank{'s' * (ranks != '1')}", ends.total(), told, bad, commit(), _day(report)))
    return lines


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _day(path: Path) -> str:
    return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d}"


def _made(campaign: str, what: str, tries: int, outcomes: str, failures: int, version: str, day: str) -> Line:
    return dict(zip(COLUMNS, (campaign, what, str(tries), outcomes, str(failures), version, day, _machine()), strict=True))


def _machine() -> str:
    """Name of the processor, and number of cores."""
    place = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in place.read_text().splitlines() if line.startswith("model name")] if place.exists() else []
    return f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"


def renewed(old: Iterable[Line], new: Iterable[Line]) -> list[Line]:
    """The rows of a table, of which those of some campaigns are replaced.

    Args:
        old: rows that it has.
        new: rows of campaigns, all of each; of very long runs some, which replace those of as many steps.
    """

    def key(line: Line) -> tuple[str, str]:
        return line["campaign"], line["what"] if line["campaign"] == "soak" else ""

    new = list(new)
    there = {key(line) for line in new}
    return sorted([line for line in old if key(line) not in there] + new, key=lambda line: list(CAMPAIGNS).index(line["campaign"]))


def text(lines: list[Line]) -> str:
    """The part of docs/validation.md.

    Args:
        lines: of the table.
    """
    if not lines:
        return "Nothing has been run so far."
    head = ["campaign", "what", "tries", "outcomes", "failures", "commit", "day"]
    body = [[CAMPAIGNS[line["campaign"]], *(line[name] for name in COLUMNS[1:-1])] for line in lines]
    left = ", ".join(name for key, name in CAMPAIGNS.items() if key not in {line["campaign"] for line in lines})
    machines = ", ".join(dict.fromkeys(line["machine"] for line in lines))
    return table(head, body) + (f"\nNot run yet: {left}." if left else "") + f"\nMachine: {machines}."


def keep(path: Path, lines: list[Line]) -> None:
    """Write the table.

    Args:
        path: of the table.
        lines: its rows.
    """
    path.unlink(missing_ok=True)
    for line in lines:
        append_row(path, COLUMNS, [line[name] for name in COLUMNS])


def main() -> int:
    """Add what files hold, and write the part of the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    lines = renewed(rows_of(TABLE), [line for path in parser.parse_args().files for line in lines_of(path)])
    keep(TABLE, lines)
    write(PART, text(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
