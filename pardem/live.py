"""Grains and contacts of a simulation in motion as NumPy arrays by name, as frames of a result have them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from .compiled.fixedpoint import totals
from .inflow import NOT_YET
from .io.analysis.constants import Box
from .io.analysis.contact_arrays import ContactArrays
from .io.analysis.grain_arrays import CONSTANT, GrainArrays

if TYPE_CHECKING:
    from .simulation import Simulation

CONTACTS = ("point", "normal", "overlap", "force", "couple", "branch")


class LiveGrains(GrainArrays):
    """Grains of a simulation at one step: those of one rank in the order in which it keeps them, or all of them ordered by id.

    Fields are ``position`` (m, wrapped), ``image``, ``orientation`` (w, x, y, z), ``velocity`` (m/s), ``angular_velocity`` (rad/s), ``force`` (N),
    ``torque`` (N m), with open faces of the domain ``outflow``, and where grains are poured ``inflow``. The arrays are copies: they stay as they are
    while the simulation goes on.

    Args:
        sim: the simulation.
        arrays: (n, ...) by name: fields, and what does not change (``CONSTANT``) but for the names of the species.
    """

    def __init__(self, sim: Simulation, arrays: Mapping[str, np.ndarray]) -> None:
        super().__init__()
        self._sim, self._arrays = sim, dict(arrays)
        self._fields = tuple(name for name in arrays if name not in CONSTANT)
        self.step, self.time = sim.steps_done, sim.time

    def __repr__(self) -> str:
        return f"<{len(self)} grains at step {self.step}, t = {self.time:.6g} s>"

    def _read(self, name: str) -> np.ndarray:
        if name == "species":
            return np.array([species.name for species in self._sim.case.species])[self.species_rows]
        raise KeyError(f"there is no field '{name}' of grains: there are {', '.join(self._fields)}")

    def _names(self) -> Collection[str]:
        return self._fields

    @property
    def box(self) -> Box:
        """The domain; without end where the case has none."""
        domain = self._sim.case.domain
        if domain is None:
            return Box(np.full(3, -np.inf), np.full(3, np.inf), np.zeros(3, bool))
        return Box(np.array(domain.lower), np.array(domain.upper), np.array(domain.periodic))

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self._sim.case.dimension)

    @property
    def unwrapped(self) -> np.ndarray:
        """Centres of mass without the wraps of a periodic domain (m), (n, 3)."""
        return np.asarray(self["position"] + self["image"] * self._sim.setup.scene.settings.period)

    def gathered(self, root: int | None = None) -> LiveGrains:
        """Collect the grains of all ranks. Collective.

        Args:
            root: the only rank that gets them, or None if all do.

        Returns:
            The grains ordered by id; none of them on other ranks than ``root``.
        """
        return LiveGrains(self._sim, _gathered(self._sim, self._arrays, [self.ids], root))


class LiveContacts(ContactArrays):
    """Contacts of a simulation at one step: those that one rank counts, or all of them ordered by the ids of their bodies, as in frames.

    Arrays are ``point``, ``normal``, ``overlap``, ``force``, ``couple`` and ``branch``. They are copies: they stay as they are while the simulation
    goes on.

    Args:
        sim: the simulation.
        arrays: (m, ...) by name, ``bodies`` and ``sub`` among them.
    """

    def __init__(self, sim: Simulation, arrays: Mapping[str, np.ndarray]) -> None:
        super().__init__()
        self._sim, self._arrays = sim, dict(arrays)
        self.step, self.time = sim.steps_done, sim.time

    def __repr__(self) -> str:
        return f"<{len(self)} contacts at step {self.step}, t = {self.time:.6g} s>"

    def _read(self, name: str) -> np.ndarray:
        raise KeyError(f"there is no '{name}' of contacts: there are {', '.join(CONTACTS)}")

    def _names(self) -> Collection[str]:
        return CONTACTS

    def _wall_names(self) -> tuple[str, ...]:
        return tuple(self._sim.setup.scene.wall_names)

    def gathered(self, root: int | None = None) -> LiveContacts:
        """Collect the contacts of all ranks. Collective.

        Args:
            root: the only rank that gets them, or None if all do.

        Returns:
            The contacts ordered by the ids of their bodies; none of them on other ranks than ``root``.
        """
        keys = [self["sub"], self.second, self.first]
        return LiveContacts(self._sim, _gathered(self._sim, self._arrays, keys, root))


def own_grains(sim: Simulation) -> LiveGrains:
    """Copy the grains of this rank; see ``Simulation.grains``.

    Args:
        sim: the simulation.
    """
    g, left = sim.engine.all_grains()
    settings, catalogue = sim.setup.scene.settings, sim.setup.catalogue
    arrays = {
        "ids": g.gid.copy(), "species_rows": g.species.copy(), "scale": g.scale.copy(), "radius": catalogue.radius[g.species] * g.scale,
        "mass": g.v[:, 3].copy(), "position": g.x[:, :3].copy(), "image": g.image.copy(), "orientation": g.q.copy(), "velocity": g.v[:, :3].copy(),
        "angular_velocity": g.w[:, :3].copy(), "force": totals(g.ft, 0) * settings.force, "torque": totals(g.ft, 4) * settings.torque,
    }  # fmt: skip
    if sim.engine.outflow is not None:
        arrays["outflow"] = (left >= 0).astype(np.int32)
    if sim.engine.inflow is not None:
        arrays["inflow"] = (left == NOT_YET).astype(np.int32)
    return LiveGrains(sim, arrays)


def own_contacts(sim: Simulation) -> LiveContacts:
    """Take the contacts that this rank counts; see ``Simulation.contacts``.

    Args:
        sim: the simulation.

    Raises:
        RuntimeError: the contacts of the present step have not been looked at.
    """
    recorder = sim.engine.recorder
    if recorder is None or recorder.step != sim.steps_done:
        raise RuntimeError(
            f"the contacts of step {sim.steps_done} have not been looked at: advance with step(..., observe=True), or let every(..., observe=True) "
            "call a function that reads them"
        )
    found = recorder.contacts
    arrays = {"bodies": found.key[:, :2], "sub": found.key[:, 2]} | {name: getattr(found, name) for name in CONTACTS}
    return LiveContacts(sim, arrays)


def _gathered(sim: Simulation, arrays: Mapping[str, np.ndarray], keys: list[np.ndarray], root: int | None) -> dict[str, np.ndarray]:
    """Rows of all ranks, ordered by keys, the last of which counts most."""
    mine = (keys, dict(arrays))
    parts = sim.comm.allgather(mine) if root is None else sim.comm.gather(mine, root)
    if parts is None:
        return {name: values[:0] for name, values in arrays.items()}
    order = np.lexsort([np.concatenate(key) for key in zip(*(part[0] for part in parts), strict=True)])
    return {name: np.concatenate([part[1][name] for part in parts])[order] for name in arrays}
