"""The kernels on disk: found again in another place, compiled again after an edit of a source that they use, and never wrong."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.bytecode import FunctionIdentity

import pardem
from pardem.compiled.cache import source_hash
from pardem.compiled.sources import sources_of
from pardem.laws import user

PACKAGE = Path(os.path.abspath(pardem.__file__)).parent
PROBE = """
import numpy as np
import pardem
from pardem.compiled.fixedpoint import carry
sums = np.array([[1 << 62, 3], [0, 5]])
carry(sums)
print(pardem.__file__, sum(carry.stats.cache_misses.values()), sums.tolist())
"""


CALLER = """
import sys
import numpy as np
import pardem
from pardem.compiled.fixedpoint import carry
from pardem.compiled.jit import njit

@njit(cache=False)
def twice(sums, a):
    carry(sums)
    sums[0, 0] += 1 << 40
    carry(sums)
    return np.dot(a, a)

sums = np.array([[1 << 62, 3], [0, 5]])
again = sums.copy()
carry(sums)
before = "scipy.linalg" in sys.modules
product = twice(again, np.array([[1.0, 1.0], [0.0, 1.0]]))
sums[0, 0] += 1 << 40
carry(sums)
print(pardem.__file__, sum(carry.stats.cache_misses.values()), before, (sums == again).all(), product.tolist())
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


def probe(tree: Path, cache: Path, text: str = PROBE, **variables: str) -> tuple[int, str]:
    """Run a kernel of a copy by a program; ``variables``: of the environment.

    Returns:
        How often it was compiled, and what it computed.
    """
    own = {"PARDEM_CACHE_DIR": str(cache), "PYTHONPATH": str(tree), "NUMBA_BOUNDSCHECK": "0"}  # also where all tests check indices
    environment = os.environ | own | variables
    done = subprocess.run([sys.executable, "-c", text], cwd=tree, env=environment, capture_output=True, text=True, check=True)
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


def test_compiled_code_calls_a_kernel_from_disk(trees: tuple[Path, Path], tmp_path: Path) -> None:
    """Its intermediate code is read then, and the linear algebra of SciPy is loaded where a kernel needs it, not before."""
    one, _ = trees
    expected = "False True [[1.0, 2.0], [0.0, 1.0]]\n"
    assert [probe(one, tmp_path, CALLER) for _ in range(2)] == [(1, expected), (0, expected)]


