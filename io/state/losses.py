"""What of a run is missing: noted in its result, and said where the user has a choice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import h5py

from ..reading import PARAMETERS, get_json, opened, put_json
from ..results.paths import STATIC, earlier_results
from .seals import DAMAGE

LOSSES = f"{PARAMETERS}/losses"
SHOWN = 4  # losses in one sentence
CHOICE = (
    "put back what is missing, from a copy, or add --accept-loss to --resume: that goes on with what is whole and notes in the result what is missing"
)


@dataclass(frozen=True)
class Loss:
    """Rows that a result lacks.

    Attributes:
        part: name of the file that held them.
        what: what is wrong with it.
        frames: number of frames lost; 0 where it held none, or where that is not known.
        steps: first and last step of the rows; empty where they are not known.
    """

    part: str
    what: str
    frames: int = 0
    steps: tuple[int, ...] = ()

    def __str__(self) -> str:
        rows = f"{self.frames} frame{'s' if self.frames > 1 else ''}" if self.frames else "observables" if "observables" in self.part else ""
        where = f"steps {self.steps[0]} to {self.steps[1]}" if self.steps else ""
        inside = ", ".join(text for text in (rows, where) if text)
        return f"{self.part} {self.what}" + (f" ({inside})" if inside else "")


def put_losses(file: h5py.File, losses: Iterable[Loss]) -> None:
    """Record in a result or in the static part what is missing, if anything is.

    Args:
        file: the file.
        losses: what is missing.
    """
    if values := [asdict(loss) for loss in losses]:
        put_json(file, LOSSES, values)


def get_losses(file: h5py.File) -> list[Loss]:
    """Read from a result what is missing from it.

    Args:
        file: the result.

    Returns:
        The losses.
    """
    return losses_of(get_json(file, LOSSES)) if LOSSES in file else []


def read_losses(parts: Path) -> list[Loss]:
    """Read what a run that was started before has lost.

    Args:
        parts: folder of the parts of the run.

    Returns:
        The losses.
    """
    found: list[Loss] = []
    for path in [parts / STATIC, *earlier_results(parts)]:
        try:
            with opened(path) as file:
                found += get_losses(file)
        except DAMAGE:  # of another sentence
            continue
    return list(dict.fromkeys(found))


def losses_of(values: list[dict[str, Any]]) -> list[Loss]:
    """Losses as they are written.

    Args:
        values: fields of each.
    """
    return [Loss(**{**value, "steps": tuple(value["steps"])}) for value in values]


def refusal(folder: Path, losses: list[Loss]) -> str:
    """Make the sentence that offers the user a choice if parts are missing or were changed.

    Args:
        folder: folder of the parts.
        losses: what is missing.

    Returns:
        The sentence.
    """
    more = f"; and {len(losses) - SHOWN} more, which `pardem verify` names" if len(losses) > SHOWN else ""
    return f"{folder} is not as its checkpoint notes it: {'; '.join(map(str, losses[:SHOWN]))}{more}: {CHOICE}"


def refusal_of_result(path: Path, losses: list[Loss]) -> str:
    """Make the sentence that offers the same choice if it is a result that has been damaged.

    Args:
        path: path of the result.
        losses: what of it is missing.

    Returns:
        The sentence.
    """
    said = [str(loss).removeprefix(f"{loss.part} ").removeprefix("is damaged: ") for loss in losses]
    more = f"; and {len(said) - SHOWN} more, which `pardem verify` names" if len(said) > SHOWN else ""
    return f"{path} is damaged: {'; '.join(said[:SHOWN])}{more}: {CHOICE}"
