"""Errors on several ranks: an error that all ranks raise is printed once; one that only some raise ends the others within seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from .errors import PardemError

if TYPE_CHECKING:
    from mpi4py import MPI

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_UNFINISHED = 75

Made = TypeVar("Made")


def on_all_ranks(work: Callable[[MPI.Comm], int]) -> int:
    """Run a collective function on all ranks.

    An error that all ranks raise is printed once; one that only some of them raise ends the others within seconds.
    """
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.size == 1:
        return work(comm)
    alarm = comm.Dup()  # the work's own communicator may be amid a collective call when an error comes
    try:
        return work(comm)
    except BaseException as error:
        if isinstance(error, SystemExit) and not error.code:
            raise
        agreed = _everybody(alarm, patience=1.0 + min(2.0, 0.1 * comm.rank))
        if comm.rank == 0 or not agreed:
            print_error(error, "" if agreed else f"[rank {comm.rank} of {comm.size}] ")
        if not agreed:
            comm.Abort(EXIT_ERROR)
        return EXIT_ERROR


def _everybody(alarm: MPI.Comm, patience: float) -> bool:
    """Tell whether all ranks arrive here within some seconds. Lower ranks wait for a shorter time, so that only one of them prints."""
    request = alarm.Ibarrier()
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if request.Test():
            return True
        time.sleep(0.01)
    return False


def made_once(comm: MPI.Comm, make: Callable[[], Made]) -> Made:
    """Make a value on rank 0 and give it to all. Collective.

    Args:
        comm: communicator.
        make: makes the value; called on rank 0 alone.

    Returns:
        The value, on every rank.

    Raises:
        PardemError: what ``make`` raised, on every rank.
    """
    found: Made | PardemError | None = None
    if comm.rank == 0:
        try:
            found = make()
        except PardemError as error:
            found = error
    shared: Made | PardemError = comm.bcast(found)
    if isinstance(shared, PardemError):
        raise shared
    return shared


def print_error(error: BaseException, prefix: str = "") -> None:
    """Print an error: those of pardem as sentences, others with their traceback, each line after the prefix."""
    sys.stdout.flush()
    if isinstance(error, PardemError):
        for line in str(error).splitlines():
            print(f"pardem: error: {prefix}{line}", file=sys.stderr)
    elif isinstance(error, MemoryError):
        what = f" ({error})" if str(error) else ""
        print(f"pardem: error: {prefix}there is not enough memory{what}; 'pardem check' estimates the memory a case needs", file=sys.stderr)
    elif isinstance(error, KeyboardInterrupt):
        print(f"pardem: {prefix}interrupted", file=sys.stderr)
    else:
        import traceback

        text = "".join(traceback.format_exception(error))
        print("\n".join(f"{prefix}{line}" for line in text.splitlines()), file=sys.stderr)
    sys.stderr.flush()
