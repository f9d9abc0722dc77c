"""Container: whether this runs inside another system, and what that hides from it."""

import re
from collections.abc import Sequence

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.finding import Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import Message, all_of, told
from gpuexplorer.telemetry.looked_for import module_version
from gpuexplorer.telemetry.place import Place

# The number Linux gives the first process namespace, the one that sees everybody.
_FIRST_NAMESPACE = 0xEFFFFFFC
_IN_NONE = Message("Not in a container.")
_WSL = "WSL"
_BY_CGROUP = {
    "kubepods": "Kubernetes",
    "docker": "Docker",
    "libpod": "Podman",
    "lxc": "LXC",
    "containerd": "containerd",
}
_LENDING = {
    "Podman": Message("Start the container with `--device nvidia.com/gpu=all`."),
    "Kubernetes": Message("Ask for nvidia.com/gpu in the pod's resource limits."),
    "LXC": Message("Add a device of the type gpu to the container."),
}


def container(probe: Probe, answer: Answer) -> Topic:
    if probe.platform != "linux":
        return Topic(Subject.CONTAINER).fine(_IN_NONE)
    kinds = surroundings(probe)
    boxes = [kind for kind in kinds if kind != _WSL]
    foreign = _process_namespace_is_foreign(probe)
    hidden = bool(boxes) and foreign is True
    facts = {"kinds": kinds, "sees_all_processes": None if foreign is None else not foreign}
    details: list[Message] = []
    topic = Topic(Subject.CONTAINER, details, facts)
    if _WSL in kinds:
        details.append(
            Message("Windows owns the driver here and does not pass on every reading.")
        )
    if not kinds:
        return topic.fine(_IN_NONE)
    inside = Message("This runs inside {systems}.", systems=all_of(kinds))
    if boxes and not answer.cards and not answer.asleep and _card_is_outside(probe):
        return topic.broken(
            told(
                inside,
                Message("The computer has an NVIDIA driver, but the card is not lent to it."),
            ),
            how_to_lend(kinds),
        )
    if hidden:
        return topic.look(
            told(
                inside,
                Message("Programs outside cannot be seen, so those on a card have no names."),
            ),
            Message("Start the container with `--pid=host` to see the names of all programs.")
            if "Flatpak" not in boxes
            else Message(
                "Use a GPU Explorer that is not installed as a Flatpak to see the names."
            ),
        )
    if boxes and foreign is False:
        details.append(
            Message("Programs outside it can be seen, so those on a card have names.")
        )
    return topic.fine(inside)


def surroundings(place: Place) -> Sequence[str]:
    """Which systems this one runs inside of, by the names people know them by."""
    kinds = []
    if "microsoft" in (place.read("/proc/version") or "").lower():
        kinds.append(_WSL)
    if place.exists("/.flatpak-info"):
        kinds.append("Flatpak")
    named = place.environment.get("container") or place.read("/run/systemd/container") or ""
    cgroup = place.read("/proc/1/cgroup") or ""
    if place.environment.get("KUBERNETES_SERVICE_HOST"):
        kinds.append("Kubernetes")
    elif place.exists("/.dockerenv"):
        kinds.append("Docker")
    elif place.exists("/run/.containerenv"):
        kinds.append("Podman")
    elif "lxc" in named:
        kinds.append("LXC")
    elif named.strip() and not kinds:
        kinds.append(named.strip())
    else:
        kinds += [name for mark, name in _BY_CGROUP.items() if mark in cgroup][:1]
    return kinds


def how_to_lend(kinds: Sequence[str]) -> Message:
    known = next((_LENDING[kind] for kind in kinds if kind in _LENDING), None)
    return known or Message("Start the container with `--gpus all`.")


def _card_is_outside(place: Place) -> bool:
    """The kernel is shared with the computer outside, so its module can be seen from here."""
    return module_version(place) is not None


def _process_namespace_is_foreign(place: Place) -> bool | None:
    try:
        link = str(place.at("/proc/self/ns/pid").readlink())
    except OSError:
        return None
    number = re.fullmatch(r"pid:\[(\d+)\]", link)
    return None if number is None else int(number.group(1)) != _FIRST_NAMESPACE
