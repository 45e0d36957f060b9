"""Run the cases whose pictures the guide and the validation show, and draw these pictures.

    python docs/make_figures.py rubble cow hopper_3d     # runs of about a minute
    python docs/make_figures.py an_6_cylinder            # a run of an hour

Results are kept in results/figures, and a run whose result is there is not repeated. Curves are drawn by the scripts that docs/validation.md
names beside them, and the pictures of the gallery by jobs/gallery/gallery.py.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "figures"
TARGET = ROOT / "docs" / "figures"
MOST_BYTES = 300_000
DAMPED = (  # a viscosity of 40 1/s
    "contact.normal_damping=20.0", "contact.tangential_damping=20.0", "contact.pair.grain-wall.normal_damping=40.0",
    "contact.pair.grain-wall.tangential_damping=40.0", "stage.flow.time=14.0",
)  # fmt: skip
SLUMP = ("voronoi.rock.void_ratio=0.5", "voronoi.rock.roundness=0.9", "contact.friction=0.3")


@dataclass(frozen=True)
class Panel:
    """One picture of a figure.

    Attributes:
        case: case file, relative to the root of the repository.
        settings: settings of `pardem run --set`.
        options: options of `pardem render`.
    """

    case: str
    settings: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


FIGURES = {
    "rubble": (
        Panel("jobs/examples/rubble.toml", (), ("--colour", "id", "--size", "640x360")),
        Panel("jobs/examples/rubble.toml", SLUMP, ("--colour", "id", "--size", "640x360")),
    ),
    "cow": (Panel("jobs/campaigns/papers/cow/base.toml", ("stage.bounce.time=1.9",), ("--size", "640x300")),),
    "hopper_3d": tuple(
        Panel("jobs/campaigns/papers/hopper/middle.toml", (f"insert.grains.species={kind}", *DAMPED), ("--colour", "id", "--size", "400x560"))
        for kind in ("tetra", "yermis")
    ),
    "an_6_cylinder": tuple(
        Panel("jobs/campaigns/crystallisation/an_6.toml", ("stage.vibrate.taps=2500",), (*cut, "--size", "400x720")) for cut in ((), ("--cut",))
    ),
}


def main() -> int:
    """Draw the figures that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=FIGURES, metavar="NAME", help=", ".join(FIGURES))
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(parser.parse_args().names):
        draw(name)
    return 0


def draw(name: str) -> None:
    """Make a figure, its panels side by side, and reduce its colours.

    Args:
        name: of the figure.
    """
    import numpy as np
    from PIL import Image

    pictures, runs = [], dict.fromkeys((panel.case, panel.settings) for panel in FIGURES[name])
    for k, panel in enumerate(FIGURES[name]):
        number = list(runs).index((panel.case, panel.settings))
        result, picture = RESULTS / f"{name}_{number}.h5", RESULTS / f"{name}_{k}.png"
        if not result.exists():
            pardem("run", panel.case, "-o", result, *(word for setting in panel.settings for word in ("--set", setting)))
        pardem("render", result, *panel.options, "-o", picture)
        with Image.open(picture) as image:
            pictures.append(np.asarray(image.convert("RGB")))
    target = TARGET / f"{name}.png"
    whole = Image.fromarray(np.concatenate(pictures, axis=1))
    whole.quantize(256, kmeans=2, dither=Image.Dither.NONE).save(target, optimize=True)
    if target.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{target} has {target.stat().st_size} bytes, more than {MOST_BYTES}: draw it smaller")


def pardem(*words: object) -> None:
    """Run a command of pardem, and end with its status if it fails.

    Args:
        words: of the command line.
    """
    status = subprocess.run([sys.executable, "-m", "pardem", *map(str, words)], cwd=ROOT, check=False).returncode
    if status:
        raise SystemExit(f"pardem {' '.join(map(str, words))} ended with status {status}")


if __name__ == "__main__":
    sys.exit(main())
