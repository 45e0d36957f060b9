"""Settled rods and polyhedra with Rockable on one core: particle steps per CPU second, in turns with pardem.

    python jobs/benchmarks/rockable_grains.py measure            # clones and builds Rockable in the cache, settles the beds, five turns
    python jobs/benchmarks/rockable_grains.py measure cubes --source ../rockable --toofus ../toofus    # with sources that are there
    python jobs/benchmarks/rockable_grains.py page               # docs/performance.md from the table

The beds are those of `pardem bench`: 1000 grains of 1 kg at rest in a box. Rockable gets the settled grains, lets them come to rest under its own law
once, and goes on from there. It has no planes, so that its walls are plates, and no damping along the tangent; its law sums pairs of features, like
`superposition`, but a corner that is nearest to a corner makes one contact instead of fifteen. Each turn runs it twice, with different numbers of
steps; the difference leaves out what a run begins and ends with. Both codes have the skin that pardem chooses, and none makes its lists anew in the
steps that are measured.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from pages import PAGE, add_rows, newest, put_into_page, read_rows, table
from turns import ROOT, in_turns, now, printed, processor, spread, version_of

from pardem.bench.beds import settled_tile
from pardem.bench.scenes import GRAVITY, bed_of, bed_width, scene_case
from pardem.compiled.cache import source_hash
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene

TABLE = Path(__file__).resolve().with_name("rockable_grains.csv")
PART = ("<!-- rockable -->\n", "<!-- end of rockable -->")
COLUMNS = (
    "call", "version", "processor", "scene", "turns", "Rockable", "skin (m)", "contacts a grain", "those of Rockable", "its energy a grain (J)",
    "median (1/s)", "least (1/s)", "most (1/s)", "Rockable's median (1/s)", "its least (1/s)", "its most (1/s)", "ratio", "least ratio",
    "largest ratio",
)  # fmt: skip
SCENES = ("rods", "tetrahedra", "cubes", "tetrahedra-superposed", "cubes-superposed")
REPOSITORIES = {"rockable": "https://github.com/richefeu/rockable.git", "toofus": "https://github.com/richefeu/toofus.git"}
FOLDERS = ("BodyForces", "Core", "DataExtractors", "ForceLaws", "PostProcessors", "PreproCommands", "ProcessingTools")
FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "-march=native", "-fopenmp")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pardem" / "rockable"
STEP, WARMUP, STEPS, RELAXED = 3e-4, 500, 2000, 60_000
STIFFNESS, RELAXING_SKIN = 2e4, 0.1
PLATE = 0.1  # sphero-radius of a wall (m)


@dataclass(frozen=True)
class Rockable:
    """A build of Rockable.

    Attributes:
        program: the executable.
        version: commit of its source.
    """

    program: Path
    version: str


def built(source: Path | None, toofus: Path | None) -> Rockable:
    """Compile Rockable without its viewers, unless that commit is in the cache.

    Args:
        source: its working copy; None: cloned.
        toofus: working copy of the headers that it needs; None: cloned.
    """
    source, toofus = source or _cloned("rockable"), toofus or _cloned("toofus")
    version = version_of(source)
    program = CACHE / f"rockable-{version}"
    if not program.exists():
        objects = CACHE / f"objects-{version}"
        objects.mkdir(parents=True, exist_ok=True)
        files = [*(file for folder in FOLDERS for file in sorted((source / "src" / folder).glob("*.cpp"))), source / "src" / "Apps" / "run.cpp"]
        names = ['-DROCKABLE_GIT_TAG=""', '-DROCKABLE_LAST_COMMIT_DATE=""']
        for file in files:
            target = objects / f"{file.stem}.o"
            subprocess.run(["g++", *FLAGS, *names, f"-I{source / 'src'}", f"-I{toofus}", "-c", str(file), "-o", str(target)], check=True)
        subprocess.run(["g++", *FLAGS, *map(str, sorted(objects.glob("*.o"))), "-o", str(program)], check=True)
    return Rockable(program, version)


def _cloned(name: str) -> Path:
    folder = CACHE / name
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", REPOSITORIES[name], str(folder)], check=True)
    return folder


def _row(*numbers: Any) -> str:
    return " ".join(f"{float(x):.17g}" for group in numbers for x in np.atleast_1d(group))


def _shape(name: str, radius: float, vertices: np.ndarray, edges: np.ndarray, faces: list[np.ndarray], volume: float, inertia: np.ndarray) -> str:
    """A shape in Rockable's format, with the volume and the moments over the mass in the frame of its vertices."""
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    lines = ["<", f"name {name}", f"radius {radius:.17g}", "preCompDone y", f"volume {volume:.17g}", f"I/m {_row(inertia)}"]
    lines += [f"obb.extent {_row(0.5 * (upper - lower) + radius)}", "obb.e1 1 0 0", "obb.e2 0 1 0", "obb.e3 0 0 1"]
    lines += [
        f"obb.center {_row(0.5 * (lower + upper))}",
        "OBBtreeLevel 0",
        "position 0 0 0",
        "orientation 1 0 0 0",
        f"nv {len(vertices)}",
        *map(_row, vertices),
    ]
    lines += [f"ne {len(edges)}", *(f"{a} {b}" for a, b in edges), f"nf {len(faces)}", *(f"{len(f)} {' '.join(map(str, f))}" for f in faces), ">"]
    return "\n".join(lines)


