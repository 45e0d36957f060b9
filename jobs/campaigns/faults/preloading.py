"""Ranks without the time that a start of Python takes: `mpirun` starts a stub for each, on whose behalf a process that has imported all is forked.

    python preloading.py SOCKET

serves at a socket: a stub hands over its arguments, environment, folder and open files; the fork initialises MPI, and runs what Python would have.
Signals to the stub go on to the fork; where the stub dies so does the fork, and the stub ends as the fork did, so that `mpirun` finds what it would
have found without the two. Kernels are loaded beforehand as well, those that a run in the same environment has used.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pickle
import runpy
import selectors
import signal
import socket
import sys
from pathlib import Path
from typing import Any

FORKS = "FAULTS_FORKS"  # variable of the environment: folder in which each fork, by its number, notes its rank
MODULES = ("pardem.run", "pardem.cli", "pardem.commands.cases", "pardem.io.casefile")
LARGEST = 1 << 20  # bytes of a request
Request = dict[str, Any]


class Server:
    """Forks processes, and tells the stubs how they end.

    Args:
        place: name of the socket.
    """

    def __init__(self, place: str) -> None:
        self.listening, self.selector = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET), selectors.DefaultSelector()
        self.listening.bind(place)
        self.listening.listen(64)
        self.stubs: dict[int, socket.socket] = {}
        self.selector.register(self.listening, selectors.EVENT_READ)
        self.woken, wake = socket.socketpair()
        for end in (self.woken, wake):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        self.wake = wake
        self.selector.register(self.woken, selectors.EVENT_READ)

    def serve(self) -> Request:
        """Serve for ever; in a fork, return what it is to run."""
        while True:
            for key, _ in self.selector.select():
                if key.fileobj.fileno() < 0:  # type: ignore[union-attr]  # a stub that has died just after its fork, of which it has been told
                    continue
                if key.fileobj is self.woken:
                    self.woken.recv(4096)
                    self._reap()
                elif key.fileobj is self.listening:
                    stub, _ = self.listening.accept()
                    self.selector.register(stub, selectors.EVENT_READ)
                elif (request := self._heard(key.fileobj)) is not None:  # type: ignore[arg-type]
                    return request

    def _reap(self) -> None:
        """Tell stubs whose forks have ended how they ended."""
        while self.stubs:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            stub = self.stubs.pop(pid)
            with contextlib.suppress(OSError):
                stub.send(json.dumps({"status": status}).encode())
            self._forget(stub)

    def _heard(self, stub: socket.socket) -> Request | None:
        """A stub has asked for a fork, or has died; the request where this is the fork."""
        try:
            text, files, _, _ = socket.recv_fds(stub, LARGEST, 3)
        except ConnectionError:
            text, files = b"", []
        if not text:
            for pid in [pid for pid, other in self.stubs.items() if other is stub]:
                os.kill(pid, signal.SIGKILL)  # its end is still to be waited for
            self.selector.unregister(stub)
            return None
        request: Request = json.loads(text)
        pid = os.fork()
        if pid:
            for file in files:
                os.close(file)
            self.stubs[pid] = stub
            with contextlib.suppress(OSError):  # a stub that has died meanwhile is heard of next
                stub.send(json.dumps({"pid": pid}).encode())
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        for end in (self.listening, self.woken, self.wake, *self.stubs.values(), stub):
            end.close()
        self.selector.close()
        return request

    def _forget(self, stub: socket.socket) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self.selector.unregister(stub)
        stub.close()


def prepared(names: Path) -> None:
    """Import everything, without initialising MPI, and load kernels.

    Args:
        names: file of what ``kernels`` returned, pickled: types of pardem, which import MPI.
    """
    import mpi4py

    mpi4py.rc.initialize = False
    mpi4py.rc.finalize = True
    for module in MODULES:
        importlib.import_module(module)
    for module, name, signatures in pickle.loads(names.read_bytes()):
        kernel = getattr(importlib.import_module(module), name)
        for signature in signatures:
            kernel.compile(signature)
    gc.collect()
    gc.freeze()


def kernels() -> list[tuple[str, str, list[Any]]]:
    """Module, name and signatures of the kernels that this process has loaded."""
    from numba.core.registry import CPUDispatcher

    found = []
    for module in [name for name in sys.modules if name.startswith("pardem")]:
        for name, value in list(vars(sys.modules[module]).items()):
            if isinstance(value, CPUDispatcher) and value.signatures and value.py_func.__module__ == module:
                found.append((module, name, list(value.signatures)))
    return found


def become(request: Request) -> None:
    """Be the process that Python would have started for a stub.

    Args:
        request: its arguments, environment and folder.
    """
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    if FORKS in os.environ:
        (Path(os.environ[FORKS]) / str(os.getpid())).write_text(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
    from mpi4py import MPI

    MPI.Init_thread(MPI.THREAD_MULTIPLE)
    program, *arguments = request["arguments"]
    if program == "-m":
        sys.argv = [arguments[0], *arguments[1:]]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    elif program == "-c":
        sys.argv = ["-c", *arguments[1:]]
        exec(arguments[0], {"__name__": "__main__"})  # as Python does
    else:
        sys.argv = [program, *arguments]
        sys.path[0] = str(Path(program).parent)
        runpy.run_path(program, run_name="__main__")


def main() -> None:
    """Serve; in a fork, run what was asked for."""
    place = Path(sys.argv[1])
    prepared(place.with_suffix(".kernels"))
    become(Server(str(place)).serve())


if __name__ == "__main__":
    main()
