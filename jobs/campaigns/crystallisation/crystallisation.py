"""Crystallisation of spherocylinders (Pournin, thesis, EPFL 2005, chapter 6): the seven experiments, and what their final density depends on.

python jobs/campaigns/crystallisation/crystallisation.py run --ranks 2       # everything that is left; call it again to go on
python jobs/campaigns/crystallisation/crystallisation.py run study           # the experiments alone
python jobs/campaigns/crystallisation/crystallisation.py status
python jobs/campaigns/crystallisation/crystallisation.py collect             # curves, figures, and part of docs/validation.md, of the runs there are
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bulk")]
from study_runs import main, run_in_turn  # noqa: E402

STUDIES = ("study", "causes")


def collect() -> None:
    """Write curves, draw figures and write the part of docs/validation.md."""
    import crystallisation_report

    crystallisation_report.collect(HERE, STUDIES)


if __name__ == "__main__":
    main(str(__doc__), STUDIES, lambda names, ranks: run_in_turn(names, ranks, HERE), collect, HERE)
