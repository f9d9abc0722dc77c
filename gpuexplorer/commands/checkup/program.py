"""What the program itself needs: a display that shows its window, its parts, and memory."""

import ctypes
import platform
import re
import sys

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.probe import (
    BROKEN,
    FINE,
    LOOK,
    Answer,
    Judged,
    Probe,
    Subject,
    Topic,
)
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.telemetry.looked_for import find_library
from gpuexplorer.telemetry.patience import Asked

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
_NAMED = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
_X_PATIENCE = 5.0

# Each distribution, and what cannot be done without it.
_PARTS = {
    "PySide6-Essentials": Message("Without PySide6-Essentials no window can open."),
    "numpy": Message("Without numpy no chart can be drawn."),
    "nvidia-ml-py": Message("Without nvidia-ml-py NVIDIA cards cannot be read."),
    "psutil": Message("Without psutil programs and the processor cannot be read."),
    "platformdirs": Message("Without platformdirs settings have no place."),
    "markdown-it-py": Message("Without markdown-it-py no lesson can be read."),
}
_GIB = 2**30


def display(probe: Probe, _: Answer | None = None) -> Topic:
    """Whether a window can open here, and which system libraries it would miss."""
    if probe.platform != "linux":
        own = Message("The system's own desktop shows the window.")
        return Topic(Subject.DISPLAY, FINE, own)
    environment = probe.environment
    chosen, wayland, x11 = environment.get("QT_QPA_PLATFORM", ""), _wayland(probe), _x11(probe)
    only_wayland = wayland and not x11 and not chosen.startswith("xcb")
    wanted = _ALWAYS if only_wayland else _ALWAYS | _FOR_X11
    missing = {
        library: package
        for library, package in wanted.items()
        # The packaged program brings some along.
        if not (probe.parts and probe.exists(f"{probe.parts}/{library}"))
        and find_library(probe, library) is None
    }
    refused = bool(x11 and not wayland and probe.x_refuses(environment["DISPLAY"]))
    facts = {
        **{name: environment.get(name) for name in _NAMED},
        "x11_answers": x11,
        "x11_refuses": refused,
        "wayland_answers": wayland,
        "missing_libraries": list(missing),
    }
    details = [
        Message("{variable}={display} answers.", variable=name, display=environment[name])
        if answers
        else Message(
            "{variable}={display} does not answer.", variable=name, display=environment[name]
        )
        for name, answers in zip(_NAMED, (wayland, x11), strict=False)
        if answers is not None
    ]
    install = NOTHING
    if missing:
        details.append(
            Message(
                "Libraries that Qt needs and that are missing: {libraries}.",
                libraries=all_of(list(missing)),
            )
        )
        install = Message("Install the packages of your system that bring these libraries.")
        if probe.exists("/usr/bin/apt-get"):
            packages = " ".join(missing.values())
            install = Message("Run: `sudo apt-get install {packages}`", packages=packages)
    judged: Judged
    if chosen.split(":")[0] not in ("", "xcb", "wayland"):
        unseen = Message(
            "QT_QPA_PLATFORM={platform} lets windows open where nobody sees them.",
            platform=chosen,
        )
        judged = LOOK, unseen, Message("Remove the variable to see the window.")
    elif wayland is None and x11 is None:
        at_a_desktop = Message(
            "Start it at a desktop, or through `ssh -X`; the commands work without a display."
        )
        none = Message("There is no display here, so no window can open.")
        judged = LOOK, none, told(at_a_desktop, install)
    elif not wayland and not x11:
        silent = Message("A display is named, but it does not answer, so no window can open.")
        log_in = Message(
            "Log in at the desktop, or connect with `ssh -X`; then correct DISPLAY={display}.",
            display=environment.get("DISPLAY", ""),
        )
        judged = BROKEN, silent, log_in
    elif refused:
        refuses = Message(
            "The display {display} lets this program open no window.",
            display=environment["DISPLAY"],
        )
        allow = Message(
            "Start it as the person who is logged in at that display, or let that person's"
            " XAUTHORITY name the file with the permission."
        )
        judged = BROKEN, refuses, allow
    elif missing:
        lacks = Message.counted(
            "The display answers, but Qt needs {count} more library to open a window.",
            "The display answers, but Qt needs {count} more libraries to open a window.",
            len(missing),
        )
        judged = BROKEN, lacks, install
    else:
        fine = Message("A window can open: the display answers, and Qt has its libraries.")
        judged = FINE, fine, NOTHING
    return Topic(Subject.DISPLAY, *judged, details, facts)


def _wayland(probe: Probe) -> bool | None:
    """Whether the compositor takes connections; None where none is named."""
    name = probe.environment.get("WAYLAND_DISPLAY")
    if not name:
        return None
    folder = probe.environment.get("XDG_RUNTIME_DIR", "")
    return probe.reachable(name if name.startswith("/") else f"{folder}/{name}")


