"""Progress of a run on rank 0, or of a film: a bar with ETA on a terminal, sparse lines elsewhere; and the summary of a run at its end."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, TextIO

from pardem.setup.estimate import duration


class Progress:
    """Shows how far a run is. All ranks may hold one; only rank 0 prints. A context manager.

    Args:
        total: most steps that the run can take.
        rank: rank of the caller.
        done: steps done before (a resumed run).
        stream: where to print, standard error by default.
        interval: least wall time between two lines off a terminal (s); a line also needs 5 % of the run or six intervals to have passed.
        quiet: print nothing.
    """

    def __init__(self, total: int, rank: int = 0, done: int = 0, stream: TextIO | None = None, interval: float = 10.0, quiet: bool = False) -> None:
        self.total = max(1, total)
        self.silent = quiet or rank != 0
        self.stream = sys.stderr if stream is None else stream
        self.interval = interval
        self.stage_name = ""
        self._first = self._shown = done
        self._start = self._last = time.monotonic()
        self._bar: Any = None
        if not self.silent and self.stream.isatty():
            self._bar, self._task = _bar(self.stream, self.total, done)
            self._bar.start()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stage(self, name: str, step: int, remaining: int | None = None) -> None:
        """Report that a stage begins.

        Args:
            name: name of the stage.
            step: number of steps done so far.
            remaining: largest number of steps to the end of the run, known anew where an earlier stage ended before its longest duration.
        """
        self.stage_name = name
        if remaining is not None:
            self.total = max(1, step + remaining)
        self.message(f"stage '{name}' begins at step {step}")
        self.update(step)

    def update(self, step: int, note: str = "") -> None:
        """Tell how many steps are done; cheap enough to be called at every event. ``note`` is shown behind (contacts, energy)."""
        if self.silent:
            return
        if self._bar is not None:
            self._bar.update(self._task, completed=step, total=self.total, description=self.stage_name, note=note)
            return
        now = time.monotonic()
        waited, gained = now - self._last, step - self._shown
        if waited < self.interval or (gained < 0.05 * self.total and waited < 6.0 * self.interval):
            return
        self._last, self._shown = now, step
        eta = self.eta(step)
        print(
            f"[{duration(now - self._start)}] {self.stage_name}: step {step} of {self.total} ({100.0 * step / self.total:.0f} %)"
            + (f", {duration(eta)} left" if eta is not None else "")
            + (f", {note}" if note else ""),
            file=self.stream,
            flush=True,
        )

    def eta(self, step: int) -> float | None:
        """Wall time left (s) at the mean speed so far; None before there is one."""
        done = step - self._first
        return (time.monotonic() - self._start) / done * max(0, self.total - step) if done > 0 else None

    def message(self, text: str) -> None:
        """Print one line, whatever the cadence."""
        if self.silent:
            return
        if self._bar is not None:
            self._bar.console.print(text, highlight=False, markup=False, soft_wrap=True)
        else:
            print(text, file=self.stream, flush=True)

    def close(self) -> None:
        """End the display; may be called twice."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class Countdown:
    """How many of so many pieces of work are done, on standard error: a bar on a terminal, else a line now and then. A context manager.

    Args:
        what: a piece is called.
        total: number of pieces.
        interval: least wall time between two lines off a terminal (s).
    """

    def __init__(self, what: str, total: int, interval: float = 10.0) -> None:
        self.what, self.total, self.interval = what, total, interval
        self._last = time.monotonic()
        self._bar: Any = None
        if sys.stderr.isatty():
            self._bar, self._task = _bar(sys.stderr, total, 0)
            self._bar.update(self._task, description=f"{what}s")
            self._bar.start()

    def __enter__(self) -> Countdown:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int) -> None:
        """Tell how many pieces are done."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
        elif done == self.total or time.monotonic() - self._last >= self.interval:
            self._last = time.monotonic()
            print(f"{self.what} {done} of {self.total}", file=sys.stderr, flush=True)


def _bar(stream: TextIO, total: int, done: int) -> tuple[Any, Any]:
    """A rich progress bar and its task."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    # two redraws a second, so that the display stays out of the way of two ranks on two cores
    bar = Bar(*columns, TextColumn("{task.fields[note]}"), console=Console(file=stream), refresh_per_second=2)
    return bar, bar.add_task("", total=total, completed=done, note="")


_LABELS = {
    "steps": ("steps", ""),
    "time": ("simulated time", "s"),
    "grains": ("grains", ""),
    "left": ("grains that left the domain", ""),
    "to_come": ("grains that have not arrived", ""),
    "ranks": ("ranks", ""),
    "wall_seconds": ("wall time", "s"),
    "cpu_seconds": ("CPU time", "s"),
    "cundall": ("Cundall number (particle steps per CPU second)", ""),
    "contacts_per_grain": ("contacts per grain", ""),
    "coordination": ("coordination", ""),
    "rebuilds": ("rebuilds of the pair lists", ""),
}


def summary(values: Mapping[str, Any], rank: int = 0, stream: TextIO | None = None) -> None:
    """Print the final summary of a run on rank 0.

    Args:
        values: ``steps``, ``time`` (s), ``grains``, ``ranks``, ``wall_seconds``, ``cpu_seconds``, ``cundall``, ``contacts_per_grain``,
            ``coordination``, ``rebuilds``, each optional; ``shares``: name -> share of time in [0, 1]; ``energy``: name -> energy (J), its
            ``residual`` also shown relative to the largest entry; other entries are shown as they are.
        rank: rank of the caller.
        stream: where to print, standard output by default.
    """
    if rank != 0:
        return
    lines = []
    for key, value in values.items():
        if key in ("shares", "energy") or isinstance(value, Mapping):
            continue
        label, unit = _LABELS.get(key, (key.replace("_", " "), ""))
        lines.append((label, f"{_number(value)} {unit}".rstrip()))
    lines += [(f"share of {name}", f"{100.0 * share:.1f} %") for name, share in values.get("shares", {}).items()]
    energy = values.get("energy", {})
    largest = max((abs(value) for name, value in energy.items() if name != "residual"), default=0.0)
    for name, value in energy.items():
        relative = f" ({value / largest:.1e} of the largest)" if name == "residual" and largest > 0.0 else ""
        lines.append((f"energy: {name.replace('_', ' ')}", f"{value:.6g} J{relative}"))
    width = max((len(label) for label, _ in lines), default=0)
    print("\n".join(f"  {label:<{width}}  {text}" for label, text in lines), file=stream or sys.stdout, flush=True)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
