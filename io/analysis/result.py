"""Results in Python: ``pardem.open("out.h5")`` gives frames as NumPy arrays and observables as tables, read when they are asked for."""

from __future__ import annotations

import operator
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, overload

import h5py
import numpy as np

from pardem.case import Case
from pardem.errors import FileError

from ..layout import CONTACTS, FRAMES, LayoutError, contact_arrays, elements, text
from ..reading import FIRST_FIELD, PARAMETERS, get_json, kind_of
from .frame import Frame
from .source import Source
from .tables import Observables
from .units import FIELDS

Rows = int | slice | Sequence[int] | np.ndarray


class Box(NamedTuple):
    """The domain.

    Attributes:
        lower: lower corner (m), (3,).
        upper: upper corner (m), (3,).
        periodic: whether it is periodic along each axis, (3,) bool.
    """

    lower: np.ndarray
    upper: np.ndarray
    periodic: np.ndarray


class Result(Sequence[Frame]):
    """The result of a run, finished or still under way; a sequence of frames.

    Nothing is kept open for the writer to trip over, and no locks are taken: several processes, MPI ranks among them, may read one result, and a run
    may go on writing it. What grows (``len``, ``times``, ``observables``) is what the run has closed at its last checkpoint.

    Args:
        path: the result (.h5).

    Raises:
        FileError: the file is missing, foreign or damaged, or is no result.
    """

    units = FIELDS

    def __init__(self, path: Path | str) -> None:
        self._source = Source(path)
        self._kept: dict[str, Any] = {}
        self._version: Any = None
        kind = self._source.read(kind_of)
        if kind == "checkpoint":
            raise FileError(f"{path} is a checkpoint, which holds a state and no frames: open the result of its run")

    # -- the file ---------------------------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The file."""
        return self._source.path

    def close(self) -> None:
        """Close the file; it is opened again when something is read."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        times = self.times
        span = f", t = {times[0]:.6g} to {times[-1]:.6g} s" if len(times) else ""
        return f"<result {self.path}: {self.grains} grains, {len(times)} frames{span}{'' if self.finished else ', not finished'}>"

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end."""
        return bool(self._source.read(lambda file: "pardem/final" in file))

    # -- frames -----------------------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of frames so far."""
        return len(self.steps)

    @overload
    def __getitem__(self, number: int) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> list[Frame]: ...
    def __getitem__(self, number: int | slice) -> Frame | list[Frame]:
        steps, times = self._clock()
        if isinstance(number, slice):
            return [Frame(self, k, int(steps[k]), float(times[k])) for k in range(*number.indices(len(steps)))]
        k = operator.index(number)
        if not -len(steps) <= k < len(steps):
            raise IndexError(f"{self.path} has {len(steps)} frames; there is no frame {number}")
        k %= len(steps)
        return Frame(self, k, int(steps[k]), float(times[k]))

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    @property
    def steps(self) -> np.ndarray:
        """Numbers of the time steps of the frames, (T,) int64."""
        return self._clock()[0]

    @property
    def times(self) -> np.ndarray:
        """Times of the frames (s), (T,)."""
        return self._clock()[1]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that frames hold."""
        return self._unchanging("fields", lambda file: tuple(name for name in elements(file, FRAMES) if name != "box/edges"))

    def read(self, field: str, frames: Rows = slice(None), grains: Rows = slice(None)) -> np.ndarray:
        """A field of several frames at once, without reading more than is asked for.

        Args:
            field: name (see ``fields``).
            frames: number, slice or sorted numbers of frames.
            grains: number, slice or sorted ids of grains.

        Returns:
            (T, n, width), without the axes of a single frame, a single grain and a field of one number.

        Raises:
            KeyError: there is no such field.
            IndexError: there is no such frame or grain.
        """
        if field not in self.fields:
            names = ", ".join(self.fields) or "none"
            raise KeyError(f"{self.path} has no field '{field}': it has {names}; put the field into output.fields of the case")
        if isinstance(frames, int | np.integer):
            frames = self._number(int(frames))

        def access(file: h5py.File) -> np.ndarray:
            values = file[f"{FRAMES}/{field}/value"][frames, grains]
            return np.asarray(values[..., 0] if values.shape[-1] == 1 else values)

        return self._source.read(access)

    # -- contacts ---------------------------------------------------------------------------------------------------------------------

    @property
    def contact_fields(self) -> tuple[str, ...]:
        """Names of what frames hold of each contact, beside its bodies; nothing where they show no contacts."""
        return tuple(name for name in self._contact_arrays() if name not in ("bodies", "sub"))

    @property
    def walls(self) -> tuple[str, ...]:
        """Names of the walls that contacts refer to: wall k is body -1 - k."""
        return self._growing("walls", lambda file: tuple(get_json(file, f"{CONTACTS}/walls")) if CONTACTS in file else ())

    def contact_rows(self, frame: int) -> tuple[slice, bool]:
        """Which rows of the arrays of contacts are those of a frame, and whether contacts were looked at in it.

        Raises:
            FileError: frames of the result show no contacts.
            IndexError: there is no such frame.
        """
        if not self._contact_arrays():
            raise FileError(f"{self.path} holds no contacts: put contacts = true into [output] of the case")
        frame = self._number(frame)

        def access(file: h5py.File) -> tuple[slice, bool]:
            group = file[CONTACTS]
            return slice(*group["first"][frame : frame + 2].tolist()), bool(group["known"][frame])

        return self._source.read(access)

    def read_contacts(self, name: str, rows: slice = slice(None)) -> np.ndarray:
        """An array of contacts, of all frames or of some rows (see ``contact_rows``).

        Raises:
            KeyError: there is no such array.
        """
        names = self._contact_arrays()
        if name not in names:
            there = ", ".join(names) or "nothing of them"
            raise KeyError(f"{self.path} holds no '{name}' of contacts: it has {there}; name it in output.contacts of the case")
        return self._source.read(lambda file: np.asarray(file[f"{CONTACTS}/{name}"][rows]))

    def _contact_arrays(self) -> tuple[str, ...]:
        return self._growing("contacts", lambda file: tuple(contact_arrays(file)))

    # -- what does not change ---------------------------------------------------------------------------------------------------------

    @property
    def grains(self) -> int:
        """Number of grains."""
        return len(self.ids)

    @property
    def ids(self) -> np.ndarray:
        """Ids of the grains, (n,) int64: 0, 1, ..., as in the rows of all fields."""
        return self._constant("id")

    @property
    def scale(self) -> np.ndarray:
        """Size factors of the grains, (n,)."""
        return self._constant("scale")

    @property
    def mass(self) -> np.ndarray:
        """Masses of the grains (kg; per length of the missing axis in two dimensions), (n,)."""
        return self._constant("mass")

    @property
    def radius(self) -> np.ndarray:
        """Sphero-radii of the grains (m), (n,); of spheres and disks their radius."""
        return np.asarray(self.catalogue["radius"][self.species_rows] * self.scale)

    @property
    def species_rows(self) -> np.ndarray:
        """Rows of the grains' species in ``species_names`` and ``catalogue``, (n,) int32."""
        return self._constant("species")

    @property
    def species_names(self) -> tuple[str, ...]:
        """Names of the species."""
        return tuple(species.name for species in self.case.species)

    @property
    def species(self) -> np.ndarray:
        """Names of the grains' species, (n,) str."""
        return np.array(self.species_names)[self.species_rows]

    @property
    def catalogue(self) -> dict[str, np.ndarray]:
        """Arrays of the species' shapes in their principal frames (see ``pardem.shapes.catalogue``)."""
        return self._unchanging("catalogue", lambda file: {name: array[()] for name, array in file[f"{PARAMETERS}/catalogue"].items()})

    @property
    def case(self) -> Case:
        """The effective case, defaults included; relative paths in it refer to the result's folder."""
        if "case" not in self._kept:
            self._kept["case"] = Case(**self.case_tables).located(self.path.parent)
        return self._kept["case"]

    @property
    def case_tables(self) -> dict[str, Any]:
        """The tables of the effective case as TOML gives them, unchecked: of a result that another version of pardem wrote, too."""
        return self._unchanging("case_tables", case_tables_of)

    @property
    def box(self) -> Box:
        """The domain."""

        def access(file: h5py.File) -> Box:
            attributes = file[f"{FRAMES}/box"].attrs
            periodic = np.array([text(kind) == "periodic" for kind in attributes["boundary"]])
            return Box(np.array(attributes["lower"], float), np.array(attributes["upper"], float), periodic)

        return self._unchanging("box", access)

    # -- observables ------------------------------------------------------------------------------------------------------------------

    @property
    def observables(self) -> Any:
        """The observables as a pandas DataFrame: a row for each time (s, the index), a column for each number.

        A vector's components are columns ``name[x]``, ``name[y]``, ``name[z]``, those of other arrays ``name[0]``, ``name[1]``, ... (``name[0,1]``).
        ``attrs["units"]`` has the unit of each column.
        """
        return self._observables().frame()

    @property
    def dataset(self) -> Any:
        """The observables as an xarray Dataset over ``time`` (s), arrays with their shapes; ``attrs["units"]`` of each has its unit."""
        return self._observables().dataset()

    def walls_at(self, what: str, step: int) -> dict[str, np.ndarray]:
        """What the observables say of the walls at a step.

        Args:
            what: part of the observable's name between ``wall_`` and the slash.
            step: number of the time step.

        Returns:
            (3,) or () float64 by the name of the wall, of the first row that is not before the step; nothing where it was not observed.
        """
        found = self._observables()
        if not len(found.steps):
            return {}
        row = min(int(np.searchsorted(found.steps, step)), len(found.steps) - 1)
        start = f"wall_{what}/"
        return {name[len(start) :]: np.array(values[row], dtype=float) for name, values in found.values.items() if name.startswith(start)}

    # -- inside -----------------------------------------------------------------------------------------------------------------------

    def _number(self, frame: int) -> int:
        count = len(self)
        if not -count <= frame < count:
            raise IndexError(f"{self.path} has {count} frames; there is no frame {frame}")
        return frame % count

    def _clock(self) -> tuple[np.ndarray, np.ndarray]:
        def access(file: h5py.File) -> tuple[np.ndarray, np.ndarray]:
            owner = file.get(f"{FRAMES}/{FIRST_FIELD}")
            if owner is None:
                return np.zeros(0, np.int64), np.zeros(0)
            return owner["step"][()], owner["time"][()]

        return self._growing("clock", access)

    def _observables(self) -> Observables:
        return self._growing("observables", Observables.of)

    def _constant(self, name: str) -> np.ndarray:
        return self._unchanging(name, lambda file: file[f"{FRAMES}/{name}"][()])

    def _unchanging(self, name: str, access: Any) -> Any:
        """What is the same throughout a run, read once."""
        if name not in self._kept:
            self._kept[name] = self._source.read(access)
        return self._kept[name]

    def _growing(self, name: str, access: Any) -> Any:
        """What a run adds to, read anew where the file was replaced."""
        version = self._source.version()
        if version != self._version:
            for grows in ("clock", "observables", "fields", "contacts", "walls"):
                self._kept.pop(grows, None)
            self._version = version
        return self._unchanging(name, access)


def open_result(path: Path | str) -> Result:
    """Open a result, finished or under way, as arrays and tables: ``pardem.open``.

    Args:
        path: the result (.h5).

    Returns:
        The result, a sequence of its frames; nothing but the kind of the file has been read yet.

    Raises:
        FileError: the file is missing, foreign or damaged, or is no result.
    """
    return Result(path)


def case_tables_of(file: h5py.File) -> dict[str, Any]:
    """Tables of the case that a result was made from.

    Args:
        file: the open result.

    Returns:
        The tables as TOML gives them.

    Raises:
        LayoutError: the text is no case.
    """
    try:
        case = tomllib.loads(text(file[f"{PARAMETERS}/case"]))
    except (tomllib.TOMLDecodeError, RecursionError):
        raise LayoutError(f"{PARAMETERS}/case is no TOML") from None
    if not isinstance(case.get("species"), list):
        raise LayoutError(f"{PARAMETERS}/case is no case")
    return case
