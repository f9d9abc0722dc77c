"""The portable program, unpacked by a person into a folder with spaces and foreign letters."""

import tarfile
from pathlib import Path

from trial import worker
from trial.display import display
from trial.program import Program, expect
from trial.report import Step
from trial.root import HOME, Inside, as_root
from trial.windows import Windows

_FOLDER = f"{HOME}/Meine Programme/Grafik für Übungen 显卡 ảnh"
_GIVEN = "/var/tmp/portable.tar.gz"


class Portable:
    """Unpacked where the package is installed, whose libraries it needs as well."""

    def __init__(self, program: Program, archive: Path) -> None:
        self._installed = program
        self._root = program.root
        self._archive = archive

    def first_steps(self) -> "list[Step]":
        return [Step("the portable folder in a system that has nothing", self.bare)]

    def bare(self) -> str:
        """Before the package brought any library: the commands answer, and where no window can
        open, it is said what to install.
        """
        self.unpack()
        self._program.told("snapshot", "--json", "--simulate", "2xTitanRTX")
        words = ("--simulate", "2xTitanRTX", "--quit-after", "4")
        with display() as screen:
            done = self._root.run(
                [self._program.path, *words], screen.open_to(self._root, LANG="C.UTF-8")
            )
        if done.status == 0:
            self._program.judged(done, words)
            return "The commands answer, and the window opens."
        self._program.judged(done, words, 1)
        said = " ".join(done.err.split())
        expect("apt-get install" in said, f"It does not say what to do: {said[:400]}")
        return f"The commands answer. For the window it says: {said}"

    def steps(self, worker_needs: "tuple[str, ...]") -> "list[Step]":
        name = "the portable folder, in a path with spaces and foreign letters"
        return [
            Step(name, self.unpack, ("install",)),
            Step("its commands", self.commands, (name,)),
            Step("its commands where no letters are told", self.plain_letters, (name,)),
            Step("its window", self.window, (name,)),
            Step("its worker", lambda: worker.measured(self._program), (name, *worker_needs)),
        ]

    def unpack(self) -> str:
        self._root.give(self._archive, _GIVEN)
        self._root.owned(_FOLDER)
        done = self._root.run(["tar", "-xzf", _GIVEN], Inside(folder=_FOLDER))
        expect(done.status == 0, f"tar could not unpack it: {done.said[-300:]}")
        as_root(self._root, ["rm", _GIVEN])
        self._program.run("--version")
        return f"Unpacked as {self._program.path}"

    def commands(self) -> str:
        told = self._program.told("snapshot", "--json", "--simulate", "2xTitanRTX")
        expect(len(told["cards"]) == 2, "The snapshot does not tell of both cards.")
        self._program.run("doctor")
        self._program.told("copies", "--simulate", "2xTitanRTX", "--json")
        return "snapshot, doctor and copies answer."

    def plain_letters(self) -> str:
        told = self._program.told(
            "snapshot", "--json", inside=Inside({"LANG": "C", "LC_ALL": "C"})
        )
        return f"With LC_ALL=C a snapshot of {told['host']['name']!r} is told."

    def window(self) -> str:
        with display():
            pass  # without such a server it is said so, and not this program's fault
        return Windows(self._program, "portable-").window()

    @property
    def _program(self) -> Program:
        with tarfile.open(self._archive) as packed:
            names = [each.name for each in packed if each.isfile()]
        inside = min((each for each in names if each.endswith("/gpuexplorer")), key=len)
        return self._installed.at(f"{_FOLDER}/{inside.removeprefix('./')}")
