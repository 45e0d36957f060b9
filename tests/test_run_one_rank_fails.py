"""An error on one rank of a real run, while the others wait for it in a step or in a collective write, ends the job within seconds."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from run_scene import case_file, settings

from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import checkpoints

# one method fails on one rank at its n-th call; the file `failed` tells when
DRIVER = """
import sys
from pathlib import Path
from mpi4py import MPI
from pardem.{module} import {owner}
whole, calls = {owner}.{method}, []
def failing(*arguments, **options):
    calls.append(1)
    if MPI.COMM_WORLD.rank == {rank} and len(calls) == {call}:
        Path("failed").touch()
        raise {error}
    return whole(*arguments, **options)
{owner}.{method} = failing
from pardem.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("module", "owner", "method", "rank", "call"),
    [
        pytest.param("engine", "Engine", "advance", 1, 6, id="in a step"),
        pytest.param("io.state.row_writer", "RowWriter", "write", 1, 60, id="in a write"),
        pytest.param("observables.collect", "Observer", "measure", 0, 6, id="in an observable", marks=pytest.mark.slow),
    ],
)
def test_the_job_ends_with_one_message(tmp_path: Path, start_mpi: Callable, module: str, owner: str, method: str, rank: int, call: int) -> None:
    driver = DRIVER.format(module=module, owner=owner, method=method, rank=rank, call=call, error='RuntimeError("the node is on fire")')
    change = settings(stage__shake__taps=9000, output__checkpoint_steps=50)
    with open(tmp_path / "err", "w") as err:
        process = start_mpi(2, "-c", driver, "run", case_file(tmp_path), *change, cwd=tmp_path, stderr=err)
        end = time.monotonic() + 120.0
        while not (tmp_path / "failed").exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        assert (tmp_path / "failed").exists()
        assert process.wait(20.0) == 1
    said = (tmp_path / "err").read_text()
    assert said.count("RuntimeError: the node is on fire") == 1
    assert said.count("Traceback") == 1
    assert f"[rank {rank} of 2] RuntimeError" in said
    assert checkpoints(parts_of(tmp_path / "case.h5"))


# what is left to the second rank does not hold its share of the grains
LIMITED = """
import resource, sys
from mpi4py import MPI
from pardem.setup import initial_grains
whole = initial_grains.scattered
def scattered(*arguments):
    if MPI.COMM_WORLD.rank == 1:
        taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + 2 ** 20, taken + 2 ** 20))
    return whole(*arguments)
initial_grains.scattered = scattered
from pardem.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_rank_whose_memory_is_limited_ends_the_job_in_one_sentence(tmp_path: Path, run_mpi: Callable) -> None:
    wide = settings(
        insert__0__count=40_000, insert__0__region__radius=60e-3, insert__0__region__upper=30e-3, domain__lower=[-0.07, -0.07, -0.01],
        domain__upper=[0.07, 0.07, 0.06], wall__tube__radius=60e-3, wall__base__radius=60e-3,
    )  # fmt: skip
    ended = run_mpi(2, "-c", LIMITED, "run", case_file(tmp_path), *wide, cwd=tmp_path, check=False)
    assert ended.returncode == 1
    assert ended.stderr.count("pardem: error:") == 1
    said = r"\[rank 1 of 2\] there is not enough memory \(Unable to allocate .*; the run takes about \d+ MB on 2 ranks, \d+ MB on each\)"
    assert re.search(said, ended.stderr), ended.stderr


def test_a_rank_without_memory_says_what_the_run_needs(tmp_path: Path, run_mpi: Callable) -> None:
    driver = DRIVER.format(module="engine", owner="Engine", method="advance", rank=1, call=6, error='MemoryError("Unable to allocate 9.9 GiB")')
    ended = run_mpi(2, "-c", driver, "run", case_file(tmp_path), cwd=tmp_path, check=False)
    assert ended.returncode == 1
    said = "[rank 1 of 2] there is not enough memory (Unable to allocate 9.9 GiB; the run takes about 520 MB on 2 ranks, 260 MB on each)"
    assert ended.stderr.count(said) == ended.stderr.count("pardem: error:") == 1
