"""Errors on several ranks: an error that all ranks raise is printed once; one that only some raise ends the others within seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from . import image
from .errors import FileError, PardemError
from .interrupts import came_of_interrupt

if TYPE_CHECKING:
    from mpi4py import MPI

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_DIED = 70  # of a campaign: an error that one run alone cannot answer for
EXIT_UNFINISHED = 75
EXIT_INTERRUPTED = 130  # as shells report a command that Ctrl-C has ended

Made = TypeVar("Made")

NAP = 5e-4  # seconds between two looks of a rank that waits for the first one


def on_all_ranks(work: Callable[[MPI.Comm], int]) -> int:
    """Run a collective function on all ranks.

    An error that all ranks raise is printed once; one that only some of them raise ends the others within seconds.
    """
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.size == 1:
        _require_image(comm)
        return work(comm)
    alarm = comm.Dup()  # the work's own communicator may be amid a collective call when an error comes
    try:
        _require_image(comm)
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


def _require_image(comm: MPI.Comm) -> None:
    """Refuse to start without the image that was asked for, or with one that does not fit."""
    if problem := image.problem():
        raise FileError(problem)
    if (started_from := image.in_use()) is not None:
        from .setup.imaging import require_fit

        require_fit(started_from, comm)


def _everybody(alarm: MPI.Comm, patience: float) -> bool:
    """Tell whether all ranks arrive here within some seconds. Lower ranks wait for a shorter time, so that only one of them prints."""
    request = alarm.Ibarrier()
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if request.Test():
            return True
        time.sleep(0.01)
    return False


def made_by_first(comm: MPI.Comm, make: Callable[[], Made]) -> Made | None:
    """Let the first rank make something, and all ranks know whether it succeeded. Collective.

    The others sleep meanwhile: a rank that waits in MPI keeps a core busy, perhaps the one that the first rank needs.

    Args:
        comm: communicator.
        make: called on the first rank.

    Returns:
        What it made there; None on the others.

    Raises:
        PardemError: that of the first rank, on every rank.
    """
    made, error = None, None
    if comm.rank == 0:
        try:
            made = make()
        except PardemError as found:
            error = found
    ready = comm.Ibarrier()
    while not ready.Test():
        time.sleep(NAP)
    error = comm.bcast(error)
    if error is not None:
        raise error
    return made


def made_once(comm: MPI.Comm, make: Callable[[], Made]) -> Made:
    """Let the first rank make something, and tell it to all. Collective.

    Args:
        comm: communicator.
        make: called on the first rank.

    Returns:
        What it made.

    Raises:
        PardemError: that of the first rank, on every rank.
    """
    found: Made = comm.bcast(made_by_first(comm, make))
    return found


@contextmanager
def agreed(comm: MPI.Comm) -> Iterator[None]:
    """Work on all ranks, and raise an error of some on all of them; collective at its end.

    Args:
        comm: communicator.

    Raises:
        PardemError: that of the lowest rank that has one, on every rank.
    """
    from mpi4py import MPI

    error: PardemError | None = None
    try:
        yield
    except PardemError as found:
        error = found
    if comm.size > 1:
        first = comm.allreduce(comm.size if error is None else comm.rank, MPI.MIN)
        error = comm.bcast(error, root=first) if first < comm.size else None
    if error is not None:
        raise error


def print_error(error: BaseException, prefix: str = "") -> None:
    """Print an error: those of pardem as sentences, others with their traceback, each line after the prefix."""
    sys.stdout.flush()
    if came_of_interrupt(error):
        print(f"pardem: {prefix}interrupted", file=sys.stderr)
    elif isinstance(error, PardemError):
        for line in str(error).splitlines():
            print(f"pardem: error: {prefix}{line}", file=sys.stderr)
    elif isinstance(error, MemoryError):
        what = f" ({error})" if str(error) else ""
        print(f"pardem: error: {prefix}there is not enough memory{what}; 'pardem check' estimates the memory a case needs", file=sys.stderr)
    else:
        import traceback

        text = "".join(traceback.format_exception(error))
        print("\n".join(f"{prefix}{line}" for line in text.splitlines()), file=sys.stderr)
    sys.stderr.flush()
