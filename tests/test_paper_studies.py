"""Short forms of the studies of papers 000 to 003 (jobs/campaigns/papers), from the grains to the text of docs/validation.md."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import biaxial_report
import biaxial_slips
import chains_report
import collider_report
import cow_report
import gas_report
import hopper_report
import judging
import numpy as np
import page
import pandas as pd
import papers
import plane_hopper_report
import pytest
import shear_report
import study_runs
import tomli_w
from short_studies import invented_rows as rows
from table_rows import read_rows

import pardem
from pardem import cli

PAPERS = Path(papers.__file__).parent
chain_fields = judging.measures(PAPERS / "chains" / "fields.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the folder of the studies without runs, tables, and cases that these write."""
    target = tmp_path_factory.mktemp("papers") / "papers"
    made = ("*.runs", "*.h5*", "*.csv", "*.npz", "dense_*.toml", "loose_*.toml", "__pycache__")
    shutil.copytree(PAPERS, target, ignore=shutil.ignore_patterns(*made))
    return target


def short(path: Path, settings: dict[str, Any], values: dict[str, list[Any]]) -> list[dict[str, str]]:
    """Shorten a study, run it, and read its rows.

    Args:
        path: of the study; changed.
        settings: what all runs have, by dotted keys.
        values: values of axes, by their first keys; a single seed where none are given.
    """
    study = tomllib.loads(path.read_text())
    study["set"] = study.get("set", {}) | settings
    for axis in study["axis"]:
        axis.pop("seeds", None)
        axis["values"] = values.get(axis.get("key") or axis["keys"][0], axis.get("values", [1]))
    path.write_text(tomli_w.dumps(study))
    assert cli.main(["campaign", "run", str(path)]) == 0
    return study_runs.rows_of(path)


# -- verdicts ---------------------------------------------------------------------------------------------------------------------------------


def test_verdicts_follow_from_the_runs() -> None:
    assert judging.verdict([True, True]) == "found"
    assert judging.verdict([True, True], {"it is wider": [True]}) == "found"
    assert judging.verdict([True, False]) == "found in 1 of 2 runs"
    assert judging.verdict([False, False], {"it is wider": [True], "it is narrower": [True, False]}) == "not found; found if it is wider"
    assert judging.verdict([]) == "not run yet"


def test_runs_that_are_left_are_named(folder: Path) -> None:
    said = judging.waiting(folder / "plane_hopper" / "changes.toml", ["change"])
    assert said.startswith("Not run yet, 18 of 18 runs of `changes`: dampers (restitution 0.5) (3); low cows (4.97 m2) (3)")


