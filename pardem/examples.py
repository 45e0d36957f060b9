"""Command lines that users begin with, shown by ``--help``."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("pardem check case.toml", "what is wrong with a case, what may go wrong, what it costs"),
        ("mpirun -n 4 pardem run case.toml", "run it on four ranks; the result is case.h5"),
        ("pardem render case.h5 -o case.png", "a picture of the last frame"),
        ("pardem run --help", "options and examples of a command"),
    ),
    "run": (
        ("pardem run case.toml", "one rank, result in case.h5"),
        ("mpirun -n 4 pardem run case.toml -o out.h5", "four ranks"),
        ("pardem run case.toml --set contact.friction=0.3 --set stage.shake.taps=30", "other values, the file stays as it is"),
        ("srun pardem run case.toml --resume --walltime 23:50:00 --log run.log", "in a job that is queued again until it is done"),
    ),
    "check": (
        ("pardem check case.toml", "before a run"),
        ("pardem check case.toml --ranks 64", "memory and time on many ranks"),
        ("pardem check case.toml --effective > whole.toml", "the case with all defaults"),
    ),
    "campaign": (
        ("mpirun -n 2 pardem campaign run study.toml", "do what is left of a study, on two ranks"),
        ("pardem campaign run study.toml --ranks 2", "the same, started again if a run takes the ranks along"),
        ("pardem campaign status study.toml", "how many runs have ended, how long the rest may take, which have failed"),
        ("pardem campaign collect study.toml && pardem campaign plot study.toml", "the table, sums with intervals, figures"),
    ),
    "schema": (
        ("pardem schema -o pardem.schema.json", "then begin a case with the line '#:schema ./pardem.schema.json'"),
    ),
    "info": (
        ("pardem info out.h5", "grains, frames, observables, how it was made"),
        ("pardem info out.h5 --json | jq .frames", "for programs"),
    ),
    "verify": (("pardem verify out.h5", "after a copy from another machine"),),
    "compare": (("pardem compare one.h5 two.h5 && echo equal", "the same on one rank and on two?"),),
    "plot": (
        ("pardem plot out.h5 -o out.pdf", "density, angle and energies over time"),
        ("pardem plot a.h5 b.h5 c.h5 -o together.png", "several runs in one figure"),
    ),
    "render": (
        ("pardem render out.h5 --frame 0 -o start.png", "the first frame"),
        ("pardem render out.h5 --cut -o film.mp4", "a film, cut open at the middle plane"),
    ),
    "export": (
        ("pardem export out.h5", "for ParaView"),
        ("pardem export out.h5 --format gsd -o out.gsd", "for OVITO"),
    ),
    "bench": (
        ("pardem bench spheres", "particle steps per second on this machine"),
        ("mpirun -n 2 pardem bench cubes --grains 20000 --json", "two ranks, for programs"),
        ("pardem bench spheres rods --turns 5 --compare old.json", "against what --json printed for another version"),
    ),
    "scaling": (
        ("srun -n 256 pardem scaling run spheres --grains 10000000 --folder study", "measure; again on other numbers of ranks"),
        ("pardem scaling predict spheres --grains 10000000 --ranks 1024 --folder study", "what to expect on ranks that are not at hand"),
        ("pardem scaling collect --folder study && pardem scaling plot --folder study", "the table, figures of efficiency and time by part"),
    ),
    "warmup": (
        ("pardem warmup case.toml", "compile what this case needs, once, before a big job"),
        ("PARDEM_CACHE_DIR=$SCRATCH/kernels pardem warmup", "all usual kernels, in a folder that compute nodes can read"),
        ("pardem warmup case.toml --image pardem.image && PARDEM_IMAGE=pardem.image srun pardem run case.toml", "many ranks start from one file"),
    ),
}
"""By command (empty: the program itself): command lines and what they are for."""


def examples(command: str) -> str:
    """Paragraph of ``--help`` with the examples of a command; empty if it has none.

    Args:
        command: its name; empty: the program itself.
    """
    shown = EXAMPLES.get(command, ())
    return "\n".join(["examples:" if len(shown) > 1 else "example:", *(f"  {line}\n      {purpose}" for line, purpose in shown)]) if shown else ""
