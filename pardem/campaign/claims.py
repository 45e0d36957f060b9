"""Which run is begun next: those whose process never died first, and those in which it has died twice with nothing beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .attempts import ALONE, MOST_DEATHS, begin, deaths_of, forget, read_attempt, sentence_of
from .locks import is_held, locked
from .points import Design, Point
from .run_rows import FAILED, LOCK, RESULT, Rows, folder_of, folders, known_points, read_row, write_row

DECIDING = "deciding.lock"
BEGUN, BARRED, ENDED = range(3)


class Claims:
    """The choice of runs for one leader of a pool.

    Args:
        design: design of the study.
        rows: rows that are there.
        pool: name of the pool.
        ranks: number of ranks that work on one run.
    """

    def __init__(self, design: Design, rows: Rows, pool: str, ranks: int) -> None:
        self.design, self.study, self.rows = design, design.study, rows
        self.pool, self.ranks = pool, ranks

    @contextmanager
    def next_one(self, wait: Callable[[], bool]) -> Iterator[Point | None]:
        """The next run that has no row and that nobody works on, its attempt noted and its lock held meanwhile.

        Args:
            wait: called where nothing can be begun now but perhaps later; waits a little, and tells whether to look again.

        Yields:
            The run, or None where there is nothing left to be begun.
        """
        while True:
            points = known_points(self.design, self.rows)
            open_points = [point for point in points if point.id not in self.rows.known]
            there = folders(self.study)
            suspicions = {point.id: _suspicion(self._folder(point.id)) for point in open_points if point.id in there}
            barred = False
            for point in sorted(open_points, key=lambda point: suspicions.get(point.id, 0)):
                self._folder(point.id).mkdir(exist_ok=True)
                with locked(self._folder(point.id) / LOCK) as mine:
                    state = self._begun(point, max(suspicions.values(), default=0)) if mine else ENDED
                    if state == BEGUN:
                        yield point
                        return
                    barred |= state == BARRED
            # others work on the rest; where values follow from their outcomes there may be more to do
            more = barred or len(points) < self.design.count
            if len(self.rows.known) >= self.design.count or not more or not wait():
                yield None
                return

    def _begun(self, point: Point, worst: int) -> int:
        """Note the attempt at a run whose lock is held, unless it has its row by now, must be given up, or may not begin beside others."""
        folder = self._folder(point.id)
        if read_row(self.study, point.id) is not None:
            return ENDED
        if (last := read_attempt(folder)).under_way and last.pool == self.pool:
            return BARRED  # a process of this pool has died of it, and MPI is about to end the others
        place, deaths = deaths_of(folder, folder / RESULT)
        if deaths >= MOST_DEATHS:
            write_row(self.study, point, {"status": FAILED, "sentence": sentence_of(folder, place, deaths)})
            forget(folder)
            return ENDED
        if worst < ALONE:
            begin(folder, place, deaths, self.ranks, self.pool)
            return BEGUN
        with locked(self.study.folder / DECIDING, wait=True):  # what one leader begins, the others see
            beside = [read_attempt(self._folder(run)).deaths for run in self._at_work(point)]
            if beside and max(deaths, *beside) >= ALONE:
                return BARRED
            begin(folder, place, deaths, self.ranks, self.pool)
        return BEGUN

    def _at_work(self, point: Point) -> Iterator[str]:
        """Other runs that this pool works on."""
        for run in folders(self.study) - {point.id}:
            last = read_attempt(self._folder(run))
            if last.under_way and last.pool == self.pool and is_held(self._folder(run) / LOCK):
                yield run

    def _folder(self, run: str) -> Path:
        return folder_of(self.study, run)


def _suspicion(folder: Path) -> int:
    """Number of deaths in attempts at a run, with the one under way, which may be the next."""
    last = read_attempt(folder)
    return last.deaths + last.under_way
