"""The command line: one function a command, each of which imports what it needs."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .completion import complete
from .errors import CaseError, FileError, InsertionError, PardemError, ShapeError
from .examples import examples
from .guard import EXIT_ERROR, on_all_ranks, print_error
from .version import VERSION

if TYPE_CHECKING:
    from mpi4py import MPI

    from .case import Case
    from .reports import Log

EXIT_USAGE = 2
EXIT_UNFINISHED = 75


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: arguments without the program's name; those of the process by default.

    Returns:
        Exit status: 0 done, 1 an error or a difference, 2 wrong usage, 75 a run that stopped at a checkpoint before its end.
    """
    parser = command_line()
    complete(parser)
    arguments = parser.parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except (PardemError, MemoryError) as error:
        print_error(error)
        return EXIT_ERROR
    except BrokenPipeError:
        # the reader (head, less) has gone; the interpreter's own flush would report it once more
        sys.stderr.close()
        return 0


def run(arguments: argparse.Namespace) -> int:
    """`pardem run`: run a case under mpirun or srun, or alone on one rank."""
    if arguments.accept_loss and not arguments.resume:
        print("pardem: error: --accept-loss requires --resume", file=sys.stderr)
        return EXIT_USAGE
    return on_all_ranks(lambda comm: _run(arguments, comm))


def _run(arguments: argparse.Namespace, comm: MPI.Comm) -> int:
    if arguments.log is None:
        return _run_logged(arguments, comm, None)
    from .io.state.shared_errors import together
    from .reports import Log

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
    case = _shared_case(arguments, comm)
    from .run import run_case  # after the case has been validated, for this import takes a second

    out = arguments.output or Path(case.output.file or Path(arguments.case).with_suffix(".h5").name)
    try:
        summary = run_case(
            case, out=out, resume=arguments.resume, force=arguments.force, walltime=arguments.walltime, comm=comm, accept_loss=arguments.accept_loss,
            log=log,
        )  # fmt: skip
    except (CaseError, ShapeError, InsertionError) as error:
        raise type(error)(f"{arguments.case}: {error}") from None
    if summary.losses:
        raise FileError(f"{out} is finished but incomplete: {summary.losses}; the result records this, and unusable parts are in {out}.damaged")
    return 0 if summary.finished else EXIT_UNFINISHED


def check(arguments: argparse.Namespace) -> int:
    """`pardem check`: find everything that a run rejects before its first step, foresee what may stop it later, and estimate the cost."""
    from .decomposition.grids import fitting_grids, idle_notice
    from .io.casefile import read_case
    from .setup.estimate import estimate

    case = read_case(arguments.case, arguments.set, user_code=not arguments.no_user_code)
    if arguments.effective:
        print(case.to_toml(), end="")
        return 0
    if case.contact.user_law is not None:
        print(f"code       contact.user_law = '{case.contact.user_law}' runs code that comes with the case; --no-user-code forbids it", flush=True)
    try:
        if case.start is not None:
            from .origin import with_origin

            case = with_origin(case)
        ranks = arguments.ranks or case.parallel.least_ranks
        fitting_grids(ranks, case.parallel.parts)
        cost = estimate(case, ranks)
        case_hash = case.hash()
        from .forecast import forecast  # late: these load the compiler
        from .observables.bed import find_bed
        from .setup.initial_grains import insert_regions, size_range
        from .setup.insert_fraction import fillings
        from .setup.preparation import build_scene

        setup = build_scene(case, *size_range(case))
        find_bed(case, setup.scene.walls, setup.scene.wall_names)
        filled = fillings(case, setup.catalogue, insert_regions(case))
        warnings = [*filter(None, [idle_notice(ranks, cost.grains)]), *setup.warnings, *forecast(case, setup)]
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


def campaign(arguments: argparse.Namespace) -> int:
    """`pardem campaign`: many runs of one case under other values, measured and collected in one table."""
    from .campaign import command as implementation

    return implementation.main(arguments)


def schema(arguments: argparse.Namespace) -> int:
    """`pardem schema`: print the JSON schema of case files."""
    import json

    from .case.schema import schema as made

    text = json.dumps(made(), indent=2) + "\n"
    if arguments.output is None:
        print(text, end="")
        return 0
    try:
        arguments.output.write_text(text)
    except OSError as error:
        raise FileError(f"{arguments.output} could not be written: {error.strerror}; give another name") from None
    return 0


def info(arguments: argparse.Namespace) -> int:
    """`pardem info`: summarise a result or checkpoint."""
    from .io.views import info as implementation

    return implementation.main(arguments.file, as_json=arguments.json)


def verify(arguments: argparse.Namespace) -> int:
    """`pardem verify`: check that everything in a result, a checkpoint or a folder of parts is as it was written."""
    from .io.views import verify as implementation

    return implementation.main(arguments.file)


