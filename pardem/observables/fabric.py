"""Fabric tensor: how the normals of the contacts between grains are distributed over the directions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..decomposition.exact import ExactSums
from .observable import Instant, Observable, Quantity, Subject, Values

PARTS = np.triu_indices(3)
"""Rows and columns of the parts of a symmetric tensor that are added up."""

AMPLITUDE = {2: 0.5, 3: 1.5}
"""What the squares of the deviator's components are multiplied with, by dimensions."""


class Fabric(Observable):
    """Fabric tensor of the contacts between grains, and how far it is from isotropic."""

    quantities = (
        Quantity("fabric", "1", shape=(3, 3), of_contacts=True),
        Quantity("fabric_anisotropy", "1", of_contacts=True, panel="fabric anisotropy"),
    )

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether the case asks for it.

        Args:
            subject: what is observed.

        Returns:
            Whether it does.
        """
        return subject.case.output.observables.fabric

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the products of the components of the normals, and their number.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        normal = np.zeros((0, 3)) if now.contacts is None else now.contacts.normal[now.contacts.key[:, 1] >= 0]
        sums.add("fabric", normal[:, PARTS[0]] * normal[:, PARTS[1]])
        sums.add("normals", np.array([float(len(normal))]))

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the mean of the products, and its deviation from that of isotropic normals.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``fabric`` (3, 3) and ``fabric_anisotropy``; not-a-number where there are no contacts.
        """
        count = found["normals"]
        fabric = np.full((3, 3), math.nan)
        if count:
            fabric[PARTS] = fabric.T[PARTS] = found["fabric"] / count
        return {"fabric": fabric, "fabric_anisotropy": anisotropy(fabric, self.subject.case.dimension)}


def anisotropy(fabric: np.ndarray, dimension: int) -> float:
    """Compute the amplitude a of the distribution of directions that has a fabric tensor and no harmonics of higher order.

    In two dimensions the distribution is 1 + a cos 2(theta - theta_0) over 2 pi. In three it is 1 + a_ij n_i n_j over 4 pi, and a is
    sqrt(3/2 a_ij a_ij), which for normals spread evenly about an axis is the difference of the two principal values of a_ij.

    Args:
        fabric: (3, 3) fabric tensor.
        dimension: 2 or 3.

    Returns:
        The amplitude, 0 of an isotropic tensor; not-a-number of a tensor that is.
    """
    d = dimension
    of_moments = d * (d + 2) / 2  # the isotropic mean of n_i n_j n_k n_l is 1/(d (d + 2)) for each way to pair them
    deviator = of_moments * (fabric[:d, :d] - np.eye(d) / d)
    return math.sqrt(AMPLITUDE[d] * float((deviator * deviator).sum()))
