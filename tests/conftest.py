"""What all tests share: launching mpirun from a test, and ranks that report and end together.

Serial tests that need several processes use the fixtures ``run_mpi`` and ``start_mpi``. Tests marked ``mpi`` run inside
``mpirun -n N python -m pytest --with-mpi -m mpi``; there the ranks agree on the outcome of each phase of each test, so that rank 0, the only one that
prints, tells the truth, and an assert that fails on one rank while the others wait for it ends the job instead of hanging.
"""

from __future__ import annotations

import blas_kernels  # noqa: F401  (before NumPy)

# isort: split
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest

# Taken before anything initialises MPI: a process started with the variables that MPI_Init leaves behind would believe to be a rank itself.
# pytest-xdist starts its processes later: they are told what it was.
os.environ.setdefault("PARDEM_TESTS_ENVIRONMENT", json.dumps(dict(os.environ)))
FAULTS = Path(__file__).parent.parent / "jobs" / "campaigns" / "faults"
CLEAN_ENVIRONMENT: dict[str, str] = json.loads(os.environ["PARDEM_TESTS_ENVIRONMENT"]) | {
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",  # tests run side by side, more ranks than there are cores
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}

GRACE = 5.0  # seconds that a failed rank waits for the others to come to the end of the same phase


# --- launching mpirun from a serial test ---------------------------------------------------------------------------------------------------


