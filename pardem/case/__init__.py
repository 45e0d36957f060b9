"""The case model: what a run is, typed and validated before anything is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Case

__all__ = ["Case"]


def __getattr__(name: str) -> Any:
    """Import the model when it is first used: walls, whose files hold their tables too, need the types of its values alone."""
    if name != "Case":
        raise AttributeError(f"module 'pardem.case' has no attribute '{name}'")
    from .model import Case

    return Case
