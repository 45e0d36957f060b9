"""What it takes to compile each kind of scene, version by version, and the table made of it.

    python jobs/benchmarks/compile_times.py measure --against ../older   # in turns with the version in another working copy
    python jobs/benchmarks/compile_times.py measure rods                 # one kind of scene, this version only
    python jobs/benchmarks/compile_times.py page                         # docs/performance.md from compile_times.csv

The time is the user CPU time of a short run of a few grains with empty caches, less that of the same command once more. That of the triangulation is
what it takes besides: the caches hold the kernels of a run of the same case with cells.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from pages import PAGE, add_rows, by_call, put_into_page, read_rows, table
from turns import ROOT, in_turns, now, processor, spread, version_of

TABLE = Path(__file__).resolve().with_name("compile_times.csv")
PART = ("<!-- compilation -->\n", "<!-- end of compilation -->")
SCENES = {"spheres": "spheres", "rods": "rods", "polyhedra": "cubes", "features": "cubes-superposed"}  # of `pardem bench`
ELL = (
    "[[[0,0,0],[1.2,0,0],[0,0.4,0],[1.2,0.4,0],[0,0,0.4],[1.2,0,0.4],[0,0.4,0.4],[1.2,0.4,0.4]],"
    "[[0,0.4,0],[0.4,0.4,0],[0,1.2,0],[0.4,1.2,0],[0,0.4,0.4],[0.4,0.4,0.4],[0,1.2,0.4],[0.4,1.2,0.4]]]"
)
CASES = {
    "compounds": (f'shape = "compound", radius = 0.1, pieces = {ELL}', 'interaction = "regularised"'),
    "minima": ('shape = "cube", radius = 0.1, side = 0.8', 'interaction = "minima"'),
    "triangulation": ('shape = "sphere", radius = 0.5', 'interaction = "regularised"'),
}
KINDS = (*SCENES, *CASES)
CASE = """
domain = {{ lower = [0, 0, 0], upper = [9, 9, 9], periodic = [true, true, true] }}
species = [{{ name = "grain", {shape}, density = 1000 }}]
insert = [{{ species = "grain", count = 40, region = {{ kind = "box", lower = [0, 0, 0], upper = [9, 9, 9] }} }}]
contact = {{ law = "viscoelastic", restitution = 0.5, contact_time = 0.05, friction = 0.3, {rule} }}
time = {{ step = 1e-3 }}
stage = [{{ name = "go", kind = "run", steps = 20 }}]
"""
BY_TRIANGULATION = ("--set", "detection.method=triangulation", "--set", "detection.max_overlap=0.1", "--set", "detection.skin=0.1")
COLUMNS = ("call", "version", "processor", "kind", "turns", "median (s)", "least (s)", "most (s)")


def bench(scene: str) -> list[str]:
    """Arguments of `pardem` for a short run of a scene.

    Args:
        scene: its name.
    """
    return ["bench", scene, "--grains", "20", "--steps", "20", "--json"]


def cpu_seconds(tree: Path, arguments: list[str], cache: str) -> float:
    """User CPU time of `pardem` in a working copy.

    Args:
        tree: the working copy.
        arguments: of the command.
        cache: folder for kernels and settled beds.
    """
    caches = dict.fromkeys(("PARDEM_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"), cache)
    words = [sys.executable, "-m", "pardem", *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    environment = os.environ | caches | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    subprocess.run(words, env=environment, cwd=tree, capture_output=True, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def compilation(tree: Path, kind: str) -> float:
    """User CPU time of compiling a kind of scene (s).

    Args:
        tree: the working copy.
        kind: name of the kind.
    """
    with TemporaryDirectory() as cache:
        if kind in SCENES:
            arguments = bench(SCENES[kind])
        else:
            case, (shape, rule) = Path(cache) / "case.toml", CASES[kind]
            case.write_text(CASE.format(shape=shape, rule=rule))
            arguments = ["run", str(case), "-o", str(Path(cache) / "out.h5"), "--force"]
        if kind == "triangulation":
            cpu_seconds(tree, arguments, cache)
            arguments += BY_TRIANGULATION
        return cpu_seconds(tree, arguments, cache) - cpu_seconds(tree, arguments, cache)


def measure(trees: list[Path], kinds: list[str], turns: int) -> None:
    """Measure kinds of scenes in turns and add rows to the table.

    Args:
        trees: working copies.
        kinds: names.
        turns: how often each is measured.
    """
    call, versions = now(), {tree: version_of(tree) for tree in trees}
    for kind in kinds:
        found = in_turns(trees, turns, partial(compilation, kind=kind))
        add_rows(TABLE, COLUMNS, [[call, versions[tree], processor(), kind, turns, *spread(seconds, ".1f")] for tree, seconds in found.items()])


def text(rows: list[dict[str, str]]) -> str:
    """The tables of the page, one a call.

    Args:
        rows: those of compile_times.csv.
    """
    parts = []
    for call, measured in by_call(rows).items():
        versions = list(dict.fromkeys(row["version"] for row in measured))
        of = {(row["version"], row["kind"]): row for row in measured}
        head = ["kind of scene", *(f"{v}: CPU seconds (range)" for v in versions), *(f"{versions[0]} over {v}" for v in versions[1:])]
        lines = []
        for kind in dict.fromkeys(row["kind"] for row in measured):
            every = [of[v, kind] for v in versions]
            seconds = [f"{row['median (s)']} ({row['least (s)']} to {row['most (s)']})" for row in every]
            ratios = [f"{float(every[0]['median (s)']) / float(row['median (s)']):.2f}" for row in every[1:]]
            lines.append([kind, *seconds, *ratios])
        title = f"**{call} UTC**, {measured[0]['processor']}, {measured[0]['turns']} turns"
        parts.append("\n".join([title, "", *table(head, lines)]))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help=f"kinds of scenes, of {', '.join(KINDS)}; default: all")
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="DIR", help="working copy of another version")
    parser.add_argument("--turns", type=int, default=1, help="how often each is measured")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        measure([ROOT, *(path.resolve() for path in arguments.against)], arguments.kinds, arguments.turns)
    else:
        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
