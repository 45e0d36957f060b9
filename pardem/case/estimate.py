"""Rough cost of a case before it runs: grains, steps, memory, time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import CaseError

if TYPE_CHECKING:
    from .model import Case

RATE = {1: 4.0e6, 2: 1.5e6}
"""Assumed particle-steps per second and core by core vertices; `pardem bench` measures them."""
RATE_POLYHEDRON = 0.7e6
RANK_BYTES = 250e6
"""Interpreter, compiled code, MPI and HDF5 of one rank."""


@dataclass(frozen=True)
class Estimate:
    """What a run is expected to cost.

    Attributes:
        grains: number of grains. steps: most steps of all stages. ranks: number of ranks.
        memory: bytes of all ranks together. seconds: of wall time, the stages' longest durations counted.
        rate: particle-steps per second and core assumed.
    """

    grains: int
    steps: int
    ranks: int
    memory: float
    seconds: float
    rate: float

    def __str__(self) -> str:
        per_grain = (self.memory - RANK_BYTES * self.ranks) / self.grains
        return (
            f"grains     {self.grains}\n"
            f"steps      at most {self.steps}\n"
            f"memory     about {_bytes(self.memory)} ({_bytes(RANK_BYTES)} a rank, {_bytes(per_grain)} a grain)\n"
            f"time       about {duration(self.seconds)} on {self.ranks} rank{'s' if self.ranks > 1 else ''}, at {self.rate:.2g} particle-steps "
            f"per second and core (grains x steps / rate / ranks; measure the rate with 'pardem bench')"
        )


def estimate(case: Case, ranks: int = 1) -> Estimate:
    """Cost of a case on a number of ranks.

    Memory: state arrays, 256 bytes a grain and 24 a core vertex; about 9 listed pairs a grain with index and history, 80 bytes each.

    Raises:
        CaseError: ``grains_file`` cannot be read.
    """
    vertices = {species.name: species.core_vertices for species in case.species}
    counts = dict.fromkeys(vertices, 0)
    for insert in case.insert:
        counts[insert.species] += insert.count
    for grain in case.grain:
        counts[grain.species] += 1
    if case.grains_file is not None:
        counts[case.species[0].name] += _rows(case)
    grains = sum(counts.values())
    steps = case.max_steps()
    memory = RANK_BYTES * ranks + sum(n * (256 + 24 * vertices[name] + 9 * 80) for name, n in counts.items())
    work = sum(n * steps / RATE.get(vertices[name], RATE_POLYHEDRON) for name, n in counts.items())
    return Estimate(grains, steps, ranks, memory, work / ranks, grains * steps / work)


def duration(seconds: float) -> str:
    """A time span for people: 42 s, 3 min 20 s, 5 h 10 min, 3 d 4 h."""
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    for size, name, small, sub in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            return f"{whole // size} {name} {whole % size // small} {sub}"
    return f"{whole} s"


def _bytes(count: float) -> str:
    for size, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= size:
            return f"{count / size:.3g} {name}"
    return f"{count:.0f} B"


def _rows(case: Case) -> int:
    path = case.directory / str(case.grains_file)
    try:
        with np.load(path) as arrays:
            return len(arrays["position"])
    except (OSError, ValueError, KeyError) as error:
        raise CaseError(f"grains_file = '{case.grains_file}' cannot be read as .npz with an array 'position': {error} ({path})") from None
