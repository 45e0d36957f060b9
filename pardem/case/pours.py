"""What `[[pour]]` asks of the rest of a case."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..case_values import MOST
from ..laws.registry import KINDS
from ..suggestions import unknown
from .tables import CaseTables


def pour_problems(case: CaseTables) -> Iterator[str]:
    """Find what stands against grains that arrive while the run goes on.

    Args:
        case: tables of the case.

    Yields:
        One sentence for each problem.
    """
    stages = [stage.name for stage in case.stage]
    for i, pour in enumerate(case.pour):
        key = f"pour.{pour.name or i}"
        if pour.start is not None and pour.start not in stages:
            yield unknown(f"{key}.start", pour.start, stages, "stage")
        side = min(np.subtract(case.domain.upper, case.domain.lower)[: case.dimension]) if case.domain is not None else math.inf
        if not math.hypot(*pour.velocity) * case.time.step <= min(side, MOST):
            yield f"{key}.velocity = {list(pour.velocity)} m/s makes grains cross the whole domain in one step: reduce it, or time.step"
    if case.pour and case.attraction is not None:
        yield "pour: a grain that arrives has felt no force yet, but [attraction] acts everywhere; take one of the two out"
    if case.pour and KINDS[case.contact.law].reach is not None:
        yield f"pour: a grain that arrives has felt no force yet, but contact.law = '{case.contact.law}' acts beyond contact; take another law"
