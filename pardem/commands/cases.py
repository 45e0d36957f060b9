"""`pardem run`, `check`, `campaign` and `schema`: commands on cases."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CaseError, FileError, InsertionError, PardemError, ShapeError
from ..guard import EXIT_UNFINISHED, EXIT_USAGE, made_once, on_all_ranks
from ..run_options import RunOptions
from .arguments import Commands, add_case, count, walltime

if TYPE_CHECKING:
    from mpi4py import MPI

    from ..case import Case
    from ..reports import Log
    from ..setup.preparation import Setup


def run(arguments: argparse.Namespace) -> int:
    """`pardem run`: run a case under mpirun or srun, or alone on one rank."""
    if arguments.accept_loss and not arguments.resume:
        print("pardem: error: --accept-loss requires --resume", file=sys.stderr)
        return EXIT_USAGE
    return on_all_ranks(lambda comm: _run(arguments, comm))


def _run(arguments: argparse.Namespace, comm: MPI.Comm) -> int:
    if arguments.log is None:
        return _run_logged(arguments, comm, None)
    from ..io.state.shared_errors import together
    from ..reports import Log

    log: Log | None = None
    with together(comm, f"--log {arguments.log} could not be written"):
        if comm.rank == 0:
            log = Log(arguments.log)
    try:
        return _run_logged(arguments, comm, log)
    except PardemError as error:
        if log is not None:
            log.write("".join(f"pardem: error: {line}\n" for line in str(error).splitlines()))
        raise
    finally:
        if log is not None:
            log.close()


def _run_logged(arguments: argparse.Namespace, comm: MPI.Comm, log: Log | None) -> int:
    from ..io.casefile import read_case

    case = made_once(comm, lambda: read_case(arguments.case, arguments.set, user_code=not arguments.no_user_code))
    from ..run import run_case  # after the case has been validated, for this import takes a second

    out = arguments.output or _output_of(case, arguments.case)
    try:
        options = RunOptions(arguments.resume, arguments.accept_loss, arguments.force, arguments.walltime, log)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # which the run itself heeds; one that comes after its end must not change the exit status
        summary = run_case(case, out=out, comm=comm, options=options)
    except (CaseError, ShapeError, InsertionError) as error:
        raise type(error)(f"{arguments.case}: {error}") from None
    if summary.losses:
        from ..io.results.paths import damaged_of

        where = f", and unusable parts are in {damaged_of(out)}" if damaged_of(out).is_dir() else ""  # those of an index stay for their other frames
        raise FileError(f"{out} is finished but incomplete: {summary.losses}; the result records this{where}")
    return 0 if summary.finished else EXIT_UNFINISHED


def check(arguments: argparse.Namespace) -> int:
    """`pardem check`: find everything that a run rejects before its first step, foresee what may stop it later, and estimate the cost."""
    from ..decomposition.grids import fitting_grids, idle_notice
    from ..io.casefile import read_case
    from ..setup.estimate import estimate

    case = read_case(arguments.case, arguments.set, user_code=not arguments.no_user_code)
    if arguments.effective:
        print(case.to_toml(), end="")
        return 0
    if case.contact.user_law is not None:
        print(f"code       contact.user_law = '{case.contact.user_law}' runs code that comes with the case; --no-user-code forbids it", flush=True)
    try:
        if case.start is not None:
            from ..origin import with_origin

            case = with_origin(case)
        ranks = arguments.ranks or case.parallel.least_ranks
        fitting_grids(ranks, case.parallel.parts)
        _require_output(case, arguments.case)
        cost = estimate(case, ranks)
        case_hash = case.hash()
        from ..forecast import forecast  # late: these load the compiler
        from ..observables.bed import find_bed
        from ..setup.continuation import continued
        from ..setup.initial_grains import size_range
        from ..setup.insert_fraction import fillings
        from ..setup.insert_regions import insert_regions
        from ..setup.preparation import build_scene

        setup = build_scene(case, *size_range(case))
        find_bed(case, setup.scene.walls, setup.scene.wall_names)
        _require_grains(case, setup)
        filled = fillings(case, setup.catalogue, insert_regions(case))
        warnings = [*filter(None, [idle_notice(ranks, cost.grains)]), *setup.warnings, *forecast(case, setup)]
        if case.origin is not None and case.origin.state is not None:
            continued(case, setup, case.origin.state)  # last: it moves the walls
    except PardemError as error:
        raise type(error)(f"{arguments.case}: {error}") from None
    print(f"{arguments.case}: valid" + (f" ({case.title})" if case.title else ""))
    for warning in warnings:
        print(f"warning    {warning}")
    print(cost)
    for filling in filled:
        print(f"region     {filling.key}: {filling.share:.1%} of {filling.volume:.3g} {'m^2' if case.dimension == 2 else 'm^3'} filled")
    print(f"hash       {case_hash}")
    return 0


def _output_of(case: Case, path: Path | str) -> Path:
    """The result file of a case, where the command line names no other."""
    return Path(case.output.file or Path(path).with_suffix(".h5").name)


def _require_output(case: Case, path: Path | str) -> None:
    """Refuse an output that could not be written; what is there may be resumed or replaced."""
    from mpi4py import MPI

    from ..io.results.output_path import check_output

    check_output(MPI.COMM_SELF, _output_of(case, path), compression=case.output.compression, resume=True, force=False, start=case.start_path)


def _require_grains(case: Case, setup: Setup) -> None:
    """Refuse given grains, and those of another run, that no run can begin with."""
    from mpi4py import MPI

    from ..setup.given_checks import require_given
    from ..setup.settled_grains import settled_grains

    require_given(case, setup.catalogue, settled_grains(MPI.COMM_SELF, case, setup.catalogue))


def campaign(arguments: argparse.Namespace) -> int:
    """`pardem campaign`: many runs of one case under other values, measured and collected in one table."""
    from ..campaign import command as implementation

    return implementation.main(arguments)


def schema(arguments: argparse.Namespace) -> int:
    """`pardem schema`: print the JSON schema of case files."""
    import json

    from ..case.schema import schema as made
    from ..io.views.targets import require_ending

    text = json.dumps(made(), indent=2) + "\n"
    if arguments.output is None:
        print(text, end="")
        return 0
    require_ending(arguments.output, (".json",), "a schema")
    try:
        arguments.output.write_text(text)
    except OSError as error:
        raise FileError(f"{arguments.output} could not be written: {error.strerror}; give another name") from None
    return 0


def add_commands(add: Commands) -> None:
    """Add the commands on cases.

    Args:
        add: adds a command.
    """
    status = "Exit status 75: stopped at a checkpoint (--walltime, SIGUSR1); continue with --resume."
    sub = add(run, "run a case, under mpirun or srun, or alone on one rank", status)
    add_case(sub)
    sub.add_argument("-o", "--output", metavar="OUT.h5", type=Path, help="result file (default: name of the case with .h5, in the current folder)")
    existing = sub.add_mutually_exclusive_group()
    existing.add_argument("--resume", action="store_true", help="continue from the newest valid checkpoint, or start if there is none")
    existing.add_argument("--force", action="store_true", help="replace an existing result")
    sub.add_argument("--accept-loss", action="store_true", help="with --resume: continue without missing or damaged parts, which the result records")
    sub.add_argument("--walltime", metavar="[D-]HH:MM:SS", type=walltime, help="write a checkpoint and stop before this wall time has passed")
    sub.add_argument("--log", metavar="FILE", type=Path, help="append everything that the run tells to a file, with the time of day")

    sub = add(check, "validate a case; foresee what may stop it; estimate memory, steps and time")
    add_case(sub)
    sub.add_argument("--ranks", type=count, help="number of ranks to assume (default: as many as parallel.grid has parts)")
    sub.add_argument("--effective", action="store_true", help="print the case as TOML, with base file, settings and defaults filled in")

    sub = add(campaign, "many runs of one case under other values: run them, collect and draw what they give", status)
    sub.add_argument("action", choices=("run", "status", "collect", "plot"), help="do what is left; tell how far it is; write the table; draw")
    sub.add_argument("study", metavar="STUDY.toml", type=Path)
    sub.add_argument("--walltime", metavar="[D-]HH:MM:SS", type=walltime, help="run: write checkpoints and stop before this wall time has passed")
    sub.add_argument("--ranks", type=count, help="run: start so many ranks, and again when they die (instead of mpirun)")
    sub.add_argument("--launcher", metavar="COMMAND", help="run: what starts --ranks, with its options (default: mpirun or srun; none for one rank)")
    sub.add_argument("--retry-failed", action="store_true", help="run: do the runs that have failed once more")
    sub.add_argument("--no-user-code", action="store_true", help="run: reject a study that comes with code (measure.function, contact.user_law)")

    sub = add(schema, "print the JSON schema of case files, with which editors complete and check them")
    sub.add_argument("-o", "--output", metavar="OUT.json", type=Path, help="file (default: standard output)")
