"""What stays the same throughout a run, as the compiled step takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contacts.dispatch import Interaction, rule_of
from ..contacts.rules.rule import Rule
from ..detection.sphere_tables import Covering
from ..detection.trees import Trees
from ..integrators.phases import Integrator
from ..laws.kind import LawTables
from ..state.arrays import Parts, Settings, Shapes, Walls
from ..state.population import Population


@dataclass
class Scene:
    """Everything constant in a run that the compiled step and the lists need."""

    shapes: Shapes
    interaction: Interaction
    law: LawTables
    integrator: Integrator
    walls: Walls
    settings: Settings
    names: list[str]
    wall_names: list[str]
    trees: Trees
    parts: Parts
    bodies: Population  # walls that are spheropolytopes
    walks: bool = False  # whether pairs are found by walks along the edges of a triangulation
    covering: Covering | None = None  # where they are found from the edges alone
    outflow: np.ndarray | None = None  # (2, 3) bool, faces through which grains may leave, lower and upper

    @property
    def rule(self) -> Rule:
        """The rule of contact: what it asks of lists and arrays."""
        return rule_of(self.interaction)
