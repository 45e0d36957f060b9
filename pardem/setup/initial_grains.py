"""The grains at the start of a case: of another run, inserted at random, given one by one, or read from a file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from mpi4py import MPI

from ..case import Case
from ..case.checks import NO_GRAINS
from ..case.placement import Insert
from ..decomposition.exchange import RowExchange
from ..decomposition.scatter import scattered, streamed
from ..errors import CaseError
from ..guard import made_by_first, made_once
from ..insertion import (
    NewGrains,
    PlacedGrains,
    Surroundings,
    Way,
    insert_random,
    lower_grains,
    random_scales,
)
from ..insertion.placed_grains import require_sizes
from ..shapes.catalogue import Catalogue, principal_orientations
from ..state.origin_state import SettledGrains
from ..state.population import Population
from . import shared_insertion
from .clear_over_ranks import require_clear_together
from .given_checks import placed_given, require_slow
from .given_grains import file_blocks, given_blocks, given_count
from .insert_fraction import require_room
from .insert_regions import domain_of, insert_regions
from .settled_grains import settled_grains
from .shared_insertion import SharedGrains, batch_of, has_room, insert_together, only_spheres, shared_grains, turned
from .starting_grains import StartingGrains, population_of
from .wall_tables import placed_bodies


def size_range(case: Case) -> tuple[dict[str, float], dict[str, float]]:
    """Determine the range of sizes of each species in a case.

    Args:
        case: validated case.

    Returns:
        Largest and smallest size factor of each species, by name.

    Raises:
        InsertionError: a size factor of ``grains_file`` is not positive.
        FileError: ``grains_file`` cannot be read.
    """
    sizes: dict[str, list[float]] = {s.name: [] for s in case.species}
    for item in case.at_random:
        sizes[item.species] += item.sizes
    for grain in case.grain:
        sizes[grain.species].append(grain.scale)
    if case.grains_file:
        before = 0
        for table in file_blocks(case):
            require_sizes(table["scale"], before)
            before += len(table["scale"])
            for row in np.unique(table["species"]):
                found = table["scale"][table["species"] == row]
                sizes[case.species[row].name] += [float(found.min()), float(found.max())]
    if case.origin is not None:
        for name, ends in case.origin.sizes.items():
            sizes[name] += ends
    return {n: max(s or [1.0]) for n, s in sizes.items()}, {n: min(s or [1.0]) for n, s in sizes.items()}


def own_initial_grains(comm: MPI.Comm, case: Case, catalogue: Catalogue, overlaps: bool = False) -> Population:
    """Create the grains of a case, an equal share on each rank. Collective.

    The first rank reads given grains and passes them on some at a time. Many grains are inserted by the ranks together, fewer by the
    first one. Those that the case takes over from another run (`[start]`) are left out: each rank has read its share of them.

    Args:
        comm: communicator.
        case: validated case.
        catalogue: shape catalogue of the case.
        overlaps: whether given grains may overlap.

    Returns:
        The grains of this rank, with any ids.

    Raises:
        PardemError: as ``initial_grains``; on every rank.
    """
    settled = settled_grains(comm, case, catalogue)
    before = int(comm.allreduce(settled.count))
    if case.insert and not _in_rounds(case, catalogue):
        return population_of(case, catalogue, _placed_by_first(comm, case, catalogue, overlaps, settled))
    count = made_once(comm, lambda: given_count(case))
    _require_any(case, before + count + len(case.insert))
    given = streamed(comm, count, _given(case, catalogue, before), StartingGrains.made(0))
    both = StartingGrains.joined([_starting(settled), given]) if before else given
    if count and not overlaps:
        require_clear_together(comm, catalogue, both.gid, both.placed(), domain=domain_of(case), names=[s.name for s in case.species], settled=before)
    if case.insert:
        inserted = _inserted(comm, case, catalogue, both, before + count)
        if inserted is None:
            inserted, given = _placed_by_first(comm, case, catalogue, overlaps, settled), given.take(slice(0, 0))
        given = StartingGrains.joined([given, inserted]) if given.count else inserted
    return population_of(case, catalogue, given)


def _placed_by_first(comm: MPI.Comm, case: Case, catalogue: Catalogue, overlaps: bool, settled: SettledGrains) -> StartingGrains:
    """The share of this rank of all grains but those of another run, which the first rank places. Collective."""
    before, there = int(comm.allreduce(settled.count)), _gathered(comm, settled)

    def placed() -> StartingGrains:
        return _place(case, catalogue, overlaps, there).take(slice(before, None))

    return scattered(comm, made_by_first(comm, placed), StartingGrains.made(0))


def _in_rounds(case: Case, catalogue: Catalogue) -> bool:
    """Whether the ranks insert the grains of a case together: many of them, among walls that do not hinder them."""
    names = [s.name for s in case.species]
    batches = [
        batch_of(insert, region, names.index(insert.species), catalogue, 0)
        for insert, region in zip(case.insert, insert_regions(case), strict=True)
    ]
    return (
        sum(insert.count for insert in case.insert) >= shared_insertion.FEWEST
        and not any(insert.lowered for insert in case.insert)
        and not len(placed_bodies(case, catalogue, case.stage[0].name).species)
        and all(has_room(batch, domain_of(case)) for batch in batches)
    )


def _inserted(comm: MPI.Comm, case: Case, catalogue: Catalogue, there: StartingGrains, first: int) -> StartingGrains | None:
    """The inserted grains of this rank, with ids from ``first`` on, among those that are there; None if they are too dense. Collective."""
    regions, domain, number = insert_regions(case), domain_of(case), [s.name for s in case.species]
    made_once(comm, lambda: require_room(case, catalogue, regions))
    grains, last = shared_grains(there, catalogue, domain), first
    for insert, region in zip(case.insert, regions, strict=True):
        found = insert_together(comm, batch_of(insert, region, number.index(insert.species), catalogue, last), grains, domain, case.seed)
        if found is None:
            return None
        grains, last = found, last + insert.count
    inserted = grains.gid >= first
    new = grains if inserted.all() else SharedGrains(*(column[inserted] for column in grains))
    names = {"gid": new.gid, "species": new.species, "scale": new.scale, "position": new.ball[:, :3]}
    orientation = turned(new.gid, case.seed, case.dimension == 2) if only_spheres(catalogue) else new.q
    return StartingGrains.made(len(new.gid), names | {"orientation": orientation})


def initial_grains(case: Case, catalogue: Catalogue, overlaps: bool = False) -> Population:
    """Create all grains of a case. Ids are assigned first to those of another run (``[start]``), then those of ``grains_file``, ``[[grain]]`` and
    ``[[insert]]``, each in order.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        overlaps: whether given grains may overlap, as in a packing that was settled elsewhere.

    Returns:
        The grains.

    Raises:
        InsertionError: given grains overlap or lie outside the domain, or random ones do not fit.
        FileError: ``grains_file`` cannot be read.
    """
    return population_of(case, catalogue, _place(case, catalogue, overlaps, settled_grains(MPI.COMM_SELF, case, catalogue)))


def _given(case: Case, catalogue: Catalogue, before: int) -> Iterator[StartingGrains]:
    """Grains that are given one by one, some at a time, with ids from ``before`` on."""
    first = 0
    for table in given_blocks(case):
        rows = len(table["species"])
        require_slow(case, catalogue, table, first)
        first += rows
        orientation = principal_orientations(catalogue, table["species"], table["orientation"])
        yield StartingGrains(
            np.arange(before, before + rows), table["species"].astype(np.int32), table["scale"], table["position"], orientation, table["velocity"],
            table["angular_velocity"],
        )  # fmt: skip
        before += rows


def _gathered(comm: MPI.Comm, settled: SettledGrains) -> SettledGrains:
    """The grains of another run on the first rank, which holds them against those that it inserts. Collective."""
    exchange = RowExchange(comm, np.zeros(settled.count, np.int64))
    return SettledGrains(**{name: exchange(getattr(settled, name)) for name in SettledGrains.columns})


def _starting(settled: SettledGrains) -> StartingGrains:
    """Grains of another run, without their spins."""
    return StartingGrains.made(settled.count, vars(settled))


def _place(case: Case, catalogue: Catalogue, overlaps: bool, settled: SettledGrains) -> StartingGrains:
    """Place all grains of a case after those of another run, see ``initial_grains``."""
    names = [s.name for s in case.species]
    number = {name: row for row, name in enumerate(names)}
    domain, (given, placed) = domain_of(case), placed_given(case, catalogue, settled, overlaps)
    walls = placed_bodies(case, catalogue, case.stage[0].name)
    regions = insert_regions(case)
    require_room(case, catalogue, regions)
    for insert, region in zip(case.insert, regions, strict=True):
        first = len(placed.species)
        species = np.full(insert.count, number[insert.species])
        scale = _scales(case, insert, first)
        grains, around = NewGrains(species, scale, first, names), Surroundings(domain, placed, walls)
        x, q = insert_random(region, catalogue, grains, seed=case.seed, around=around)
        placed = PlacedGrains(
            np.concatenate([placed.species, species]), np.concatenate([placed.scale, scale]),
            np.concatenate([placed.positions, x]), np.concatenate([placed.orientations, q]),
        )  # fmt: skip
    if any(insert.lowered for insert in case.insert):
        placed = _lowered(case, catalogue, placed, Surroundings(domain, walls=walls))
    _require_any(case, len(placed.species))
    count, first, last = len(placed.species), len(settled.species), len(settled.species) + len(given["species"])
    velocity, spin = np.zeros((count, 3)), np.zeros((count, 3))
    velocity[:first], velocity[first:last], spin[first:last] = settled.velocity, given["velocity"], given["angular_velocity"]
    return StartingGrains(
        np.arange(count), placed.species.astype(np.int32), np.asarray(placed.scale), placed.positions, placed.orientations, velocity, spin
    )


def _require_any(case: Case, count: int) -> None:
    if not count and not case.pour:
        raise CaseError(NO_GRAINS)


def _lowered(case: Case, catalogue: Catalogue, placed: PlacedGrains, around: Surroundings) -> PlacedGrains:
    """All grains placed, those of inserts that ask for it lowered along gravity, together and in the order of their heights."""
    axis = int(np.argmax(np.abs(case.gravity)))
    way = Way(axis, float(np.sign(case.gravity[axis])))
    floors = np.full(len(placed.species), np.nan)
    last = len(floors)
    for insert, region in zip(case.insert[::-1], insert_regions(case)[::-1], strict=True):
        if insert.lowered:
            ends = region.arrays()
            floors[last - insert.count : last] = ends.lower[axis] if way.sign < 0.0 else ends.upper[axis]
        last -= insert.count
    x = lower_grains(catalogue, placed, floors, way, domain=around.domain, walls=around.walls, planar=case.dimension == 2)
    return placed._replace(positions=x)


def _scales(case: Case, insert: Insert, first: int) -> np.ndarray:
    if insert.size.kind == "constant":
        return np.full(insert.count, insert.size.value)
    return random_scales(case.seed, first, insert.count, insert.size.min, insert.size.max)
