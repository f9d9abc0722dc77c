"""Parts: which versions GPU Explorer is made of here, and whether one is missing or wrong."""

import platform

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict, listed
from gpuexplorer.commands.checkup.probe import Probe

_TITLE = "Parts"
# Each distribution, and what cannot be done without it.
_PARTS = {
    "PySide6-Essentials": "no window can open",
    "numpy": "no chart can be drawn",
    "nvidia-ml-py": "NVIDIA cards cannot be read",
    "psutil": "programs and the processor cannot be read",
    "platformdirs": "settings have no place",
}


def parts(probe: Probe) -> Topic:
    versions = {name: probe.installed(name) for name in _PARTS}
    wrong = probe.installed("pynvml")
    python = platform.python_version()
    facts: dict[str, Fact] = {
        "gpuexplorer": __version__,
        "python": python,
        "system": platform.platform(),
        **versions,
        "pynvml": wrong,
    }
    there = [f"{name} {version}" for name, version in versions.items() if version]
    details = [f"{', '.join(there)}."] if there else []
    details.append(f"{platform.platform()}.")
    made_of = f"GPU Explorer {__version__} on Python {python}"
    if wrong is not None:
        return _wrong_pynvml(wrong, made_of, details, facts)
    missing = [name for name, version in versions.items() if version is None]
    if missing and probe.prefix is not None:
        without = listed([f"{_PARTS[name]} without {name}" for name in missing])
        return Topic(
            _TITLE,
            Verdict.BROKEN,
            f"{made_of}: {without}.",
            f"Run: `pip install {' '.join(missing)}`",
            details,
            facts,
        )
    return Topic(_TITLE, Verdict.FINE, f"{made_of}; every part is there.", "", details, facts)


def _wrong_pynvml(
    version: str, made_of: str, details: list[str], facts: dict[str, Fact]
) -> Topic:
    """Two packages bring a module of this name; only nvidia-ml-py is NVIDIA's own."""
    shim = int("".join(filter(str.isdigit, version.split(".", maxsplit=1)[0])) or 0) >= 12
    if shim:
        sentence = (
            f"{made_of}. The package pynvml {version} is installed, which is not needed"
            " and makes PyTorch complain at every start."
        )
        do = "Run: `pip uninstall pynvml`"
        return Topic(_TITLE, Verdict.LOOK, sentence, do, details, facts)
    sentence = (
        f"{made_of}. The package pynvml {version} is not NVIDIA's"
        " and takes the place of nvidia-ml-py, which is."
    )
    do = "Run `pip uninstall pynvml`, then `pip install --force-reinstall nvidia-ml-py`."
    return Topic(_TITLE, Verdict.BROKEN, sentence, do, details, facts)
