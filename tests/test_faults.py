"""Short forms of the campaigns of mutated cases and damaged files (jobs/campaigns/faults): sentences, never a traceback."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

FAULTS = Path(__file__).parent.parent / "jobs" / "campaigns" / "faults"
CASES, FILES = 150, 5


@pytest.mark.usefixtures("rough_masses")
def test_mutated_cases_are_accepted_or_refused_in_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FAULTS))
    monkeypatch.chdir(tmp_path)
    import cases

    cases.prepare(tmp_path)
    rows = [{"case": k} | cases.attempt(*cases.case_number(k, 1), tmp_path, steps=False) for k in range(CASES)]
    found = Counter(row["outcome"] for row in rows)
    assert set(found) == {"accepted", "refused"}, cases.table(rows)
    assert all(row["outcome"] == "accepted" for row in rows[: len(cases.seeds())]), rows[: len(cases.seeds())]
    for row in rows:
        assert all(line.startswith("pardem: error: ") for line in row["said"].splitlines()), row


def test_damaged_files_are_read_or_refused_in_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FAULTS))
    import cases
    import files

    files.prepare(tmp_path)
    monkeypatch.setattr(files, "READERS", (["info"], ["compare"], ["export", "--format", "csv"], ["resume"]))
    monkeypatch.setattr(files, "SLOW", ())
    rows = [files.attempt(k, 1, tmp_path) for k in range(FILES)]
    assert {row["outcome"] for row in rows} == {"read", "refused"}, cases.table(rows)
