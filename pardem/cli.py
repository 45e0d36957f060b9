"""The command line: its parser, and what becomes of errors. The commands import what they need when they are called."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from .commands import cases, files, kernels, pictures, scaling_study
from .commands.arguments import Command, adder
from .completion import complete
from .errors import PardemError
from .examples import examples
from .guard import EXIT_ERROR, EXIT_INTERRUPTED, print_error
from .interrupts import came_of_interrupt, lost_ones_come_again
from .version import FORMAT, LAYOUT, program, versions


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: arguments without the program's name; those of the process by default.

    Returns:
        Exit status: 0 done, 1 an error or a difference, 2 wrong usage, 75 a run that stopped at a checkpoint before its end, 130 interrupted.
    """
    parser = command_line()
    complete(parser)
    arguments = parser.parse_args(argv)
    command: Command = arguments.command
    try:
        with lost_ones_come_again():
            return command(arguments)
    except BrokenPipeError:
        # the reader (head, less) has gone; the interpreter's own flush would report it once more
        sys.stderr.close()
        return 0
    except (Exception, KeyboardInterrupt) as error:
        interrupted = came_of_interrupt(error)
        if not interrupted and not isinstance(error, (PardemError, MemoryError)):
            raise
        print_error(error)
        return EXIT_INTERRUPTED if interrupted else EXIT_ERROR


class _Version(argparse.Action):
    """Tells what this pardem is, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"{program(versions())}, states of layout {LAYOUT}, files of format {FORMAT}")
        parser.exit()


def command_line() -> argparse.ArgumentParser:
    """Build the parser of all commands and their options."""
    parser = argparse.ArgumentParser(
        prog="pardem", description="Discrete-element simulation of granular matter made of spheropolytopes.", epilog=examples(""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action=_Version, nargs=0, help="tell the version, the commit if it is known, and the layout of states, and end")
    add = adder(parser)
    for group in (cases, files, pictures, kernels, scaling_study):
        group.add_commands(add)
    return parser


if __name__ == "__main__":
    sys.exit(main())
