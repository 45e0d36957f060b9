"""Compilation of functions that compiled code calls: to optimised intermediate code alone, which is linked into the callers.

Numba makes machine code and a Python entry for every function, also for the hundreds that a kernel merges into itself, which is half of the time that
compilation takes. Here a function that is compiled because another one calls it stops at its intermediate code, and is kept in memory only. The
callers' code is the same to the bit. Where Python calls such a function itself, it is compiled in full then.

This builds on numba's compiler classes, so the version of numba is fixed in ``pyproject.toml``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import sigutils, typed_passes
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral

from .interrupts import interrupts_held_back

_ALLOCATIONS = 2_000_000  # objects made between two looks of Python for cycles
_under_way = [0]  # compilations that wait for those of the functions they call


@contextmanager
def _few_collections() -> Iterator[None]:
    """Python seldom looks for cycles among objects: a compilation makes millions that stay, and to visit them takes a seventh of its time."""
    usual = gc.get_threshold()
    gc.set_threshold(_ALLOCATIONS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class _NoEntry(list[Any]):
    """A method of each instance stands for the Python entry of a function that has none; compiled callers know the function by it."""


def _has_entry(compiled: Any) -> bool:
    """Whether Python can call what numba compiled."""
    return not isinstance(getattr(compiled.entry_point, "__self__", None), _NoEntry)


class _MachineCode(JITCodeLibrary):
    """Code in full."""

    def _finalize_specific(self) -> None:
        with interrupts_held_back():
            super()._finalize_specific()


class _Intermediate(JITCodeLibrary):
    """Intermediate code, optimised, of which no machine code is made."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Numba's passes over each function, but for those that are only declared."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):
    """Numba's lowering, which stops at intermediate code where the flags say so."""

    _name = "pardem_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower one function.

        Args:
            state: numba's state of the compilation.

        Returns:
            True, as every pass that changed something.
        """
        if not state.flags.no_compile:
            state.library = _MachineCode(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return bool(super().run_pass(state))
        state.library = _Intermediate(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        found = state["cr"]
        entry = _NoEntry().append  # numba asks for a built-in function
        state.library.finalize()
        state.targetctx.insert_user_function(entry, found.fndesc, [state.library])
        state["cr"] = _LowerResult(found.fndesc, found.call_helper, cfunc=entry, env=found.env)
        return True


class Compiler(CompilerBase):
    """Numba's compiler; of a function that another one calls it makes intermediate code only."""

    def define_pipelines(self) -> list[Any]:
        """Numba's passes, with this file's lowering."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Lowering if step is typed_passes.NativeLowering else step, text) for step, text in passes.passes]
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile one function, and before it those it calls.

        Args:
            func: the function.

        Returns:
            Numba's result.
        """
        if _under_way[0]:
            flags = self.state.flags
            flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        _under_way[0] += 1
        try:
            with _few_collections():
                return super().compile_extra(func)
        finally:
            _under_way[0] -= 1


class Kernel(CPUDispatcher):
    """A compiled function: numba's dispatcher, which looks at the disk cache only where Python is the caller."""

    _cache: Any

    def keep_in(self, cache: Any) -> None:
        """Look for compiled code on disk, and keep it there.

        Args:
            cache: cache of this function.
        """
        self._cache = cache

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call by compiled code: a constant is a number like any other, so that a function is not compiled anew for each of them.

        Args:
            args: numba's types of the arguments.
            kws: the same of those that have names.

        Returns:
            Numba's template, its signature and the types.
        """
        return super().get_call_template(tuple(unliteral(a) for a in args), {name: unliteral(a) for name, a in dict(kws).items()})

    def compile(self, sig: Any) -> Any:
        """Compile for a signature, unless that is done.

        Args:
            sig: numba's types of the arguments.

        Returns:
            The entry, for Python or for compiled callers.
        """
        args, _ = sigutils.normalize_signature(sig)
        known = self.overloads.get(tuple(args))
        if not _under_way[0]:
            if known is not None and not _has_entry(known):
                del self.overloads[tuple(args)]
            return super().compile(sig)
        if known is not None:
            return known.entry_point
        cache, self._cache = self._cache, NullCache()
        try:
            return super().compile(sig)
        finally:
            self._cache = cache

    def add_overload(self, cres: Any) -> None:
        """Keep what was compiled.

        Args:
            cres: numba's result.
        """
        if _has_entry(cres):
            super().add_overload(cres)
        else:
            self.overloads[tuple(cres.signature.args)] = cres
