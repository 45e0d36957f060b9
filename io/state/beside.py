"""Work done beside that of a rank, one piece after the other: writing waits for the disk, and meanwhile the core orders the next rows."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any


class Beside:
    """A thread that takes one call while its caller prepares the next one. A context manager, at whose end all is done."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._call: Future[Any] | None = None

    def __enter__(self) -> Beside:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.wait()
        finally:
            if self._pool is not None:
                self._pool.shutdown()

    def do(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Make a call on the thread, when the one before is done.

        Args:
            call: the call.
            *arguments: its arguments.
        """
        self.wait()
        self._pool = self._pool or ThreadPoolExecutor(1)
        self._call = self._pool.submit(call, *arguments)

    def wait(self) -> None:
        """Wait for the call that is under way, and raise what it raised."""
        call, self._call = self._call, None
        if call is not None:
            call.result()
