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
