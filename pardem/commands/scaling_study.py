"""`pardem scaling`: runs over numbers of ranks, measured and predicted."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..scaling.run_figures import FORMS
from .arguments import Commands, count


def scaling(arguments: argparse.Namespace) -> int:
    """`pardem scaling`: measure or predict a scene on some ranks; collect and draw the figures."""
    from ..scaling import command as implementation

    return implementation.main(arguments)


def add_commands(add: Commands) -> None:
    """Add the command.

    Args:
        add: adds a command.
    """
    sub = add(scaling, "measure how fast a scene is on some numbers of ranks, predict it for others; collect and draw what was found")
    actions = sub.add_subparsers(dest="action", metavar="ACTION", required=True)

    text = "measure a scene on the ranks there are, and add the figures to the folder"
    run = actions.add_parser("run", help=text, description="Under mpirun or srun.")
    _add_scene(run)
    run.add_argument("--steps", type=count, default=1_000, help="number of steps to measure (default: 1000)")
    run.add_argument("--warmup", type=count, default=200, help="steps before the clock starts (default: 200)")

    text = "cut the scene's bed into virtual ranks and replay their messages on a cluster"
    predict = actions.add_parser("predict", help=text, description=f"{text[0].upper()}{text[1:]}.")
    _add_scene(predict)
    predict.add_argument("--ranks", metavar="N", type=count, nargs="+", required=True, help="numbers of ranks")
    predict.add_argument("--form", choices=FORMS, default=FORMS[0], help="the bed that `run` measures (default), or one as high as wide")
    predict.add_argument("--slabs", action="store_true", help="cut slabs across x")

    for name, text in (("collect", "write the table of all figures, with efficiencies"), ("plot", "draw efficiencies and the time by part")):
        _add_folder(actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}."))


def _add_scene(sub: argparse.ArgumentParser) -> None:
    """Add a scene with its number of grains, and the folder."""
    sub.add_argument("scene", metavar="SCENE", help="spheres, rods, cubes, ...: a scene of `pardem bench`")
    sub.add_argument("--grains", type=count, help="number of grains (default: that of the scene)")
    _add_folder(sub)


def _add_folder(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--folder", type=Path, default=Path("scaling"), help="folder of the study (default: scaling)")
