"""Arguments that several commands have, and what their values may be."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from ..examples import examples

Command = Callable[[argparse.Namespace], int]
Commands = Callable[..., argparse.ArgumentParser]
"""Adds a command to the command line, by its function, a text and an epilog; see ``adder``."""


def adder(parser: argparse.ArgumentParser) -> Commands:
    """Prepare a parser for commands.

    Args:
        parser: of the command line.

    Returns:
        A function that adds a command under the name of its function, and returns its parser.
    """
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(function: Command, text: str, epilog: str = "") -> argparse.ArgumentParser:
        name = function.__name__
        sub: argparse.ArgumentParser = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog="\n\n".join(filter(None, (epilog, examples(name)))),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        sub.set_defaults(command=function)
        return sub

    return add


def add_case(sub: argparse.ArgumentParser) -> None:
    """Add a case file, and what may be set in it.

    Args:
        sub: parser of a command.
    """
    sub.add_argument("case", metavar="CASE.toml", type=Path)
    add_settings(sub)


def add_settings(sub: argparse.ArgumentParser) -> None:
    """Add what may be set in cases.

    Args:
        sub: parser of a command.
    """
    sub.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="set a dotted key of the case, e.g. stage.vibrate.taps=30")
    sub.add_argument("--no-user-code", action="store_true", help="reject a case that comes with code (contact.user_law)")


def walltime(text: str) -> float:
    """Convert [D-]HH:MM:SS to seconds."""
    match = re.fullmatch(r"(?:(\d+)-)?(\d+):([0-5]\d):([0-5]\d)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' must read HH:MM:SS or D-HH:MM:SS")
    if len(text) > 20:
        raise argparse.ArgumentTypeError(f"'{text[:20]}...' is longer than any run")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def count(text: str) -> int:
    """Convert a number of at least 1."""
    if not re.fullmatch(r"0*[1-9]\d{0,17}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number of at least 1 and at most 18 digits")
    return int(text)
