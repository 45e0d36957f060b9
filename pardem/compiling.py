"""Compilation of kernels in a run: said while it lasts, with a moving bar on a terminal, and kept apart from the time that steps take."""

from __future__ import annotations

import resource
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

from numba.core import event

SENTENCE = "Compiling the kernels of this scene, once, some minutes"
PATIENCE = 1.5  # seconds of silence: what compiles faster needs no words


class Compilation(event.Listener):
    """Watches numba compile; a context manager, within which it counts and, at the beginning, tells.

    Args:
        rank: rank of this process; only rank 0 tells.
        stream: where to tell; standard error by default.
        log: where to write the sentence as well.

    Attributes:
        cpu_seconds: processor time that compilation took so far (s).
        say: function that tells in place of the bar where another display is on, or None.
    """

    say: Callable[[str], None] | None = None

    def __init__(self, rank: int = 0, stream: TextIO | None = None, log: TextIO | None = None) -> None:
        self.cpu_seconds = 0.0
        self._stream = sys.stderr if stream is None else stream
        self._log = log
        self._depth, self._begin = 0, 0.0
        self._tells = rank == 0
        self._bar: Any = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Compilation:
        event.register("numba:compile", self)
        return self

    def __exit__(self, *_: object) -> None:
        self.say_no_more()
        event.unregister("numba:compile", self)

    def on_start(self, event: Any) -> None:
        """A function begins to be compiled.

        Args:
            event: numba's event.
        """
        if self._depth == 0:
            self._begin = user_seconds()
            if self._tells and self._timer is None and self._bar is None:
                self._timer = threading.Timer(PATIENCE, self._tell)
                self._timer.daemon = True
                self._timer.start()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """A function has been compiled.

        Args:
            event: numba's event.
        """
        self._depth -= 1
        if self._depth == 0:
            self.cpu_seconds += user_seconds() - self._begin

    def say_no_more(self) -> None:
        """Take the bar away; from now on compilation is only counted."""
        self._tells = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _tell(self) -> None:
        """Say what takes so long, from a thread of its own, if something still does."""
        if self._depth == 0 or not self._tells:
            self._timer = None
            return
        if self.say is not None:
            self.say(SENTENCE)
            return
        if self._log is not None:
            print(SENTENCE, file=self._log, flush=True)
        if not self._stream.isatty():
            print(SENTENCE, file=self._stream, flush=True)
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(file=self._stream), refresh_per_second=4, transient=True)
        self._bar.add_task(SENTENCE, total=None)
        self._bar.start()


def user_seconds() -> float:
    """Processor time of this process (s)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime
