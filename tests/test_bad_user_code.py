"""Code that a case brings along: it is named, can be forbidden, and what does not work is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pardem import cli

USER = ["--set", "contact={law='user', user_law='law.py:f', force_scale=1.0}"]


def test_code_that_a_case_brings_along_is_named_and_can_be_forbidden(
    folder: Path, refused: Callable[..., str], capfd: pytest.CaptureFixture[str]
) -> None:
    Path("law.py").write_text("from pathlib import Path\nPath('ran').touch()\ndef f(delta, rate, m, r, p):\n    return 1e3 * delta\n")
    for command in ("check", "run", "warmup"):
        said = refused(command, "case.toml", *USER, "--no-user-code")
        assert said.startswith("case.toml: contact.user_law = 'law.py:f' is code that comes with the case, which --no-user-code forbids to run")
    assert not Path("ran").exists()
    assert cli.main(["check", "case.toml", *USER, "--effective"]) == 0
    assert not Path("ran").exists()
    assert cli.main(["check", "case.toml", *USER]) == 0
    assert "contact.user_law = 'law.py:f' runs code that comes with the case; --no-user-code forbids it" in capfd.readouterr().out
    assert Path("ran").exists()
    assert cli.main(["check", "case.toml", "--no-user-code"]) == 0


LAW = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\ndef f(delta, rate, m, r, p):\n    return 1e3 * delta\n"
MEASURE = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\ndef steps(result):\n    return 1\n"
SEEDS = """
case = "case.toml"
set = { "stage" = [{ name = "go", kind = "run", steps = 20 }], "output.frame_steps" = 10 }
[[axis]]
key = "seed"
seeds = 1
"""
COUNTED = '[[measure]]\nname = "left"\nobservable = "energy/kinetic_translational"\n'
FUNCTION = '[[measure]]\nname = "steps"\nfunction = "measures.py:steps"\n'
LAWS = '[[axis]]\nkey = "contact"\nname = "law"\nvalues = [{ law = "user", user_law = "law.py:f", force_scale = 1.0 }]\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{SEEDS}{COUNTED}{FUNCTION}", "measure.steps.function = 'measures.py:steps' is code that comes with the study"),
        (f"{SEEDS}{LAWS}{COUNTED}", "contact.user_law = 'law.py:f' is code that comes with the case"),
    ],
)
def test_code_of_a_study_is_named_and_can_be_forbidden(
    folder: Path, refused: Callable[..., str], capfd: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    Path("law.py").write_text(LAW)
    Path("measures.py").write_text(MEASURE)
    Path("study.toml").write_text(text)
    said = refused("campaign", "run", "study.toml", "--no-user-code")
    assert said.startswith(f"study.toml: {words}, which --no-user-code forbids to run")
    assert not Path("ran").exists()
    capfd.readouterr()
    assert cli.main(["campaign", "run", "study.toml", "--walltime", "0:00:00"]) == 75
    assert f"code       {words.partition(' is code')[0]} runs code that comes with the study; --no-user-code forbids it" in capfd.readouterr().out


def test_a_study_without_code_runs_where_code_is_forbidden(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("study.toml").write_text(f"{SEEDS}{COUNTED}")
    assert cli.main(["campaign", "run", "study.toml", "--no-user-code"]) == 0
    assert "code " not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("raise RuntimeError('no')", "cannot be loaded (RuntimeError: no)"),
        ("def f(:", "cannot be loaded (SyntaxError: "),
        ("import sys\nsys.exit(3)", "cannot be loaded (SystemExit: 3)"),
        ("g = 1", "has no function 'f'"),
        ("f = 1", "has no function 'f'"),
        ("def f(delta):\n    return delta", "does not compile as f(delta, rate, m_eff, r_eff, parameters)"),
        ("def f(delta, rate, m, r, p):\n    return open(delta)", "does not compile as f(delta, rate, m_eff, r_eff, parameters)"),
        ("def f(delta, rate, m, r, p):\n    pass", "must return the force as a number, not none"),
    ],
)
def test_a_law_of_the_user_that_cannot_be(folder: Path, refused: Callable[..., str], text: str, expected: str) -> None:
    Path("law.py").write_text(text)
    said = refused("check", "case.toml", *USER)
    assert said.startswith("case.toml: contact.user_law = 'law.py:f'")
    assert expected in said
