"""What the campaigns of faults share: tries kept as lines of JSON, limits of time and memory, and the table of outcomes."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

Row = dict[str, Any]
CONTRADICTED = "contradicted"
ALIKE = "refused alike"  # however a scene was run, it never moved
BAD = {
    "traceback": "a command printed a traceback",
    "crash": "a process ended by a signal that nobody sent",
    "too long": "a command, or a process of it, did not end in its time",
    "silent": "a command failed without a sentence, or did not fail although it should",
    "lost": "something that had been written cannot be read any more, or a run cannot be resumed",
    "differs": "the bits are not those of the undisturbed run",
    "denied": "a view refused a whole result that has all that it shows",
    CONTRADICTED: "a run refused a case that check had accepted",
}
ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 400.0  # seconds for a try within this process, in which a kernel may be compiled
ROOM = 4 << 30  # bytes that it may take beyond what the process has


class TooLong(BaseException):
    """A try has used up its time."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Limits of time and memory for what this process does itself.

    Yields:
        Nothing.

    Raises:
        TooLong: the time is used up.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    had = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    before, limits = signal.signal(signal.SIGALRM, stop), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (had + ROOM, limits[1]))
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def command_line(text: str | None, what: str, number: int) -> argparse.ArgumentParser:
    """Make the parser of a campaign.

    Args:
        text: what the campaign is for.
        what: name of its tries, which is that of the option for their number.
        number: of tries by default.

    Returns:
        The parser; ``tries``, ``only``, ``seed``, ``again`` and ``out`` are what it gives.
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(f"--{what}", dest="tries", metavar="N", type=int, default=number, help=f"number of tries (default: {number})")
    parser.add_argument("--only", metavar="K", type=int, nargs="+", help="make these tries alone, by their numbers")
    parser.add_argument("--seed", type=int, default=0, help="try k depends on the seed and k alone")
    out = f"{Path(sys.argv[0]).stem}.jsonl"
    parser.add_argument("--again", action="store_true", help="make the tries that had a bad end once more")
    parser.add_argument("--out", metavar="FILE", type=lambda name: Path(name).resolve(), default=Path(out).resolve(), help=f"default: {out}")
    return parser


def read_rows(out: Path) -> list[Row]:
    """Read the tries that have been made.

    Args:
        out: file of the campaign; the line at which a campaign was killed may be cut, and is left out.

    Returns:
        A row for each line.
    """
    rows = []
    for line in out.read_text().splitlines() if out.exists() else ():
        with contextlib.suppress(ValueError):
            rows.append(json.loads(line))
    return rows


def read_tries(out: Path) -> list[Row]:
    """Read the tries that have been made; of one that was made again, the last time.

    Args:
        out: file of the campaign.

    Returns:
        A row for each.
    """
    return list({(row.get("seed", 0), row["case"]): row for row in read_rows(out)}.values())


def go_on(arguments: argparse.Namespace, attempt: Callable[[int], Row]) -> list[Row]:
    """Make the tries that are left, and keep a line of JSON of each.

    Args:
        arguments: of the command line.
        attempt: makes one try, by its number; what it returns holds ``outcome`` and ``said``.

    Returns:
        A row for each try of this seed, also for those that were made before.
    """
    rows = {row["case"]: row for row in read_tries(arguments.out) if row.get("seed", 0) == arguments.seed}
    done = {k for k, row in rows.items() if not (arguments.again and row["outcome"] in BAD)}
    made = {"seed": arguments.seed, "commit": commit(), "day": f"{datetime.now(UTC):%Y-%m-%d}"}
    with arguments.out.open("a+") as log:
        log.seek(0)
        if not f"\n{log.read()}".endswith("\n"):
            log.write("\n")  # behind a line that was cut
        for k in (k for k in arguments.only or range(arguments.tries) if k not in done):
            rows[k] = {"case": k} | attempt(k) | made
            log.write(json.dumps(rows[k]) + "\n")
            log.flush()
    return list(rows.values())


def commit() -> str:
    """The commit that the tries are made with, with a plus sign where files of pardem differ from it; nothing where there is no repository."""

    def said(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    return said("rev-parse", "--short=7", "HEAD") + "+" * bool(said("status", "--porcelain", "--", "pardem", "io", "decomposition"))


def verdict(rows: list[Row]) -> int:
    """Exit status of a campaign.

    Args:
        rows: its tries.

    Returns:
        1 if one of them had a bad end, else 0.
    """
    return int(any(row["outcome"] in BAD for row in rows))


def table(rows: list[Row], *columns: str) -> str:
    """Count outcomes, and bad ones by where they arise.

    Args:
        rows: the tries.
        *columns: names of further entries, by whose values the tries are counted, with the bad ones among them.

    Returns:
        Lines of text.
    """
    lines = [f"{count:8d}  {outcome}" for outcome, count in Counter(row["outcome"] for row in rows).most_common()]
    for name in columns:
        lines.append(f"by {name}:")
        values = Counter(str(row[name]) for row in rows)
        bad = Counter(str(row[name]) for row in rows if row["outcome"] in BAD)
        lines += [f"{count:8d}  {value}" + (f", {bad[value]} of them bad" if bad[value] else "") for value, count in values.most_common()]
    where = Counter(_where(row) for row in rows if row["outcome"] in BAD)
    return "\n".join(lines + [f"{count:8d}  {place}, first case {_first(rows, place)}" for place, count in where.most_common()])


def _where(row: Row) -> str:
    """The outcome, its last line, and the last line of pardem's own in a traceback."""
    lines = row["said"].strip().splitlines()
    own = [line.strip() for line in lines if line.lstrip().startswith("File") and "pardem" in line]
    return f"{row['outcome']}: {lines[-1][:120] if lines else ''}" + (f" [{own[-1]}]" if own else "")


def _first(rows: list[Row], place: str) -> int:
    return min(int(row["case"]) for row in rows if row["outcome"] in BAD and _where(row) == place)
