"""Compressed frames: the same content as frames that are not, from whichever ranks; read, resumed, assembled and checked alike."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
import zstandard
from mpi4py import MPI

import pardem
from pardem.io.results.assemble import assemble
from pardem.io.results.paths import parts_of, segments
from pardem.io.state import packing, row_writer
from pardem.io.views.compare import compare
from pardem.io.views.verify import verify

SELF = MPI.COMM_SELF
VALUE = "particles/grains/position/value"


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven chunks a field, the last one not full."""
    monkeypatch.setattr(packing, "UNIT", 8)


def method_of(file: h5py.File) -> str:
    """How the frames of a file are compressed."""
    plan = file[VALUE].id.get_create_plist()
    used = {plan.get_filter(k)[0] for k in range(plan.get_nfilters())}
    return "zstd" if packing.ZSTD in used else "gzip" if h5py.h5z.FILTER_DEFLATE in used else "none"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("plain") / "out.h5"
    scene.run(SELF, out, 50)
    return out


@pytest.mark.parametrize("method", ["gzip", "zstd"])
@pytest.mark.parametrize("one_file", [True, False])
def test_the_content_is_that_of_plain_frames(tmp_path: Path, plain: Path, method: str, one_file: bool) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, compression=method, one_file=one_file)
    assert compare(out, plain) is None
    assert not any(verdict.problems for verdict in verify(out))
    where = out if one_file else segments(parts_of(out))[0][1]
    with h5py.File(where) as file:
        assert (file[VALUE].shuffle, file[VALUE].chunks) == (True, (1, 8, 3))
        assert method_of(file) == method
    with pardem.open(out) as result:
        assert np.array_equal(result[-1].position, scene.fields(50)["position"])


@pytest.mark.parametrize(("first", "then"), [("gzip", "none"), ("none", "gzip"), ("zstd", "none"), ("gzip", "zstd")])
def test_a_run_goes_on_in_another_way(tmp_path: Path, plain: Path, first: str, then: str) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 40, compression=first, finish=False)
    assert not assemble(out)
    scene.run(SELF, out, 50, resume=True, compression=then)
    assert compare(out, plain) is None
    with h5py.File(out) as file:
        assert method_of(file) == then


def test_a_damaged_chunk_is_found(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, compression="gzip", one_file=False)
    path = segments(parts_of(out))[0][1]
    with h5py.File(path) as file:
        place = file[VALUE].id.get_chunk_info(9).byte_offset
    with open(path, "r+b") as file:
        file.seek(place + 20)
        byte = file.read(1)[0]
        file.seek(place + 20)
        file.write(bytes([byte ^ 64]))
    assert any(path.name in str(verdict) and verdict.problems for verdict in verify(out))
    results = scene.run(SELF, out, 50, resume=True, compression="gzip")
    assert any("is damaged" in notice for notice in results.notices)


def test_without_the_packages_zstd_is_refused_and_not_called_damage(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, compression="zstd")
    without = "import sys; sys.modules['hdf5plugin'] = None; sys.modules['zstandard'] = None; "
    for call in (f"import pardem; pardem.open({str(out)!r})[-1].position", "from pardem.io.state.packing import require; require('zstd')"):
        done = subprocess.run([sys.executable, "-c", without + call], capture_output=True, text=True, check=False)
        assert done.stderr.splitlines()[-1].endswith(("pip install 'pardem[zstd]'", "pip install 'pardem[zstd]', or choose \"gzip\"")), done.stderr
        assert "damaged" not in done.stderr


def test_zstd_is_what_its_library_reads() -> None:
    rows = np.arange(24.0).reshape(8, 3)
    (chunk,) = packing.chunks_of(rows, 8, "zstd")
    by_place = np.frombuffer(zstandard.ZstdDecompressor().decompress(chunk), np.uint8).reshape(8, 24)
    assert np.array_equal(np.ascontiguousarray(by_place.T).view(np.float64).reshape(8, 3), rows)


@pytest.mark.parametrize("method", ["gzip", "zstd"])
def test_numbers_that_repeat_take_less_room(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(packing, "UNIT", 1 << 15)
    rows = np.zeros((50_000, 3))
    chunks = packing.chunks_of(rows, len(rows), method)
    assert sum(map(len, chunks)) < rows.nbytes / 20


def test_what_isa_l_writes_zlib_reads() -> None:
    isal_zlib, data = pytest.importorskip("isal.isal_zlib"), np.random.default_rng(1).integers(0, 9, 99_999).tobytes()
    assert isal_zlib.crc32(data, 5) == zlib.crc32(data, 5)
    assert zlib.decompress(isal_zlib.compress(data, packing.LEVEL)) == data


@pytest.mark.mpi(min_size=2)
@pytest.mark.ranks(3)
@pytest.mark.parametrize("method", ["gzip", "zstd"])
def test_files_have_the_same_bytes_whoever_compresses(mpi_tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    comm = MPI.COMM_WORLD
    scene.run(comm, mpi_tmp_path / "together.h5", 50, compression=method, finish=False)
    scene.run(comm, mpi_tmp_path / "whole.h5", 50, compression=method)
    monkeypatch.setattr(row_writer, "parallel_hdf5", lambda: False)
    scene.run(comm, mpi_tmp_path / "serial.h5", 50, compression=method, finish=False)
    if comm.rank > 0:
        return
    scene.run(SELF, mpi_tmp_path / "alone.h5", 50, compression=method, finish=False)
    scene.run(SELF, mpi_tmp_path / "plain.h5", 50)
    alone, together, serial = (parts_of(mpi_tmp_path / f"{name}.h5") for name in ("alone", "together", "serial"))
    for _, path in segments(alone):
        assert len({(way / path.name).read_bytes() for way in (alone, together, serial)}) == 1, path.name
    assert compare(mpi_tmp_path / "whole.h5", mpi_tmp_path / "plain.h5") is None
