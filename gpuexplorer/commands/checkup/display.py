"""Display: whether a window can open here, and which system libraries it would miss."""

import re
from collections.abc import Mapping, Sequence

from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import NOTHING, Message, all_of, mark, told
from gpuexplorer.telemetry.place import find_library

_WINDOWLESS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")
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
_ANSWERS = mark("{variable}={display} answers.")
_SILENT = mark("{variable}={display} does not answer.")
_NOT_ALLOWED = Message(
    "Start it as the person who is logged in at that display, or let that person's "
    "XAUTHORITY name the file with the permission."
)
_NO_WINDOW = Message(
    "Start it at a desktop, or through `ssh -X`; the commands work without a display."
)


def display(probe: Probe) -> Topic:
    if probe.platform != "linux":
        return Topic(Subject.DISPLAY).fine(
            Message("The system's own desktop shows the window.")
        )
    environment = probe.environment
    chosen = environment.get("QT_QPA_PLATFORM", "")
    wayland, x11 = _wayland(probe), _x11(probe)
    only_wayland = wayland is True and not chosen.startswith("xcb")
    wanted = _ALWAYS if only_wayland and x11 is not True else _ALWAYS | _FOR_X11
    missing = {name: pack for name, pack in wanted.items() if not _is_there(probe, name)}
    refusal = probe.x_refusal(environment["DISPLAY"]) if x11 and not wayland else None
    facts: dict[str, Fact] = {
        "DISPLAY": environment.get("DISPLAY"),
        "WAYLAND_DISPLAY": environment.get("WAYLAND_DISPLAY"),
        "QT_QPA_PLATFORM": chosen or None,
        "x11_answers": x11,
        "x11_refusal": refusal,
        "wayland_answers": wayland,
        "missing_libraries": list(missing),
    }
    details = list(_reached(environment, wayland=wayland, x11=x11))
    if missing:
        details.append(
            Message(
                "Libraries that Qt needs and that are missing: {libraries}.",
                libraries=all_of(list(missing)),
            )
        )
    topic = Topic(Subject.DISPLAY, details, facts)
    ways = _install(probe, missing)
    if chosen.split(":")[0] in _WINDOWLESS:
        return topic.look(
            Message(
                "QT_QPA_PLATFORM={platform} lets windows open where nobody sees them.",
                platform=chosen,
            ),
            Message("Remove the variable to see the window."),
        )
    if wayland is None and x11 is None:
        return topic.look(
            Message("There is no display here, so no window can open."), told(_NO_WINDOW, ways)
        )
    if not wayland and not x11:
        return topic.broken(
            Message("A display is named, but it does not answer, so no window can open."),
            Message("Log in at the desktop, or connect with `ssh -X`; then correct DISPLAY."),
        )
    if refusal is not None:
        return topic.broken(_refused(environment["DISPLAY"], refusal), _NOT_ALLOWED)
    if missing:
        return topic.broken(
            Message.counted(
                "The display answers, but Qt needs {count} more library to open a window.",
                "The display answers, but Qt needs {count} more libraries to open a window.",
                len(missing),
            ),
            ways,
        )
    return topic.fine(
        Message(
            "A window can open: the {kind} display answers, and Qt has its libraries.",
            kind="Wayland" if wayland else "X11",
        )
    )


def _refused(display: str, said: str) -> Message:
    if not said:
        return Message(
            "The display {display} lets this program open no window.", display=display
        )
    return Message(
        "The display {display} lets this program open no window: it says “{said}”.",
        display=display,
        said=said,
    )


def _reached(
    environment: Mapping[str, str], *, wayland: bool | None, x11: bool | None
) -> Sequence[Message]:
    named = (("WAYLAND_DISPLAY", wayland), ("DISPLAY", x11))
    return [
        Message(
            _ANSWERS if answers else _SILENT, variable=variable, display=environment[variable]
        )
        for variable, answers in named
        if answers is not None
    ]


def _wayland(probe: Probe) -> bool | None:
    """Whether the compositor takes connections; None where none is named."""
    name = probe.environment.get("WAYLAND_DISPLAY")
    if not name:
        return None
    if name.startswith("/"):
        return probe.reachable(name)
    folder = probe.environment.get("XDG_RUNTIME_DIR")
    return probe.reachable(f"{folder}/{name}") if folder else False


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


def _is_there(probe: Probe, library: str) -> bool:
    """The packaged program brings some along."""
    inside = probe.parts is not None and probe.exists(f"{probe.parts}/{library}")
    return inside or find_library(probe, library) is not None


def _install(probe: Probe, missing: Mapping[str, str]) -> Message:
    if not missing:
        return NOTHING
    if probe.exists("/usr/bin/apt-get"):
        packages = " ".join(missing.values())
        return Message("Run: `sudo apt-get install {packages}`", packages=packages)
    return Message("Install the packages of your system that bring these libraries.")
