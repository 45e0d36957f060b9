"""Space on the disk, tried before it is needed, and files forced onto it."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_BEGIN = 2  # SYNC_FILE_RANGE_WRITE
_sync_file_range = getattr(ctypes.CDLL(None), "sync_file_range", None)
if _sync_file_range is not None:
    _sync_file_range.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]

SLACK = 1 << 20  # bytes that the structure of a file may grow by, kept free beside the data


def take_on_trial(path: Path, size: int) -> None:
    """Check that more bytes fit behind a file, which is created if it does not exist.

    HDF5 does not survive a full disk (a rank that fails in a collective write leaves the others waiting; a serial file crashes when it is closed), so
    the space is taken, and given back, before HDF5 writes.

    Args:
        path: path of the file.
        size: number of bytes.

    Raises:
        OSError: they do not fit.
    """
    with open(path, "ab") as file:
        end = os.fstat(file.fileno()).st_size
    try:
        take(path, end, size + SLACK)
    finally:
        os.truncate(path, end)


def take(path: Path, start: int, size: int) -> None:
    """Let a file that exists have some bytes from a position on.

    Args:
        path: path of the file.
        start: the position.
        size: number of bytes.

    Raises:
        OSError: they do not fit.
    """
    if size > 0:
        descriptor = os.open(path, os.O_WRONLY)
        try:
            os.posix_fallocate(descriptor, start, size)
        finally:
            os.close(descriptor)


def sync_path(path: Path) -> None:
    """Force a file or a folder onto the disk.

    Args:
        path: its path.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def begin_writing(path: Path) -> None:
    """Let the system begin to write to the disk what it holds of a file, while the program goes on; what fails is said when it is forced there.

    Args:
        path: path of the file.
    """
    if _sync_file_range is not None:
        descriptor = os.open(path, os.O_WRONLY)
        try:
            _sync_file_range(descriptor, 0, 0, _BEGIN)
        finally:
            os.close(descriptor)
