"""All observables of a run: built once from a case, measured at any step, the same bits on every rank and any number of ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from ..shapes.catalogue import Catalogue
from ..state import arrays as st
from ..state.population import Population
from ..walls.motion.driven import turn_angle
from ..walls.motion.rows import WORK
from ..walls.motion.work import work_to_come
from .bed import find_bed, rows_of_wall, wall_distance
from .energy import add_kinetic_energy, attraction_energy, gravity_energy, unwrapped
from .exact import ExactSums, exact_totals
from .layers import measure_layers
from .orientation import angles_to_plane, directions, moment_columns, nematic_order
from .profile import profile_along, sample_points

if TYPE_CHECKING:
    from ..case import Case
    from ..engine import Engine
    from ..outflow import Outflow
    from ..setup.scene import Scene

MOST_SPECIES = 50  # with values of their own: cells of a packing are a species each
FILL_SHARE = 0.99  # of the volume of the grains that lies below the fill height: a few grains in flight do not count

# needs the contacts of the very step; the work of walls does for the half-step to come
OF_CONTACTS = (
    "energy/elastic", "energy/total", "energy/wall_work", "energy/residual", "coordination", "contacts_per_grain", "stress", "wall_force/",
    "wall_torque/",
)  # fmt: skip

Values = dict[str, Any]


class Observer:
    """Measures what ``output.observables`` of a case asks for (names, units and definitions: docs/theory/observables.md).

    Args:
        comm: communicator.
        case: validated case.
        catalogue: its species.
        scene: constants of its engine.

    Raises:
        CaseError: the container that the case names cannot give a density.
    """

    def __init__(self, comm: MPI.Comm, case: Case, catalogue: Catalogue, scene: Scene) -> None:
        self.comm, self.catalogue, self.scene = comm, catalogue, scene
        self.gravity = case.gravity
        self.options = case.output.observables
        self.bed = find_bed(case, scene.walls, scene.wall_names)
        present = np.isin(scene.names, case.grain_species)  # a body among the walls has a shape, but no grains
        self.axes = np.where(present[:, None], catalogue.long_axis, 0.0)
        self.dimension = case.dimension
        self.samples = sample_points(comm, catalogue)
        self.groups, self.group = _groups(case)
        near = self.options.near_wall
        self.near_rows = rows_of_wall(near.wall, scene.wall_names) if near else []
        self.turning = [k for k in range(len(scene.walls.kind)) if _ever_turns(case, scene.wall_names[k])]
        self.reference: dict[str, float] | None = None

    # -- checkpoints --------------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep: the energies at the first measurement, exact in JSON."""
        return {"reference": self.reference}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up the state of a checkpoint."""
        self.reference = state["reference"]

    # -- measurement --------------------------------------------------------------------------------------------------------------

    def measure(self, engine: Engine) -> Values:
        """All observables at the engine's step. Collective.

        Returns:
            names -> float or array, in SI units, the same on every rank; the names are the same at every step of a run. What contacts give is
            not-a-number at a step that was not observed.
        """
        grains = engine.grains
        walls = self.scene.walls
        limbs = np.concatenate([engine.tally, walls.work, walls.reaction.reshape(-1, 2)])
        totals = exact_totals(self.comm, limbs)
        tally, rest = totals[: st.TALLY], totals[st.TALLY :]
        work, reaction = rest[: len(walls.kind)], np.array(rest[len(walls.kind) :], dtype=object).reshape(-1, 6)
        sums = self._sums(grains)
        values: Values = {}
        if engine.outflow is not None:
            self._outflow(values, engine.outflow)
        self._energies(values, sums, tally, work, reaction, engine.observed)
        count = int(sums["grains"].sum())
        contacts, wall_contacts = tally[st.CONTACTS], tally[st.WALL_CONTACTS]
        values["coordination"] = 2.0 * contacts / count if count else 0.0
        values["contacts_per_grain"] = (contacts + wall_contacts) / count if count else 0.0
        self._bed(values, grains, sums, tally)
        self._orientation(values, sums)
        if self.near_rows:
            near = sums["near"]
            for name, number in zip(self.groups, near, strict=True):
                values[f"share_near_wall/{name}"] = float(number / near.sum()) if near.sum() > 0.0 else math.nan
        self._walls(values, reaction, engine.step)
        if not engine.observed:
            values |= {name: values[name] * math.nan for name in values if name.startswith(OF_CONTACTS)}
        return values

    def _sums(self, grains: Population) -> dict[str, Any]:
        """Everything that is a sum over grains, with one message."""
        catalogue, species = self.catalogue, grains.species
        group, ng = self.group[species], len(self.groups)
        sums = ExactSums(self.comm)
        add_kinetic_energy(sums, grains, catalogue)
        mass, (ux, uy, uz) = grains.v[:, 3], self.bed.up
        place = unwrapped(grains.x, grains.image, self.scene.settings.period)
        sums.add("gravity", self._field_energy(grains))
        sums.add("volume", catalogue.volumes(species, grains.scale))
        sums.add("grains", np.bincount(group, minlength=ng)[None, :])
        sums.add_groups("mass", mass, group, ng)
        sums.add_groups("moment", mass * (ux * place[:, 0] + uy * place[:, 1] + uz * place[:, 2]), group, ng)
        if self.axes.any():
            long = self.axes[species].any(axis=1)
            u = directions(grains.q[long], self.axes[species[long]])
            sums.add("angle", angles_to_plane(u, self.bed.up))
            sums.add("directions", moment_columns(u))
            sums.add("long", np.array([float(long.sum())]))
        if self.near_rows:
            assert self.options.near_wall is not None
            distance = np.min([wall_distance(grains.x, self.scene.walls, k) for k in self.near_rows], axis=0)
            sums.add("near", np.bincount(group[distance <= self.options.near_wall.distance], minlength=ng)[None, :])
        return sums.reduce()

    def _energies(self, values: Values, sums: dict[str, Any], tally: list[int], work: list[int], reaction: np.ndarray, observed: bool) -> None:
        """Energies; with the budget also work of walls, losses, and the residual E - E0 - (W - W0) + (L - L0) since the first observed row; L
        includes what grains took along that left.
        """
        translational, rotational = float(sums["translational"]), float(sums["rotational"])
        quantum = self.scene.settings.energy
        elastic, gravity = tally[st.STORED] * quantum, float(sums["gravity"])
        values["energy/kinetic_translational"], values["energy/kinetic_rotational"] = translational, rotational
        values["energy/elastic"], values["energy/gravity"] = elastic, gravity
        values["energy/total"] = translational + rotational + elastic + gravity
        if not self.options.energy_budget:
            return
        values["energy/wall_work"] = (
            sum(work) * quantum
            + float(self.scene.walls.motion[:, WORK].sum())
            - float(work_to_come(self.scene.walls, reaction, self.scene.settings).sum())
        )
        values["energy/lost_damping"] = tally[st.LOST_NORMAL] * quantum
        values["energy/lost_friction"] = tally[st.LOST_TANGENTIAL] * quantum
        lost = (tally[st.LOST_NORMAL] + tally[st.LOST_TANGENTIAL]) * quantum
        lost += values.get("energy/outflow", 0.0)
        now = {"energy": values["energy/total"], "wall_work": values["energy/wall_work"], "lost": lost}
        if self.reference is None and observed:
            self.reference = now
        change = {name: value - (self.reference or now)[name] for name, value in now.items()}
        values["energy/residual"] = change["energy"] - change["wall_work"] + change["lost"]

    def _outflow(self, values: Values, outflow: Outflow) -> None:
        """Number and mass of the grains that have left, and the energy that they and their contacts took along."""
        gone, sums = outflow.gone, ExactSums(self.comm)
        add_kinetic_energy(sums, gone, self.catalogue)
        sums.add("mass", gone.v[:, 3])
        sums.add("field", self._field_energy(gone))
        found = sums.reduce()
        values["outflow/grains"], values["outflow/mass"] = outflow.count, found["mass"]
        if self.options.energy_budget:
            held = outflow.carried * self.scene.settings.energy
            values["energy/outflow"] = float(found["translational"]) + float(found["rotational"]) + float(found["field"]) + held

    def _field_energy(self, grains: Population) -> np.ndarray:
        """Energy of each grain in gravity and in the field towards a point, (n,) J."""
        mass, settings = grains.v[:, 3], self.scene.settings
        place = unwrapped(grains.x, grains.image, settings.period)
        return gravity_energy(mass, place, self.gravity) + attraction_energy(mass, place, settings)

    def _bed(self, values: Values, grains: Population, sums: dict[str, Any], tally: list[int]) -> None:
        """Fill height, density, layers, stress, heights of the species."""
        bed, base, volume = self.bed, 0.0, self.bed.space
        values["density"] = float(sums["volume"]) / volume if volume else math.nan
        fill = math.nan
        profile = profile_along(grains, self.catalogue, self.samples, bed.up)
        if bed.base is not None:
            base = bed.base_height(self.scene.walls)
            top, above = profile.quantile(self.comm, base, FILL_SHARE)
            fill = top - base
            volume = bed.section * fill if bed.section is not None else None
            values["density"] = FILL_SHARE * above / volume if volume and volume > 0.0 else math.nan
            values["fill_height"] = fill
        if self.options.layers is not None:
            values |= measure_layers(self.comm, self.options.layers, grains, self.catalogue, self.samples, self.axes, bed, self.scene.walls, fill)
        forces = np.array([float(v) for v in tally[st.STRESS : st.STRESS + 9]]).reshape(3, 3) * self.scene.settings.energy
        values["stress"] = -forces / volume if volume and volume > 0.0 else np.full((3, 3), math.nan)
        for name, moment, mass in zip(self.groups, sums["moment"], sums["mass"], strict=True):
            values[f"height/{name}"] = float(moment / mass) - base if mass > 0.0 else math.nan

    def _orientation(self, values: Values, sums: dict[str, Any]) -> None:
        """Mean angle to the base and nematic order, where a species has a longest direction."""
        if "angle" in sums:
            count = int(sums["long"])
            values["mean_angle"] = float(sums["angle"]) / count if count else math.nan
            values["nematic_order"], values["nematic_director"] = nematic_order(sums["directions"], count, self.dimension)

    def _walls(self, values: Values, reaction: np.ndarray, step: int) -> None:
        """Force of the grains on each surface, its torque about the point that defines the surface, its displacement, and its turn."""
        settings, walls = self.scene.settings, self.scene.walls
        for k, name in enumerate(self.scene.wall_names):
            values[f"wall_force/{name}"] = np.array([float(v) for v in reaction[k, :3]]) * settings.force
            values[f"wall_torque/{name}"] = np.array([float(v) for v in reaction[k, 3:]]) * settings.torque
            values[f"wall_displacement/{name}"] = walls.pose[k, :3].copy()
            if k in self.turning:
                values[f"wall_turn/{name}"] = float(turn_angle(walls.motion, k, step, settings.dt))


def _groups(case: Case) -> tuple[list[str], np.ndarray]:
    """Names by which heights and shares at a wall go, and the row of each species (ns,): species, or their materials where these are too many."""
    names = [s.name for s in case.species]
    if len(names) > MOST_SPECIES:
        names = [s.material for s in case.species]
    groups = list(dict.fromkeys(names))
    number = {name: row for row, name in enumerate(groups)}
    return groups, np.array([number[name] for name in names], np.int64)


def _ever_turns(case: Case, name: str) -> bool:
    """Whether the wall of a surface turns in some stage."""
    return any(wall.name == name and any(motion.turns for motion in wall.motions) for wall in case.wall)
