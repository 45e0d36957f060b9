"""The cases of the gallery: what each shows, how it is drawn, and what makes it short enough for a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Entry:
    """A case of the gallery.

    Attributes:
        name: name of its file, without the ending.
        title: heading of its part of the page.
        text: what is to be seen, and which features of the case file it shows; Markdown.
        short: settings of `pardem run --set` that keep its kernels and its stages, but leave a few grains and a few hundred steps.
        frames: frames of the picture from left to right, as shares of the film.
        options: options of `pardem render`.
        size: width and height of each frame of the picture and of the film (pixels).
    """

    name: str
    title: str
    text: str
    short: tuple[str, ...]
    frames: tuple[float, ...] = (0.0, 0.5, 1.0)
    options: tuple[str, ...] = ()
    size: tuple[int, int] = field(default=(420, 420))

    @property
    def case(self) -> Path:
        """Its case file."""
        return FOLDER / f"{self.name}.toml"


ENTRIES = (
    Entry(
        "brazil_nut", "Brazil nut",
        "A large ball starts at the bottom of a cup of beads. When the cup is shaken at 3 g, beads fall into the gap that opens below the ball, and "
        "it rises. The pictures show a section along the axis. The observable `height/nut` is the height of the ball.",
        ("insert.beads.count=60", "insert.beads.region.upper=30e-3", "stage.settle.max_time=2e-3", "stage.shake.taps=1",
         "stage.shake.frequency=200.0"),
        frames=(0.042, 0.25, 0.52), options=("--cut",), size=(320, 480),
    ),
    Entry(
        "drum_of_cubes", "Rotating drum with cubes",
        "Rounded cubes tumble in a drum that rotates at 38 revolutions per minute and is periodic along its axis. The wall is a cylinder with "
        "`motion = { kind = \"rotation\", ... }` and its own coefficient of friction.",
        ("insert.cubes.count=20", "stage.turn.time=2e-3", "wall.drum.motion.start=1e-3", "output.frame_interval=1e-3"),
        options=("--colour", "speed"),
    ),
    Entry(
        "tetrahedra_hopper", "Hopper of tetrahedra with a wall from an STL file",
        "Rounded tetrahedra fill a hopper with twelve sides, whose surface is read from an STL file, and flow out when its lid is removed. Grains "
        "that have left the domain are no longer simulated (`domain.outflow`).",
        ("insert.grains.count=20", "stage.fill.max_time=1.5e-3", "stage.flow.time=1.5e-3", "output.frame_interval=1e-3"),
        options=("--colour", "speed"), size=(320, 560),
    ),
    Entry(
        "biaxial_rice", "Biaxial test with rice",
        "In the plane, four walls under a constant pressure compress a loose assembly of elongated grains; then the lid descends at a constant speed "
        "while the pressure on the sides is maintained. Colour shows the orientation of the grains.",
        ("insert.rice.count=40", "stage.press.time=1.5", "stage.shear.time=0.1", "output.frame_interval=0.5"),
        options=("--colour", "angle"),
    ),
    Entry(
        "stones", "Stones from a mesh",
        "Stones of two shapes, whose surfaces are read from STL files, fill a square shaft and slump to a heap when it is removed (`stages` of a "
        "wall). The sizes of the stones are distributed.",
        ("insert.round.count=10", "insert.flat.count=10", "stage.fill.max_time=2e-3", "stage.slump.time=2e-3", "output.frame_interval=1e-3"),
        frames=(0.0, 0.27, 1.0), options=("--view", "20,25", "--colour", "species"),
    ),
    Entry(
        "rods", "Rods that crystallise",
        "Four hundred rods in a tube align upright and begin to form layers when the base vibrates at 2 g. This is the beginning of experiment an_6 "
        "of the crystallisation campaign, which takes thousands of taps. Colour shows the angle to the horizontal.",
        ("insert.rods.count=30", "stage.settle.max_time=2e-3", "stage.vibrate.taps=1", "stage.vibrate.frequency=300.0", "output.frame_taps=0.5"),
        size=(300, 520),
    ),
    Entry(
        "segregation", "Segregation in a drum",
        "Large and small beads of the same material are initially mixed at random. Within three turns of the drum, the small ones gather in the core "
        "of the bed.",
        ("insert.large.count=10", "insert.small.count=60", "stage.turn.time=3e-3", "wall.drum.motion.start=1e-3", "output.frame_interval=1e-3"),
    ),
    Entry(
        "cows", "Cows that jam",
        "Grains need not be convex: cows with 62 vertices fill a plane hopper and form an arch over its outlet, which is four cows wide. "
        "`interaction = \"superposition\"` accepts any outline.",
        ("insert.grains.count=6", "stage.fill.time=5e-3", "stage.flow.time=5e-3", "output.frame_interval=2.5e-3"),
        frames=(0.6, 0.68, 1.0), options=("--colour", "id"),
    ),
    Entry(
        "rubble", "Voronoi rubble",
        "A column of rounded Voronoi cells, all of different shapes, slumps when its gate is removed. The angular, closely fitting rocks of "
        "`jobs/examples/rubble.toml` remain standing.",
        ("voronoi.rock.count=200", "stage.rest.max_time=2e-3", "stage.fall.time=2e-3", "output.frame_interval=1e-3"),
        options=("--view", "20,25", "--colour", "id"), size=(480, 320),
    ),
    Entry(
        "silo", "Silo",
        "Beads flow out of a steel silo through a cone. Materials are given by their constants (`[[material]]` and the law of Hertz and Mindlin), "
        "and contacts resist rolling (`resistance`). The materials, the size of the beads and the time step are those of the silo of Dosta et al. "
        "(Comput. Phys. Commun. 296 (2024) 109066); the silo is a smaller one with 1500 beads, which keeps the run short.",
        ("insert.beads.count=60", "stage.fill.max_time=2e-3", "stage.flow.time=2e-3", "output.frame_interval=1e-3"),
        frames=(0.35, 0.5, 0.7), options=("--cut", "--colour", "speed"), size=(320, 560),
    ),
    Entry(
        "drum_of_two_materials", "Drum of two materials",
        "Large and small beads of two materials, mixed at random, in a steel drum at 2 rad/s. Each pair of materials has its own restitution and "
        "friction (`[[contact.pair]]`). The materials, the sizes and the time step are those of the drum of Dosta et al. (see above); the drum is a "
        "smaller one with 304 beads, and the run lasts 1.6 s.",
        ("insert.large.count=8", "insert.small.count=30", "stage.turn.time=2e-3", "wall.drum.motion.start=1e-3", "output.frame_interval=1e-3"),
        options=("--colour", "species"),
    ),
)  # fmt: skip
