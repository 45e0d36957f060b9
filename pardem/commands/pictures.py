"""`pardem plot`, `render` and `export`: commands that show results, or write them for other programs."""

from __future__ import annotations

import argparse

from .arguments import Commands


def plot(arguments: argparse.Namespace) -> int:
    """`pardem plot`: draw the observables."""
    from ..io.views import plot as implementation

    return implementation.run(arguments)


def render(arguments: argparse.Namespace) -> int:
    """`pardem render`: draw a picture of one frame, or a film."""
    from ..io.views import render as implementation

    return implementation.run(arguments)


def export(arguments: argparse.Namespace) -> int:
    """`pardem export`: write files for other programs."""
    from ..io.views import export as implementation

    return implementation.run(arguments)


def add_commands(add: Commands) -> None:
    """Add the commands that show results, or write them for other programs.

    Args:
        add: adds a command.
    """
    from ..io.views import options

    options.plot_options(add(plot, "draw the observables of one or more results"))
    options.render_options(add(render, "draw a picture of one frame, or a film of all frames"))
    options.export_options(add(export, "write frames for other programs"))