def test_the_status_of_a_study_without_its_cases_is_its_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tests of samples have no cases before samples are made, but may have a table from elsewhere."""
    study = folder / "biaxial" / "tests.toml"
    study_runs.status([study])
    assert capsys.readouterr() == ("tests: 0 rows\n", "")
    table = (PAPERS / "biaxial" / "tests.csv").read_text()
    study.with_suffix(".csv").write_text(table)
    study_runs.status([study])
    study.with_suffix(".csv").unlink()
    assert capsys.readouterr() == (f"tests: {table.count(chr(10)) - 1} rows\n", "")


def test_a_part_of_the_page_is_there_for_each_report() -> None:
    text = page.PAGE.read_text()
    for report in papers.reports():
        assert page.replaced(text, report.PART, "invented") != text


# -- plane hopper -----------------------------------------------------------------------------------------------------------------------------


def test_disks_jam_over_a_slit_and_flow_from_a_wide_outlet(folder: Path, tmp_path: Path) -> None:
    few = {"insert.grains.count": 30, "insert.grains.region.upper": [33.0, 60.0], "stage.fill.time": 3.0, "stage.flow.time": 3.0}
    few |= {"contact.normal_damping": 2e3}
    outlets = [["1 m", [-0.5, 0.0], [0.5, 0.0]], ["30 m", [-15.0, 0.0], [15.0, 0.0]]]
    found = short(folder / "plane_hopper" / "outlets.toml", few, {"title": outlets, "case": ["disks.toml"]})
    assert [row["jammed"] for row in found] == ["1", "0"]
    assert found[0]["left"] == "0"
    assert 5 < int(found[1]["left"]) <= 30
    assert [row["arch"] for row in found] == ["1.0", "nan"]  # one disk lies on both slopes
    groups = plane_hopper_report.outlets(found)
    assert list(groups) == [(1.0, "disks.toml"), (30.0, "disks.toml")]
    plane_hopper_report.draw(groups, tmp_path / "plane_hopper.png")
    text = plane_hopper_report.text(found, [], ["No more."], [])
    assert "| disks | 1 m | 1 | 1 | 0 | 0.0 |" in text
    assert "| disks flow at all outlets from 20 to 40 m | jams in 0 of 1 runs | found; not run yet at 20, 25, 40 m |" in text
    assert "| cows jam below 30 m (here 20 and 25 m) | jams in 0 of 0 runs | not run yet |" in text


def test_jams_of_cows_are_judged_by_outlet_and_change() -> None:
    def cows(outlet: str, jam: int, arch: float) -> list[dict[str, str]]:
        return rows(2, outlet=outlet, grains="cows.toml", jammed=jam, arch=arch)

    groups = plane_hopper_report.outlets(cows("20 m", 0, 30.0) + cows("15 m", 1, 21.0) + cows("30 m", 0, 9.0))
    assert [values.tolist() for values in plane_hopper_report.outcomes(groups, "cows.toml")] == [[15, 15, 20, 20, 30, 30], [0, 0, 1, 1, 1, 1]]
    claims = plane_hopper_report.claims(groups, {"dampers": rows(3, jammed=1), "low cows": rows(3, jammed=0)})
    below = "not found; found if the outlet is 15 m or dampers, at 20 m; not run yet at 25 m"
    assert [claim.verdict for claim in claims] == ["not run yet", below, "found; not run yet at 40 m", "found"]


# -- hopper of paper 003 ----------------------------------------------------------------------------------------------------------------------


def test_rice_that_falls_out_of_the_hopper_is_counted(folder: Path) -> None:
    few = {"insert.grains.count": 4, "insert.grains.region.lower": [-6.0, -6.0, 20.0], "insert.grains.region.upper": [6.0, 6.0, 42.0]}
    values = {"title": [["40 1/s", 20.0, 20.0, 40.0, 40.0]], "insert.grains.species": [["rice", 6.0, 0.0166]], "case": ["wide.toml"]}
    (found,) = short(folder / "hopper" / "hopper.toml", few | {"stage.flow.time": 3.5}, values)
    assert (found["out"], found["out_at_12"]) == ("4", "4")
    assert 1.5 < float(found["last"]) < 3.5  # a fall of 15 m takes 1.7 s, one of 45 m 3.0 s
    assert "| 40 1/s | 20 m | 4 / 4 (1) |" in hopper_report.text([found], "")


def test_the_hopper_is_judged_by_viscosity_and_opening() -> None:
    def runs(viscosity: str, opening: str, **out: tuple[int, float]) -> list[dict[str, str]]:
        found = []
        for kind, (count, last) in out.items():
            found += rows(2, viscosity=viscosity, opening=opening, kind=kind, segment=6.0, out=count, out_at_12=count, last=last)
        return found

    weak = runs("0.2 1/s", "narrow.toml", rice=(90, 9.0), tetra=(60, 19.0), yermis=(50, 20.0))
    strong = runs("40 1/s", "narrow.toml", rice=(90, 9.0), tetra=(88, 19.0), yermis=(5, 7.0))
    verdicts = [claim.verdict for claim in hopper_report.claims(weak + strong)]
    assert verdicts[:3] == ["found", *["not found; found if the viscosity is 40 1/s (opening 12 m)"] * 2]
    assert verdicts[3] == "not run yet"  # segments of 4 m
    assert verdicts[4] == "not found; found if the viscosity is 40 1/s (opening 12 m)"
    assert verdicts[6] == "not found; found if the viscosity is 40 1/s (opening 12 m, segments of 6 m)"
    strong[-1]["last"] = strong[-2]["last"] = "13.0"
    assert hopper_report.claims(weak + strong)[4].verdict == "not found"


# -- shear band -------------------------------------------------------------------------------------------------------------------------------


def test_the_motion_of_the_plate_is_shared_out(folder: Path, tmp_path: Path) -> None:
    """Short of a second of shear: the books close, and slip and shear add up to the velocity of the plate."""
    less = {"stage.load.time": 1.0, "stage.shear.time": 0.8, "output.frame_interval": 0.2}
    study = folder / "shear" / "balance.toml"
    (found,) = short(study, less, {"time.step": [1e-4], "case": ["voronoi.toml"]})
    assert float(found["imbalance"]) < 1e-3
    shares = [float(found[name]) for name in ("slip_above", "sheared", "slip_below")]
    assert sum(shares) == pytest.approx(1.0)
    assert float(found["work"]) == pytest.approx(float(found["lost"]) + float(found["stored"]), rel=1e-3)
    module = judging.measures(folder / "shear" / "shear_measures.py")
    shear_report.draw({"voronoi": study.with_suffix(".runs") / found["id"] / "result.h5"}, module, tmp_path / "shear.png")
    assert "| voronoi, 0.0001 s | 1 |" in shear_report.text([found], "", [])


def test_bands_in_known_profiles(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All shear in one of nine steps between ten layers, or the same in all; plates on which grains slip by a quarter each."""
    module = judging.measures(folder / "shear" / "shear_measures.py")
    height = np.linspace(1.0, 11.0, 501)
    monkeypatch.setattr(module, "plate_speed", lambda result: 2.0)
    for speed, share in ((0.5 + (height > 6.0), 0.9 / 9.0), (0.5 + (height - 1.0) / 10.0, 0.9)):
        monkeypatch.setattr(module, "velocities", lambda result, speed=speed: (speed, height))
        assert module.band(None) == pytest.approx(share, rel=0.05)
        assert module.slip_above(None) == pytest.approx(0.25, abs=0.03)
        assert module.slip_below(None) == pytest.approx(0.25, abs=0.03)


