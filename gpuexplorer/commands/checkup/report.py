"""The doctor's report: what all examinations found, and what JSON says of it; and those of what
the program itself needs: a display that shows its window, its parts, and memory.
"""

import json
import platform
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.driver import cards, container, driver, permissions
from gpuexplorer.commands.checkup.probe import Probe, Topic
from gpuexplorer.commands.checkup.pytorch import pythons, toolkits
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.core.records import KEPT_HERE, written
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.telemetry.looked_for import Looked, find_library, looked_for

# Each library Qt loads from the system, with the Debian package that brings it.
_ALWAYS = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
_FOR_X11 = {
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-image.so.0": "libxcb-image0",
}
_PARTS = (
    *("PySide6-Essentials", "numpy", "nvidia-ml-py"),
    *("psutil", "platformdirs", "markdown-it-py"),
)
_GIB = 2**30


@dataclass(slots=True)
class Report:
    """As JSON has it; `looked_for` is empty where a card answers."""

    schema: int = 1
    taken_at: str = ""
    gpuexplorer: str = __version__
    looked_for: Sequence[Looked] = ()
    topics: Sequence[Topic] = ()
    # Its name, where it is another than this one.
    computer: str = field(default="", metadata=KEPT_HERE)

    def as_json(self, clean: Callable[[str], str] = str) -> str:
        """With all texts sent through `clean`; the names of its fields stay as they are."""

        # Any: whatever JSON there is.
        def cleaned(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {name: cleaned(each) for name, each in value.items()}
            if isinstance(value, list):
                return [cleaned(each) for each in value]
            return clean(value) if isinstance(value, str) else value

        return json.dumps(cleaned(written(self, str)), indent=2) + "\n"


def examine(probe: Probe, subjects: Collection[str] = ()) -> Report:
    """All of them, unless it is said which."""
    probe.pythons  # noqa: B018 - they take longest to answer, so they are asked first
    topics = [Topic(name) for name in EXAMINATIONS if not subjects or name in subjects]
    for topic in topics:
        EXAMINATIONS[topic.topic][1](topic, probe)
    taken_at = datetime.now(UTC).isoformat(timespec="seconds")
    missing = () if probe.cards else looked_for(probe)
    return Report(taken_at=taken_at, looked_for=missing, topics=topics)


def display(topic: Topic, probe: Probe) -> None:
    """Whether a window can open here, and which system libraries it would miss."""
    if probe.platform != "linux":
        topic.fine("The system's own desktop shows the window.")
        return
    variables = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
    named = {name: probe.environment.get(name) for name in variables}
    to_wayland, to_x, chosen = named.values()
    socket = PurePosixPath(probe.environment.get("XDG_RUNTIME_DIR", "/"), to_wayland or "")
    wayland = probe.exists(str(socket)) if to_wayland else None
    x11 = probe.opens(to_x) if to_x else None
    only_wayland = wayland and not x11 and not (chosen or "").startswith("xcb")
    missing = {
        library: package
        for library, package in (_ALWAYS if only_wayland else _ALWAYS | _FOR_X11).items()
        # The packaged program brings some along.
        if not (probe.parts and probe.exists(f"{probe.parts}/{library}"))
        and find_library(probe, library) is None
    }
    topic.facts = {
        **named,
        "x11_answers": x11,
        "x11_refuses": x11 is False,
        "wayland_answers": wayland,
        "missing_libraries": list(missing),
    }
    for name, answers in (("WAYLAND_DISPLAY", wayland), ("DISPLAY", x11)):
        said = "{name}={value} answers." if answers else "{name}={value} does not answer."
        topic.details += [Message(said, name=name, value=named[name])] if named[name] else []
    install = NOTHING
    if missing:
        libraries = all_of([*missing])
        topic.detail("Libraries that Qt needs and that are missing: {those}.", those=libraries)
        install = Message("Install the packages of your system that bring these libraries.")
        if probe.exists("/usr/bin/apt-get"):
            packages = " ".join(missing.values())
            install = Message("Run: `sudo apt-get install {packages}`", packages=packages)
    if chosen and chosen.split(":")[0] not in ("xcb", "wayland"):
        topic.look(
            "QT_QPA_PLATFORM={platform} lets windows open where nobody sees them.",
            "Remove the variable to see the window.",
            platform=chosen,
        )
    elif wayland is None and x11 is None:
        at_a_desktop = Message(
            "Start it at a desktop, or through `ssh -X`; the commands work without a display."
        )
        none = Message("There is no display here, so no window can open.")
        topic.look(none, told(at_a_desktop, install))
    elif not wayland and not x11:
        topic.broken(
            "A display is named, but it does not answer, or lets this program open no window.",
            "Start it as the person who is logged in at that display, or connect with"
            " `ssh -X`; then DISPLAY and XAUTHORITY are as they must be.",
        )
    elif missing:
        topic.broken("The display answers, but Qt lacks libraries to open a window.", install)
    else:
        topic.fine("A window can open: the display answers, and Qt has its libraries.")


def parts(topic: Topic, probe: Probe) -> None:
    """Which versions GPU Explorer is made of here, and whether one is missing or wrong."""
    versions = {name: probe.installed(name) for name in _PARTS}
    python, system = platform.python_version(), platform.platform()
    other = probe.installed("pynvml")
    topic.facts = {
        "gpuexplorer": __version__,
        "python": python,
        "system": system,
        **versions,
        "pynvml": other,
    }
    there = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    topic.details = [f"{each}." for each in (there, system) if each]
    made_of = Message(
        "GPU Explorer {version} on Python {python}.", version=__version__, python=python
    )
    missing = [name for name, version in versions.items() if version is None]
    if other is not None:  # only nvidia-ml-py is NVIDIA's own
        wrong = Message(
            "The package pynvml {version} is installed, which is not NVIDIA's: it may take the"
            " place of nvidia-ml-py, and makes PyTorch complain at every start.",
            version=other,
        )
        topic.look(
            told(made_of, wrong),
            "Run `pip uninstall pynvml`, then `pip install --force-reinstall nvidia-ml-py`.",
        )
    elif missing and not probe.parts:
        lacks = Message("It cannot work as it should without {parts}.", parts=all_of(missing))
        topic.broken(
            told(made_of, lacks), "Run: `pip install {parts}`", parts=" ".join(missing)
        )
    else:
        topic.fine(told(made_of, Message("Every part is there.")))


def memory(topic: Topic, probe: Probe) -> None:
    """How much the computer has, and whether there is any swap behind it."""
    said = probe.read("/proc/meminfo") if probe.platform == "linux" else None
    if said is None:
        topic.fine("The system manages memory and swap by itself.")
        return
    sizes = dict(re.findall(r"(?m)^(\w+):\s+(\d+) kB", said))
    total, free, swap = (
        int(sizes.get(name, 0)) * 1024 for name in ("MemTotal", "MemAvailable", "SwapTotal")
    )
    limit = (probe.read("/sys/fs/cgroup/memory.max") or "").strip()
    least = int(limit) if limit.isdigit() and int(limit) < total else None
    topic.facts = {
        "total_bytes": total,
        "available_bytes": free,
        "swap_bytes": swap,
        "limit_bytes": least,
    }
    if least is not None:
        topic.detail("The container may use {size:.1f} GiB of it.", size=least / _GIB)
    topic.fine(
        "{total:.1f} GiB of memory, {free:.1f} GiB of it free, and {swap:.1f} GiB of swap.",
        total=total / _GIB,
        free=free / _GIB,
        swap=swap / _GIB,
    )
    if not swap:
        ends = Message(
            "If memory runs out, Linux ends the largest program at once: most likely a training"
            " run."
        )
        do = "If this is your own computer, add a swap file of a few GiB."
        topic.look(told(topic.sentence, ends), do)


# In the order in which they are read.
EXAMINATIONS: Mapping[str, tuple[Message, Callable[[Topic, Probe], None]]] = {
    "cards": (Message("Cards"), cards),
    "driver": (Message("Driver"), driver),
    "permissions": (Message("Permissions"), permissions),
    "container": (Message("Container"), container),
    "pytorch": (Message("PyTorch"), pythons),
    "toolkits": (Message("Toolkits"), toolkits),
    "display": (Message("Display"), display),
    "parts": (Message("Parts"), parts),
    "memory": (Message("Memory"), memory),
}


def title_of(topic: Topic) -> Message:
    return EXAMINATIONS[topic.topic][0]
