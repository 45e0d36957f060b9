"""Static choice: functions whose body is chosen by the type of an argument when their caller is compiled, so that no branch is left at run time."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from numba.extending import overload

from .jit import INLINED


def static(choose: Callable[[type], Any], on: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a function without a body of its own, which says what its arguments and its result are.

    It may be called from compiled code and from Python, with positional arguments. What is ``inlined`` is merged into the caller, other kernels are
    called.

    Args:
        choose: class of a named tuple -> the compiled function that takes the place of the decorated one, with the same arguments; or a constant.
        on: name of the argument whose class decides; None: the first.

    Example:
        >>> @static(lambda law: MODULES[law].normal_force)          # doctest: +SKIP
        ... def normal_force(law, overlap):
        ...     "Normal force of a contact (N)."
    """

    def decorate(stub: Callable[..., Any]) -> Callable[..., Any]:
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
