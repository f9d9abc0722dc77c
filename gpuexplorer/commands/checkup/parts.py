"""Parts: which versions GPU Explorer is made of here, and whether one is missing or wrong."""

import platform

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import Message, told

# Each distribution, and what cannot be done without it.
_PARTS = {
    "PySide6-Essentials": Message("Without PySide6-Essentials no window can open."),
    "numpy": Message("Without numpy no chart can be drawn."),
    "nvidia-ml-py": Message("Without nvidia-ml-py NVIDIA cards cannot be read."),
    "psutil": Message("Without psutil programs and the processor cannot be read."),
    "platformdirs": Message("Without platformdirs settings have no place."),
    "markdown-it-py": Message("Without markdown-it-py no lesson can be read."),
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
    topic = Topic(Subject.PARTS, details, facts)
    made_of = Message(
        "GPU Explorer {version} on Python {python}.", version=__version__, python=python
    )
    if wrong is not None:
        return _wrong_pynvml(wrong, made_of, topic)
    missing = [name for name, version in versions.items() if version is None]
    if missing and probe.prefix is not None:
        return topic.broken(
            told(made_of, *(_PARTS[name] for name in missing)),
            Message("Run: `pip install {parts}`", parts=" ".join(missing)),
        )
    return topic.fine(told(made_of, Message("Every part is there.")))


def _wrong_pynvml(version: str, made_of: Message, topic: Topic) -> Topic:
    """Two packages bring a module of this name; only nvidia-ml-py is NVIDIA's own."""
    shim = int("".join(filter(str.isdigit, version.split(".", maxsplit=1)[0])) or 0) >= 12
    if shim:
        needless = Message(
            "The package pynvml {version} is installed, which is not needed"
            " and makes PyTorch complain at every start.",
            version=version,
        )
        return topic.look(told(made_of, needless), Message("Run: `pip uninstall pynvml`"))
    other = Message(
        "The package pynvml {version} is not NVIDIA's"
        " and takes the place of nvidia-ml-py, which is.",
        version=version,
    )
    return topic.broken(
        told(made_of, other),
        Message(
            "Run `pip uninstall pynvml`, then `pip install --force-reinstall nvidia-ml-py`."
        ),
    )
