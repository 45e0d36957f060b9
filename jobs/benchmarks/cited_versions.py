"""Versions that the pages cite and the history does not hold, and the commits with which their figures came.

    python jobs/benchmarks/cited_versions.py page

Several states of the working copy may become one commit. What was measured on such a state is on file since that commit.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

from pages import PAGE, put_into_page, read_rows, table
from turns import ROOT

PART = ("<!-- versions -->\n", "<!-- end of versions -->")
PAGES = (PAGE, ROOT / "docs" / "validation.md")
NAME = re.compile(r"(?<![\w.#/-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7}(?!\w|\.\d)")


def git(*words: str, given: str = "") -> str:
    """What git prints in the working copy.

    Args:
        words: its arguments.
        given: its input.
    """
    return subprocess.run(["git", "-C", str(ROOT), *words], input=given, capture_output=True, text=True, check=True).stdout


def cited(page: str) -> list[str]:
    """The versions that a page names, apart from those of other programs and those of the part that is made here.

    Args:
        page: its text.
    """
    others = {row["Rockable"] for row in read_rows(Path(__file__).resolve().with_name("rockable_grains.csv"))}
    before, _, rest = page.partition(PART[0])
    return [name for name in dict.fromkeys(NAME.findall(before + rest.partition(PART[1])[2])) if name not in others]


def lost(names: list[str]) -> list[str]:
    """Those of some versions that the history does not hold.

    Args:
        names: of the versions.
    """
    history = {line[:7] for line in git("rev-list", "HEAD").split()}
    return [name for name in names if name not in history]


def came_with(name: str) -> str:
    """The commit that first names a version, its day and its subject.

    Args:
        name: of the version.

    Raises:
        SystemExit: no commit does.
    """
    found = git("log", f"-S{name}", "--reverse", "--date=short", "--format=%h, %ad: %s", "--", "docs", "jobs").splitlines()
    if not found:
        raise SystemExit(f"no commit names the version {name}, which the history does not hold: commit the table first")
    return found[0]


def text(page: str) -> str:
    """The part of a page.

    Args:
        page: its text.
    """
    commits: dict[str, list[str]] = {}
    for name in lost(cited(page)):
        commits.setdefault(came_with(name), []).append(name)
    return "\n".join(table(["versions", "on file since"], [[", ".join(names), commit] for commit, names in commits.items()])) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["page"])
    parser.parse_args()
    for page in PAGES:
        put_into_page(page, PART, text(page.read_text()))


if __name__ == "__main__":
    main()
