"""The experiments of papers 000 to 003: studies, and what the papers claim of them beside what they show.

python jobs/campaigns/papers/papers.py run --ranks 2                   # everything that is left; call it again to go on
python jobs/campaigns/papers/papers.py run plane_hopper/outlets        # one of the studies
python jobs/campaigns/papers/papers.py status
python jobs/campaigns/papers/papers.py collect                         # figures, and parts of docs/validation.md, of the runs there are
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bulk")]
from judging import measures  # noqa: E402
from study_runs import campaign, main  # noqa: E402

STUDIES = (
    "plane_hopper/outlets", "plane_hopper/changes", "hopper/hopper", "shear/balance", "cow/bounces", "gas/paper", "gas/long", "collider",
    "biaxial/samples", "biaxial/tests", "shear/list_range", "shear/sides", "chains/pictures", "chains/fields",
    "cow/collisions", "pieces/pieces",
)  # fmt: skip
SCRIPTS = ("collider", "shear/list_range", "shear/sides", "chains/pictures", "chains/fields", "cow/collisions", "pieces/pieces")
"""Tables that a script fills row by row."""


def reports() -> list[ModuleType]:
    """What writes the parts of docs/validation.md."""
    import biaxial_report
    import chains_report
    import collider_report
    import collisions_report
    import cow_report
    import gas_report
    import hopper_report
    import list_range_report
    import pieces_report
    import plane_hopper_report
    import shear_report
    import sides_report

    return [
        plane_hopper_report, hopper_report, shear_report, cow_report, gas_report, collider_report, biaxial_report, list_range_report,
        chains_report, sides_report, collisions_report, pieces_report,
    ]  # fmt: skip


def run(names: list[str], ranks: int, folder: Path = HERE) -> None:
    """Do what is left of some studies, one after the other.

    Args:
        names: names of the studies.
        ranks: number of MPI ranks, each with a run of its own.
        folder: of the studies.
    """
    for name in names:
        if name in SCRIPTS:
            measures(folder / f"{name}.py").fill(folder / f"{name}.csv")
            continue
        if name.startswith("gas/"):
            measures(folder / "gas" / "start.py").write(folder / f"{name}.toml")
        if name == "biaxial/tests":
            measures(folder / "biaxial" / "sample.py").write(folder / "biaxial")
        campaign(folder / f"{name}.toml", ranks)


def collect() -> None:
    """Draw figures, as far as runs are there, and write the parts of docs/validation.md."""
    for report in reports():
        report.collect(HERE)


if __name__ == "__main__":
    main(str(__doc__), STUDIES, run, collect, HERE)
