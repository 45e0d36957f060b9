"""Names of the files that commands write: a slip of the keyboard does not replace a result or a case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pardem.errors import FileError


def require_ending(target: Path, endings: Sequence[str], what: str) -> None:
    """Refuse to write a file under a name that is not one of its kind.

    Args:
        target: file to write.
        endings: with which names of such files may end, in lower case.
        what: what it is, for the message, for instance "a page".

    Raises:
        FileError: the name ends otherwise.
    """
    if target.suffix.lower() not in endings:
        raise FileError(f"{target} could not be written: the name of {what} ends in {' or '.join(endings)}; name another file with -o")
