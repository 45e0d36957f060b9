"""Kernels of each kind of run, compiled by one process while the others that need them wait."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from mpi4py import MPI

from ..case import Case
from ..errors import PardemError
from ..run import run_case
from ..run_options import RunOptions
from ..setup.warmup import shrunken
from .locks import locked

FOLDER = "kinds"
PAUSE = 0.2  # seconds between two looks at the lock of who compiles


class Kinds:
    """The kinds whose kernels this process has compiled or loaded.

    Args:
        runs: folder of the runs, where processes that share it see each other's locks.
        stopped: tells whether to wait no longer.
    """

    def __init__(self, runs: Path, stopped: Callable[[], bool]) -> None:
        self._folder, self._stopped = runs / FOLDER, stopped
        self._ready: set[str] = set()

    def prepare(self, case: Case) -> None:
        """Compile the kernels of a case, or wait until another process has done so and load them.

        Args:
            case: case of a run; what is wrong with it, the run will say.
        """
        kind = kind_of(case)
        if kind in self._ready:
            return
        self._folder.mkdir(exist_ok=True)
        while not self._stopped():
            with locked(self._folder / kind) as mine:
                if mine:
                    _compile(case)
                    self._ready.add(kind)
                    return
            time.sleep(PAUSE)


def kind_of(case: Case) -> str:
    """Name of what decides which kernels a case needs; cases of one name share them, those of two names may.

    Args:
        case: the case.
    """
    contact, output = case.contact, case.output
    said = {
        "dimension": case.dimension, "shapes": sorted({species.shape for species in case.species}), "interaction": contact.interaction,
        "law": contact.law, "user_law": contact.user_law, "resistance": contact.resistance, "integrator": case.time.integrator,
        "rotation": case.time.rotation, "detection": (case.detection.method, case.detection.every_step),
        "lowered": any(insert.lowered for insert in case.insert), "attraction": case.attraction is not None,
        "observables": sorted(output.observables.model_dump(exclude_defaults=True)),
    }  # fmt: skip
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _compile(case: Case) -> None:
    """Run a few steps of a case with a few of its grains."""
    folder = Path(tempfile.mkdtemp(prefix="pardem-campaign-"))
    try:
        with suppress(PardemError):
            run_case(shrunken(case), out=folder / "result.h5", comm=MPI.COMM_SELF, options=RunOptions(force=True, quiet=True))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
