"""One run at a time on an output: a lock of the operating system on OUT.h5.lock, which the kernel takes back however the run ends."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mpi4py import MPI

from pardem.errors import FileError

from ..state.shared_errors import together

WITHOUT_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)  # what file systems answer that know no locks


def lock_of(out: Path | str) -> Path:
    """Return the path of the lock file of a result, ``OUT.h5.lock``. It lies beside the parts, which come and go during a run.

    Args:
        out: path of the result.

    Returns:
        The path.
    """
    return Path(f"{out}.lock")


@contextmanager
def reserved(comm: MPI.Comm, out: Path | str) -> Iterator[None]:
    """Prevent other runs from writing to an output as long as the block lasts. Collective at its beginning.

    Rank 0 holds the lock, without which no other rank can write: all output is collective. The file says who holds it; a file left behind by a killed
    run does not block others. On a file system without locks there is no protection.

    Args:
        comm: communicator.
        out: path of the result.

    Yields:
        Nothing.

    Raises:
        FileError: a run is writing to this output; on every rank.
    """
    descriptor: int | None = None
    with together(comm, f"{out} could not be made ready"):
        if comm.rank == 0 and Path(out).parent.is_dir():  # a missing folder has a sentence of its own, later
            descriptor = _take(Path(out))
    try:
        yield
    finally:
        if descriptor is not None:
            with suppress(OSError):  # a disk that fails: the file stays, which does not block others
                lock_of(out).unlink(missing_ok=True)  # before it is released: nobody else can hold this file yet
            os.close(descriptor)


def _take(out: Path) -> int | None:
    """Lock the output and sign the lock; a descriptor to close, or None where the file system knows no locks."""
    path = lock_of(out)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is(descriptor, path):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"process {os.getpid()} on {platform.node()}".encode())
                return descriptor
        except BlockingIOError:
            holder = os.read(descriptor, 200).decode(errors="replace") or "another process"
            os.close(descriptor)
            raise FileError(
                f"{out} is being written by a run that is still going ({holder}): wait for its end or stop it, or name another file with -o"
            ) from None
        except OSError as error:
            os.close(descriptor)
            if error.errno not in WITHOUT_LOCKS:
                raise
            path.unlink(missing_ok=True)
            return None
        os.close(descriptor)  # the run that held this file removed it in between


def _is(descriptor: int, path: Path) -> bool:
    """Whether the open file still is the one at the path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
