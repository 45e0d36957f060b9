"""Where the walls of a case begin that starts from another run, and which of the walls of that run they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import CaseError
from ..state.origin_state import OriginState
from ..walls.motion.driven import displacement, turn_angle
from ..walls.motion.rows import ANGLE, CENTRE, DIRECTION, LOAD, MASS, MOVED, OFFSET, PLACE, SLIDE, SPEED, steps_since
from .preparation import Setup
from .wall_tables import build_walls

if TYPE_CHECKING:
    from ..case import Case

NOWHERE = -1
"""Number of a wall that is not there."""


class WallsThere:
    """The walls of a case beside those of the other run.

    Attributes:
        row: (W,) int64 of each wall of the other run, the wall of the case with its name and kind of surface, or `NOWHERE`.
        same: whether all walls are the same in number, geometry, material and place.
    """

    def __init__(self, case: Case, setup: Setup, state: OriginState) -> None:
        self.case, self.state = case, state
        self.walls, self.names = setup.scene.walls, setup.scene.wall_names
        self.old, _, names = build_walls(state.case, state.case.material_rows, self.walls.features)
        number = {name: k for k, name in enumerate(self.names)}
        self.pairs = [(k, number[name]) for k, name in enumerate(names) if name in number and self._same_kind(k, number[name])]
        self.row = np.full(len(names), NOWHERE)
        for k, here in self.pairs:
            self.row[k] = here
        self.fitting = {here: k for k, here in self.pairs if self._same_geometry(k, here)}
        there = [self._present(c, index) for c, index in ((state.case, -1), (case, 0))]
        self.same = names == self.names and len(self.fitting) == len(names) and there[0] == there[1] and self._begin_there()

    def _table(self, case: Case, name: str) -> dict[str, object]:
        """What makes up the geometry and the material of a wall, and for a body its shape."""
        wall = next(wall for wall in case.wall if wall.name == name.partition(":")[0])
        table = wall.model_dump(exclude={"motion", "then", "stages"})
        if wall.shape_of is not None:
            table["solid"] = next(s for s in case.species if s.name == wall.shape_of).model_dump()
        return table

    def _same_kind(self, k: int, here: int) -> bool:
        if self.old.kind[k] != self.walls.kind[here]:
            return False
        solids = [self._table(c, self.names[here]).get("solid") for c in (self.state.case, self.case)]
        return solids[0] == solids[1]

    def _same_geometry(self, k: int, here: int) -> bool:
        return self._table(self.state.case, self.names[here]) == self._table(self.case, self.names[here])

    @staticmethod
    def _present(case: Case, index: int) -> list[bool]:
        """Which walls are there in a stage."""
        return [wall.stages is None or case.stage[index].name in wall.stages for wall in case.wall]

    def _moved(self, k: int) -> tuple[np.ndarray, float]:
        """By how much the other run displaced (m) and turned (rad) its wall in the end."""
        motion, step, dt = self.state.wall_motion, self.state.header.step, self.state.case.time.step
        return np.array(displacement(motion, k, step, dt)), float(turn_angle(motion, k, step, dt))

    def _begin_there(self) -> bool:
        """Whether all walls of the case begin where those of the other run are."""
        if self.case.start is not None and self.case.start.walls == "continue":
            return True
        return not any(self._moved(k)[0].any() or self._moved(k)[1] for k in self.fitting.values())

    def take_over(self) -> None:
        """Let walls begin where the other run left those of the same name and geometry."""
        assert self.case.start is not None
        if self.case.start.walls == "case":
            return
        for here, k in self.fitting.items():
            self._take_over(here, k)

    def _take_over(self, here: int, k: int) -> None:
        old, new = self.state.wall_motion[k], self.walls.motion[here]
        offset, angle = self._moved(k)
        if min(old[MASS], new[MASS]) > 0.0 and (old[DIRECTION : DIRECTION + 3] == new[DIRECTION : DIRECTION + 3]).all():
            # a servo keeps its way and its speed; what it has slid across is where it begins
            columns = [PLACE, SPEED, LOAD, MOVED]
            new[columns] = old[columns]
            slid = float(steps_since(self.state.wall_motion, k, self.state.header.step)) * self.state.case.time.step
            offset = old[OFFSET : OFFSET + 3] + slid * old[SLIDE : SLIDE + 3]
        new[OFFSET : OFFSET + 3] = offset
        if angle:
            self._turn(self.names[here], old, new, angle)

    @staticmethod
    def _turn(name: str, old: np.ndarray, new: np.ndarray, angle: float) -> None:
        """Let a wall that was turned begin so."""
        new[ANGLE] = angle
        if not new[DIRECTION : DIRECTION + 3].any():  # it rests
            new[DIRECTION : DIRECTION + 3], new[CENTRE : CENTRE + 3] = old[DIRECTION : DIRECTION + 3], old[CENTRE : CENTRE + 3]
        elif (old[DIRECTION : DIRECTION + 3] != new[DIRECTION : DIRECTION + 3]).any() or (old[CENTRE : CENTRE + 3] != new[CENTRE : CENTRE + 3]).any():
            raise CaseError(
                f"wall.{name}: the run that start.from names has turned it by {angle:.6g} rad; it may rest or turn further about the same axis, or "
                "begin at the place that the case gives, by start.walls = 'case'"
            )
