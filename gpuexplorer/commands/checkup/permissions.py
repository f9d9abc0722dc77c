"""Permissions: whether this user may use the device files of NVIDIA's driver."""

import re
from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.commands.checkup.container import how_to_lend, surroundings
from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import Message, all_of
from gpuexplorer.telemetry.looked_for import module_version
from gpuexplorer.telemetry.place import Place

_UVM = "/dev/nvidia-uvm"
_MAKE_THEM = Message("Run: `sudo nvidia-modprobe -u -c 0`")


def permissions(probe: Probe) -> Topic:
    if probe.platform != "linux":
        return Topic(Subject.PERMISSIONS).fine(
            Message("This system asks for no special permission.")
        )
    nodes = [path for path in probe.entries("/dev") if _belongs_to_a_card(path.name)]
    groups = _group_names(probe)
    # The group that every user has alone says nothing but the user's name.
    mine = [groups.get(number, str(number)) for number in probe.groups]
    mine = [name for name in mine if name != probe.user]
    files: dict[str, Fact] = {
        probe.shown(path): {"usable": probe.may_use(path), "group": _group(path, groups)}
        for path in nodes
    }
    facts: dict[str, Fact] = {"files": files, "groups": mine}
    topic = Topic(Subject.PERMISSIONS, [_in_groups(mine)] if mine and nodes else [], facts)
    if not nodes:
        return _without_files(probe, topic)
    refused = [path for path in nodes if not probe.may_use(path)]
    if refused:
        names = all_of([probe.shown(path) for path in refused])
        return topic.broken(
            Message("This user may not read and write {files}.", files=names),
            _way_in(refused, groups),
        )
    if not probe.exists(_UVM) and not probe.exists("/dev/dxg"):
        return topic.look(
            Message(
                "{file} is missing. The card can be watched, but CUDA cannot start without it.",
                file=_UVM,
            ),
            how_to_lend(surroundings(probe)) if surroundings(probe) else _MAKE_THEM,
        )
    return topic.fine(
        Message.counted(
            "This user may use the one device file there is.",
            "This user may use all {count} device files.",
            len(nodes),
        )
    )


def _in_groups(names: Sequence[str]) -> Message:
    return Message.counted(
        "This user is in the group {groups}.",
        "This user is in the groups {groups}.",
        len(names),
        groups=all_of(names),
    )


def _without_files(probe: Probe, topic: Topic) -> Topic:
    if module_version(probe) is None:
        return topic.fine(
            Message(
                "There are no device files of NVIDIA's driver, so nothing needs permission."
            )
        )
    kinds = surroundings(probe)
    return topic.broken(
        Message("NVIDIA's driver is loaded, but its device files (/dev/nvidia*) are missing."),
        how_to_lend(kinds) if kinds else _MAKE_THEM,
    )


def _belongs_to_a_card(name: str) -> bool:
    return re.fullmatch(r"nvidia\d+|nvidiactl|nvidia-uvm|dxg", name) is not None


def _way_in(refused: Sequence[Path], groups: dict[int, str]) -> Message:
    owners = {_group(path, groups) for path in refused} - {"root"}
    if not owners:
        return Message("Ask an administrator for access to these files.")
    return Message(
        "Run `sudo usermod -aG {groups} $USER`, then log out and in again.",
        groups=",".join(sorted(owners)),
    )


def _group(path: Path, groups: dict[int, str]) -> str:
    try:
        number = path.stat().st_gid
    except OSError:
        return "root"
    return groups.get(number, str(number))


def _group_names(place: Place) -> dict[int, str]:
    names = {0: "root"}
    for line in (place.read("/etc/group") or "").splitlines():
        name, _, rest = line.partition(":")
        number = rest.split(":")[1] if rest.count(":") else ""
        if number.isdigit():
            names[int(number)] = name
    return names
