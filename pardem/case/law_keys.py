"""Keys of the case file that laws and materials bring along: models made from the descriptions of the laws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, create_model

from ..case_values import Many, Model, in_range
from ..laws.kind import Key
from ..laws.registry import KINDS

FORMS = {kind.name: kind.forms for kind in KINDS.values()}
_KEYS = {key: description for kind in KINDS.values() for key, description in kind.keys.items()}
LAW_KEYS = tuple(_KEYS)
_OF_MATERIAL = {key: replace(_KEYS[key], meaning=text) for kind in KINDS.values() for key, text in kind.of_material.items()}
GENERAL = {key: description for kind in KINDS.values() for key, description in kind.general.items()}


def _type(key: Key) -> Any:
    """What pydantic is to accept for a key."""
    if key.pattern is not None:
        return Annotated[str, Field(pattern=key.pattern)]
    if key.many:
        return Many[float]
    return Annotated[float, Field(gt=key.above, ge=key.least, le=key.most), AfterValidator(in_range)]


def _fields(keys: dict[str, Key]) -> dict[str, Any]:
    return {name: (_type(key) | None, Field(default=None, description=key.meaning)) for name, key in keys.items()}


class MaterialName(Model):
    """What every material has."""

    name: str = Field(description="the `material` of species or walls, which by default is their name")


if TYPE_CHECKING:
    LawName = str

    class _Made(Model):
        def __getattr__(self, name: str) -> Any: ...

    class LawKeys(_Made):
        """Parameters of all laws."""

    class MaterialKeys(_Made, MaterialName):
        """Constants of a material that laws know."""

    class GeneralKeys(_Made):
        """Keys of `[contact]` alone that single laws need."""

else:
    LawName = Literal[tuple(KINDS)]
    LawKeys = create_model("LawKeys", __base__=Model, __module__=__name__, **_fields(_KEYS))
    MaterialKeys = create_model("MaterialKeys", __base__=MaterialName, __module__=__name__, **_fields(_OF_MATERIAL))
    GeneralKeys = create_model("GeneralKeys", __base__=Model, __module__=__name__, **_fields(GENERAL))
