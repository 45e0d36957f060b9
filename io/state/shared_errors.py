"""Errors of files that the ranks agree on: what fails on one is raised on all, as the same sentence."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from mpi4py import MPI

from pardem.errors import FileError


@contextmanager
def together(comm: MPI.Comm, doing: str) -> Iterator[None]:
    """Work with files on all ranks; collective at its end.

    Args:
        comm: communicator.
        doing: beginning of the message, for instance "OUT.h5 could not be written".

    Raises:
        FileError: on every rank, with the message of the lowest rank where the work failed. Errors that are not about files pass unchanged, on
            the ranks where they arise.
    """
    message: str | None = None
    try:
        yield
    except FileError as error:
        message = str(error)
    except (OSError, RuntimeError, KeyError) as error:  # h5py reports failures of the library as any of these
        message = f"{doing}: {reason(error)}"
    agree(comm, message)


def agree(comm: MPI.Comm, message: str | None) -> None:
    """Raise the message of the lowest rank that has one, on all ranks. Collective.

    Args:
        comm: communicator.
        message: message of this rank, or None.

    Raises:
        FileError: some rank has a message; on every rank.
    """
    failed = comm.allreduce(comm.size if message is None else comm.rank, MPI.MIN)
    if failed < comm.size:
        raise FileError(comm.bcast(message, root=failed)) from None


def reason(error: BaseException) -> str:
    """Describe an error of the operating system or of HDF5 in one line, such that the user can act on it.

    Args:
        error: the error.

    Returns:
        The line.
    """
    text = str(error)
    number = getattr(error, "errno", None)
    found = re.search(r"errno = (\d+)", text)
    if found:  # HDF5 hides the system's number in its text
        number = int(found[1])
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "No space left" in text:
        return f"{os.strerror(number or errno.ENOSPC)}; free some space and continue with --resume"
    if number:
        return os.strerror(number)
    return " ".join(text.strip("'\"").split())
