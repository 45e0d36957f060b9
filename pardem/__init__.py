"""pardem: a distributed-memory discrete-element simulator of granular matter made of spheropolytopes."""

from __future__ import annotations

from . import image as _image

_image.enter()  # before anything else is imported

# isort: split
from typing import TYPE_CHECKING, Any  # noqa: E402

from .compiled import jit as _jit  # noqa: E402, F401  (first: it sets options before anything imports numba)
from .version import VERSION  # noqa: E402

if TYPE_CHECKING:
    from .case import Case
    from .io.analysis.result import Result
    from .io.analysis.result import open_result as open
    from .io.casefile import read_case
    from .origin import with_origin
    from .run import run_case
    from .run_options import RunOptions
    from .shapes import Shape
    from .simulation import Simulation

__version__ = VERSION

__all__ = ["Case", "Result", "RunOptions", "Shape", "Simulation", "__version__", "open", "read_case", "run_case", "with_origin"]

_HOME = {
    "Case": "case", "Result": "io.analysis.result", "RunOptions": "run_options", "Shape": "shapes", "Simulation": "simulation",
    "open": "io.analysis.result", "read_case": "io.casefile", "run_case": "run", "with_origin": "origin",
}  # fmt: skip
_NAMED = {"open": "open_result"}  # where the name inside differs


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used: the command line starts faster for it."""
    if name not in _HOME:
        raise AttributeError(f"module 'pardem' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"pardem.{_HOME[name]}"), _NAMED.get(name, name))
