"""pardem: a distributed-memory discrete-element simulator of granular matter made of spheropolytopes."""

from __future__ import annotations

from . import _jit  # first: it sets the kernel cache before anything imports numba

__version__ = "0.1.0"

__all__ = ["__version__", "_jit"]