def test_the_balance_is_judged_with_the_paper_s_step() -> None:
    found = rows(2, grains="pentagons.toml", step=1e-5, imbalance=2e-2, sheared=0.7)
    found += rows(2, grains="voronoi.toml", step=1e-4, imbalance=1e-3, sheared=0.2)
    verdicts = [claim.verdict for claim in shear_report.claims(found)]
    assert verdicts == ["not found", "not run yet; found if the step is ten times as long", "found", "not found", "not run yet"]


# -- bouncing cow -----------------------------------------------------------------------------------------------------------------------------


def test_a_cow_bounces_and_turns(folder: Path, tmp_path: Path) -> None:
    """It starts low and shortly; the error of the energy is that of the kinks, k (v dt)^2/12, for each of a few contacts."""
    study = folder / "cow" / "bounces.toml"
    starts = {"grain.0.position": [[8.0, 5.1]], "time.integrator": [["verlet", 1e-4]], "case": ["base.toml", "low.toml"]}
    soft = {"contact.normal_stiffness": 1e6, "contact.law": "viscoelastic"}  # a stiffness alone, and the kernel of other tests
    found = short(study, soft | {"stage.bounce.time": 1.0}, starts)
    for row in found:
        assert 0.3 < float(row["first_contact"]) < 0.9
        assert int(row["bounces"]) >= 1
        assert 0.0 < float(row["turning"]) < 1.0
        assert 0.0 < float(row["error"]) < 3.0 * 1e6 * (7.0 * 1e-4) ** 2 / 12.0 / (5.0 * 10.0 * 5.0)
    result = study.with_suffix(".runs") / found[0]["id"] / "result.h5"
    with pardem.open(result) as opened:
        assert opened.mass[0] == pytest.approx(6.52, rel=1e-5)
    cow_report.draw(result, result, tmp_path / "cow.png")
    text = cow_report.text(found, "", [])
    assert "| verlet, 0.0001 s | 4.97 m2 | 1 |" in text
    assert "| the energy errs by less than 0.0001 % throughout |  | not run yet |" in text


