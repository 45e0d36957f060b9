"""Campaigns: the same table however often they are killed and wherever they go on, runs that fail, values that follow from outcomes, statistics."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import Ended
from run_scene import kill_all, until
from scipy.optimize import minimize

from pardem.campaign.adaptive import next_value
from pardem.campaign.measures import load
from pardem.campaign.points import Design
from pardem.campaign.statistics import mean, threshold
from pardem.campaign.study import Adaptive, read_study
from pardem.errors import CaseError

ROOT = Path(__file__).resolve().parent.parent
CASE = """
gravity = [0.0, 0.0, -9.81]
time = { step = 2e-5 }
domain = { lower = [-5e-3, -5e-3, -1e-3], upper = [5e-3, 5e-3, 40e-3] }
contact = { restitution = 0.4, contact_time = 6e-4, friction = 0.2 }
species = [{ name = "bead", shape = "sphere", radius = 0.5e-3, density = 1900.0 }]
insert = [{ name = "beads", species = "bead", count = 40, region = { kind = "box", lower = [-3e-3, -3e-3, 0.0], upper = [3e-3, 3e-3, 12e-3] } }]
output = { observable_steps = 250, frame_steps = 1500, checkpoint_steps = 250 }
wall = [
    { name = "base", kind = "plane", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] },
    { name = "frame", kind = "box", lower = [-4e-3, -4e-3, -0.5e-3], upper = [4e-3, 4e-3, 39e-3] },
]
stage = [{ name = "fall", kind = "run", steps = 1500 }]
"""
STUDY = """
title = "falls"
case = "fall.toml"

[[axis]]
key = "contact.friction"
values = [0.0, 0.5]

[[axis]]
key = "seed"
seeds = 2

[[measure]]
name = "kinetic"
observable = "energy/kinetic_translational"

[[measure]]
name = "highest"
function = "measures.py:highest"
unit = "m"

[[summary]]
name = "heights"
kind = "mean"
measure = "highest"
by = ["friction"]
"""
MEASURES = "def highest(result):\n    return result[-1].position[:, 2].max()\n"


def study_in(folder: Path, text: str = STUDY) -> Path:
    """A study with its case and its measures."""
    folder.mkdir(exist_ok=True)
    (folder / "fall.toml").write_text(CASE)
    (folder / "measures.py").write_text(MEASURES)
    (folder / "study.toml").write_text(text)
    return folder / "study.toml"


def begun_runs(runs: Path) -> set[str]:
    """Runs that have a checkpoint and no row."""
    folders = {path.parent.parent for path in runs.glob("*/result.h5.parts/checkpoint-*.h5")}
    return {folder.name for folder in folders if not (folder / "row.json").exists()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign that nothing disturbed."""
    from pardem import cli

    study = study_in(tmp_path_factory.mktemp("whole"))
    assert cli.main(["campaign", "run", str(study)]) == 0
    return study.parent


# -- the table --------------------------------------------------------------------------------------------------------------------------------


def test_the_table_opens_with_units_and_tells_the_results(whole: Path) -> None:
    table = pd.read_csv(whole / "study.csv")
    assert list(table.columns) == ["id", "friction", "seed", "kinetic (J)", "highest (m)", "status", "sentence"]
    assert table["friction"].tolist() == [0.0] * 2 + [0.5] * 2
    assert table["seed"].tolist() == [1, 2] * 2
    assert (table["status"] == "finished").all()
    assert table["highest (m)"].between(5e-4, 12e-3).all()
    assert table["kinetic (J)"].nunique() == 4
    for run in table["id"]:
        assert (whole / "study.runs" / run / "case.toml").exists()
        assert (whole / "study.runs" / run / "result.h5").exists()


@pytest.mark.parametrize(("ranks", "together"), [pytest.param(2, 1, marks=pytest.mark.slow), (3, 2)])
def test_groups_of_ranks_write_the_same_table(whole: Path, tmp_path: Path, pardem: Callable[..., Ended], ranks: int, together: int) -> None:
    study = study_in(tmp_path, f"ranks_per_run = {together}\n{STUDY}")
    pardem("campaign", "run", str(study), ranks=ranks)
    assert study.with_suffix(".csv").read_bytes() == (whole / "study.csv").read_bytes()


