"""What the built folder takes from the system, as Debian's packages call it.

Found by reading every file of the folder: what one of them needs and none of them is.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from linux.debian_names import DATA_OF, OLDEST_WITH, PACKAGE_OF
from linux.elf import Elf, read_elf

# Its name also stands in every program; it comes with the C library.
_LOADER = re.compile(r"ld-linux.*\.so\.\d+")
# Without these a window looks less at home, and opens all the same.
_DISPENSABLE = ("plugins/platformthemes/",)
_PROGRAM = "gpuexplorer"


@dataclass
class Needs:
    """`libraries`: what is missing from the folder, and which of its files ask for it."""

    architecture: str
    libraries: Mapping[str, Collection[str]]
    dispensable: Mapping[str, Collection[str]] = field(default_factory=dict)
    versions: Mapping[str, Collection[str]] = field(default_factory=dict)
    data: Collection[str] = ()

    def depends(self) -> list[str]:
        return _sorted([*(self._package(name) for name in self.libraries), *self.data])

    def suggests(self) -> list[str]:
        packages = _sorted(self._package(name) for name in self.dispensable)
        return [package for package in packages if package not in self.depends()]

    def _package(self, library: str) -> str:
        package = PACKAGE_OF.get(library)
        if package is None:
            users = ", ".join(sorted(self._users(library))[:3])
            raise Trouble(
                f"{users} needs {library}, and which of Debian's packages has it is not known.",
                "Add it to packaging/linux/debian_names.py, or leave out what needs it.",
            )
        oldest = _oldest(library, self.versions.get(library, ()))
        return f"{package} (>= {oldest})" if oldest else package

    def _users(self, library: str) -> Collection[str]:
        return self.libraries.get(library) or self.dispensable[library]


def needs_of(folder: Path) -> Needs:
    """Raises Trouble where the folder holds no program."""
    program = folder / _PROGRAM
    elf = read_elf(program) if program.is_file() else None
    if elf is None:
        raise Trouble(
            f"There is no program in {folder}.",
            "Build it first: `make package` does all of it.",
        )
    inside = {path.name for path in folder.rglob("*")}
    needed: dict[str, set[str]] = defaultdict(set)
    dispensable: dict[str, set[str]] = defaultdict(set)
    versions: dict[str, set[str]] = defaultdict(set)
    for path in sorted(folder.rglob("*")):
        elf_of_path = None if path.is_symlink() or not path.is_file() else read_elf(path)
        if elf_of_path is None:
            continue
        name = path.relative_to(folder).as_posix()
        at_will = any(part in name for part in _DISPENSABLE)
        for library in _foreign(elf_of_path, inside):
            (dispensable if at_will else needed)[library].add(name)
            versions[library] |= elf_of_path.versions.get(library, frozenset())
    return Needs(
        _architecture(elf.machine),
        dict(needed),
        {library: users for library, users in dispensable.items() if library not in needed},
        dict(versions),
        _sorted(package for library, package in DATA_OF.items() if library in inside),
    )


def _foreign(elf: Elf, inside: Collection[str]) -> Iterable[str]:
    for library in elf.needed:
        if library not in inside and not _LOADER.fullmatch(library):
            yield library


def _oldest(library: str, versions: Collection[str]) -> str:
    """The oldest release of the library that has every symbol asked for; "" if any will do."""
    if library not in OLDEST_WITH:
        return ""
    prefix, release_of = OLDEST_WITH[library]
    asked = [
        tuple(map(int, version.removeprefix(prefix).split(".")))
        for version in versions
        if re.fullmatch(rf"{re.escape(prefix)}\d+(\.\d+)*", version)
    ]
    if not asked:
        return ""
    newest = max(asked)
    if not release_of:
        return ".".join(map(str, newest))
    for version, release in release_of.items():
        if tuple(map(int, version.split("."))) >= newest:
            return release
    raise Trouble(
        f"It is not known which release of {library} has {prefix}{'.'.join(map(str, newest))}.",
        "Add it to packaging/linux/debian_names.py.",
    )


def _architecture(machine: int) -> str:
    known = {62: "amd64", 183: "arm64"}
    if machine not in known:
        raise Trouble(f"The program was built for a machine that is not known: {machine}.")
    return known[machine]


def _sorted(packages: Iterable[str]) -> list[str]:
    """Sorted, each once; of several that differ in the release asked for, the newest."""
    found: dict[str, str] = {}
    for package in packages:
        name = package.partition(" (")[0]
        found[name] = max(package, found.get(name, ""), key=_release)
    return [found[name] for name in sorted(found)]


def _release(package: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", package.partition(" (>= ")[2])]
