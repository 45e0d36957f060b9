"""What a try of `disks.py` works with: a folder that may become a disk, the output of a stopped run in it, calls that are counted and fail."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from launching import Command
from undisturbed import LIMIT, Undisturbed

from pardem.io.results.paths import parts_of

HERE = Path(__file__).parent
RANKS = (0, 1, 2, 2, 3, 4)
ANY = "any"


class Bench:
    """What a try works with.

    Args:
        folder: of the try, empty.
        undisturbed: the run to compare with.
        dice: of the try.

    Attributes:
        disk: the folder of the output, of which some faults make a disk of its own.
        ranks: number of ranks; 0: without a launcher.
        earlier: step of the checkpoint that is there at the beginning, -1 if there is none.
    """

    def __init__(self, folder: Path, undisturbed: Undisturbed, dice: random.Random) -> None:
        self.folder, self.undisturbed, self.dice = folder, undisturbed, dice
        self.disk, self.ranks, self.earlier, self.mark = folder / "disk", dice.choice(RANKS), -1, folder / "mark"
        self.disk.mkdir()
        self.out = self.disk / "out.h5"
        self.mounted = False
        self._library = undisturbed.case.with_name("failing_calls.so")

    def fill(self) -> None:
        """Lay the output of a stopped run into the folder, in half of the tries."""
        if self.dice.random() < 0.5:
            source = self.undisturbed.stopped
            shutil.copy(source, self.out)
            shutil.copytree(parts_of(source), parts_of(self.out))
            self.earlier = self.undisturbed.reached(source)

    def run(self, *more: object, name: str = "run", program: Sequence[object] = ("-m", "pardem"), **options: object) -> Command:
        """Start a run of the case that goes on with what is there.

        Args:
            *more: further arguments.
            name: of its log.
            program: arguments of Python before those of pardem.
            **options: of `Command`.
        """
        arguments = [*program, "run", self.undisturbed.case, "-o", self.out, *(more or ("--resume",))]
        return Command(self.ranks, arguments, self.folder / f"{name}.log", self.folder, **options)  # type: ignore[arg-type]

    def calls(self) -> dict[str, dict[int, int]]:
        """How many calls of each kind a run makes below the folder of its output when none fails, by rank; nothing where there is no compiler.

        They are counted once for each number of ranks, and for a run that begins as for one that goes on.
        """
        if not self._library.exists() and done("gcc", "-O1", "-shared", "-fPIC", "-o", self._library, HERE / "failing_calls.c", "-ldl"):
            return {}
        kept = self.undisturbed.case.with_name(f"calls-{self.ranks}-{self.earlier}.json")
        if not kept.exists():
            before = self.folder / "before"
            shutil.copytree(self.disk, before)
            run = self.run(name="counted", more=self.watched(COUNTS=f"{self.folder}/calls-"))
            assert run.wait(LIMIT) == 0, run.said
            shutil.rmtree(self.disk)
            before.rename(self.disk)
            kept.write_text(json.dumps({int(path.name.rpartition("-")[2]): path.read_text().split() for path in self.folder.glob("calls-*")}))
        found: dict[str, dict[int, int]] = {}
        for rank, words in json.loads(kept.read_text()).items():
            for kind, number in zip(words[::2], map(int, words[1::2]), strict=True):
                if number:
                    found.setdefault(kind, {})[int(rank)] = number
        return found

    def watched(self, **settings: object) -> dict[str, str]:
        """Variables of the environment with which `failing_calls.c` is loaded.

        Args:
            **settings: what it is told; names of its variables without ``FAULT_``.
        """
        settings = {"UNDER": self.disk, "MARK": self.mark} | settings
        return {"LD_PRELOAD": str(self._library)} | {f"FAULT_{name}": str(value) for name, value in settings.items()}

    def mount(self, size: int) -> bool:
        """Make a disk of some bytes out of the folder of the output; whether that is possible."""
        self.mounted = bool(shutil.which("mount")) and not done("mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.disk)
        return self.mounted

    def remount(self, options: str) -> None:
        """Change the disk."""
        assert not done("mount", "-o", f"remount,{options}", self.disk)

    def close(self) -> None:
        """Let go of the disk."""
        if self.mounted:
            done("umount", "-l", self.disk)


def done(*command: object) -> int:
    """Run a command without a word, and return its status."""
    return subprocess.run([str(word) for word in command], capture_output=True, check=False).returncode
