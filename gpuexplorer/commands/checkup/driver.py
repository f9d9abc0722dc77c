"""NVIDIA's cards and driver: whether they are there and answer; and whether this user, or the
container that this runs in, is let near them.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpuexplorer.commands.checkup.probe import WSL, Probe, Seen, Topic
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardState, remedy
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.telemetry.backend import (
    ASK_THE_DOCTOR,
    BEHIND_A_LOST_ONE,
    FASTEST_FIRST,
    INSTALL_IT,
)
from gpuexplorer.telemetry.looked_for import (
    VENDORS,
    DisplayController,
    driver_library,
    plain_bus_id,
)

_INSTALL = Message(
    "Install NVIDIA's driver with the tool of your system, then restart the computer."
)
# Windows keeps no files to read this from.
_ASK_WINDOWS = (
    *("powershell.exe", "-NoProfile", "-NonInteractive", "-Command"),
    "(Get-CimInstance Win32_VideoController).Name | ConvertTo-Json -Compress",
)
_CARD_FACTS = (
    *("index", "name", "memory_bytes", "compute_capability", "bus_id", "cuda_index"),
)
_UVM = "/dev/nvidia-uvm"
# The number Linux gives the first process namespace, the one that sees everybody.
_FIRST_NAMESPACE = "pid:[4026531836]"


def cards(topic: Topic, probe: Probe) -> None:
    """Those that answer, and those that are plugged in and do not."""
    answer, bus, ours = probe.answer, probe.on_the_bus, probe.nvidia_on_the_bus
    seen, dead = answer.seen, [each.card for each in answer.seen if not each.answers]
    blind = {each.card.id: each.no_figures for each in seen if each.no_figures}
    known = {plain_bus_id(each.card.bus_id or "") for each in seen} - {""}
    held = [each for each in ours if each.driver == "nvidia"]
    silent = [each for each in held if known and plain_bus_id(each.bus_id) not in known]
    facts = topic.facts = {
        "answering": [_facts_of(card) for card in answer.cards],
        "no_figures": {card: why.sentence for card, why in blind.items()},
        "silent": [_facts_of(card) for card in dead],
        "on_the_pci_bus": None if bus is None else list(map(_plugged, bus)),
    }
    topic.details = list(map(_described, seen))
    if answer.asleep:
        topic.details = [each.sentence for each in bus or ()]
        sleeping = Message.counted(
            "The NVIDIA card is asleep to save power. It was not woken to be asked.",
            "All {count} NVIDIA cards are asleep to save power, and were not woken.",
            len(ours),
        )
        topic.fine(sleeping, "Check again while a program uses the card to learn more.")
    elif ours and not seen:
        unanswered = Message.counted(
            "There is {count} NVIDIA card, and no driver answers for it.",
            "There are {count} NVIDIA cards, and no driver answers for them.",
            len(ours),
        )
        topic.broken(unanswered, "See what is said about the driver.")
    elif not seen:
        none = Message("There is no NVIDIA card.")
        if bus is None:
            none = Message("No NVIDIA card answers, and the PCI bus cannot be seen from here.")
        if probe.platform == "win32" and (named := _known_to_windows(probe)):
            none = Message("No NVIDIA card answers. Windows knows these graphics cards:")
            facts["windows_names"] = topic.details = named
        topic.look(
            none, "To see everything without a card, start `gpuexplorer --simulate 2xH100`."
        )
    elif dead or silent:
        topic.details += [each.sentence for each in silent]
        topic.broken(
            "{number} of {plugged} NVIDIA cards answer.",
            _wake({card.denied for card in dead}),
            number=len(answer.cards),
            plugged=max(len(seen), len(held)),
        )
    else:
        others = [each.sentence for each in bus or () if each not in ours]
        topic.details += [*answer.notes, *others]
        topic.fine(
            Message.counted(
                "{count} NVIDIA card answers.", "{count} NVIDIA cards answer.", len(seen)
            )
        )
        if blind:
            without = Message.counted(
                "{count} of them gives no usable figure.",
                "{count} of them give no usable figure.",
                len(blind),
            )
            topic.look(told(topic.sentence, without), _see(set(blind.values())))


def _known_to_windows(probe: Probe) -> list[str]:
    code, text = probe.run_program(_ASK_WINDOWS, 10.0)
    try:
        named = json.loads(text) if code == 0 else []
    except ValueError:
        return []
    return [named] if isinstance(named, str) else list(map(str, named))


def _wake(whys: set[Absence | None]) -> Message:
    """What to do about cards that do not answer. The usual words for one that is not supported
    send a person to the doctor.
    """
    whys -= {None, Absence.LOST}
    if whys == {Absence.NOT_SUPPORTED}:
        return Message(
            "The card may be too new for this driver, which an update mends, or too old for"
            " it: then install an older driver; NVIDIA's list says which was the last for it."
        )
    usual = remedy(whys.pop()) if len(whys) == 1 else NOTHING
    return usual or Message(
        "Look for 'Xid' or 'fallen off the bus' in the system log (`sudo dmesg`),"
        " check the power cables, and restart the computer."
    )


def _see(whys: set[Absence]) -> Message:
    """What to do about cards that answer and give no figure."""
    if whys == {Absence.NO_PERMISSION}:
        return remedy(Absence.NO_PERMISSION)
    if whys == {Absence.IMPOSSIBLE}:
        return Message(
            "Restart the computer; if it stays so, install another version of the driver."
        )
    return Message("Compare with `nvidia-smi -q`; a newer driver may report more.")


def _described(seen: Seen) -> Message:
    card = seen.card
    if card.denied is not None:
        how = card.cuda_reason
    elif seen.state is not CardState.WORKING:
        how = seen.state.sentence
    elif seen.no_figures is not None:
        how = Message("no usable figure: {why}", why=seen.no_figures.sentence)
    elif card.cuda_reason in (FASTEST_FIRST, BEHIND_A_LOST_ONE):
        how = Message("its number in PyTorch is not certain")  # a note says why
    elif card.cuda_index is None:
        how = Message("PyTorch cannot use it: {reason}", reason=card.cuda_reason)
    else:
        how = Message("PyTorch calls it cuda:{index}", index=card.cuda_index)
    known = {"number": card.index, "card": card.name, "how": how}
    if not (card.memory_bytes and card.compute_capability and card.bus_id):
        return Message("{number}: {card}, {how}", **known)
    return Message(
        "{number}: {card}, {size:.0f} GiB, compute capability {capability}, at {address},"
        " {how}",
        size=card.memory_bytes / 2**30,
        capability=".".join(map(str, card.compute_capability)),
        address=card.bus_id,
        **known,
    )


def _facts_of(card: Card) -> Mapping[str, Any]:
    return {name: getattr(card, name) for name in _CARD_FACTS}


def _plugged(one: DisplayController) -> Mapping[str, Any]:
    return {
        "bus_id": one.bus_id,
        "vendor": VENDORS.get(one.vendor_id, one.vendor_id),
        "pci_id": f"{one.vendor_id}:{one.device_id}",
        "name": one.name,
        "driver": one.driver,
        "asleep": one.asleep,
    }


def driver(topic: Topic, probe: Probe) -> None:
    """Whether NVIDIA's driver is there, is whole, and answers; and if not, why not."""
    if probe.platform == "darwin":
        topic.fine("macOS has no driver for NVIDIA cards; nothing is missing here.")
        return
    answer, library, module = probe.answer, driver_library(probe), probe.module
    trouble, source = answer.trouble, answer.source
    chosen = probe.environment.get("GPUEXPLORER_NVML") if probe.platform == "linux" else None
    said = re.search(r"\.so\.(\d+\.\d+(\.\d+)?)$", library.resolve().name if library else "")
    secure_boot = probe.all("/sys/firmware/efi/efivars/SecureBoot-*")
    # The source or build folder that a driver package leaves behind.
    package = probe.all("/usr/src/nvidia*", "/var/lib/dkms/nvidia*")
    facts = topic.facts = {
        "driver_version": source.driver_version if source else None,
        "cuda_version": source.cuda_version if source else None,
        "read_through": source.label if source else None,
        "module_version": module,
        "library": probe.shown(library) if library else None,
        "library_version": said[1] if said else None,
        "library_chosen": chosen,
        "nouveau_loaded": probe.exists("/sys/module/nouveau"),
        # The source or build folder that a driver package leaves behind.
        "package_found": package[0] if package else None,
        "secure_boot": bool(probe.found(secure_boot[0], "(\1)$")) if secure_boot else None,
    }
    if source is not None:
        topic.detail("How it was read: {source}.", source=source.label)
        topic.fine(
            "NVIDIA's driver {version} answers. It can run programs made for CUDA {cuda} or"
            " older.",
            version=source.driver_version or "?",
            cuda=source.cuda_version or "?",
        )
    elif trouble is None:
        topic.fine("The driver was not asked, since that would wake the card.")
    elif not (library or chosen or module) and all(
        each.driver == "vfio-pci" for each in probe.nvidia_on_the_bus
    ):
        _without_driver(topic, probe)
    elif chosen:
        unset = Message("Unset GPUEXPLORER_NVML, so that the driver's own library is found.")
        topic.broken(trouble.sentence, _of_use(trouble) or unset)
    else:
        look = Message(
            "Look for 'NVRM' in the system log (`sudo dmesg`), and restart the computer."
        )
        cause = _likely_cause(probe, facts)
        topic.details = [cause.sentence] if cause.sentence else []
        topic.broken(trouble.sentence, cause.hint or _of_use(trouble) or look)
    if module:
        topic.detail("Kernel module {version}.", version=module)
    if chosen:
        topic.detail("Library chosen by GPUEXPLORER_NVML: {path}.", path=chosen)
    elif library:
        topic.detail("Library {path}.", path=facts["library"])


