"""Interpreter: the Pythons of this computer, found by the folders they are installed in."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.place import is_there

# Folders that hold one Python each, below the home folder.
_BELOW_HOME = (
    ".pyenv/versions",
    ".asdf/installs/python",
    ".local/share/mise/installs/python",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".local/share/pipx/venvs",
    ".local/share/virtualenvs",
    ".virtualenvs",
    ".cache/pypoetry/virtualenvs",
    "AppData/Local/Programs/Python",
    "AppData/Roaming/uv/python",
    "AppData/Local/uv/python",
)
_CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python, by the folder it is installed in."""

    prefix: str
    why: Message  # how it was found: "the active environment", "inside this program"
    packages: tuple[Path, ...]  # the folders its packages lie in, existing ones only
    version: str | None

    @property
    def label(self) -> Message:
        python = (
            Message("Python {version}", version=self.version)
            if self.version
            else Message("Python")
        )
        if not self.why:
            return Message("{folder} ({python})", folder=self.prefix, python=python)
        return Message(
            "{folder} ({python}, {why})", folder=self.prefix, python=python, why=self.why
        )

    def program(self, probe: Probe) -> Path:
        prefix = probe.at(self.prefix)
        if probe.platform == "win32":
            venv = prefix / "Scripts" / "python.exe"
            return venv if is_there(venv) else prefix / "python.exe"
        named = prefix / "bin" / f"python{self.version}"
        return named if is_there(named) else prefix / "bin" / "python3"


def interpreters(probe: Probe) -> Iterator[Interpreter]:
    """Each once, the likeliest to be meant first."""
    if probe.parts is not None and probe.exists(f"{probe.parts}/torch"):
        # The lab knows it by the same name, and takes it first.
        parts = probe.at(probe.parts)
        why = Message("inside this program")
        yield Interpreter(probe.parts, why, (parts,), _running_version())
    seen: set[Path] = set()
    for prefix, why in _prefixes(probe):
        folder = probe.at(prefix)
        try:
            known = folder.resolve()
        except (OSError, RuntimeError):
            continue
        if known in seen:
            continue
        seen.add(known)
        yield from _interpreters_in(probe, prefix, why)


def _running_version() -> str:
    return ".".join(map(str, sys.version_info[:2]))


def _prefixes(probe: Probe) -> Iterator[tuple[str, Message]]:
    environment = probe.environment
    if probe.prefix:
        yield probe.prefix, Message("the one that runs this")
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if active := environment.get(variable):
            yield active, Message("the active environment")
    if here := environment.get("PWD"):
        in_here = Message("in this folder")
        yield from ((f"{here}/{name}", in_here) for name in (".venv", "venv"))
    on_path = Message("on the PATH")
    yield from ((prefix, on_path) for prefix in _on_path(probe))
    home, conda = probe.home or "/nowhere", Message("conda")
    for folder in _CONDA_HOMES:
        for base in (f"{home}/{folder}", f"/opt/{folder}"):
            yield base, conda
            for entry in probe.entries(f"{base}/envs"):
                yield probe.shown(entry), conda
    for line in (probe.read(f"{home}/.conda/environments.txt") or "").splitlines():
        if line.strip():
            yield line.strip(), conda
    parents = [f"{home}/{below}" for below in _BELOW_HOME]
    parents += [
        environment.get("WORKON_HOME", ""),
        environment.get("UV_PYTHON_INSTALL_DIR", ""),
    ]
    if root := environment.get("PYENV_ROOT"):
        parents.append(f"{root}/versions")
    if programs := environment.get("PROGRAMFILES"):
        parents.append(programs)
    for parent in filter(None, parents):
        for entry in probe.entries(parent):
            if not entry.name.startswith("."):
                yield probe.shown(entry), NOTHING


def _on_path(probe: Probe) -> Iterator[str]:
    windows = probe.platform == "win32"
    pattern = r"python\.exe" if windows else r"python3(\.\d+)?"
    for folder in probe.environment.get("PATH", "").split(";" if windows else ":"):
        # The shims of version managers are small programs that choose a Python; those they
        # choose from are found by their folders.
        if not folder or Path(folder).name == "shims" or "WindowsApps" in folder:
            continue
        if any(re.fullmatch(pattern, entry.name) for entry in probe.entries(folder)):
            prefix = folder if windows else str(Path(folder).parent)
            # /bin is another name of /usr/bin; links below the home folder lead to Pythons
            # that are found by their own folders.
            if prefix != f"{probe.home}/.local":
                yield "/usr" if prefix == "/" else prefix


def _interpreters_in(probe: Probe, prefix: str, why: Message) -> Iterator[Interpreter]:
    """A prefix such as /usr may hold several Pythons, one for each version."""
    if probe.platform == "win32":
        packages = probe.at(f"{prefix}/Lib/site-packages")
        if is_there(packages):
            version = _version_of_venv(probe, prefix)
            borrowed = _inherited(probe, prefix, version)
            yield Interpreter(prefix, why, (packages, *borrowed), version)
        return
    for version in _versions(probe, prefix):
        folders = [
            f"{prefix}/lib/python{version}/site-packages",
            f"{prefix}/lib64/python{version}/site-packages",
            f"{prefix}/lib/python{version}/dist-packages",
        ]
        if prefix == "/usr":
            folders.append("/usr/lib/python3/dist-packages")
            folders.append(f"/usr/local/lib/python{version}/dist-packages")
        if not probe.exists(f"{prefix}/pyvenv.cfg") and probe.home:
            folders.append(f"{probe.home}/.local/lib/python{version}/site-packages")
        found = [probe.at(folder) for folder in folders if probe.exists(folder)]
        found += _inherited(probe, prefix, version)
        yield Interpreter(prefix, why, tuple(found), version)


def _versions(probe: Probe, prefix: str) -> list[str]:
    """Those that have a program, so that folders left behind by old versions do not count."""
    named = [
        match.group(1)
        for entry in probe.entries(f"{prefix}/lib")
        if (match := re.fullmatch(r"python(\d+\.\d+t?)", entry.name))
    ]
    programs = {entry.name for entry in probe.entries(f"{prefix}/bin")}
    if "pyvenv.cfg" in {entry.name for entry in probe.entries(prefix)}:
        return named
    return [version for version in named if f"python{version}" in programs]


def _version_of_venv(probe: Probe, prefix: str) -> str | None:
    settings = probe.read(f"{prefix}/pyvenv.cfg") or ""
    version = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", settings, re.MULTILINE)
    if version:
        return version.group(1)
    number = re.search(r"Python(\d)(\d+)$", prefix)
    return f"{number.group(1)}.{number.group(2)}" if number else None


def _inherited(probe: Probe, prefix: str, version: str | None) -> list[Path]:
    """What an environment borrows from the Python it was made of, where it was told to."""
    settings = probe.read(f"{prefix}/pyvenv.cfg") or ""
    if not re.search(r"^include-system-site-packages\s*=\s*true", settings, re.M | re.I):
        return []
    home = re.search(r"^home\s*=\s*(.+?)\s*$", settings, re.MULTILINE)
    if home is None:
        return []
    if probe.platform == "win32":
        folders = [f"{home.group(1)}/Lib/site-packages"]
    else:
        base = str(Path(home.group(1)).parent)
        folders = [
            f"{base}/lib/python{version}/site-packages",
            f"{base}/lib/python3/dist-packages",
            f"/usr/local/lib/python{version}/dist-packages",
        ]
    return [probe.at(folder) for folder in folders if probe.exists(folder)]
