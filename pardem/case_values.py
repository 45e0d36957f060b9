"""The frozen base class of all tables of a case, and the types of their values."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator
from pydantic_core import PydanticCustomError

T = TypeVar("T")

SMALLEST, LARGEST = 1e-60, 1e60
"""Magnitudes that a number of a case may have, besides zero: products of a handful of them (radius^5 density) are numbers, too."""
MOST = 2**53
"""Largest whole number of a case, the last up to which steps times a time step are exact; seeds may be larger."""


class Model(BaseModel):
    """A part of a case: immutable, without unknown keys and without silent conversions (``"3"`` is not a number, ``1.0`` is not an integer)."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def as_lists(value: Any) -> Any:
    """Convert an array to nested lists, so that arrays may be given in Python.

    Args:
        value: value of a key, as it was given.

    Returns:
        Nested lists in place of an array; any other value as it is.
    """
    return value.tolist() if hasattr(value, "tolist") else value


def _not_zero(vector: tuple[float, ...]) -> tuple[float, ...]:
    if not any(vector):
        raise ValueError("must not be the zero vector")
    return vector


def normalised(vector: tuple[float, ...]) -> tuple[float, ...]:
    """Divide a vector by its length. A vector whose length is 1 within 1e-15 is left unchanged.

    Args:
        vector: vector of any length but zero.

    Returns:
        The unit vector.
    """
    # scaled by a power of two, which changes no digit, so that no square over- or underflows
    exponent = math.frexp(max(map(abs, vector)))[1]
    scaled = [math.ldexp(c, -exponent) for c in vector]
    square = sum(c * c for c in scaled)
    if abs(math.ldexp(square, 2 * min(exponent, 2)) - 1.0) <= 1e-15:
        return vector
    return tuple(c / math.sqrt(square) for c in scaled)


def in_range(value: float) -> float:
    """Check the magnitude of a number.

    Args:
        value: the number.

    Returns:
        The number.

    Raises:
        PydanticCustomError: it is neither 0 nor within the range of a case.
    """
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise PydanticCustomError("out_of_range", "must be 0 or of a size between {least} and {most}", {"least": SMALLEST, "most": LARGEST})
    return value


def _path(name: str) -> str:
    if not name or "\0" in name:
        raise PydanticCustomError("no_path", "must be the name of a file: a text that is not empty and holds no NUL character")
    return name


Many = Annotated[tuple[T, ...], Strict(False)]
"""Any number of values; a TOML array."""

Number = Annotated[float, AfterValidator(in_range)]
Positive = Annotated[float, Field(gt=0), AfterValidator(in_range)]
NonNegative = Annotated[float, Field(ge=0), AfterValidator(in_range)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$")]
PathName = Annotated[str, AfterValidator(_path)]
AxisName = Literal["x", "y", "z"]

Vector = Annotated[tuple[Number, Number, Number], Strict(False), BeforeValidator(as_lists)]
_Three = Annotated[tuple[float, float, float], Strict(False), BeforeValidator(as_lists)]
Direction = Annotated[_Three, AfterValidator(_not_zero), AfterValidator(normalised)]
Quaternion = Annotated[
    tuple[float, float, float, float], Strict(False), BeforeValidator(as_lists), AfterValidator(_not_zero), AfterValidator(normalised)
]
Points = Annotated[tuple[Vector, ...], Strict(False), BeforeValidator(as_lists)]


class NamedModel(Model):
    """A table with a name, and with a material that contact parameters refer to."""

    name: Name = Field(description="name by which other tables and `--set` refer to it")
    material: str = Field(
        description="name of the material, to which contact parameters refer; several tables may share it; default: the name of this table"
    )

    @model_validator(mode="before")
    @classmethod
    def _material(cls, data: Any) -> Any:
        if isinstance(data, dict) and "material" not in data and "name" in data:
            return data | {"material": data["name"]}
        return data


def exactly_one(model: BaseModel, *keys: str) -> None:
    """Check that exactly one of several keys has a value.

    Args:
        model: table of the keys.
        *keys: names of the keys.

    Raises:
        ValueError: none or more than one has.
    """
    given = [key for key in keys if getattr(model, key) is not None]
    if len(given) != 1:
        found = "none is given" if not given else f"{' and '.join(given)} are given"
        raise ValueError(f"needs exactly one of {', '.join(keys)}, but {found}")


def at_most_one(model: BaseModel, *keys: str) -> None:
    """Check that at most one of several keys has a value.

    Args:
        model: table of the keys.
        *keys: names of the keys.

    Raises:
        ValueError: more than one has.
    """
    given = [key for key in keys if getattr(model, key) is not None]
    if len(given) > 1:
        raise ValueError(f"takes at most one of {', '.join(keys)}, but {' and '.join(given)} are given")


def ordered(lower: tuple[float, ...], upper: tuple[float, ...]) -> None:
    """Check that every component of one corner is below that of another.

    Args:
        lower: lower corner.
        upper: upper corner.

    Raises:
        ValueError: along some axis it is not.
    """
    for axis, low, high in zip("xyz", lower, upper, strict=False):
        if not low < high:
            raise ValueError(f"needs lower < upper along {axis}, but lower is {low!r} and upper is {high!r}")
