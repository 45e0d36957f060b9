"""Reading case files: base files, settings, and what is said about broken ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from case_scene import scene

from pardem.case import Case
from pardem.errors import CaseError
from pardem.io.casefile import merge, read_case


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.toml").write_text(Case(**scene()).to_toml())
    return tmp_path


def write(folder: Path, text: str, name: str = "case.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_reads(folder: Path) -> None:
    case = read_case(folder / "base.toml")
    assert case.model_dump() == Case(**scene()).model_dump()
    assert case.directory == folder


def test_base_merges_by_key_and_by_name(folder: Path) -> None:
    (folder / "sub").mkdir()
    path = write(
        folder / "sub",
        'base = "../base.toml"\n[contact]\nfriction = 0.1\n[[stage]]\nname = "shake"\ntaps = 7\n'
        '[[stage]]\nname = "rest"\nkind = "run"\ntime = 0.5\n[[species]]\nname = "rod"\nlength = 1e-3\n',
    )
    case = read_case(path)
    assert (case.contact.friction, case.contact.restitution) == (0.1, 0.5)
    assert [(s.name, s.kind) for s in case.stage] == [("settle", "settle"), ("shake", "vibrate"), ("rest", "run")]
    assert (case.stage[1].taps, case.stage[1].frequency) == (7, 30.0)
    assert [s.name for s in case.species] == ["bead", "rod"]
    assert case.species[1].length == 1e-3


def test_chain_of_bases(folder: Path) -> None:
    write(folder, 'base = "base.toml"\nseed = 5\ntitle = "middle"\n', "middle.toml")
    case = read_case(write(folder, 'base = "middle.toml"\ntitle = "top"\n'))
    assert (case.seed, case.title) == (5, "top")


@pytest.mark.parametrize(
    ("below", "top", "expected"),
    [
        ({"a": {"kind": "x", "r": 1}}, {"a": {"kind": "y"}}, {"a": {"kind": "y"}}),
        ({"a": {"kind": "x", "r": 1}}, {"a": {"kind": "x", "s": 2}}, {"a": {"kind": "x", "r": 1, "s": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": [{"x": 1}]}, {"a": [{"y": 1}]}, {"a": [{"y": 1}]}),
        ({"o": {"frame_taps": 1, "z": 1}}, {"o": {"frame_steps": 2}}, {"o": {"frame_steps": 2, "z": 1}}),
        ({"contact": {"restitution": 0.5, "contact_time": 1.0, "friction": 0.0}}, {"contact": {"normal_stiffness": 1.0}},
         {"contact": {"normal_stiffness": 1.0, "friction": 0.0}}),
        ({"contact": {"restitution": 0.5, "contact_time": 1.0}}, {"contact": {"law": "elastic"}},
         {"contact": {"law": "elastic", "contact_time": 1.0}}),
    ],
)  # fmt: skip
def test_merge(below: dict[str, Any], top: dict[str, Any], expected: dict[str, Any]) -> None:
    assert merge(below, top) == expected


def test_settings(folder: Path) -> None:
    settings = [
        "contact.restitution=0.2",
        "stage.shake.taps = 30",
        "insert.0.count=3",
        "wall.base.motion=fixed",
        'title="two words"',
        "output.file=results/x.h5",
        "detection.skin=auto",
        "gravity=[0.0, 0.0, -1.6]",
        "stage.shake.amplitude=1e-3",
        "output.observables.layers.thickness=4e-3",
    ]
    case = read_case(folder / "base.toml", settings)
    assert (case.contact.restitution, case.stage[1].taps, case.insert[0].count) == (0.2, 30, 3)
    assert (case.title, case.output.file, case.gravity) == ("two words", "results/x.h5", (0.0, 0.0, -1.6))
    assert (case.stage[1].amplitude, case.stage[1].gamma) == (1e-3, None)
    assert case.output.observables.layers is not None
    assert case.output.observables.layers.thickness == 4e-3


def test_setting_another_law_one_key_after_the_other(folder: Path) -> None:
    case = read_case(folder / "base.toml", ["contact.law=hertz", "contact.young=1e6", "contact.poisson=0.3", "contact.reference_speed=1.0"])
    assert (case.contact.law, case.contact.contact_time, case.contact.restitution) == ("hertz", None, 0.5)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("contact.restituton=0.2", "unknown key contact.restituton; did you mean 'restitution'?"),
        ("stage.shak.taps=3", "--set stage.shak.taps=3: there is no stage.shak; entries are settle, shake; did you mean 'shake'?"),
        ("insert.4.count=3", "there is no insert.4; entries are 0 to 0"),
        ("seed", "must read key=value"),
        ("=3", "must read key=value"),
        ("seed=[1", "the value is no valid TOML"),
        ("seed.x=1", "seed = 0 is no table"),
        ("seed=1.5", "seed = 1.5 must be a whole number"),
        ("stage.shake.taps=many", "stage.shake.taps = 'many' must be a whole number"),
    ],
)
def test_bad_settings(folder: Path, setting: str, expected: str) -> None:
    with pytest.raises(CaseError) as caught:
        read_case(folder / "base.toml", [setting])
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"time = {step = 1e-5", "case.toml: is no valid TOML: "),
        (b"seed = 1\nseed = 2\n", "is no valid TOML"),
        (b"\xff\xfe", "is no text in UTF-8"),
        (b"base = 3\n", "base = 3 must be the name of a case file"),
        (b'base = "case.toml"\n', "base leads back to this file"),
        (b'base = "bse.toml"\n', "bse.toml: no such case file (base of "),
        (b"", "case.toml: time is missing"),
    ],
)
def test_broken_files(folder: Path, content: bytes, expected: str) -> None:
    (folder / "case.toml").write_bytes(content)
    with pytest.raises(CaseError) as caught:
        read_case(folder / "case.toml")
    assert expected in str(caught.value)


def test_missing_file_and_folder(folder: Path) -> None:
    with pytest.raises(CaseError, match=r"basse\.toml: no such case file; did you mean 'base\.toml'\?"):
        read_case(folder / "basse.toml")
    with pytest.raises(CaseError, match="cannot be read: Is a directory"):
        read_case(folder)


def test_every_line_names_the_file(folder: Path) -> None:
    path = write(folder, 'base = "base.toml"\nsed = 1\n[time]\nstep = 0.0\n')
    with pytest.raises(CaseError) as caught:
        read_case(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{path}: ") for line in lines)
