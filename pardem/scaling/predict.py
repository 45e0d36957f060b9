"""What to expect on numbers of ranks that are not at hand: a bed is cut into virtual ranks, whose steps are replayed on variants of a machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..bench.scenes import bed_of
from ..campaign.run_rows import write_whole
from ..decomposition.grids import ANY
from ..version import VERSION
from .fitted_costs import costs_of_scene
from .machine import Machine, drawn, typical
from .replay import RankCosts, alone, efficiency, replay
from .run_figures import PREDICTED
from .virtual_beds import virtual_bed
from .virtual_ranks import SLABS, VirtualRanks, cut

SAMPLED = 12  # ranks whose candidates across cuts are counted
DRAWN = 12  # machines over which a prediction ranges
CAUSES = ("imbalance", "ghosts", "rebuilds", "messages", "vote", "disturbances", "memory")


def predict(scene: str, grains: int | None, ranks: Sequence[int], form: str, slabs: bool, folder: Path) -> list[Path]:
    """Predict the efficiency of some numbers of ranks, and write the figures of each to a file.

    Args:
        scene: name of a scene of `pardem bench`.
        grains: number of grains; None for the usual number of the scene.
        ranks: numbers of ranks.
        form: form of the bed, of ``run_figures.FORMS``.
        slabs: whether to cut slabs, instead of the grid with the fewest ghosts.
        folder: folder of the study.

    Returns:
        The files.
    """
    asked = grains or bed_of(scene).grains
    costs, skin = costs_of_scene(scene, folder)
    bed = virtual_bed(scene, asked, form)
    written = []
    for count in ranks:
        virtual = cut(bed, count, skin, SLABS if slabs else ANY, SAMPLED)
        kind = {"kind": PREDICTED, "version": VERSION, "scene": scene, "asked": asked, "ranks": count, "form": form, "slabs": slabs}
        path = folder / f"predicted-{scene}-{form}{'-slabs' if slabs else ''}-{asked}-{count}.json"
        write_whole(path, json.dumps(kind | figures_of(virtual, costs)))
        written.append(path)
    return written


def figures_of(virtual: VirtualRanks, costs: RankCosts) -> dict[str, Any]:
    """Predict one number of ranks.

    Args:
        virtual: what the ranks own and send.
        costs: what their own work costs.

    Returns:
        Efficiencies (typical, both ends of the range), with and without the limit of the memory's bandwidth; a step's time, where it goes; counts.
    """
    counts = {"owned": virtual.owned, "ghosts": virtual.ghosts, "messages": virtual.messages, "bytes": virtual.sent * virtual.bytes_per_ghost}
    over = [efficiency(virtual, costs, machine, seed) for seed, machine in enumerate(drawn(DRAWN))]
    middle = efficiency(virtual, costs, typical())
    return {
        "efficiency": {"typical": middle, "low": float(min(*over, middle)), "high": float(max(*over, middle))},
        "efficiency_with_memory": {"typical": efficiency(virtual, costs, typical(limited=True))},
        "grid": list(virtual.grid), "grains": int(virtual.owned.sum()), "crossing": virtual.crossing,
        "seconds": replay(virtual, costs, typical()), "losses": losses(virtual, costs),
        "counts": {name: [float(np.mean(values)), float(np.max(values))] for name, values in counts.items()},
    }  # fmt: skip


def losses(virtual: VirtualRanks, costs: RankCosts) -> dict[str, float]:
    """Where the time of a step goes that one core alone would not need, cause by cause.

    The replay begins with nothing but the grains of each rank; then ghosts with their contacts, rebuilds, messages, the vote, disturbances, and the
    limit of the memory are added. What each adds depends on the order: a wait that two causes share is counted with the first.

    Args:
        virtual: what the ranks own and send.
        costs: what their own work costs.

    Returns:
        By cause, additional time over that of the step without the limit of the memory (1).
    """
    full, limited = typical(), typical(True)
    own = costs._replace(pair=0.0, ghost=0.0, rebuild=0.0, rebuild_ghost=0.0, step=0.0)
    with_ghosts = own._replace(pair=costs.pair, ghost=costs.ghost, step=costs.step)
    still = full._replace(detours=0.0, unevenness=0.0)
    without_vote = still._replace(reduction=0.0)
    variants: list[tuple[RankCosts, Machine]] = [
        (own, Machine()), (with_ghosts, Machine()), (costs, Machine()), (costs, without_vote), (costs, still), (costs, full), (costs, limited),
    ]  # fmt: skip
    times = [replay(virtual, *variant) for variant in variants]
    ideal = alone(int(virtual.owned.sum()), own) / virtual.ranks
    steps = np.diff([ideal, *times])
    return {cause: float(more / times[-2]) for cause, more in zip(CAUSES, steps, strict=True)}
