"""The kernels on disk: one file for each compiled function and types of arguments, found by what it was compiled from.

The name of a file holds a hash of all sources with compiled code that the function's own source imports, directly or through others, and of all that
the compiler was told. So a kernel is found again wherever pardem is installed, and is compiled again as soon as, and only if, a source that it may
use was edited. Constants that kernels use live in sources with compiled code: those that import ``compiled/jit.py``.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import parse_bitcode
from numba.core import config, entrypoints
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import compile_result
from numba.core.serialize import dumps
from numba.core.types import Callable, Dispatcher
from numba.core.types.containers import BaseNamedTuple, BaseTuple

from .. import image
from . import sources
from .interrupts import interrupts_held_back
from .lanes.width import width

_used: set[Path] = set()
_LINALG = "scipy.linalg"
if image.in_use() is not None:
    entrypoints._already_initialized = True  # numba looks for extensions of its own in a file of every package there is; pardem has none
_OPTIONS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML")


def folder() -> Path:
    """Return the folder of the kernels.

    Returns:
        It is below ``PARDEM_CACHE_DIR``, ``NUMBA_CACHE_DIR``, the user's cache or, where that cannot be written, the temporary folder.
    """
    base = os.environ.get("PARDEM_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if not base:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pardem"
        base = str(home if os.access(home.parent.parent, os.W_OK) else Path(tempfile.gettempdir()) / "pardem-cache")
    return Path(base) / platform.machine()


def source_hash(path: Path | None = None) -> str:
    """Return a hash of sources with compiled code.

    Args:
        path: path of a source, or None for all sources of pardem.

    Returns:
        16 hexadecimal digits, which follow from the texts of the sources that its kernels may use.
    """
    started_from = image.in_use()
    if started_from is not None and path is not None and str(path) in started_from.index.hashes:
        return started_from.index.hashes[str(path)]
    return sources.hash_of(path)


def hashes() -> dict[str, str]:
    """Return the hashes of all sources of pardem with compiled code, by path."""
    return {str(path): source_hash(path) for path in sources.compiled_sources()}


def used() -> set[Path]:
    """Return the files of the kernels that this process has loaded or compiled."""
    return _used


def _set_up(target_context: Any) -> None:
    """Let numba load what it knows of Python and NumPy; at the first call, of itself, what all kernels need is compiled.

    As it loads, it looks whether there is SciPy's linear algebra, which takes longer to import than the rest. Kernels that need it ask again.
    """
    put_off = _LINALG not in sys.modules
    if put_off:
        sys.modules[_LINALG] = None  # type: ignore[assignment]  # cannot be imported
    try:
        target_context.refresh()
    finally:
        if put_off:
            del sys.modules[_LINALG]


class _FromDisk(JITCodeLibrary):
    """Machine code that was on disk. Its intermediate code, which takes far longer to read, is read when code that is compiled calls it.

    Args:
        codegen: numba's maker of libraries.
        kept: what numba keeps of a library: name, kind, machine code and intermediate code.
        names: of the functions that are asked for by name.
    """

    _shared_module: Any

    def __init__(self, codegen: Any, kept: tuple[str, str, tuple[bytes, bytes]], names: set[str]) -> None:
        name, _, (machine_code, self._intermediate) = kept
        super().__init__(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        codegen._engine._defined_symbols |= names

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = parse_bitcode(self._intermediate)
        return self._shared_module


def _restored(target_context: Any, kept: Any, about: Any, environment: Any, signature: Any, *more: Any) -> Any:
    """Numba's result from what it keeps of one: the library, its description, the environment, the signature, and what else a result consists of."""
    objectmode, lifted, annotation, reload_init, environments = more
    for load in reload_init:
        load()
    library = _FromDisk(target_context.codegen(), kept, {about.llvm_func_name, about.llvm_cpython_wrapper_name})
    entry = target_context.get_executable(library, about, environment)
    for one in environments:
        library.codegen.set_env(one.env_name, one)
    return compile_result(
        target_context=target_context, typing_context=target_context.typing_context, library=library, environment=environment, entry_point=entry,
        fndesc=about, type_annotation=annotation, signature=signature, objectmode=objectmode, lifted=lifted, reload_init=reload_init,
        referenced_envs=environments,
    )  # fmt: skip


