"""The version of pardem, that of ``pyproject.toml``, and of what it writes."""

from __future__ import annotations

from collections.abc import Mapping

VERSION = "0.1.0"
FORMAT = 2  # of results, checkpoints and segments; 1: without checksums of frames and observables, without manifests
LAYOUT = 3  # of states; one more whenever an array of it changes its columns


def versions() -> dict[str, str]:
    """Return what tells this pardem from others: ``pardem``, its version, and ``commit``, where it is known."""
    from .compiled.sources import commit  # late: few commands need it

    return {"pardem": VERSION} | ({"commit": commit()} if commit() else {})


def program(versions: Mapping[str, str]) -> str:
    """Name a pardem.

    Args:
        versions: as ``versions`` returns them, of this pardem or of another one.

    Returns:
        Its version and, where it is known, its commit.
    """
    return f"pardem {versions['pardem']}" + (f" (commit {versions['commit']})" if "commit" in versions else "")
