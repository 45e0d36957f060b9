"""The costs of a rank's own work, fitted to parts of a settled bed that were timed one by one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..bench.scenes import bed_of
from ..campaign.run_rows import write_whole
from ..errors import FileError
from .parts import PartTimes, time_parts
from .replay import RankCosts
from .run_figures import COSTS, made_folder
from .virtual_beds import settled_bed

CUTS = (1, 2, 4, 8, 16, 32)
CHOSEN = 6  # parts of each cut
TURNS = 40
TYPICAL_ERROR = 0.03  # of a time that nothing has disturbed, relative
SKIN = 0.05  # bounding diameters: that of lists which hold for some INTERVAL steps
INTERVAL = 30
COPY = 16e-9  # seconds that a ghost takes to be packed and unpacked
MOVING = 1.2e-7  # seconds that an owned grain takes at a rebuild to be held against the boxes of others


def costs_of_scene(scene: str, folder: Path) -> tuple[RankCosts, float]:
    """Read the costs of a scene from the folder of a study, or measure them on this core and keep them there.

    Args:
        scene: name of the scene.
        folder: folder of the study.

    Returns:
        The costs, and the skin for which they hold (m).

    Raises:
        FileError: the file cannot be read or written.
    """
    path = folder / f"costs-{scene}.json"
    if path.exists():
        try:
            found = json.loads(path.read_text())
            return RankCosts(**found["costs"]), float(found["skin"])
        except (OSError, ValueError, KeyError, TypeError):
            raise FileError(f"{path} does not hold costs of `pardem scaling`; delete it to measure them anew") from None
    bed = bed_of(scene)
    skin = SKIN * bed.diameter
    settled = settled_bed(scene, bed.grains)
    parts = []
    for ranks in CUTS:
        parts += time_parts(settled, ranks, sorted({k * (ranks - 1) // (CHOSEN - 1) for k in range(CHOSEN)}), skin, TURNS)
    costs = fitted(parts)
    timed = [part._asdict() for part in parts]
    made_folder(folder)
    write_whole(path, json.dumps({"kind": COSTS, "scene": scene, "skin": skin, "costs": costs._asdict(), "parts": timed}, indent=1))
    return costs, skin


def fitted(parts: list[PartTimes]) -> RankCosts:
    """Fit the costs, none of which may be negative, so that the relative errors of the times are small.

    Args:
        parts: what was timed.

    Returns:
        The costs.
    """
    columns = ("owned", "ghosts", "crossing", "step", "rebuild")
    owned, ghosts, crossing, step, rebuild = (np.array([getattr(part, name) for part in parts], float) for name in columns)
    one = np.ones(len(parts))
    # as many candidates cross the cuts as there are ghosts, nearly: what a ghost costs beyond being copied cannot be told from them
    grain, pair, fixed = _fit(np.stack([owned, 0.5 * crossing, one], axis=1), step)
    at_once, row = _fit(np.stack([one, owned + ghosts], axis=1), rebuild)
    size = float(np.median([part.bytes / (part.owned + part.ghosts) for part in parts]))
    motion = parts[int(owned.argmax())].motion  # of the largest part, where the clock counts most grains
    return RankCosts(grain, motion * grain, pair, COPY, fixed, at_once, row + MOVING, row, INTERVAL, size)


def _fit(columns: np.ndarray, times: np.ndarray) -> list[float]:
    """Coefficients of columns, none negative; times that other programs have lengthened count little."""
    from scipy.optimize import least_squares

    scaled = columns / times[:, None]
    size = scaled.mean(axis=0)
    start = np.full(len(size), 1.0 / len(size))
    found = least_squares(lambda part: scaled / size @ part - 1.0, start, bounds=(0.0, np.inf), loss="cauchy", f_scale=TYPICAL_ERROR)
    return [float(value) for value in found.x / size]
