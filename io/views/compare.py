"""Whether two results or checkpoints are equal bit for bit: particles, observables and full state; not provenance, times of day or rank counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pardem.errors import FileError

from ..analysis.source import Source
from ..layout import CONTACTS, contact_arrays, element_names, text
from ..reading import FRAMES, KINDS, get_table, kind_of
from ..state.shared_errors import reason

ROWS = 1 << 20  # rows compared at a time


@dataclass(frozen=True)
class Difference:
    """The first difference between two files.

    Attributes:
        where: data set, step, id and component at which the files differ.
        first: value in the first file, as text.
        second: value in the second file, as text.
    """

    where: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.where}: {self.first} in the first file, {self.second} in the second"


def compare(first: Path | str, second: Path | str) -> Difference | None:
    """Compare two results, two checkpoints, or the final state of a result with a checkpoint.

    Args:
        first: result or checkpoint.
        second: result or checkpoint.

    Returns:
        The first difference (that of the earliest step, then that of the final state), or None if the files agree. NaN equals only NaN with the same
        bits, and 0.0 differs from -0.0.

    Raises:
        FileError: a file is missing, truncated or damaged, or was not written by pardem.
    """
    with Source(first) as one, Source(second) as two:
        return one.read(lambda a: two.read(lambda b: next(_differences(a, b), None)))


def _differences(a: h5py.File, b: h5py.File) -> Iterator[Difference]:
    if kind_of(a) != "checkpoint" and kind_of(b) != "checkpoint":
        yield from _constants(a, b)
        yield from _series(a, b)
    yield from _states(a, b)


def _constants(a: h5py.File, b: h5py.File) -> Iterator[Difference]:
    for name in ("id", "species", "scale", "mass"):
        yield from _datasets(a, b, f"{FRAMES}/{name}", "")
    for name in ("lower", "upper", "boundary"):
        pair = [np.asarray(f[f"{FRAMES}/box"].attrs[name]) for f in (a, b)]
        pair = [np.asarray([text(kind) for kind in values]) for values in pair] if name == "boundary" else pair  # of any length, in earlier files
        if pair[0].tobytes() != pair[1].tobytes() and pair[0].tolist() != pair[1].tolist():
            yield Difference(f"{FRAMES}/box, {name}", str(pair[0].tolist()), str(pair[1].tolist()))


def _series(a: h5py.File, b: h5py.File) -> Iterator[Difference]:
    """Differences of frames and observables in the order of their steps."""
    names = [_elements(f) for f in (a, b)]
    for name in sorted(set(names[0]) ^ set(names[1])):
        there = name in names[0]
        yield Difference(name, "present" if there else "absent", "absent" if there else "present")
    common = sorted(set(names[0]) & set(names[1]), key=lambda n: (n.startswith("observables"), "/box/" in n, n))
    found = []
    for name in common:
        steps = [f[f"{name}/step"][:] for f in (a, b)]
        rows = min(map(len, steps))
        shape = [f[f"{name}/value"].shape[1:] for f in (a, b)]
        if shape[0] != shape[1]:
            found.append((-1, Difference(f"{name}, shape of a row", str(shape[0]), str(shape[1]))))
            continue
        for t in range(rows):
            here = [int(s[t]) for s in steps]
            if here[0] != here[1]:
                found.append((min(here), Difference(f"{name}, row {t}", f"step {here[0]}", f"step {here[1]}")))
                break
            difference = next(_datasets(a, b, f"{name}/time", "", slice(t, t + 1)), None) or next(
                _datasets(a, b, f"{name}/value", f", step {here[0]}", t, by_id=not name.startswith("observables")), None
            )
            if difference:
                found.append((here[0], difference))
                break
        else:
            if len(steps[0]) != len(steps[1]):
                longer = max(steps, key=len)
                found.append((int(longer[rows]), Difference(f"{name}, number of rows", str(len(steps[0])), str(len(steps[1])))))
    found += _contacts(a, b)
    yield from (difference for _, difference in sorted(found, key=lambda pair: pair[0]))


def _contacts(a: h5py.File, b: h5py.File) -> Iterator[tuple[int, Difference]]:
    """The first difference of the contacts of frames, with its step; of frames that both files have."""
    names = [list(contact_arrays(f)) for f in (a, b)]
    for name in sorted(set(names[0]) ^ set(names[1])):
        there = name in names[0]
        yield -1, Difference(f"{CONTACTS}/{name}", "present" if there else "absent", "absent" if there else "present")
        return
    if not names[0]:
        return
    steps, first, known = ([f[f"{CONTACTS}/{what}"][()] for f in (a, b)] for what in ("step", "first", "known"))
    for t in range(min(map(len, steps))):
        step, where = int(min(s[t] for s in steps)), f", step {steps[0][t]}"
        rows = [slice(*f[t : t + 2].tolist()) for f in first]
        counts = [f"{rows[k].stop - rows[k].start}{'' if known[k][t] else ', not looked at'}" for k in (0, 1)]
        if counts[0] != counts[1]:
            yield step, Difference(f"number of {CONTACTS}{where}", *counts)
            return
        for name in names[0]:
            one, two = a[f"{CONTACTS}/{name}"], b[f"{CONTACTS}/{name}"]
            if one.dtype != two.dtype:
                yield step, Difference(f"{CONTACTS}/{name}, type", str(one.dtype), str(two.dtype))
                return
            for difference in _arrays(_rows(one, rows[0]), _rows(two, rows[1]), f"{CONTACTS}/{name}{where}", False, 0):
                yield step, difference
                return


def _elements(file: h5py.File) -> list[str]:
    """Paths of all time-dependent data: particles and observables."""
    return [f"{where}/{name}" for where in (FRAMES, "observables") for name in element_names(file, where)]


def _states(a: h5py.File, b: h5py.File) -> Iterator[Difference]:
    groups = [f.get(KINDS[kind_of(f)]) for f in (a, b)]
    if groups[0] is None or groups[1] is None:
        if groups[0] is not groups[1]:
            text = ["absent" if g is None else "present" for g in groups]
            yield Difference("final state", text[0], text[1])
        return
    headers = [get_table(g, "header") for g in groups]
    for key in sorted(set(headers[0]) | set(headers[1])):
        pair = [h.get(key) for h in headers]
        # repr tells 0.0 from -0.0, and not-a-number equals itself
        if repr(pair[0]) != repr(pair[1]):
            yield Difference(f"full state, header, {key}", repr(pair[0]), repr(pair[1]))
    names = [sorted(get_table(g, "checksums")) for g in groups]
    for name in sorted(set(names[0]) ^ set(names[1])):
        there = name in names[0]
        yield Difference(f"full state, {name}", "present" if there else "absent", "absent" if there else "present")
    both = [n for n in names[0] if n in names[1] and n != "header"]
    # keys of the contacts first: a contact more or less shifts all rows behind it
    for name in sorted(both, key=lambda n: (n.split("/")[0] == "contacts", n not in ("contacts/lower", "contacts/higher", "contacts/sub"), n)):
        yield from _datasets(groups[0], groups[1], name, ", full state", by_id=name.startswith("grains/"))


def _datasets(a: h5py.Group, b: h5py.Group, name: str, where: str, place: Any = None, by_id: bool = False) -> Iterator[Difference]:
    """First difference of two data sets, or of the same part of them: a row (number), rows (slice), or all (None)."""
    one, two = a[name], b[name]
    if one.dtype != two.dtype:
        yield Difference(f"{name}{where}, type", str(one.dtype), str(two.dtype))
        return
    if place is None and one.shape != two.shape:
        yield Difference(f"{name}{where}, shape", str(one.shape), str(two.shape))
        return
    if place is not None:
        yield from _arrays(_rows(one, place), _rows(two, place), name + where, by_id, 0)
        return
    for first in range(0, one.shape[0] if one.shape else 1, ROWS):
        part: Any = slice(first, first + ROWS) if one.shape else ()
        yield from _arrays(_rows(one, part), _rows(two, part), name + where, by_id, first)


def _rows(data: h5py.Dataset, part: Any) -> np.ndarray:
    """A part of a data set; an error names the right one of the two files."""
    try:
        return np.asarray(data[part])
    except (OSError, RuntimeError) as error:
        raise FileError(f"{data.file.filename} is damaged: {reason(error)}") from None


def _arrays(x: np.ndarray, y: np.ndarray, where: str, by_id: bool, first: int) -> Iterator[Difference]:
    if x.shape != y.shape:
        yield Difference(f"{where}, shape", str(x.shape), str(y.shape))
        return
    bits = [np.ascontiguousarray(v).reshape(-1).view(np.uint8).reshape(v.size, v.itemsize) for v in (x, y)]
    unequal = (bits[0] != bits[1]).any(axis=1)
    if not unequal.any():
        return
    index = np.unravel_index(int(np.argmax(unequal)), x.shape)
    text = where
    if x.ndim:
        text += f", {'id' if by_id else 'row'} {int(index[0]) + first}"
    if x.ndim > 1 and x.shape[1] > 1:
        text += f", component {', '.join(str(int(i)) for i in index[1:])}"
    yield Difference(text, _value(x[index]), _value(y[index]))


def _value(value: Any) -> str:
    if isinstance(value, np.floating):
        bits = value.tobytes()[::-1].hex()
        return f"{float(value)!r} ({float(value).hex()}, bits {bits})"
    if isinstance(value, np.integer):
        return f"{int(value)} ({int(value):#x})"
    return repr(value)


def main(first: Path, second: Path) -> int:
    """`pardem compare`: print the verdict; exit status 0 equal, 1 different."""
    difference = compare(first, second)
    if difference is None:
        print(f"{first} and {second} are equal bit for bit")
        return 0
    print(f"{first} and {second} differ\n  {difference.where}\n    {first}: {difference.first}\n    {second}: {difference.second}")
    return 1
