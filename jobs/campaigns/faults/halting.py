#!/usr/bin/env python
"""`pardem` on ranks of which one halts at an instant that a campaign chooses: amid a checkpoint, the making of the result, a rebalancing, ...

    python halting.py PHASE CALL RANK MARK arguments of pardem

Rank RANK counts the calls of Python and C functions while it is in the phase. At number CALL it makes the file MARK and waits until there is a file
MARK.go. The ranks make MARK.started once pardem is imported and the run begins.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from mpi4py import MPI

# module, function, and about how many calls a rank makes in it in the run of `undisturbed.py`
PHASES = {
    "start": ("pardem.run", "load_start", 2000),
    "set-up": ("pardem.run", "Simulation", 500_000),
    "frame": ("pardem.io.results.run_segments", "Segment.frame", 40_000),
    "segment": ("pardem.io.results.run_segments", "Segment.close", 400),
    "checkpoint": ("pardem.io.results.writer", "write_checkpoint", 18_000),
    "index": ("pardem.io.results.writer", "write_index", 500_000),
    "assemble": ("pardem.io.results.writer", "finish", 11_000),
    "rebuild": ("pardem.rebuild", "Rebuilder.rebuild", 300_000),
    "rebalancing": ("pardem.decomposition.nested_slabs", "Nested.balance", 2500),
}
OF_THE_FIRST = ("index",)  # phases of rank 0 alone
PATIENCE = 100.0  # seconds for which a rank halts at most


class Halt:
    """Counts calls, and halts at one of them.

    Args:
        call: number of the call.
        mark: file that says that the rank halts.
    """

    def __init__(self, call: int, mark: Path) -> None:
        self.left, self.mark = call, mark

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """As `sys.setprofile` calls it."""
        if event not in ("call", "c_call"):
            return
        self.left -= 1
        if self.left:
            return
        sys.setprofile(None)
        self.mark.write_text(f"{frame.f_code.co_filename}:{frame.f_lineno} {event}")
        end = time.monotonic() + PATIENCE
        while not self.mark.with_suffix(".go").exists() and time.monotonic() < end:
            time.sleep(0.002)

    def within(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its calls counted."""

        @functools.wraps(function)
        def counted(*arguments: Any, **options: Any) -> Any:
            if self.left > 0:
                sys.setprofile(self)
            try:
                return function(*arguments, **options)
            finally:
                sys.setprofile(None)

        return counted


def main() -> int:
    """Run pardem."""
    phase, call, rank, mark = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    for name in ("pardem.run", "pardem.cli", *(module for module, *_ in PHASES.values())):
        import_module(name)
    if phase in PHASES and MPI.COMM_WORLD.rank == rank:
        module, path, _ = PHASES[phase]
        *owners, name = path.split(".")
        owner = functools.reduce(getattr, owners, import_module(module))
        setattr(owner, name, Halt(call, mark).within(getattr(owner, name)))
    mark.with_suffix(".started").touch()
    from pardem import cli

    return cli.main(sys.argv[5:])


if __name__ == "__main__":
    sys.exit(main())
