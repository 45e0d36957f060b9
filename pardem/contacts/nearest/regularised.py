"""The regularised distance of two convex polytopes: strongly convex, so unique and smooth even between parallel edges and faces."""

from __future__ import annotations

from ...compiled.jit import inlined
from .polytope_pair import WORK_SIZE, minimum

__all__ = ["WORK_SIZE", "regularised_polytopes"]


@inlined
def regularised_polytopes(w, cores, eps2, warm, work):
    """Minimiser of f = |W + X - Y|^2 + eps_A^2 |X|^2 + eps_B^2 |Y|^2 over X in conv(A), Y in conv(B), both relative to their own centres.

    sqrt(f) is the distance of the regularised interaction. The gradient of f under motions of the bodies is that of |W + X - Y|^2 at fixed X, Y
    (envelope theorem): the penalty terms do not change under rigid motion of their own body. Where both eps are 0, any pair of nearest points.

    Args:
        w: W, centre of A less centre of B (m).
        cores: ``polytope_pair.TwoCores``: any number of vertices from 1 (point) and 2 (segment).
        eps2: squared regularisation of each body, two numbers >= 0.
        warm: active sets of the call before (``polytope_active``), (0, 0) for a cold start. The bits of the result depend on them.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        f (m^2), X (m), Y (m), the two active sets for the next call, status: 0 solved, 1 not converged (or not a number).
    """
    m, status = minimum(w, cores, eps2, warm, work)
    return m.f, m.x, m.y, m.sets, status
