"""Run the cases of the gallery, draw their pictures and films, and write the page.

    python jobs/gallery/gallery.py run               # all cases, then docs/figures/gallery and docs/gallery.md
    python jobs/gallery/gallery.py run silo stones   # only these
    python jobs/gallery/gallery.py run --ranks 2     # the same on two ranks, whose times the page shows beside those of one
    python jobs/gallery/gallery.py pictures          # only the pictures of the results
    python jobs/gallery/gallery.py films             # films of the results, into results/gallery, where the site takes them from
    python jobs/gallery/gallery.py page              # docs/gallery.md from the measurements on file

Results and films are in results/gallery. Times are processor times of each rank, after ``pardem warmup`` has compiled the
kernels: those of the clock would tell what else the machine had to do.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

from entries import ENTRIES, FOLDER, Entry

ROOT = FOLDER.parent.parent
RESULTS = ROOT / "results" / "gallery"
FIGURES = ROOT / "docs" / "figures" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
MEASURED = FOLDER / "measured.json"
MOST_BYTES = 300_000
FILM_SECONDS = 6.0

HEAD = """# Gallery

Eleven small cases, each with a picture, its case file and its run time. All of them are in `jobs/gallery/` and are run like any other case (those
with meshes need the extra `mesh`):

```sh
mpirun -n 2 pardem run jobs/gallery/brazil_nut.toml -o brazil_nut.h5
pardem render brazil_nut.h5 --cut -o brazil_nut.mp4
```

`python jobs/gallery/gallery.py run` runs all of them, draws the pictures and writes this page; `films` makes the films, which are part of the site
but not of the repository. Times are processor times per rank, with kernels already compiled.
"""


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "pictures", "films", "page"])
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases; default: all")
    parser.add_argument("--ranks", type=int, default=1, help="run on so many ranks (default: 1)")
    arguments = parser.parse_intermixed_args()
    known = {entry.name: entry for entry in ENTRIES}
    if unknown := set(arguments.names) - known.keys():
        parser.error(f"there is no case {', '.join(sorted(unknown))} in the gallery; there are {', '.join(known)}")
    chosen = [known[name] for name in arguments.names or known]
    RESULTS.mkdir(parents=True, exist_ok=True)
    for entry in chosen:
        if arguments.what == "run":
            record(entry.name, arguments.ranks, *run(entry, arguments.ranks))
        if arguments.what in ("run", "pictures"):
            draw(entry)
        elif arguments.what == "films":
            film(entry)
    PAGE.write_text(page(measured()))
    return 0


def command(*words: object, ranks: int = 1) -> float:
    """Run a command of pardem, and end with its status if it fails.

    Args:
        words: of the command line.
        ranks: number of MPI ranks; those that wait for others give way, so that nothing but the run is measured on a busy machine.

    Returns:
        Its processor time (s), of all ranks together.
    """
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    status = subprocess.run([*launcher, sys.executable, "-m", "pardem", *map(str, words)], env=environment, check=False).returncode
    if status:
        raise SystemExit(f"pardem {' '.join(map(str, words))} ended with status {status}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began


def result_of(entry: Entry) -> Path:
    """The result file of a case."""
    return RESULTS / f"{entry.name}.h5"


def run(entry: Entry, ranks: int) -> tuple[dict[str, int], dict[str, Any]]:
    """Run a case and measure its time.

    Args:
        entry: the case.
        ranks: number of MPI ranks.

    Returns:
        The size of the case, and what the page says of this run.
    """
    from pardem.io.views.info import info
    from pardem.version import VERSION

    command("warmup", entry.case)
    seconds = command("run", entry.case, "-o", result_of(entry), "--force", ranks=ranks) / ranks
    found = info(result_of(entry))
    size = {"grains": found["grains"], "steps": found["state"]["step"]}
    return size, {"seconds": round(seconds, 1), "pardem": VERSION, "machine": processor(), "day": date.today().isoformat()}


def processor() -> str:
    """Name of the processor."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def draw(entry: Entry) -> None:
    """Draw some frames of a result side by side, seen from one point, into the figure of the page.

    Args:
        entry: the case.
    """
    import numpy as np
    from PIL import Image

    import pardem
    from pardem.cli import command_line
    from pardem.io.views.picture import Look, Painter

    wanted = command_line().parse_args(["render", str(result_of(entry)), "--size", sizes(entry), *entry.options])
    with pardem.open(wanted.file) as result:
        frames = [round(share * (len(result) - 1)) for share in entry.frames]
        painter = Painter(result, Look(wanted.view, wanted.colour, wanted.cut, wanted.contacts, wanted.size), frames)
        whole = Image.fromarray(np.concatenate([painter.image(result[k]) for k in frames], axis=1))
    FIGURES.mkdir(parents=True, exist_ok=True)
    target = FIGURES / f"{entry.name}.png"
    whole.quantize(256, kmeans=2, dither=Image.Dither.NONE).save(target, optimize=True)
    if target.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{target} has {target.stat().st_size} bytes, more than {MOST_BYTES}: draw it smaller")


def sizes(entry: Entry) -> str:
    """Size of a frame, as the command line has it."""
    return "x".join(map(str, entry.size))


def film(entry: Entry) -> None:
    """Make the film of a result.

    Args:
        entry: the case.
    """
    rate = max(5.0, count_of(entry) / FILM_SECONDS)
    command("render", result_of(entry), "--size", sizes(entry), "--fps", f"{rate:.1f}", *entry.options, "-o", RESULTS / f"{entry.name}.mp4")


def count_of(entry: Entry) -> int:
    """Number of frames of a result."""
    import pardem

    with pardem.open(result_of(entry)) as result:
        return len(result)


def measured() -> dict[str, Any]:
    """The measurements on file, by case."""
    found: dict[str, Any] = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    return found


def record(name: str, ranks: int, size: dict[str, int], figures: dict[str, Any]) -> None:
    """Keep a measurement beside those of the same case on other numbers of ranks, unless the case has changed since.

    Args:
        name: of the case.
        ranks: number of MPI ranks.
        size: grains and steps of the case.
        figures: what was measured.
    """
    found = measured()
    old = found.get(name, {})
    runs = old.get("runs", {}) if size.items() <= old.items() else {}
    found[name] = size | {"runs": runs | {str(ranks): figures}}
    MEASURED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def page(figures: dict[str, Any]) -> str:
    """Make the page of the gallery.

    Args:
        figures: what was measured, by case.

    Returns:
        The text in Markdown.
    """
    parts = [HEAD]
    for entry in ENTRIES:
        parts.append(f"## {entry.title}\n\n{entry.text}\n")
        parts.append(f"![{entry.title}](figures/gallery/{entry.name}.png)\n")
        parts.append(f"[Case file](../jobs/gallery/{entry.name}.toml){_said(figures.get(entry.name))}\n")
    return "\n".join(parts)


def _said(case: dict[str, Any] | None) -> str:
    """What was measured, as a phrase."""
    if case is None:
        return ""
    origins: dict[tuple[str, str, str], list[str]] = {}
    for ranks, run in sorted(case["runs"].items(), key=lambda item: int(item[0])):
        time = f"{run['seconds']:.0f} s on {ranks} rank{'s' if ranks != '1' else ''}"
        origins.setdefault((run["machine"], run["day"], run["pardem"]), []).append(time)
    times = ", ".join(f"{', '.join(found)} ({machine}; {day}, pardem {version})" for (machine, day, version), found in origins.items())
    steps = f"{case['steps']:,}".replace(",", " ")
    return f" · {case['grains']} grains, {steps} steps · {times}"


if __name__ == "__main__":
    sys.exit(main())