def _shapes(scene: str) -> str:
    """The walls and the only species of a scene in Rockable's format."""
    case = scene_case(scene, bed_of(scene).grains)
    shapes = build_scene(case, *size_range(case)).catalogue
    faces = [shapes.face_vertices[a:b] for a, b in zip(shapes.face_vertex_start[:-1], shapes.face_vertex_start[1:], strict=True)]
    grain = _shape("grain", shapes.radius[0], shapes.vertices, shapes.edges, faces, shapes.volume[0], shapes.inertia[0] / shapes.mass[0])
    return "\n".join([*(plate for _, plate, _ in _walls(scene)), grain]) + "\n"


def _walls(scene: str) -> list[tuple[str, str, np.ndarray]]:
    """Plates instead of the floor and the four sides of a scene's box: the name and the shape of each, and its centre."""
    found = []
    width = bed_width(scene, bed_of(scene).grains)
    half = 0.5 * np.array([width, width, 2.0 * width])
    for axis, sides in ((2, (0,)), (0, (0, 1)), (1, (0, 1))):
        across = [c for c in range(3) if c != axis]
        vertices = np.zeros((4, 3))
        for corner, signs in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            vertices[corner, across] = (half[across] + 1.0) * signs
        for side in sides:
            centre = half.copy()
            centre[axis] = side * 2.0 * half[axis] + PLATE * (1 if side else -1)
            name, edges = f"plate-{'xyz'[axis]}{side}", np.array([(0, 1), (1, 2), (2, 3), (3, 0)])
            found.append((name, _shape(name, PLATE, vertices, edges, [np.arange(4)], 1.0, np.ones(3)), centre))
    return found


def _write_case(folder: Path, scene: str) -> None:
    """Write the settled bed of a scene for Rockable, with its shapes."""
    grains, _ = settled_tile(MPI.COMM_SELF, scene, bed_of(scene).grains)
    plates = _walls(scene)
    lines = [
        "Rockable 29-11-2018", "t 0", "tmax 0", f"dt {STEP}", "interVerlet 0", "interConf 0", "DVerlet 0", "dVerlet 0",
        "density 0 1", f"density 1 {1.0 / bed_of(scene).volume:.17g}", f"gravity 0 0 {-GRAVITY}", "forceLaw Default", "Integrator velocityVerlet",
    ]  # fmt: skip
    for group, mass in ((0, 1.0), (1, 0.5)):  # the law of `pardem bench`, by the reduced mass of a contact with a wall and of one between grains
        damping = 20.0 * mass / (2.0 * math.sqrt(STIFFNESS * mass))
        restitution = math.exp(-math.pi * damping / math.sqrt(1.0 - damping**2))
        lines += [f"knContact {group} 1 {STIFFNESS}", f"ktContact {group} 1 {STIFFNESS * 2 / 7:.17g}", f"en2Contact {group} 1 {restitution**2:.17g}"]
        lines += [f"muContact {group} 1 0.5", f"krContact {group} 1 0", f"murContact {group} 1 0"]
    lines += ["iconf 0", f"nDriven {len(plates)}", "shapeFile shapes.txt", f"Particles {len(plates) + grains.count}"]
    rest, zero = "1 0 0 0", "0 0 0"
    for name, _, centre in plates:
        lines.append(f"{name} 0 0 1 {_row(centre)} {zero} {zero} {rest} {zero} {zero}")
    for k in range(grains.count):
        place, turn = _row(grains.x[k, :3], grains.v[k, :3]), _row(grains.q[k], grains.w[k, :3])
        lines.append(f"grain 1 {k + 1} 1 {place} {zero} {turn} {zero}")
    (folder / "shapes.txt").write_text(_shapes(scene))
    (folder / "case.txt").write_text("\n".join(lines) + "\n")


def relaxed(rockable: Rockable, scene: str) -> Path:
    """Let a settled bed come to rest in Rockable, whose overlaps are not those of `regularised`; the result is kept in the cache.

    Args:
        rockable: its build.
        scene: name of the scene.

    Returns:
        File with the state.
    """
    state = CACHE / f"{scene}-{rockable.version}-{source_hash()[:8]}.txt"
    if not state.exists():
        with tempfile.TemporaryDirectory() as name:
            _write_case(Path(name), scene)
            _run(rockable, Path(name), RELAXED, RELAXING_SKIN, 100)
            (Path(name) / "conf1").replace(state)
    return state