def test_the_error_is_judged_with_the_paper_s_scheme_and_step() -> None:
    one = {"cow": "base.toml", "error_of_first_bounce": 1e-5, "turning": 0.5}
    found = rows(2, scheme="gear4", step=1e-5, error=4e-5, **one) + rows(2, scheme="verlet", step=1e-6, error=4e-7, **one)
    verdicts = [claim.verdict for claim in cow_report.claims(cow_report.grouped(found))]
    assert verdicts == ["not found; found if the step is 1e-06 s (verlet, cow of 6.52 m2)", "found"]


# -- gases ------------------------------------------------------------------------------------------------------------------------------------


def test_rice_begins_to_turn_in_a_gas(folder: Path, tmp_path: Path) -> None:
    study = folder / "gas" / "long.toml"
    soft = {"contact.law": "viscoelastic", "stage.mix.time": 3.0, "output.frame_interval": 0.2}
    start = judging.measures(folder / "gas" / "start.py")
    data = tomllib.loads(study.read_text())
    data["axis"][0]["values"] = [["rice.toml", 7, "rice_7.npz"]]
    study.write_text(tomli_w.dumps(data))
    start.write(study)
    (found,) = short(study, soft, {"case": data["axis"][0]["values"]})
    assert 0.0 < float(found["error"]) < 1e-3
    assert 0.05 < float(found["ratio"]) < 0.6
    assert float(found["spin"]) > 0.1
    results = {"rice": study.with_suffix(".runs") / found["id"] / "result.h5"}
    gas_report.draw(results, judging.measures(folder / "gas" / "gas_measures.py"), tmp_path / "gas.png")
    text = gas_report.text({"paper": [], "long": [found]}, [], [])
    assert "| rice | long | 1 |" in text
    assert "not run yet" in text


def test_energies_are_held_against_their_law() -> None:
    """Independent samples of the law agree with it, those of another law do not; frames that repeat each other count once."""
    module = judging.measures(PAPERS / "gas" / "gas_measures.py")
    random = np.random.default_rng(3)
    three, two = module.stats.gamma(1.5, scale=2.0 / 3.0), module.stats.gamma(1.0, scale=1.0)
    sample = three.rvs((40, 400), random_state=random)
    sample /= sample.mean(axis=1, keepdims=True)
    assert module.probability(sample, three)[1] > 0.05
    assert module.probability(sample, two)[1] == 1e-3
    assert 7 <= len(module.independent(np.repeat(sample[:10], 4, axis=0))) <= 13


def test_gases_are_judged_run_by_run() -> None:
    one = {"growth": 1e-6, "error": 2e-5, "p": 0.3}
    paper = rows(2, grains="rice.toml", ratio=0.3, **one) + rows(1, grains="disk.toml", ratio=0.0, **one)
    verdicts = [claim.verdict for claim in gas_report.claims(paper, rows(2, grains="rice.toml", ratio=0.495, **one))]
    assert verdicts == ["found", "found", "not found; found if gases are softer and run for four minutes", "not found", "found"]


# -- collider ---------------------------------------------------------------------------------------------------------------------------------


def collisions(species: str, step: float, **errors: float) -> list[dict[str, str]]:
    """Invented rows of two starts of the collider."""
    return [row | {"seed": str(seed)} for seed in (1, 2) for row in rows(1, species=species, step=step, rotation="fincham", contacts=9, **errors)]


def test_the_collider_is_judged_against_table_1() -> None:
    paper = judging.measures(PAPERS / "collider.py").PAPER
    small = {"momentum": 1e-16, "angular": 1e-9}
    found = [row for species in ("rice", "tetra", "yermis") for row in collisions(species, 1e-4, worst=1e-5, **small)]
    fine = (("rice", 1e-7), ("tetra", 1e-7), ("yermis", 3e-7))
    found += [row for species, worst in fine for row in collisions(species, 1e-5, worst=worst, **small)]
    verdicts = [claim.verdict for claim in collider_report.claims(found, paper)]
    assert verdicts == ["found", "found", "found", "found", "found in 2 of 4 runs"]
    (_, worse, *_) = collider_report.claims(collisions("rice", 1e-4, worst=1e-4, **small), paper)
    assert worse.verdict == "not found; found if table 1 is not in percent"  # 3.6e-3 per cent are 3.6e-5
    text = collider_report.text(found, paper, 48)
    assert "| yermis, 0.0001 s, `fincham` | 2 | 1.0e-05 (1.0e-05) | 3.1e-02 |" in text
    assert text.endswith("Not run yet: 48 runs.\n")


