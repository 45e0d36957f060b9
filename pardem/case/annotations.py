"""Annotations of the model's fields: which tables, lists and values they allow."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """Collect the model classes that an annotation allows, inside unions and Annotated, but not inside containers.

    Args:
        annotation: the annotation of a field.

    Returns:
        The classes.
    """
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is Annotated:
        return models_in(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [model for part in get_args(annotation) for model in models_in(part)]
    return []


def element(annotation: Any) -> Any:
    """Return the annotation of the entries of a list.

    Args:
        annotation: the annotation of the list.

    Returns:
        That of its entries; None if it is not a list.
    """
    if get_origin(annotation) is Annotated:
        return element(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return next((found for part in get_args(annotation) if (found := element(part)) is not None), None)
    return get_args(annotation)[0] if get_origin(annotation) is tuple else None


@cache
def tables_of_keys(model: type[BaseModel]) -> dict[str, list[str]]:
    """Find the tables to which each key belongs.

    Args:
        model: class of the model.

    Returns:
        For each key of the tables in the model, at any depth, the dotted keys of those tables in order.
    """
    found: dict[str, list[str]] = {}
    for key, table in _keys(model, ""):
        if table:
            found.setdefault(key, []).append(table)
    return found


def _keys(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str]]:
    """Each key of a model and of the tables in it, with the dotted key of its table."""
    for name, field in model.model_fields.items():
        yield field.alias or name, prefix
        for sub in models_in(field.annotation) or models_in(element(field.annotation)):
            yield from _keys(sub, f"{prefix}.{name}".lstrip("."))


def tag_of(model: type[BaseModel]) -> str | None:
    """Return the value of the key (`kind` or `shape`) that selects a class in a union.

    Args:
        model: the class.

    Returns:
        The value; None if the class has no such key.
    """
    for name in ("kind", "shape"):
        field = model.model_fields.get(name)
        if field is not None and get_origin(field.annotation) is Literal:
            return str(get_args(field.annotation)[0])
    return None


def entry_types(annotation: Any) -> list[Any]:
    """Collect the types of the entries of a list of fixed length.

    Args:
        annotation: the annotation of a field.

    Returns:
        The types; empty if it is not such a list.
    """
    if get_origin(annotation) is Annotated:
        return entry_types(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return next((found for part in get_args(annotation) if (found := entry_types(part))), [])
    arguments = get_args(annotation)
    if get_origin(annotation) is not tuple or arguments[-1] is Ellipsis:
        return []
    return [get_args(kind)[0] if get_origin(kind) is Annotated else kind for kind in arguments]


def choices_of(annotation: Any) -> list[str]:
    """Collect the values that the literals in an annotation allow.

    Args:
        annotation: the annotation of a field.

    Returns:
        The values as texts.
    """
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for part in typing.get_args(annotation) for choice in choices_of(part)]
