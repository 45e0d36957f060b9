"""Writes the cases of the biaxial tests: each starts from the last state of a compaction, of the study of samples."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pardem.campaign.run_rows import FINISHED, read_table
from pardem.campaign.study import read_study


class Kind(NamedTuple):
    """A kind of test.

    Attributes:
        name: of the tests, without the number of the sample.
        base: case of the test.
    """

    name: str
    base: str


KINDS = {
    "compact.toml": Kind("dense_disks", "test_base.toml"),
    "compact_loose.toml": Kind("loose_disks", "test_base.toml"),
    "compact_rice.toml": Kind("dense_rice", "test_rice_base.toml"),
    "compact_loose_rice.toml": Kind("loose_rice", "test_rice_base.toml"),
    "compact_peanuts.toml": Kind("dense_peanuts", "test_peanuts_base.toml"),
    "compact_loose_peanuts.toml": Kind("loose_peanuts", "test_peanuts_base.toml"),
}
"""Kinds of tests by the case of their samples."""


def write(folder: Path) -> None:
    """Write the case of each test whose sample is there.

    Args:
        folder: of the studies.

    Raises:
        SystemExit: the table of the samples comes from another machine, and their results are not here.
    """
    for row in read_table(read_study(folder / "samples.toml")).values():
        kind, result = KINDS[row["sample"]], folder / "samples.runs" / row["id"] / "result.h5"
        target = folder / f"{kind.name}_{row['seed']}.toml"
        if row["status"] != FINISHED or target.exists():
            continue
        if not result.exists():
            raise SystemExit(f"{result} is missing, of which {target.name} starts: move {folder / 'samples.csv'} away and run biaxial/samples again")
        title = kind.name.replace("_", " ")
        target.write_text(f'base = "{kind.base}"\ntitle = "{title}"\nstart = {{ from = "{result.relative_to(folder)}" }}\n')
