"""All observables of a run, by name, the same bits on every rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI

from .. import state as st
from ..case import Case
from ..engine import Engine, Scene
from ..shapes.catalogue import Catalogue
from ..walls.kinds import CYLINDER, DISC, PLANE
from .energy import gravity_energy, kinetic_energy
from .exact import exact_integer, exact_sum
from .structure import volume_parts, angles_to_plane, fill_height, long_axes, mean_by_group, nematic_order, volume_in_layers


class Observer:
    """Measures an engine; see docs/theory/observables.md for what each name means.

    Args:
        comm: communicator; every method that measures is collective.
        case: validated case. catalogue: its species. scene: the engine's constants.
    """

    def __init__(self, comm: MPI.Comm, case: Case, catalogue: Catalogue, scene: Scene) -> None:
        self.comm, self.case, self.catalogue, self.scene = comm, case, catalogue, scene
        self.options = case.output.observables
        self._reference: float | None = None
        self._base = self._base_wall()
        self._area, self._normal = self._container()

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps: the energy at the start, as a hexadecimal float."""
        return {"reference": None if self._reference is None else self._reference.hex()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of ``state``."""
        self._reference = None if state["reference"] is None else float.fromhex(state["reference"])

    def measure(self, engine: Engine) -> dict[str, Any]:
        """All observables of an engine; contacts are those of its last observed step. Collective."""
        values: dict[str, Any] = {}
        n = int(self.comm.allreduce(engine.grains.count))
        tally = exact_integer(self.comm, engine.tally)
        values |= self._energies(engine, tally)
        values["coordination"] = 2.0 * tally[st.CONTACTS] / n
        values["contacts_per_grain"] = (tally[st.CONTACTS] + tally[st.WALL_CONTACTS]) / n
        values |= self._structure(engine, tally)
        values |= self._walls(engine)
        return values

    # -- parts --------------------------------------------------------------------------------------------------------------------

    def _energies(self, engine: Engine, tally: list[int]) -> dict[str, float]:
        quantum = self.scene.settings.energy
        translational, rotational = kinetic_energy(self.comm, engine.grains, self.catalogue)
        gravity = gravity_energy(self.comm, engine.grains, self.scene.settings)
        elastic = tally[st.STORED] * quantum
        total = translational + rotational + gravity + elastic
        if self._reference is None:
            self._reference = total
        out = {"kinetic_translational": translational, "kinetic_rotational": rotational, "elastic": elastic, "gravity": gravity, "total": total}
        if self.options.energy_budget:
            work = sum(exact_integer(self.comm, self.scene.walls.work)) * quantum
            damping, friction = tally[st.LOST_NORMAL] * quantum, tally[st.LOST_TANGENTIAL] * quantum
            residual = total - self._reference - work + damping + friction
            out |= {"wall_work": work, "lost_damping": damping, "lost_friction": friction, "residual": residual}
        return {f"energy/{name}": value for name, value in out.items()}

    def _structure(self, engine: Engine, tally: list[int]) -> dict[str, Any]:
        comm, g = self.comm, engine.grains
        base = self._base_height(engine)
        height, part = volume_parts(g, self.catalogue, self._normal, base)
        top = fill_height(comm, height, part)
        out: dict[str, Any] = {"fill_height": top}
        volume = self._area * top
        grain_volume = float(exact_sum(comm, part * height.shape[1]))
        if volume > 0.0:
            out["density"] = float(volume_in_layers(comm, height, part, np.array([-np.inf, top]))[0]) / volume
        axes, long = long_axes(g, self.catalogue)
        angle = angles_to_plane(axes, self._normal)
        any_long = bool((self.catalogue.kind > 1).any())
        if any_long:
            mean, _ = mean_by_group(comm, angle[long], np.zeros(int(long.sum()), int), 1)
            order, director = nematic_order(comm, axes[long])
            out |= {"mean_angle": float(mean[0]), "nematic_order": order, "director": director}
        if self.options.layers is not None:
            out |= self._layers(engine, height, part, base, top, angle, long, any_long)
        stress = np.array(tally[st.STRESS : st.STRESS + 9], dtype=float).reshape(3, 3) * self.scene.settings.energy
        box = self._volume(volume, grain_volume)
        out["stress"] = -stress / box
        names = [s.name for s in self.case.species]
        mean, count = mean_by_group(comm, g.x[:, :3] @ self._normal - base, g.species.astype(int), len(names))
        out |= {f"height/{name}": float(mean[k]) for k, name in enumerate(names)}
        if self.options.near_wall is not None:
            out |= self._near_wall(engine, names)
        return out

    def _layers(
        self, engine: Engine, height: np.ndarray, part: np.ndarray, base: float, top: float, angle: np.ndarray, long: np.ndarray, any_long: bool
    ) -> dict[str, Any]:
        """Density, angle and number of centres by layers from the lowest; layers are counted from the option's origin at rest."""
        options = self.options.layers
        assert options is not None
        span = self._span(engine)
        count = max(1, int(np.ceil(span / options.thickness)))
        edges = options.thickness * np.arange(count + 1)
        filled = volume_in_layers(self.comm, height, part, edges)
        thick = np.clip(top - edges[:-1], 0.0, options.thickness)
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.where(thick > 0.0, filled / (self._area * thick), np.nan)
        centre = engine.grains.x[:, :3] @ self._normal - base
        layer = np.floor(centre / options.thickness).astype(int)
        chosen = long if any_long else np.ones(len(centre), bool)
        mean, members = mean_by_group(self.comm, angle[chosen], layer[chosen], count)
        return {"density_layers": density, "mean_angle_layers": mean, "count_layers": members}

    def _near_wall(self, engine: Engine, names: list[str]) -> dict[str, float]:
        """Share of each species among the grains whose centre is near a wall."""
        option = self.options.near_wall
        assert option is not None
        walls = self.scene.walls
        x = engine.grains.x[:, :3]
        near = np.zeros(len(x), bool)
        for k, name in enumerate(self.scene.wall_names):
            if name.split(":")[0] != option.wall:
                continue
            point, normal, radius = walls.shape[k, :3] + walls.pose[k, :3], walls.shape[k, 3:6], walls.shape[k, 6]
            along = (x - point) @ normal
            if walls.kind[k] == CYLINDER:
                distance = radius - np.sqrt((((x - point) - along[:, None] * normal) ** 2).sum(axis=1))
            else:
                distance = np.abs(along)
            near |= distance < option.distance
        species = engine.grains.species
        counts = np.asarray(exact_sum(self.comm, (near[:, None] & (species[:, None] == np.arange(len(names)))).astype(float)))
        total = counts.sum()
        return {f"near_wall/{name}": float(counts[k] / total) if total else float("nan") for k, name in enumerate(names)}

    def _walls(self, engine: Engine) -> dict[str, Any]:
        settings, walls, out = self.scene.settings, self.scene.walls, {}
        for k, name in enumerate(self.scene.wall_names):
            counts = exact_integer(self.comm, walls.reaction[k])
            out[f"wall {name}/force"] = np.array([c * settings.force for c in counts[:3]])
            out[f"wall {name}/torque"] = np.array([c * settings.torque for c in counts[3:]])
            out[f"wall {name}/displacement"] = walls.pose[k, :3].copy()
        return out

    # -- the container ------------------------------------------------------------------------------------------------------------

    def _up(self) -> np.ndarray:
        s = self.scene.settings
        g = np.array([s.gx, s.gy, s.gz])
        size = float(np.sqrt(g @ g))
        return -g / size if size > 0.0 else np.array([0.0, 0.0, 1.0])

    def _base_wall(self) -> int | None:
        """Row of the wall above which heights count: the one named, else the first disc or plane that faces up."""
        up = self._up()
        walls = self.scene.walls
        for k, name in enumerate(self.scene.wall_names):
            flat = walls.kind[k] in (PLANE, DISC)
            if flat and (name == self.options.base or (self.options.base == "auto" and walls.shape[k, 3:6] @ up > 0.9)):
                return k
        return None

    def _container(self) -> tuple[float, np.ndarray]:
        """Cross-section (m^2, 0 where there is none) and upward normal of the container."""
        walls, normal = self.scene.walls, self._up()
        if self._base is not None:
            normal = walls.shape[self._base, 3:6].copy()
        for wall in self.case.wall:
            if self.options.container not in ("auto", wall.name):
                continue
            if wall.kind == "cylinder":
                return float(np.pi * wall.radius**2), normal
            if wall.kind == "box":
                size = np.subtract(wall.upper, wall.lower)
                return float(np.prod(size) / max(np.abs(normal) @ size, 1e-300)), normal
        if self.case.domain is not None:
            size = np.subtract(self.case.domain.upper, self.case.domain.lower)
            return float(np.prod(size) / (np.abs(normal) @ size)), normal
        return 0.0, normal

    def _base_height(self, engine: Engine) -> float:
        """Coordinate along the normal of the base, where it is now (m)."""
        walls = self.scene.walls
        if self._base is not None:
            return float((walls.shape[self._base, :3] + walls.pose[self._base, :3]) @ self._normal)
        if self.case.domain is not None:
            return float(np.minimum(self.case.domain.lower @ self._normal, self.case.domain.upper @ self._normal))
        return 0.0

    def _span(self, engine: Engine) -> float:
        """Height that the layers cover (m): that of the domain above the base, or of the grains."""
        if self.case.domain is not None:
            size = np.abs(self._normal) @ np.subtract(self.case.domain.upper, self.case.domain.lower)
            return float(size)
        reach = engine.grains.x[:, :3] @ self._normal
        return float(self.comm.allreduce(reach.max(initial=0.0), MPI.MAX))

    def _volume(self, bed: float, grain_volume: float) -> float:
        """Volume that the stress refers to: that of the bed, else of the domain, else of the grains (m^3)."""
        if bed > 0.0:
            return bed
        if self.case.domain is not None:
            return float(np.prod(np.subtract(self.case.domain.upper, self.case.domain.lower)))
        return grain_volume


__all__ = ["Observer"]
