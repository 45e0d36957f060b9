"""The public face: `Triangulation`."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import TriangulationError
from .counts import Counts
from .deletion import delete_vertex
from .edges import compressed_rows, edges_of
from .invariants import check_mesh
from .maintenance import built, by_events, by_flips, by_pieces, by_points, forget_queue, grown, inserted, one_by_one, uncovered
from .power_cells import cell_volumes, place_owners
from .predicates import INFINITE
from .regularise import DONE, FULL
from .tetrahedral_mesh import ABSENT, FLIP_14, FLIP_23, FLIP_32, FLIP_41, FLIP_44, FLIPS, HIDDEN, HIDDEN_COUNT, HIGH, VERTEX, enlarged, first_bad

Algorithm = Literal["auto", 1, 2, 3, "points", "rebuild"]


class Triangulation:
    """The exact weighted Delaunay (regular) triangulation of points in space, maintained as the points move.

    A point p with the weight w (the square of a sphere's radius) has the power distance ``|x - p|^2 - w``. Four points form a tetrahedron if no other
    point has a smaller power distance at the place where these four are equal. Edges join points whose power cells touch. Spheres that intersect,
    provided that each pair is less than orthogonal, are always joined (Pournin, thesis, theorem 4). Points keep the numbers that they are given here.

    No input is degenerate. Signs are exact, and where a determinant is zero (lattices, equal points) the points are perturbed infinitesimally, in the
    order of their numbers. The result is the unique triangulation of the perturbed points; it may contain tetrahedra without volume between points in
    a plane. Fewer than four points, and points on a line or in a plane, have edges but no tetrahedra with volume. A point whose weight is so small
    that it has no cell is *hidden*: it has no edges until it moves or its weight grows. Of several points at the same place, only the heaviest is not
    hidden, and of equal ones only one, except at corners of the convex hull, where they may be joined by edges of zero length.

    Args:
        points: (n, 3) coordinates in any unit of length, each 0 or between 2^-140 and 2^200 in magnitude. Smaller values are taken as 0.
        weights: (n,) weights in the square of that unit, each 0 or between 2^-280 and 2^400 in magnitude; None for zero weights.

    Raises:
        TriangulationError: an array has the wrong shape, or a value is not finite or too large.
    """

    def __init__(self, points: ArrayLike, weights: ArrayLike | None = None) -> None:
        xw = _checked(points, weights)
        self._edges: np.ndarray | None = None
        self._listed: np.ndarray | None = None  # the edges that ``_rows`` are those of
        self._rows = np.empty(0, np.int64), np.empty(0, np.int32)
        self._counts = Counts()
        self._gaps: list[int] = []  # numbers of deleted points, a heap
        self._mesh, self._row = built(xw, np.arange(len(xw)))

    # --- what is there -------------------------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of points, hidden ones and the gaps that deleted ones have left included."""
        return len(self._row)

    @property
    def points(self) -> np.ndarray:
        """(n, 3) float64 coordinates; those of deleted points have no meaning."""
        return self._mesh.xw[self._row, :3]

    @property
    def weights(self) -> np.ndarray:
        """(n,) float64 weights."""
        return self._mesh.xw[self._row, 3]

    @property
    def present(self) -> np.ndarray:
        """(n,) bool, which points have not been deleted."""
        return self._mesh.state[self._row] != ABSENT

    @property
    def hidden(self) -> np.ndarray:
        """Numbers of the hidden points, ascending."""
        if self._mesh.tally[HIDDEN_COUNT] == 0:
            return np.empty(0, np.int64)
        return np.flatnonzero(self._mesh.state[self._row] == HIDDEN)

    @property
    def tetrahedra(self) -> np.ndarray:
        """(m, 4) int32 vertex numbers of each tetrahedron, positively oriented, including tetrahedra of perturbed points in a plane."""
        vert = self._mesh.vert[: self._mesh.tally[HIGH]]
        numbers: np.ndarray = self._mesh.key[vert[(vert[:, 0] >= 0) & (vert.min(axis=1) >= INFINITE)]].astype(np.int32)
        return numbers

    @property
    def counts(self) -> Counts:
        """Numbers of moves and flips so far."""
        tally = self._mesh.tally
        for name, slot in (("23", FLIP_23), ("32", FLIP_32), ("44", FLIP_44), ("14", FLIP_14), ("41", FLIP_41)):
            setattr(self._counts, f"flips_{name}", int(tally[slot]))
        return self._counts

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the edges, each once, in compressed rows. They are updated where flips have changed them, or built anew after larger changes.

        Returns:
            Row pointers (n + 1,) int64 and columns (E,) int32: point i is joined to ``columns[pointers[i]:pointers[i + 1]]``, all greater than i and
            ascending.
        """
        numbers, n = self.edge_numbers(), len(self._row)
        if numbers is not self._listed or len(self._rows[0]) != n + 1:
            self._listed, self._rows = numbers, compressed_rows(numbers, n)
        return self._rows

    def edge_numbers(self) -> np.ndarray:
        """The edges as numbers: (E,) int64, lower point << 32 | higher point, ascending."""
        self._edges = edges_of(self._mesh, self._edges, len(self._row))
        return self._edges

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For compiled loops: vertices (T, 4) and neighbours (T, 4) of the tetrahedra as in `TetrahedralMesh`, the number of the point in each row.

        They are the arrays that moves change, not copies.
        """
        mesh, high = self._mesh, int(self._mesh.tally[HIGH])
        return mesh.vert[:high], mesh.nbr[:high], mesh.key

    def volumes(self, lower: ArrayLike, upper: ArrayLike) -> np.ndarray:
        """Compute the volumes of the power cells of the points inside a box; they add up to that of the box.

        The volume of a sphere divided by that of its cell is its local volume fraction.

        Args:
            lower: (3,) lower corner of the box, in the unit of the points.
            upper: (3,) upper corner of the box.

        Returns:
            (n,) volumes; 0 for hidden and deleted points.

        Raises:
            TriangulationError: the box has no volume.
        """
        low, high = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
        if low.shape != (3,) or high.shape != (3,) or not np.all(low < high):
            raise TriangulationError(f"the box from {low} to {high} has no volume; give two corners, the lower first")
        pointers, columns = self.edges()
        n = len(self._row)
        points, weights, cells = self.points, self.weights, self._mesh.state[self._row] == VERTEX
        owner = place_owners(points, weights, cells)
        first, second = owner[np.repeat(np.arange(n), np.diff(pointers))], owner[columns]
        both = np.concatenate((first, second)), np.concatenate((second, first))
        order = np.argsort(both[0], kind="stable")
        ptr = np.searchsorted(both[0][order], np.arange(n + 1))
        found: np.ndarray = cell_volumes(points, weights, cells & (owner == np.arange(n)), ptr, both[1][order], low, high)
        return found

    def check(self) -> None:
        """Check everything that must hold: neighbours, orientations, legality of every facet, Euler's relation, hidden points.

        Raises:
            TriangulationError: something does not hold, which is a fault of the program.
        """
        check_mesh(self._mesh)

    # --- changes -------------------------------------------------------------------------------------------------------------------------------

    def move(self, points: ArrayLike, weights: ArrayLike | None = None, algorithm: Algorithm = "auto") -> Algorithm:
        """Move all points to new places and update the triangulation.

        Args:
            points: (n, 3) new coordinates; those of deleted points are ignored.
            weights: (n,) new weights; None to keep them.
            algorithm: 1 flips illegal facets. 2 flips facets in the order of the times at which they become illegal along straight paths. 3 splits
                the paths where tetrahedra become flat, and treats each part as 1. "points" is like 1, but points in whose way tetrahedra would be
                inverted follow one by one, in parts; it is cheapest for longer moves, except for points on the hull. "rebuild" starts from scratch.
                "auto" tries 1, "points", 2 and 3 in turn. A rebuild follows if all these fail.

        Returns:
            The algorithm that completed the move: 1 (also for "points" if no point had to follow), 2, 3, "points" or "rebuild"; it is also counted in
            `counts`.

        Raises:
            TriangulationError: for the same reasons as a new triangulation; in this case nothing has moved.
        """
        mesh = self._mesh
        x0, x1 = mesh.xw.copy(), self._moved(points, weights)
        keep = algorithm == "auto"
        if algorithm in ("auto", 1):
            self._mesh, regular, destroyed, before = by_flips(mesh, x1, keep)
            self._counts.destroyed += destroyed
            if regular:
                return self._settled(1)
            self._counts.failed_1 += 1
            if before is None:
                return self._rebuild(x1)
            mesh = before
            forget_queue(mesh)
        if algorithm in ("auto", "points"):
            self._mesh, regular, followed, before = by_points(mesh, x0, x1, keep)
            self._counts.followed += followed
            if algorithm == "points":
                self._counts.destroyed += followed > 0 or not regular
            if regular:
                return self._settled("points" if followed else 1)
            self._counts.failed_points += 1
            if before is None:
                return self._rebuild(x1)
            mesh = before
            forget_queue(mesh)
        self._mesh = mesh
        mesh.xw[:] = x0
        if algorithm in ("auto", 2):
            trial, regular = by_events(mesh, x0, x1)
            if regular:
                self._mesh = trial
                return self._settled(2)
            self._counts.failed_2 += 1
            mesh.xw[:] = x0
        if algorithm in ("auto", 3):
            trial, regular = by_pieces(mesh, x0, x1)
            if regular:
                self._mesh = trial
                return self._settled(3)
            self._counts.failed_3 += 1
        return self._rebuild(x1)

    def move_few(self, numbers: np.ndarray, points: ArrayLike) -> Algorithm:
        """Move a few points to new places, one after the other, while the others stay; weights are kept.

        Args:
            numbers: (k,) numbers of the points.
            points: (k, 3) their new coordinates.

        Returns:
            "points", or "rebuild" if one of them did not get through.

        Raises:
            TriangulationError: for the same reasons as a new triangulation; in this case nothing has moved.
        """
        rows = self._row[numbers]
        x1 = self._mesh.xw.copy()
        x1[rows] = _checked(points, x1[rows, 3])
        self._mesh, regular = one_by_one(self._mesh, x1, rows)
        self._counts.followed += len(rows)
        if regular:
            return self._settled("points")
        self._counts.failed_points += 1
        return self._rebuild(x1)

    def _moved(self, points: ArrayLike, weights: ArrayLike | None) -> np.ndarray:
        """The rows of the mesh's points with all points at new places; see `move`."""
        if len(np.asarray(points)) != len(self._row):
            raise TriangulationError(f"{len(np.asarray(points))} points were given for a triangulation of {len(self._row)}; give one row for each")
        x1: np.ndarray = self._mesh.xw.copy()
        x1[self._row] = _checked(points, self.weights if weights is None else weights, self.present)
        return x1

    def _settled(self, algorithm: Algorithm) -> Algorithm:
        """Count a move that an algorithm has brought to the end."""
        name = "points" if algorithm == "points" else f"algorithm_{algorithm}"
        setattr(self._counts, name, getattr(self._counts, name) + 1)
        return algorithm

    def _rebuild(self, x1: np.ndarray) -> Algorithm:
        """All anew from points in the rows of ``x1``."""
        present, tally = np.flatnonzero(self.present), self._mesh.tally
        self._mesh, self._row = built(x1[self._row], present)
        for slot in FLIPS:
            self._mesh.tally[slot] += tally[slot]
        self._edges = None
        self._counts.rebuilds += 1
        return "rebuild"

    def insert(self, point: ArrayLike, weight: float = 0.0) -> int:
        """Insert a point.

        Args:
            point: (3,) coordinates.
            weight: weight of the point.

        Returns:
            The number of the point: the smallest one freed by a deletion, or else a new one.

        Raises:
            TriangulationError: for the same reasons as a new triangulation.
        """
        xw = _checked(np.asarray(point, np.float64)[None], np.array([weight]))
        if self._gaps:
            number = heappop(self._gaps)
        else:
            number = len(self._row)
            row = INFINITE + number
            if row == len(self._mesh.xw):
                self._mesh = enlarged(self._mesh, row + row // 8 + 16, len(self._mesh.vert))
            self._row = np.append(self._row, row)
            self._mesh.key[row] = number
        row = int(self._row[number])
        self._mesh.xw[row] = xw[0]
        self._mesh = inserted(self._mesh, np.array([row]))
        return number

    def delete(self, number: int) -> None:
        """Delete a point; its number may be given to a new one.

        Args:
            number: number of the point.

        Raises:
            TriangulationError: there is no such point.
        """
        if not 0 <= number < len(self._row) or self._mesh.state[self._row[number]] == ABSENT:
            raise TriangulationError(f"there is no point {number} to delete; numbers that are there: see `present`")
        row, mesh = int(self._row[number]), self._mesh
        heappush(self._gaps, number)
        if mesh.state[row] == HIDDEN:
            mesh.state[row] = ABSENT
            mesh.tally[HIDDEN_COUNT] -= 1
            return
        while (status := delete_vertex(mesh, row)) == FULL:
            mesh = grown(mesh)
        self._mesh = mesh
        if status == DONE:
            self._mesh = uncovered(mesh)
        else:
            mesh.state[row] = ABSENT
            self._rebuild(mesh.xw)


def _checked(points: ArrayLike, weights: ArrayLike | None, needed: np.ndarray | None = None) -> np.ndarray:
    """Points and weights as (n, 4) float64, what is too small as 0; rows that are not needed are not looked at."""
    x = np.asarray(points, np.float64)
    if x.ndim != 2 or x.shape[1] != 3:
        raise TriangulationError(f"points have the shape {x.shape}; give (n, 3)")
    w = np.zeros(len(x)) if weights is None else np.asarray(weights, np.float64)
    if w.shape != (len(x),):
        raise TriangulationError(f"weights have the shape {w.shape} for {len(x)} points; give ({len(x)},)")
    xw = np.empty((len(x), 4))
    xw[:, :3], xw[:, 3] = x, w
    i = int(first_bad(xw, np.ones(len(x), np.bool_) if needed is None else needed))
    if i >= 0:
        raise TriangulationError(f"point {i} at {tuple(x[i])} with weight {w[i]} is not finite or too large; give coordinates up to 2^200")
    return xw
