"""The flowability experiment (Pournin, thesis, EPFL 2005, chapter 5), all of its studies.

    python jobs/campaigns/flowability/flowability.py run --ranks 2       # everything that is left; call it again to go on
    python jobs/campaigns/flowability/flowability.py run beads_5mm       # one study
    python jobs/campaigns/flowability/flowability.py status
    python jobs/campaigns/flowability/flowability.py collect             # figure, and part of docs/validation.md, from the tables there are

Studies are files of this folder for `pardem campaign`; their tables lie beside them.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "bulk")]
from study_runs import campaign, main, pardem  # noqa: E402

from pardem.io.state.checkpoint import is_finished  # noqa: E402

STUDIES = (
    "beads_5mm", "beads_4mm", "beads_7mm", "six_millimetres", "one_bed", "mixtures", "frictionless", "rule", "beads_6mm", "beads_3mm", "shapes",
)  # fmt: skip
BED = "one_bed"


def run(names: list[str], ranks: int, folder: Path = HERE) -> None:
    """Do what is left of some studies, one after the other.

    Args:
        names: names of the studies.
        ranks: number of ranks, each with a trial of its own.
        folder: of the studies.
    """
    for name in names:
        if name == BED:
            make_bed(folder)
        campaign(folder / f"{name}.toml", ranks)


def make_bed(folder: Path) -> None:
    """Let the bed of figure 5.5 come to rest, unless it is there; goes on from where it was stopped.

    Args:
        folder: of the studies.
    """
    bed = folder / f"{BED}.h5"
    if not is_finished(bed):
        pardem("run", str(folder / "one_bed_at_rest.toml"), "-o", str(bed), "--resume")


def collect() -> None:
    """Draw the figure and write the part of docs/validation.md."""
    import flowability_report

    flowability_report.collect(HERE, STUDIES)


if __name__ == "__main__":
    main(str(__doc__), STUDIES, run, collect, HERE)
