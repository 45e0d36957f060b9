"""Starting from an image: one file that holds the modules and kernels of a run, copied to each node once, instead of thousands of small files.

``PARDEM_IMAGE`` names the file, which ``pardem warmup --image`` makes (``setup/imaging.py``). The first process of a node copies it to a folder of
the node's own and unpacks the extension modules; the others wait for it. What the image lacks is imported as always. This module is imported before
all others, so it uses next to nothing that an interpreter does not have at hand.
"""

from __future__ import annotations

import marshal
import os
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader

TYPE_CHECKING = False  # that of typing would be a dozen files to open
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

MAGIC = b"pardem image 1\n"
HEADER = 256  # bytes: the magic line and one of text (interpreter, bytes that follow, their checksum), filled up with blanks
BLOCK = 1 << 22
CODE, EXTENSION, NAMESPACE = 0, 1, 2  # kinds of modules
INTERPRETER = f"{sys.implementation.cache_tag}-{sys.version_info.micro}-{sys.platform}"


class Index:
    """Table of contents, at the end of an image; the last eight bytes tell where it begins. Places are (offset, bytes).

    Attributes:
        modules: kind, place, path of the source or of the extension, folders of a package (else nothing), by name. An extension has no place: its
            path is relative to the unpacked files.
        files: places of extension modules and libraries by relative path.
        kernels: places of compiled kernels by the names of their files.
        hashes: what ``compiled.cache.source_hash`` returns, by source.
        origins: (path, bytes, time of the last change in ns) of all files that modules were taken from.
        processor: for which the kernels were compiled.
    """

    def __init__(self) -> None:
        self.modules: dict[str, tuple[int, tuple[int, int], str, list[str] | None]] = {}
        self.files: dict[str, tuple[int, int]] = {}
        self.kernels: dict[str, tuple[int, int]] = {}
        self.hashes: dict[str, str] = {}
        self.origins: list[tuple[str, int, int]] = []
        self.processor = ""

    def packed(self) -> bytes:
        """The table as bytes."""
        return marshal.dumps(vars(self))

    @classmethod
    def unpacked(cls, content: bytes) -> Index:
        """The table from bytes.

        Args:
            content: that ``packed`` returned.
        """
        index = cls()
        vars(index).update(marshal.loads(content))
        return index


class _Unfit(Exception):
    """Why an image cannot be used."""


