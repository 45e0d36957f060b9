"""What the campaigns of faults draw at random, cases that they put through all commands, and scenes that keep their bits."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from mpi4py import MPI

from pardem.case import Case
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene

pytestmark = pytest.mark.usefixtures("campaigns_of_faults")


def test_scenes_are_drawn_with_all_walls_motions_and_sums() -> None:
    import drawn_scenes

    scenes = [drawn_scenes.scene(k, random.Random(k)) for k in range(100)]
    walls = [wall for case in scenes for wall in case["wall"]]
    assert {wall["kind"] for wall in walls} == {"plane", "box", "cylinder", "disc", "cone", "body"}
    assert any("hole" in wall for wall in walls)
    assert {wall.get("motion", {"kind": "fixed"})["kind"] for wall in walls} == {"fixed", "sinusoidal", "velocity", "rotation", "servo"}
    assert any(drawn_scenes.by_triangulation(case) and not drawn_scenes.is_convex(case) for case in scenes)
    assert len(drawn_scenes.COMBINATIONS) < 36
    sizes = [case for case in scenes if case["insert"][0]["size"] == drawn_scenes.WIDE]
    assert len(sizes) > 4
    sums = set()
    for table in (sizes[0], next(case for case in scenes if case["insert"][0]["size"] == 1.0)):
        case = Case(**table | {"stage": [{"name": "go", "kind": "run", "steps": 1}]})
        sums.add(build_scene(case, *size_range(case)).scene.settings.wide)
    assert sums == {True, False}


def test_cases_are_drawn_with_every_kind_of_stage_motion_and_output() -> None:
    import drawn_cases

    cases = [drawn_cases.drawn_case(k, random.Random(k)) for k in range(100)]
    walls = [wall for case in cases for wall in case["wall"]]
    assert {stage["kind"] for case in cases for stage in case["stage"]} == {"run", "settle", "vibrate"}
    assert {motion["kind"] for wall in walls for motion in wall.get("then", ())} == {"fixed", "velocity", "sinusoidal"}
    assert any("stages" in wall for wall in walls)
    assert any("pair" in case["contact"] for case in cases)
    assert all(any(case.get(table) for case in cases) for table in ("pour", "grain", "attraction"))
    assert {"frame_steps", "frame_interval", "frame_taps"} <= {name for case in cases for name in case["output"]}
    assert {"layers", "near_wall", "above_hole"} <= {name for case in cases for name in case["output"]["observables"]}
    assert set(drawn_cases.FIELDS) < {name for case in cases for name in case["output"]["fields"]}
    assert {case["detection"]["method"] for case in cases} == {"cells", "triangulation"}
    models = [Case(**case) for case in cases if case["time"].get("integrator") != "gear4"]  # which knows no walls that are pushed
    more = [drawn_cases.continued(case, "out.h5", random.Random(k)) for k, case in enumerate(cases)]
    assert len(models) > 80
    assert {case["start"]["walls"] for case in more} == {"continue", "case"}
    assert {"without", "without_region"} < {name for case in more for name in case["start"]}
    assert any("insert" in case for case in more)
    assert not any(name.endswith("_taps") for case in more for name in case["output"])
    assert not any(name in wall for case in more for wall in case["wall"] for name in ("then", "stages"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes through /proc")
@pytest.mark.slow
def test_a_whole_run_keeps_its_bits_and_passes_through_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    import drawn_scenes
    import whole_runs

    monkeypatch.setattr(drawn_scenes, "COMBINATIONS", (((drawn_scenes.ROD, drawn_scenes.SPHERE), drawn_scenes.VISCOUS, {}),))
    row = whole_runs.attempt(0, 0)
    assert row["outcome"] == "same bits", row
    assert row["started"] == "same bits", row
    assert row["history"]
    assert set(row["views"]) <= {"shown", "refused"}
    assert len(row["views"]) == len(whole_runs.VIEWS)


def test_a_command_that_fails_without_a_sentence_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import whole_runs

    (tmp_path / "pardem.py").write_text("import sys\nprint(*sys.argv[2:])\nsys.exit(3)\n")
    desk = whole_runs.Desk(tmp_path)  # where Python finds this module first
    for command in ("run", "export"):
        assert desk(0, [command, "pardem: error: A sentence."])[0] == 3
        with pytest.raises(whole_runs.Failure, match=f"{command} x on 0 ranks") as caught:
            desk(0, [command, "x"])
        assert caught.value.outcome == "silent"


@pytest.mark.mpi(min_size=2)
@pytest.mark.ranks(3)
@pytest.mark.parametrize("opens", [False, True], ids=["closed", "opened"])
def test_random_scenes_have_the_same_bits(monkeypatch: pytest.MonkeyPatch, opens: bool) -> None:
    """Spheres and rods under the law of other tests, on any grid, by cells and by triangulation; some leave, and others arrive."""
    import bits
    import drawn_scenes
    import opened_scenes

    comm, dice, course = MPI.COMM_WORLD, [random.Random(seed) for seed in (4, 2)], bits.Course(1000, 0.5) if opens else bits.Course(150, 3.0)
    monkeypatch.setattr(drawn_scenes, "COMBINATIONS", (((drawn_scenes.ROD, drawn_scenes.SPHERE), drawn_scenes.VISCOUS, {}),))
    compared = gone = 0
    for k in range(2):
        case, _ = comm.bcast(drawn_scenes.valid_scene(k, dice[0], *[opened_scenes.opened] * opens) if comm.rank == 0 else None)
        alone = comm.bcast(bits.bits_of(case, MPI.COMM_SELF, course) if comm.rank == 0 else None)
        gone += " left, " in alone[1]
        for variant in bits.variants(case, comm.size, dice[1]):
            found = comm.bcast(bits.bits_of(case | variant, comm, course))
            assert bits.is_refused(found[1]) or found == alone, variant
            compared += not bits.is_refused(found[1])
    assert compared > 1
    assert gone >= opens
