"""Ranks without a core each are told of, once, with what the launcher can do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mpi4py import MPI
from test_run_stop import CASE

from pardem.sharing import notice, sharing_notice

OPEN = "Open MPI v4.1.4, package: ..."


def test_who_shares_is_said() -> None:
    assert notice(4, 2, 0.0, OPEN, {}).startswith("4 ranks share 2 cores, and a rank that waits")
    assert "--mca mpi_yield_when_idle 1" in notice(4, 2, 0.0, OPEN, {})
    assert "other programs keep about 1.8 of the 2 cores busy" in notice(2, 2, 1.8, OPEN, {})
    assert "--mca" not in notice(4, 2, 0.0, "MPICH Version: 4.1", {})


def test_nothing_is_said_where_all_is_well() -> None:
    assert notice(2, 2, 0.3, OPEN, {}) == ""
    assert notice(2, 8, 5.0, OPEN, {}) == ""
    assert notice(4, 2, 0.0, OPEN, {"OMPI_MCA_mpi_yield_when_idle": "1"}) == ""
    assert sharing_notice(MPI.COMM_SELF) == ""


def test_a_run_says_it_once(tmp_path: Path, run_mpi: Callable) -> None:
    (tmp_path / "case.toml").write_text(CASE)
    done = run_mpi(3, "-m", "pardem", "run", "case.toml", "--set", "stage.fall.steps=2", cwd=tmp_path, env={"OMPI_MCA_mpi_yield_when_idle": "0"})
    cores = len(os.sched_getaffinity(0))
    assert done.stderr.count(" cores, and a rank that waits") == (1 if cores < 3 else 0)
