"""Grains that a case gives one by one, in its ``grains_file`` or as ``[[grain]]``: read, checked and completed some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..case import Case
from ..case.grains_file import BLOCK, GrainsFile
from ..errors import FileError

COLUMNS = {"species": (), "scale": (), "position": (3,), "orientation": (4,), "velocity": (3,), "angular_velocity": (3,)}
"""Arrays of given grains, and the shapes of a row."""


def given_count(case: Case) -> int:
    """Number of grains that a case gives one by one.

    Raises:
        FileError: ``grains_file`` cannot be read.
    """
    return len(case.grain) + (GrainsFile(case).count if case.grains_file else 0)


def given_grains(case: Case, every: int = 1) -> dict[str, np.ndarray]:
    """Grains that a case gives one by one, as arrays by name: those of ``grains_file`` first, then each ``[[grain]]``.

    Args:
        case: validated case.
        every: 1 for all of them, n for the first and each n-th after it.

    Returns:
        The arrays of `COLUMNS`; species as rows of the case's list, orientations of length one.

    Raises:
        FileError: ``grains_file`` cannot be read, or holds what cannot be.
    """
    parts, first = [_made(0)], 0
    for table in given_blocks(case):
        parts.append({name: values[-first % every :: every] for name, values in table.items()})
        first += len(table["species"])
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


def given_blocks(case: Case, rows: int = BLOCK) -> Iterator[dict[str, np.ndarray]]:
    """The same some rows at a time.

    Args:
        case: validated case.
        rows: number of rows of ``grains_file`` to be read at a time.

    Yields:
        Arrays as ``given_grains`` returns them.
    """
    if case.grains_file:
        yield from file_blocks(case, rows)
    if case.grain:
        number = {s.name: row for row, s in enumerate(case.species)}
        quaternion = np.array([g.orientation for g in case.grain], dtype=float).reshape(-1, 4)
        quaternion /= np.sqrt((quaternion**2).sum(axis=1, keepdims=True))
        yield {
            "species": np.array([number[g.species] for g in case.grain], dtype=np.int64),
            "scale": np.array([g.scale for g in case.grain], dtype=float),
            "position": np.array([g.position for g in case.grain], dtype=float).reshape(-1, 3),
            "orientation": quaternion,
            "velocity": np.array([g.velocity for g in case.grain], dtype=float).reshape(-1, 3),
            "angular_velocity": np.array([g.angular_velocity for g in case.grain], dtype=float).reshape(-1, 3),
        }


def file_blocks(case: Case, rows: int = BLOCK) -> Iterator[dict[str, np.ndarray]]:
    """The grains of the ``grains_file`` of a case.

    Args:
        case: validated case.
        rows: number of rows to be read at a time.

    Yields:
        Arrays as ``given_grains`` returns them.

    Raises:
        FileError: the file cannot be read, or holds what cannot be.
    """
    file, key = GrainsFile(case), f"grains_file = '{case.grains_file}'"
    names = [s.name for s in case.species]
    for first, data in file.blocks(rows):
        table: dict[str, Any] = _made(min(rows, file.count - first)) | data
        for name, shape in COLUMNS.items():
            there = file.shapes.get(name, (file.count,))[:1] + table[name].shape[1:]
            if there != (file.count, *shape):
                raise FileError(f"{key}: array '{name}' must be of shape {(file.count, *shape)}, not {there}")
            if name != "species" and not np.isfinite(table[name]).all():
                row = int(np.argwhere(~np.isfinite(table[name]))[0, 0])
                raise FileError(f"{key}: {name} of grain {first + row} = {table[name][row].tolist()} must be finite")
        table["species"] = _rows(table["species"], names, key)
        table["orientation"] = _normalised(table["orientation"], key)
        yield {name: np.asarray(table[name], None if name == "species" else np.float64) for name in COLUMNS}


def _made(count: int) -> dict[str, np.ndarray]:
    """Grains of the first species at rest."""
    table = {name: np.zeros((count, *shape)) for name, shape in COLUMNS.items()}
    table["species"] = np.zeros(count, np.int64)
    table["scale"][:] = table["orientation"][:, 0] = 1.0
    return table


def _rows(species: np.ndarray, names: list[str], key: str) -> np.ndarray:
    """Rows of species that are given as rows or by name."""
    if species.dtype.kind in "iu":
        if species.size and not (species.min() >= 0 and species.max() < len(names)):
            raise FileError(f"{key}: species rows must be 0 to {len(names) - 1}")
        return species.astype(np.int64)
    known, row = np.unique(species, return_inverse=True)
    unknown = sorted(set(map(str, known)) - set(names))
    if unknown:
        raise FileError(f"{key} names species '{unknown[0]}'; the case has {', '.join(names)}")
    return np.array([names.index(str(s)) for s in known], dtype=np.int64)[row]


def _normalised(orientation: np.ndarray, key: str) -> np.ndarray:
    """Quaternions of length one."""
    largest = np.abs(orientation).max(axis=1, keepdims=True, initial=0.0)
    if not (largest > 0).all():
        raise FileError(f"{key}: orientations must not be zero")
    # scaled by powers of two, which change no digit, so that no square over- or underflows
    scaled = np.ldexp(orientation, -np.frexp(largest)[1])
    return np.asarray(scaled / np.sqrt((scaled**2).sum(axis=1, keepdims=True)))
