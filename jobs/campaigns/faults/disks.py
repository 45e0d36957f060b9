#!/usr/bin/env python
"""Runs on disks that fail: full, read-only, with errors and short writes, held by another run, slow, of somebody else, or without a local disk.

    python jobs/campaigns/faults/disks.py [--disks 300] [--seed 0] [--out disks.jsonl]

Under its fault a run comes to its end with the bits of a run that nobody disturbed, or it ends with a sentence and a status that is not 0. Then what
was finished before can be read, and once the fault is gone the run is resumed and reaches those bits. Try k depends on the seed and k alone. A line
of JSON is kept for each, so that the campaign goes on where it stopped. Exit status 1: something was lost, hung, crashed, differed, failed without a
sentence, or there was a traceback. Read-only disks and other users need root, without which these tries are skipped.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from halting import PHASES
from launching import Command, preloaded
from trials import Row, command_line, go_on, table, verdict
from undisturbed import LIMIT, Undisturbed
from workbench import ANY, HERE, Bench, done

from pardem.errors import FileError

CALLS = ("write", "write", "read", "open", "sync", "rename", "allocate", "resize", ANY, ANY)
ERRORS = (errno.EIO, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ESTALE)
SHORT = 0  # the number of no error: writes that are short
SMALLEST, LARGEST = 4.5, 7.0  # decimal logarithms of the sizes of small disks (bytes)
NOBODY = 65534
LIMITED = """
import resource, sys
sys.dont_write_bytecode = True  # Python would cut it short without a word
from mpi4py import MPI  # before the limit: it has large files of its own
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from pardem.cli import main
sys.exit(main(sys.argv[2:]))
"""
SKIPPED = "skipped"


# -- faults: each runs the case under the fault, removes it, and returns what it did, the run and its status; None where that cannot be done ------

Tried = tuple[str, Command, int | None] | None


def full(bench: Bench) -> Tried:
    """A disk that is too small, or a limit of the size of files, which does for others than root."""
    size = round(10.0 ** bench.dice.uniform(SMALLEST, LARGEST))
    if bench.dice.random() < 0.2 or not bench.mount(64 << 20):
        bench.fill()
        run = bench.run(program=("-c", LIMITED, size))
        return f"files of {size} bytes at most", run, run.wait(LIMIT)
    bench.fill()
    used = sum(path.stat().st_size for path in bench.disk.rglob("*") if path.is_file())
    bench.remount(f"size={size + (used + (100 << 10) if used else 0)}")
    run = bench.run()
    status = run.wait(LIMIT)
    bench.remount("size=64m")
    return f"disk with {size} bytes", run, status


def read_only(bench: Bench) -> Tried:
    """A disk that cannot be written to."""
    if not bench.mount(64 << 20):
        return None
    bench.fill()
    bench.remount("ro")
    run = bench.run()
    status = run.wait(LIMIT)
    bench.remount("rw")
    return "read-only disk", run, status


def failing(bench: Bench) -> Tried:
    """A call that fails, once or from then on."""
    return _with_library(bench, bench.dice.choice(ERRORS), bench.dice.choice(CALLS))


def short(bench: Bench) -> Tried:
    """Writes that take a part of their bytes."""
    return _with_library(bench, SHORT, "write")


def _with_library(bench: Bench, error: int, call: str) -> Tried:
    bench.fill()
    dice, calls = bench.dice, bench.calls()
    if not calls:
        return None
    if call not in calls:
        call = ANY
    rank, most = dice.choice(sorted(calls[call].items()))
    number, lasts = round(most ** dice.random()) if dice.random() < 0.5 else dice.randint(1, most), dice.random() < 0.5
    run = bench.run(more=bench.watched(CALL=call, NUMBER=number, ERROR=error, LASTS=int(lasts), RANK=rank))
    what = errno.errorcode.get(error, "short")
    return f"{call} number {number} of {most}{' and later ones' if lasts else ''} on rank {rank}: {what}", run, run.wait(LIMIT)


def two(bench: Bench) -> Tried:
    """A second run on the output of one that goes on: it is refused, and the first one comes to its end."""
    bench.fill()
    phase, call = bench.dice.choice(("frame", "checkpoint", "rebuild")), round(10.0 ** bench.dice.uniform(0.0, 2.5))
    option = bench.dice.choice(("--resume", "--force"))
    first = bench.run(program=(HERE / "halting.py", phase, call, 0, bench.mark))
    there = first.until(bench.mark.exists, LIMIT)
    second = bench.run(option, name="second") if there else None
    status = second.wait(LIMIT) if second is not None else 1
    bench.mark.with_suffix(".go").touch()
    ended = first.wait(LIMIT)
    if second is not None and (status != 1 or "is being written by a run that is still going" not in second.said or second.fault(status)):
        return f"a second run, {option}", second, status
    return f"a first run while a second one comes, {option}", first, ended


def stopped(bench: Bench) -> Tried:
    """Ranks that stand still for some seconds."""
    bench.fill()
    phase, call, seconds = bench.dice.choice(list(PHASES)), round(10.0 ** bench.dice.uniform(0.0, 3.0)), bench.dice.uniform(1.0, 8.0)
    rank = bench.dice.randrange(max(1, bench.ranks))
    run = bench.run(program=(HERE / "halting.py", phase, call, rank, bench.mark))
    if run.until(bench.mark.exists, LIMIT):
        ranks = run.ranks()
        some = ranks if bench.dice.random() < 0.3 else bench.dice.sample(ranks, 1)
        run.send(signal.SIGSTOP, some)
        bench.mark.with_suffix(".go").touch()
        time.sleep(seconds)
        run.send(signal.SIGCONT, some)
    return f"stopped for {seconds:.1f} s: {phase}, call {call} on rank {rank}", run, run.wait(LIMIT)


def no_local_disk(bench: Bench) -> Tried:
    """Folders for temporary files, images and kernels that are missing or cannot be written."""
    bench.fill()
    missing, closed = bench.folder / "missing", bench.folder / "closed"
    closed.write_text("")  # a file where a folder is wanted
    where = bench.dice.choice((missing, closed))
    names = bench.dice.choice((("TMPDIR",), ("SLURM_TMPDIR",), ("HOME", "XDG_CACHE_HOME"), ("PARDEM_IMAGE",), ("PARDEM_IMAGE", "TMPDIR")))
    if "TMPDIR" in names:
        where = missing  # with a file in its place Open MPI does not start
    place = str(where)
    if "PARDEM_IMAGE" in names and names[-1] == "TMPDIR":
        image = bench.undisturbed.case.with_name("image")
        if not image.exists() and Command(
            0, ["-m", "pardem", "warmup", bench.undisturbed.case, "--image", image], bench.folder / "image.log", bench.folder
        ).wait(3 * LIMIT):
            return "an image could not be made", bench.run(), None
        more = {"PARDEM_IMAGE": str(image), "TMPDIR": place}
    else:
        more = dict.fromkeys(names, place)
    if "HOME" in names:  # the kernels are where they are, or all of them would be compiled
        more |= {"PARDEM_CACHE_DIR": os.environ.get("PARDEM_CACHE_DIR") or str(Path.home() / ".cache" / "pardem")}
    run = bench.run(more=more)
    return f"{' and '.join(names)} {'missing' if where == missing else 'no folder'}", run, run.wait(LIMIT)


def another_user(bench: Bench) -> Tried:
    """A process that may read everything, and write what belongs to nobody alone: the folder, all that is in it, or nothing."""
    if os.getuid() or not shutil.which("setpriv"):
        return None
    if done("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "test", "-x", Path(sys.executable).resolve()):
        return None  # an interpreter within a folder of root's, which mpirun refuses to start
    bench.fill()
    owned = bench.dice.choice(("nothing", "folder", "all"))
    for path in [bench.folder, bench.disk, *bench.disk.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    for path in {"nothing": [], "folder": [bench.disk], "all": [bench.disk, *bench.disk.rglob("*")]}[owned]:
        os.chown(path, NOBODY, NOBODY)
    local = bench.folder / "local"
    local.mkdir()
    os.chown(local, NOBODY, NOBODY)
    caps = "-all,+dac_read_search"
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", f"--inh-caps={caps}", f"--ambient-caps={caps}"]
    kernels = os.environ.get("PARDEM_CACHE_DIR") or str(Path.home() / ".cache" / "pardem")
    run = bench.run(prefix=prefix, more={"PARDEM_CACHE_DIR": kernels, "TMPDIR": str(local), "HOME": str(local)})
    status = run.wait(LIMIT)
    return f"nobody, who owns {owned}", run, status


FAULTS: tuple[tuple[Callable[[Bench], Tried], int], ...] = (
    (failing, 45), (full, 25), (short, 6), (read_only, 4), (two, 5), (stopped, 5), (no_local_disk, 5), (another_user, 5),
)  # fmt: skip


def attempt(k: int, seed: int, undisturbed: Undisturbed, fault: Callable[[Bench], Tried] | None = None) -> Row:
    """Run under a fault, and without it.

    Args:
        k: number of the try.
        seed: of the campaign.
        undisturbed: the run to compare with.
        fault: one of ``FAULTS``; None: drawn.

    Returns:
        The row of the try.
    """
    dice, began = random.Random(f"{seed}/{k}"), time.monotonic()
    (drawn,) = dice.choices([fault for fault, _ in FAULTS], [weight for _, weight in FAULTS])
    fault = fault or drawn
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), undisturbed, dice)
        try:
            tried = fault(bench)
            row: Row = {"outcome": SKIPPED, "said": "", "how": ""} if tried is None else _judged(bench, *tried)
        finally:
            bench.close()
        row |= {"ranks": bench.ranks, "earlier": bench.earlier, "failed": bench.mark.exists()}
    return row | {"fault": fault.__name__, "seconds": round(time.monotonic() - began, 1)}


def _judged(bench: Bench, how: str, run: Command, status: int | None) -> Row:
    """What is wrong with a run under a fault, and with what it leaves."""
    row: Row = {"how": how, "status": status, "outcome": "sentence" if status else "same bits", "said": run.said[-3000:]}
    if fault := run.fault(status) or ("" if status == 0 or "pardem: error: " in run.said else "silent"):
        return row | {"outcome": fault}
    try:
        reached = bench.undisturbed.reached(bench.out)
    except FileError as error:
        return row | {"outcome": "lost", "said": f"{error}\n{row['said']}"}
    if reached < bench.earlier:
        return row | {"outcome": "lost", "said": f"back from step {bench.earlier} to {reached}\n{row['said']}"}
    if status:
        again = bench.run(name="again")
        status = again.wait(LIMIT)
        if fault := again.fault(status) or ("lost" if status else ""):
            return row | {"outcome": fault, "said": f"{row['said']}\nwithout the fault: {again.said[-3000:]}"}
    different = bench.undisturbed.difference(bench.out)
    return row | {"outcome": "differs", "said": f"{different}\n{row['said']}"} if different else row


def main() -> int:
    """Run the campaign or what is left of it."""
    arguments = command_line(__doc__, "disks", 300).parse_args()
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        undisturbed = Undisturbed(Path(name))
        with tempfile.TemporaryDirectory() as place, preloaded(Path(place)):
            rows = go_on(arguments, lambda k: attempt(k, arguments.seed, undisturbed))
    print(table(rows, "fault", "ranks"))
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
