"""Heaps of HDF5 files: the library reads a broken one for ever, so that pardem's files do without them, or are looked at first."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import h5py
import io_scene as scene
import pytest
from mpi4py import MPI

from pardem.errors import FileError
from pardem.io.heaps import SIGNATURE, sound_heaps
from pardem.io.reading import opened
from pardem.io.results.paths import parts_of

SELF = MPI.COMM_SELF
BLOCK = 64  # bytes that are lost
READ = """
import sys
from pardem.errors import PardemError
from pardem.io.views.info import info
from pardem.io.reading import opened
for path in sys.argv[1:]:
    try:
        info(path)
        with opened(path) as file:
            file.visititems(lambda name, item: item[()] if name.startswith("particles") and hasattr(item, "shape") else None)
        print("read")
    except (PardemError, OSError) as error:
        print("refused", error)
"""


def texts_of_any_length(file: h5py.File) -> list[str]:
    """Names of data sets, and of groups with attributes, whose type lies in a heap."""
    found = []

    def look(name: str, item: h5py.HLObject) -> None:
        types = [item.attrs.get_id(key).dtype for key in item.attrs] + ([item.dtype] if isinstance(item, h5py.Dataset) else [])
        found.extend(name for kind in types if kind.hasobject)

    look("/", file)
    file.visititems(look)
    return found


def test_texts_in_files_of_runs_have_a_fixed_length(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, one_file=False)
    files = [out, *sorted(parts_of(out).glob("*.h5"))]
    assert {path.name.partition("-")[0] for path in files} >= {"out.h5", "static.h5", "segment", "checkpoint"}
    for path in files:
        with h5py.File(path) as file:
            assert texts_of_any_length(file) == [], path
    assert not any(SIGNATURE in path.read_bytes() for path in files[1:])


def older(path: Path) -> None:
    """The form that an earlier pardem gave a file: its texts are of any length."""
    with h5py.File(path, "r+") as file:
        for owner, name in [(file, "pardem_kind"), (file, "assembled"), (file["h5md/author"], "name")]:
            owner.attrs[name] = owner.attrs[name].decode()


@pytest.mark.parametrize("form", ["older", "index"])
def test_a_heap_that_is_broken_ends_in_a_sentence(form: str, tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, one_file=form == "older")
    if form == "older":
        older(out)
    content = out.read_bytes()
    assert sound_heaps(content)
    begin = content.index(SIGNATURE)
    broken = []
    for at in range(begin + 16, begin + 1040, BLOCK):
        path = tmp_path / f"out-{at}.h5"
        path.write_bytes(content[:at] + bytes(BLOCK) + content[at + BLOCK :])
        broken.append(path)
    if form == "index":
        for path in broken:
            parts_of(path).symlink_to(parts_of(out))
    said = subprocess.run([sys.executable, "-c", READ, *broken], capture_output=True, text=True, timeout=120, check=True).stdout.splitlines()
    assert len(said) == len(broken)
    assert Counter(line.split()[0] for line in said)["refused"] >= len(broken) // 4, said
    assert any("a heap in it is broken" in line for line in said)


def test_any_byte_of_the_sources_of_an_index_is_looked_at(tmp_path: Path) -> None:
    """The library would decode the sources of a data set, and may crash, before it looks at their checksum."""
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, one_file=False)
    content = out.read_bytes()
    names = [at for at in range(len(content)) if content.startswith(b"out.h5.parts/segment", at)]
    assert len(names) >= 20
    for at in [name + further for name in names for further in range(-7, 90, 23)]:
        out.write_bytes(content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :])
        with pytest.raises(FileError, match="is damaged: a heap in it is broken"), opened(out):
            pass
    out.write_bytes(content)
    with h5py.File(out, "r+") as file:
        file.attrs["a note"] = "by somebody else, who may add texts of any length"
    with opened(out) as file:
        assert file.attrs["a note"].startswith("by somebody else")


def test_heaps_of_any_size_are_walked() -> None:
    def heap(*objects: tuple[int, int]) -> bytes:
        sizes = [(number.to_bytes(8, "little"), length.to_bytes(8, "little"), -(-length // 8) * 8 if number else 0) for number, length in objects]
        body = b"".join(number + length + bytes(room) for number, length, room in sizes)
        return (SIGNATURE + (4096).to_bytes(8, "little") + body).ljust(4096, b"\0")

    free = 4096 - 16
    assert sound_heaps(b"nothing")
    assert sound_heaps(heap((0, free)))
    assert sound_heaps(bytes(100) + heap((1, 5), (2, 30), (0, free - 24 - 48)))
    assert not sound_heaps(heap((1, 5)))  # a free rest of no length, at which the library stays
    assert not sound_heaps(heap((1, 5), (0, free)))  # beyond the end
    assert not sound_heaps(heap((0, free)) + heap((1, 5000)))
