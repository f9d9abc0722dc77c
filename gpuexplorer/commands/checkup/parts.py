"""Parts: which versions GPU Explorer is made of here, and whether one is missing or wrong."""

import platform

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import Message, told

_TITLE = Message("Parts")
# Each distribution, and what cannot be done without it.
_PARTS = {
    "PySide6-Essentials": Message("Without PySide6-Essentials no window can open."),
    "numpy": Message("Without numpy no chart can be drawn."),
    "nvidia-ml-py": Message("Without nvidia-ml-py NVIDIA cards cannot be read."),
    "psutil": Message("Without psutil programs and the processor cannot be read."),
    "platformdirs": Message("Without platformdirs settings have no place."),
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
    made_of = Message(
        "GPU Explorer {version} on Python {python}.", version=__version__, python=python
    )
    if wrong is not None:
        return _wrong_pynvml(wrong, made_of, details, facts)
    missing = [name for name, version in versions.items() if version is None]
    if missing and probe.prefix is not None:
        return Topic(
            _TITLE,
            Verdict.BROKEN,
            told(made_of, *(_PARTS[name] for name in missing)),
            Message("Run: `pip install {parts}`", parts=" ".join(missing)),
            details,
            facts,
        )
    sentence = told(made_of, Message("Every part is there."))
    return Topic(_TITLE, Verdict.FINE, sentence, details=details, facts=facts)


def _wrong_pynvml(
    version: str, made_of: Message, details: list[str], facts: dict[str, Fact]
) -> Topic:
    """Two packages bring a module of this name; only nvidia-ml-py is NVIDIA's own."""
    shim = int("".join(filter(str.isdigit, version.split(".", maxsplit=1)[0])) or 0) >= 12
    if shim:
        needless = Message(
            "The package pynvml {version} is installed, which is not needed"
            " and makes PyTorch complain at every start.",
            version=version,
        )
        do = Message("Run: `pip uninstall pynvml`")
        return Topic(_TITLE, Verdict.LOOK, told(made_of, needless), do, details, facts)
    other = Message(
        "The package pynvml {version} is not NVIDIA's"
        " and takes the place of nvidia-ml-py, which is.",
        version=version,
    )
    do = Message(
        "Run `pip uninstall pynvml`, then `pip install --force-reinstall nvidia-ml-py`."
    )
    return Topic(_TITLE, Verdict.BROKEN, told(made_of, other), do, details, facts)
