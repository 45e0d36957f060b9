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

STUDIES = ("study", "causes", "conditions", "walton")


def run(names: list[str], ranks: int) -> None:
    """Do what is left of some studies, one after the other, and the short runs that show how experiments begin.

    Args:
        names: names of the studies.
        ranks: number of ranks, each with a run of its own.
    """
    import rod_starts

    rod_starts.make(HERE)
    run_in_turn(names, ranks, HERE)


def collect() -> None:
    """Write curves, draw figures and write the part of docs/validation.md."""
    import crystallisation_report

    crystallisation_report.collect(HERE, STUDIES)


if __name__ == "__main__":
    main(str(__doc__), STUDIES, run, collect, HERE)
