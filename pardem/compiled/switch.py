"""One compiled function out of several, chosen by a number at run time: walls of several kinds and motions are in one run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .jit import inlined


def switch(functions: tuple[Callable[..., Any], ...]) -> Any:
    """A compiled function of a code and other arguments that hands these on to the function with that code.

    The function is written out, since bundles of arrays that are handed down through several calls are slow to compile.

    Args:
        functions: compiled functions of the same arguments, which return the same types; their codes are their places in the tuple.
    """
    arguments = ", ".join(inspect.signature(functions[0]).parameters)
    *others, last = range(len(functions))
    lines = [f"def choose(code, {arguments}):"]
    for code in others:
        lines += [f"    if code == {code}:", f"        return function_{code}({arguments})"]
    lines.append(f"    return function_{last}({arguments})")
    names: dict[str, Any] = {f"function_{code}": function for code, function in enumerate(functions)}
    exec("\n".join(lines), names)
    return inlined(names["choose"], cache=False)  # it is part of what calls it, and cached with that