def _of_use(trouble: Trouble) -> Message:
    """The doctor sends nobody to the doctor."""
    return NOTHING if trouble.hint in (INSTALL_IT, ASK_THE_DOCTOR) else trouble.hint


def _without_driver(topic: Topic, probe: Probe) -> None:
    """Where there is nothing of a driver, and no card that would need one."""
    if WSL in probe.inside:
        topic.look(
            "Windows lends no NVIDIA driver to this Linux.",
            "If there is an NVIDIA card, install NVIDIA's driver in Windows, not in Linux.",
        )
    elif probe.nvidia_on_the_bus:
        topic.look(
            "The NVIDIA card is set aside for a virtual machine (vfio-pci).",
            "Run GPU Explorer in the virtual machine, or give the card back to this system.",
        )
    elif probe.on_the_bus is not None:
        topic.fine("There is no NVIDIA driver, and no NVIDIA card that would need one.")
    else:
        topic.look(
            "There is no NVIDIA driver here.",
            "If there is an NVIDIA card: {install}",
            install=_INSTALL,
        )


def _likely_cause(probe: Probe, facts: Mapping[str, Any]) -> Trouble:
    """What the files say beside the driver, and what to do; empty where they say nothing."""
    ours, module, library = probe.nvidia_on_the_bus, probe.module, facts["library"]
    if probe.platform == "win32" or probe.exists("/dev/dxg"):
        return Trouble("")
    if module and facts["library_version"] not in (None, module):
        return Trouble(
            "The driver was updated while it runs:"
            " the kernel still has {module_version}, the library is {library_version} already.",
            "Restart the computer.",
            **facts,
        )
    if any(each.driver == "nouveau" for each in ours):
        return Trouble(
            "The NVIDIA card is held by nouveau, the open driver, which answers no questions.",
            _INSTALL,
        )
    if not ours and probe.on_the_bus is not None:
        off = Message(
            "If there is one, it may be switched off: look in the laptop's graphics settings."
        )
        return Trouble("No NVIDIA card is on the PCI bus.", off if module else NOTHING)
    if module and not library:
        install = Message(
            "Install the package with NVIDIA's tools (nvidia-utils, or libnvidia-ml1)"
            " of the version {module_version}.",
            **facts,
        )
        return Trouble(
            "The kernel has NVIDIA's driver {module_version}, but its library was not found.",
            _how_to_lend(probe) or install,
            **facts,
        )
    if module:
        return Trouble("")
    if not (library or facts["package_found"]):
        return Trouble("There is no NVIDIA driver for the card.", _INSTALL)
    if probe.inside:
        return Trouble(
            "The computer outside has not loaded NVIDIA's kernel module.",
            "Load it there: `sudo modprobe nvidia`.",
        )
    idle = Message("NVIDIA's driver is installed, but its kernel module is not loaded.")
    running = (probe.read("/proc/sys/kernel/osrelease") or "").strip()
    # DKMS names its folders kernel-RELEASE-ARCHITECTURE.
    built_for = "/var/lib/dkms/nvidia/kernel-"
    if probe.all(f"{built_for}*") and not probe.all(f"{built_for}{running}-*"):
        other = Message("It was not built for the kernel that runs, {kernel}.", kernel=running)
        return Trouble(
            told(idle, other),
            "Install this kernel's headers, then run: `sudo dkms autoinstall`",
        )
    if facts["secure_boot"]:
        return Trouble(
            idle,
            "Secure Boot is on and refuses modules that nobody signed. Enrol the key that"
            " signed it with `sudo mokutil --import`, as your system's driver package says, and"
            " restart.",
        )
    return Trouble(idle, "Run `sudo modprobe nvidia` and read what it says if it refuses.")


