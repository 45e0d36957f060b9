"""`pardem bench` and `warmup`: commands on the compiled loops."""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FileError
from ..guard import made_by_first, on_all_ranks
from ..run_options import RunOptions
from .arguments import Commands, add_settings, count

if TYPE_CHECKING:
    from mpi4py import MPI

    from ..case import Case


def bench(arguments: argparse.Namespace) -> int:
    """`pardem bench`: measure the particle steps per second of scenes."""

    def work(comm: MPI.Comm) -> int:
        from .. import bench as implementation
        from ..compiling import Compilation

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

    from .. import image
    from ..compiled.cache import source_hash
    from ..decomposition.rehearsal import rehearse
    from ..io.casefile import read_case
    from ..run import run_case
    from ..setup.imaging import require_replaceable, write_image
    from ..setup.shared_insertion import FEWEST
    from ..setup.warmup import shrunken, usual_cases

    if arguments.image is not None and image.in_use() is not None:
        raise FileError("an image cannot be made by a process that has started from one: unset PARDEM_IMAGE")
    if arguments.image is not None:
        require_replaceable(arguments.image)
    start = time.monotonic()
    whole = [read_case(path, arguments.set, user_code=not arguments.no_user_code) for path in arguments.cases]
    cases = [shrunken(case) for case in whole] if whole else usual_cases()
    rehearse()
    _rehearse_insertion(comm, whole or cases, 0 if not whole else FEWEST)
    folder = comm.bcast(tempfile.mkdtemp(prefix="pardem-warmup-") if comm.rank == 0 else None)
    try:
        for k, case in enumerate(cases):
            run_case(case, out=Path(folder) / f"{k}.h5", comm=comm, options=RunOptions(force=True))
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


def _rehearse_insertion(comm: MPI.Comm, cases: list[Case], fewest: int) -> None:
    """Compile the insertion by all ranks, of spheres and of other grains, for the cases that insert so many grains."""
    from ..setup.initial_grains import size_range
    from ..setup.preparation import build_scene
    from ..setup.shared_insertion import only_spheres, rehearse

    large = [case for case in cases if sum(insert.count for insert in case.insert) >= fewest]
    catalogues = [build_scene(case, *size_range(case)).catalogue for case in large]
    for spheres in (True, False):
        if some := [catalogue for catalogue in catalogues if only_spheres(catalogue) is spheres]:
            made_by_first(comm, functools.partial(rehearse, some[0]))


def add_commands(add: Commands) -> None:
    """Add the commands on the compiled loops.

    Args:
        add: adds a command.
    """
    sub = add(bench, "measure particle steps per second")
    sub.add_argument("scenes", metavar="SCENE", nargs="+", help="spheres, rods, tetrahedra, cubes, ...")
    sub.add_argument("--grains", type=count, help="number of grains (default: that of the scene)")
    sub.add_argument("--steps", type=count, default=2_000, help="number of steps to measure (default: 2000)")
    sub.add_argument("--warmup", type=count, default=500, help="steps before the clock starts (default: 500)")
    sub.add_argument("--turns", type=count, default=1, help="measure each scene so many times (default: 1)")
    sub.add_argument("--state", metavar="FILE.npz", type=Path, help="settled spheres to start from, as jobs/benchmarks/lammps_spheres writes them")
    sub.add_argument("--json", action="store_true", help="print JSON, one object a line")
    sub.add_argument("--compare", metavar="OLD.json", type=Path, help="what --json printed for another version: print the ratios of the medians")

    kernels = (
        "Without a case: the step for spheres, rods and polyhedra with each of four laws; interactions,\n"
        "integrators and walls need none of their own. One kernel takes 40 to 80 seconds of a core, what is in the cache none."
    )
    sub = add(warmup, "compile all kernels into the cache, before a big job", kernels)
    sub.add_argument("cases", metavar="CASE.toml", type=Path, nargs="*")
    sub.add_argument("--image", metavar="FILE", type=Path, help="write modules and kernels to one file, from which ranks start (PARDEM_IMAGE)")
    add_settings(sub)
