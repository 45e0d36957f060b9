"""Methods that the HDF5 library calls and that must not raise: an interrupt (Ctrl-C) that comes amid them is kept for later.

Python runs the handler of a signal that came while a library was at work when the next function begins, that is, before its first statement, where no
`try` can catch what the handler raises. So the handler looks where it interrupts.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])
_codes: set[CodeType] = set()


def called_by_hdf5(method: Method) -> Method:
    """Mark a method: an interrupt amid it is handed to ``self.keep`` instead of being raised.

    Args:
        method: the method.

    Returns:
        The same.
    """
    _codes.add(method.__code__)
    return method


def interrupts_spare_callbacks() -> None:
    """Have Python's own handler of interrupts spare marked methods from now on. A handler of somebody else's stays as it is."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _keep_or_raise)


def _keep_or_raise(number: int, frame: FrameType | None) -> None:
    within = frame
    while within is not None:
        if within.f_code in _codes:
            within.f_locals["self"].keep(KeyboardInterrupt())
            return
        within = within.f_back
    signal.default_int_handler(number, frame)
