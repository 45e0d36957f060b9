"""Which sources compiled functions really use, recorded while they are compiled, against those that the kernel cache takes for granted."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pardem
from pardem.compiled.nested import Kernel
from pardem.compiled.sources import sources_of

PACKAGE = Path(os.path.abspath(pardem.__file__)).parent


class KernelCalls:
    """Records calls between compiled functions from now on."""

    def __init__(self) -> None:
        self._calls: defaultdict[tuple[Path, str], set[tuple[Path, str]]] = defaultdict(set)  # a function is its source and its name
        self._entries: set[tuple[Path, str]] = set()
        self._stack: list[tuple[Path, str]] = []
        self._plain = Kernel.compile
        calls, entries, stack, plain = self._calls, self._entries, self._stack, self._plain

        def compile_and_note(kernel: Kernel, sig: Any) -> Any:
            function = Path(os.path.abspath(kernel.py_func.__code__.co_filename)), f"{kernel.py_func.__qualname__} {id(kernel)}"
            if stack:
                calls[stack[-1]].add(function)
            else:
                entries.add(function)
            stack.append(function)
            try:
                return plain(kernel, sig)
            finally:
                stack.pop()

        Kernel.compile = compile_and_note  # type: ignore[method-assign]

    def stop(self) -> None:
        """Record no more."""
        Kernel.compile = self._plain  # type: ignore[method-assign]

    def unknown(self) -> dict[str, list[str]]:
        """For each function that Python called and that uses sources that the cache does not know of: those."""
        found = {}
        for entry in self._entries:
            if not entry[0].is_relative_to(PACKAGE):
                continue  # kernels of tests
            used, waiting = {entry}, [entry]
            while waiting:
                more = self._calls[waiting.pop()] - used
                used |= more
                waiting += more
            lost = {path for path, _ in used if path.is_relative_to(PACKAGE)} - set(sources_of(entry[0]))
            if lost:
                found[entry[1].split()[0]] = sorted(str(path.relative_to(PACKAGE)) for path in lost)
        return found
