"""What messages between two ranks of this machine cost, in the terms of the model: measured with the calls that the compiled step makes."""

from __future__ import annotations

import time
from statistics import median

import numpy as np
from mpi4py import MPI

from pardem.compiled.clock import cycles
from pardem.compiled.jit import njit
from pardem.decomposition.mpi_calls import HANDLE, STATUSES_IGNORE, handle_of, start_all, start_reduction, wait_all
from pardem.scaling.machine import Machine

SIZES = (64, 1024, 2048, 4096, 8192, 16384, 32768, 65536)  # bytes
REPEATED, BATCHES = 100, 15
PAUSE = 50e-6  # seconds of other work between the start and the end of an exchange: longer than it takes


@njit
def _exchanged(requests, ignore, times, pause):
    """Exchange some times with other work between the start and the end; returns the cycles of one exchange, that work left out."""
    begin = cycles()
    for _ in range(times):
        start_all(requests)
        since = cycles()
        while cycles() - since < pause:
            pass
        wait_all(requests, ignore)
    return (cycles() - begin) / times - pause


@njit
def _agreed(mine, result, handles, request, ignore, times):
    """Reduce some times; returns the cycles of one reduction."""
    begin = cycles()
    for _ in range(times):
        start_reduction(mine, result, handles, request)
        wait_all(request, ignore)
    return (cycles() - begin) / times


def messages_here(comm: MPI.Comm) -> Machine:
    """Measure latency, overhead, time of a byte, eager length and time of a reduction between two ranks. Collective; all ranks get the same numbers.

    A message whose receiver computes before it waits costs no more than its overhead where it travels meanwhile, and all of its time where it does
    not: the eager length is the largest size at which less than half of that time is left.

    Args:
        comm: communicator of an even number of ranks, which exchange in pairs; of one rank, where messages cost nothing.
    """
    if comm.size == 1:
        return Machine()
    rate = _cycles_a_second()
    pairs = {size: _Pair(comm, size) for size in SIZES}
    # batch by batch, since the cores of a virtual machine may be moved apart at any time
    batches = [[(pairs[size].exchange(0.0, rate), pairs[size].exchange(PAUSE, rate)) for size in SIZES] for _ in range(BATCHES)]
    at_once, behind = (dict(zip(SIZES, column, strict=True)) for column in np.median(batches, axis=0).T.tolist())
    overhead = 0.5 * min(behind[SIZES[0]], at_once[SIZES[0]])
    byte = max(0.0, float(np.polyfit(SIZES, [at_once[size] for size in SIZES], 1)[0]))
    latency = max(0.0, at_once[SIZES[0]] - 2.0 * overhead)
    eager = max((size for size in SIZES if behind[size] < 0.5 * (at_once[size] + 2.0 * overhead)), default=0)
    found = Machine(
        latency=latency, local_latency=latency, overhead=overhead, local_byte=byte, reduction=_reduction(comm, rate), eager=eager, progress=0.0
    )
    return comm.bcast(found)


class _Pair:
    """Two ranks that exchange messages of a size.

    Args:
        comm: communicator.
        size: of the messages (B).
    """

    def __init__(self, comm: MPI.Comm, size: int) -> None:
        self._comm, other = comm, comm.rank ^ 1
        self._buffers = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
        self._requests = comm.Recv_init(self._buffers[0], other), comm.Send_init(self._buffers[1], other)
        self._handles = np.array([handle_of(request) for request in self._requests], HANDLE)

    def exchange(self, pause: float, rate: float) -> float:
        """Time of an exchange between whose start and end there is other work for some seconds, which are left out (s)."""
        self._comm.Barrier()
        return float(_exchanged(self._handles, STATUSES_IGNORE, REPEATED, int(pause * rate))) / rate


def _reduction(comm: MPI.Comm, rate: float) -> float:
    """Median time of a level of a reduction (s)."""
    mine, result, request = np.zeros(3, np.int64), np.zeros(3, np.int64), np.zeros(1, HANDLE)
    handles = np.array([handle_of(MPI.INT64_T), handle_of(MPI.MIN), handle_of(comm)], np.uint64)
    found = []
    for _ in range(BATCHES):
        comm.Barrier()
        found.append(_agreed(mine, result, handles, request, STATUSES_IGNORE, REPEATED) / rate)
    return median(found) / float(np.ceil(np.log2(comm.size)))


@njit
def _ticks():
    return cycles()


def _cycles_a_second() -> float:
    """Rate of the cycle counter."""
    begin, cycle = time.perf_counter(), _ticks()
    time.sleep(0.2)
    return float(_ticks() - cycle) / (time.perf_counter() - begin)
