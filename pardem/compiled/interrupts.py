"""Interrupts (Ctrl-C) while a library calls Python, LLVM for machine code that it may know or MPI for a reduction: they wait until it is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """An interrupt comes at the end of the block: in what a library calls, an exception is lost or ends the process.

    Raises:
        KeyboardInterrupt: or what else the handler of the interrupt does, once the block has ended.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():  # no handler that Python could put back; they come elsewhere
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
