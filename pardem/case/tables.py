"""The tables and keys of a case, and what follows from them without a look at other files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, PrivateAttr

from ..case_values import Many, Model, PathName, Vector
from ..errors import CaseError
from ..laws.registry import KINDS
from .any_species import AnySpecies
from .contact import Contact
from .contact_parameters import Resolved
from .materials import Material, kinds_of_materials
from .output import Cadence, Output
from .pair_table import PairTable
from .placement import Grain, Insert, Pour, RandomGrains
from .settings import AnyDetection, Attraction, Detection, Domain, Parallel, Time
from .stages import AnyStage, Vibrate
from .start import Start
from .voronoi import Voronoi
from .walls import AnyWall

if TYPE_CHECKING:
    from ..state.origin_state import Origin


class CaseTables(Model):
    """A case whose individual values are valid, before `Case` checks them against each other. SI units."""

    title: str = Field(default="", description="title of the case")
    dimension: Literal[2, 3] = Field(
        default=3,
        description="number of dimensions of space; in two, grains are disks and spheropolygons in the x-y plane, densities are per area "
        "(kg/m^2), and vectors may be given as two numbers (see above)",
    )
    seed: int = Field(default=0, ge=0, lt=2**63, description="seed of the random numbers for insertion (1)")
    gravity: Vector = Field(
        default=(0.0, 0.0, -9.81),
        description="acceleration of gravity (m/s^2); the default is `[0.0, -9.81]` in 2D, and zero if `[attraction]` is given",
    )
    attraction: Attraction | None = Field(
        default=None, description="field that pulls grains towards a point, to compact them from all sides; default: none"
    )
    time: Time = Field(description="time step and integrator")
    domain: Domain | None = Field(default=None, description="box that contains the grains; default: the extent of the walls and grains, not periodic")
    species: Many[AnySpecies] = Field(default=(), description="species of grains; at least one is needed unless there is a Voronoi packing")
    insert: Many[Insert] = Field(default=(), description="grains inserted at random positions")
    pour: Many[Pour] = Field(default=(), description="grains that arrive while the run goes on")
    grain: Many[Grain] = Field(default=(), description="grains given one by one")
    grains_file: PathName | None = Field(
        default=None,
        description="`.npz` file with the initial grains; its path is relative to the case file, and its arrays are `species` (names, or numbers "
        "counted from 0), `position` and optionally `orientation`, `velocity`, `angular_velocity` and `scale`, with one row per grain "
        "as in `[[grain]]`",
    )
    start: Start | None = Field(default=None, description="state of another run from which this one starts; default: none")
    voronoi: Many[Voronoi] = Field(
        default=(),
        description="packings of rounded Voronoi cells; the effective case lists their cells under `[[species]]` and `[[grain]]` instead",
    )
    contact: Contact = Field(description="interaction, force law and parameters of contacts")
    material: Many[Material] = Field(default=(), description="constants of the materials of species and walls")
    wall: Many[AnyWall] = Field(default=(), description="walls")
    stage: Many[AnyStage] = Field(min_length=1, description="stages of the run, one after the other")
    detection: AnyDetection = Field(default=Detection(), description="search for neighbours; it affects the speed, never the result")
    parallel: Parallel = Field(default=Parallel(), description="domain decomposition; it affects the speed, never the result")
    output: Output = Field(default=Output(), description="result file and checkpoints")

    _directory: Path = PrivateAttr(default_factory=Path)
    _origin: Any = PrivateAttr(default=None)  # `Origin`, whose arrays the case model does without

    @property
    def directory(self) -> Path:
        """Folder that relative paths of the case refer to."""
        return self._directory

    def located(self, directory: Path) -> Self:
        """Return the same case with relative paths that refer to another folder.

        Args:
            directory: the folder.

        Returns:
            The case.
        """
        folder = Path(directory)
        copy = self.model_copy(update={"species": tuple(species.located(folder) for species in self.species)})
        copy._directory = folder
        return copy

    @property
    def start_path(self) -> Path | None:
        """File that `[start]` names; None where the case has no such table."""
        return None if self.start is None else self.directory / self.start.source

    @property
    def origin(self) -> Origin | None:
        """What is known of the state that `[start]` names; None where the case has no such table.

        Raises:
            CaseError: it has, and the state has not been read.
        """
        if self.start is not None and self._origin is None:
            raise CaseError(f"start.from = '{self.start.source}' has not been read: pardem.with_origin(case) reads it")
        return self._origin

    def starting_from(self, origin: Origin, digest: str, quanta: Sequence[float]) -> Self:
        """Return the same case with the state that `[start]` names.

        Args:
            origin: what is known of the state.
            digest: its hash.
            quanta: quanta of force, torque and energy.

        Returns:
            The case.
        """
        assert self.start is not None
        copy = self.model_copy(update={"start": self.start.model_copy(update={"digest": digest, "quanta": tuple(quanta)})})
        copy._origin = origin
        return copy

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of materials to which contact parameters can refer: those of the species in order, then those of walls."""
        return tuple(dict.fromkeys([*(s.material for s in self.species), *(w.material for w in self.wall)]))

    @property
    def material_rows(self) -> dict[str, int]:
        """Row of each material in the tables of the law.

        All species whose material is named by no pair, and has the same constants for the law or none, share one row, and so do all such walls.
        """
        named = {name for pair in self.contact.pair for name in pair.between}
        kinds = kinds_of_materials(KINDS[self.contact.law].of_material, self.material)
        walls = {wall.material for wall in self.wall}
        rows: dict[str | tuple[bool, int], int] = {}
        return {name: rows.setdefault(name if name in named else (name in walls, kinds.get(name, 0)), len(rows)) for name in self.materials}

    @property
    def grain_species(self) -> tuple[str, ...]:
        """Names of the species that have grains, in order; the others are shapes of walls only."""
        placed = {item.species for item in self.at_random} | {grain.species for grain in self.grain}
        placed |= set(self._origin.counts) if self._origin is not None else set()
        bodies = {wall.shape_of for wall in self.wall}
        return tuple(s.name for s in self.species if s.name in placed or s.name not in bodies)

    @property
    def at_random(self) -> tuple[RandomGrains, ...]:
        """Grains at random positions: those that are inserted, then those that are poured."""
        return (*self.insert, *self.pour)

    def contact_between(self, first: str, second: str) -> Resolved:
        """Return the contact parameters of two materials with all defaults filled in.

        Args:
            first: name of a material.
            second: name of a material.

        Returns:
            The parameters.
        """
        return self.contact.between(first, second, self.material)

    def contact_table(self, rows: Sequence[str], columns: Sequence[str]) -> PairTable:
        """Return the contact parameters of all pairs of some materials.

        Args:
            rows: names of materials.
            columns: names of materials.

        Returns:
            The parameters by pair.
        """
        return self.contact.table(rows, columns, self.material)

    def eps(self, species: str) -> float:
        """Return the weight of the regularisation for a species; walls have none.

        Args:
            species: name of the species.

        Returns:
            The weight (1).
        """
        table = self.contact.eps
        if isinstance(table, dict) and species in table:
            return table[species]
        if isinstance(table, float | int):
            return float(table)
        shape = next(s.shape for s in self.species if s.name == species)
        return {"spherocylinder": 0.1, "rice": 0.1, "sphere": 0.0, "disk": 0.0}.get(shape, 0.03)

    def max_steps(self) -> int:
        """Return the largest number of steps that the stages can take together."""
        return sum(stage.max_steps(self.time.step) for stage in self.stage)

    def tap_period(self) -> float | None:
        """Return the period of the first `vibrate` stage (s), or None if there is none."""
        return next((1.0 / stage.frequency for stage in self.stage if isinstance(stage, Vibrate)), None)

    def cadence(self, what: str) -> Cadence | None:
        """Determine how often something is due.

        Args:
            what: `frame`, `observable` or `checkpoint`.

        Returns:
            The interval in steps, or None for never, except at the beginning and the end of the run.
        """
        steps, seconds, taps = (getattr(self.output, f"{what}_{unit}", None) for unit in ("steps", "interval", "taps"))
        if steps is not None:
            return Cadence(every=float(steps))
        if taps is not None:
            seconds = taps * (self.tap_period() or 0.0)
        if seconds is None:
            return None
        every = seconds / self.time.step
        whole = round(every)
        return Cadence(every=max(1.0, float(whole) if abs(every - whole) <= 1e-9 * every else every))
