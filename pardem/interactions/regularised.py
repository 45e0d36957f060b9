"""The regularised distance of two convex polytopes: strongly convex, so unique and smooth even between parallel edges and faces."""

from __future__ import annotations

from .._jit import kernel
from .polytope_pair import WORK_SIZE, minimum

__all__ = ["WORK_SIZE", "regularised_polytopes"]


@kernel
def regularised_polytopes(wx, wy, wz, vert, a0, na, b0, nb, eps2_a, eps2_b, warm_a, warm_b, work):
    """Minimiser of f = |W + X - Y|^2 + eps_A^2 |X|^2 + eps_B^2 |Y|^2 over X in conv(A), Y in conv(B), both relative to their own centres.

    sqrt(f) is the distance of the regularised interaction. The gradient of f under motions of the bodies is that of |W + X - Y|^2 at fixed X, Y
    (envelope theorem): the penalty terms do not change under rigid motion of their own body. Where both eps are 0, any pair of nearest points.

    Args:
        wx, wy, wz: W, centre of A less centre of B (m).
        vert: (M, 3) world vertices relative to their own centre (m).
        a0, na: first row and number of vertices of A. b0, nb: of B. Any number from 1 (point) and 2 (segment).
        eps2_a, eps2_b: squared regularisation of each body, >= 0.
        warm_a, warm_b: active sets of the call before (``polytope_active``), both 0 for a cold start. The bits of the result depend on them.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        f (m^2), X (3), Y (3), the active sets for the next call, status: 0 solved, 1 not converged (or not a number).
    """
    m, status = minimum((wx, wy, wz), vert, a0, na, b0, nb, eps2_a, eps2_b, warm_a, warm_b, work)
    return m.f, m.x[0], m.x[1], m.x[2], m.y[0], m.y[1], m.y[2], m.set_a, m.set_b, status