class Image:
    """An image that has been unpacked on this node; also the finder of the modules in it.

    Args:
        name: of the image, as the user gave it.
        folder: where it is unpacked.

    Attributes:
        index: what it holds.
    """

    def __init__(self, name: str, folder: str) -> None:
        self.name, self._folder = name, folder
        self._file = os.open(os.path.join(folder, "image"), os.O_RDONLY | os.O_CLOEXEC)
        end = os.fstat(self._file).st_size
        begin = int.from_bytes(self._read((end - 8, 8)), "little")
        self.index = Index.unpacked(self._read((begin, end - 8 - begin)))

    def _read(self, place: tuple[int, int]) -> bytes:
        return os.pread(self._file, place[1], place[0])

    def kernel(self, name: str) -> bytes | None:
        """Content of the file of a kernel; None if the image lacks it.

        Args:
            name: of the file.
        """
        place = self.index.kernels.get(name)
        return None if place is None else self._read(place)

    def code(self, name: str) -> CodeType:
        """Code of a module.

        Args:
            name: of the module.
        """
        found: CodeType = marshal.loads(self._read(self.index.modules[name][1]))
        return found

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module for the import system.

        Args:
            name: of the module.
            path: folders of its package.
            target: module to be loaded again.

        Returns:
            Its specification; None if the image lacks it.
        """
        if name not in self.index.modules:
            return None
        kind, _, origin, folders = self.index.modules[name]
        loader: Any = None
        if kind == CODE:
            loader = _Loader(name, origin, self)
        elif kind == EXTENSION:
            origin = os.path.join(self._folder, "files", origin)
            loader = ExtensionFileLoader(name, origin)
        spec = ModuleSpec(name, loader, origin=origin or None, is_package=folders is not None)
        spec.has_location = kind != NAMESPACE
        if folders is not None:
            spec.submodule_search_locations = list(folders)
        return spec


class _Loader(SourceFileLoader):
    """Loads a module whose code is in an image; everything else, such as its text, is where it was.

    Args:
        name: of the module.
        origin: path of its source.
        image: that holds its code.
    """

    def __init__(self, name: str, origin: str, image: Image) -> None:
        super().__init__(name, origin)
        self._image = image

    def get_code(self, fullname: str) -> CodeType:
        """Code of the module.

        Args:
            fullname: of the module.
        """
        return self._image.code(fullname)


class _State:
    """What this process knows of its image: the image in use, and why there is none although one was asked for."""

    image: Image | None = None
    problem = ""


def in_use() -> Image | None:
    """The image that this process has started from."""
    return _State.image


def problem() -> str:
    """Why the image that was asked for is not in use, as a sentence; empty if it is, or if none was asked for."""
    return _State.problem


def enter() -> None:
    """Import from the image that ``PARDEM_IMAGE`` names from now on, if it names one and that fits."""
    name = os.environ.get("PARDEM_IMAGE")
    if not name or _State.image is not None:
        return
    try:
        image = Image(name, _unpacked(name))
    except _Unfit as error:
        _State.problem = f"PARDEM_IMAGE = '{name}' {error}; make it anew with 'pardem warmup --image', or unset PARDEM_IMAGE"
    except (OSError, ValueError, EOFError, TypeError) as error:
        _State.problem = f"PARDEM_IMAGE = '{name}' cannot be used ({error}); make it anew, choose another TMPDIR, or unset PARDEM_IMAGE"
    else:
        _State.image = image
        sys.meta_path.insert(0, image)
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for plugins opens a file of every package there is


def node_folder() -> str:
    """Folder of the node's own for unpacked images, of this user alone.

    Raises:
        _Unfit: it belongs to somebody else.
    """
    base = os.environ.get("SLURM_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    folder = os.path.join(base, f"pardem-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.stat(folder)
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise _Unfit(f"cannot be unpacked to {folder}, which others may write to")
    return folder


def _unpacked(name: str) -> str:
    """Folder of the image on this node, into which the first process that comes unpacks it."""
    if os.path.isdir(name):
        raise _Unfit("is a folder")
    with open(name, "rb") as file:
        head = file.read(HEADER)
        if len(head) < HEADER or not head.startswith(MAGIC):
            raise _Unfit("is no image of pardem, or was cut short")
        interpreter, size, checksum = head[len(MAGIC) :].decode("ascii", "replace").split()[:3]
        if interpreter != INTERPRETER:
            raise _Unfit(f"was made by another Python ({interpreter}; this is {INTERPRETER})")
        folder = os.path.join(node_folder(), f"{checksum}-{size}")
        if not os.path.exists(folder):
            import fcntl

            lock = os.open(f"{folder}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)  # the others wait here; it is released even if its holder is killed
                if not os.path.exists(folder):
                    _unpack(file, head, folder, checksum)
            finally:
                os.close(lock)
    return folder


def _unpack(file: Any, head: bytes, folder: str, checksum: str) -> None:
    """Copy an image to a folder of the node, test it, and write the files in it one by one."""
    import zlib

    new = f"{folder}.new"
    os.makedirs(os.path.join(new, "files"), exist_ok=True)
    found = 0
    with open(os.path.join(new, "image"), "wb") as copy:
        copy.write(head)
        while block := file.read(BLOCK):
            found = zlib.crc32(block, found)
            copy.write(block)
    if f"{found:08x}" != checksum:
        os.unlink(os.path.join(new, "image"))
        raise _Unfit("is damaged: its checksum is wrong")
    image = Image("", new)
    for path, place in image.index.files.items():
        target = os.path.join(new, "files", path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as copy:
            copy.write(image._read(place))
    os.close(image._file)
    os.rename(new, folder)