def test_the_table_of_the_collider_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = judging.measures(PAPERS / "collider.py")
    calls = []
    monkeypatch.setattr(script, "collide", lambda case: calls.append(case) or script.Errors(1e-6, 2e-6, 0.0, 1e-10, 9))
    for _ in range(2):
        script.fill(tmp_path / "collider.csv", steps=(1e-4,), seeds=(1,))
        assert len(calls) == 6
    assert {row["worst"] for row in read_rows(tmp_path / "collider.csv")} == {"2e-06"}


# -- biaxial test -----------------------------------------------------------------------------------------------------------------------------


SIDES = ("left", "right", "bottom", "top")


def the_fields_say_what_grains_and_contacts_say(test: pardem.Result, picture: Path) -> None:
    """Mass, momentum, strain, and the stress of Love and Weber."""
    fields = chain_fields.fields_of(test)
    told = chain_fields.told_of(test, fields)
    assert abs(told.mass) < 1e-12
    assert told.momentum < 1e-12
    contacts, case = test[-1].contacts, test.case
    assert len(contacts) > 20
    stress = -(contacts.branch[:, :2].T @ contacts["force"][:, :2])
    assert told.ratio == pytest.approx(np.hypot(stress[0, 0] - stress[1, 1], stress[0, 1] + stress[1, 0]) / np.trace(stress), rel=1e-9)
    ends = np.searchsorted(test.series.times, [test[-2].time - 1e-9, test[-1].time - 1e-9])
    gap = case.wall[3].point[1] - case.wall[2].point[1]
    heights = gap + np.subtract(*(test.series.values[f"wall_displacement/{name}"][ends, 1] for name in ("top", "bottom")))
    assert told.strain == pytest.approx((heights[0] - heights[1]) / heights[0], rel=0.1)
    assert 0.0 < told.half < 0.5
    chain_fields.drawn(fields, picture)
    line = chains_report.of_fields([{name: f"{value:.4g}" for name, value in told._asdict().items()}])
    assert f"The stress ratio of the contact stress is {told.ratio:.3f}" in line
    assert "is that of the grains within 1e-1" in line


def test_a_sample_is_made_and_tested(folder: Path) -> None:
    biaxial = folder / "biaxial"
    few = {"insert.0.count": 40, "stage.gather.time": 5.0, "stage.press.time": 12.0}
    few |= {"insert.0.region.lower": [-9.0, -9.0], "insert.0.region.upper": [9.0, 9.0]}
    places = {f"wall.{name}.point": [10.0 * x, 10.0 * y] for name, x, y in (("left", -1, 0), ("right", 1, 0), ("bottom", 0, -1), ("top", 0, 1))}
    few |= places | {f"wall.{name}.motion.{key}": value for name in SIDES for key, value in (("damping", 150.0), ("mass", 100.0))}
    (sample,) = short(biaxial / "samples.toml", few, {"case": ["compact.toml"]})
    assert 0.1 < float(sample["void_ratio"]) < 3.0
    judging.measures(biaxial / "sample.py").write(biaxial)
    less = places | {"stage.press.time": 1.0, "stage.shear.time": 4.0, "output.observable_interval": 0.05, "output.frame_interval": 0.5}
    less |= {"output.contacts": ["point", "force"]}
    (found,) = short(biaxial / "tests.toml", less, {"case": ["dense_disks_1.toml"]})
    assert float(found["contacts_at_end"]) >= 0.0
    runs = [biaxial / f"{name}.runs" / row["id"] / "result.h5" for name, row in (("samples", sample), ("tests", found))]
    with pardem.open(runs[0]) as made, pardem.open(runs[1]) as test:
        assert np.array_equal(made[-1].position, test[0].position)  # not blown up
        for name in SIDES:  # walls go on where they were
            assert np.array_equal(made.series.values[f"wall_displacement/{name}"][-1], test.series.values[f"wall_displacement/{name}"][0])
        the_fields_say_what_grains_and_contacts_say(test, biaxial.parent / "fields.png")
    assert float(found["void_at_end"]) <= float(sample["void_ratio"]) + 1.0
    text = biaxial_report.text([found], [sample], [], [])
    assert "| dense disks | 1 |" in text
    assert "| dense and loose rice end at the same void ratio |  | not run yet |" in text


