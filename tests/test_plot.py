"""Figures of observables, from files with known numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import matplotlib.image
import numpy as np
import pytest

from pardem.errors import FileError
from pardem.io.results.h5md import label, write_metadata, write_observables
from pardem.io.views.curves import container_known, read_series, smoothed
from pardem.io.views.plot import PANELS, draw, draw_budget, main
from pardem.observables.alignment import RANDOM
from pardem.observables.observable import Quantity, Reference

CASE = """
title = "{title}"
dimension = {dimension}
species = []
wall = [{{ name = "tube", kind = "cylinder" }}]
[output.observables.layers]
thickness = 4e-3
origin = 0.0
"""


def result(path: Path, taps: int = 400, title: str = "an_6", period: int = 8, dimension: int = 3, **more: Any) -> Path:
    """A run that settles for 20 rows, then crystallises with a ripple in each tap."""
    rows = taps * period
    x = np.concatenate([np.zeros(20), np.arange(1, rows + 1) / period])
    rise = np.log1p(x / 100.0) / np.log1p(41.0)
    density = 0.56 + 0.19 * rise + 0.02 * np.sin(2.0 * np.pi * x)
    angle = RANDOM.by_dimension[3] + 45.0 * rise + 0.3 * np.cos(2.0 * np.pi * x)
    layers = np.stack([density - 0.01 * k for k in range(4)] + [np.full(len(x), np.nan)], axis=1)
    time = np.arange(len(x)) * 1e-3
    values = {
        "density": density, "mean_angle": angle, "density_layers": layers, "mean_angle_layers": 90.0 * layers, "taps": x,
        "energy/kinetic_translational": 1e-7 + 0.0 * x, "energy/kinetic_rotational": 1e-8 + 0.0 * x, "energy/elastic": 1e-7 + 0.0 * x,
        "energy/gravity": 1e-5 + 0.0 * x, "energy/wall_work": 1e-6 * time, "energy/lost_damping": 5e-7 * time, "energy/lost_friction": 5e-7 * time,
        "energy/residual": 1e-10 * time,
    } | more  # fmt: skip
    values["taps"] = values.pop("never", x)
    with h5py.File(path, "w") as file:
        label(file, "result")
        write_metadata(file, CASE.format(title=title, dimension=dimension), "0" * 64, {})
        write_observables(file, np.arange(len(x)), time, {name: v for name, v in values.items() if v is not None})
    return path


def test_figure_of_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [result(tmp_path / "a.h5"), result(tmp_path / "b.h5", title="an_9")]
    assert main(files) == 0
    picture = matplotlib.image.imread(tmp_path / "a.plot.png")
    assert picture.shape[0] > 600
    assert picture[..., :3].std() > 0.02
    assert (tmp_path / "a.plot.png").stat().st_size < 300_000
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == str(tmp_path / "a.plot.png")
    density = next(line for line in lines if line.startswith("an_6: density"))
    first, last = float(density.split()[2]), float(density.split("taps, ")[1].split()[0])
    assert first == pytest.approx(0.56, abs=1e-3)
    assert last == pytest.approx(0.56 + 0.19 * np.log1p(3.995) / np.log1p(41.0), abs=1e-3)
    assert sum(line.startswith("an_9: mean_angle") for line in lines) == 1


def test_axes_have_names_units_and_a_legend(tmp_path: Path) -> None:
    series = [read_series(result(tmp_path / "a.h5"))]
    figure = draw(series)
    density, angle = figure.axes
    assert (density.get_ylabel(), angle.get_ylabel()) == ("volume fraction of grains", "mean angle to base (degrees)")
    assert (angle.get_xlabel(), angle.get_xscale()) == ("taps", "log")
    assert [text.get_text() for text in density.get_legend().get_texts()] == ["an_6"]
    assert density.get_legend().get_title().get_text() == "mean over 2 taps; faint: every row"
    raw, mean = density.lines
    assert raw.get_alpha() < 0.5
    assert raw.get_xdata()[0] == 0.125  # the rows before the first tap are left out
    y = mean.get_ydata()
    assert np.ptp(np.diff(y[np.isfinite(y)])) < 1e-3  # no ripple is left


@pytest.mark.parametrize(("dimensions", "lines"), [((3, 3), (32.704,)), ((2,), (45.0,)), ((2, 3), (32.704, 45.0))])
def test_isotropic_angle_of_space_and_of_the_plane(tmp_path: Path, dimensions: tuple[int, ...], lines: tuple[float, ...]) -> None:
    series = [read_series(result(tmp_path / f"{k}.h5", taps=5, dimension=d)) for k, d in enumerate(dimensions)]
    drawn = draw(series).axes[1].get_lines()
    assert [line.get_ydata()[0] for line in drawn if line.get_linestyle() == ":"] == pytest.approx(lines, rel=1e-4)


def test_a_run_shorter_than_the_window_is_not_averaged_and_does_not_say_so(tmp_path: Path) -> None:
    density, _ = draw([read_series(result(tmp_path / "a.h5", taps=1))]).axes
    assert len(density.lines) == 1
    assert density.get_legend().get_title().get_text() == ""


def test_a_bed_that_bounces_every_second_tap_is_drawn_smooth(tmp_path: Path) -> None:
    x = np.concatenate([np.zeros(20), np.arange(1, 801) / 8])
    density, _ = draw([read_series(result(tmp_path / "a.h5", taps=100, density=0.55 + 0.05 * np.sin(np.pi * x)))]).axes
    y = density.lines[1].get_ydata()
    assert np.ptp(y[np.isfinite(y)]) < 1e-3 * 0.05


def test_layers_have_panels_of_their_own(tmp_path: Path) -> None:
    files = [result(tmp_path / "a.h5", taps=50), result(tmp_path / "b.h5", taps=50)]
    assert main(files, out=tmp_path / "layers.png", layers=True) == 0
    figure = draw([read_series(f) for f in files], layers=True)
    assert len(figure.axes) == 6
    labels = figure.axes[1].get_legend_handles_labels()[1]
    assert labels == ["0 to 4 mm", "4 to 8 mm", "8 to 12 mm", "12 to 16 mm"]  # the empty fifth is not drawn


def test_seven_long_runs_stay_small(tmp_path: Path) -> None:
    files = [result(tmp_path / f"an_{k}.h5", taps=4134, title=f"an_{k}") for k in range(3, 10)]
    assert main(files, out=tmp_path / "all.png") == 0
    assert (tmp_path / "all.png").stat().st_size < 300_000


def test_energy_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = result(tmp_path / "a.h5", taps=20)
    assert main([file], out=tmp_path / "energy.png", energy=True) == 0
    assert "an_6: residual: 0 at 0 s, 1.79e-11 at 0.179 s J" in capsys.readouterr().out
    exchanged, held, residual = draw_budget([read_series(file, whole_run=True)]).axes
    assert (exchanged.get_ylabel(), held.get_ylabel(), residual.get_xlabel()) == ("exchanged (J)", "held (J)", "time (s)")
    assert [len(axes.lines) for axes in (exchanged, held, residual)] == [3, 3, 1]
    kinetic = held.lines[0].get_ydata()
    np.testing.assert_allclose(kinetic, 1.1e-7)


def test_energy_budget_of_grains_that_leave_and_others_that_arrive(tmp_path: Path) -> None:
    """Nine curves, more than there are colours; no two in one panel look the same."""
    x = np.arange(180.0)
    file = result(tmp_path / "a.h5", taps=20, **{"energy/outflow": -1e-8 * x, "energy/inflow": 1e-8 * x})
    assert main([file], out=tmp_path / "energy.png", energy=True) == 0
    panels = draw_budget([read_series(file, whole_run=True)]).axes
    assert [len({line.get_color() for line in axes.lines}) for axes in panels] == [5, 3, 1]


def test_without_taps_time_is_drawn(tmp_path: Path) -> None:
    series = read_series(result(tmp_path / "a.h5", taps=5, mean_angle=None, never=np.zeros(60)))
    figure = draw([series])
    assert [axes.get_xlabel() for axes in figure.axes] == ["time (s)"]


def test_moving_average() -> None:
    x = np.arange(1, 801) / 8
    y = 2.0 + 0.01 * x + np.sin(2.0 * np.pi * x)
    mean = smoothed(x, y, 1.0)
    assert np.isnan(mean[:2]).all()
    good = np.isfinite(mean)
    assert good.sum() > 780
    np.testing.assert_allclose(mean[good], 2.0 + 0.01 * x[good], atol=1e-3)
    y[400] = np.nan
    assert np.isfinite(smoothed(x, y, 1.0)[390:410]).all()
    np.testing.assert_array_equal(smoothed(x[:3], y[:3], 1.0), y[:3])


def test_stages_that_tap_follow_each_other(tmp_path: Path) -> None:
    taps = np.array([0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 0.0])
    rows = np.arange(7.0)
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        label(file, "result")
        write_metadata(file, 'species = []\nwall = [{ name = "tube", kind = "cylinder" }]', "", {})
        write_observables(file, np.arange(7), rows, {"density": rows, "taps": taps})
    series = read_series(path)
    assert list(series.x) == [0.5, 1.0, 1.5, 2.0]
    assert list(series.values["density"]) == [1.0, 2.0, 4.0, 5.0]
    assert series.label == "a"


def test_a_new_quantity_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What declares a panel gets one, with its unit and reference, and needs no word in the drawing."""
    wetness = Quantity("wetness", "kg", panel="water (kg)", reference=Reference("rain", {2: 1.0, 3: 2.0}))
    monkeypatch.setattr("pardem.io.views.plot.PANELS", (*PANELS, wetness))
    rows = result(tmp_path / "a.h5", taps=20, wetness=np.linspace(0.0, 3.0, 180))
    _, _, axes = draw([read_series(rows)]).axes
    assert axes.get_ylabel() == "water (kg)"
    assert [line.get_ydata()[0] for line in axes.get_lines() if line.get_linestyle() == ":"] == [2.0]


