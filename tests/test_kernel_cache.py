"""The kernels on disk: found again in another place, compiled again after an edit of a source that they use, and never wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pardem
from pardem.compiled.cache import source_hash, sources_of

PACKAGE = Path(os.path.abspath(pardem.__file__)).parent
PROBE = """
import numpy as np
import pardem
from pardem.compiled.fixedpoint import carry
sums = np.array([[1 << 62, 3], [0, 5]])
carry(sums)
print(pardem.__file__, sum(carry.stats.cache_misses.values()), sums.tolist())
"""


def test_sources_follow_from_imports() -> None:
    """Insertion knows nothing of laws, a step knows them all; what is imported for types alone does not count."""

    def names(file: str) -> set[str]:
        return {str(path.relative_to(PACKAGE)) for path in sources_of(PACKAGE / file)}

    assert names("insertion/distance.py") >= {"insertion/distance.py", "compiled/jit.py"}
    assert "laws/hertz.py" not in names("insertion/insert_kernels.py")
    assert "contacts/pairs.py" not in names("triangulation/kinetic.py")
    every = names("step.py")
    for used in ("laws/hertz.py", "walls/surfaces/cone.py", "decomposition/halo.py", "integrators/verlet.py", "contacts/sphere_lanes.py"):
        assert used in every
    assert "triangulation/kinetic.py" not in every


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two copies of the sources."""
    copies = []
    for name in ("one", "two"):
        place = tmp_path_factory.mktemp(name)
        shutil.copytree(PACKAGE, place / "pardem", ignore=shutil.ignore_patterns("__pycache__"))
        copies.append(place)
    return copies[0], copies[1]


def probe(tree: Path, cache: Path) -> tuple[int, str]:
    """Run a kernel of a copy.

    Returns:
        How often it was compiled, and what it computed.
    """
    environment = os.environ | {"PARDEM_CACHE_DIR": str(cache), "PYTHONPATH": str(tree)}
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=tree, env=environment, capture_output=True, text=True, check=True)
    file, missed, result = done.stdout.split(maxsplit=2)
    assert Path(file).is_relative_to(tree)
    return int(missed), result


def test_a_kernel_is_found_again_from_another_place_and_compiled_again_after_an_edit(trees: tuple[Path, Path], tmp_path: Path) -> None:
    one, two = trees
    first, result = probe(one, tmp_path)
    assert first == 1
    assert probe(one, tmp_path) == (0, result)
    assert probe(two, tmp_path) == (0, result)
    other = two / "pardem" / "contacts" / "pairs.py"
    other.write_text(other.read_text() + "\n")
    assert probe(two, tmp_path) == (0, result)  # does not use it
    own = two / "pardem" / "compiled" / "jit.py"
    own.write_text(own.read_text() + "\n")
    assert probe(two, tmp_path) == (1, result)
    assert probe(one, tmp_path) == (0, result)


@pytest.mark.parametrize("content", [b"", b"\x80\x05nonsense", None])
def test_a_damaged_file_is_compiled_again(trees: tuple[Path, Path], tmp_path: Path, content: bytes | None) -> None:
    one, _ = trees
    _, result = probe(one, tmp_path)
    (file,) = tmp_path.glob("**/pardem.compiled.fixedpoint.carry-*.kernel")
    file.write_bytes(file.read_bytes()[:200] if content is None else content)
    assert probe(one, tmp_path) == (1, result)
    assert probe(one, tmp_path) == (0, result)


def test_the_hash_is_that_of_texts_not_of_places(trees: tuple[Path, Path]) -> None:
    assert len(source_hash()) == 16
    assert source_hash(PACKAGE / "step.py") != source_hash(PACKAGE / "insertion" / "insert_kernels.py")
