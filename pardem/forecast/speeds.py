"""How fast grains and walls meet: after a fall, in the field towards a point, by their speeds at the start, and where walls move.

Each figure is a bound of a simple kind: a fall without a bed below that shortens it, the full speed of a wall onto a grain at rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..case.stages import Vibrate
from ..setup.preparation import Setup
from ..walls.motion.servo import ServoMotion
from ..walls.motion.sinusoidal import SinusoidalMotion
from .ground import Face
from .loads import load_of, way_of
from .starts import StartingGroup

if TYPE_CHECKING:
    from ..case import Case
    from ..walls.surfaces.wall_table import WallTable

SAMPLED = 300  # points of a region, or of the centres of grains, from which a fall is looked at


@dataclass(frozen=True)
class Impact:
    """Grains that meet something at a speed.

    Attributes:
        key: key of the case.
        what: what happens, for a sentence that begins with the key.
        species: names of the grains.
        speed: (m/s).
        walls: that they may meet at this speed.
        grains: whether they may meet other grains at this speed.
        milder: what else would make it milder; empty: nothing.
        mass: mass of the wall, infinite where its motion is prescribed (kg).
        pull: acceleration that goes on during the impact (m/s^2).
        supported: whether grains that are met may lie on others, so that they do not give way.
    """

    key: str
    what: str
    species: tuple[str, ...]
    speed: float
    walls: tuple[WallTable, ...]
    grains: bool
    milder: str = ""
    mass: float = math.inf
    pull: float = 0.0
    supported: bool = True


def impacts(case: Case, setup: Setup, starts: list[StartingGroup], faces: list[Face]) -> list[Impact]:
    """All impacts that a case lets expect.

    Args:
        case: validated case.
        setup: the same case prepared.
        starts: where its grains are at the start.
        faces: its walls.
    """
    return [*_falls(case, starts, faces), *_draws(case, starts), *_flights(case, starts), *_drives(case, setup, starts, faces)]


def _falls(case: Case, starts: list[StartingGroup], faces: list[Face]) -> Iterator[Impact]:
    strength = math.sqrt(sum(c * c for c in case.gravity))
    if strength == 0.0:
        return
    for start in starts:
        height, wall = drop(case, start, faces)
        height = min(height, way_in(case, start.speed, strength))
        if wall is not None and height > 0.0:
            speed = min(math.sqrt(start.speed**2 + 2.0 * strength * height), start.speed + strength * duration_of(case))
            what = f"grains fall up to {height:.3g} m to wall '{wall.name}' and arrive at up to {speed:.3g} m/s"
            yield Impact(start.key, what, start.species, speed, (wall,), True, "let them fall less deep", pull=strength)


def duration_of(case: Case) -> float:
    """Longest duration of a run (s)."""
    return case.max_steps() * case.time.step


def way_in(case: Case, speed: float, pull: float) -> float:
    """How far a grain comes in the time of a run (m).

    Args:
        case: validated case.
        speed: speed at the start (m/s).
        pull: acceleration (m/s^2).
    """
    seconds = duration_of(case)
    return speed * seconds + 0.5 * pull * seconds**2


def drop(case: Case, start: StartingGroup, faces: list[Face]) -> tuple[float, WallTable | None]:
    """How far grains of a group fall at most (m), and the wall that they fall on, or None if there is none below them in any stage.

    From the way down to the wall are taken the bed that lies there by then and, where the grains are known, those below on this way.

    Args:
        case: validated case.
        start: the group.
        faces: the walls of the case.
    """
    down = np.array(case.gravity, float)
    down /= np.sqrt(down @ down)
    longest = float(np.ptp(start.points @ down)) + _size(case, start, faces)
    taken = bed_below(case, start) + (2.0 * start.radius if start.whole else start.radius)
    deepest: tuple[float, WallTable | None] = (0.0, None)
    for stage in case.stage:
        present = [face for face in faces if face.there(stage.name)]
        for k, top in _tops(start, down):
            lengths = [(face.meets(top, down, longest), n) for n, face in enumerate(present)]
            length, n = min(lengths, default=(math.inf, 0))
            if deepest[0] < length - taken < math.inf:
                height = length - taken if start.ways is None else min(length - taken, start.ways.fall(k, down, length))
                deepest = max(deepest, (height, present[n].wall), key=lambda found: found[0])
    return deepest


def _tops(start: StartingGroup, down: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Places (m) from which grains of a group fall, each with the number of its grain where these are known; some of many, the highest among them."""
    if start.ways is not None:
        return [(k, start.ways.x[k]) for k in start.ways.some(-down)]
    # drawn a little towards the middle, so that rims do not miss the walls around them
    heights, tops = start.points @ down, start.middle + 0.98 * (start.points - start.middle)
    tops = np.concatenate([tops, [start.middle + (heights.min() - start.middle @ down) * down]])
    return list(enumerate(tops[:: max(1, len(tops) // SAMPLED)]))


def bed_below(case: Case, start: StartingGroup) -> float:
    """Least height (m) of the bed onto which the highest grains fall, after all others: that of their volume over the cross-section of the container.

    Args:
        case: validated case.
        start: group of grains.
    """
    up = -np.array(case.gravity, float) / math.sqrt(sum(c * c for c in case.gravity))
    enclosed = [wall.enclosed(up, True, case.dimension) for wall in case.wall if wall.contains and wall.stages is None]
    areas = [sizes[0] for sizes in enclosed if sizes is not None and sizes[0] is not None]
    return start.volume / min(areas) if areas else 0.0


def _size(case: Case, start: StartingGroup, faces: list[Face]) -> float:
    """An extent of the whole (m), for rays."""
    points = np.concatenate([start.points, *(face.point[None] for face in faces)])
    if case.domain is not None:
        points = np.concatenate([points, [case.domain.lower, case.domain.upper]])
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def _draws(case: Case, starts: list[StartingGroup]) -> Iterator[Impact]:
    """The field towards a point: grains from all sides meet in the middle."""
    if case.attraction is None:
        return
    for start in starts:
        way = float(np.linalg.norm(start.points - np.array(case.attraction.center), axis=1).max())
        way = min(way, way_in(case, start.speed, case.attraction.strength))
        speed = math.sqrt(start.speed**2 + 2.0 * case.attraction.strength * way)
        what = f"the field draws grains over up to {way:.3g} m to the middle, where they arrive at up to {speed:.3g} m/s"
        yield Impact(start.key, what, start.species, speed, (), True, "lower attraction.strength")


def _flights(case: Case, starts: list[StartingGroup]) -> Iterator[Impact]:
    """Speeds that grains have at the start."""
    for start in starts:
        if start.speed > 0.0:
            key, what = f"{start.key}.velocity" if start.key == "grain" else start.key, f"grains start with up to {start.speed:.3g} m/s"
            yield Impact(key, what, start.species, start.speed, tuple(case.wall), True, "let them start more slowly")
            if start.count > 1:
                what += " and may meet at twice that speed"
                yield Impact(key, what, start.species, 2.0 * start.speed, (), True, "let them start more slowly", supported=False)


def _drives(case: Case, setup: Setup, starts: list[StartingGroup], faces: list[Face]) -> Iterator[Impact]:
    """Walls that move: a grain may come to meet a wall that swings as fast as the wall goes."""
    species = case.grain_species
    for wall in case.wall:
        for index, motion in enumerate(wall.motions):
            k = setup.walls[wall.name][0]
            row = setup.scene.walls.motion[k] if index == 0 else setup.later[k, index - 1]
            key = f"wall.{wall.name}.motion" if index == 0 else f"wall.{wall.name}.then.{index - 1}"
            speed = motion.speed(row)
            if isinstance(motion, SinusoidalMotion):
                yield _swing(key, species, speed, wall)
            elif isinstance(motion, ServoMotion):
                face = next(face for face in faces if face.wall.name == wall.name)
                if (pushed := _pushed(case, face, motion, starts, faces)) > 0.0:
                    what = f"the wall may come to {pushed:.3g} m/s before it meets resistance"
                    yield Impact(key, what, species, pushed, (wall,), False, "more damping, or start it closer to the grains", motion.mass)
            elif speed > 0.0:
                yield Impact(key, f"the wall moves at {speed:.3g} m/s", species, speed, (wall,), False, "slow it down")
    for stage in case.stage:
        if isinstance(stage, Vibrate):
            wall = next(wall for wall in case.wall if wall.name == stage.wall)
            speed = 2.0 * math.pi * stage.frequency * stage.amplitude_for(case.gravity)
            yield _swing(f"stage.{stage.name}", species, speed, wall)


def _swing(key: str, species: tuple[str, ...], speed: float, wall: WallTable) -> Impact:
    what = f"wall '{wall.name}' swings at up to {speed:.3g} m/s, and grains may come to meet it as fast"
    return Impact(key, what, species, 2.0 * speed, (wall,), False, "lower its amplitude or frequency")


def _pushed(case: Case, face: Face, motion: ServoMotion, starts: list[StartingGroup], faces: list[Face]) -> float:
    """Speed to which a servo wall may come (m/s): that at which its damper bears the whole load, or the one after its longest way."""
    load = load_of(motion, faces)[0]
    if not load < math.inf:
        return 0.0
    free = math.sqrt(2.0 * load * way_of(face, motion, starts) / motion.mass)
    return min(free, load / motion.damping) if motion.damping > 0.0 else free