def _run(rockable: Rockable, folder: Path, steps: int, skin: float, lists: int) -> float:
    """Run Rockable from case.txt to conf1.

    Args:
        rockable: its build.
        folder: with the case and its shapes.
        steps: number of steps.
        skin: of its lists (m).
        lists: steps between two of them.

    Returns:
        User CPU seconds.
    """
    case, text = folder / "case.txt", (folder / "case.txt").read_text()
    keys = {"t": 0, "iconf": 0, "tmax": (steps - 0.5) * STEP, "interConf": (steps - 1) * STEP, "interVerlet": lists * STEP}
    keys |= {"DVerlet": skin, "dVerlet": skin}
    for key, value in keys.items():
        text = re.sub(rf"(?m)^{key} .*$", f"{key} {value:.12g}", text, count=1)
    case.write_text(text)
    before, environment = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run([rockable.program, case.name], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode:
        raise SystemExit(f"Rockable failed:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return seconds


def rockable_speed(rockable: Rockable, scene: str, skin: float) -> dict[str, float]:
    """Particle steps a CPU second of Rockable, its contacts a grain, and the kinetic energy a grain (J)."""
    seconds = []
    for steps in (WARMUP, WARMUP + STEPS):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "shapes.txt").write_text(_shapes(scene))
            (folder / "case.txt").write_text(relaxed(rockable, scene).read_text())
            seconds.append(_run(rockable, folder, steps, skin, 10 * steps))
            contacts = int((folder / "conf1").read_text().partition("\nInteractions ")[2].split()[0])
            energies = [float(x) for x in (folder / "kineticEnergy.txt").read_text().split()[-2:]]
    count = bed_of(scene).grains
    return {"cundall": count * STEPS / (seconds[1] - seconds[0]), "contacts_per_grain": contacts / count, "energy": sum(energies) / count}


def pardem_speed(scene: str) -> dict[str, float]:
    """What ``pardem bench SCENE --json`` prints."""
    found: dict[str, float] = printed(ROOT, ["-m", "pardem", "bench", scene, "--steps", str(STEPS), "--warmup", str(WARMUP), "--json"])
    return found


def measure(rockable: Rockable, scenes: list[str], turns: int) -> None:
    """Measure scenes in turns and add rows to the table.

    Args:
        rockable: its build.
        scenes: names.
        turns: how often each is measured by either code.
    """
    call, rows = now(), []
    for scene in scenes:
        skin = pardem_speed(scene)["skin"]  # compiles and settles
        relaxed(rockable, scene)
        codes = (partial(pardem_speed, scene), partial(rockable_speed, rockable, scene, skin))
        pairs = list(zip(*in_turns(codes, turns, lambda code: code()).values(), strict=True))
        ours, theirs = ([pair[k]["cundall"] for pair in pairs] for k in (0, 1))
        ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
        found = [f"{one['contacts_per_grain']:.3g}" for one in pairs[-1]] + [f"{pairs[-1][1]['energy']:.2g}"]
        speeds = [*spread(ours), *spread(theirs), *spread(ratios, ".3f")]
        rows.append([call, version_of(ROOT), processor(), scene, turns, rockable.version, skin, *found, *speeds])
    add_rows(TABLE, COLUMNS, rows)


def text(rows: list[dict[str, str]]) -> str:
    """The table of the page, the newest row for each processor and scene.

    Args:
        rows: those of rockable_grains.csv.
    """
    head = ["scene", "lanes", "contacts a grain", "those of Rockable", "Rockable (million particle steps a CPU second)", "pardem"]
    head += ["pardem over Rockable (range)", "turns", "version", "Rockable", "day"]
    lines = []
    for (lanes, scene), found in newest(rows, "processor", "scene").items():
        row = found[-1]
        speeds = [f"{1e-6 * float(row[name]):.3g}" for name in ("Rockable's median (1/s)", "median (1/s)")]
        ratio = f"**{float(row['ratio']):.2f}** ({float(row['least ratio']):.2f} to {float(row['largest ratio']):.2f})"
        contacts = [row["contacts a grain"], row["those of Rockable"]]
        of = [row["turns"], row["version"], row["Rockable"], row["call"].split()[0]]
        lines.append([scene, lanes.split(", ")[1].split()[0], *contacts, *speeds, ratio, *of])
    return "\n".join(table(head, lines)) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("scenes", nargs="*", default=list(SCENES), help="names of scenes; default: all")
    parser.add_argument("--source", type=Path, metavar="DIR", help="working copy of Rockable; default: cloned from GitHub")
    parser.add_argument("--toofus", type=Path, metavar="DIR", help="working copy of the headers that it needs; default: cloned from GitHub")
    parser.add_argument("--turns", type=int, default=5, help="how often each scene is measured")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        measure(built(arguments.source, arguments.toofus), arguments.scenes, arguments.turns)
    else:
        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
