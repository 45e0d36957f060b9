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


def load_grains_file(case: Case) -> dict[str, np.ndarray]:
    """The arrays of ``grains_file`` as they are.

    Raises:
        FileError: it is missing, no .npz file, damaged, or lacks an array that it must have.
    """
    path, key = case.directory / str(case.grains_file), f"grains_file = '{case.grains_file}'"
    try:
        with np.load(path) as file:
            data = {name: np.array(file[name]) for name in file.files}
    except FileNotFoundError:
        raise FileError(f"{key}: {path} does not exist; give an .npz file beside the case file") from None
    except _UNREADABLE:
        raise FileError(f"{key}: {path} is no .npz file of plain arrays, or damaged; write it with numpy.savez") from None
    for name in ("species", "position"):
        if name not in data:
            raise FileError(f"{key} has no array '{name}'; it needs species and position")
    return data
