"""From a case's contact parameters to the tables of a law, by species and wall material (`Case.material_rows`)."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CaseError
from ..laws import parameters as p
from ..laws.elastic import Elastic
from ..laws.hertz import Hertz
from ..laws.law import Law
from ..laws.lennard_jones import LennardJones
from ..laws.user import UserLaw
from ..laws.viscoelastic import Viscoelastic
from ..laws.walton import Walton

if TYPE_CHECKING:
    from ..case import Case
    from ..case.contact import Resolved


def build_law(case: Case) -> Law:
    """The law of a case.

    Raises:
        CaseError: a parameter is out of the law's range, or the user's law cannot be loaded.
    """
    names = _one_a_row(case)
    table = case.contact.table(names, names)
    fill = _FILL[case.contact.law]
    try:
        for group in table.used:
            table.resolved(group)
    except ValueError as error:
        raise CaseError(str(error)) from None

    def grid(value: Callable[[Resolved], float]) -> np.ndarray:
        def of_group(parameters: Resolved) -> float:
            try:
                return value(parameters)
            except ValueError as error:
                i, j = np.argwhere(table.group == next(g for g in table.used if table.resolved(g) is parameters))[0]
                raise CaseError(f"contact between '{names[i]}' and '{names[j]}': {error}") from None

        return table.grid(of_group)

    return fill(case, grid)


Grid = Callable[[Callable[["Resolved"], float]], np.ndarray]


def _raw(value: float | None) -> float:
    return 0.0 if value is None else value


def _one_a_row(case: Case) -> list[str]:
    """A material for each row of the tables, the first that has it."""
    first = {row: name for name, row in reversed(case.material_rows.items())}
    return [first[row] for row in sorted(first)]


def _couples(case: Case, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """Where the rocking damper and torsional friction are on."""
    on = case.contact.interaction == "regularised" and case.contact.law != "elastic"
    return grid(lambda c: float(on and bool(c.rocking_damping))), grid(lambda c: float(on and bool(c.torsional_friction)))


def _viscoelastic(case: Case, grid: Grid) -> Law:
    def normal(c: Resolved) -> tuple[float, float]:
        if c.form == "raw":
            return _raw(c.normal_stiffness), _raw(c.normal_damping)
        return (p.viscoelastic_clamped if c.clamped else p.viscoelastic)(_raw(c.restitution), _raw(c.contact_time))

    def tangential(c: Resolved) -> tuple[float, float]:
        if c.form == "raw":
            return _raw(c.tangential_stiffness), _raw(c.tangential_damping)
        k, d = p.viscoelastic(_raw(c.tangential_restitution), _raw(c.contact_time))
        return p.tangential_mass(case.dimension) * k, p.tangential_mass(case.dimension) * d

    kn = grid(lambda c: normal(c)[0])
    return Viscoelastic(
        kn, grid(lambda c: normal(c)[1]), grid(lambda c: tangential(c)[0]), grid(lambda c: tangential(c)[1]), grid(lambda c: _raw(c.friction)),
        grid(lambda c: float(bool(c.clamped))), *_couples(case, grid), grid(lambda c: float(c.form == "restitution")),
    )  # fmt: skip


def _walton(case: Case, grid: Grid) -> Law:
    def normal(c: Resolved) -> tuple[float, float]:
        if c.form == "raw":
            return _raw(c.loading_stiffness), _raw(c.unloading_stiffness)
        return p.walton(_raw(c.restitution), _raw(c.contact_time))

    def tangential(c: Resolved) -> tuple[float, float]:
        if c.form == "raw":
            return _raw(c.tangential_stiffness), _raw(c.tangential_damping)
        k, d = p.viscoelastic(_raw(c.tangential_restitution), _raw(c.contact_time))
        return p.tangential_mass(case.dimension) * k, p.tangential_mass(case.dimension) * d

    k2 = grid(lambda c: normal(c)[1])
    return Walton(
        grid(lambda c: normal(c)[0]), k2, grid(lambda c: tangential(c)[0]), grid(lambda c: tangential(c)[1]), grid(lambda c: _raw(c.friction)),
        *_couples(case, grid), grid(lambda c: float(c.form == "restitution")),
    )  # fmt: skip


def _hertz(case: Case, grid: Grid) -> Law:
    e_star = grid(lambda c: _raw(c.young) / (2.0 * (1.0 - _raw(c.poisson) ** 2)))
    g_star = grid(lambda c: _raw(c.young) / (4.0 * (1.0 + _raw(c.poisson)) * (2.0 - _raw(c.poisson))))
    return Hertz(
        e_star, g_star, grid(lambda c: (p.hertz_ratio_clamped if c.clamped else p.hertz_ratio)(_raw(c.restitution))),
        grid(lambda c: p.hertz_ratio(_raw(c.tangential_restitution))), grid(lambda c: _raw(c.friction)),
        grid(lambda c: float(bool(c.clamped))), *_couples(case, grid),
    )  # fmt: skip


def _elastic(case: Case, grid: Grid) -> Law:
    def stiffness(c: Resolved) -> float:
        return _raw(c.normal_stiffness) if c.form == "raw" else p.viscoelastic(1.0, _raw(c.contact_time))[0]

    kn = grid(stiffness)
    kt = grid(lambda c: _raw(c.tangential_stiffness) if c.form == "raw" else p.tangential_mass(case.dimension) * stiffness(c))
    return Elastic(kn, kt, grid(lambda c: _raw(c.friction)), *_couples(case, grid), grid(lambda c: float(c.form == "restitution")))


def lent_radii(case: Case) -> dict[str, float]:
    """By how much (m) grains of each material count as larger in contacts, so that what is within a law's range touches; walls do not.

    Raises:
        CaseError: a wall shares the material of a species, where the law has a range.
    """
    present = set(case.grain_species)
    grains = list(dict.fromkeys(s.material for s in case.species if s.name in present))
    walls = list(dict.fromkeys(w.material for w in case.wall))
    if case.contact.law != "lennard_jones":
        return dict.fromkeys([*grains, *walls], 0.0)
    if shared := sorted(set(grains) & set(walls)):
        raise CaseError(f"a wall has the material '{shared[0]}' of a species: law = 'lennard_jones' has no range at walls; give it its own")

    far = case.contact.table(grains, grains).grid(lambda c: 0.5 * (_raw(c.cutoff) - 1.0) * _raw(c.sigma))
    near = case.contact.table(grains, walls).grid(lambda c: (p.LOWEST - 1.0) * _raw(c.sigma))
    lent = np.concatenate([far, near], axis=1).max(axis=1, initial=0.0)
    return dict.fromkeys(case.materials, 0.0) | dict(zip(grains, lent.tolist(), strict=True))


def _lennard_jones(case: Case, grid: Grid) -> Law:
    lent = lent_radii(case)
    names, walls = _one_a_row(case), {w.material for w in case.wall}
    depth, sigma = grid(lambda c: _raw(c.depth)), grid(lambda c: _raw(c.sigma))
    on_wall = np.array([[a in walls or b in walls for b in names] for a in names])
    limit = np.where(on_wall, p.LOWEST, grid(lambda c: _raw(c.cutoff))) * sigma
    energy, force = p.lennard_jones(depth, sigma, limit)
    start = np.array([[lent[a] + lent[b] for b in names] for a in names])
    return LennardJones(depth, sigma, limit, start, np.where(on_wall, 0.0, force), energy, *(np.zeros_like(depth) for _ in range(3)))


def _user(case: Case, grid: Grid) -> Law:
    function = load_user_law(case.directory, str(case.contact.user_law))
    names = _one_a_row(case)
    table = case.contact.table(names, names)
    given = {group: table.resolved(group).user_parameters or () for group in table.used}
    rows = np.zeros((*table.group.shape, max(1, *map(len, given.values()))))
    for group, values in given.items():
        rows[table.group == group, : len(values)] = values
    return UserLaw(
        function, rows, grid(lambda c: _raw(c.tangential_stiffness)), grid(lambda c: _raw(c.tangential_damping)), grid(lambda c: _raw(c.friction)),
        *_couples(case, grid), float(case.contact.force_scale or 0.0),
    )  # fmt: skip


def load_user_law(directory: Path, where: str) -> Any:
    """The compiled function that ``path/file.py:function`` names.

    Raises:
        CaseError: the file or function is missing, or is not a function.
    """
    import numba
    from numba.core.dispatcher import Dispatcher

    path, _, name = where.rpartition(":")
    file = Path(directory) / path
    if not os.path.isfile(file):  # False for names that are too long, too
        raise CaseError(f"contact.user_law = '{where}': there is no file {file}; give the path relative to the case file")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever the user's code may raise
        raise CaseError(f"contact.user_law = '{where}': {file} cannot be loaded ({type(error).__name__}: {_one_line(error)})") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise CaseError(f"contact.user_law = '{where}': {file} has no function '{name}'")
    compiled = function if isinstance(function, Dispatcher) else numba.njit(function)
    number = numba.types.float64
    signature = (number, number, number, number, number[::1])  # the kernels' call
    try:
        compiled.compile(signature)
        given = compiled.overloads[signature].signature.return_type
    except (numba.core.errors.NumbaError, TypeError) as error:
        raise CaseError(
            f"contact.user_law = '{where}': '{name}' in {file} does not compile as f(delta, rate, m_eff, r_eff, parameters) ({_one_line(error)})"
        ) from None
    if not isinstance(given, numba.types.Float | numba.types.Integer):
        raise CaseError(f"contact.user_law = '{where}': '{name}' in {file} must return the force as a number, not {given}")
    return compiled


def _one_line(error: BaseException) -> str:
    """The beginning of an error's text."""
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else text[:297] + "..."


_FILL: dict[str, Callable[[Any, Grid], Law]] = {
    "viscoelastic": _viscoelastic, "walton": _walton, "hertz": _hertz, "elastic": _elastic, "lennard_jones": _lennard_jones,
    "user": _user,
}  # fmt: skip
