"""The files of a scaling study, JSON in one folder: figures of runs that were measured or predicted, and the costs behind predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import FileError

MEASURED, PREDICTED, COSTS = "measured", "predicted", "costs"
"""Kinds of files."""
KEY = ["scene", "form", "asked", "ranks"]
"""What runs differ in; `asked` is the number of grains asked for."""
FORMS = ("tiled", "cubic")
"""Forms of beds: copies of a settled bed side by side, as they are measured; or also above each other, as wide as high."""
PARTS = ("contacts", "walls", "motion", "copying", "wait", "rebuild", "rest")
"""Parts of the time of a step."""


def made_folder(folder: Path) -> None:
    """Make the folder of a study, if it is not there.

    Args:
        folder: the folder.

    Raises:
        FileError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} could not be made: {error.strerror}; give another folder") from None


def read_figures(folder: Path) -> list[dict[str, Any]]:
    """Read the figures of measured and predicted runs.

    Args:
        folder: folder of the study.

    Returns:
        The figures of each run.

    Raises:
        FileError: there are none, or some cannot be read.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            figures = json.loads(path.read_text())
            if figures["kind"] not in (MEASURED, PREDICTED, COSTS):
                raise KeyError("kind")
        except OSError as error:
            raise FileError(f"{path} cannot be read: {error.strerror}") from None
        except (ValueError, TypeError, KeyError):
            raise FileError(f"{path} does not hold figures of `pardem scaling`; take it out of {folder}") from None
        if figures["kind"] != COSTS:
            found.append(figures)
    if not found:
        raise FileError(f"{folder} has no figures (*.json): write some with `pardem scaling run SCENE --folder {folder}`")
    return found
