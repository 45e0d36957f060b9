"""Making an image from what this process has imported and compiled (``pardem warmup --image``), and whether an image fits the node that uses it.

Layout: a header (``image.HEADER``), the contents one after the other, and the `Index` of them, marshalled, with its place in the last eight bytes.
"""

from __future__ import annotations

import marshal
import os
import sys
import zlib
from importlib.machinery import ExtensionFileLoader, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from mpi4py import MPI
from numba.core.registry import cpu_target

from ..compiled import cache
from ..errors import FileError
from ..image import BLOCK, CODE, EXTENSION, HEADER, INTERPRETER, MAGIC, NAMESPACE, Image, Index

LIBRARIES = ".libs"  # what wheels add to the name of a package for the folder with its libraries; extension modules find them by relative paths


def require_replaceable(path: Path) -> None:
    """Refuse to write an image in place of a file that is none.

    Args:
        path: of the image; there may be an older one.

    Raises:
        FileError: the file is of another kind, or cannot be read.
    """
    try:
        with open(path, "rb") as file:
            other = file.read(len(MAGIC)) != MAGIC
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileError(f"{path}: the image could not be written ({error}); give another name") from None
    if other:
        raise FileError(f"{path}: the image could not be written: the file that is there is no image of pardem; remove it, or give another name")


def write_image(path: Path) -> tuple[int, int, int]:
    """Write an image of all modules that this process has imported and of all kernels that it has loaded or compiled.

    Args:
        path: of the image; an older one is replaced.

    Returns:
        Number of modules, number of kernels, bytes.

    Raises:
        FileError: the file could not be written.
    """
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with open(new, "w+b") as file:
            file.write(b" " * HEADER)
            index = _Writer(file).written()
            size = file.tell() - HEADER
            file.seek(HEADER)
            checksum = 0
            while block := file.read(BLOCK):
                checksum = zlib.crc32(block, checksum)
            file.seek(0)
            file.write(MAGIC + f"{INTERPRETER} {size} {checksum:08x} ".encode())
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise FileError(f"{path}: the image could not be written ({error}); give another name") from None
    return len(index.modules), len(index.kernels), size + HEADER


class _Writer:
    """Appends contents to an image, and notes their places.

    Args:
        file: behind the header.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._index = Index()
        self._index.processor = processor()
        self._roots = [os.path.abspath(root) for root in sys.path if os.path.isdir(root)]

    def written(self) -> Index:
        """Append everything there is."""
        for name, module in sorted(sys.modules.items()):
            self._add_module(name, module)
        for package in sorted({path.split(os.sep)[1] for path in self._index.files if path.count(os.sep) > 1}):
            for root in self._roots:
                for library in sorted(Path(root, package + LIBRARIES).glob("*.so*")):
                    self._add_file(str(library))
        for kernel in sorted(cache.used()):
            self._index.kernels[kernel.name] = self._append(kernel.read_bytes())
        self._index.hashes.update(cache.hashes())
        place = self._append(self._index.packed())
        self._append(place[0].to_bytes(8, "little"))
        return self._index

    def _append(self, content: bytes) -> tuple[int, int]:
        place = (self._file.tell(), len(content))
        self._file.write(content)
        return place

    def _add_module(self, name: str, module: ModuleType) -> None:
        """Take up a module that an import by its name would find."""
        spec = getattr(module, "__spec__", None)
        if spec is None or spec.name != name or name == "__main__" or not self._is_importable(name):
            return
        folders = None if spec.submodule_search_locations is None else [os.path.abspath(place) for place in spec.submodule_search_locations]
        origin = os.path.abspath(spec.origin) if spec.has_location and spec.origin else ""
        if isinstance(spec.loader, ExtensionFileLoader) and self._relative(origin):
            self._index.modules[name] = (EXTENSION, (0, 0), self._add_file(origin), folders)
        elif isinstance(spec.loader, SourceFileLoader):
            self._note(origin)
            self._index.modules[name] = (CODE, self._append(marshal.dumps(spec.loader.get_code(name))), origin, folders)
        elif not spec.has_location and spec.origin is None and folders:
            self._index.modules[name] = (NAMESPACE, (0, 0), "", folders)

    def _is_importable(self, name: str) -> bool:
        """Whether the package of a module is that of pardem or lies in a folder of the search path."""
        top = name.partition(".")[0]
        file = getattr(sys.modules.get(top), "__file__", None)
        return top == "pardem" or (file is not None and self._relative(os.path.abspath(file)) != "")

    def _relative(self, path: str) -> str:
        """Path of a file among those unpacked: number of its folder of the search path, then its place below it; empty if it is in none."""
        inside = [root for root in self._roots if path.startswith(root + os.sep)]
        if not inside:
            return ""
        root = max(inside, key=len)
        return os.path.join(str(self._roots.index(root)), os.path.relpath(path, root))

    def _add_file(self, path: str) -> str:
        relative = self._relative(path)
        self._note(path)
        self._index.files[relative] = self._append(Path(path).read_bytes())
        return relative

    def _note(self, path: str) -> None:
        status = os.stat(path)
        self._index.origins.append((path, status.st_size, status.st_mtime_ns))


def processor() -> str:
    """Processor for which kernels are compiled here: its name and a checksum of all that the compiler knows of it."""
    known = cpu_target.target_context.codegen().magic_tuple()
    return f"{known[1]} ({zlib.crc32(repr(known).encode()):08x})"


def require_fit(image: Image, comm: MPI.Comm) -> None:
    """Refuse an image whose sources have changed since, or whose kernels are for another processor. Collective.

    Args:
        image: that the process has started from.
        comm: communicator.

    Raises:
        FileError: it does not fit.
    """
    changed = comm.bcast(next(filter(None, map(_changed, image.index.origins)), "") if comm.rank == 0 else "")
    what = f"PARDEM_IMAGE = '{image.name}'"
    if changed:
        raise FileError(f"{what} is out of date: {changed} has changed since; make it anew with 'pardem warmup --image', or unset PARDEM_IMAGE")
    if image.index.processor != (here := processor()):
        raise FileError(
            f"{what} holds kernels for the processor {image.index.processor}, and this node has {here}: make an image on a node of this type, "
            "or unset PARDEM_IMAGE"
        )


def _changed(origin: tuple[str, int, int]) -> str:
    """Path of a file that an image was made from, if the file is not as it was; else nothing."""
    path, size, time = origin
    try:
        status = os.stat(path)
    except OSError:
        return path
    return "" if (status.st_size, status.st_mtime_ns) == (size, time) else path
