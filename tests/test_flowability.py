"""Short forms of the flowability study of the thesis (jobs/campaigns/flowability), from the beds to the text of docs/validation.md."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import flowability
import flowability_claims
import flowability_media
import flowability_outcomes
import flowability_report
import numpy as np
import pytest
import study_runs
from short_studies import in_this_process, shortened

from pardem import Case
from pardem import open as open_result
from pardem.campaign.statistics import IntervalEstimate
from pardem.campaign.study import read_study
from pardem.simulation import Simulation

FLOWABILITY = Path(flowability.__file__).parent


@pytest.fixture(scope="module")
def flows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a flowability campaign with sixty beads of 7 mm, and of 6 mm in the bed that is opened three times."""
    folder = tmp_path_factory.mktemp("flows") / "flowability"
    shutil.copytree(FLOWABILITY, folder, ignore=shutil.ignore_patterns("*.runs", "*.h5*", "*.csv", "__pycache__"))
    few = {"insert.beads.count": 60, "insert.beads.region.upper": 40e-3, "stage.pour.energy_per_grain": 1e-8, "stage.flow.energy_per_grain": 1e-8}
    holes = {"keys": ["wall.floor.hole", "wall.lid.radius"], "name": "hole_radius", "unit": "m"}
    holes["range"] = {"first": 5e-3, "last": 15e-3, "count": 2, "seed_key": "seed"}  # 1.4 and 4.3 diameters
    shortened(folder / "beads_7mm.toml", few, [holes, {"key": "contact.friction", "values": [0.8]}])
    one = {"key": "wall.floor.hole", "name": "hole_radius", "unit": "m", "range": {"first": 11.5e-3, "last": 14e-3, "count": 3}}
    shortened(folder / "one_bed.toml", {"stage.flow.energy_per_grain": 1e-8}, [one])
    bed = folder / "one_bed_at_rest.toml"
    bed.write_text(bed.read_text().replace("count = 652", "count = 60, region = { upper = 40e-3 }"))
    bed.write_text(bed.read_text() + "\n[[stage]]\nname = 'pour'\nenergy_per_grain = 1e-8\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flowability, "campaign", in_this_process)
        flowability.run(["beads_7mm", "one_bed"], 1, folder)
    return folder


def test_a_wide_hole_flows_and_a_narrow_one_is_arched(flows: Path) -> None:
    narrow, wide = study_runs.rows_of(flows / "beads_7mm.toml")
    assert (narrow["flows"], wide["flows"]) == ("0", "1")
    assert 0.0 < float(narrow["mass_after"]) <= float(narrow["mass_before"])  # a bead may have fallen through before the others held each other
    assert float(wide["mass_after"]) == 0.0
    bead = 7800.0 * np.pi / 6.0 * 7e-3**3
    assert float(narrow["mass_after"]) == pytest.approx(bead * int(narrow["left"]), rel=1e-12)
    assert 0.1 < float(wide["duration"]) < 5.0


def test_one_bed_under_several_openings_begins_the_same(flows: Path) -> None:
    """The wider the hole, the more of the same beads are above it."""
    rows = study_runs.rows_of(flows / "one_bed.toml")
    before = [float(row["mass_before"]) for row in rows]
    assert len(rows) == 3
    assert before == sorted(before)
    with open_result(flows / "one_bed.h5") as bed:
        x = bed[-1].position
    above = [np.count_nonzero(x[:, 0] ** 2 + x[:, 1] ** 2 < float(row["hole_radius"]) ** 2) for row in rows]
    assert before == pytest.approx([7800.0 * np.pi / 6.0 * 6e-3**3 * n for n in above], rel=1e-12)


def test_a_second_call_of_the_campaign_repeats_nothing(flows: Path) -> None:
    there = {path: path.stat().st_mtime_ns for path in flows.glob("**/*") if path.name in ("row.json", "one_bed.h5", "beads_7mm.csv")}
    assert len(there) == 7
    flowability.run(["one_bed"], 1, flows)  # in a process of its own
    assert {path: path.stat().st_mtime_ns for path in there} == there


def test_the_report_shows_what_there_is(flows: Path, tmp_path: Path) -> None:
    tables = {name: study_runs.rows_of(flows / f"{name}.toml") for name in flowability.STUDIES}
    media = flowability_media.media(tables)
    assert flowability_report.draw(tables, media, tmp_path / "flowability.png")
    text = flowability_report.text(tables, media, 0, True, {})
    assert text.startswith("5 trials.")
    assert "| 7 | 7.00 | 0.8 | 20.00 |" in text  # separated outcomes: the middle between 10 and 30 mm
    assert "of 3 openings none below D-" in text
    assert "Not run yet, or not all of it: 5 mm with five frictions, 4 mm" in text


def trials(columns: dict[str, str], middle: float, seed: int) -> list[dict[str, str]]:
    """Invented trials about a critical diameter (mm), a fifth of which stop in the middle."""
    random, rows = np.random.default_rng(seed), []
    for x in random.uniform(middle - 4.0, middle + 4.0, 150):
        flows = random.random() < 1.0 / (1.0 + np.exp(-(x - middle) / 0.6))
        after = 0.0 if flows else 0.5e-2 if random.random() < 0.4 else 1e-2
        row = {"hole_radius": repr(float(x) / 2e3), "flows": str(int(flows)), "mass_before": "0.01", "mass_after": repr(after), "changed": "0"}
        row["left"] = "0" if flows else "9"
        rows.append(row | columns | {"status": "finished", "sentence": ""})
    return rows


def test_the_report_finds_critical_diameters_again(tmp_path: Path) -> None:
    pytest.importorskip("statsmodels")
    tables = {"beads_5mm": trials({"friction": "0.2"}, 15.0, 5), "mixtures": trials({"small": "2e-3", "large": "2.5e-3"}, 14.0, 9)}
    tables["rule"] = trials({"friction": "0.2"}, 15.0, 1)
    media = flowability_media.media(tables)
    assert [m.average for m in media] == pytest.approx([(4**4 + 5**4) / (4**3 + 5**3), 5.0])
    for medium, expected in zip(media, (14.0, 15.0), strict=True):
        assert medium.found.low < medium.found.value < medium.found.high
        assert abs(medium.found.value - expected) < 0.6  # three and a half standard errors
        assert medium.found.high - medium.found.low < 1.0
    middle = np.mean([row["mass_after"] == "0.005" for row in tables["beads_5mm"]])
    text = flowability_report.text(tables, media, 2, False, {"beads_5mm": 160, "rule": 150})
    assert f"| all with a bed each | 150 | {middle:.3f} |" in text
    assert "2 more have failed" in text
    assert "Not run yet, or not all of it: 10 of 160 trials of 5 mm with five frictions." in text
    assert "in 0 of 150 trials that went on for a second the outcome changed" in text
    assert flowability_report.draw(tables, media, tmp_path / "all.png")


def test_beads_that_lean_over_the_edge_are_counted_apart() -> None:
    """Every fourth trial that flows leaves a bead: under the thesis' rule it is blocked, and D_c is larger."""
    rows = trials({"friction": "0.2"}, 15.0, 5)
    flowing = [row for row in rows if row["flows"] == "1"]
    for row in flowing[::4]:
        row["left"] = "1"
    tables = {"beads_5mm": rows, "rule": trials({"friction": "0.8"}, 15.0, 1)}
    (found,) = flowability_media.media(tables)
    assert found.leaning == len(flowing[::4])
    assert found.clear is not None
    strictly = [row | {"flows": str(int(row["left"] == "0"))} for row in rows]
    assert found.clear.value == flowability_media.critical(strictly).value > found.found.value
    text = flowability_report.text(tables, [found], 0, False, {})
    assert f"{found.leaning} end so. If they count as blocked, D_c of 1 of 1 media" in text
    assert f"| {found.clear.value:.2f} ({found.clear.low:.2f} to {found.clear.high:.2f}; trials: {found.leaning}) |" in text
    assert "beads of 5 mm alone (friction 0.8)" in text


def test_all_trials_with_one_size_are_in_figure_5_3() -> None:
    """Those without friction, too, whose beads of one size are two equal halves; evenly distributed openings are compared apart."""
    half = trials({"small": "3e-3", "large": "3e-3"}, 15.0, 1)
    tables = {"frictionless": half + trials({"small": "2e-3", "large": "3e-3"}, 15.0, 2), "six_millimetres": trials({}, 15.0, 3)}
    assert flowability_media.one_size(tables) == [*tables["six_millimetres"], *half]
    assert "| all with a bed each | 300 |" in flowability_outcomes.shares(tables)
    for row in tables["six_millimetres"][:26]:  # about 17 % of 150 in the middle; of all, three times as many
        row["mass_after"] = "0.005"
    for row in tables["six_millimetres"][26:]:
        row["mass_after"] = "0.0"
    for row in half:
        row["mass_after"] = "0.005"
    assert flowability_outcomes.middle_claim(tables).verdict == "not found; found if openings have even distances, as in figure 5.4"


def medium(diameters: tuple[float, float], friction: float, value: float) -> flowability_report.Medium:
    """A medium with a given mean critical diameter (mm)."""
    study = "mixtures" if diameters[0] != diameters[1] else f"beads_{diameters[0]:g}mm"
    return flowability_media.Medium(study, diameters, friction, IntervalEstimate(value, value - 0.2, value + 0.2, 60))


def test_critical_diameters_are_judged() -> None:
    """Beads whose D_c is 3 d + 10 mu (1 - mu/2), with a kink at a friction of .4; mixtures half a millimetre above."""
    found = [medium((d, d), mu, 3.0 * d + 10.0 * min(mu, 0.4) * (1.0 - 0.5 * mu)) for d in (4.0, 5.0, 7.0) for mu in (0.0, 0.1, 0.4, 0.8)]
    found += [medium((d, d), 0.2, 3.0 * d + 1.8) for d in (4.0, 5.0, 7.0)]
    average = medium((4.0, 5.0), 0.2, 0.0).average
    tables = {"one_bed": trials({"friction": "0.2"}, 15.0, 5)}
    judged = flowability_claims.claims([*found, medium((4.0, 5.0), 0.2, 3.0 * average + 2.3)], tables)
    rises, rough, affine, steel, bed, mixed, without, plateau = judged
    assert rises.measured == "4 mm +0.9, -0.8 mm; 5 mm +0.9, -0.8 mm; 7 mm +0.9, -0.8 mm"
    assert [claim.verdict for claim in (rises, affine, bed)] == ["found"] * 3
    assert rough.measured == "3.34 to 3.80"
    assert "friction 0.8: 0.00 mm" in affine.measured
    assert steel.measured == "friction 0: 1 of 3; friction 0.1: 1 of 3; friction 0.2: 1 of 3; friction 0.4: 1 of 3; friction 0.8: 1 of 3"
    assert mixed.measured == "+0.50 to +0.50 mm against these (interpolated), within 0 of 1 intervals"
    assert mixed.verdict == "not found"
    assert without.verdict == plateau.verdict == "not run yet"


def test_only_media_whose_trials_have_all_ended_are_shown() -> None:
    """Of an adaptive design; a run that has failed has ended as well. Studies without one are shown as far as they are."""
    study = read_study(FLOWABILITY / "beads_5mm.toml")
    assert study.axis[1].adaptive is not None
    wanted = study.axis[1].adaptive.trials
    whole, part = ([row | {"friction": mu} for row in trials({}, 15.0, 5)] for mu in ("0.2", "0.8"))
    failed = [whole[0] | {"status": "failed"}]
    rows = [*part[: wanted - 1], *whole[: wanted - 1]]
    assert flowability_media.of_whole_media(rows, failed, study) == whole[: wanted - 1]
    assert flowability_media.of_whole_media(rows, [], study) == []
    bed = read_study(FLOWABILITY / "one_bed.toml")
    assert flowability_media.of_whole_media(whole[:3], [], bed) == whole[:3]


def test_shapes_stand_beside_beads_of_their_volume() -> None:
    tables = {"beads_5mm": trials({"friction": "0.2"}, 15.0, 5), "shapes": trials({"shape": "rods"}, 14.0, 9)}
    text = flowability_report.text(tables, flowability_media.media(tables), 0, False, {})
    beads, rods = (line for line in text.splitlines() if line.startswith(("| beads |", "| rods |")))
    assert abs(float(beads.split("|")[2]) - 15.0) < 0.6
    assert abs(float(rods.split("|")[2]) - 14.0) < 0.6


@pytest.mark.mpi(min_size=2)
def test_until_clear_and_the_count_above_a_hole_are_the_same_on_any_number_of_ranks() -> None:
    """Beads that fall through a hole and beside it, on all ranks together and on each one alone."""
    from mpi4py import MPI

    case = Case(
        time={"step": 2e-5},
        domain={"lower": [-1e-2, -1e-2, -5e-3], "upper": [1e-2, 1e-2, 3e-2], "outflow": ["lower-z"]},
        contact={"restitution": 0.4, "contact_time": 6e-4, "friction": 0.5},
        species=[{"name": "bead", "shape": "sphere", "radius": 0.5e-3, "density": 1900.0}],
        insert=[{"species": "bead", "count": 40, "region": {"kind": "box", "lower": [-4e-3, -4e-3, 0.0], "upper": [4e-3, 4e-3, 1e-2]}}],
        wall=[{"name": "floor", "kind": "disc", "center": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0], "radius": 9e-3, "hole": 3e-3}],
        stage=[{"name": "fall", "kind": "settle", "energy_per_grain": 0.0, "max_time": 0.2, "until_clear": "floor"}],
        output={"observables": {"above_hole": "floor", "energy_budget": False}},
    )
    found = []
    for comm in (MPI.COMM_WORLD, MPI.COMM_SELF):
        sim, seen = Simulation(case, comm), []
        while sim.proceed:
            values = sim.observables()
            seen.append((sim.steps_done, values["above_hole/grains"], values["above_hole/mass"]))
            sim.step(200)
        found.append([*seen, (sim.steps_done, sim.observables()["above_hole/grains"], sim.left)])
    x = np.concatenate(MPI.COMM_WORLD.allgather(Simulation(case, MPI.COMM_WORLD).grains.position))
    assert found[0] == found[1]
    assert found[0][0][1] == np.count_nonzero(x[:, 0] ** 2 + x[:, 1] ** 2 < 3e-3**2) > 0
    assert found[0][-1][0] < 0.2 / 2e-5  # it has ended early
    assert found[0][-1][1] == 0.0
    assert found[0][-1][2] > 0


@pytest.mark.parametrize("key", ["output.observables.above_hole", "stage.pour.until_clear"])
def test_only_a_disc_with_a_hole_can_be_clear(key: str, refused: Callable[..., str]) -> None:
    assert f"{key} = 'lid' is not a disc with a hole of this case (floor)" in refused("check", str(FLOWABILITY / "trial.toml"), "--set", f"{key}=lid")
