"""How setuptools builds the distributions of pardem: a source distribution that is the whole tree, a wheel with the hashes of its kernels, and a
README whose images show anywhere.

`[tool.setuptools] cmdclass` in pyproject.toml names the classes. The address of the repository is the only setting: `Repository` in `[project.urls]`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path
from typing import Any

from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info
from setuptools.command.sdist import sdist

WHOLE = ("CITATION.cff", ".ci", "decomposition", "docs", "io", "jobs", "tests")  # added to what setuptools takes by itself
LINKS = {"pardem/decomposition": "../decomposition", "pardem/io": "../io"}
LEFT_OUT = ("__pycache__", ".pytest_cache", ".hypothesis")
GENERATED = (".pyc", ".h5", ".npz", ".vtkhdf")


class Metadata(egg_info):  # type: ignore[misc]
    """Metadata whose description leads to the repository where the README leads to files beside it."""

    def run(self) -> None:
        """Write the metadata."""
        described: Any = self.distribution.metadata
        urls = dict(described.project_urls) if isinstance(described.project_urls, dict) else {}
        if described.long_description and "Repository" in urls:
            described.long_description = absolute(described.long_description, urls["Repository"])
        super().run()


class Package(build_py):  # type: ignore[misc]
    """The modules of a wheel, and the table of their hashes and their commit; a tree that is installed to be edited gets none."""

    def run(self) -> None:
        """Copy the modules and write the table."""
        super().run()
        if not self.editable_mode:
            spec = importlib.util.spec_from_file_location("copied_sources", Path(self.build_lib, "pardem", "compiled", "sources.py"))
            assert spec is not None
            assert spec.loader is not None
            copied = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(copied)
            copied.write_table(copied.commit_of(Path.cwd()))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """List what was built.

        Args:
            include_bytecode: whether compiled modules are listed as well.
        """
        table = [] if self.editable_mode else [os.path.join(self.build_lib, "pardem", "compiled", "sources.json")]
        return [*super().get_outputs(include_bytecode), *table]


class SourceDistribution(sdist):  # type: ignore[misc]
    """A source distribution with everything that the tests need, and with the links of the tree as links."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Lay out the files of the distribution.

        Args:
            base_dir: folder that becomes the archive.
            files: paths relative to the root of the tree of what setuptools takes by itself.
        """
        super().make_release_tree(base_dir, sorted({*files, *(file for name in WHOLE for file in files_below(Path(name)))}))
        for link, target in LINKS.items():
            place = Path(base_dir) / link
            shutil.rmtree(place, ignore_errors=True)
            os.symlink(target, place)


def files_below(path: Path) -> list[str]:
    """The files of a folder that belong to the sources, or the file itself.

    Args:
        path: relative to the root of the tree.

    Returns:
        Paths relative to the root.
    """
    if path.is_file():
        return [str(path)]
    found = (file for file in sorted(path.rglob("*")) if file.is_file() and file.suffix not in GENERATED)
    return [str(file) for file in found if not any(part in LEFT_OUT or part.endswith(".parts") for part in file.parts)]


def absolute(text: str, address: str) -> str:
    """Let the images and links of a Markdown text lead to a repository.

    Args:
        text: text in Markdown, with paths relative to the root of the repository.
        address: address of the repository on the web.

    Returns:
        The text with addresses in place of relative paths; anchors within the page stay.
    """
    root = address.rstrip("/")

    def address_of(match: re.Match[str]) -> str:
        kind = "raw" if match["mark"] else "blob"
        return f"{match['mark']}[{match['text']}]({root}/{kind}/HEAD/{match['path']})"

    return re.sub(r"(?P<mark>!?)\[(?P<text>[^\]]*)\]\((?P<path>(?![a-z]+:|#)[^)\s]+)\)", address_of, text)
