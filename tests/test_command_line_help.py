"""What the command line says of itself: examples that are right, completion, the log of a run."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pardem import cli
from pardem.examples import EXAMPLES, examples

COMMANDS = ("run", "check", "campaign", "schema", "info", "verify", "compare", "plot", "render", "export", "bench", "warmup", "scaling")


def test_every_command_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(EXAMPLES) == {"", *COMMANDS}
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        assert examples(command) in capsys.readouterr().out


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line, _ in lines if "--help" not in line])
def test_examples_parse(line: str) -> None:
    words = shlex.split(line, posix=True)
    words = words[words.index("pardem") + 1 :]
    end = next((k for k, word in enumerate(words) if word in ("|", ">", "&&")), len(words))
    arguments = cli.command_line().parse_args(words[:end])
    assert arguments.command.__name__ == words[0]


def completions(words: str, folder: Path) -> list[str]:
    """What the shell is offered behind some words."""
    pytest.importorskip("argcomplete")
    environment = {
        **os.environ, "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": words, "COMP_POINT": str(len(words)), "COMP_TYPE": "9",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "0", "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "offered"),
    }  # fmt: skip
    subprocess.run([sys.executable, "-m", "pardem"], env=environment, cwd=folder, check=False, capture_output=True)
    return [word.strip() for word in (folder / "offered").read_text().splitlines()]


def test_completion(tmp_path: Path) -> None:
    for name in ("case.toml", "out.h5", "notes.txt"):
        (tmp_path / name).touch()
    assert {"run", "check", "schema"} <= set(completions("pardem ", tmp_path))
    assert completions("pardem run c", tmp_path) == ["case.toml"]
    assert completions("pardem info ", tmp_path)[-1] == "out.h5"
    assert "notes.txt" not in completions("pardem info ", tmp_path)
    assert "cubes" in completions("pardem bench cu", tmp_path)
    assert completions("pardem run case.toml --set contact.fric", tmp_path) == ["contact.friction="]
