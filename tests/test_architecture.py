"""The page on the architecture against the sources: every file, folder, class, function and field that it names exists."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
SOURCES = ("pardem", "decomposition", "io", "tests")
CODE = re.compile(r"`([^`]+)`")
NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
FENCE = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Names that are not those of this project: of tools, and of what the page says there is not.
FOREIGN = {"mpirun", "fastmath", "io/__init__.py"}


@cache
def _sources() -> dict[str, ast.Module]:
    """Syntax trees of all modules, but those that hold nothing but tests, by dotted name."""
    files = [path for folder in SOURCES for path in (ROOT / folder).rglob("*.py") if not (ROOT / folder).is_symlink()]
    files = [path for path in files if not path.name.startswith("test_")]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(path.read_text()) for path in files}


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of a module or class binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


@cache
def _members() -> dict[str, set[str]]:
    """What can follow a dot: the names that each module and each class binds, by its last name; of classes also attributes of ``self``."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, tree in _sources().items():
        found[name.rsplit(".", 1)[-1]].update(bound for statement in tree.body for bound in _bound(statement))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].update(bound for statement in node.body for bound in _bound(statement))
                found[node.name].update(n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return found


@cache
def _names() -> set[str]:
    """Every name that stands alone: modules, folders, what they bind, arguments, and the values that keys of a case take."""
    found = {part for name in _sources() for part in name.split(".")} | {path.name for path in (ROOT / "jobs").iterdir()}
    for members in _members().values():
        found |= members
    for tree in _sources().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def _exists(name: str) -> bool:
    """Whether a name, dotted or not, is one of the sources: each part must be a member of the one before."""
    first, *rest = name.split(".")
    if first not in _names():
        return False
    for part in rest:
        below = {other.split(".")[k + 1] for other in _sources() for k, p in enumerate(other.split(".")[:-1]) if p == first}
        if part not in _members().get(first, set()) | below:
            return False
        first = part
    return True


def _folders(line: str, heading: str) -> list[Path]:
    """Where a bare file name in a row of a table lies: in the folder that heads the table, or in the one that begins the row."""
    found: list[Path] = []
    for text in (heading, line):
        named = [token for token in CODE.findall(text.split("|")[1]) if token.endswith("/")]
        found += [folder / token for folder in (ROOT, ROOT / "pardem", *found) for token in named]
    return found


@cache
def _files() -> set[str]:
    """Names of all files and folders of the sources and of ``jobs``."""
    found = set(_sources()) | {path.name for path in (ROOT / "jobs").rglob("*")}
    return found | {path.name for folder in SOURCES for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts}


def _missing_path(token: str, line: str, heading: str) -> bool:
    folders = _folders(line, heading) if line.startswith("|") else []
    if "/" in token:
        return not any((folder / token).exists() for folder in (ROOT, ROOT / "pardem", *folders))
    if folders:
        return not any(list(folder.glob(token)) for folder in folders)
    return token not in _files()


def _missing(page: str) -> list[str]:
    """A sentence for each name of the page that the sources lack."""
    problems = []
    for block in FENCE.findall(page):
        problems += [f"`{m[0]}` (in a code block)" for m in NAME.finditer(block) if "." in m[0] and not _exists(m[0])]
    heading = ""
    for number, line in enumerate(page.splitlines(), 1):
        if not line.startswith("|"):
            heading = ""
        elif not heading:
            heading = line
        for token in CODE.findall(line):
            is_path = bool(re.fullmatch(r"[\w./*-]+", token)) and (token.endswith((".py", ".toml", ".txt", ".md", "/")) or "/" in token)
            if token in FOREIGN or not (is_path or NAME.fullmatch(token)):
                continue
            if _missing_path(token, line, heading) if is_path else not _exists(token):
                problems.append(f"`{token}` (line {number})")
    return problems


def test_every_name_in_the_architecture_exists() -> None:
    missing = _missing(PAGE.read_text())
    assert not missing, "docs/architecture.md names what is not in the sources; mend the page:\n" + "\n".join(missing)


def test_names_that_do_not_exist_are_found() -> None:
    page = "`engine.py`, `no_file.py`, `Engine._run`, `Engine.no_method`, `step.advance`, `no_name`\n\n"
    page += "| `laws/` | |\n|---|---|\n| `engine.py` | |\n"
    assert [problem.split(" ")[0] for problem in _missing(page)] == ["`no_file.py`", "`Engine.no_method`", "`no_name`", "`engine.py`"]
