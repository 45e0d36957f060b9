"""A law of one's own: a spring that stiffens with the overlap, k (delta + delta^2 / s), and a linear damper; parameters k (N/m), s (m), c (N s/m)."""

import numba


@numba.njit
def stiffening(delta, rate, m_eff, r_eff, parameters):
    """Normal force (N) of an overlap (m) and its rate (m/s)."""
    k, s, c = parameters[0], parameters[1], parameters[2]
    return max(0.0, k * (delta + delta * delta / s) + c * rate)