def test_errors_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        main([tmp_path / "none.h5"])
    bare = result(tmp_path / "bare.h5", density=None, mean_angle=None)
    with pytest.raises(FileError, match="neither density, fabric anisotropy, mean angle, outflow nor inflow"):
        main([bare])
    flat = result(tmp_path / "flat.h5", density_layers=None, mean_angle_layers=None)
    with pytest.raises(FileError, match=r"set output\.observables\.layers"):
        main([flat], layers=True)
    with pytest.raises(FileError, match=r"energy_budget"):
        main([result(tmp_path / "no.h5", **{"energy/residual": None})], energy=True)
    with pytest.raises(FileError, match="cannot be written"):
        main([flat], out=tmp_path / "no" / "such" / "folder.png")
    with pytest.raises(FileError, match="cannot be written"):
        main([flat], out=tmp_path / "figure.mp3")
    empty = tmp_path / "empty.h5"
    with h5py.File(empty, "w") as file:
        label(file, "result")
        write_metadata(file, "species = []", "", {})
    with pytest.raises(FileError, match="holds no observables"):
        main([empty])


def test_any_observables_are_drawn_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A panel for each name: an array with all its components, one component, a pattern; over the time of the whole run."""
    from pardem.io.views.named import draw_named

    steps = 400 * 8 + 20
    force = np.arange(3.0 * steps).reshape(-1, 3)
    force[5] = np.nan  # a row without contacts
    stress = np.arange(9.0 * steps).reshape(-1, 3, 3)
    files = [result(tmp_path / f"{name}.h5", title=name, **{"wall_force/base": force, "stress": stress}) for name in ("one", "two")]
    assert main(files[:1], observables=["density", "wall_force/base", "stress[0,2]", "energy/kinetic*"]) == 0
    assert (tmp_path / "one.observables.png").exists()
    assert "one: wall_force/base[z]: 2 at 0 s" in capsys.readouterr().out
    names = ["wall_force/base", "wall_force/base[y]", "stress[0,2]", "energy/kinetic*", "taps"]
    all_of, one_of, stress_of, energies, taps = draw_named([read_series(files[0], whole_run=True)], names).axes
    assert [len(axes.lines) for axes in (all_of, one_of, stress_of, energies, taps)] == [3, 1, 1, 2, 1]
    assert np.array_equal(one_of.lines[0].get_ydata(), np.delete(force[:, 1], 5))
    assert np.array_equal(stress_of.lines[0].get_ydata(), stress[:, 0, 2])
    assert [text.get_text() for text in all_of.get_legend().get_texts()] == [f"wall_force/base[{axis}]" for axis in "xyz"]
    assert (one_of.get_ylabel(), energies.get_ylabel(), taps.get_xlabel()) == ("wall force/base[y] (N)", "energy/kinetic* (J)", "time (s)")
    both = draw_named([read_series(file, whole_run=True) for file in files], ["wall_force/base"]).axes[0]
    assert [line.get_linestyle() for line in both.lines] == ["-"] * 3 + ["--"] * 3
    assert both.lines[3].get_color() == both.lines[0].get_color()
    with pytest.raises(FileError, match=r"one: no observable 'densty' was recorded; did you mean density\? There are: density, "):
        main(files[:1], observables=["densty"])


def test_names_of_observables_on_the_command_line() -> None:
    from pardem.cli import command_line

    given = command_line().parse_args(["plot", "a.h5", "--observable", "stress[0,2], energy/*,taps"])
    assert given.observable == ["stress[0,2]", "energy/*", "taps"]


PERIODIC = {"lower": [0.0] * 3, "upper": [1.0] * 3, "periodic": [True, True, False]}
PLANES = [{"kind": "plane", "normal": normal} for normal in ([2.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0])]


@pytest.mark.parametrize(("known", "case"), [
    (True, {"domain": PERIODIC}),
    (False, {"domain": PERIODIC | {"periodic": [False, True, False]}}),
    (True, {"domain": PERIODIC | {"periodic": [False, True, False]}, "wall": PLANES}),
    (False, {"domain": PERIODIC | {"periodic": [False, True, False]}, "wall": PLANES[1:]}),
    (False, {"wall": PLANES}),
    (True, {"wall": [{"kind": "cylinder"}]}),
    (True, {"domain": PERIODIC | {"periodic": [False] * 3}, "output": {"observables": {"container": "tube"}}}),
    (False, {"domain": PERIODIC | {"periodic": [False] * 3}, "wall": [{"kind": "disc"}, {"kind": "body"}]}),
])  # fmt: skip
def test_a_volume_fraction_needs_a_container(known: bool, case: dict[str, Any]) -> None:
    assert container_known({"gravity": [0.0, 0.0, -9.81]} | case, {"fill_height"}) is known


def test_no_volume_fraction_is_drawn_of_an_open_heap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "CASE", CASE.replace("cylinder", "disc"))
    heap = result(tmp_path / "a.h5", taps=20)
    assert [axes.get_ylabel() for axes in draw([read_series(heap)]).axes] == ["mean angle to base (degrees)"]
    assert main([heap], observables=["density"]) == 0  # unless it is named
    alone = result(tmp_path / "b.h5", taps=20, mean_angle=None)
    with pytest.raises(FileError, match=r"neither density.* was recorded or is defined; draw .*--observable"):
        main([alone])
