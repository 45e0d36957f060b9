"""Static choice: one name for several functions, of which the compiler takes the one for the type of an argument; no branch is left at run time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from numba.extending import overload

from .jit import INLINED


def by_type(implementations: Mapping[type, Callable[..., Any]], argument: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of the function that stands for the others: its docstring describes them all, its body serves the types that have none.

    Args:
        implementations: the function for each type of named tuple, plain or compiled, with the parameters of the decorated one in their order.
        argument: name of the parameter whose type decides; default: the first.
    """
    plain = {kind: getattr(function, "py_func", function) for kind, function in implementations.items()}

    def decorate(general: Callable[..., Any]) -> Callable[..., Any]:
        names = list(inspect.signature(general).parameters)
        place = 0 if argument is None else names.index(argument)

        @wraps(general)
        def call(*arguments: Any) -> Any:
            return implementations.get(type(arguments[place]), general)(*arguments)

        # parameters may have other names in an implementation, so the compiler is not to compare them
        @overload(call, jit_options=INLINED, strict=False)
        def choose(*types: Any) -> Callable[..., Any]:
            return plain.get(types[place].instance_class, general)

        return call

    return decorate
