"""Locks of the operating system, which its kernel takes back when their holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, wait: bool = False) -> Iterator[bool]:
    """Lock a file, or try to.

    Args:
        path: path of the file; made if need be.
        wait: whether to wait for whoever has locked it.

    Yields:
        Whether it is locked by this process now.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether some process holds a lock.

    Args:
        path: path of its file.
    """
    if not path.exists():
        return False
    with locked(path) as mine:
        return not mine
