"""What the scripts of several studies share: running them one after the other, and reading their tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from pardem import cli
from pardem.campaign.run_rows import FAILED, FINISHED, Row, read_table
from pardem.campaign.study import read_study


def campaign(path: Path, ranks: int) -> None:
    """Do the runs of a study that are left, and go on if a run takes its process along; ends with the status of `pardem campaign` where some remain.

    Args:
        path: of the study.
        ranks: number of MPI ranks, which are processes of their own.
    """
    pardem("campaign", "run", str(path), "--ranks", str(ranks))


def run_in_turn(names: Sequence[str], ranks: int, folder: Path) -> None:
    """Do what is left of some studies, one after the other.

    Args:
        names: names of the studies.
        ranks: number of MPI ranks, each with a run of its own.
        folder: of the studies.
    """
    for name in names:
        campaign(folder / f"{name}.toml", ranks)


def pardem(*words: str) -> None:
    """Do a command of pardem in this process; ends with its status if that is not 0.

    Args:
        *words: the command and its arguments.
    """
    if ended := cli.main(list(words)):
        raise SystemExit(ended)


def status(paths: Sequence[Path]) -> None:
    """Say how far studies are.

    Args:
        paths: of the studies.
    """
    for path in paths:
        print(f"{path.stem}: ", end="", flush=True)
        if path.exists() and _has_cases(path):
            cli.main(["campaign", "status", str(path)])
        else:  # a script of this name fills the table, or writes the cases when the study is run
            table = path.with_suffix(".csv")
            print(f"{max(0, len(table.read_text().splitlines()) - 1) if table.exists() else 0} rows")


def _has_cases(path: Path) -> bool:
    """Whether all cases that an axis of a study names are there."""
    axes = [(axis.all_keys.index("case"), axis) for axis in read_study(path).axis if "case" in axis.all_keys]
    return all((path.parent / entry[place]).exists() for place, axis in axes for entry in axis.entries())


def rows_of(path: Path) -> list[Row]:
    """Finished rows of the table of a study; none where it has no table yet.

    Args:
        path: of the study.
    """
    return [row for row in read_table(read_study(path)).values() if row["status"] == FINISHED]


def failures_of(path: Path) -> list[Row]:
    """Rows of the runs of a study that have failed, with their sentences.

    Args:
        path: of the study.
    """
    return [row for row in read_table(read_study(path)).values() if row["status"] == FAILED]


def main(text: str, names: Sequence[str], run: Callable[[list[str], int], None], collect: Callable[[], None], folder: Path) -> None:
    """Do what a command line asks for: `run`, `status` or `collect`.

    Args:
        text: what the script is for.
        names: names of its studies, in the order in which they are run.
        run: runs studies on a number of ranks.
        collect: draws figures and writes the part of docs/validation.md.
        folder: of the studies.
    """
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "status", "collect"])
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=f"some of the studies ({', '.join(names)}); default: all; run in the order given")
    parser.add_argument("--ranks", type=int, default=1, help="number of MPI ranks, each with a run of its own")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.studies) - set(names))
    if unknown:
        parser.error(f"there is no study '{unknown[0]}': there are {', '.join(names)}")
    chosen = arguments.studies or list(names)
    if arguments.what == "run":
        run(chosen, arguments.ranks)
    elif arguments.what == "status":
        status([folder / f"{name}.toml" for name in chosen])
    else:
        for name in names:
            if any((folder / f"{name}.runs").glob("*/row.json")):  # of a study that goes on, too
                pardem("campaign", "collect", str(folder / f"{name}.toml"))
        collect()
