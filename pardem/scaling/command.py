"""`pardem scaling run|predict|collect|plot`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..guard import on_all_ranks

if TYPE_CHECKING:
    from mpi4py import MPI


def main(arguments: argparse.Namespace) -> int:
    """Do what a command line asks for.

    Args:
        arguments: its action, and what belongs to that.

    Returns:
        Exit status.
    """
    if arguments.action == "run":
        return on_all_ranks(lambda comm: _run(arguments, comm))
    return {"predict": _predict, "collect": _collect, "plot": _plot}[arguments.action](arguments)


def _run(arguments: argparse.Namespace, comm: MPI.Comm) -> int:
    """Measure one scene on the ranks there are."""
    from ..compiling import Compilation
    from .measure import run

    with Compilation(comm.rank):
        path = run(comm, arguments.scene, arguments.grains, arguments.steps, arguments.warmup, arguments.folder)
    if comm.rank == 0:
        print(path)
    return 0


def _predict(arguments: argparse.Namespace) -> int:
    """Predict one scene on some numbers of ranks."""
    from .predict import predict

    for path in predict(arguments.scene, arguments.grains, arguments.ranks, arguments.form, arguments.slabs, arguments.folder):
        print(path)
    return 0


def _collect(arguments: argparse.Namespace) -> int:
    """Write the table, and print the most important columns."""
    from .collect import TABLE, collect
    from .run_figures import KEY

    table = collect(arguments.folder)
    shown = [name for name in (*KEY, "seconds", "strong", "weak", "imbalance", "ghosts", "predicted_typical") if name in table]
    print(table[shown].to_string(index=False, float_format=lambda value: f"{value:.3g}", na_rep="-"))
    print(arguments.folder / TABLE)
    return 0


def _plot(arguments: argparse.Namespace) -> int:
    """Draw the figures."""
    from .collect import table_of
    from .figures import draw
    from .run_figures import read_figures

    for path in draw(table_of(read_figures(arguments.folder)), arguments.folder):
        print(path)
    return 0
