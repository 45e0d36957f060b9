"""The state of another run from which a case starts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, Strict

from ..case_values import Many, Model, PathName, Positive
from .placement import BoxPlacement, CylinderPlacement


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


class Start(Model):
    """Grains, velocities, images and contact histories of another run; time, steps and phases of motions begin at zero."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=False, validate_by_alias=True)

    source: PathName = Field(
        alias="from",
        description="a finished result, whose last state is taken, or a checkpoint, in the folder of parts in which its run wrote it; the path is "
        "relative to the case file",
    )
    without: Annotated[Many[str], Strict(False), BeforeValidator(_several)] = Field(
        default=(), description="name of a species of the other run, or a list of names, whose grains are left out"
    )
    without_region: Annotated[CylinderPlacement | BoxPlacement, Field(discriminator="kind")] | None = Field(
        default=None, description="region in which grains are left out, by their centres of mass"
    )
    walls: Literal["continue", "case"] = Field(
        default="continue",
        description="where walls begin: `continue`, a wall that has the name and the geometry of one of the other run begins where that run left it; "
        "`case`, all walls begin at the places that the case gives",
    )
    digest: str | None = Field(
        default=None,
        pattern="^[0-9a-f]{64}$",
        description="SHA-256 hash of the state, which a run fills in; if it is given, a state with another one is refused",
    )
    quanta: Annotated[tuple[Positive, Positive, Positive], Strict(False)] | None = Field(
        default=None, description="quanta of force (N), torque (N m) and energy (J) of the other run, which a run fills in"
    )
