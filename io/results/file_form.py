"""The form in which the output of a run is written: what ``[output]`` of a case says about its files."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

REAL: dict[str, np.dtype[Any]] = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}


class FileForm(NamedTuple):
    """How a result is written.

    Attributes:
        precision: precision of the frames: double or single.
        sync_frames: each frame is on the disk when it has been written, not only when the next checkpoint is.
        compression: how the fields of grains in frames are compressed: none, gzip or zstd.
        one_file: whether the result is one file in the end, for which all frames are copied; otherwise it stays an index of its parts.
    """

    precision: str = "double"
    sync_frames: bool = False
    compression: str = "none"
    one_file: bool = True

    @property
    def real(self) -> np.dtype[Any]:
        """Type of the floating-point fields of frames."""
        return REAL[self.precision]


PLAIN = FileForm()
"""What a case writes that says nothing of it."""
