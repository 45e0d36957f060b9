"""The sources that a compiled kernel rests on, and the hashes that stand for them.

A wheel brings the hashes along in a table, made when it was built (``jobs/packaging/distribution.py``), so that an installed pardem opens no sources
to know its kernels. The table counts only while nothing can have changed since the installation: there are the same sources, of the same sizes, and
the status of none of them is newer than that of the list of files that the installer writes last. Otherwise, and in a tree of sources, the texts are
read. This file imports the standard library alone, since the build uses it without pardem's dependencies.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from pathlib import Path

ROOT = Path(os.path.abspath(__file__)).parent.parent.parent  # not resolved: folders of the package may be links
TABLE = Path("pardem", "compiled", "sources.json")
_MARK = b"jit" + b" import"  # of sources with compiled code; in two parts, for this file has none
_MAKERS = (ROOT / "pardem" / "compiled" / "jit.py", ROOT / "pardem" / "compiled" / "nested.py")
_TYPES_ONLY = re.compile(rb"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+", re.MULTILINE)
_IMPORT = re.compile(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n]*))", re.MULTILINE)


@functools.cache
def _text(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _source(path: str) -> Path | None:
    return Path(path) if os.path.isfile(path) else None


@functools.cache
def _imports(path: Path) -> tuple[Path, ...]:
    """The sources of pardem that a source imports anywhere, but for the sake of types alone; a registry, which imports by name, all beside it."""
    found: list[Path | None] = [*sorted(path.parent.glob("**/*.py"))] if b"import_module(" in _text(path) else []
    package = ROOT if not path.is_relative_to(ROOT) else path.parent
    for dots, module, bracketed, plain in _IMPORT.findall(_TYPES_ONLY.sub(b"", _text(path))):
        if not dots and not module.startswith(b"pardem"):
            continue
        # as text from here: paths as objects take half as long again
        base = str(ROOT if not dots else package if len(dots) == 1 else package.parents[len(dots) - 2])
        base = "/".join((base, *module.decode().split("."))) if module else base
        names = re.sub(rb"#[^\n]*", b"", bracketed or plain.split(b"#")[0]).decode().split(",")
        for name in [part.split()[0] for part in names if part.split()]:
            places = (f"{base}/{name}.py", f"{base}/{name}/__init__.py", f"{base}.py", f"{base}/__init__.py")
            found.append(next(filter(None, map(_source, places)), None))
    return tuple(dict.fromkeys(filter(None, found)))


@functools.cache
def sources_of(path: Path) -> tuple[Path, ...]:
    """Return the sources that the kernels of a source may use.

    Args:
        path: path of the source.

    Returns:
        The source itself, those with compiled code that it imports, directly or through others, and what compiles them, in the order of their paths.
    """
    seen, waiting = {path, *_MAKERS}, [path]
    while waiting:
        for other in _imports(waiting.pop()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return tuple(sorted(other for other in seen if other in (path, *_MAKERS) or _MARK in _text(other)))


def _all_sources() -> list[str]:
    """Paths of all sources of pardem."""
    return [f"{place}/{name}" for place, _, names in os.walk(ROOT / "pardem", followlinks=True) for name in names if name.endswith(".py")]


def compiled_sources() -> list[Path]:
    """Return the sources of pardem with compiled code, in the order of their paths."""
    return [path for path in sorted(map(Path, _all_sources())) if path in _MAKERS or _MARK in _text(path)]


def hash_of_texts(path: Path | None) -> str:
    """Return the hash of sources with compiled code from their texts.

    Args:
        path: path of a source, or None for all sources of pardem.

    Returns:
        16 hexadecimal digits, which follow from the texts of the sources that its kernels may use.
    """
    digest = hashlib.sha256()
    for other in compiled_sources() if path is None else sources_of(path):
        digest.update((str(other.relative_to(ROOT)) if other.is_relative_to(ROOT) else other.name).encode() + _text(other))
    return digest.hexdigest()[:16]


def commit_of(tree: Path) -> str:
    """Return the commit at which a tree of sources is, as its repository notes it.

    Args:
        tree: root of the tree.

    Returns:
        12 hexadecimal digits; nothing where it is not the root of a repository.
    """
    try:
        git = tree / ".git"
        if git.is_file():  # of a work tree that hangs on another repository
            git = tree / git.read_text().partition(":")[2].strip()
        head = (git / "HEAD").read_text().strip()
        branch = head.removeprefix("ref: ")
        if branch == head:
            return head[:12]
        common = git / (git / "commondir").read_text().strip() if (git / "commondir").exists() else git
        if (common / branch).exists():
            return (common / branch).read_text().strip()[:12]
        packed = [line.split() for line in (common / "packed-refs").read_text().splitlines()]
        return next((words[0][:12] for words in packed if words[1:] == [branch]), "")
    except (OSError, ValueError):
        return ""


@functools.cache
def commit() -> str:
    """Return the commit of this pardem, as ``commit_of`` does; of an installed one that from which it was built."""
    if found := commit_of(ROOT):
        return found
    try:
        return str(json.loads((ROOT / TABLE).read_bytes()).get("commit", ""))
    except (OSError, ValueError):
        return ""


def write_table(commit: str = "") -> Path:
    """Write the table of hashes beside this file, which is part of a copy of pardem that is about to be packed.

    Args:
        commit: commit of the tree that is packed, if it is known.

    Returns:
        Path of the table.
    """
    sizes = {os.path.relpath(path, ROOT): os.path.getsize(path) for path in sorted(_all_sources())}
    hashes = {str(path.relative_to(ROOT)): hash_of_texts(path) for path in compiled_sources()}
    (ROOT / TABLE).write_text(json.dumps({"commit": commit, "sizes": sizes, "hashes": hashes, "all": hash_of_texts(None)}, indent=0) + "\n")
    return ROOT / TABLE


@functools.cache
def _table() -> dict[Path | None, str]:
    """Hashes by source, and that of all, if pardem was installed with a table that still holds; else none."""
    lists = sorted(ROOT.glob("pardem-*.dist-info/RECORD"))
    try:
        if len(lists) != 1:
            return {}
        found, installed, start = json.loads((ROOT / TABLE).read_bytes()), os.stat(lists[0]).st_ctime_ns, len(str(ROOT)) + 1
        for path in (sources := _all_sources()):
            status = os.stat(path)
            if status.st_size != found["sizes"].get(path[start:]) or status.st_ctime_ns > installed:
                return {}
    except (OSError, ValueError):
        return {}
    if len(sources) != len(found["sizes"]):
        return {}
    return {None: found["all"]} | {ROOT / name: known for name, known in found["hashes"].items()}


@functools.cache
def hash_of(path: Path | None) -> str:
    """Return the hash of sources with compiled code, from the table of the installation or else from their texts.

    Args:
        path: path of a source, or None for all sources of pardem.

    Returns:
        As ``hash_of_texts``.
    """
    return _table().get(path) or hash_of_texts(path)
