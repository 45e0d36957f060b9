"""Completion of commands, options and files in the shell, by argcomplete: it runs only where the shell asks for it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import Any

SUFFIXES = {
    "case": ("toml",), "cases": ("toml",), "file": ("h5",), "files": ("h5",), "first": ("h5",), "second": ("h5",), "state": ("npz",),
}  # fmt: skip
"""Kinds of files by the name of the argument."""


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell and end the program, if the shell asks for completions; else do nothing.

    Args:
        parser: parser of the command line.
    """
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete
    from argcomplete.completers import FilesCompleter

    for action in actions(parser):
        if action.dest in SUFFIXES:
            action.completer = FilesCompleter(SUFFIXES[action.dest])  # type: ignore[attr-defined]
        elif action.dest in ("scene", "scenes"):
            action.completer = _scenes  # type: ignore[attr-defined]
        elif action.dest == "set":
            action.completer = _keys  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser)


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments of a parser and of its commands.

    Args:
        parser: parser of the command line.
    """
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from actions(sub)


def _scenes(**_: Any) -> list[str]:
    """Names of the scenes of `pardem bench`."""
    from .bench.scenes import BEDS

    return list(BEDS)


def _keys(prefix: str, **_: Any) -> list[str]:
    """Dotted keys of a case that begin with what is typed, one table after the other."""
    from .case.schema import keys

    return [f"{key}=" for key in keys() if key.startswith(prefix)]