def _x11(probe: Probe) -> bool | None:
    """Whether the X server takes connections; None where none is named."""
    name = probe.environment.get("DISPLAY")
    if not name:
        return None
    if name.startswith("/"):
        return probe.reachable(name)
    parts = re.fullmatch(r"(?:unix/?)?([^:/]*):(\d+)(?:\.\d+)?", name)
    if parts is None:
        return False
    host, number = parts.group(1), int(parts.group(2))
    if host:
        return probe.reachable((host, 6000 + number))
    path = f"/tmp/.X11-unix/X{number}"
    return probe.reachable(path) or probe.reachable(f"\0{path}")


def x_refuses(display: str) -> bool:
    """Asks the X server by the library that Qt asks it by. False where it cannot be asked."""
    if sys.platform != "linux":
        return False
    try:
        library = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    library.xcb_connect.restype = ctypes.c_void_p
    library.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    library.xcb_disconnect.argtypes = [ctypes.c_void_p]

    def refuses() -> bool:
        connection = library.xcb_connect(display.encode(), None)
        refused = bool(library.xcb_connection_has_error(connection))
        library.xcb_disconnect(connection)
        return refused

    asking = Asked(refuses)
    return not asking.answered_within(_X_PATIENCE) or asking.result()


def parts(probe: Probe, _: Answer) -> Topic:
    """Which versions GPU Explorer is made of here, and whether one is missing or wrong."""
    versions = {name: probe.installed(name) for name in _PARTS}
    other = probe.installed("pynvml")
    python, system = platform.python_version(), platform.platform()
    made_of = Message(
        "GPU Explorer {version} on Python {python}.", version=__version__, python=python
    )
    missing = [name for name, version in versions.items() if version is None]
    judged: Judged = FINE, told(made_of, Message("Every part is there.")), NOTHING
    if other is not None:  # only nvidia-ml-py is NVIDIA's own
        wrong = Message(
            "The package pynvml {version} is installed, which is not NVIDIA's: it may take the"
            " place of nvidia-ml-py, and makes PyTorch complain at every start.",
            version=other,
        )
        back = Message(
            "Run `pip uninstall pynvml`, then `pip install --force-reinstall nvidia-ml-py`."
        )
        judged = LOOK, told(made_of, wrong), back
    elif missing and probe.prefix is not None:
        run = Message("Run: `pip install {parts}`", parts=" ".join(missing))
        judged = BROKEN, told(made_of, *(_PARTS[name] for name in missing)), run
    there = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    details = [*([f"{there}."] if there else []), f"{system}."]
    facts = {
        "gpuexplorer": __version__,
        "python": python,
        "system": system,
        **versions,
        "pynvml": other,
    }
    return Topic(Subject.PARTS, *judged, details, facts)


def memory(probe: Probe, _: Answer) -> Topic:
    """How much the computer has, and whether there is any swap behind it."""
    said = probe.read("/proc/meminfo") if probe.platform == "linux" else None
    if said is None:
        by_itself = Message("The system manages memory and swap by itself.")
        return Topic(Subject.MEMORY, FINE, by_itself)
    sizes = {
        name: int(kibibytes) * 1024
        for name, kibibytes in re.findall(r"^(\w+):\s+(\d+) kB", said, re.MULTILINE)
    }
    total, free = sizes.get("MemTotal", 0), sizes.get("MemAvailable", 0)
    swap = sizes.get("SwapTotal", 0)
    limits = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
    limit = next(filter(None, map(probe.read, limits)), "").strip()
    least = int(limit) if limit.isdigit() and int(limit) < total else None
    facts = {
        "total_bytes": total,
        "available_bytes": free,
        "swap_bytes": swap,
        "limit_bytes": least,
    }
    details = []
    if least is not None:
        details = [Message("The container may use {size:.1f} GiB of it.", size=least / _GIB)]
    there = {"total": total / _GIB, "free": free / _GIB, "swap": swap / _GIB}
    if swap:
        enough = Message(
            "{total:.1f} GiB of memory, {free:.1f} GiB of it free, and {swap:.1f} GiB of swap.",
            **there,
        )
        return Topic(Subject.MEMORY, FINE, enough, NOTHING, details, facts)
    without = Message(
        "{total:.1f} GiB of memory, {free:.1f} GiB of it free, and no swap. If memory runs"
        " out, Linux ends the largest program at once: most likely a training run.",
        **there,
    )
    add = Message("If this is your own computer, add a swap file of a few GiB.")
    return Topic(Subject.MEMORY, LOOK, without, add, details, facts)