def test_kernels_that_check_indices_are_kept_apart(trees: tuple[Path, Path], tmp_path: Path) -> None:
    one, _ = trees
    first, result = probe(one, tmp_path)
    assert probe(one, tmp_path, NUMBA_BOUNDSCHECK="1") == (first, result)
    assert probe(one, tmp_path, NUMBA_BOUNDSCHECK="1") == probe(one, tmp_path) == (0, result)
    beyond = subprocess.run(
        [sys.executable, "-c", PROBE.replace("carry(sums)", "carry(sums[:, :1])")], cwd=one, capture_output=True, text=True, check=False,
        env=os.environ | {"PARDEM_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(one), "NUMBA_BOUNDSCHECK": "1"},
    )  # fmt: skip
    assert "IndexError: index is out of bounds" in beyond.stderr


def test_kernels_of_other_numbers_of_lanes_are_kept_apart(trees: tuple[Path, Path], tmp_path: Path) -> None:
    one, _ = trees
    _, result = probe(one, tmp_path, PARDEM_LANES="4")
    assert probe(one, tmp_path, PARDEM_LANES="8") == (1, result)
    assert probe(one, tmp_path, PARDEM_LANES="8") == probe(one, tmp_path, PARDEM_LANES="4") == (0, result)


def test_a_damaged_file_is_compiled_again(trees: tuple[Path, Path], tmp_path: Path) -> None:
    one, _ = trees
    _, result = probe(one, tmp_path)
    (file,) = tmp_path.glob("**/pardem.compiled.fixedpoint.carry-*.kernel")
    for content in (b"", b"\x80\x05nonsense", file.read_bytes()[:200]):
        file.write_bytes(content)
        assert probe(one, tmp_path) == (1, result)
    assert probe(one, tmp_path) == (0, result)


def test_the_hash_is_that_of_texts_not_of_places(trees: tuple[Path, Path]) -> None:
    assert len(source_hash()) == 16
    assert source_hash(PACKAGE / "step.py") != source_hash(PACKAGE / "insertion" / "insert_kernels.py")


LAW = """
import numba

@numba.njit
def spring(x):
    return {stiffness} * x

def stiffening(delta, rate, m_eff, r_eff, parameters):
    return spring(delta) + parameters[0] * rate
"""
USE = """
import sys
from pathlib import Path
import numpy as np
from pardem.compiled.jit import njit
from pardem.laws.user import UserLaw, load_user_law, normal_force

@njit
def push(law, overlap):
    return normal_force(law, (1.0, 2.0, 0.0, 0.0, 0.0, 0.0), overlap, 0.5, 1.0, 1.0, 0.0).force

table = np.ones((1, 1))
law = UserLaw(load_user_law(Path(sys.argv[1]), "law.py:stiffening"), np.ones((1, 1, 1)), table, table, table, table, table, 1.0)
print(push(law, 0.25), sum(push.stats.cache_misses.values()))
"""


def test_kernels_of_a_users_law_are_known_again_until_it_is_edited(tmp_path: Path) -> None:
    """The script is a file, since only functions of files are kept."""
    (tmp_path / "use.py").write_text(USE)
    environment = os.environ | {"PARDEM_CACHE_DIR": str(tmp_path / "cache")}

    def push(stiffness: float) -> tuple[float, int]:
        (tmp_path / "law.py").write_text(LAW.format(stiffness=stiffness))
        done = subprocess.run(
            [sys.executable, "use.py", str(tmp_path)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        force, missed = done.stdout.split()
        return float(force), int(missed)

    assert push(8.0) == (2.5, 1)
    assert push(8.0) == (2.5, 0)
    assert push(4.0) == (1.5, 1)  # the text is as long as before, and may be of the same second


def test_the_name_of_a_users_law_does_not_follow_from_what_was_compiled_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba counts the functions that it has compiled, and the number is part of their names in the code."""
    (tmp_path / "law.py").write_text(LAW.format(stiffness=8.0))
    names = []
    for count in (7, 1234567):
        monkeypatch.setattr(FunctionIdentity, "_unique_ids", itertools.count(count))
        monkeypatch.setattr(user, "_known", {})
        names.append(user.load_user_law(tmp_path, "law.py:stiffening")._uuid)
    assert names[0] == names[1]


TWINS = """
from typing import NamedTuple
import numpy as np
from pardem.compiled.jit import njit
from pardem.compiled.static import static

class Slow(NamedTuple):
    a: np.ndarray
    b: np.ndarray

class Fast(NamedTuple):
    a: np.ndarray
    b: np.ndarray

@static(lambda kind: 1.0 if kind is Slow else 9.0)
def speed(kind):
    "Of a kind."

@njit
def gain(kind):
    return kind.a[0] * speed(kind)

one = np.ones(1)
print(gain(Slow(one, one)), gain(Fast(one, one)))
"""


def test_types_that_differ_in_name_alone_have_kernels_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "twins.py").write_text(TWINS)
    environment = os.environ | {"PARDEM_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run([sys.executable, "twins.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["1.0", "9.0"]
    assert len(list(tmp_path.glob("cache/**/*.kernel"))) == 2


INTERRUPTED = """
import signal, sys
from numba.core.codegen import CPUCodeLibrary

signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell, interrupts are ignored

real, seen, at = CPUCodeLibrary._object_getbuffer_hook.__func__, [0], int(sys.argv[1])

def asked(library, module):
    seen[0] += 1
    if seen[0] == at:
        signal.raise_signal(signal.SIGINT)
    return real(library, module)

CPUCodeLibrary._object_getbuffer_hook = classmethod(asked)
import numpy as np
from pardem.compiled.fixedpoint import carry

sums = np.array([[1 << 62, 3], [0, 5]])
try:
    carry(sums)
except KeyboardInterrupt:
    print("interrupted", end=" ")
carry(sums)
print(sum(carry.stats.cache_misses.values()), seen[0] >= at)
"""


def test_an_interrupt_waits_for_machine_code(tmp_path: Path) -> None:
    """LLVM asks Python for code it may know: of what all kernels need, of a kernel that is compiled, and of one from a file."""
    for at, compiled in ((1, 1), (2, 0), (2, 1)):
        cache = tmp_path / ("one" if at == 1 or not compiled else "other")
        command, variables = [sys.executable, "-c", INTERRUPTED, str(at)], os.environ | {"PARDEM_CACHE_DIR": str(cache)}
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"interrupted {compiled} True\n", "")
