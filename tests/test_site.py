"""The documentation as a site: built without a warning, complete, and without anything from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = ROOT / "docs" / "site" / "mkdocs.yml"
FORMULA = re.compile(r"\$\$.+?\$\$|(?<![\\$])\$(?!\s)[^$`]+?(?<!\s)\$(?![\d$])", re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


class Loaded(HTMLParser):
    """What a page loads or leads to, by its tags.

    Attributes:
        places: of scripts, styles, pictures, films.
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "video", "source", "iframe"):
            self.places.append(given.get("src") or "")
        elif tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon"):
            self.places.append(given.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(CONFIGURATION), "-d", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    return out


def test_every_page_is_there(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in ROOT.glob("docs/**/*.md")} | {Path("index")}
    assert {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")} == pages | {Path("404")}
    named = set(re.findall(r"[\w/-]+\.md", yaml.dump(yaml.unsafe_load(CONFIGURATION.read_text())["nav"])))
    assert named == {f"{page}.md" for page in pages}


def test_formulas_are_rendered(site: Path) -> None:
    for page in sorted((ROOT / "docs").glob("**/*.md")):
        wanted = len(FORMULA.findall(CODE.sub("", page.read_text())))
        text = (site / page.relative_to(ROOT / "docs").with_suffix(".html")).read_text()
        assert text.count("<math ") == wanted, page.name
        assert "arithmatex" not in text, page.name
        assert not re.search(r"<mtext>\\|<mi>\\", text), f"{page.name}: a command of TeX is left in a formula"
    assert (site / "theory" / "laws.html").read_text().count("<mfrac>") > 10


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        found = Loaded()
        found.feed(page.read_text())
        assert found.places
        for place in filter(None, found.places):
            assert not re.match(r"(?:https?:)?//", place), f"{page.name} loads {place}"
            if page.name != "404.html" and not place.startswith("data:"):
                assert (page.parent / place.partition("?")[0]).exists(), f"{page.name} loads {place}, which is not in the site"


def test_links_of_the_first_page_lead_into_the_site(site: Path) -> None:
    text = (site / "index.html").read_text()
    assert 'href="guide.html"' in text
    assert "docs/figures" not in text
    assert "<img" in text
