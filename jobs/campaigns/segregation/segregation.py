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
from study_runs import main, run_in_turn  # noqa: E402

STUDIES = ("study", "shapes", "inertia")


def collect() -> None:
    """Write curves, draw figures and write the part of docs/validation.md."""
    import segregation_report

    segregation_report.collect(HERE, STUDIES)


if __name__ == "__main__":
    main(str(__doc__), STUDIES, lambda names, ranks: run_in_turn(names, ranks, HERE), collect, HERE)