def compare(arguments: argparse.Namespace) -> int:
    """`pardem compare`: tell whether two results are bitwise equal."""
    from .io.views import compare as implementation

    return implementation.main(arguments.first, arguments.second)


def plot(arguments: argparse.Namespace) -> int:
    """`pardem plot`: draw the observables."""
    from .io.views import plot as implementation

    return implementation.run(arguments)


def render(arguments: argparse.Namespace) -> int:
    """`pardem render`: draw a picture of one frame, or a film."""
    from .io.views import render as implementation

    return implementation.run(arguments)


def export(arguments: argparse.Namespace) -> int:
    """`pardem export`: write files for other programs."""
    from .io.views import export as implementation

    return implementation.run(arguments)


def bench(arguments: argparse.Namespace) -> int:
    """`pardem bench`: measure the particle steps per second of scenes."""

    def work(comm: MPI.Comm) -> int:
        from . import bench as implementation
        from .compiling import Compilation

        options = implementation.Options(
            arguments.grains, arguments.steps, arguments.warmup, arguments.turns, arguments.state, arguments.json, arguments.compare
        )
        with Compilation(comm.rank):
            return implementation.main(arguments.scenes, options, comm)

    return on_all_ranks(work)


def warmup(arguments: argparse.Namespace) -> int:
    """`pardem warmup`: fill the cache of compiled kernels."""
    return on_all_ranks(lambda comm: _warmup(arguments, comm))


def _warmup(arguments: argparse.Namespace, comm: MPI.Comm) -> int:
    import tempfile

    from . import image
    from .compiled.cache import source_hash
    from .decomposition.rehearsal import rehearse
    from .io.casefile import read_case
    from .run import run_case
    from .setup.imaging import write_image
    from .setup.warmup import shrunken, usual_cases

    if arguments.image is not None and image.in_use() is not None:
        raise FileError("an image cannot be made by a process that has started from one: unset PARDEM_IMAGE")
    start = time.monotonic()
    cases = (
        [shrunken(read_case(path, arguments.set, user_code=not arguments.no_user_code)) for path in arguments.cases]
        if arguments.cases
        else usual_cases()
    )
    rehearse()
    folder = comm.bcast(tempfile.mkdtemp(prefix="pardem-warmup-") if comm.rank == 0 else None)
    try:
        for k, case in enumerate(cases):
            run_case(case, out=Path(folder) / f"{k}.h5", resume=False, force=True, walltime=None, comm=comm)
        comm.Barrier()
    finally:
        if comm.rank == 0:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
    if comm.rank == 0:
        many = "s" if len(cases) != 1 else ""
        print(f"compiled kernels for {len(cases)} case{many} in {time.monotonic() - start:.0f} s (cache {source_hash()})")
        if arguments.image is not None:
            modules, kernels, size = write_image(arguments.image)
            print(f"{arguments.image}: {modules} modules and {kernels} kernels, {size / 1e6:.0f} MB; use it by PARDEM_IMAGE={arguments.image}")
    return 0


def _shared_case(arguments: argparse.Namespace, comm: MPI.Comm) -> Case:
    """Read the case on rank 0 and broadcast it; an error in it is raised on all ranks."""
    from .io.casefile import read_case

    found: Case | CaseError | None = None
    if comm.rank == 0:
        try:
            found = read_case(arguments.case, arguments.set, user_code=not arguments.no_user_code)
        except CaseError as error:
            found = error
    found = comm.bcast(found)
    if isinstance(found, CaseError):
        raise found
    assert found is not None
    return found


def _walltime(text: str) -> float:
    """Convert [D-]HH:MM:SS to seconds."""
    match = re.fullmatch(r"(?:(\d+)-)?(\d+):([0-5]\d):([0-5]\d)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' must read HH:MM:SS or D-HH:MM:SS")
    if len(text) > 20:
        raise argparse.ArgumentTypeError(f"'{text[:20]}...' is longer than any run")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _count(text: str) -> int:
    if not re.fullmatch(r"0*[1-9]\d{0,17}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number of at least 1 and at most 18 digits")
    return int(text)


