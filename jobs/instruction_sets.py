#!/usr/bin/env python
"""The same bits whatever the processor: scenes of the tests with kernels compiled for several instruction sets, and the table made of it.

    python jobs/instruction_sets.py measure                  # all scenes of the tests; compiles each kernel once a set, which takes hours
    python jobs/instruction_sets.py measure spheres rods     # some of them
    python jobs/instruction_sets.py measure --sets "plain x86-64" AVX2
    python jobs/instruction_sets.py page                     # docs/validation.md from instruction_sets.csv

A scene is a bed with its observables (`tests/beds.py`), of which `tests/fingerprints.py` makes a hash. It is held against the one on file, which the
tests hold for the processor at hand. Mathematical functions beyond roots are those of the library of the system, which may choose by the processor at
hand: this is for machines whose fingerprints are on file. Eight lanes need no AVX-512: of what does not fit into a register, LLVM makes two
(`pardem/compiled/lanes/width.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "jobs" / "benchmarks"))
from pages import append_row, put_into_page, read_rows, table  # noqa: E402
from turns import version_of  # noqa: E402

TABLE = Path(__file__).resolve().with_suffix(".csv")
PAGE, PART = ROOT / "docs" / "validation.md", ("<!-- instruction sets -->\n", "<!-- end of instruction sets -->")
COLUMNS = ("day", "version", "scene", "set", "lanes", "bits", "on file")
# Numba's names of processors; without features, or it would add those of the processor at hand
HASWELL = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"}
AVX_512 = "AVX-512"
SETS = {
    "plain x86-64": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""},
    "AVX2": HASWELL,
    "AVX2, widened": HASWELL | {"PARDEM_LANES": "8"},
    AVX_512: {},  # the processor at hand, if it has it
}
ONE = """
import sys
from mpi4py import MPI
import fingerprints
from pardem.compiled.lanes.types import WIDTH
print(WIDTH, fingerprints.of_scene(sys.argv[1], MPI.COMM_SELF)[0])
"""


def on_file() -> dict[str, str]:
    """Fingerprints of all scenes, as they are on file for machines that round as this one does."""
    code = "import json, fingerprints; print(json.dumps(fingerprints.kept().get(fingerprints.machine(), {})))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tests", env=_environment({}), capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def _environment(settings: dict[str, str]) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))} | settings


def sets_here() -> list[str]:
    """The instruction sets that the processor at hand has."""
    from pardem.compiled.lanes.width import width

    return [kind for kind in SETS if kind != AVX_512 or width() == 8]


def measure(names: list[str], kinds: list[str]) -> None:
    """Compile and run scenes for each instruction set, and add a row for each of them to the table.

    Args:
        names: of the scenes; none: all.
        kinds: names of the sets.
    """
    known, version = on_file(), version_of(ROOT)  # without the rows that are added
    if not known:
        raise SystemExit("tests/fingerprints.json holds nothing of machines that round as this one: run tests/fingerprints.py --renew")
    for name in names or known:
        for kind in kinds:
            words = [sys.executable, "-c", ONE, name]
            done = subprocess.run(words, cwd=ROOT / "tests", env=_environment(SETS[kind]), capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"the scene '{name}' failed for {kind}:\n{done.stderr[-2000:]}")
            lanes, bits = done.stdout.split()
            row = [f"{datetime.now(UTC):%Y-%m-%d}", version, name, kind, lanes, bits, known[name]]
            append_row(TABLE, COLUMNS, row)
            print(", ".join(row), flush=True)


def text(rows: list[dict[str, str]]) -> str:
    """The table of the page: the newest row of each scene and set.

    Args:
        rows: those of instruction_sets.csv.
    """
    newest = {(row["scene"], row["set"]): row for row in rows}
    lines = []
    for scene in dict.fromkeys(row["scene"] for row in rows):
        cells = []
        for kind in SETS:
            row = newest.get((scene, kind))
            cells.append(f"{_verdict(row)} ({row['version']}, {row['day']})" if row else "")
        lines.append([scene, *cells])
    other = len({row["scene"] for row in newest.values() if row["bits"] != row["on file"]})
    lanes = {kind: next(row["lanes"] for row in newest.values() if row["set"] == kind) for kind in SETS if any(kind == k for _, k in newest)}
    head = ["scene", *(f"{kind}, {lanes[kind]} lanes" if kind in lanes else kind for kind in SETS)]
    return "\n".join([f"{len(lines)} scenes, {other} with other bits.", "", *table(head, lines)]) + "\n"


def _verdict(row: dict[str, str]) -> str:
    return "the same bits" if row["bits"] == row["on file"] else "OTHER BITS"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("scenes", nargs="*", help="default: all scenes of the tests")
    parser.add_argument("--sets", nargs="+", choices=list(SETS), help="default: all that the processor has")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        measure(arguments.scenes, arguments.sets or sets_here())
    else:
        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
