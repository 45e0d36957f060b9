#!/usr/bin/env python
"""The table of outcomes of the campaigns of faults: adds those of some files, and writes the part of docs/validation.md.

    python jobs/campaigns/faults/report.py [FILE ...]

A file is named after its campaign, as `kills.jsonl`; `bounds.log` is what `jobs/test` printed of tests with indices checked. Outcomes take the place
of those that the table (`outcomes.csv`) has of the campaign; campaigns of which no file is given keep theirs. The commit is that of the tries.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bulk")]

from cases import RAN  # noqa: E402
from page import table, write  # noqa: E402
from table_rows import append_row  # noqa: E402
from table_rows import read_rows as rows_of  # noqa: E402
from trials import ALIKE, BAD, Row, read_rows, read_tries  # noqa: E402

TABLE = HERE / "outcomes.csv"
COLUMNS = ("campaign", "what", "tries", "outcomes", "failures", "commit", "day", "machine")
PART = "campaigns of faults"
CAMPAIGNS = {
    "cases": "mutated cases", "files": "damaged files", "kills": "kills", "disks": "disks that fail", "whole_runs": "whole runs",
    "bits": "the same bits", "opened": "the same bits with open faces", "checked": "random scenes with indices checked",
    "checked_opened": "indices checked with open faces", "soak": "a very long run", "bounds": "tests with indices checked",
}  # fmt: skip
WAITING = ("failing", "short", "two", "stopped")  # faults of disks that come at a certain call, if there is one
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
    groups: dict[str, list[Row]] = {}
    for row in tries:
        groups.setdefault(WHAT[path.stem](row), []).append(row)
    lines = [_line(path.stem, name, some, Counter(map(_outcome, some)), _came(some)) for name, some in sorted(groups.items())]
    return lines + MORE.get(path.stem, lambda tries: [])(tries)


def _of_case(row: Row) -> str:
    """How far a case has come."""
    return "some steps" if row["outcome"].startswith(RAN) else "check"


def _of_file(row: Row) -> str:
    """Which file was damaged: what it holds, not its number."""
    name = row.get("damage", "").partition(":")[0].rpartition("/")[2]
    kinds = {"whole": "result", "stopped": "index of a stopped run", "segment": "segment", "checkpoint": "checkpoint", "static": "static part"}
    if name.startswith("whole") and "index" in row.get("form", ""):
        return "index of a finished run"
    return next((what for start, what in kinds.items() if name.startswith(start)), "file of grains" if name else "file")


def _of_scene(row: Row) -> str:
    """The law of a random scene."""
    return row["what"].split(", ")[1] if row["what"] else "scene"


WHAT: dict[str, Callable[[Row], str]] = {
    "cases": _of_case, "files": _of_file, "kills": lambda row: f"last kill in phase {row['phase']}",
    "disks": lambda row: row["fault"].replace("_", " "), "whole_runs": _of_scene,
    "bits": _of_scene, "opened": _of_scene, "checked": _of_scene, "checked_opened": _of_scene,
}  # fmt: skip


def _outcome(row: Row) -> str:
    """How a try ended; a scene that was refused before its first step has not been compared, whatever its row calls that."""
    refused = row["outcome"] == "the same sentence" and row["found"].startswith(("CaseError", "InsertionError"))
    return ALIKE if refused else str(row["outcome"])


def _came(tries: list[Row]) -> str:
    """In how many tries a fault came that waits for a certain call; nothing of other faults."""
    waited = [row["failed"] for row in tries if row.get("fault") in WAITING and row["outcome"] != "skipped"]
    return f"; the fault came in {sum(waited)} of {len(waited)}" if waited else ""


def _line(campaign: str, what: str, tries: list[Row], found: Counter[str], more: str = "") -> Line:
    """A row of tries, whose commits and last day it takes."""
    commits, days = dict.fromkeys(row.get("commit", "") for row in tries), [row.get("day", "") for row in tries]
    return _made(campaign, what, len(tries), _counted(found) + more, sum(found[name] for name in BAD), " ".join(filter(None, commits)), max(days))


def _kills(tries: list[Row]) -> list[Line]:
    """All kills, of which a try has up to three: by signal, by whom it was sent to, by the number of ranks. A failure is that of the last one."""
    every = [(kill, row, kill is row["kills"][-1]) for row in tries for kill in row["kills"]]
    groups = {"all kills of these runs": every}
    for name in (_of_signal, _of_whom, _of_ranks):
        for what in sorted({name(kill) for kill, *_ in every}):
            groups[what] = [one for one in every if name(one[0]) == what]
    lines = []
    for what, some in groups.items():
        found = Counter("amid the run" if kill["came"] else "after its end" for kill, *_ in some)
        failures = sum(last and row["outcome"] in BAD for _, row, last in some)
        lines.append(_line("kills", what, [row for _, row, _ in some], found) | {"failures": str(failures)})
    return lines


def _of_signal(kill: Row) -> str:
    return f"signal {kill['signal']}"


def _of_whom(kill: Row) -> str:
    """Whom a signal was sent to."""
    if not kill["ranks"]:
        return "sent to a run without mpirun"
    whom = {"one": "one rank", "all": "all ranks", "launcher": "mpirun", "everything": "mpirun and all ranks"}
    return f"sent to {whom[kill['whom']]}"


def _of_ranks(kill: Row) -> str:
    return f"run on {max(1, kill['ranks'])} rank{'s' * (kill['ranks'] > 1)}"


def _commands(tries: list[Row]) -> list[Line]:
    """Each form of output, and each command, which is not tried on all files."""
    forms = {name: [row for row in tries if row.get("form") == name] for name in sorted({row["form"] for row in tries if "form" in row})}
    lines = [_line("files", f"form: {name}", some, Counter(row["outcome"] for row in some)) for name, some in forms.items()]
    names = sorted({name for row in tries for name in row.get("commands", ())})
    some = {name: [row for row in tries if name in row.get("commands", ())] for name in names}
    return lines + [_line("files", f"`{name}`", some[name], Counter(row["commands"][name] for row in some[name])) for name in names]


def _whole(tries: list[Row]) -> list[Line]:
    """The signals that ended runs, what views showed, and what became of the runs that started from the end of others."""
    sent = Counter("after its end" if told.endswith(": 0") else "amid the run" for row in tries for told in row["history"])
    lines = [_line("whole_runs", "signals", tries, sent) | {"tries": str(sent.total()), "failures": "0"}]
    shown = Counter(view for row in tries for view in row["views"])
    lines.append(_line("whole_runs", "views of results", tries, shown) | {"tries": str(shown.total()), "failures": "0"})
    started = [row for row in tries if row["started"]]
    ends = Counter(row["started"].partition(":")[0] for row in started)
    return lines + [_line("whole_runs", "started from their end", started, ends)] * bool(started)


MORE: dict[str, Callable[[list[Row]], list[Line]]] = {"kills": _kills, "files": _commands, "whole_runs": _whole}


def _soak(path: Path) -> list[Line]:
    """The verdict on a very long run; each note is no try."""
    from soak import judge

    notes = read_rows(path)
    steps = max((note["step"] for note in notes), default=0)
    lines, well = judge(notes, steps)
    row = _line("soak", f"{steps:.0e} steps".replace("e+0", "e"), notes, Counter())
    return [row | {"tries": "1", "outcomes": "; ".join(lines[1:]), "failures": str(int(not well))}]


def _bounds(path: Path) -> list[Line]:
    """Tests on each number of ranks, as calls of `jobs/test` printed it one after the other, for all tests or for some files."""
    lines: list[Line] = []
    for call in re.split(r"(?m)^(?=tests of )", path.read_text())[1:]:
        version, *files = call.splitlines()[0].split()[2:]
        for ranks, said in re.findall(r"(?ms)^== tests, (\d+) ranks?$(.*?)(?=^== tests|\Z)", call):
            summary = re.findall(r"(?m)^((?:\d+ [a-z]+, )*\d+ [a-z]+) in \d.*$", said)
            if not summary or not re.search("passed|failed|error", summary[-1]):
                continue
            ends = Counter({name.rstrip("s"): int(number) for number, name in re.findall(r"(\d+) ([a-z]+)", summary[-1])})
            ends = Counter({name: ends[name] for name in ("passed", "skipped", "failed", "error") if ends[name]})
            where = sorted(set(re.findall(r"(?m)^(?:FAILED|ERROR) (?:\S*/)?(\w+)\.py", said)))
            what = f"{ranks} rank{'s' * (ranks != '1')}" + (f", {' '.join(files)}" if files else "")
            told = _counted(ends) + (f" (in {', '.join(where)})" if where else "")
            lines.append(_made("bounds", what, ends.total(), told, ends["failed"] + ends["error"], version, _day(path)))
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
        new: rows of campaigns, all of each; of very long runs and of the same bits some, which replace those of as many steps or the same law.
    """

    def key(line: Line) -> tuple[str, str]:
        return line["campaign"], line["what"] if line["campaign"] in ("soak", "bits", "checked") else ""

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
