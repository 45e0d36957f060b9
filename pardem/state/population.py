"""The grains that a rank owns, between two rebuilds of its lists: plain arrays by row, and the living contacts as a table."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from ..shapes.catalogue import Catalogue

FLOATS = 21  # x 4, v 4, w 4, q 4, am 4, scale
INTS = 5  # gid, species, image 3; then ft, and the past of gear4


@dataclass
class Population:
    """Owned grains, one row each (see docs/architecture.md for the arrays)."""

    gid: np.ndarray
    species: np.ndarray
    scale: np.ndarray
    x: np.ndarray
    v: np.ndarray
    w: np.ndarray
    q: np.ndarray
    am: np.ndarray
    ft: np.ndarray
    image: np.ndarray
    past: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int64))

    def __post_init__(self) -> None:
        if not self.past.shape[1]:
            self.past = np.zeros((len(self.gid), 0), np.int64)

    def widen(self, columns: int, past: int) -> None:
        """Give grains that have not moved yet room for ``columns`` of forces and ``past`` of those before."""
        if self.ft.shape[1] != columns:
            self.ft = np.zeros((self.count, columns), np.int64)
        if self.past.shape[1] != past:
            self.past = np.zeros((self.count, past), np.int64)

    @property
    def count(self) -> int:
        """Number of grains."""
        return len(self.gid)

    @classmethod
    def empty(cls, n: int = 0) -> Population:
        """``n`` rows of zeros."""
        return cls(
            np.zeros(n, np.int64), np.zeros(n, np.int32), np.ones(n), np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 4)),
            np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 8), np.int64), np.zeros((n, 3), np.int32),
        )  # fmt: skip

    def take(self, rows: np.ndarray) -> Population:
        """The grains in ``rows`` (indices or mask)."""
        return Population(*(getattr(self, f.name)[rows] for f in fields(self)))

    def arrange(self, rows: np.ndarray) -> None:
        """Put the grains in the order of ``rows`` (a permutation), an array at a time: needs room for the largest array only."""
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name)[rows])

    def pack(self) -> tuple[np.ndarray, np.ndarray]:
        """As (n, FLOATS) float64 and (n, INTS or more) int64 arrays, for messages."""
        floats = np.concatenate([self.x, self.v, self.w, self.q, self.am, self.scale[:, None]], axis=1)
        ints = np.concatenate([self.gid[:, None], self.species[:, None].astype(np.int64), self.image.astype(np.int64), self.ft, self.past], axis=1)
        return floats, ints

    @classmethod
    def unpack(cls, floats: np.ndarray, ints: np.ndarray, width: int) -> Population:
        """The inverse of ``pack``; ``width``: columns of ``ft``."""
        past = INTS + width
        x, v, w, q, am, scale = np.split(floats, [4, 8, 12, 16, 20], axis=1)
        return cls(
            np.ascontiguousarray(ints[:, 0]), ints[:, 1].astype(np.int32), np.ascontiguousarray(scale[:, 0]),
            np.ascontiguousarray(x), np.ascontiguousarray(v), np.ascontiguousarray(w), np.ascontiguousarray(q), np.ascontiguousarray(am),
            np.ascontiguousarray(ints[:, INTS:past]), ints[:, 2:INTS].astype(np.int32), np.ascontiguousarray(ints[:, past:]),
        )  # fmt: skip

    @classmethod
    def joined(cls, parts: list[Population]) -> Population:
        """Several populations as one."""
        return cls(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)))


def make_population(catalogue: Catalogue, species: np.ndarray, scale: np.ndarray, position: np.ndarray, orientation: np.ndarray) -> Population:
    """Grains at rest, ids in the order of the rows.

    Args:
        species: (n,) int. scale: (n,). position: (n, 3) m. orientation: (n, 4) of the principal frame.
    """
    n = len(species)
    p = Population.empty(n)
    p.gid[:] = np.arange(n)
    p.species[:] = species
    p.scale[:] = scale
    p.x[:, :3] = position
    p.x[:, 3] = catalogue.radius[species] * scale
    p.v[:, 3] = catalogue.masses(species, scale)
    p.q[:] = orientation
    return p


@dataclass
class ContactTable:
    """Living contacts by key, wherever their bodies are.

    Attributes:
        key: (n, 3) int64: lower global id; higher global id, or -1 - wall; vertex, or pair of features or pieces (0 where none tells).
        hist: (n, 8, 12, 13 or 17) float64 history (see ``laws.history``).
        warm: (n, 2) int64 active sets of the solver.
    """

    key: np.ndarray
    hist: np.ndarray
    warm: np.ndarray

    @classmethod
    def empty(cls, width: int, n: int = 0) -> ContactTable:
        """``n`` rows of zeros, with histories of ``width`` floats."""
        return cls(np.zeros((n, 3), np.int64), np.zeros((n, width)), np.zeros((n, 2), np.int64))

    def take(self, rows: np.ndarray) -> ContactTable:
        """The contacts in ``rows`` (indices or mask)."""
        return ContactTable(self.key[rows], self.hist[rows], self.warm[rows])

    @classmethod
    def joined(cls, parts: list[ContactTable]) -> ContactTable:
        """Several tables as one; a contact known twice stays twice (both copies are the same)."""
        return cls(np.concatenate([p.key for p in parts]), np.concatenate([p.hist for p in parts]), np.concatenate([p.warm for p in parts]))
