"""Errors of files that the ranks agree on: what fails on one is raised on all, as the same sentence."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mpi4py import MPI

from pardem.errors import FileError

# what the system answers where a file may hold all that it should, and another try may succeed
NOT_OF_THE_FILE = (
    errno.EIO, errno.ESTALE, errno.EACCES, errno.EPERM, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ETIMEDOUT, errno.ENXIO, errno.ENODEV,
    errno.EDQUOT, errno.ENOSPC, errno.EROFS,
)  # fmt: skip


class UnreadableError(FileError):
    """The system did not read a file, whatever it holds."""


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
    found: FileError | None = None
    try:
        yield
    except FileError as error:
        found = error
    except (OSError, RuntimeError, KeyError) as error:  # h5py reports failures of the library as any of these
        found = _kind(error)(f"{doing}: {reason(error)}")
    agree(comm, found)


def agree(comm: MPI.Comm, found: str | FileError | None) -> None:
    """Raise the error of the lowest rank that has one, on all ranks. Collective.

    Args:
        comm: communicator.
        found: error of this rank, or its message, or None.

    Raises:
        FileError: some rank has an error; on every rank.
    """
    failed = comm.allreduce(comm.size if found is None else comm.rank, MPI.MIN)
    if failed < comm.size:
        message, unreadable = comm.bcast((str(found), isinstance(found, UnreadableError)), root=failed)
        raise (UnreadableError if unreadable else FileError)(message) from None


def unreadable(path: Path, error: BaseException, what: str = "") -> FileError:
    """Make the error of a file that could not be read.

    Args:
        path: path of the file.
        error: error of the operating system or of HDF5.
        what: part of the file.

    Returns:
        That the file is damaged, or `UnreadableError`.
    """
    kind = _kind(error)
    return kind(f"{path} {'cannot be read' if kind is UnreadableError else 'is damaged'}: {f'{what}: ' if what else ''}{reason(error)}")


def _kind(error: BaseException) -> type[FileError]:
    """What becomes of an error."""
    return UnreadableError if _number(error) in NOT_OF_THE_FILE else FileError


def _number(error: BaseException) -> int | None:
    """The system's number of an error, which HDF5 hides in its text."""
    found = re.search(r"errno = (\d+)", str(error))
    number: int | None = int(found[1]) if found else getattr(error, "errno", None)
    return number


def reason(error: BaseException) -> str:
    """Describe an error of the operating system or of HDF5 in one line, such that the user can act on it.

    Args:
        error: the error.

    Returns:
        The line.
    """
    text, number = str(error), _number(error)
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "No space left" in text:
        return f"{os.strerror(number or errno.ENOSPC)}; free some space and continue with --resume"
    if number:
        return os.strerror(number)
    return " ".join(text.strip("'\"").split())
