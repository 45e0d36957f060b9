"""The stages of a case as a run goes through them: when each ends, and what the walls do in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case
from .case.stages import Settle, Vibrate
from .engine import Engine
from .scene import Setup
from .walls.build import FOREVER, unit
from .walls.motion import SINUSOIDAL, displacement


class Stages:
    """Which stage a run is in.

    Attributes:
        index: of the stage; the number of stages when all are over.
        base: step at which the stage began, or the last one when all are over.
    """

    def __init__(self, case: Case, setup: Setup) -> None:
        self.case = case
        self.setup = setup
        self.index = 0
        self.base = 0
        self._show_walls()

    @property
    def stage(self) -> Any:
        """The stage's table in the case."""
        return self.case.stage[self.index]

    @property
    def finished(self) -> bool:
        """Whether all stages are over."""
        return self.index >= len(self.case.stage)

    @property
    def end(self) -> int:
        """Last step that the stage can have."""
        return self.base + int(self.stage.max_steps(self.case.time.step))

    def remaining(self) -> int:
        """Most steps left from the stage's start to the end of the run."""
        return sum(s.max_steps(self.case.time.step) for s in self.case.stage[self.index :])

    def next_event(self, step: int) -> int:
        """The next step at which the stage may end."""
        if isinstance(self.stage, Settle):
            every = self.stage.check_every
            return min(self.end, self.base + ((step - self.base) // every + 1) * every)
        return self.end

    def is_over(self, step: int, energy_per_grain: Any) -> bool:
        """Whether the stage ends at this step. Collective where it asks for the energy.

        Args:
            energy_per_grain: function that gives the kinetic energy per grain (J), alike on all ranks.
        """
        if step >= self.end:
            return True
        if isinstance(self.stage, Settle) and step > self.base and (step - self.base) % self.stage.check_every == 0:
            return bool(energy_per_grain() < self.stage.energy_per_grain)
        return False

    def _show_walls(self) -> None:
        """Let the walls of the stage be there, and no others."""
        for wall in self.case.wall:
            for k in self.setup.walls[wall.name]:
                self.setup.scene.walls.there[k] = wall.stages is None or self.stage.name in wall.stages

    def begin(self, engine: Engine) -> None:
        """Start the walls that move or are there from this stage on; its base is the engine's step."""
        self.base = engine.step
        self._show_walls()
        walls, dt = self.setup.scene.walls, self.case.time.step
        for wall in self.case.wall:
            if getattr(wall.motion, "start", None) == self.stage.name:
                for k in self.setup.walls[wall.name]:
                    walls.motion[k, 4] = self.base
        if isinstance(self.stage, Vibrate):
            for k in self.setup.walls[self.stage.wall]:
                offset = displacement(walls.motion, k, self.base, dt)
                row = walls.motion[k]
                row[:] = 0.0
                row[:4] = SINUSOIDAL, self.stage.amplitude_for(self.case.gravity), 2.0 * np.pi * self.stage.frequency, self.stage.phase
                # after the last stage nothing moves any more: its end must not show, or a prolonged run would differ
                row[4], row[5] = self.base, FOREVER if self.index == len(self.case.stage) - 1 else min(float(self.end), FOREVER)
                row[6:9] = unit(self.stage.direction)
                row[9:12] = offset
        engine.wall_moved()

    def advance(self, engine: Engine) -> None:
        """Go to the next stage."""
        self.index += 1
        if not self.finished:
            self.begin(engine)

    def restore(self, index: int, base: int) -> None:
        """Take up the state of a checkpoint; the last stage of a run that was over is open again, since its end may have been moved."""
        self.index, self.base = min(index, len(self.case.stage) - 1), base
        self._show_walls()

    def taps(self, step: int) -> float:
        """Periods of the ``vibrate`` stage that the step belongs to; 0 in other stages. The step at which a stage ends belongs to it."""
        dt = self.case.time.step
        if not self.finished and self.index > 0 and step == self.base:
            stage, steps = self.case.stage[self.index - 1], None
        else:
            stage, steps = self.case.stage[self.index - self.finished], step - self.base
        if not isinstance(stage, Vibrate):
            return 0.0
        return (stage.max_steps(dt) if steps is None else steps) * dt * stage.frequency
