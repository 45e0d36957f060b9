"""What has been done to a triangulation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Counts:
    """What has been done to a triangulation so far.

    Attributes:
        algorithm_1, algorithm_2, algorithm_3: moves that each of the thesis' algorithms brought to the end.
        points: moves made point by point.
        rebuilds: moves that none of them did.
        destroyed: moves that turned tetrahedra over before algorithm 1 began.
        followed: points that moved by themselves.
        failed_1, failed_2, failed_3, failed_points: how often each failed.
        flips_23, flips_32, flips_44, flips_14, flips_41: flips of each kind, construction included.
    """

    algorithm_1: int = 0
    algorithm_2: int = 0
    algorithm_3: int = 0
    points: int = 0
    rebuilds: int = 0
    destroyed: int = 0
    followed: int = 0
    failed_1: int = 0
    failed_2: int = 0
    failed_3: int = 0
    failed_points: int = 0
    flips_23: int = 0
    flips_32: int = 0
    flips_44: int = 0
    flips_14: int = 0
    flips_41: int = 0
