"""What pardem is given away as: source distribution, citation, container and conda recipe."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from email.parser import Parser
from pathlib import Path
from typing import Any

import distribution
import packages
import pytest
import yaml
from conftest import CLEAN_ENVIRONMENT

from pardem import cli
from pardem.compiled import sources
from pardem.compiled.sources import commit_of
from pardem.version import FORMAT, LAYOUT, VERSION

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = {"matplotlib": "matplotlib-base", "isal": "python-isal"}  # what PyPI's packages are called there


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked elsewhere."""
    return packages.unpacked_sdist(tmp_path_factory.mktemp("sdist"))


def test_the_source_distribution_is_the_tree(unpacked: Path) -> None:
    some = ("tests/conftest.py", "tests/scenes.py", "jobs/setup", "docs/guide.md", "docs/figures/rubble.png", "CITATION.cff", ".ci/run")
    for name in (*some, "io/casefile.py", "io/results/writer.py"):
        assert (unpacked / name).is_file(), name
    for link, target in distribution.LINKS.items():
        assert (unpacked / link).readlink() == Path(target)
    assert not list(unpacked.rglob("*.pyc"))


def test_its_own_tests_pass(unpacked: Path) -> None:
    """A few of them, with no other pardem on the path."""
    some = ["tests/test_case_model.py", "tests/test_tables.py"]
    environment = CLEAN_ENVIRONMENT | {"PYTHONPATH": str(unpacked)}
    code = f"import pardem, pytest, sys; assert pardem.__file__.startswith({str(unpacked)!r}); sys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "-q", "-p", "no:cacheprovider", *some]
    done = subprocess.run(command, cwd=unpacked, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert re.search(r"[1-9]\d+ passed", done.stdout)


def test_the_readme_shows_on_a_package_index(unpacked: Path) -> None:
    text = Parser().parsestr((unpacked / "PKG-INFO").read_text()).get_payload()
    places = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert places
    assert all(place.startswith(f"{packages.ADDRESS}/raw/HEAD/docs/figures/") for place in places)
    assert f"]({packages.ADDRESS}/blob/HEAD/docs/guide.md)" in text
    assert (unpacked / "README.md").read_text() == (ROOT / "README.md").read_text()


def test_addresses_and_anchors_stay_as_they_are() -> None:
    text = "[a](https://x.org/b) [c](#d) [e](f/g.md#h) ![i](j.png)"
    changed = "[a](https://x.org/b) [c](#d) [e](https://y.org/z/blob/HEAD/f/g.md#h) ![i](https://y.org/z/raw/HEAD/j.png)"
    assert distribution.absolute(text, "https://y.org/z/") == changed


def test_versions_agree() -> None:
    assert PROJECT["version"] == VERSION
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == VERSION
    assert yaml.safe_load((ROOT / "jobs/packaging/recipe.yaml").read_text())["context"]["version"] == VERSION


COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORIES: dict[str, dict[str, str]] = {
    "branch": {".git/HEAD": "ref: refs/heads/a/b\n", ".git/refs/heads/a/b": f"{COMMIT}\n"},
    "packed": {".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": f"# pack-refs\n{'f' * 40} refs/heads/mainly\n{COMMIT} refs/heads/main\n"},
    "detached": {".git/HEAD": f"{COMMIT}\n"},
    "work tree": {
        ".git": "gitdir: there/worktrees/here\n", "there/worktrees/here/HEAD": "ref: refs/heads/main\n",
        "there/worktrees/here/commondir": "../..\n", "there/refs/heads/main": f"{COMMIT}\n",
    },
    "none": {}, "begun": {".git/HEAD": "ref: refs/heads/main\n"},
}  # fmt: skip


@pytest.mark.parametrize("kind", REPOSITORIES)
def test_the_commit_of_a_tree_is_read_from_its_repository(tmp_path: Path, kind: str) -> None:
    for name, content in REPOSITORIES[kind].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert commit_of(tmp_path) == ("" if kind in ("none", "begun") else COMMIT[:12])


def test_the_commit_of_this_tree_is_that_of_git(capsys: pytest.CaptureFixture[str]) -> None:
    said = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if said.returncode or not (ROOT / ".git").exists():
        pytest.skip("this tree is no repository")
    assert commit_of(ROOT) == said.stdout[:12]
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"pardem {VERSION} (commit {said.stdout[:12]}), states of layout {LAYOUT}, files of format {FORMAT}\n"


def test_a_wheel_knows_the_commit_it_was_built_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is the one that `distribution.Package` writes."""
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "_MAKERS", ())
    (tmp_path / "pardem" / "compiled").mkdir(parents=True)
    assert sources.commit.__wrapped__() == ""
    sources.write_table("0123456789ab")
    assert sources.commit.__wrapped__() == "0123456789ab"


def test_the_citation_has_what_the_format_demands() -> None:
    """Keys and values of the Citation File Format 1.2.0."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= cited.keys() <= {
        "cff-version", "message", "title", "authors", "type", "version", "license", "abstract", "keywords", "repository-code", "date-released", "doi",
        "url",
    }  # fmt: skip
    assert cited["type"] == "software"
    assert cited["license"] == PROJECT["license"]
    assert all(set(author) <= {"name", "family-names", "given-names", "orcid", "affiliation", "website"} for author in cited["authors"])
    assert len(set(cited["keywords"])) == len(cited["keywords"])


def test_the_conda_recipe_has_the_parts_of_its_format_and_our_requirements() -> None:
    recipe = yaml.safe_load((ROOT / "jobs/packaging/recipe.yaml").read_text())
    assert recipe.keys() <= {"schema_version", "context", "package", "source", "build", "requirements", "tests", "about", "extra"}
    assert recipe["schema_version"] == 1
    assert recipe["package"] == {"name": PROJECT["name"], "version": "${{ version }}"}
    assert recipe["requirements"].keys() <= {"build", "host", "run", "run_constraints", "run_exports", "ignore_run_exports"}
    entry_points = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entry_points
    assert recipe["about"]["license"] == PROJECT["license"]
    assert f"python {PROJECT['requires-python']}" in recipe["requirements"]["run"]
    wanted = set()
    for requirement in PROJECT["dependencies"]:
        name, limits = re.fullmatch(r"([\w-]+)(.*)", requirement.partition(";")[0]).groups()  # type: ignore[union-attr]
        wanted.add(f"{CONDA.get(name, name)} {limits.removeprefix('==')}".strip())
    assert wanted <= set(recipe["requirements"]["run"])


def test_the_container_has_its_sections_and_installs_what_the_setup_needs() -> None:
    text = (ROOT / "jobs/packaging/pardem.def").read_text()
    header, *rest = re.split(r"^%(\w+)", text, flags=re.MULTILINE)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    assert dict(line.split(": ", 1) for line in header.strip().splitlines()).keys() == {"Bootstrap", "From"}
    assert sections.keys() <= {"help", "files", "post", "environment", "runscript", "test", "labels", "setup"}
    for line in sections["files"].strip().splitlines():
        source, target = line.split()
        assert (ROOT / source).exists(), source
        assert target.startswith("/opt/pardem/")
    (wanted,) = re.findall(r"wanted=\(([^)]*)\)", (ROOT / "jobs/setup").read_text())
    assert set(wanted.split()) <= set(sections["post"].replace("\\", " ").split())
    for name in ("post", "runscript", "test"):
        assert subprocess.run(["bash", "-n"], input=sections[name], text=True, check=False).returncode == 0, name
