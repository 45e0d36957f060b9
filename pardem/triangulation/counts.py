"""What has been done to a triangulation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Counts:
    """Counters of what has been done to a triangulation.

    Attributes:
        algorithm_1: moves completed by algorithm 1 of the thesis.
        algorithm_2: moves completed by algorithm 2.
        algorithm_3: moves completed by algorithm 3.
        points: moves made point by point.
        rebuilds: moves that needed a rebuild because all algorithms failed.
        destroyed: moves that inverted tetrahedra before algorithm 1 began.
        followed: points that were moved one by one.
        failed_1: failures of algorithm 1.
        failed_2: failures of algorithm 2.
        failed_3: failures of algorithm 3.
        failed_points: failures of moves point by point.
        flips_23: 2-3 flips, construction included.
        flips_32: 3-2 flips.
        flips_44: 4-4 flips.
        flips_14: 1-4 flips.
        flips_41: 4-1 flips.
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
