"""Permissions: whether this user may use the device files of NVIDIA's driver."""

import re
from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.commands.checkup.container import how_to_lend, surroundings
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict, counted, listed
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.telemetry.looked_for import Place, module_version

_UVM = "/dev/nvidia-uvm"
_TITLE = "Permissions"


def permissions(probe: Probe) -> Topic:
    if probe.platform != "linux":
        return Topic(_TITLE, Verdict.FINE, "This system asks for no special permission.")
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
    if not nodes:
        return _without_files(probe, facts)
    refused = [path for path in nodes if not probe.may_use(path)]
    details = (
        [f"This user is in the {'group' if len(mine) == 1 else 'groups'} {listed(mine)}."]
        if mine
        else []
    )
    if refused:
        names = listed([probe.shown(path) for path in refused])
        return Topic(
            _TITLE,
            Verdict.BROKEN,
            f"This user may not read and write {names}.",
            _way_in(refused, groups),
            details,
            facts,
        )
    if not probe.exists(_UVM) and not probe.exists("/dev/dxg"):
        return Topic(
            _TITLE,
            Verdict.LOOK,
            f"{_UVM} is missing. The card can be watched, but CUDA cannot start without it.",
            how_to_lend(surroundings(probe))
            if surroundings(probe)
            else "Run: `sudo nvidia-modprobe -u -c 0`",
            details,
            facts,
        )
    sentence = f"This user may use {_all_of(len(nodes))}."
    return Topic(_TITLE, Verdict.FINE, sentence, "", details, facts)


def _without_files(probe: Probe, facts: dict[str, Fact]) -> Topic:
    if module_version(probe) is None:
        sentence = "There are no device files of NVIDIA's driver, so nothing needs permission."
        return Topic(_TITLE, Verdict.FINE, sentence, facts=facts)
    kinds = surroundings(probe)
    return Topic(
        _TITLE,
        Verdict.BROKEN,
        "NVIDIA's driver is loaded, but its device files (/dev/nvidia*) are missing.",
        how_to_lend(kinds) if kinds else "Run: `sudo nvidia-modprobe -u -c 0`",
        facts=facts,
    )


def _all_of(number: int) -> str:
    return (
        "the one device file there is"
        if number == 1
        else f"all {counted(number, 'device file')}"
    )


def _belongs_to_a_card(name: str) -> bool:
    return re.fullmatch(r"nvidia\d+|nvidiactl|nvidia-uvm|dxg", name) is not None


def _way_in(refused: Sequence[Path], groups: dict[int, str]) -> str:
    owners = {_group(path, groups) for path in refused} - {"root"}
    if not owners:
        return "Ask an administrator of this computer for access to these files."
    names = ",".join(sorted(owners))
    return f"Run `sudo usermod -aG {names} $USER`, then log out and in again."


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
