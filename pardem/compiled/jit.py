"""Numba settings in one place: import ``njit`` from here, before anything else of numba.

The on-disk cache of numba does not see that a kernel called from another file was edited. So the cache lives in a directory named after a hash of
all sources with kernels: an edit to one compiles everything that is used again. Constants that kernels use live in such files. No ``fastmath``:
physics kernels must give the same bits everywhere.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent


def source_hash() -> str:
    """Hash of every source file that holds compiled code (they all import this module): names the kernel cache."""
    digest = hashlib.sha256()
    for path in sorted(_ROOT.glob("**/*.py")) + sorted((_ROOT / "decomposition").glob("*.py")):
        text = path.read_bytes()
        if b"jit import" in text:
            digest.update(str(path.relative_to(_ROOT)).encode() + text)
    return digest.hexdigest()[:16]


def _cache_directory() -> str:
    base = os.environ.get("PARDEM_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if not base:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pardem"
        base = str(home if os.access(home.parent.parent, os.W_OK) else Path(tempfile.gettempdir()) / "pardem-cache")
    return str(Path(base) / f"{platform.machine()}-{source_hash()}")


os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")  # its vector transcendentals differ in bits from the scalar ones

import numba  # noqa: E402
import numba.core.config  # noqa: E402

numba.core.config.CACHE_DIR = _cache_directory()

from .nested import Compiler, Kernel  # noqa: E402


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``numba.njit`` with the cache on and IEEE arithmetic; accepts the same options."""
    options = {"nopython": True, "error_model": "numpy", "boundscheck": None, **options}
    cache = options.pop("cache", True)

    def compiled(function: Callable[..., Any]) -> Any:
        made = Kernel(function, locals={}, targetoptions=dict(options), pipeline_class=Compiler)
        if cache:
            made.enable_caching()
        return made

    return compiled if function is None else compiled(function)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``njit`` for what runs inside a step: no allocation, and so no counting of references to the arrays that are passed down."""
    options.setdefault("_nrt", False)
    return njit(function, **options)


def inlined(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A ``kernel`` that the compiler must merge into its callers: bundles of arrays are passed by value, which costs more than a contact."""
    options.setdefault("forceinline", True)
    return kernel(function, **options)


def spliced(function: Callable[..., Any]) -> Any:
    """``njit`` for a part of one long function: merged into it before anything is compiled, so that what it calls is not compiled once more."""
    return njit(function, inline="always")


INLINED = {"_nrt": False, "error_model": "numpy", "forceinline": True, "pipeline_class": Compiler}  # the same as ``jit_options`` of an overload
