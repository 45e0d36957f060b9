"""What the tables of all walls in a case have in common, and what the rest of pardem asks of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from ...case_values import Many, NamedModel
from ..motion.fixed import FixedMotion, Halt
from ..motion.registry import AnyMotion, LaterMotion, Motion
from .surface import Surface


class Placed(NamedTuple):
    """One of the surfaces of a wall.

    Attributes:
        surface: which.
        point: a point of the surface (m).
        normal: unit normal or axis.
        sizes: up to four, see the surface.
        part: what it is called after the name of the wall; empty for the only one.
    """

    surface: Surface
    point: Any
    normal: Any
    sizes: tuple[float, ...] = ()
    part: str = ""


class PlacedShape(NamedTuple):
    """The shape of a species, in the place where a wall has it.

    Attributes:
        species: its name.
        scale: size factor (1).
        position: where the origin of the axes is in which the shape was given (m).
        orientation: quaternion (w, x, y, z), axes of the shape as given -> world, of any length > 0.
    """

    species: str
    scale: float
    position: Any
    orientation: Any


class Corners(NamedTuple):
    """Most features of a grain, or arrays of them, that may touch a wall at once.

    Attributes:
        edges: edges at a vertex.
        faces: faces at a vertex.
    """

    edges: Any
    faces: Any

    def together(self, other: Corners, dimension: int) -> Any:
        """Number of springs that act at once where two corners meet; in the plane a vertex on a vertex touches two edges of the other outline.

        Args:
            other: the other corner.
            dimension: dimension of space, 2 or 3.
        """
        return np.maximum(1, self.edges + other.edges) if dimension == 2 else self.edges * other.edges + self.faces + other.faces


class Refusal(NamedTuple):
    """Why a wall does not go with grains that are compounds.

    Attributes:
        why: what the wall needs, after its name and a dot.
        inner: what pieces of compounds have within the grain, so that it cannot be.
        remedy: what to do instead.
    """

    why: str
    inner: str
    remedy: str


class WallTable(NamedModel):
    """A wall of a case."""

    motion: Motion = Field(
        default=FixedMotion(kind="fixed"),
        description='how the wall moves: `"fixed"`, or a table whose `kind` is `"sinusoidal"`, `"velocity"`, `"rotation"` or `"servo"`',
    )
    then: Many[LaterMotion] | None = Field(
        default=None, description="motions that follow, each from the stage named by its `start` and the place that the wall has reached by then"
    )
    stages: Many[str] | None = Field(
        default=None, description="names of the stages in which the wall exists; it appears and disappears instantly; default: all stages"
    )

    made_of: ClassVar[tuple[Surface, ...]] = ()
    """The surfaces that such a wall may have."""
    spans: ClassVar[bool] = False
    """Whether the distance between two such walls may span the area of a servo wall."""
    moves_as_one: ClassVar[bool] = False
    """Whether several surfaces move together, so that they can neither turn nor be pushed."""
    carries: ClassVar[bool] = False
    """Whether it can be the base of a bed."""
    contains: ClassVar[bool] = False
    """Whether it can be the container of a bed."""
    axis_in_plane: ClassVar[bool] = False
    """Whether its axis lies in the plane of a case in two dimensions, along y unless given; else it is z."""

    @property
    def motions(self) -> tuple[AnyMotion | Halt, ...]:
        """The motions of all stages, in their order."""
        return (self.motion, *(self.then or ()))

    @property
    def solid(self) -> PlacedShape | None:
        """The shape that the wall has as a whole, where it is a solid of a species, or None if it consists of the surfaces that it names."""
        return None

    @property
    def shape_of(self) -> str | None:
        """The species whose shape the wall has, or None."""
        return None if self.solid is None else self.solid.species

    @property
    def flat(self) -> bool:
        """Whether grains meet it by the rule for planes."""
        return False

    @property
    def met_by_edges(self) -> bool:
        """Whether edges or faces of grains meet it on their own, not only their vertices."""
        return False

    def surfaces(self, dimension: int) -> list[Placed]:
        """The surfaces of the wall.

        Args:
            dimension: dimension of the case, 2 or 3.
        """
        raise NotImplementedError

    def rounding(self, radii: Mapping[str, float]) -> float:
        """Radius (m) of the wall where a grain touches it; infinite where it is flat.

        Args:
            radii: sphero-radius of each species by name (m).
        """
        return math.inf

    def at_a_corner(self, grain: Corners, own: Corners | None, dimension: int) -> Any:
        """Number of springs that act at once where one vertex of a grain touches.

        Args:
            grain: features at a vertex of the grain, arrays of any shape.
            own: the same of the species whose shape the wall has.
            dimension: dimension of the case, 2 or 3.
        """
        return 1

    def refuses_compounds(self) -> Refusal | None:
        """Why grains that are compounds cannot meet this wall; None if they can."""
        return None

    def enclosed(self, up: np.ndarray, has_base: bool, dimension: int) -> tuple[float | None, float | None] | None:
        """Area of the cross-section (m^2) and volume (m^3) of what the wall encloses, each None where it is not known.

        Args:
            up: (3,) upwards.
            has_base: whether there is a base across the upward direction.
            dimension: dimension of the case.

        Returns:
            Both, or None if the wall as it stands is no container.
        """
        return None

    def middle(self) -> float | None:
        """Coordinate along y (m) of the plane that a picture is cut at, where the wall asks for one."""
        return None

    def draw(self, view: Any) -> None:
        """Draw the wall on a picture.

        Args:
            view: `pardem.io.views.drawn_walls.View`.
        """
        raise NotImplementedError
