#!/usr/bin/env python
"""The same bits whatever the processor: scenes of the tests with kernels compiled for several instruction sets, and the table made of it.

    python jobs/instruction_sets.py measure                  # all scenes of the tests; compiles each kernel once a set, which takes hours
    python jobs/instruction_sets.py measure spheres rods     # some of them
    python jobs/instruction_sets.py page                     # docs/validation.md from instruction_sets.csv

A scene is a bed with its observables (`tests/beds.py`), of which `tests/fingerprints.py` makes a hash. Mathematical functions beyond roots are those
of the library of the system, which may choose by the processor at hand, so that all sets are compared on one machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "jobs" / "benchmarks"))
from pages import append_row, put_into_page, read_rows, table_line  # noqa: E402
from turns import version_of  # noqa: E402

TABLE = Path(__file__).resolve().with_suffix(".csv")
PAGE, PART = ROOT / "docs" / "validation.md", ("<!-- instruction sets -->\n", "<!-- end of instruction sets -->")
COLUMNS = ("day", "version", "scene", "set", "lanes", "bits")
HERE = "this processor"
# Numba's names of processors; without features, or it would add those of the processor at hand
SETS = {
    "plain x86-64": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""},
    "AVX2": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"},
    HERE: {},
}
ONE = """
import sys
from mpi4py import MPI
import fingerprints
from pardem.compiled.lanes.types import WIDTH
print(WIDTH, fingerprints.of_scene(sys.argv[1], MPI.COMM_SELF)[0])
"""


def scenes() -> list[str]:
    """Names of all scenes."""
    code = "from beds import SCENES; print(*SCENES, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tests", env=os.environ | _paths(), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def _paths() -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}


def measure(names: list[str]) -> None:
    """Compile and run scenes for each instruction set, and add a row for each of them to the table.

    Args:
        names: of the scenes.
    """
    for name in names:
        for kind, settings in SETS.items():
            words = [sys.executable, "-c", ONE, name]
            done = subprocess.run(words, cwd=ROOT / "tests", env=os.environ | _paths() | settings, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"the scene '{name}' failed for {kind}:\n{done.stderr[-2000:]}")
            lanes, bits = done.stdout.split()
            row = [f"{datetime.now(UTC):%Y-%m-%d}", version_of(ROOT), name, kind, lanes, bits]
            append_row(TABLE, COLUMNS, row)
            print(", ".join(row), flush=True)


def text(rows: list[dict[str, str]]) -> str:
    """The table of the page: the newest rows of each scene.

    Args:
        rows: those of instruction_sets.csv.
    """
    newest = {(row["scene"], row["set"]): row for row in rows}
    head = ["scene", *SETS, "version, day"]
    lines = [table_line(head), table_line(["---"] * len(head))]
    for scene in dict.fromkeys(row["scene"] for row in rows):
        here = newest[scene, HERE]
        cells = []
        for kind in SETS:
            row = newest[scene, kind]
            lanes = f"{row['lanes']} lanes"
            cells.append(lanes if kind == HERE else f"{lanes}: {'the same bits' if row['bits'] == here['bits'] else 'OTHER BITS'}")
        lines.append(table_line([scene, *cells, f"{here['version']}, {here['day']}"]))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("scenes", nargs="*", help="default: all scenes of the tests")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        measure(arguments.scenes or scenes())
    else:
        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
