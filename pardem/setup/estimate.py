"""Rough cost of a case before it runs: grains, steps, memory, time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..case.checks import NO_GRAINS
from ..case.grains_file import GrainsFile
from ..errors import CaseError
from ..integrators.phases import SCHEMES

if TYPE_CHECKING:
    from ..case.model import Case

RATE = {1: 14e6, 2: 7e6}
"""Particle steps per CPU second and core by core vertices, for a dense bed without the energy budget: `pardem bench`, see docs/performance.md."""
RATE_POLYHEDRON = 4.2e6
RATE_FEATURES = {2: 2e6, 3: 2.3e6}
"""The same under `superposition` by dimensions, of all but single vertices: some two thirds of what settled beds reach, since in flows features that
come and go are searched for."""
WITH_BUDGET = 0.75
"""Fraction of the rate that remains with the energy budget: 0.75 for spheres, 0.85 for rods, see docs/performance.md."""
RANK_BYTES = 260e6
"""Interpreter, compiled code, MPI and HDF5 of one rank."""
KEPT_CONTACTS = 260  # bytes a grain on several ranks: its contacts, kept since lists were made
PAIRS, PAIRS_OF_FEATURES, PAIR_BYTES = 6, 30, 80
"""Listed pairs a grain of a dense bed, such pairs under `superposition`, and what each takes. Peaks measured: 0.27, 0.33 and 1.0 GB for 1.1e4, 9.8e4
and 1e6 spheres on one rank."""
ARM_BYTES = 32  # of history more, where grains are not all spheres


@dataclass(frozen=True)
class Estimate:
    """Expected cost of a run.

    Attributes:
        grains: number of grains.
        steps: largest number of steps that the stages can take together.
        ranks: number of ranks.
        memory: memory of all ranks together (bytes).
        seconds: wall time, assuming that every stage takes its longest duration (s).
        rate: assumed number of particle steps per second and core.
        energy_budget: whether the assumed rate includes the cost of the energy budget.
    """

    grains: int
    steps: int
    ranks: int
    memory: float
    seconds: float
    rate: float
    energy_budget: bool

    def __str__(self) -> str:
        per_grain = (self.memory - RANK_BYTES * self.ranks) / self.grains
        budget = "with" if self.energy_budget else "without"
        return (
            f"grains     {self.grains}\n"
            f"steps      at most {self.steps}\n"
            f"memory     about {_bytes(self.memory)} ({_bytes(RANK_BYTES)} per rank, {_bytes(per_grain)} per grain)\n"
            f"time       about {duration(self.seconds)} on {self.ranks} rank{'s' if self.ranks > 1 else ''}, at {self.rate:.2g} particle steps "
            f"per second and core\n"
            f"assumed    a dense bed {budget} the energy budget, the longest duration of every stage, one core per rank, kernels in the "
            f"cache; measure the rate of this machine with 'pardem bench'"
        )


def estimate(case: Case, ranks: int = 1) -> Estimate:
    """Cost of a case on a number of ranks.

    Memory: state arrays, 256 bytes a grain and what its integrator keeps, 32 a core vertex, and the listed pairs with index and history; on several
    ranks also what lists were made from (``going_back``).

    Raises:
        CaseError: the case has no grains.
        FileError: ``grains_file`` cannot be read.
    """
    vertices = {species.name: species.core_vertices for species in case.species}
    pieces = {species.name: len(getattr(species, "pieces", ())) or 1 for species in case.species}  # of compounds, each met by itself
    counts = dict.fromkeys(vertices, 0)
    for item in case.at_random:
        counts[item.species] += item.count
    for grain in case.grain:
        counts[grain.species] += 1
    if case.grains_file is not None:
        counts[case.species[0].name] += GrainsFile(case).count
    for name, count in (case.origin.counts if case.origin is not None else {}).items():
        counts[name] += count
    grains = sum(counts.values())
    if not grains:
        raise CaseError(NO_GRAINS)
    steps = case.max_steps()
    state = (256 + 8 * SCHEMES[case.time.integrator].past) * (2 if ranks > 1 else 1) + (KEPT_CONTACTS if ranks > 1 else 0)
    features = case.contact.interaction_kind.by_features
    arms = ARM_BYTES if any(n and vertices[name] > 1 for name, n in counts.items()) else 0
    pairs = (PAIR_BYTES + arms) * (PAIRS_OF_FEATURES if features else PAIRS)
    memory = RANK_BYTES * ranks + sum(n * (state + 32 * vertices[name] + pieces[name] * pairs) for name, n in counts.items())
    energy_budget = case.output.observables.energy_budget
    rate = {1: RATE[1]} if features else RATE
    other = RATE_FEATURES[case.dimension] if features else RATE_POLYHEDRON
    work = sum(n * steps * pieces[name] / rate.get(vertices[name], other) for name, n in counts.items())
    work /= WITH_BUDGET if energy_budget else 1.0
    return Estimate(grains, steps, ranks, memory, work / ranks, grains * steps / work, energy_budget)


def memory_needed(case: Case, ranks: int) -> str:
    """What a run needs, told to whom has too little.

    Args:
        case: validated case.
        ranks: number of ranks.

    Returns:
        Part of a sentence.
    """
    cost = estimate(case, ranks)
    return f"the run takes about {_bytes(cost.memory)} on {ranks} rank{'s' if ranks > 1 else ''}, {_bytes(cost.memory / ranks)} on each"


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
