"""Static choice: functions whose body is chosen by the type of an argument when their caller is compiled, so that no branch is left at run time."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from numba.extending import overload

from .jit import INLINED, inlined


def static(choose: Callable[[type], Any], on: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a function without a body of its own, which says what its arguments and its result are.

    It may be called from compiled code and from Python, with positional arguments. What is ``inlined`` is merged into the caller, other kernels are
    called.

    Args:
        choose: class of a named tuple -> the compiled function that takes the place of the decorated one, with the same arguments; or a constant.
        on: name of the argument whose class decides, or None for the first.

    Example:
        >>> @static(lambda law: MODULES[law].normal_force)          # doctest: +SKIP
        ... def normal_force(law, overlap):
        ...     "Normal force of a contact (N)."
    """

    def decorate(stub: Callable[..., Any]) -> Callable[..., Any]:
        """Make the function out of the one without a body."""
        place = list(inspect.signature(stub).parameters).index(on) if on is not None else 0

        @functools.wraps(stub)
        def call(*arguments: Any) -> Any:
            found = choose(type(arguments[place]))
            return found(*arguments) if callable(found) else found

        @overload(call, jit_options=INLINED, strict=False)
        def _compiled(*types: Any) -> Any:
            found = choose(types[place].instance_class)
            if not callable(found):
                return lambda *arguments: found
            if found.targetoptions.get("forceinline"):
                return found.py_func
            return lambda *arguments: found(*arguments)

        return call

    return decorate


def by_type(implementations: Mapping[type, Callable[..., Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a function whose own body serves the classes of its first argument that have no other.

    Args:
        implementations: the function for each class of named tuple, plain or compiled, with the arguments of the decorated one.
    """
    compiled = {kind: function if hasattr(function, "py_func") else inlined(function) for kind, function in implementations.items()}

    def decorate(general: Callable[..., Any]) -> Callable[..., Any]:
        """Make the function out of the one that serves all other classes."""
        own = inlined(general)
        return static(lambda kind: compiled.get(kind, own))(general)

    return decorate
