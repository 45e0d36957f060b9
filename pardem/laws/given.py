"""Laws that a Python program hands over as functions: a case names one by what it does, since a file cannot hold it."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

BEGIN = "<python "  # of the names of such functions, where those of others have the path of a file

_functions: dict[str, Callable[..., Any]] = {}


def name_of(function: Callable[..., Any]) -> str:
    """Give a function a name under which this process finds it again.

    The name holds a hash of its source, or of its instructions where there is no source, and of the values that it takes from functions around it.
    The value of a global variable is not part of it.

    Args:
        function: a Python function, or what ``numba.njit`` made of one.

    Returns:
        ``<python HASH>:NAME``.
    """
    python = getattr(function, "py_func", function)
    code = getattr(python, "__code__", None)
    try:
        text = textwrap.dedent(inspect.getsource(python))
    except (OSError, TypeError):
        text = repr((code.co_code, code.co_consts, code.co_names)) if code is not None else repr(python)
    around = [repr(cell.cell_contents) for cell in getattr(python, "__closure__", None) or ()]
    values = repr((getattr(python, "__defaults__", None), around))
    name = getattr(python, "__name__", "")
    where = f"{BEGIN}{hashlib.sha256(f'{text}{values}'.encode()).hexdigest()[:16]}>:{name if name.isidentifier() else 'law'}"
    _functions[where] = function
    return where


def was_given(where: str) -> bool:
    """Whether a law of the user is such a function.

    Args:
        where: value of ``contact.user_law``.
    """
    return where.startswith(BEGIN)


def given_function(where: str) -> Callable[..., Any] | None:
    """Find a function by its name.

    Args:
        where: the name.

    Returns:
        The function; None if this process has not been given it.
    """
    return _functions.get(where)
