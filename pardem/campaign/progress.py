"""How far a campaign is, and how long what is left will take, from the durations of the runs that have finished."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from ..setup.estimate import duration
from .attempts import read_attempt
from .locks import is_held
from .points import Design
from .run_rows import FAILED, FINISHED, LOCK, WALL_SECONDS, Rows, folder_of, folders, known_points


@dataclass(frozen=True)
class Progress:
    """What has been done of a campaign.

    Attributes:
        count: number of its runs.
        ended: number of those that have ended.
        failed: number of those among them that have failed.
        under_way: ids of those that somebody works on.
        left: time that the rest will take if as many runs as now are done at once (s), or one; None if no duration is known.
    """

    count: int
    ended: int
    failed: int
    under_way: tuple[str, ...]
    left: float | None

    @property
    def waiting(self) -> int:
        """Number of runs that nobody has begun or works on."""
        return self.count - self.ended - len(self.under_way)

    def __str__(self) -> str:
        failed = f", of which {self.failed} have failed" if self.failed else ""
        text = f"{self.ended} of {self.count} runs have ended{failed}"
        if self.ended >= self.count:
            return text
        text += f"; {len(self.under_way)} under way, {self.waiting} waiting"
        if self.left is None:
            return text
        return f"{text}; about {duration(self.left)} left" + ("" if self.under_way else " for one group of ranks")


def progress(design: Design, rows: Rows, groups: int = 1) -> Progress:
    """Look how far a campaign is.

    Args:
        design: design of the study.
        rows: that are there; looked for anew.
        groups: least number of groups of ranks that will work on it.
    """
    study, points, there = design.study, known_points(design, rows), folders(design.study)
    ended = [rows.known[point.id] for point in points if point.id in rows.known]
    begun = {point.id: read_attempt(folder_of(study, point.id)) for point in points if point.id not in rows.known and point.id in there}
    busy = {run: last for run, last in begun.items() if last.under_way and is_held(folder_of(study, run) / LOCK)}
    left = None
    if times := [float(row[WALL_SECONDS]) for row in ended if row["status"] == FINISHED and WALL_SECONDS in row]:
        each = mean(times)
        rest = [max(0.0, each - last.spent()) for last in busy.values()]
        left = (sum(rest) + (design.count - len(ended) - len(busy)) * each) / max(groups, len(busy))
    return Progress(design.count, len(ended), sum(row["status"] == FAILED for row in ended), tuple(busy), left)
