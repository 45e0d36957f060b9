"""The stages of a case as a run goes through them: when each ends, and what the walls do in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case
from .case.stages import Run, Settle, Vibrate
from .decomposition.exact import exact_totals
from .engine import Engine
from .integrators.phases import wall_velocities
from .outflow import EVERY
from .setup.preparation import Setup
from .walls.motion.driven import displacement, place_walls, turn_angle
from .walls.motion.drives import FOREVER
from .walls.motion.plates import along
from .walls.motion.registry import MOVERS
from .walls.motion.rows import ANGLE, CENTRE, DIRECTION, FIRST, KIND, LAST, LOAD, MASS, OFFSET, SPEED, WORK, is_pushed
from .walls.motion.sinusoidal import SWING
from .walls.motion.work import work_to_come
from .walls.surfaces.place import ABSENT, APPEARING, THERE


class Stages:
    """Which stage a run is in.

    Attributes:
        index: index of the stage; the number of stages when all are over.
        base: step at which the stage began, or the last one when all are over.
    """

    def __init__(self, case: Case, setup: Setup) -> None:
        self.case = case
        self.setup = setup
        self.index = 0
        self.base = 0
        self._show_walls(False)

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
        """Determine the next step at which the stage may end.

        Args:
            step: present step.

        Returns:
            The step.
        """
        if every := self._check_every():
            return min(self.end, self.base + ((step - self.base) // every + 1) * every)
        return self.end

    def _check_every(self) -> int:
        """Steps between two looks, from the stage's start, at whether it ends early; 0: it does not."""
        if isinstance(self.stage, Settle):
            return self.stage.check_every
        return EVERY if isinstance(self.stage, Run) and self.stage.outflow_share is not None else 0

    def is_over(self, step: int, waiting: bool, energy_per_grain: Any, share_left: Any, grains_above: Any) -> bool:
        """Tell whether the stage ends at this step. Collective if the energy is needed.

        Args:
            step: number of the step.
            waiting: whether grains are still to come, so that nothing can have settled.
            energy_per_grain: function that returns the kinetic energy per grain (J), all of it or that of translation, the same on all ranks.
            share_left: function that returns the share of grains that have left the domain, the same on all ranks.
            grains_above: function that returns the number of grains above the hole of the disc with a given name, the same on all ranks.
        """
        if step >= self.end:
            return True
        every = self._check_every()
        if not every or step == self.base or (step - self.base) % every:
            return False
        if isinstance(self.stage, Settle):
            if waiting:
                return False
            clear = self.stage.until_clear is not None and grains_above(self.stage.until_clear) == 0
            return clear or bool(energy_per_grain(self.stage.energy_of) < self.stage.energy_per_grain)
        return bool(share_left() >= self.stage.outflow_share)

    def _show_walls(self, begins: bool) -> None:
        """Let the walls of the stage be there, and no others; ``begins``: none of its steps has been done."""
        before = self.case.stage[self.index - 1].name if begins and self.index > 0 else self.stage.name
        for wall in self.case.wall:
            there, was = (wall.stages is None or name in wall.stages for name in (self.stage.name, before))
            for k in self.setup.walls[wall.name]:
                self.setup.scene.walls.there[k] = (THERE if was else APPEARING) if there else ABSENT

    def begin(self, engine: Engine) -> None:
        """Start the walls that move or are present, and the grains that arrive, from this stage on. The stage is counted from the engine's step.

        Args:
            engine: engine of this rank.
        """
        self.base = engine.step
        if engine.inflow is not None:
            engine.inflow.begin(self.stage.name, self.base)
        self._show_walls(True)
        walls, settings = self.setup.scene.walls, self.setup.scene.settings
        reaction = exact_totals(engine.comm, walls.reaction.reshape(-1, 2))
        forces = np.array(reaction, dtype=object).reshape(-1, 6)
        before = work_to_come(walls, forces, settings)
        self._change_motions(forces)
        mine = walls.reaction.copy()
        place_walls(walls, self.base, settings.dt)
        wall_velocities(self.setup.scene.integrator, walls, settings.dt)
        walls.reaction[:] = mine
        # the work of the half-step to come was accounted for with the motion that has ended
        walls.motion[:, WORK] += work_to_come(walls, forces, settings) - before
        engine.wall_moved()

    def _change_motions(self, forces: np.ndarray) -> None:
        """Give walls the motions that begin with the stage; ``forces``: on the walls, (W, 6) exact, in quanta."""
        walls, dt = self.setup.scene.walls, self.case.time.step
        for wall in self.case.wall:
            for k in self.setup.walls[wall.name]:
                if getattr(wall.motion, "start", None) == self.stage.name:
                    walls.motion[k, FIRST] = self.base
                for index, motion in enumerate(wall.then or ()):
                    if motion.start == self.stage.name:
                        self._take_over(k, self.setup.later[k, index])
                if is_pushed(walls.motion, k):
                    limbs = np.array([[int(f) & 0xFFFFFFFF, int(f) >> 32] for f in forces[k]], np.int64)
                    walls.motion[k, LOAD] = along(limbs, walls.motion[k, DIRECTION:], self.setup.scene.settings.force)
        if isinstance(self.stage, Vibrate):
            for k in self.setup.walls[self.stage.wall]:
                offset = displacement(walls.motion, k, self.base, dt)
                row = walls.motion[k]
                row[:WORK] = 0.0
                row[KIND] = MOVERS.index(SWING)
                self.stage.fill(row, self.case.gravity, self.setup.walls)
                # after the last stage nothing moves any more: its end must not show, or a prolonged run would differ
                row[[FIRST, LAST]] = self.base, FOREVER if self.index == len(self.case.stage) - 1 else min(float(self.end), FOREVER)
                row[OFFSET : OFFSET + 3] = offset

    def _take_over(self, k: int, new: np.ndarray) -> None:
        """Give wall ``k`` the motion of a row, from where it is now."""
        motion, dt = self.setup.scene.walls.motion, self.case.time.step
        old = motion[k].copy()
        offset, angle = displacement(motion, k, self.base, dt), turn_angle(motion, k, self.base, dt)
        motion[k] = new
        motion[k, FIRST], motion[k, OFFSET : OFFSET + 3], motion[k, ANGLE], motion[k, WORK] = self.base, offset, angle, old[WORK]
        if angle != 0.0:
            motion[k, DIRECTION : DIRECTION + 3], motion[k, CENTRE : CENTRE + 3] = old[DIRECTION : DIRECTION + 3], old[CENTRE : CENTRE + 3]
        if min(old[MASS], new[MASS]) > 0.0 and (old[DIRECTION : DIRECTION + 3] == new[DIRECTION : DIRECTION + 3]).all():
            motion[k, SPEED] = old[SPEED]

    def advance(self, engine: Engine) -> None:
        """Go to the next stage.

        Args:
            engine: engine of this rank.
        """
        self.index += 1
        if not self.finished:
            self.begin(engine)

    def restore(self, index: int, base: int, step: int) -> None:
        """Restore the state from a checkpoint. The last stage of a run that was over is open again, since its end may have been moved.

        Args:
            index: index of the stage.
            base: step at which the stage began.
            step: step of the checkpoint.
        """
        self.index, self.base = min(index, len(self.case.stage) - 1), base
        self._show_walls(step == base)

    def of_step(self, step: int) -> int:
        """Number of the stage that the present step belongs to, from 0. The step at which a stage ends belongs to it."""
        ended = self.finished or (self.index > 0 and step == self.base)
        return self.index - ended

    def taps(self, step: int) -> float:
        """Count the periods of the ``vibrate`` stage to which a step belongs. The step at which a stage ends belongs to it.

        Args:
            step: the step.

        Returns:
            Number of periods; 0 in other stages.
        """
        dt, number = self.case.time.step, self.of_step(step)
        stage = self.case.stage[number]
        if not isinstance(stage, Vibrate):
            return 0.0
        steps = step - self.base if number == self.index or self.finished else stage.max_steps(dt)
        return steps * dt * stage.frequency
