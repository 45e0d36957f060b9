"""Distributions of this tree for tests: made from a copy of it, so that nothing is built here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import distribution

ROOT = Path(__file__).resolve().parent.parent
ADDRESS = "https://example.org/pardem"  # of the repository, as if it had one
OTHERS = ("pardem", "pyproject.toml", "README.md", "LICENSE")


def copied_tree(folder: Path) -> Path:
    """Copy the files of the tree that belong to the sources, and give its repository an address.

    Args:
        folder: new folder for it.

    Returns:
        The folder.
    """
    for name in (*OTHERS, *distribution.WHOLE):
        for file in map(Path, distribution.files_below(ROOT / name)):
            target = folder / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
            target.chmod(file.stat().st_mode)
    for link, end in distribution.LINKS.items():
        (folder / link).symlink_to(end)
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace("[project.scripts]", f'[project.urls]\nRepository = "{ADDRESS}"\n\n[project.scripts]', 1))
    return folder


def built(kind: str, tree: Path, out: Path) -> Path:
    """Build a distribution, as pip does it but without an environment of its own.

    Args:
        kind: ``sdist`` or ``wheel``.
        tree: folder with a pyproject.toml.
        out: folder for the distribution.

    Returns:
        Its file.
    """
    code = f"import sys; from setuptools import build_meta; build_meta.build_{kind}(sys.argv[1])"
    out.mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, "-c", code, str(out)], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = out.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return made


def unpacked_sdist(folder: Path) -> Path:
    """The source distribution of the tree, unpacked.

    Args:
        folder: new folder for it.
    """
    archive = built("sdist", copied_tree(folder / "tree"), folder / "dist")
    shutil.unpack_archive(archive, folder)
    return folder / archive.name.removesuffix(".tar.gz")