def test_drops_of_the_stress_are_shown(tmp_path: Path) -> None:
    """Drops whose sizes follow a power law of exponent 2.5, two seconds apart; they are read from the table where results are not there."""
    shutil.copytree(PAPERS / "biaxial", tmp_path / "biaxial", ignore=shutil.ignore_patterns("*.runs", "*.csv", "__pycache__"))
    size = 0.005 * (1.0 - (np.arange(40) + 0.5) / 40.0) ** (-1.0 / 1.5)
    columns = {"start (s)": 2.0 * np.arange(40), "duration (s)": 0.5, "size": size}
    tests = rows(1, test="dense_disks_1.toml", id="none", drops=40) + rows(1, test="dense_disks_2.toml", id="none", drops=40)
    pd.DataFrame({"test": "dense_disks_1"} | columns).to_csv(tmp_path / "biaxial" / biaxial_slips.TABLE, index=False)
    drops = biaxial_slips.collected(tmp_path / "biaxial", tests)
    assert len(drops) == 40
    text = biaxial_slips.text(drops, tests, tmp_path / "biaxial")
    assert "Of the 2 tests the results of 1 were there" in text
    assert "(as many drops as in the table above: 1 of 1)" in text
    assert "were there" not in biaxial_slips.text(drops, tests[:1], tmp_path / "biaxial")  # all of them were
    *_, waiting, exponent, distances = text.splitlines()[-1].removesuffix(" |").split(" | ")
    assert waiting.startswith("2 +- 0")
    assert float(exponent.split(" ")[0]) == pytest.approx(2.5, abs=0.08)
    near, far = map(float, distances.split(", "))
    assert near < far
    biaxial_slips.draw(drops, tmp_path / "biaxial", tmp_path / "slips.png")
    assert biaxial_slips.text(drops[:0], tests, tmp_path / "biaxial") == ""


def ended(kind: str, end: float, ratio: float, band: float) -> list[dict[str, str]]:
    """Invented rows of two samples."""
    one = {"void_at_start": 0.2, "void_drift": 1e-3, "contacts_at_end": 3.0, "contacts_drift": 0.01, "ratio_most": 0.4, "drops": 4}
    angles = {"band_contrast": band, "band_angle": 52.0, "roscoe": 50.0, "coulomb": 56.0}
    return [
        rows(1, test=f"{kind}_{k}.toml", void_at_end=end + 0.002 * k, ratio_at_end=ratio + 0.01 * k, **one, **angles)[0] for k in (1, 2)
    ]  # fmt: skip


def test_the_critical_state_is_judged_over_samples() -> None:
    found = ended("dense_disks", 0.25, 0.26, 0.2) + ended("loose_disks", 0.251, 0.261, 0.0)
    found += ended("dense_rice", 0.21, 0.45, 0.2) + ended("loose_rice", 0.25, 0.45, 0.1)
    found += ended("dense_peanuts", 0.3, 0.5, 0.2) + ended("loose_peanuts", 0.3, 0.55, 0.0)
    samples = rows(1, void_ratio=0.12) + rows(1, void_ratio=0.29)
    claims = biaxial_report.claims(biaxial_report.by_kind(found), samples)
    verdicts = [claim.verdict for claim in claims]
    assert verdicts[:7] == ["found", "found", "found", "not found", "found", "found", "not found"]
    assert verdicts[7:] == ["found", "found", "found", "found in 4 of 6 runs", "found", "found"]
    assert claims[8].measured == "stress ratio over that of disks: of rice 1.69, of peanuts 1.96"
