"""What a run tells: on the terminal and, if asked for, in a log file whose lines carry the time of day."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, cast

from .errors import FileError
from .io.views import progress
from .version import VERSION

NO_LOGS = (".h5", ".toml")  # names of results and cases, which lines appended by a slip would spoil


class Log:
    """A text file to which lines are appended, each with the date and time at which it was written.

    Args:
        path: path of the file.

    Raises:
        FileError: it cannot be written, or has the name of a case or of a result.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix.lower() in NO_LOGS:
            raise FileError(f"--log {path}: a log is a text file of its own; give it a name that does not end in {path.suffix}")
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise FileError(f"--log {path}: the file could not be written: {error.strerror}; give another name") from None
        self._begun = False
        self.write(f"pardem {VERSION}: {' '.join(sys.argv[1:])}\n")

    def write(self, text: str) -> int:
        """Append text; a line that begins is stamped.

        Args:
            text: whole lines or parts of them.
        """
        for line in text.splitlines(keepends=True):
            if not self._begun:
                self._file.write(f"{datetime.datetime.now().astimezone().isoformat(timespec='seconds')}  ")
            self._file.write(line)
            self._begun = not line.endswith("\n")
        return len(text)

    def flush(self) -> None:
        """Put everything into the file."""
        self._file.flush()

    def isatty(self) -> bool:
        """It is no terminal."""
        return False

    def close(self) -> None:
        """End the file."""
        self._file.close()


class Reports:
    """Progress of a run in all places where it is shown. A context manager; methods are those of `Progress`.

    Args:
        total: most steps that the run can take.
        rank: rank of the caller.
        done: steps done before.
        log: file that gets all lines as well.
        quiet: print nothing but into the log.
    """

    def __init__(self, total: int, rank: int, done: int, log: Log | None, quiet: bool = False) -> None:
        self._rank, self._log, self._quiet = rank, log, quiet
        self._shown = [progress.Progress(total, rank, done=done, quiet=quiet)]
        if log is not None:
            self._shown.append(progress.Progress(total, rank, done=done, stream=as_text(log)))

    def __enter__(self) -> Reports:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for shown in self._shown:
            shown.close()

    def message(self, text: str) -> None:
        """Print one line.

        Args:
            text: the line.
        """
        for shown in self._shown:
            shown.message(text)

    def stage(self, name: str, step: int, remaining: int) -> None:
        """Report that a stage begins.

        Args:
            name: name of the stage.
            step: number of steps done so far.
            remaining: largest number of steps to the end of the run.
        """
        for shown in self._shown:
            shown.stage(name, step, remaining)

    def update(self, step: int) -> None:
        """Tell how many steps are done.

        Args:
            step: the number.
        """
        for shown in self._shown:
            shown.update(step)

    def summary(self, values: dict[str, Any]) -> None:
        """Print the final summary.

        Args:
            values: values by name, see `pardem.io.views.progress.summary`.
        """
        if not self._quiet:
            progress.summary(values, self._rank)
        if self._log is not None:
            progress.summary(values, self._rank, as_text(self._log))


def as_text(log: Log) -> TextIO:
    """The log as a text stream, for ``print``.

    Args:
        log: log to write to.
    """
    return cast(TextIO, log)
