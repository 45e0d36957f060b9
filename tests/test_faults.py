"""Short forms of the campaigns of faults (jobs/campaigns/faults): sentences, never a traceback; nothing lost; the same bits."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import FAULTS
from pydantic import BaseModel

from pardem.case.annotations import choices_of, element, models_in
from pardem.case.materials import with_densities
from pardem.case.planar import resolve
from pardem.case.tables import CaseTables
from pardem.errors import BlowUpError
from pardem.state.arrays import ERROR_NAN, ERROR_OVERLAP, ERROR_RANGE
from pardem.state.diagnosis import ERROR_FAST, Fault

pytestmark = pytest.mark.usefixtures("campaigns_of_faults")
CASES, FILES = 150, 5
SLOW = (["render"], ["export", "--format", "vtk"])  # by VTK
RARE = ("read_only", "full", "short", "two", "stopped", "another_user")
on_linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes through /proc")


def place(model: type[BaseModel], name: str) -> str:
    """A key of the table that declares it, which several kinds of a table may share."""
    owner = next(above for above in reversed(model.__mro__) if name in getattr(above, "model_fields", {}))
    return f"{owner.__name__}.{model.model_fields[name].alias or name}"


def known(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    """All keys of the model of the case, and all choices of each."""
    seen.add(model)
    for name, field in model.model_fields.items():
        inner = [*models_in(field.annotation), *models_in(element(field.annotation))]
        yield place(model, name)
        yield from () if inner else (f"{place(model, name)} = {choice}" for choice in choices_of(field.annotation))
        yield from (key for table in inner if table not in seen for key in known(table, seen))


def used(value: Any) -> Iterator[str]:
    """Keys that a case gives, and all values that it has, also by default."""
    if isinstance(value, tuple):
        for entry in value:
            yield from used(entry)
    for name in type(value).model_fields if isinstance(value, BaseModel) else ():
        own = getattr(value, name)
        if name in value.model_fields_set:
            yield place(type(value), name)
        yield from (f"{place(type(value), name)} = {entry}" for entry in (own if isinstance(own, tuple) else (own,)))
        yield from used(own)


def test_seeds_hold_every_table_every_key_and_every_choice() -> None:
    import seeds

    given = {what for case in seeds.seeds() for what in used(CaseTables(**resolve(with_densities(case))))}
    assert set(known(CaseTables, set())) - given == {"Start.digest", "Start.quanta"}  # which a run fills in


@pytest.mark.usefixtures("rough_masses")
def test_mutated_cases_are_accepted_or_refused_in_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    import cases
    import trials

    cases.prepare(tmp_path)
    rows = [{"case": k} | cases.attempt(*cases.case_number(k, 1), tmp_path, steps=False) for k in range(CASES)]
    assert {row["outcome"] for row in rows} == {"accepted", "refused"}, trials.table(rows)
    assert all(row["outcome"] == "accepted" for row in rows[: len(cases.seeds())]), rows[: len(cases.seeds())]
    for row in rows:
        assert all(line.startswith("pardem: error: ") for line in row["said"].splitlines()), row


@pytest.mark.parametrize(
    ("code", "begun", "warned", "outcome"),
    [
        (ERROR_OVERLAP, False, [], "run: grains do not fit"), (ERROR_NAN, False, ["warning  a"], "contradicted"),
        (ERROR_FAST, False, [], "contradicted"),
        (ERROR_RANGE, True, [], "run: fault range, without a warning"), (ERROR_OVERLAP, True, ["warning  a"], "run: fault overlap, after a warning"),
    ],
)  # fmt: skip
def test_a_motion_that_becomes_unphysical_is_told_by_its_fault(code: int, begun: bool, warned: list[str], outcome: str) -> None:
    """Before the first step only grains that do not fit are no contradiction to what `check` said."""
    import cases

    assert cases.stopped(BlowUpError("It stopped.", Fault(code, 0, 1, 3)), begun, warned) == (outcome, "\n".join([*warned, "It stopped."]))


def test_damaged_files_are_read_or_refused_in_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import files
    import trials

    files.prepare(tmp_path)
    monkeypatch.setattr(files, "VIEWS", [view for view in files.VIEWS if view not in SLOW])
    rows = [files.attempt(k, 1, tmp_path) for k in range(FILES)]
    assert {row["outcome"] for row in rows} == {"read", "refused"}, trials.table(rows)
    assert {row["form"] for row in rows} == set(files.FORMS)


def test_undamaged_files_pass_through_every_view(tmp_path: Path) -> None:
    """None refuses them, by the name of what it is to write, say."""
    import files

    files.prepare(tmp_path)
    (tmp_path / "place").mkdir()
    folder = tmp_path / next(iter(files.FORMS))
    whole = files.Damage(folder, folder, folder / "whole.h5", folder / "whole.h5", tmp_path / "place")
    assert {files.outcome_of(view, whole)[0]: view for view in files.VIEWS}.keys() == {"read"}


def test_all_forms_of_output_meet_all_commands_alike() -> None:
    import files

    count = 2000 // len(files.FORMS)
    for commands, number in zip((files.VIEWS, files.RUNS), files.TURNS, strict=True):
        chosen = Counter(" ".join(command) for turn in range(count) for command in files.in_turn(commands, number, turn))
        assert len(chosen) == len(commands)
        assert max(chosen.values()) - min(chosen.values()) <= 1
        assert all(len({*map(tuple, files.in_turn(commands, number, turn))}) == number for turn in range(count))
    from pardem.io.views.export import FORMATS

    assert {command[2] for command in files.VIEWS if command[0] == "export"} == set(FORMATS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> object:
    """The run that is disturbed, as it should end."""
    sys.path.insert(0, str(FAULTS))
    from undisturbed import Undisturbed

    sys.path.remove(str(FAULTS))
    return Undisturbed(tmp_path_factory.mktemp("undisturbed"))


@on_linux
def test_a_run_that_is_killed_amid_a_checkpoint_and_interrupted_amid_its_result_loses_nothing(tmp_path: Path, undisturbed: object) -> None:
    from kills import Kill, disturbed

    kills = [Kill(2, "checkpoint", 40_000, 0, "KILL", "one"), Kill(0, "assemble", 300, 0, "INT", "one")]
    row = disturbed(tmp_path, kills, 0, undisturbed)
    assert row["outcome"] == "same bits", row
    assert [how["came"] for how in row["kills"]] == [True, True]
    assert row["kills"][0]["step"] >= 100  # beyond the first checkpoint
    assert row["kills"][1]["status"] == 130
    assert row["kills"][1]["step"] == 800


def test_runs_that_are_killed_go_on_on_another_number_of_ranks() -> None:
    import kills

    numbers = []
    for k in range(200):
        some, last = kills.drawn(k, 0)
        ranks = [max(1, kill.ranks) for kill in some] + [max(1, last)]
        assert all(one != other for one, other in itertools.pairwise(ranks))
        assert all(0 <= kill.rank < max(1, kill.ranks) for kill in some)
        numbers += ranks[:-1]
    assert set(numbers) == set(range(1, 9))


@on_linux
@pytest.mark.parametrize("fault", ["failing", *(pytest.param(name, marks=pytest.mark.slow) for name in RARE)])
def test_a_disk_that_fails_ends_a_run_with_a_sentence(fault: str, undisturbed: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import disks
    import workbench

    monkeypatch.setattr(workbench, "RANKS", (0,))
    row = disks.attempt(0, 0, undisturbed, getattr(disks, fault))
    if row["outcome"] == disks.SKIPPED:
        pytest.skip("only root can do this, or there is no compiler")
    assert row["outcome"] in ("sentence", "same bits"), row
    assert row["failed"] or fault not in ("failing", "short"), row  # the call was reached


@on_linux
def test_forked_ranks_end_as_those_that_start_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status and signal of a fork are those of its stub."""
    import launching
    from launching import Command, preloaded

    monkeypatch.setattr(launching, "kernels", list)  # this process may have loaded those of many other tests

    (tmp_path / "server").mkdir()
    program = tmp_path / "program.py"
    program.write_text("import os, sys\nfrom mpi4py import MPI\nprint(MPI.COMM_WORLD.allreduce(1), flush=True)\nif sys.argv[1:]: exec(sys.argv[1])\n")
    with preloaded(tmp_path / "server"):
        for k, (code, status, said) in enumerate(
            [("", 0, "2"), ("sys.exit(3)", 3, "2"), ("1 / 0", 1, "ZeroDivisionError"), ("os.kill(os.getpid(), 9)", 137, "signal 9")]
        ):
            run = Command(2, [program, code] if code else [program], tmp_path / f"log{k}", tmp_path)
            assert run.wait(100.0) == status, run.said
            assert said in run.said


@on_linux
def test_ranks_that_end_with_their_stubs_do_not_end_what_forks_them(tmp_path: Path) -> None:
    """Both ends are seen at once: that of the fork comes first, which closes the connection to the stub."""
    code = """
import os, socket, sys
from preloading import Server
server = Server(sys.argv[1])
stub, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.selector.register(stub, 1)
keys = [(server.selector.get_key(end), 1) for end in (server.woken, stub)]
pid = os.fork() or os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
server.stubs[pid] = stub
server.wake.send(b"c")
other.close()
times = iter([keys])
server.selector.select = lambda: next(times)
try:
    server.serve()
except StopIteration:
    print("it goes on")
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "server")], cwd=FAULTS, capture_output=True, text=True, check=False)
    assert done.stdout == "it goes on\n", done.stderr
