"""The state of one rank as flat arrays: what the kernels read and write. See docs/architecture.md for every array's meaning."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit  # noqa: F401  (the layout of these tuples is part of the compiled code: this file belongs to the cache's hash)
from ..laws.resistance.resistance_model import NoResistance, Resistance


class Needed(NamedTuple):
    """Vertices that are placed in each step between two rebuilds (``detection.needed_vertices``), in compressed rows; empty: all of them are.

    Attributes:
        start: (N + 1,) int64 first entry of each grain in ``number``; (0,) if all vertices are placed.
        number: int32 numbers of vertices within their grains, increasing.
    """

    start: np.ndarray
    number: np.ndarray


class Grains(NamedTuple):
    """Grains of a rank. Rows ``0..n_own-1`` are owned, the rest are ghosts.

    Attributes:
        gid: (N,) int64 global ids.
        species: (N,) int32 species.
        material: (N,) int32 rows in the tables of the law.
        scale: (N,) float64 size factors.
        x: (N, 4) centre of mass (m), wrapped; sphero-radius (m).
        v: (N, 4) velocity (m/s); mass (kg).
        w: (N, 4) angular velocity, world frame (rad/s).
        q: (N, 4) orientation (w, x, y, z).
        am: (N, 4) angular momentum, world frame (kg m^2/s); unused for spheres.
        ft: (N, 8) int64 force [0:3] and torque [4:7] in quanta, number of contributions [3]; (N, 16) if sums are wide: upper limbs follow.
        image: (N, 3) int32 periodic wraps.
        past: (N, 18) int64 forces and torques of one, two and three steps ago (quanta), (N, 36) if sums are wide; (N, 0) unless the integrator is
            gear4.
        vert_start: (N + 1,) int64 first row of each grain in ``vert``.
        vert: (M + 2, 4) world vertices relative to the centre (m) and zero, none if all grains are spheres; the last two rows are for reading beyond
            the end.
        needed: vertices that the contacts of these lists can ask for.
        x0: (N, 3) centre of mass at the last rebuild of the lists (m).
        q0: (N, 4) orientation at the last rebuild of the lists.
        path: (N,) distance that the points of a grain may have moved since then (m), if candidates are screened by it; else (0,).
    """

    gid: np.ndarray
    species: np.ndarray
    material: np.ndarray
    scale: np.ndarray
    x: np.ndarray
    v: np.ndarray
    w: np.ndarray
    q: np.ndarray
    am: np.ndarray
    ft: np.ndarray
    image: np.ndarray
    past: np.ndarray
    vert_start: np.ndarray
    vert: np.ndarray
    needed: Needed
    x0: np.ndarray
    q0: np.ndarray
    path: np.ndarray


class Shapes(NamedTuple):
    """Tables of the species that the step needs.

    Attributes:
        material: (ns,) int32 rows in the tables of the law.
        kind: (ns,) int32 number of core vertices: 1 sphere, 2 spherocylinder, more: polytope.
        core_radius: (ns,) largest distance of a core vertex from the centre (m).
        inertia: (ns, 3) principal moments (kg m^2).
        inverse: (ns, 4) one over the principal moments (1/(kg m^2)); 0.
        vertex_start: (ns + 1,) int64 first row of each species in ``vertices``.
        vertices: (M, 4) vertices in the body frame (m) and zero.
    """

    material: np.ndarray
    kind: np.ndarray
    core_radius: np.ndarray
    inertia: np.ndarray
    inverse: np.ndarray
    vertex_start: np.ndarray
    vertices: np.ndarray


class Features(NamedTuple):
    """Edges and faces by species, with which grains touch (``contacts.nearest.features``).

    Attributes:
        edge_start: (ns + 1,) int64 first row of each species in ``edges``.
        edges: (ne, 2) int32 vertex numbers within the species; the two are equal for a vertex without edges.
        real: (ns,) int32 number of edges that have a length; they come first.
        face_start: (ns + 1,) int64 first face of each species.
        loop_start: (nf + 1,) int64 first entry of each face in ``loops``.
        loops: int32 vertex numbers within the species.
    """

    edge_start: np.ndarray
    edges: np.ndarray
    real: np.ndarray
    face_start: np.ndarray
    loop_start: np.ndarray
    loops: np.ndarray


class Parts(NamedTuple):
    """Convex pieces of cores by species (``contacts.rules.compounds``). All species but compounds have one.

    Attributes:
        start: (ns + 1,) int64 first piece of each species.
        first: (np,) int64 first vertex of a piece within its species.
        size: (np,) int64 number of vertices of a piece.
        centre: (np, 3) centre from which the regularisation of a piece counts, body frame (m): mean of its vertices; zero for a core of one piece.
        vertex_start: (ns + 1,) int64 first row of each species in ``outer``.
        outer: (nv,) uint8 whether the inside of a cylinder can touch a vertex.
    """

    start: np.ndarray
    first: np.ndarray
    size: np.ndarray
    centre: np.ndarray
    vertex_start: np.ndarray
    outer: np.ndarray


class Record(NamedTuple):
    """What an observed step records of the contacts in a list (``contacts.record``).

    Attributes:
        there: (P,) uint8 whether a candidate touches and counts for this rank.
        values: (P, RECORD) float64 records.
    """

    there: np.ndarray
    values: np.ndarray


NO_RECORD = Record(np.zeros(0, np.uint8), np.zeros((0, 0)))


class HistoryRows(NamedTuple):
    """Which candidates of a list have which rows of histories, where only those that touch have one (``contacts.history_rows``).

    Attributes:
        at: (P,) int32 row of each candidate that touches; (0,) where each candidate has the row of its own number.
        given_back: int32 rows that were used and are free again, and room for as many as there are rows; (0,) likewise.
        counts: (2,) int64 number of these; number of rows that have ever been used.
    """

    at: np.ndarray
    given_back: np.ndarray
    counts: np.ndarray


class Contacts(NamedTuple):
    """Candidate pairs in compressed rows with the history of those that touch.

    Attributes:
        row: (R,) int32 first body of each row (grain; the one with the lower global id).
        ptr: (R + 1,) int64 first candidate of each row.
        col: (P,) int32 second body (grain or wall).
        first: (P,) int32 first body of each candidate; (0,) unless the rule has a pair loop of its own.
        sub: (P,) int64 pair of features or pieces (``contacts.nearest.features``, ``pieces``); empty for pairs of whole grains. For walls: a pair of
            features (bodies), the vertex, or the piece.
        touch: (P,) uint8 whether the candidate touches, so that its history counts.
        free: (P,) float32 path of the two grains together, or of the grain at a wall, up to which they cannot touch (m), shortened by what float32
            rounds; (0,) if candidates are not screened.
        hist: (P, 8 or more) float64 histories (see ``laws.history``).
        rows: which candidates have which rows of them.
        warm: (P, 2) int64 active sets of the solver; empty if only closed forms are used.
        near: (BATCH, or BATCH and some BLOCK,) int32 work space: places in the list of the candidates that a batch treats (``contacts.batch``) and
            of those that wait for others of their kind (``contacts.grain_pairs``). Any entry can be read as a place: all are 0 at first.
        near_row: (BATCH,) int32 work space of batches.
        scratch: (SCRATCH,) float64 work space of batches.
        counts: (COUNTS,) int64 work space of batches.
        interior: (1,) int64 number of rows without ghosts; they come first.
        alike: (1,) uint8 whether the pairs of materials of all candidates are the same.
        record: storage for what an observed step records of each contact, if that is wanted.
    """

    row: np.ndarray
    ptr: np.ndarray
    col: np.ndarray
    first: np.ndarray
    sub: np.ndarray
    touch: np.ndarray
    free: np.ndarray
    hist: np.ndarray
    rows: HistoryRows
    warm: np.ndarray
    near: np.ndarray
    near_row: np.ndarray
    scratch: np.ndarray
    counts: np.ndarray
    interior: np.ndarray
    alike: np.ndarray
    record: Record = NO_RECORD


class Walls(NamedTuple):
    """Walls.

    Attributes:
        kind: (W,) int32 kind of surface (see ``walls.surfaces.registry``).
        body: (W,) int32 row of a body's vertices, counted from the end of the grains' arrays (-1: the last).
        features: features of all species, for bodies.
        there: (W,) uint8 whether the wall is present in this stage (``walls.surfaces.place``).
        line: (W,) int8 which other walls several grains meet together with this one in this step, -1: none (``walls.wall_lanes``).
        turning: (W,) uint8 whether it turns in this step (``walls.wall_lanes``).
        waiting: (LINES,) int64 work space: how many candidates of each line wait for others (``walls.loop``).
        outlines: float64 work space for corners of bodies' faces (``contacts.nearest.feature_lanes``).
        material: (W,) int32 rows in the tables of the law.
        shape: (W, 10) float64: point (3), unit normal or axis (3), up to four lengths that depend on the surface (m).
        motion: (W, MOTION) float64 motion of each wall (see ``walls.motion.rows``); for servo walls also their position and their load.
        pose: (W, POSE) float64: displacement of the point (3), half-step velocity (3), displacement to come minus that before, halved (3),
            normal (3), half-step angular velocity (3), turn to come minus that before, halved (3), quaternion of the turn (4). For a wall that
            turns, velocity and displacement between steps are those before the turn.
        reaction: (W, 6, 2) int64 two-limb force and torque about the origin that the grains exert on the wall, of the last step.
        total: (W, 6, 2) int64 the same summed over all ranks, if there are servo walls.
        work: (W, 2) int64 two-limb work done by the wall on the grains so far, in energy quanta.
    """

    kind: np.ndarray
    body: np.ndarray
    features: Features
    there: np.ndarray
    line: np.ndarray
    turning: np.ndarray
    waiting: np.ndarray
    outlines: np.ndarray
    material: np.ndarray
    shape: np.ndarray
    motion: np.ndarray
    pose: np.ndarray
    reaction: np.ndarray
    total: np.ndarray
    work: np.ndarray


class Settings(NamedTuple):
    """Scalars of a run."""

    dt: float
    gx: float
    gy: float
    gz: float
    force: float
    torque: float
    energy: float
    wide: bool  # forces and torques on a body are summed in two limbs
    lower: np.ndarray
    upper: np.ndarray
    period: np.ndarray  # (3,) length, 0 where not periodic
    half: np.ndarray  # (3,) half a period, inf where not periodic
    periodic: bool
    budget: bool
    midstep: bool  # contacts see the velocities of the middle of the step, not those of its end (``integrators.scheme``)
    past: int  # integers that a grain keeps of the steps before (``integrators.scheme``)
    planar: bool  # two dimensions: z is zero throughout
    servo: bool  # some wall is a servo wall in some stage
    attraction: float  # strength of the field towards a point (m/s^2), 0: none
    softening: float  # its softening length (m)
    centre: np.ndarray  # (3,) the point (m)
    resistance: Resistance = NoResistance()  # to rolling and twisting: kernels are compiled for its type


def sum_columns(settings: Settings) -> tuple[int, int]:
    """Determine the widths of the arrays that forces are summed in.

    Args:
        settings: constants of the run.

    Returns:
        Number of columns of the forces and of the past forces of a grain.
    """
    limbs = 2 if settings.wide else 1
    return 8 * limbs, settings.past * limbs


# Rows of the tally ((TALLY, 2) int64, two-limb)
LOST_NORMAL, LOST_TANGENTIAL, STORED, CONTACTS, WALL_CONTACTS, STRESS = 0, 1, 2, 3, 4, 5
TALLY = 14

# Codes of what stops a step early (control[STATUS]) and slots of control
RUNNING, REBUILD, ERROR, GO_BACK = 0, 1, 2, 3
ERROR_RANGE, ERROR_OVERLAP, ERROR_NAN, ERROR_SOLVER, ERROR_LEFT, ERROR_CROWDED, ERROR_SERVO = 1, 2, 3, 4, 5, 6, 7
STEP, STATUS, PHASE, OBSERVE, FAULT, FAULT_A, FAULT_B, FAULT_STEP = 0, 1, 2, 3, 4, 5, 6, 7
KNOWN = 8  # step for which the poses of ghosts are known without a message
HOLDS, DUE, LATE, CLOSELY = 9, 10, 11, 12  # what ranks agree on, see ``pardem.horizon``
IN_COLUMNS = 13  # whether no contacts go through lanes: tests compare the two ways
CONTROL = 14
NEVER = 1 << 62  # beyond all steps
TALLIED, RECORDED = 1, 2  # control[OBSERVE]: contacts are summed up for the observables; and noted one by one
AT_END, DRIFTED = 0, 1
