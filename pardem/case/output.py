"""What is written, and how often."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from ..case_values import AxisName, Count, Many, Model, Number, PathName, Positive, at_most_one

FieldName = Literal["position", "image", "orientation", "velocity", "angular_velocity", "force", "torque", "local_fraction", "stress", "coordination"]
ContactField = Literal["point", "normal", "overlap", "force", "couple"]


@dataclass(frozen=True)
class Cadence:
    """A repeated event. Event k = 0, 1, 2, ... happens at step round(k * every): intervals need not be whole numbers of steps and do not drift.

    Attributes:
        every: distance of two events (steps, at least 1, may be fractional).
    """

    every: float

    def step(self, k: int) -> int:
        """Return the step of an event.

        Args:
            k: number of the event, from 0.

        Returns:
            The step.
        """
        return math.floor(k * self.every + 0.5)

    def next_after(self, step: int) -> int:
        """Find the next event.

        Args:
            step: a step.

        Returns:
            Step of the first event after that step.
        """
        k = max(0, math.floor(step / self.every) - 1)
        while self.step(k) <= step:
            k += 1
        return self.step(k)


class Layers(Model):
    """Layers for which observables are also written separately."""

    thickness: Positive = Field(description="thickness of a layer (m)")
    origin: Number = Field(default=0.0, description="coordinate at which the first layer begins (m)")
    axis: AxisName = Field(default="z", description='axis normal to the layers; the default is `"y"` in 2D')


class NearWall(Model):
    """Composition of the bed near a wall: the share of each species."""

    wall: str = Field(description="name of the wall")
    distance: Positive = Field(description="largest distance of the centre of mass of a grain from the wall (m)")


class Observables(Model):
    """Which global quantities are written, and where they are measured."""

    energy_budget: bool = Field(
        default=True, description="whether the work of walls, the dissipated energy and the residual of the energy budget are computed"
    )
    container: str = Field(
        default="auto", description="name of the cylinder or box to whose inside the density refers; `auto`: the first such wall, or else the domain"
    )
    base: str = Field(
        default="auto",
        description="name of the wall from which fill height and angles are measured; `auto`: the first disc or plane that faces upwards, or else "
        "none",
    )
    fabric: bool = Field(default=False, description="whether the fabric tensor of the contacts between grains and its anisotropy are computed")
    layers: Layers | None = Field(default=None, description="layers for which density and mean angle are also written; default: none")
    near_wall: NearWall | None = Field(default=None, description="wall near which the share of each species is written; default: none")
    above_hole: str | None = Field(default=None, description="name of a disc with a hole over which grains are counted and weighed; default: none")


class Output(Model):
    """The result file and the checkpoints. An interval is given in one unit: seconds, steps or taps."""

    file: PathName | None = Field(
        default=None, description="name of the result file; default: the name of the case file with `.h5`, in the working directory"
    )
    frame_interval: Positive | None = Field(default=None, description="simulated time between frames (s)")
    frame_steps: Count | None = Field(default=None, description="number of steps between frames (1)")
    frame_taps: Positive | None = Field(default=None, description="number of periods of the first `vibrate` stage between frames (1)")
    observable_interval: Positive | None = Field(default=None, description="simulated time between rows of observables (s)")
    observable_steps: Count | None = Field(default=None, description="number of steps between rows of observables (1)")
    observable_taps: Positive | None = Field(
        default=None, description="number of periods of the first `vibrate` stage between rows of observables (1)"
    )
    checkpoint_interval: Positive | None = Field(default=None, description="simulated time between checkpoints (s)")
    checkpoint_steps: Count | None = Field(default=None, description="number of steps between checkpoints (1)")
    checkpoint_minutes: Positive = Field(default=10.0, description="wall-clock time between checkpoints, in addition to the above (min)")
    one_file: bool = Field(
        default=True,
        description="whether the result is one file in the end, for which all frames are copied; `false`: it stays an index of the folder beside it, "
        "until `--resume --set output.one_file=true` makes it one file",
    )
    sync_frames: bool = Field(
        default=False,
        description="whether the run goes on only when a frame is on the disk; `false`: frames are forced there with the next "
        "checkpoint, and until then survive the end of the run, but not that of the machine",
    )
    precision: Literal["double", "single"] = Field(
        default="double", description="floating-point precision of frames; the final state is always in double precision"
    )
    compression: Literal["none", "gzip", "zstd"] = Field(
        default="none",
        description="whether the quantities of grains in frames are compressed, without loss; rank 0 then writes what all ranks have compressed; "
        "`zstd` is faster, but readers need the package `hdf5plugin`",
    )
    fields: Many[FieldName] = Field(
        default=("position", "image", "orientation", "velocity", "angular_velocity"),
        description="quantities of each grain in a frame; `local_fraction`: volume of the grain divided by that of its power cell (3D, convex "
        "grains); `stress`: mean stress in the grain from the forces at its contacts, positive in compression; `coordination`: number of its "
        "contacts with other grains",
    )
    contacts: bool | Many[ContactField] = Field(
        default=False, description="quantities of each contact in a frame, besides its two bodies; `true`: all of them, `false`: no contacts"
    )
    observables: Observables = Field(default=Observables(), description="which global quantities are written, and where they are measured")

    @model_validator(mode="after")
    def _check(self) -> Self:
        for what in ("frame", "observable"):
            at_most_one(self, f"{what}_interval", f"{what}_steps", f"{what}_taps")
        at_most_one(self, "checkpoint_interval", "checkpoint_steps")
        if "position" not in self.fields:
            raise ValueError("needs 'position' among fields")
        return self

    @property
    def needs_contacts(self) -> bool:
        """Whether contacts are recorded one by one: for frames that show them, fields of the grains that follow from them, or observables."""
        return bool(self.contact_fields) or "stress" in self.fields or "coordination" in self.fields or self.observables.fabric

    @property
    def contact_fields(self) -> tuple[str, ...]:
        """Names of what a frame holds of each contact; nothing where frames show no contacts."""
        if isinstance(self.contacts, bool):
            return get_args(ContactField) if self.contacts else ()
        return self.contacts
