"""`pardem campaign run|status|collect|plot STUDY.toml`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..errors import CaseError
from ..guard import EXIT_UNFINISHED, made_once, on_all_ranks

if TYPE_CHECKING:
    from mpi4py import MPI

    from .points import Design


def main(arguments: argparse.Namespace) -> int:
    """Do what a command line asks for.

    Args:
        arguments: its action and study, and for `run` its options.

    Returns:
        Exit status; 75: runs are left to be done.
    """
    if arguments.action == "run":
        return _keep_going(arguments) if arguments.ranks is not None else on_all_ranks(lambda comm: _run(arguments, comm))
    from .points import Design
    from .study import read_study

    design = Design(read_study(arguments.study))
    return {"status": _status, "collect": _collect, "plot": _plot}[arguments.action](design)


def _keep_going(arguments: argparse.Namespace) -> int:
    """Start the pool, and again when it dies."""
    from .keeping import keep_going, pool_command, words_of
    from .study import read_study

    def command(left: float | None, first: bool) -> list[str]:
        options = ["--no-user-code"] * arguments.no_user_code + ["--retry-failed"] * (arguments.retry_failed and first)
        return pool_command(arguments.ranks, arguments.launcher, words_of(arguments.study, left, options))

    return keep_going(read_study(arguments.study), command, arguments.walltime)


def _run(arguments: argparse.Namespace, comm: MPI.Comm) -> int:
    """Work on a campaign."""
    from .measures import load, units_of
    from .points import Design
    from .run_rows import Rows, retry_failed
    from .study import read_study

    def checked() -> Design:
        design = Design(read_study(arguments.study), user_code=not arguments.no_user_code)
        _check_first(design)
        if code := design.code():
            runs = "runs" if len(code) == 1 else "run"
            print(f"code       {', '.join(code)} {runs} code that comes with the study; --no-user-code forbids it", flush=True)
        try:
            for measure in design.study.measure:
                if measure.function is not None:
                    load(design.study.path.parent, measure.function)
        except CaseError as error:
            raise CaseError(f"{arguments.study}: {error}") from None
        if arguments.retry_failed:
            retry_failed(design, Rows(design.study), units_of(design.study))
        return design

    design = made_once(comm, checked)
    from .pool import Pool

    return 0 if Pool(design, comm, arguments.walltime).run() else EXIT_UNFINISHED


def _check_first(design: Design) -> None:
    """Refuse a study whose first run is no valid case: a mistake in the base case or in a key is one of all runs."""
    first = next(design.points({}), None)
    try:
        if first is not None:
            first.case(design.study)
    except CaseError as error:
        raise CaseError("\n".join(f"{design.study.path}: the first run: {line}" for line in str(error).splitlines())) from None


def _status(design: Design) -> int:
    """Say how far a campaign is, how long the rest may take, and what has failed."""
    from .progress import progress
    from .run_rows import FAILED, Rows, known_points

    rows = Rows(design.study)
    found = progress(design, rows)
    print(found)
    if found.under_way:
        print(f"under way: {', '.join(found.under_way)}")
    for point in known_points(design, rows):
        row = rows.known.get(point.id)
        if row is not None and row["status"] == FAILED:
            values = ", ".join(f"{name} = {value}" for name, value in point.columns.items())
            print(f"{point.id} ({values}) has failed: {row['sentence']}")
    return 0


def _collect(design: Design) -> int:
    """Write the table, and print its sums."""
    from .measures import units_of
    from .run_rows import Rows, collect
    from .statistics import summed

    rows = Rows(design.study)
    count = collect(design, rows, units_of(design.study))
    print(f"{design.study.table}: {count} rows of {design.count}")
    ordered = [rows.known[point.id] for point in design.points(rows.known) if point.id in rows.known]
    for summing in design.study.summary:
        for group, found in summed(design.study, summing, ordered).items():
            names = [*summing.by, *([summing.over] if summing.over and summing.kind == "mean" else [])]
            where = ", ".join(f"{name} = {value}" for name, value in zip(names, group, strict=True))
            what = f"{summing.over} at which {summing.measure} = 1/2" if summing.kind == "threshold" else f"mean {summing.measure}"
            print(f"{summing.name}: {what}{f' ({where})' if where else ''}: {found.value:.6g} [{found.low:.6g}, {found.high:.6g}], {found.runs} runs")
    return 0


def _plot(design: Design) -> int:
    """Draw the sums."""
    from .figures import draw
    from .run_rows import Rows, known_points

    rows = Rows(design.study)
    points = known_points(design, rows)
    for path in draw(design.study, [rows.known[point.id] for point in points if point.id in rows.known]):
        print(path)
    return 0
