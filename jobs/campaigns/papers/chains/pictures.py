"""The runs whose force chains and arches docs/validation.md shows: a biaxial test (paper 001) and a jam of cows (paper 002).

python jobs/campaigns/papers/papers.py run chains/pictures        # what is missing in pictures.csv
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bulk"))
from force_chains import Tally, picture
from page import FIGURES
from study_runs import pardem
from table_rows import append_row, read_rows

HERE = Path(__file__).resolve().parent
CONTACTS = 'output.contacts=["point", "normal", "force"]'
SHORT = ("stage.shear.time=40.0", "output.frame_interval=10.0", CONTACTS)  # to an axial strain of 0.17
OUTLET = 10.0  # m
DAMPED = ("contact.normal_damping=2460.0", "contact.tangential_damping=780.0")  # a restitution of 0.5
JAM = (
    *DAMPED, f"wall.left.position=[{-0.5 * OUTLET}, 0.0]", f"wall.right.position=[{0.5 * OUTLET}, 0.0]", "stage.fill.time=12.0",
    "stage.flow.time=6.0", "output.frame_interval=1.0", CONTACTS,
)  # fmt: skip
FIGURE = {"biaxial": "force_chains.png", "jam": "arch.png"}


def results(table: Path) -> dict[str, Path]:
    """Results by the name of the picture.

    Args:
        table: beside which they are kept.
    """
    return {name: table.with_suffix(".runs") / f"{name}.h5" for name in FIGURE}


def fill(table: Path) -> None:
    """Do the runs that a table lacks, draw them, and append a row for each.

    Args:
        table: the table; made if need be.
    """
    there = {row["picture"] for row in read_rows(table)}
    for name in FIGURE:
        if name not in there:
            (told,) = drawn(name, result_of(name, table), FIGURES / FIGURE[name])
            append_row(table, ["picture", *Tally._fields], [name, told.pairs, f"{told.strong:.4g}", f"{told.carried:.4g}", told.arch])


def result_of(name: str, table: Path) -> Path:
    """The result of a picture; its run is made if need be.

    Args:
        name: of the picture.
        table: beside which results are kept.
    """
    result = results(table)[name]
    if not result.exists():
        result.parent.mkdir(exist_ok=True)
        {"biaxial": run_biaxial, "jam": run_jam}[name](result)
    return result


def drawn(name: str, result: Path, target: Path) -> list[Tally]:
    """Draw a picture.

    Args:
        name: of the picture.
        result: of its run.
        target: the figure.
    """
    return picture([result], target, ("left", "right") if name == "jam" else None)


def run_biaxial(result: Path) -> None:
    """A dense sample of disks: compacted, then tested.

    Args:
        result: of the test.
    """
    biaxial = HERE.parent / "biaxial"
    sample = result.with_name("sample.h5")
    pardem("run", str(biaxial / "compact.toml"), "-o", str(sample), "--force")
    pardem("run", str(biaxial / "test_base.toml"), *_set((f"start.from={sample.resolve()}", *SHORT)), "-o", str(result))


def run_jam(result: Path) -> None:
    """Cows with dampers over an outlet.

    Args:
        result: of the run.
    """
    pardem("run", str(HERE.parent / "plane_hopper" / "cows.toml"), *_set(JAM), "-o", str(result))


def _set(settings: tuple[str, ...]) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]