def permissions(topic: Topic, probe: Probe) -> None:
    """Whether this user may use the device files of NVIDIA's driver."""
    if probe.platform != "linux":
        topic.fine("This system asks for no special permission.")
        return
    files = probe.all("/dev/dxg", "/dev/nvidia-uvm", "/dev/nvidia[0-9]*", "/dev/nvidiactl")
    groups = {name: _group(probe.at(name)) for name in files}
    refused = [name for name in files if not probe.may_use(probe.at(name))]
    topic.facts = {
        "files": {
            name: {"usable": name not in refused, "group": group}
            for name, group in groups.items()
        },
        "groups": probe.groups,
    }
    if files and probe.groups:
        member = Message.counted(
            "This user is in the group {groups}.",
            "This user is in the groups {groups}.",
            len(probe.groups),
            groups=all_of(probe.groups),
        )
        topic.details = [member]
    lend = _how_to_lend(probe) or Message("Run: `sudo nvidia-modprobe -u -c 0`")
    if not files and probe.module is None:
        topic.fine("There are no device files of NVIDIA's driver, so nothing needs permission.")
    elif not files:
        topic.broken(
            "NVIDIA's driver is loaded, but its device files (/dev/nvidia*) are missing.", lend
        )
    elif refused:
        owners = ",".join(sorted({groups[name] for name in refused} - {"root"}))
        join = Message(
            "Run `sudo usermod -aG {groups} $USER`, then log out and in again.", groups=owners
        )
        ask = Message("Ask an administrator for access to these files.")
        topic.broken(
            "This user may not read and write {files}.",
            join if owners else ask,
            files=all_of(refused),
        )
    elif not {_UVM, "/dev/dxg"} & {*files}:
        topic.look(
            "{file} is missing. The card can be watched, but CUDA cannot start without it.",
            lend,
            file=_UVM,
        )
    else:
        may = Message.counted(
            "This user may use the one device file there is.",
            "This user may use all {count} device files.",
            len(files),
        )
        topic.fine(may)


