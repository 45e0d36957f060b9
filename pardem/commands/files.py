"""`pardem info`, `verify` and `compare`: commands on results and checkpoints."""

from __future__ import annotations

import argparse
from pathlib import Path

from .arguments import Commands


def info(arguments: argparse.Namespace) -> int:
    """`pardem info`: summarise a result or checkpoint."""
    from ..io.views import info as implementation

    return implementation.main(arguments.file, as_json=arguments.json)


def verify(arguments: argparse.Namespace) -> int:
    """`pardem verify`: check that everything in a result, a checkpoint or a folder of parts is as it was written."""
    from ..io.views import verify as implementation

    return implementation.main(arguments.file)


def compare(arguments: argparse.Namespace) -> int:
    """`pardem compare`: tell whether two results are bitwise equal."""
    from ..io.views import compare as implementation

    return implementation.main(arguments.first, arguments.second)


def add_commands(add: Commands) -> None:
    """Add the commands on results and checkpoints.

    Args:
        add: adds a command.
    """
    sub = add(info, "summarise a result or checkpoint")
    sub.add_argument("file", metavar="FILE.h5", type=Path)
    sub.add_argument("--json", action="store_true", help="print JSON")

    status = "Exit status 0: everything is present and unchanged; 1: something is missing or was changed, and is named."
    sub = add(verify, "read everything and compare it with its checksums", status)
    sub.add_argument("file", metavar="FILE", type=Path, help="result, checkpoint, segment, or folder of parts (OUT.h5.parts)")

    status = "Exit status 0: equal; 1: different, and the first difference is printed."
    sub = add(compare, "tell whether two results are bitwise equal", status)
    sub.add_argument("first", metavar="A.h5", type=Path)
    sub.add_argument("second", metavar="B.h5", type=Path)
