"""Results in Python: ``pardem.open("out.h5")`` gives frames as NumPy arrays and observables as tables, read when they are asked for."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import h5py
import numpy as np

from pardem.errors import FileError

from ..layout import CONTACTS, FRAMES, contact_arrays, element_names, text
from ..reading import FIRST_FIELD, PARAMETERS, get_json
from .constants import Constants
from .data_frames import TimeSeries
from .frame import Frame
from .grain_arrays import TENSOR
from .units import FIELDS

Rows = int | slice | Sequence[int] | np.ndarray


class Result(Constants, Sequence[Frame]):
    """The result of a run, finished or still under way; a sequence of frames.

    Nothing is kept open for the writer to trip over, and no locks are taken: several processes, MPI ranks among them, may read one result, and a run
    may go on writing it. What grows (``len``, ``times``, ``observables``) is what the run has closed at its last checkpoint.

    ``pardem.open`` makes it; ``with pardem.open("out.h5") as result`` closes the file in the end.
    """

    units = FIELDS

    def __repr__(self) -> str:
        times = self.times
        span = f", t = {times[0]:.6g} to {times[-1]:.6g} s" if len(times) else ""
        return f"<result {self.path}: {self.grains} grains, {len(times)} frames{span}{'' if self.finished else ', not finished'}>"

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end."""
        return bool(self._source.read(lambda file: "pardem/final" in file))

    @property
    def case_hash(self) -> str:
        """Hash of the case, as far as it decides the trajectory."""
        return str(self._unchanging("case_hash", lambda file: text(file[PARAMETERS].attrs["case_hash"])))

    @property
    def checkpoint_step(self) -> int:
        """Step of the newest checkpoint of a run that is not finished; -1: there is none."""
        return self._source.read(lambda file: int(file.attrs.get("checkpoint_step", -1)))

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
        return self._growing("fields", lambda file: tuple(name for name in element_names(file, FRAMES) if name != "box/edges"))

    @property
    def precision(self) -> str:
        """``double`` or ``single``: of the positions in frames."""
        access = lambda file: file[f"{FRAMES}/{FIRST_FIELD}/value"].dtype.itemsize  # noqa: E731
        return "single" if self._growing("precision", access) == 4 else "double"

    def read(self, field: str, frames: Rows = slice(None), grains: Rows = slice(None)) -> np.ndarray:
        """A field of several frames at once, without reading more than is asked for.

        Args:
            field: name (see ``fields``).
            frames: number, slice or sorted numbers of frames.
            grains: number, slice or sorted ids of grains.

        Returns:
            (T, n, width), of the stress (T, n, 3, 3), without the axes of a single frame, a single grain and a field of one number.

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
            if field == TENSOR:
                return np.asarray(values.reshape(*values.shape[:-1], 3, 3))
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

    # -- observables ------------------------------------------------------------------------------------------------------------------

    @property
    def observables(self) -> Any:
        """The observables as a pandas DataFrame: a row for each time (s, the index), a column for each number.

        A vector's components are columns ``name[x]``, ``name[y]``, ``name[z]``, those of other arrays ``name[0]``, ``name[1]``, ... (``name[0,1]``).
        ``attrs["units"]`` has the unit of each column.
        """
        return self.series.frame()

    @property
    def series(self) -> TimeSeries:
        """The observables as NumPy arrays: their steps, times and values by name."""
        return self._growing("observables", TimeSeries.of)

    def series_of(self, name: str) -> TimeSeries:
        """The same of one observable, which reads no others.

        Args:
            name: its name; where there is no such observable, there are no steps either.
        """
        return self._growing(f"observables/{name}", lambda file: TimeSeries.of(file, name))

    @property
    def dataset(self) -> Any:
        """The observables as an xarray Dataset over ``time`` (s), arrays with their shapes; ``attrs["units"]`` of each has its unit."""
        return self.series.dataset()

    def walls_at(self, what: str, step: int) -> dict[str, np.ndarray]:
        """What the observables say of the walls at a step.

        Args:
            what: part of the observable's name between ``wall_`` and the slash.
            step: number of the time step.

        Returns:
            (3,) or () float64 by the name of the wall, of the first row that is not before the step; nothing where it was not observed.
        """
        found, start = self.series.at(step), f"wall_{what}/"
        return {name[len(start) :]: np.array(value, dtype=float) for name, value in found.items() if name.startswith(start)}

    def stage_at(self, step: int) -> str | None:
        """Name of the stage that a step belongs to; None where the result does not tell.

        Args:
            step: number of the time step.
        """
        number, stages = self.series.at(step).get("stage"), self.case_tables.get("stage") or []
        if number is None or not 0 <= int(number) < len(stages):
            return None
        return str(stages[int(number)].get("name"))

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


def open_result(path: Path | str) -> Result:
    """Open a result, finished or under way, as arrays and tables: ``pardem.open``.

    Args:
        path: the result (.h5).

    Returns:
        The result, a sequence of its frames; nothing but the kind of the file has been read yet.

    Raises:
        FileError: the file is missing, foreign or damaged, or is no result.
    """
    result = Result(path)
    if result.kind != "result":
        result.close()
        raise FileError(f"{path} is a part of the output of a run, which is no result by itself: name the result beside its folder")
    return result
