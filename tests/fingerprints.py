"""Fingerprints of the beds of ``beds.SCENES``: the state and the observables after some steps, to the bit, as they are and as they were.

``python tests/fingerprints.py`` says which have changed against ``fingerprints.json``; with ``--renew`` it writes what it found; names pick scenes.
A change of code that is to leave results alone leaves all of them alone; one that is not renews those it means to change, and says why.
The file holds those of several machines that round each in its way; a result that is renewed on one of them is no longer known of the others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import struct
import sys
from pathlib import Path

import blas_kernels  # noqa: F401  (before NumPy)

# isort: split
import numba
import numpy as np
from beds import SCENES, of_scene
from mpi4py import MPI

from pardem.compiled.jit import njit

FILE = Path(__file__).with_suffix(".json")


@njit
def _transcendental(x, out):
    for k in range(len(x)):
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = np.sin(x[k]), np.exp(x[k]), np.log(1.0 + x[k]), x[k] ** 1.3


def machine() -> str:
    """Hash of what rounding depends on: versions of the compiler, and how the mathematical and linear-algebra libraries round on this processor.

    Fingerprints are those of one such machine: another one may give other bits, the same ones on any number of ranks.

    Returns:
        16 hexadecimal digits.
    """
    x = np.random.default_rng(1).uniform(0.0, 20.0, 20000)
    out = np.empty((len(x), 4))
    _transcendental(x, out)
    digest = hashlib.sha256(out.tobytes() + np.sin(x).tobytes() + np.exp(x).tobytes() + (x**1.7).tobytes())
    digest.update(b"".join(struct.pack("d", f(v)) for f in (math.sin, math.exp, math.cos) for v in x[:2000]))
    matrices = np.random.default_rng(2).normal(size=(400, 3, 3))
    for array in (*np.linalg.eigh(matrices + matrices.transpose(0, 2, 1)), *np.linalg.svd(matrices)):
        digest.update(array.tobytes())
    digest.update(f"{numba.__version__} {np.__version__}".encode())
    return digest.hexdigest()[:16]


def kept() -> dict[str, dict[str, str]]:
    """What the file holds: fingerprints by scene, by ``machine``."""
    return dict(json.loads(FILE.read_text())) if FILE.exists() else {}


def renewed(old: dict[str, dict[str, str]], this: str, here: dict[str, str]) -> dict[str, dict[str, str]]:
    """What the file holds after some scenes have been run again.

    Args:
        old: fingerprints by scene, by machine.
        this: the machine at hand.
        here: fingerprints that were found on it.

    Returns:
        ``old`` with ``here``; other machines lose the scenes that have changed on this one.
    """
    before = old.get(this, {})
    changed = {name for name, bits in here.items() if before.get(name, bits) != bits}
    others = {one: {name: bits for name, bits in held.items() if name not in changed} for one, held in old.items() if one != this}
    return {one: {name: bits for name, bits in held.items() if name in SCENES} for one, held in (others | {this: before | here}).items() if held}


def main() -> int:
    """Compare, and renew where asked; the status is that of ``diff``: 1 if a fingerprint differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--renew", action="store_true", help="write what was found")
    parser.add_argument("scene", nargs="*", help="scenes; default: all")
    given = parser.parse_args()
    if unknown := set(given.scene) - set(SCENES):
        parser.error(f"there is no scene {sorted(unknown)}; there are: {', '.join(SCENES)}")
    comm = MPI.COMM_WORLD
    old = kept()
    before, here = old.get(machine(), {}), {}
    for name in given.scene or SCENES:
        here[name] = of_scene(name, comm)[0]
        if comm.rank == 0:
            verdict = "same" if before.get(name) == here[name] else ("CHANGED" if name in before else "new")
            sys.stdout.write(f"{verdict:8} {here[name]}  {name}\n")
            sys.stdout.flush()
    changed = [name for name, bits in here.items() if before.get(name) != bits]
    if comm.rank == 0 and given.renew:
        FILE.write_text(json.dumps(renewed(old, machine(), here), indent=1, sort_keys=True) + "\n")
    return int(bool(changed) and not given.renew)


if __name__ == "__main__":
    sys.exit(main())
