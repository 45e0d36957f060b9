"""The state of another run that a case starts from (`[start]`): taken up, and its grains and contacts selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from .case import Case
from .case.start import Start
from .decomposition.exchange import RowExchange
from .errors import FileError
from .io.results.state_file import SpeciesTally, StateFile, digest_of, read_state_file, recalled_origin
from .io.state.ordered_rows import IdLookup, place_of
from .io.state.shared_errors import together
from .run_state import run_state
from .state.origin_state import SHOWN, ContactEnds, Origin, OriginState, SettledGrains
from .state.population import ContactTable
from .state.saved import RunState
from .suggestions import nearest

if TYPE_CHECKING:
    from .simulation import Simulation


def with_origin(case: Case, comm: MPI.Comm = MPI.COMM_SELF) -> Case:
    """Read the state that a case starts from. Collective.

    Args:
        case: validated case.
        comm: communicator; each rank gets a part of the state.

    Returns:
        The case with the state; the same case if it starts from none, or has it.

    Raises:
        FileError: the file is missing, is no result or checkpoint, holds no state, or not what the case asks of it; on every rank.
    """
    start, path = case.start, case.start_path
    if start is None or path is None or (case._origin is not None and case._origin.state is not None):
        return case
    key = f"start.from = '{start.source}'"
    try:
        found = read_state_file(comm, path)
        if start.digest not in (None, found.digest):
            raise FileError(f"{path} holds another state than this case started from: its digest is {found.digest}, not {start.digest}")
        state = _selected(comm, case, start, found)
    except FileError as error:
        raise FileError(f"{key}: {error}") from None
    tally = SpeciesTally(len(case.species))
    tally.add(state.grains.species, state.grains.scale)
    tally.join(comm)
    sizes, counts = tally.by_name([s.name for s in case.species])
    return case.starting_from(Origin(sizes, counts, state), found.digest, state.header.quanta)


def resumable(case: Case, comm: MPI.Comm, out: Path) -> Case:
    """Recall from the output of a run what its case must know to go on from a checkpoint of its own. Collective.

    Args:
        case: validated case.
        comm: communicator.
        out: result file.

    Returns:
        The case with the digest of the state that the run started from; where there is no output, with that state itself.

    Raises:
        FileError: that state is still there, but is another one now; on every rank.
    """
    start, path = case.start, case.start_path
    if start is None or path is None:
        return case
    known: tuple[Origin, str, Sequence[float]] | None = None
    with together(comm, f"{out} cannot be read"):
        if comm.rank == 0:
            known = recalled_origin(out)
            if known is not None:
                _require_same(path, start, known[1])
    known = comm.bcast(known)
    return with_origin(case, comm) if known is None else case.starting_from(*known)


def _require_same(path: Path, start: Start, digest: str) -> None:
    """Refuse a state that has changed since the run began; one that is gone is not needed."""
    if not path.exists():
        return
    now = digest_of(path)
    if now != digest:
        raise FileError(
            f"start.from = '{start.source}': {path} holds another state than when this run began (its digest is {now}, it was {digest}): put the old "
            "file back or move this one away to go on, choose another output with -o, or start anew with --force"
        )


def told_of_origin(sim: Simulation) -> dict[str, Any]:
    """What a run that has started from another one tells of it, as an entry of its provenance.

    Args:
        sim: the run.

    Returns:
        File, digest, grains, contacts that live on and that were dropped, and all of it as a sentence; nothing where it started otherwise.
    """
    start, taken_over = sim.case.start, sim.taken_over
    if start is None or taken_over is None or sim.case.origin is None:
        return {}
    grains, (kept, there) = sum(sim.case.origin.counts.values()), taken_over
    said = f"started from {start.source}: {grains} grains; {kept} of {there} contacts live on, {there - kept} are dropped"
    return {"from": start.source, "digest": start.digest, "grains": grains, "contacts_kept": kept, "contacts_dropped": there - kept, "said": said}


# -- choosing ---------------------------------------------------------------------------------------------------------------------------------


def _selected(comm: MPI.Comm, case: Case, start: Start, found: StateFile) -> OriginState:
    """The grains that a case takes over, with their contacts, under new ids. Collective."""
    state = run_state(found.full)
    stay, names = _staying(start, found, state), [s.name for s in found.case.species]
    used = np.bincount(state.grains.species[stay], minlength=len(names))
    comm.Allreduce(MPI.IN_PLACE, used, MPI.SUM)
    rows = _matched(case, found.path, names, used)
    whole = bool(comm.allreduce(int(np.count_nonzero(~stay & _present(state)))) == 0)
    count, left = int(comm.allreduce(len(stay))), int(np.count_nonzero(stay))
    before, total = place_of(comm, left)
    new = np.where(stay, before + np.cumsum(stay) - 1, -1)
    here = np.full(len(names), -1)
    here[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    species = here[state.grains.species].astype(np.int32)
    mine = np.isin(state.contacts.key[:, 0], state.grains.gid)
    contacts, ends = _renumbered(comm, state.contacts, count, new, species, state.grains.scale)
    grains = state.grains.take(stay)
    grains.gid, grains.species = new[stay], species[stay]
    made = OriginState(
        state.header, found.case, found.catalogue, rows, total, SettledGrains.made(0), grains, contacts, ends, state.wall_motion, whole,
        int(comm.allreduce(int(np.count_nonzero(mine)))),
    )  # fmt: skip
    shown = made.settled.take(np.flatnonzero(grains.gid % -(-total // SHOWN) == 0))
    exchange = RowExchange(comm, np.zeros(shown.count, np.int64))
    return replace(made, shown=SettledGrains(**{name: exchange(getattr(shown, name)) for name in shown.columns}))


def _present(state: RunState) -> np.ndarray:
    """Which grains are there: they have neither left the domain nor are still to come."""
    return np.ones(state.grains.count, bool) if state.left is None else state.left == -1


def _staying(start: Start, found: StateFile, state: RunState) -> np.ndarray:
    """Which grains of this rank are taken over, (n,) bool."""
    names = [s.name for s in found.case.species]
    for name in start.without:
        if name not in names:
            raise FileError(f"start.without = '{name}' is not a species of {found.path} ({', '.join(names)}){nearest(name, names)}")
    stay = _present(state) & ~np.isin(state.grains.species, [names.index(name) for name in start.without])
    region = start.without_region
    if region is None:
        return stay
    x = state.grains.x[:, :3]
    flat = 2 if found.case.dimension == 2 else 3
    if region.kind == "box":
        return stay & ~((x >= region.lower) & (x <= region.upper))[:, :flat].all(axis=1)
    a = "xyz".index(region.axis)
    off = np.delete(x - np.array(region.center), a, axis=1)
    along = (x[:, a] >= region.lower) & (x[:, a] <= region.upper) | (flat == 2)
    return stay & ~((off**2).sum(axis=1) <= region.radius**2) | stay & ~along


def _matched(case: Case, path: Path, names: list[str], used: np.ndarray) -> np.ndarray:
    """Row in the other catalogue of each species of the case, -1 where it has none; every species whose grains are taken over must be there."""
    if not used.any():
        raise FileError(f"all grains of {path} are left out: take away start.without or start.without_region")
    known = [s.name for s in case.species]
    for name, count in zip(names, used, strict=True):
        if count and name not in known:
            raise FileError(
                f"{path} has {count} grains of species '{name}', which this case has not ({', '.join(known)}){nearest(name, known)}: "
                f'give the species, or leave its grains out by start.without = "{name}"'
            )
    return np.array([names.index(name) if name in names and used[names.index(name)] else -1 for name in known])


def _renumbered(
    comm: MPI.Comm, contacts: ContactTable, count: int, new: np.ndarray, species: np.ndarray, scale: np.ndarray
) -> tuple[ContactTable, ContactEnds]:  # fmt: skip
    """The contacts of grains that are taken over, under their new ids, and their grains. Collective.

    Args:
        comm: communicator.
        contacts: that this rank knows, under the old ids.
        count: number of grains there were.
        new: (n,) int64 new ids of the grains of this rank's block of old ids, -1 for those that are left out.
        species: (n,) int32 rows of their species in the case.
        scale: (n,) their size factors.
    """
    key, between = contacts.key.copy(), contacts.key[:, 1] >= 0
    first, second = IdLookup(comm, key[:, 0], count), IdLookup(comm, key[between, 1], count)
    ends = ContactEnds(np.full((len(key), 2), -1, np.int32), first(scale))
    key[:, 0], ends.species[:, 0] = first(new), first(species)
    key[between, 1], ends.species[between, 1] = second(new), second(species)
    keep = (key[:, 0] >= 0) & (~between | (key[:, 1] >= 0))
    return ContactTable(key[keep], contacts.hist[keep], contacts.warm[keep]), ContactEnds(ends.species[keep], ends.scale[keep])
