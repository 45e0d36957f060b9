"""Speed of all benchmark scenes, version by version: a table that grows, and the page made of it.

    python jobs/benchmarks/scene_speeds.py measure                        # this version, five turns of every scene, on an idle machine
    python jobs/benchmarks/scene_speeds.py measure --against ../older     # in turns with the version in another working copy
    python jobs/benchmarks/scene_speeds.py page                           # docs/performance.md from the table

`measure` adds a row a version and scene to scene_speeds.csv: median, least and most particle steps per CPU second, and shares of a step.
Machines differ by more than versions do, so rows are compared only where one call measured both versions in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "jobs" / "campaigns"))
from table_rows import append_row, read_rows  # noqa: E402

TABLE = Path(__file__).resolve().with_name("scene_speeds.csv")
PAGE = ROOT / "docs" / "performance.md"
SCENES = ("spheres", "rods", "tetrahedra", "cubes", "tetrahedra-superposed", "cubes-superposed", "disks", "62-gons", "clumps")
PART = ("<!-- scenes -->\n", "<!-- end of scenes -->")
COLUMNS = (
    "call", "version", "processor", "scene", "turns", "median (1/s)", "least (1/s)", "most (1/s)", "contacts a grain", "candidates a grain",
    "share of contacts", "share of motion", "share of lists",
)  # fmt: skip


def version_of(tree: Path) -> str:
    """The commit of a working copy, with a plus sign if files were changed since."""
    words = ["git", "-C", str(tree), "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def processor() -> str:
    """Name of the processor, and how many numbers its kernels treat at once."""
    from pardem.compiled.lanes.types import WIDTH

    names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {WIDTH} lanes"


def figures(tree: Path, scene: str) -> dict[str, Any]:
    """What ``pardem bench SCENE --json`` prints in a working copy."""
    words = [sys.executable, "-m", "pardem", "bench", scene, "--json"]
    environment = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, env=environment, cwd=tree, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"`pardem bench {scene}` failed in {tree}:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def measure(trees: list[Path], scenes: list[str], turns: int) -> None:
    """Measure scenes in turns and add rows to the table.

    Args:
        trees: working copies.
        scenes: names.
        turns: how often each is measured; one more run before them compiles and settles.
    """
    call, rows = datetime.now(UTC).strftime("%Y-%m-%d %H:%M"), []
    for scene in scenes:
        found: dict[Path, list[dict[str, Any]]] = {tree: [] for tree in trees}
        for turn in range(turns + 1):
            for tree in trees if turn % 2 else trees[::-1]:
                done = figures(tree, scene)
                if turn:
                    found[tree].append(done)
        for tree, every in found.items():
            speeds, one = [done["cundall"] for done in every], every[0]
            numbers = [f"{f(speeds):.4g}" for f in (median, min, max)] + [f"{one[k]:.3g}" for k in ("contacts_per_grain", "candidates_per_grain")]
            shares = [f"{median(done[k] for done in every):.3f}" for k in ("share_contacts", "share_integration", "share_detection")]
            rows.append([call, version_of(tree), processor(), scene, turns, *numbers, *shares])
            print(", ".join(str(x) for x in rows[-1]), flush=True)
    for row in rows:
        append_row(TABLE, COLUMNS, row)


def by_call(rows: list[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    """Rows of the table by the call that measured them, the newest call first."""
    calls: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        calls.setdefault(row["call"], []).append(row)
    return dict(sorted(calls.items(), reverse=True))


def text(rows: list[dict[str, str]]) -> str:
    """The tables of the page, one a call.

    Args:
        rows: those of scene_speeds.csv.
    """
    parts = []
    for call, measured in by_call(rows).items():
        versions = list(dict.fromkeys(row["version"] for row in measured))
        scenes = list(dict.fromkeys(row["scene"] for row in measured))
        of = {(row["version"], row["scene"]): row for row in measured}
        head = ["scene", "contacts a grain", *(f"{v}: million particle steps a CPU second (range)" for v in versions), "ns a grain and step"]
        head += [f"{versions[0]} over {v}" for v in versions[1:]]
        title = f"**{call} UTC**, {measured[0]['processor']}, one core, medians of {measured[0]['turns']} turns"
        lines = [title, "", table_line(head), table_line(["---"] * len(head))]
        for scene in scenes:
            own = of[versions[0], scene]
            first = float(own["median (1/s)"])
            speeds = [_speed(of[v, scene]) if (v, scene) in of else "-" for v in versions]
            ratios = [f"{first / float(of[v, scene]['median (1/s)']):.2f}" if (v, scene) in of else "-" for v in versions[1:]]
            lines.append(table_line([scene, own["contacts a grain"], *speeds, f"{1e9 / first:.0f}", *ratios]))
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _speed(row: dict[str, str]) -> str:
    middle, least, most = (1e-6 * float(row[k]) for k in ("median (1/s)", "least (1/s)", "most (1/s)"))
    return f"{middle:.3g} ({least:.3g} to {most:.3g})"


def table_line(cells: list[str]) -> str:
    """A line of a table of the page."""
    return f"| {' | '.join(cells)} |"


def put_into_page(page: Path, part: tuple[str, str], made: str) -> None:
    """Replace a part of a page.

    Args:
        page: the page.
        part: the marks at its beginning and at its end.
        made: the new text.
    """
    before, begin, rest = page.read_text().partition(part[0])
    _, end, after = rest.partition(part[1])
    if not end:
        raise SystemExit(f"{page}: {part[0].strip()} and {part[1]} are missing")
    page.write_text(before + begin + made + end + after)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("scenes", nargs="*", default=list(SCENES), help="names of scenes; default: all")
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="DIR", help="working copy of another version")
    parser.add_argument("--turns", type=int, default=5, help="how often each scene is measured")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        measure([ROOT, *(path.resolve() for path in arguments.against)], arguments.scenes, arguments.turns)
    else:
        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
