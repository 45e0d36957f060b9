"""Interrupts (Ctrl-C) that Python would lose, and those that libraries turn into other errors."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SOON = 0.01  # seconds


def came_of_interrupt(error: BaseException | None) -> bool:
    """Tell whether an error is an interrupt, or was raised in place of one: so do extension modules amid whose calls it came.

    Args:
        error: the error.
    """
    seen = set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def lost_ones_come_again() -> Iterator[None]:
    """Let an interrupt come once more, a moment later, where Python would print it and go on: amid the end of an object or of a weak reference."""
    before, timers = sys.unraisablehook, list[threading.Timer]()

    def told(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        timers.append(threading.Timer(SOON, os.kill, (os.getpid(), signal.SIGINT)))  # not now: it would be lost here as well
        timers[-1].start()

    sys.unraisablehook = told
    try:
        yield
    finally:
        sys.unraisablehook = before
        for timer in timers:
            timer.cancel()
