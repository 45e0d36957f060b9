"""The documentation against the program: cases that validate, links that lead somewhere, commands that the command line knows."""

from __future__ import annotations

import argparse
import re
import shlex
import tomllib
from pathlib import Path

import make_api
import pytest

from pardem.bench.scenes import BEDS
from pardem.cli import command_line
from pardem.io.casefile import read_case

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
LAUNCHER = re.compile(r"^(?:mpirun|srun)\s+-n\s+\S+\s+")


def _fences(page: Path, *languages: str) -> list[str]:
    return [body for language, body in FENCE.findall(page.read_text()) if language in languages]


def _anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def _commands(page: Path) -> list[str]:
    """The `pardem` commands in a page's code blocks, one a line, without comments and launchers."""
    lines = [part.strip() for body in _fences(page, "", "sh", "text") for line in body.splitlines() for part in line.split("; ")]
    return [command for line in lines if (command := LAUNCHER.sub("", line)).startswith("pardem ")]


def _words(command: str) -> list[str]:
    """Arguments of a command as the shell would hand them over, placeholders filled in."""
    words: list[str] = []
    for word in shlex.split(command, comments=True)[1:]:
        if word in (">", "|", "||", "&&", "&", ";"):
            break
        words.append(word)
    return words


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_whole_cases_validate(page: Path, tmp_path: Path) -> None:
    whole: Path | None = None
    for k, text in enumerate(_fences(page, "toml")):
        data = tomllib.loads(text)
        file = tmp_path / f"{k}.toml"
        if "base" in data and whole is not None:
            (tmp_path / data["base"]).write_text(whole.read_text())
        file.write_text(text)
        if {"time", "species", "contact", "stage"} <= data.keys():
            whole = file
        if whole is file or "base" in data:
            read_case(file)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{_name(page)} links to {target}, which does not exist"
        assert not anchor or anchor in _anchors(found), f"{_name(page)} links to {target}, but {_name(found)} has no such heading"


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "guide.md"], ids=_name)
def test_commands_are_known(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(parser: argparse.ArgumentParser, message: str) -> None:
        raise AssertionError(f"{parser.prog}: {message}")

    monkeypatch.setattr(argparse.ArgumentParser, "error", refuse)
    commands = _commands(page)
    assert commands
    for command in commands:
        command_line().parse_args(_words(command))


def test_guide_shows_every_command() -> None:
    shown = {_words(command)[0] for command in _commands(ROOT / "docs" / "guide.md")}
    names = re.findall(r"^    (\w+)", command_line().format_help(), re.MULTILINE)
    assert len(names) > 5
    listed = (ROOT / "docs" / "guide.md").read_text()
    for name in names:
        assert name in shown or f"`pardem {name} " in listed, f"docs/guide.md does not show pardem {name}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "api.md"], ids=_name)  # that one shows signatures only
def test_python_is_valid(page: Path) -> None:
    for body in _fences(page, "python"):
        compile(body, _name(page), "exec")


def test_every_page_is_linked_from_the_readme() -> None:
    targets = {(ROOT / t.partition("#")[0]).resolve() for t in LINK.findall((ROOT / "README.md").read_text()) if not re.match(r"[a-z]+:", t)}
    for page in PAGES[1:]:
        assert page in targets, f"README.md does not link to {_name(page)}"


def test_api_is_up_to_date() -> None:
    assert make_api.PAGE.read_text() == make_api.page(), "run: python docs/make_api.py"


def test_docstrings_of_the_api_fit_the_signatures(caplog: pytest.LogCaptureFixture) -> None:
    """The parser warns of an argument that is not in the signature, or of a section that it cannot read."""
    make_api.page()
    assert not caplog.messages


def test_architecture_names_every_file() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    for folder in ("pardem", "decomposition", "io"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if not file.name.startswith("__"):
                assert f"`{file.name}`" in text, f"docs/architecture.md does not name {file.relative_to(ROOT)}"


def _defined(file: Path) -> set[str]:
    """Names of the functions of a test file."""
    return set(re.findall(r"^def (\w+)", file.read_text(), re.MULTILINE))


def test_the_validation_names_tests_and_scripts_that_exist() -> None:
    """Test files and single tests, scripts and cases by path or by name alone, and scenes of ``pardem bench``."""
    text = (ROOT / "docs" / "validation.md").read_text()
    tests = {Path(found) for found in re.findall(r"tests/[\w*]+\.py", text)}
    assert len(tests) > 20
    for pattern in tests:
        assert list(ROOT.glob(str(pattern))), f"docs/validation.md names {pattern}, which does not exist"
    every = set().union(*map(_defined, ROOT.glob("tests/test_*.py")))
    for name in re.findall(r"`(test_\w+)`", text):
        assert name in every, f"docs/validation.md names the test {name}, which does not exist"
    for path in re.findall(r"\bjobs/[\w./-]+", text):
        assert list(ROOT.glob(path.rstrip("./").replace("NAME", "*"))), f"docs/validation.md names {path}, which does not exist"
    scripts = {path.name for path in ROOT.glob("jobs/**/*") if path.is_file()}
    for name in re.findall(r"`([\w-]+\.(?:py|toml))\b", text):
        assert name in scripts, f"docs/validation.md names {name}, which is nowhere in jobs/"
    for name in re.findall(r"pardem bench ([a-z0-9][\w-]*)", text):
        assert name in BEDS, f"docs/validation.md names pardem bench {name}, a scene that does not exist"


def test_every_figure_of_the_validation_has_the_run_that_made_it() -> None:
    """Each part of the page, by its heading or the bold words that it begins with, has a row in the table of the runs."""
    text, _, runs = (ROOT / "docs" / "validation.md").read_text().partition("## Runs that made the figures")
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    rows = " ".join(line.split("|")[1] for line in runs.splitlines() if line.startswith("|"))
    for part in parts:
        names = re.findall(r"^\*\*([^*]+?)\.?\*\*", part, re.MULTILINE) or [part.splitlines()[0]]
        for name in names:
            short = name.partition(" (")[0].rstrip(":")
            assert short.lower() in rows.lower(), f"docs/validation.md does not say which run made the figures of '{name}'"


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/theory/*.md")), ids=_name)
def test_theory_names_files_that_exist(page: Path) -> None:
    """By path from the root or from ``pardem``; by name alone, in the folder of a path in the same line or in one that the page names."""
    text = FENCE.sub("", page.read_text())
    roots = (ROOT, ROOT / "pardem")
    named = [[root / folder for root in roots if (root / folder).is_dir()] for folder in re.findall(r"`([\w/]+/)`", text)]
    assert all(named), f"{_name(page)} names a folder that does not exist"
    for line in text.splitlines():
        files = [Path(found) for found in re.findall(r"`([\w*/]+\.py)`", line)]
        beside = [root / file.parent for root in roots for file in files if len(file.parts) > 1]
        for file in files:
            places = roots if len(file.parts) > 1 else [*beside, *(folder for found in named for folder in found)]
            assert any(list(place.glob(str(file))) for place in places), f"{_name(page)} names {file}, which does not exist"