def _group(path: Path) -> str:
    try:
        return path.group()
    except KeyError:  # a container knows no name for a group of the computer outside
        return str(path.stat().st_gid)


def container(topic: Topic, probe: Probe) -> None:
    """Whether this runs inside another system, and what that hides from it."""
    kinds, answer = probe.inside, probe.answer
    if not kinds:
        topic.fine("Not in a container.")
        return
    try:
        sees_all = str(probe.at("/proc/self/ns/pid").readlink()) == _FIRST_NAMESPACE
    except OSError:
        sees_all = None
    topic.facts = {"kinds": kinds, "sees_all_processes": sees_all}
    topic.fine("This runs inside {systems}.", systems=all_of(kinds))
    lent = answer.seen or answer.asleep
    boxed = kinds != [WSL]
    # The kernel is shared with the computer outside, so its module can be seen from here.
    if boxed and not lent and probe.module:
        not_lent = Message("The computer has an NVIDIA driver, but the card is not lent to it.")
        topic.broken(told(topic.sentence, not_lent), _how_to_lend(probe))
    elif boxed and sees_all is False:
        nameless = Message("Programs outside cannot be seen, so those on a card have no names.")
        do = Message("Start the container with `--pid=host` to see the names of all programs.")
        if "Flatpak" in kinds:
            do = Message(
                "Use a GPU Explorer that is not installed as a Flatpak to see the names."
            )
        topic.look(told(topic.sentence, nameless), do)
    if WSL in kinds:
        topic.detail("Windows owns the driver here and does not pass on every reading.")
    if boxed and sees_all:
        topic.detail("Programs outside it can be seen, so those on a card have names.")


def _how_to_lend(probe: Probe) -> Message:
    """Empty where this is no container."""
    ways = {
        "Podman": Message("Start the container with `--device nvidia.com/gpu=all`."),
        "Kubernetes": Message("Ask for nvidia.com/gpu in the pod's resource limits."),
        "LXC": Message("Add a device of the type gpu to the container."),
        WSL: NOTHING,
    }
    usual = Message("Start the container with `--gpus all`.")
    return ways.get(probe.inside[-1], usual) if probe.inside else NOTHING