def test_a_campaign_that_is_killed_twice_writes_the_same_table(
    whole: Path, tmp_path: Path, start_mpi: Callable[..., subprocess.Popen[str]]
) -> None:
    study = study_in(tmp_path)
    runs = study.with_suffix(".runs")
    seen: list[dict[str, float]] = []
    begun: set[str] = set()
    for rows in (0, 1):
        process = start_mpi(2, "-m", "pardem", "campaign", "run", str(study))
        until(lambda rows=rows: len(list(runs.glob("*/row.json"))) >= rows and begun_runs(runs), process)
        kill_all(process)
        seen.append({path.parent.name: path.stat().st_mtime for path in runs.glob("*/row.json")})
        begun |= begun_runs(runs)
    assert begun
    process = start_mpi(2, "-m", "pardem", "campaign", "run", str(study))
    assert process.wait(300) == 0
    assert study.with_suffix(".csv").read_bytes() == (whole / "study.csv").read_bytes()
    for before in seen:  # what had ended was not done again
        for run, at in before.items():
            assert (runs / run / "row.json").stat().st_mtime == at
    for run in begun:
        assert "resumed at step" in (runs / run / "run.log").read_text()


def test_the_walltime_stops_a_campaign_which_goes_on_later(whole: Path, tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    study = study_in(tmp_path)
    assert pardem("campaign", "run", str(study), "--walltime", "0:00:00", check=False).status == 75
    assert pardem("campaign", "run", str(study)).status == 0
    assert study.with_suffix(".csv").read_bytes() == (whole / "study.csv").read_bytes()


def test_a_campaign_goes_on_from_its_table_alone(whole: Path, tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    study = study_in(tmp_path, STUDY.replace("seeds = 2", "seeds = 3"))
    shutil.copy(whole / "study.csv", tmp_path)
    pardem("campaign", "run", str(study))
    assert len(list(tmp_path.glob("study.runs/*/row.json"))) == 2
    lines = (tmp_path / "study.csv").read_text().splitlines()
    old = (whole / "study.csv").read_text().splitlines()
    assert len(lines) == 7
    assert set(old) < set(lines)


def test_rows_of_other_runs_are_not_lost(whole: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    study = study_in(tmp_path)
    shutil.copy(whole / "study.csv", tmp_path)
    (tmp_path / "fall.toml").write_text(CASE.replace("count = 40", "count = 41"))
    assert "has 4 rows of runs that" in refused("campaign", "collect", str(study))
    assert (tmp_path / "study.csv").read_bytes() == (whole / "study.csv").read_bytes()


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "a,b\n", "id,b\n1,2\n", "a note\n"])
def test_a_table_of_something_else_stays(tmp_path: Path, refused: Callable[..., str], text: str) -> None:
    study = study_in(tmp_path)
    study.with_suffix(".csv").write_text(text)
    for action in ("run", "status", "collect", "plot"):
        assert refused("campaign", action, str(study)).endswith("study.csv has no columns id and status: it is no table of a campaign; move it away")
    assert study.with_suffix(".csv").read_text() == text


def test_a_run_that_fails_is_recorded_and_stops_no_other(tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    """Beads so fast that they pass each other, and more beads than there is room for."""
    text = STUDY.replace("seeds = 2", "seeds = 1").replace("contact.friction", "insert.beads.count").replace("[0.0, 0.5]", "[10, 1000, 20]")
    text = text.replace('by = ["friction"]', 'by = ["count"]')
    study = study_in(tmp_path, text)
    pardem("campaign", "run", str(study), ranks=2)
    table = pd.read_csv(tmp_path / "study.csv")
    assert table["status"].tolist() == ["finished", "failed", "finished"]
    assert "would fill" in table["sentence"][1]
    assert np.isnan(table["highest (m)"][1])
    said = pardem("campaign", "status", str(study)).out
    assert "3 of 3 runs have ended, of which 1 have failed" in said
    assert "(count = 1000, seed = 1) has failed: " in said


def test_results_go_where_only_rows_are_wanted(whole: Path, tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    study = study_in(tmp_path, f"keep_results = false\n{STUDY}".replace("seeds = 2", "seeds = 1"))
    pardem("campaign", "run", str(study))
    assert not list(tmp_path.glob("study.runs/*/result.h5*"))
    assert set((tmp_path / "study.csv").read_text().splitlines()) < set((whole / "study.csv").read_text().splitlines())


def test_sums_and_figures(whole: Path, pardem: Callable[..., Ended]) -> None:
    table = pd.read_csv(whole / "study.csv")
    said = pardem("campaign", "collect", str(whole / "study.toml")).out
    slick = table["highest (m)"][:2].mean()
    assert f"heights: mean highest (friction = 0.0): {slick:.6g} [" in said
    pardem("campaign", "plot", str(whole / "study.toml"))
    assert (whole / "study.heights.png").stat().st_size > 5000


# -- studies ----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('case = "fall.toml"', 'cases = "fall.toml"', "unknown key cases; did you mean 'case'?"),
        ("values = [0.0, 0.5]", "values = []", "axis.0 has no values: give at least one"),
        ('key = "seed"', 'key = "contact.friction"', "two columns of the table would be named 'friction'"),
        ('name = "kinetic"', 'name = "friction"', "two columns of the table would be named 'friction'"),
        ('name = "kinetic"', 'name = "status"', "'status' names a column that every table has"),
        ('key = "seed"', 'key = "seed"\nname = "trial"\nvalues = [1]', "needs exactly one of values, range, seeds, adaptive"),
        ('by = ["friction"]', 'by = ["fiction"]', "'fiction' is not a column of an axis"),
        ('function = "measures.py:highest"', 'function = "measures.py"', "must read file.py:name or module:name"),
        ("contact.friction", "contact.pair.a-b.friction", "study.toml: the first run: contact.pair = "),
        ("contact.friction", 'contact.frictions"\nname = "friction', "study.toml: the first run: unknown key contact.frictions"),
        ("contact.friction", 'insert.balls.count"\nname = "friction', "axis.friction: insert.balls.count = 0.0: there is no insert.balls"),
        ('observable = "energy/kinetic_translational"', 'observable = "energy/kinetic"', "is not among the observables"),
        ("measures.py:highest", "measures.py:higher", "measures.py has no function 'higher'"),
        ("measures.py:highest", "none.py:higher", "cannot be loaded: FileNotFoundError"),
        ("fall.toml", "all.toml", "no such case file"),
    ],
)
def test_what_is_wrong_with_a_study_is_a_sentence(tmp_path: Path, pardem: Callable[..., Ended], old: str, new: str, words: str) -> None:
    study = study_in(tmp_path, STUDY.replace("seeds = 2", "seeds = 1").replace(old, new))
    ended = pardem("campaign", "run", str(study), check=False)
    assert ended.status == 1
    assert words in ended.err
    assert all(line.startswith("pardem: error: ") for line in ended.err.splitlines() if "stage '" not in line)


def test_axes_make_all_combinations(tmp_path: Path) -> None:
    axes = """
[[axis]]
keys = ["species.bead.radius", "insert.beads.count"]
names = ["radius", "beads"]
values = [[0.5e-3, 40], [0.25e-3, 80]]

[[axis]]
key = "stage.fall.steps"
range = { first = 10.0, last = 30.0, step = 10.0 }
"""
    design = Design(read_study(study_in(tmp_path, STUDY.split("[[axis]]")[0] + axes + "[[measure]]" + STUDY.split("[[measure]]")[1])))
    points = list(design.points({}))
    assert design.count == len(points) == len({point.id for point in points}) == 6
    assert dict(points[-1].columns) == {"radius": 0.25e-3, "beads": 80, "steps": 30.0}
    assert points[-1].tables["species"][0]["radius"] == 0.25e-3


STUDIES = [path for path in sorted((ROOT / "jobs").glob("**/*.toml")) if "[[measure]]" in path.read_text()]


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_studies_of_the_repository_are_valid(path: Path) -> None:
    study = read_study(path)
    cases = [entry[axis.all_keys.index("case")] for axis in study.axis if "case" in axis.all_keys for entry in axis.entries()]
    if not all((path.parent / case).exists() for case in cases):
        pytest.skip("its cases are made by a script")
    points = list(Design(study).points({}))
    assert len({point.id for point in points}) == len(points) > 0
    for point in points[:: 1 + len(points) // 60]:
        point.case(study)
    for measure in study.measure:
        if measure.function is not None:
            load(path.parent, measure.function)


def test_keys_share_the_numbers_of_a_range_and_each_has_a_seed(tmp_path: Path) -> None:
    axes = """
[[axis]]
keys = ["species.bead.radius", "insert.beads.region.lower.0"]
name = "size"
unit = "m"
range = { first = 1e-4, last = 4e-4, count = 4, seed_key = "seed" }
"""
    study = read_study(study_in(tmp_path, STUDY.split("[[axis]]")[0] + axes + "[[measure]]" + STUDY.split("[[measure]]")[1]))
    points = list(Design(study).points({}))
    assert [dict(point.columns) for point in points] == [{"size": pytest.approx(k * 1e-4)} for k in (1, 2, 3, 4)]
    for k, tables in enumerate(point.tables for point in points):
        assert tables["seed"] == k + 1
        assert tables["species"][0]["radius"] == tables["insert"][0]["region"]["lower"][0] == points[k].columns["size"]


def test_an_axis_of_base_cases(tmp_path: Path) -> None:
    path = study_in(
        tmp_path,
        'set = { "contact.restitution" = 0.5 }\n'
        + STUDY.replace('"contact.friction"', '"case"').replace("[0.0, 0.5]", '["fall.toml", "slow.toml"]').replace('["friction"]', '["case"]'),
    )
    (tmp_path / "slow.toml").write_text('base = "fall.toml"\ngravity = [0.0, 0.0, -1.0]\n')
    points = list(Design(read_study(path)).points({}))
    assert [(point.columns["case"], point.columns["seed"]) for point in points] == [(c, s) for c in ("fall.toml", "slow.toml") for s in (1, 2)]
    assert [point.tables["gravity"][2] for point in points] == [-9.81, -9.81, -1.0, -1.0]
    assert {point.tables["contact"]["restitution"] for point in points} == {0.5}
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "slow.toml").write_text('base = "../fall.toml"\n')
    path.write_text(path.read_text().replace("slow.toml", "below/slow.toml"))
    with pytest.raises(CaseError, match=r"case 'below/slow\.toml' must lie in the folder of fall\.toml"):
        list(Design(read_study(path)).points({}))


def test_the_title_does_not_make_another_run(tmp_path: Path) -> None:
    study = study_in(tmp_path)
    first = [point.id for point in Design(read_study(study)).points({})]
    (tmp_path / "fall.toml").write_text(f'title = "beads"\n{CASE}')
    assert [point.id for point in Design(read_study(study)).points({})] == first
    (tmp_path / "fall.toml").write_text(CASE.replace("-9.81", "-9.8"))
    assert not {point.id for point in Design(read_study(study)).points({})} & set(first)


# -- values that follow from outcomes ---------------------------------------------------------------------------------------------------------

ADAPTIVE = """
case = "fall.toml"
keep_results = false
set = { "stage.fall.steps" = 10 }

[[axis]]
key = "insert.beads.region.upper.2"
name = "top"
adaptive = { lower = 5e-3, upper = 25e-3, trials = 14, measure = "tall", ahead = 3, seed = 5, seed_key = "seed" }

[[measure]]
name = "tall"
function = "measures.py:tall"
"""
TALL = "def tall(result):\n    return int(result.case.insert[0].region.upper[2] > 14e-3)\n"


def test_adaptive_trials_gather_about_the_threshold_on_any_number_of_ranks(tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    tables = []
    for ranks in (1, 2):
        study = study_in(tmp_path / f"{ranks}", ADAPTIVE)
        (study.parent / "measures.py").write_text(TALL)
        pardem("campaign", "run", str(study), ranks=ranks)
        tables.append(study.with_suffix(".csv").read_bytes())
    assert tables[0] == tables[1]
    table = pd.read_csv(tmp_path / "1" / "study.csv")
    assert table["trial"].tolist() == list(range(1, 15))
    assert np.abs(table["top"][-3:] - 14e-3).max() < 1.5e-3  # of 20 mm


def test_the_next_value_lies_where_the_outcome_is_open() -> None:
    plan = Adaptive(lower=0.0, upper=1.0, trials=10, measure="m")
    assert 0.3 < next_value(plan, 7, ((0.1, 0.0), (0.3, 0.0), (0.6, 1.0), (0.9, 1.0))) < 0.6
    assert 0.3 < next_value(plan, 7, ((0.1, 1.0), (0.3, 1.0), (0.6, 0.0), (0.9, 0.0))) < 0.6  # falling, too


# -- statistics -------------------------------------------------------------------------------------------------------------------------------


def test_a_threshold_is_that_of_the_greatest_likelihood() -> None:
    pytest.importorskip("statsmodels")
    random = np.random.default_rng(3)
    x = random.uniform(20e-3, 30e-3, 200)
    outcome = (random.random(200) < 1.0 / (1.0 + np.exp(-(x - 25e-3) / 8e-4))).astype(float)

    def unlikely(p: np.ndarray) -> float:
        z = (x - p[0]) / p[1]
        return float(np.sum(np.logaddexp(0.0, z) - outcome * z))

    best = minimize(unlikely, [24e-3, 1e-3], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-10}).x[0]
    found = threshold(x, outcome, 0.95)
    assert found.value == pytest.approx(best, rel=1e-5)
    assert found.low < 25e-3 < found.high
    assert found.high - found.low < 1.2e-3


def test_separated_outcomes_and_one_outcome() -> None:
    pytest.importorskip("statsmodels")
    found = threshold(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 0.0, 1.0, 1.0]), 0.95)
    assert found.value == pytest.approx(2.5)
    assert np.isnan(threshold(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 0.95).value)


def test_the_interval_of_a_mean_holds_the_mean_of_the_distribution() -> None:
    hits = 0
    for seed in range(100):
        found = mean(np.random.default_rng(seed).exponential(1.0, 40), 0.9)
        hits += found.low <= 1.0 <= found.high
    assert 78 <= hits <= 98


def test_a_number_of_ranks_that_is_too_small_is_a_sentence(tmp_path: Path, refused: Callable[..., str]) -> None:
    study = study_in(tmp_path, f"ranks_per_run = 2\n{STUDY}")
    assert "ranks_per_run = 2, but there are 1 ranks" in refused("campaign", "run", str(study))
    with pytest.raises(CaseError):
        read_study(tmp_path / "no.toml")
