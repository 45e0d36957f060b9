"""Beds of `pardem bench` as Rockable reads them, and the table of what both codes take (jobs/benchmarks/rockable_grains.py)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rockable_grains as benchmark

from pardem.bench.scenes import bed_of, bed_width, scene_case
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene
from pardem.state.population import ContactTable, make_population


def values(text: str, key: str) -> list[float]:
    """The numbers behind a key that begins a line."""
    line = next(line for line in text.splitlines() if line.startswith(f"{key} "))
    return [float(word) for word in line.split()[1:]]


@pytest.mark.parametrize("scene", benchmark.SCENES)
def test_a_grain_has_the_mass_and_the_moments_of_the_bench(scene: str) -> None:
    grain = benchmark._shapes(scene).rpartition("<\n")[2]
    case = scene_case(scene, bed_of(scene).grains)
    shapes = build_scene(case, *size_range(case)).catalogue
    assert values(grain, "volume") == [shapes.volume[0]]
    assert shapes.mass[0] == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(values(grain, "I/m"), shapes.inertia[0] / shapes.mass[0], rtol=1e-15)
    counts = [int(values(grain, key)[0]) for key in ("nv", "ne", "nf")]
    assert counts == {"rods": [2, 1, 0], "tetrahedra": [4, 6, 4], "cubes": [8, 12, 6]}[scene.partition("-")[0]]
    assert counts[0] - counts[1] + counts[2] == (1 if scene == "rods" else 2)  # Euler's formula


def test_inner_surfaces_of_the_plates_are_the_walls() -> None:
    width = bed_width("cubes", bed_of("cubes").grains)
    inner = []
    for name, shape, centre in benchmark._walls("cubes"):
        axis, side = "xyz".index(name[-2]), int(name[-1])
        inner.append((axis, centre[axis] + (1 - 2 * side) * values(shape, "radius")[0]))
    expected = [(2, 0.0), (0, 0.0), (0, width), (1, 0.0), (1, width)]
    assert [axis for axis, _ in inner] == [axis for axis, _ in expected]
    np.testing.assert_allclose([at for _, at in inner], [at for _, at in expected], atol=1e-14 * width)


def test_grains_keep_place_and_motion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = scene_case("rods", bed_of("rods").grains)
    shapes = build_scene(case, *size_range(case)).catalogue
    turned = np.array([[0.5, 0.5, -0.5, 0.5], [1.0, 0.0, 0.0, 0.0]])
    grains = make_population(shapes, np.zeros(2, np.int32), np.ones(2), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 1.0 / 3.0]]), turned)
    grains.v[:, :3], grains.w[:, :3] = [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0]], [[0.0, 0.0, 0.3], [0.0, 0.0, 0.0]]
    monkeypatch.setattr(benchmark, "settled_tile", lambda comm, scene, count: (grains, ContactTable.blank(8)))
    benchmark._write_case(tmp_path, "rods")
    lines = (tmp_path / "case.txt").read_text().splitlines()
    assert "Particles 7" in lines
    rows = [[float(word) for word in line.split()[1:]] for line in lines if line.startswith("grain ")]
    np.testing.assert_array_equal([row[3:6] for row in rows], grains.x[:, :3])
    np.testing.assert_array_equal([row[6:9] for row in rows], grains.v[:, :3])
    np.testing.assert_array_equal([row[12:16] for row in rows], turned)
    np.testing.assert_array_equal([row[16:19] for row in rows], grains.w[:, :3])


def test_restitution_is_that_of_the_damping_of_the_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = scene_case("rods", bed_of("rods").grains)
    shapes = build_scene(case, *size_range(case)).catalogue
    one = make_population(shapes, np.zeros(1, np.int32), np.ones(1), np.ones((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]))
    monkeypatch.setattr(benchmark, "settled_tile", lambda comm, scene, count: (one, ContactTable.blank(8)))
    benchmark._write_case(tmp_path, "rods")
    text = (tmp_path / "case.txt").read_text()
    for group, mass, damping in ((0, 1.0, 20.0), (1, 0.5, 10.0)):  # a wall and a grain, two grains: reduced mass, and N s/m as in `pardem bench`
        squared = next(float(line.split()[3]) for line in text.splitlines() if line.startswith(f"en2Contact {group} 1 "))
        rate = damping / (2.0 * mass)
        frequency = np.sqrt(2e4 / mass - rate**2)
        assert squared == pytest.approx(np.exp(-rate * np.pi / frequency) ** 2, rel=1e-12)


def test_the_table_shows_the_newest_call_of_a_processor() -> None:
    rows = [dict.fromkeys(benchmark.COLUMNS, "1.5") for _ in range(2)]
    for row, call, ratio in zip(rows, ("2026-01-01 10:00", "2026-01-02 10:00"), ("1.0", "2.5"), strict=True):
        row |= {"call": call, "processor": "Some, 4 lanes", "scene": "rods", "ratio": ratio}
    written = benchmark.text(rows).splitlines()
    assert len(written) == 3
    assert "**2.50** (1.50 to 1.50)" in written[2]
    assert written[2].endswith("2026-01-02 |")
