"""Opening HDF5 files for writing such that an error of the disk is raised where data are written."""

from __future__ import annotations

import os
from pathlib import Path

import h5py


def writable(path: Path, mode: str) -> h5py.File:
    """Open a file for writing, by this process alone.

    HDF5 keeps small writes back until their data set is closed, which h5py does when Python drops it. An error would then be no exception: it is
    printed, the data are lost, and the library crashes when the file is closed. So nothing is kept back here but what describes the data, which is
    written when the file is flushed or closed.

    Args:
        path: path of the file.
        mode: "w" creates or replaces it, "r+" opens it.

    Returns:
        The file.

    Raises:
        OSError: it cannot be opened.
    """
    plan = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    plan.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    plan.set_sieve_buf_size(0)
    elements, slots, _, preemption = plan.get_cache()
    plan.set_cache(elements, slots, 0, preemption)
    name = os.fsencode(path)
    if mode == "w":
        return h5py.File(h5py.h5f.create(name, h5py.h5f.ACC_TRUNC, fapl=plan))
    return h5py.File(h5py.h5f.open(name, h5py.h5f.ACC_RDWR, fapl=plan))
