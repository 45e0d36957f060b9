"""The MPI calls that compiled code makes, and nothing else: start and finish the halo's persistent requests and non-blocking reductions.

The calls are plain C functions of the MPI library that mpi4py has loaded; handles are passed as pointer-sized integers, which fits both Open MPI
(pointers) and MPICH (32-bit integers, in the low half of a register).
"""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding
import numpy as np
from mpi4py import MPI
from numba import types

from ..compiled.jit import njit

_LIBRARY = ctypes.CDLL(MPI.__file__, mode=ctypes.RTLD_GLOBAL)  # the extension module is linked to the MPI library: its symbols resolve through it
for _name in ("MPI_Startall", "MPI_Waitall", "MPI_Iallreduce"):
    llvmlite.binding.add_symbol(_name, ctypes.cast(getattr(_LIBRARY, _name), ctypes.c_void_p).value)

_startall = types.ExternalFunction("MPI_Startall", types.intc(types.intc, types.uintp))
_waitall = types.ExternalFunction("MPI_Waitall", types.intc(types.intc, types.uintp, types.uintp))
_iallreduce = types.ExternalFunction(
    "MPI_Iallreduce", types.intc(types.uintp, types.uintp, types.intc, types.uintp, types.uintp, types.uintp, types.uintp)
)

OPEN_MPI = "Open MPI" in MPI.Get_library_version()
STATUSES_IGNORE = 0 if OPEN_MPI else 1
HANDLE = np.dtype(np.uint64) if MPI._sizeof(MPI.Request) == 8 else np.dtype(np.uint32)


def handle_of(thing: Any) -> int:
    """Return the C handle of an mpi4py object.

    Args:
        thing: communicator, data type, operation or request.

    Returns:
        The handle as an integer.
    """
    return MPI._handleof(thing)


@njit
def start_all(requests):
    """Start persistent requests.

    Args:
        requests: (n,) their handles.

    Returns:
        MPI's error code.
    """
    return _startall(np.int32(requests.shape[0]), requests.ctypes.data)


@njit
def wait_all(requests, ignore):
    """Wait for requests.

    Args:
        requests: (n,) their handles.
        ignore: MPI_STATUSES_IGNORE as an integer.

    Returns:
        MPI's error code.
    """
    return _waitall(np.int32(requests.shape[0]), requests.ctypes.data, np.uint64(ignore))


@njit
def start_reduction(send, receive, handles, request):
    """Start an all-reduce of integers, element by element.

    Args:
        send: int64 array of this rank.
        receive: int64 array of the same size, filled with the result.
        handles: (3,) uint64 handles of the data type, the operation and the communicator.
        request: (1,) handle, set to that of the request.

    Returns:
        MPI's error code.
    """
    return _iallreduce(send.ctypes.data, receive.ctypes.data, np.int32(send.size), handles[0], handles[1], handles[2], request.ctypes.data)


__all__ = ["HANDLE", "STATUSES_IGNORE", "handle_of", "start_all", "start_reduction", "wait_all"]