def command_line() -> argparse.ArgumentParser:
    """Build the parser of all commands and their options."""
    parser = argparse.ArgumentParser(
        prog="pardem", description="Discrete-element simulation of granular matter made of spheropolytopes.", epilog=examples(""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"pardem {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(function: Callable[[argparse.Namespace], int], text: str, epilog: str = "") -> argparse.ArgumentParser:
        name = function.__name__
        sub: argparse.ArgumentParser = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog="\n\n".join(filter(None, (epilog, examples(name)))),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        sub.set_defaults(command=function)
        return sub

    _commands_of_cases(command)
    _commands_of_files(command)
    _commands_of_pictures(command)
    _commands_of_kernels(command)
    return parser


def _add_case(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("case", metavar="CASE.toml", type=Path)
    _add_settings(sub)


def _add_settings(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="set a dotted key of the case, e.g. stage.vibrate.taps=30")
    sub.add_argument("--no-user-code", action="store_true", help="reject a case that comes with code (contact.user_law)")


def _commands_of_cases(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Commands on a case."""
    status = "Exit status 75: stopped at a checkpoint (--walltime, SIGUSR1); continue with --resume."
    sub = command(run, "run a case, under mpirun or srun, or alone on one rank", status)
    _add_case(sub)
    sub.add_argument("-o", "--output", metavar="OUT.h5", type=Path, help="result file (default: name of the case with .h5, in the current folder)")
    existing = sub.add_mutually_exclusive_group()
    existing.add_argument("--resume", action="store_true", help="continue from the newest valid checkpoint, or start if there is none")
    existing.add_argument("--force", action="store_true", help="replace an existing result")
    sub.add_argument("--accept-loss", action="store_true", help="with --resume: continue without missing or damaged parts, which the result records")
    sub.add_argument("--walltime", metavar="[D-]HH:MM:SS", type=_walltime, help="write a checkpoint and stop before this wall time has passed")
    sub.add_argument("--log", metavar="FILE", type=Path, help="append everything that the run tells to a file, with the time of day")

    sub = command(check, "validate a case; foresee what may stop it; estimate memory, steps and time")
    _add_case(sub)
    sub.add_argument("--ranks", type=_count, help="number of ranks to assume (default: as many as parallel.grid has parts)")
    sub.add_argument("--effective", action="store_true", help="print the case as TOML, with base file, settings and defaults filled in")

    sub = command(campaign, "many runs of one case under other values: run them, collect and draw what they give", status)
    sub.add_argument("action", choices=("run", "status", "collect", "plot"), help="do what is left; tell how far it is; write the table; draw")
    sub.add_argument("study", metavar="STUDY.toml", type=Path)
    sub.add_argument("--walltime", metavar="[D-]HH:MM:SS", type=_walltime, help="run: write checkpoints and stop before this wall time has passed")

    sub = command(schema, "print the JSON schema of case files, with which editors complete and check them")
    sub.add_argument("-o", "--output", metavar="OUT.json", type=Path, help="file (default: standard output)")


def _commands_of_files(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Commands on results and checkpoints."""
    sub = command(info, "summarise a result or checkpoint")
    sub.add_argument("file", metavar="FILE.h5", type=Path)
    sub.add_argument("--json", action="store_true", help="print JSON")

    status = "Exit status 0: everything is present and unchanged; 1: something is missing or was changed, and is named."
    sub = command(verify, "read everything and compare it with its checksums", status)
    sub.add_argument("file", metavar="FILE", type=Path, help="result, checkpoint, segment, or folder of parts (OUT.h5.parts)")

    status = "Exit status 0: equal; 1: different, and the first difference is printed."
    sub = command(compare, "tell whether two results are bitwise equal", status)
    sub.add_argument("first", metavar="A.h5", type=Path)
    sub.add_argument("second", metavar="B.h5", type=Path)


def _commands_of_pictures(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Commands that show results, or write them for other programs."""
    from .io.views import options

    options.plot_options(command(plot, "draw the observables of one or more results"))
    options.render_options(command(render, "draw a picture of one frame, or a film of all frames"))
    options.export_options(command(export, "write frames for other programs"))


def _commands_of_kernels(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Commands on the kernels."""
    sub = command(bench, "measure particle steps per second")
    sub.add_argument("scenes", metavar="SCENE", nargs="+", help="spheres, rods, tetrahedra, cubes, ...")
    sub.add_argument("--grains", type=_count, help="number of grains (default: that of the scene)")
    sub.add_argument("--steps", type=_count, default=2_000, help="number of steps to measure (default: 2000)")
    sub.add_argument("--warmup", type=_count, default=500, help="steps before the clock starts (default: 500)")
    sub.add_argument("--turns", type=_count, default=1, help="measure each scene so many times (default: 1)")
    sub.add_argument("--state", metavar="FILE.npz", type=Path, help="settled spheres to start from, as jobs/benchmarks/lammps_spheres writes them")
    sub.add_argument("--json", action="store_true", help="print JSON, one object a line")
    sub.add_argument("--compare", metavar="OLD.json", type=Path, help="what --json printed for another version: print the ratios of the medians")

    kernels = (
        "Without a case: the step for spheres, rods and polyhedra with each of four laws; interactions,\n"
        "integrators and walls need none of their own. One kernel takes 40 to 80 seconds of a core, what is in the cache none."
    )
    sub = command(warmup, "compile all kernels into the cache, before a big job", kernels)
    sub.add_argument("cases", metavar="CASE.toml", type=Path, nargs="*")
    sub.add_argument("--image", metavar="FILE", type=Path, help="write modules and kernels to one file, from which ranks start (PARDEM_IMAGE)")
    _add_settings(sub)


if __name__ == "__main__":
    sys.exit(main())
