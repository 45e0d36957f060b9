"""What the site does with the pages: the README becomes its first page, formulas become MathML, and films of the gallery join their pictures.

MkDocs calls the functions by their names. Links that lead out of ``docs/`` lead to the repository if pyproject.toml names its address (``Repository``
in ``[project.urls]``); otherwise only their text is left.
"""

from __future__ import annotations

import html
import os
import re
import tomllib
from pathlib import Path, PurePosixPath
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent.parent
FILMS = ROOT / "results" / "gallery"
LINK = re.compile(r"(?P<mark>!?)\[(?P<text>[^\]]*)\]\((?P<path>(?![a-z]+:|#)[^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<tex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL)
PICTURE = re.compile(r'<p><img alt="(?P<alt>[^"]*)" src="(?P<folder>figures/gallery/)(?P<name>\w+)\.png" ?/?></p>')


def on_files(files: Files, config: Any) -> Files:
    """Add the README as the first page, and the films that have been made."""
    readme = (ROOT / "README.md").read_text()
    files.append(File.generated(config, "index.md", content=LINK.sub(lambda m: _link(m, PurePosixPath(), PurePosixPath("docs")), readme)))
    for film in sorted(FILMS.glob("*.mp4")):
        files.append(File.generated(config, f"figures/gallery/{film.name}", abs_src_path=str(film)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Mend the links of a page that lead out of ``docs/``; those in code stay as they are."""
    if page.file.src_uri == "index.md":
        return markdown  # done where it was read
    folder = PurePosixPath("docs") / PurePosixPath(page.file.src_uri).parent
    out, done = [], 0
    for fence in FENCE.finditer(markdown):
        out += [LINK.sub(lambda m: _link(m, folder, folder), markdown[done : fence.start()]), fence[0]]
        done = fence.end()
    return "".join([*out, LINK.sub(lambda m: _link(m, folder, folder), markdown[done:])])


def on_page_content(text: str, page: Any, config: Any, files: Any) -> str:
    """Turn formulas into MathML, which browsers show by themselves, and put films beside their pictures."""
    return PICTURE.sub(_film, FORMULA.sub(_formula, text))


def _link(match: re.Match[str], source: PurePosixPath, page: PurePosixPath) -> str:
    """A link as the site has it.

    Args:
        match: match of ``LINK``.
        source: folder that the link is relative to, from the root of the repository.
        page: folder of the page that it will stand on.
    """
    path, _, anchor = match["path"].partition("#")
    target = PurePosixPath(os.path.normpath(source / path)) if path else None
    if target is None or target.is_relative_to("docs"):
        relative = os.path.relpath(target, page) if target is not None else ""
        return f"{match['mark']}[{match['text']}]({relative}{'#' if anchor else ''}{anchor})"
    address = _repository()
    return f"{match['mark']}[{match['text']}]({address}/{'raw' if match['mark'] else 'blob'}/HEAD/{target})" if address else match["text"]


def _repository() -> str:
    """Address of the repository, empty if it has none."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get("urls", {})
    return str(urls.get("Repository", "")).rstrip("/")


def _formula(match: re.Match[str]) -> str:
    """A formula of TeX as MathML."""
    return convert(html.unescape(match["tex"]).strip(), display="block" if match["tag"] == "div" else "inline")


def _film(match: re.Match[str]) -> str:
    """A picture, and below it the film if there is one."""
    if not (FILMS / f"{match['name']}.mp4").exists():
        return match[0]
    film = f"{match['folder']}{match['name']}.mp4"
    return f'{match[0]}\n<p><video src="{film}" controls loop muted preload="metadata" style="max-width: 100%"></video></p>'
