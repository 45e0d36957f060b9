"""Reading the arrays of a case's ``grains_file``."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np

from ..errors import FileError

if TYPE_CHECKING:
    from .model import Case

# what numpy raises for text, pickles, single arrays (.npy), and archives that are cut short or damaged
_UNREADABLE = (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


KINDS = {"species": "USiu"} | dict.fromkeys(("position", "orientation", "velocity", "angular_velocity", "scale"), "iuf")
"""Arrays, and the types that they may have, as in ``dtype.kind``."""


def load_grains_file(case: Case) -> dict[str, np.ndarray]:
    """Read the arrays of ``grains_file`` as they are.

    Args:
        case: validated case.

    Returns:
        The arrays by name.

    Raises:
        FileError: the file is missing, is not an .npz file, is damaged, or lacks a required array.
    """
    path, key = case.directory / str(case.grains_file), f"grains_file = '{case.grains_file}'"
    try:
        with np.load(path) as file:
            data = {name: np.array(file[name]) for name in file.files}
    except FileNotFoundError:
        raise FileError(f"{key}: {path} does not exist; give an .npz file beside the case file") from None
    except _UNREADABLE:
        raise FileError(f"{key}: {path} is not an .npz file of plain arrays, or is damaged; write it with numpy.savez") from None
    for name in ("species", "position"):
        if name not in data:
            raise FileError(f"{key} has no array '{name}'; it needs species and position")
    for name, kinds in KINDS.items():
        if name in data and (data[name].dtype.kind not in kinds or not data[name].ndim):
            what = "names or whole numbers" if name == "species" else "numbers"
            raise FileError(f"{key}: {name} must be an array of {what}, a row for each grain, not {data[name].dtype} of shape {data[name].shape}")
    return _out_of_plane(data, key) if case.dimension == 2 else data


def _out_of_plane(data: dict[str, np.ndarray], key: str) -> dict[str, np.ndarray]:
    """Arrays of a case in two dimensions with three columns: points and vectors (n, 2), angles and angular velocities (n,) about z.

    Raises:
        FileError: something leads out of the plane.
    """
    zero = {"position": (2,), "velocity": (2,), "angular_velocity": (0, 1), "orientation": (1, 2)}
    for name, columns in zero.items():
        values = data.get(name)
        if values is None or values.dtype.kind not in "iuf":
            continue
        none = np.zeros(len(values))
        if values.ndim == 2 and values.shape[1] == 2 and columns == (2,):
            data[name] = np.column_stack([values, none])
        elif values.ndim == 1 and name == "angular_velocity":
            data[name] = np.column_stack([none, none, values])
        elif values.ndim == 1 and name == "orientation":
            data[name] = np.column_stack([np.cos(0.5 * values), none, none, np.sin(0.5 * values)])
        elif values.ndim == 2 and values.shape[1] > max(columns) and values[:, columns].any():
            first = int(np.argwhere(values[:, columns].any(axis=1))[0, 0])
            raise FileError(f"{key}: {name} of grain {first} = {values[first].tolist()} leads out of the plane: the case has two dimensions")
    return data
