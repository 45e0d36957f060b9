"""The case model: what a run is, typed and validated before anything is computed."""

from __future__ import annotations

from .model import Case

__all__ = ["Case"]
