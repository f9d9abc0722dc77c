"""Coming and going: the package is installed, upgraded over itself, and removed again."""

import shlex
from pathlib import Path

from trial.program import Program, expect
from trial.refusal import CannotTryError
from trial.report import Step, StepError
from trial.root import USER, Inside, as_root

_PLACE = "/usr/lib/gpuexplorer"
_GIVEN = "/var/tmp/package"
# What apt, dpkg and the tools they call write down for themselves.
_OF_THE_SYSTEM = (
    "/var/cache/",
    "/var/lib/apt/",
    "/var/lib/dpkg/",
    "/var/log/",
    "/etc/ld.so.cache",
    "/dev/",
    "/proc/",
    "/run/",
    "/tmp/",
    "/var/tmp/",
    f"/home/{USER}",
)
_LIBRARIES = """
cd "$1" || exit 1
export LD_LIBRARY_PATH="$1/_internal" # as the program's starter sets it
find . -type f -name '*.so' -o -type f -name '*.so.*' | while read -r each; do
    ldd "$each" 2> /dev/null | sed -n "s|^[[:space:]]*\\(.*\\) => not found|$each \\1|p"
done
"""
# Loaded on a desktop that has GTK, which brings what it needs; elsewhere Qt does without.
_OF_ITS_DESKTOP = "/platformthemes/libqgtk3.so "
# Debian's own package manager needs none; a Python would hide what the program lacks.
_PYTHONS = "ls -d /usr/bin/python* /usr/local/bin/python* /usr/lib/python* 2> /dev/null; true"


class Coming:
    """Installs one package; remembers what was there before."""

    def __init__(self, program: Program, package: Path) -> None:
        self._program = program
        self._root = program.root
        self._package = package
        self._before: set[str] = set()
        self._packages: set[str] = set()

    def first_steps(self) -> "list[Step]":
        return [
            Step("install", self.install),
            Step("no Python", self.no_python, ("install",)),
            Step("every library is there", self.libraries, ("install",)),
        ]

    def last_steps(self, other: "Path | None") -> "list[Step]":
        steps = [Step("upgrade over itself", self.upgrade, ("install",))]
        if other is not None:
            name = "the other size in its place, and back"
            steps.append(Step(name, lambda: self.exchange(other), ("install",)))
        return [*steps, Step("removal", self.remove, ("install",))]

    def install(self) -> str:
        as_root(self._root, ["apt-get", "update"])
        self._before = self._root.paths()
        self._packages = self._installed()
        name = f"{_GIVEN}/{self._package.name}"
        self._root.give(self._package, name)
        words = ["apt-get", "install", "--yes", "--no-install-recommends", name]
        done = self._root.run(words, Inside(as_root=True, patience=900))
        expect(done.status == 0, f"apt-get could not install it: {_end(done.out + done.err)}")
        brought = self._installed() - self._packages - {self._program.size.package}
        return (
            f"{self._package.name}, {_megabytes(self._package.stat().st_size)}, came with "
            f"{len(brought)} packages of the system; {_PLACE} holds "
            f"{_megabytes(_bytes_in(self._root.at(_PLACE)))}."
        )

    def no_python(self) -> str:
        found = self._root.run(["sh", "-c", _PYTHONS]).out.split()
        expect(not found, f"There is a Python, which the package may be leaning on: {found}")
        return "The system has none, before the package and after it."

    def libraries(self) -> str:
        done = self._root.run(["sh", "-c", _LIBRARIES, "sh", _PLACE], Inside(as_root=True))
        missing = [line for line in done.out.splitlines() if _OF_ITS_DESKTOP not in line]
        expect(not missing, "Not found in this system:\n" + "\n".join(missing[:20]))
        verified = self._root.run(
            ["dpkg", "--verify", self._program.size.package], Inside(as_root=True)
        )
        expect(not verified.out, f"Files are not as they were packed: {_end(verified.out)}")
        return "The loader finds all that each of its libraries and plugins needs."

    def upgrade(self) -> str:
        """While a window is open, as it is on a person's screen."""
        before = _files_in(self._root.at(_PLACE))
        inside = Inside({"QT_QPA_PLATFORM": "offscreen"})
        words = ("--simulate", "2xTitanRTX", "--quit-after", "25")
        window = self._root.start([self._program.path, *words], inside)
        name = f"{_GIVEN}/{self._package.name}"
        done = self._root.run(
            ["apt-get", "install", "--yes", "--reinstall", name],
            Inside(as_root=True, patience=900),
        )
        ended = self._program.judged(window.wait(), words)
        expect(done.status == 0, f"apt-get could not: {_end(done.out + done.err)}")
        expect(not ended.err, f"A window that was open complained: {_end(ended.err)}")
        changed = before ^ _files_in(self._root.at(_PLACE))
        expect(not changed, f"Files are others than before: {sorted(changed)[:10]}")
        self._program.run("--version")
        return "The same files lie there; a window that was open all the while ended in peace."

    def exchange(self, other: Path) -> str:
        """Only one of the two can be there: both are called gpuexplorer."""
        before = self._ours()
        changes = []
        for package in (other, self._package):
            name = f"{_GIVEN}/{package.name}"
            self._root.give(package, name)
            done = self._root.run(
                ["apt-get", "install", "--yes", "--no-install-recommends", name],
                Inside(as_root=True, patience=900),
            )
            expect(done.status == 0, f"apt-get could not: {_end(done.out + done.err)}")
            self._root.at(name).unlink()
            self._program.run("--version")
            changes.append(self._ours())
        expect(
            len(changes[0]) == 1 and changes[0] != before and changes[1] == before,
            f"They do not take each other's place: {before}, then {changes}",
        )
        return f"{' '.join(changes[0])} took its place, and it came back."

    def remove(self) -> str:
        package = self._program.size.package
        try:
            as_root(self._root, ["apt-get", "purge", "--yes", package])
            brought = sorted(self._installed() - self._packages)
            if brought:
                as_root(self._root, ["apt-get", "purge", "--yes", *brought])
        except CannotTryError as failure:
            raise StepError(f"It does not go: {failure}") from failure
        left = sorted(
            path
            for path in self._root.paths() - self._before
            if not path.startswith(_OF_THE_SYSTEM)
        )
        ours = [path for path in left if "gpuexplorer" in path]
        expect(not ours, f"Of ours there is left: {' '.join(ours[:20])}")
        noted = self._root.run(["dpkg-query", "--show", package])
        expect(noted.status != 0, f"dpkg still knows it: {noted.said}")
        own = self._root.at(f"/home/{USER}/.config/gpuexplorer").exists()
        kept = " The person's settings stay, as they should." if own else ""
        others = f" Other packages left {len(left)}: {' '.join(left[:6])}." if left else ""
        return f"Nothing of it is left in the system.{kept}{others}"

    def _ours(self) -> "set[str]":
        return {name for name in self._installed() if name.startswith("gpuexplorer")}

    def _installed(self) -> "set[str]":
        shown = ["dpkg-query", "--show", "-f", "${db:Status-Abbrev}${Package}\\n"]
        lines = as_root(self._root, shown).splitlines()
        return {line[3:].strip() for line in lines if line.startswith("ii")}


def _files_in(folder: Path) -> "set[tuple[str, int]]":
    return {
        (str(path.relative_to(folder)), path.lstat().st_size)
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def _bytes_in(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _end(text: str) -> str:
    return shlex.join(text.split())[-500:]