LAW_NAME = "law "  # how the names of functions begin that are named after their instructions, and so are known again by other processes


class _OfThisProcess(Exception):
    """A type that another process cannot know again: a function without such a name."""


def _spelled(kind: Any) -> str:
    """A type of numba in full: classes of named tuples with their modules."""
    if isinstance(kind, Callable):
        name = str(kind.dispatcher._uuid) if isinstance(kind, Dispatcher) else ""
        if not name.startswith(LAW_NAME):
            raise _OfThisProcess
        return name
    if isinstance(kind, BaseNamedTuple):
        own = kind.instance_class
        return f"{own.__module__}.{own.__qualname__}({', '.join(_spelled(part) for part in kind)})"
    if isinstance(kind, BaseTuple):
        return f"({', '.join(_spelled(part) for part in kind)})"
    return str(kind)


class KernelCache(_Cache):
    """The files of one function.

    Kernels that take a function which is not named after its instructions are not kept: they live as long as the process.

    Args:
        function: the function, of a source file.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._source = Path(os.path.abspath(function.__code__.co_filename))

    @property
    def cache_path(self) -> str:
        """Folder of the kernels."""
        return str(folder())

    def enable(self) -> None:
        """Nothing: it is always on."""

    def disable(self) -> None:
        """Nothing: it is always on."""

    def flush(self) -> None:
        """Remove the function's files."""
        for path in folder().glob(f"{self._name}-*.kernel"):
            path.unlink(missing_ok=True)

    @property
    def _name(self) -> str:
        return f"{self._function.__module__}.{self._function.__qualname__}".replace("<", "").replace(">", "")

    def _path(self, signature: Any, codegen: Any) -> tuple[Path, str]:
        """File of a signature, and all that it stands for."""
        cells = dumps(tuple(cell.cell_contents for cell in self._function.__closure__ or ()))
        made_by = (sys.version_info[:2], numba.__version__, llvmlite.__version__, width(), *(getattr(config, name) for name in _OPTIONS))
        code = hashlib.sha256(self._function.__code__.co_code + cells).hexdigest()
        wanted = ", ".join(_spelled(argument) for argument in signature)
        key = repr((source_hash(self._source), self._function.__code__.co_firstlineno, code, wanted, codegen.magic_tuple(), made_by))
        return folder() / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.kernel", key

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature.

        Args:
            sig: numba's types of the arguments.
            target_context: numba's context.

        Returns:
            Numba's result; None, if there is none, or none that can be read.
        """
        with interrupts_held_back():
            return self._load(sig, target_context)

    def _load(self, sig: Any, target_context: Any) -> Any:
        _set_up(target_context)
        try:
            path, key = self._path(sig, target_context.codegen())
            started_from = image.in_use()
            kept = started_from.kernel(path.name) if started_from is not None else None
            found, content = pickle.loads(kept if kept is not None else path.read_bytes())
        except (FileNotFoundError, _OfThisProcess):
            return None
        except Exception:  # a damaged file may raise anything: what it held is compiled again
            return None
        if found != key:
            return None
        _used.add(path)
        compiled = _restored(target_context, *content)
        return compiled if tuple(compiled.signature.args) == tuple(sig) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write what was compiled for a signature. Where that is impossible, as on a full disk, the kernel lives as long as the process.

        Args:
            sig: numba's types of the arguments.
            data: numba's result.
        """
        if data.library.has_dynamic_globals:
            return
        try:
            path, key = self._path(sig, data.codegen)
        except _OfThisProcess:
            return
        new = path.with_suffix(f".{uuid.uuid4().hex[:12]}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(dumps((key, data._reduce())))
            new.replace(path)
            _used.add(path)
        except OSError:
            new.unlink(missing_ok=True)