def _start(ranks: int, *arguments: object, env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[str]:
    launcher = shutil.which("mpirun") or shutil.which("srun")
    assert launcher, "neither mpirun nor srun on the PATH"
    command = [launcher, "-n", str(ranks), sys.executable, *map(str, arguments)]
    return subprocess.Popen(command, env=CLEAN_ENVIRONMENT | (env or {}), stdin=subprocess.DEVNULL, text=True, start_new_session=True, **options)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends mpirun with its ranks: asked first, so that it takes the ranks with it, then killed."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="session")
def run_mpi() -> Callable[..., subprocess.CompletedProcess[str]]:
    """``run_mpi(ranks, *arguments, env=None, timeout=600, check=True, cwd=None)`` runs ``mpirun -n ranks python *arguments`` to its end.

    Returns the CompletedProcess with ``stdout`` and ``stderr`` as text. With ``check`` a status other than 0 fails the test and shows both. For the
    command line: ``run_mpi(2, "-m", "pardem", "run", case)``.
    """

    def run(
        ranks: int, *arguments: object, env: dict[str, str] | None = None, timeout: float = 600.0, check: bool = True, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        process = _start(ranks, *arguments, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            out, err = process.communicate()
            pytest.fail(f"{process.args} did not end within {timeout} s\n--- stdout\n{out}\n--- stderr\n{err}")
        finally:
            _end(process)
        if check and process.returncode:
            pytest.fail(f"{process.args} ended with status {process.returncode}\n--- stdout\n{out}\n--- stderr\n{err}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    return run


@pytest.fixture
def start_mpi() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """``start_mpi(ranks, *arguments, env=None, **options)``: the same, but returns the running Popen (for tests that kill); ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(ranks: int, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        started.append(_start(ranks, *arguments, **options))
        return started[-1]

    yield start
    for process in started:
        _end(process)


# --- commands in this process ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def _the_kernel_cache_knows_what_kernels_use() -> Iterator[None]:
    """Whatever the tests of this process compile, an edit of a source that it uses would compile it again."""
    from kernel_calls import KernelCalls

    calls = KernelCalls()
    yield
    calls.stop()
    assert calls.unknown() == {}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the case of ``run_scene``."""
    from run_scene import case_file

    case_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Ended(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str


@pytest.fixture
def pardem(capfd: pytest.CaptureFixture[str], run_mpi: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., Ended]:
    """``pardem(*arguments, ranks=1, check=True)``: a command, on one rank in this process; with ``check`` a status other than 0 fails the test."""
    from pardem import cli

    def command(*arguments: str, ranks: int = 1, check: bool = True) -> Ended:
        if ranks > 1:
            done = run_mpi(ranks, "-m", "pardem", *arguments, check=check)
            return Ended(done.returncode, done.stdout, done.stderr)
        capfd.readouterr()
        ended = Ended(cli.main(list(arguments)), *capfd.readouterr())
        assert not check or ended.status == 0, ended.err + ended.out
        return ended

    return command


@pytest.fixture
def refused(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """``refused(*arguments)``: the one sentence with which a command ends; nothing else is printed to the error stream."""
    from pardem import cli

    def refuse(*arguments: str) -> str:
        capfd.readouterr()
        assert cli.main(list(arguments)) == 1
        err = capfd.readouterr().err
        lines = [line for line in err.splitlines() if not line.startswith("stage '")]
        assert len(lines) == 1, err
        assert lines[0].startswith("pardem: error: ")
        return lines[0].removeprefix("pardem: error: ")

    return refuse


@pytest.fixture
def campaigns_of_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts of ``jobs/campaigns/faults`` as modules, which start commands as these tests do."""
    monkeypatch.syspath_prepend(str(FAULTS))
    import launching

    monkeypatch.setattr(launching, "ENVIRONMENT", CLEAN_ENVIRONMENT)


@pytest.fixture(scope="session")
def stopped_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ``io_scene`` that stopped at step 60 with two segments, its checkpoints at 30 and 60."""
    import io_scene
    from mpi4py import MPI

    out = tmp_path_factory.mktemp("stopped") / "out.h5"
    io_scene.run(MPI.COMM_SELF, out, 60, finish=False)
    return out


@pytest.fixture
def out(stopped_run: Path, tmp_path: Path) -> Path:
    """A copy of ``stopped_run`` to be damaged."""
    parts = f"{stopped_run.name}.parts"
    shutil.copy(stopped_run, tmp_path / stopped_run.name)
    shutil.copytree(stopped_run.with_name(parts), tmp_path / parts)
    return tmp_path / stopped_run.name


# --- properties of grains that take seconds to find -----------------------------------------------------------------------------------------------


@pytest.fixture
def rough_masses() -> Iterator[None]:
    """Masses of grains that are not convex to a percent or so, found at once: for tests that do not ask about them."""
    from pardem.shapes.mass import cached, octree

    cached._in_units.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(octree, "FEW", 1 << 9)
        patch.setattr(octree, "TARGET", 1e-2)
        yield
    cached._in_units.cache_clear()


@pytest.fixture(scope="module")
def known_covers() -> Iterator[None]:
    """Covering spheres of the same grains are found once in a file."""
    from pardem.detection import case_covers

    plain, known = case_covers.cover_catalogue, dict[Any, Any]()

    def cover(catalogue: Any, names: list[str], smallest: dict[str, float], largest: dict[str, float], overlap: float, skin: float) -> Any:
        shapes = tuple(array.tobytes() for array in (catalogue.kind, catalogue.vertices, catalogue.vertex_start, catalogue.radius))
        key = (*names, *smallest.items(), *largest.items(), overlap, skin, *shapes)
        if key not in known:
            known[key] = plain(catalogue, names, smallest, largest, overlap, skin)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(case_covers, "cover_catalogue", cover)
        yield


# --- which tests, and in which order ---------------------------------------------------------------------------------------------------------

LONGEST = ("test_warmup.py", "test_ranks.py", "test_run_safety.py", "test_run.py", "test_hardening.py", "test_resistance.py")
# narrow phases by the time that their kernels take to compile, longest first
COSTLY = ("pieces", "minima", "superposition", "polytopes", "rods", "spheres")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also run the long reproductions (marked slow)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests unless asked for them; put first what compiles most, then what takes longest."""
    if not config.getoption("--full"):
        from mpi4py import MPI

        ranks = MPI.COMM_WORLD.size
        for item in items:
            chosen = item.get_closest_marker("ranks")
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="long: run with --full"))
            elif ranks > 1 and chosen is not None and ranks not in chosen.args:
                item.add_marker(pytest.mark.skip(reason="not on this number of ranks: run with --full"))
    items.sort(key=lambda item: _place(_group(item.nodeid)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let a process take a whole group: all fingerprints that need one kernel, so that no two processes compile it at once; the rest by file.

    Not by ``xdist_group`` marks, which xdist 3.8 loses with pytest from 9.2 on.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    return ByGroup(config, log)


@cache
def _group(nodeid: str) -> str:
    """The kernel that a fingerprint needs; of other tests the file."""
    path, _, name = nodeid.partition("::")
    file = path.rpartition("/")[2]
    if file != "test_fingerprints.py" or "[" not in name:
        return file
    from beds import kernel_of

    return kernel_of(name.partition("[")[2].removesuffix("]"))


def _place(group: str) -> tuple[int, str]:
    """Where in the order a group comes."""
    narrow = group.split(",")[0]
    if narrow in COSTLY:
        return COSTLY.index(narrow), group
    return len(COSTLY) + (LONGEST.index(group) if group in LONGEST else len(LONGEST)), ""


# --- ranks inside mpirun -------------------------------------------------------------------------------------------------------------------


class RankAgreement:
    """The ranks of one pytest session agree on each report; see the module's docstring."""

    def __init__(self, comm: Any, errors: IO[str]) -> None:
        self.comm = comm.Dup()  # its messages never meet those of a test
        self.errors = errors

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report: pytest.TestReport = yield
        comm = self.comm
        if report.failed:
            text = f"\n[rank {comm.rank}/{comm.size}] {item.nodeid} failed in {report.when}\n{report.longreprtext}\n"
            print(text, file=self.errors, flush=True)
        failed_ranks = self._gather(report.failed, item.nodeid)
        if failed_ranks and not report.failed:
            report.outcome = "failed"
            report.longrepr = f"failed on rank(s) {', '.join(map(str, failed_ranks))} of {comm.size}; see the traceback there"
        return report

    def _gather(self, failed: bool, name: str) -> list[int]:
        """The ranks where this phase failed; ends the job where a failed rank waits in vain for the others."""
        import numpy as np
        from mpi4py import MPI

        flags = np.zeros(self.comm.size, dtype=np.int8)
        request = self.comm.Iallgather(np.array([failed], dtype=np.int8), [flags, MPI.INT8_T])
        deadline = time.monotonic() + GRACE
        while not request.Test():
            if failed and time.monotonic() > deadline:
                print(f"[rank {self.comm.rank}/{self.comm.size}] the other ranks are still in {name}: aborting", file=self.errors, flush=True)
                self.comm.Abort(1)
            time.sleep(2e-4)
        return np.flatnonzero(flags).tolist()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Under mpirun with --with-mpi: only rank 0 prints, and the ranks agree."""
    if not config.getoption("--with-mpi"):
        return
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.size == 1:
        return
    errors = os.fdopen(os.dup(2), "w")  # past pytest's capture
    config.pluginmanager.register(RankAgreement(comm, errors), "rank-agreement")
    if comm.rank > 0:
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        terminal._tw._file = open(os.devnull, "w")  # noqa: SIM115 (open as long as the session)
