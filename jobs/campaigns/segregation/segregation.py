"""Segregation of spheres and spherotetrahedra (Pournin, thesis, EPFL 2005, chapter 7): the twelve experiments, and what the thesis leaves open.

python jobs/campaigns/segregation/segregation.py run --ranks 2       # everything that is left; call it again to go on
python jobs/campaigns/segregation/segregation.py run study           # the twelve experiments alone
python jobs/campaigns/segregation/segregation.py status
python jobs/campaigns/segregation/segregation.py collect             # curves, figures, and part of docs/validation.md, of the runs there are
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bulk")]
from study_runs import campaign, main  # noqa: E402

STUDIES = ("study", "shapes", "inertia")


def run(names: list[str], ranks: int, folder: Path = HERE) -> None:
    """Do what is left of some studies, one after the other.

    Args:
        names: names of the studies.
        ranks: number of ranks, each with a run of its own.
        folder: of the studies.
    """
    for name in names:
        campaign(folder / f"{name}.toml", ranks)


def collect() -> None:
    """Write curves, draw figures and write the part of docs/validation.md."""
    import segregation_report

    segregation_report.collect(HERE, STUDIES)


if __name__ == "__main__":
    main(str(__doc__), STUDIES, run, collect, HERE)
