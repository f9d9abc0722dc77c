"""NVIDIA's cards and driver: whether they are there and answer; and whether this user, or the
container that this runs in, is let near them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gpuexplorer.commands.checkup.probe import WSL, Probe, Topic, group_name
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardState, remedy
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, INSTALL_IT
from gpuexplorer.telemetry.card_course import state_of, why_no_figures
from gpuexplorer.telemetry.looked_for import VENDORS, driver_library, plain_bus_id
from gpuexplorer.telemetry.session import Session

_INSTALL = Message(
    "If there is an NVIDIA card, install its driver with the tool of your system, then restart"
    " the computer."
)
_CARD_FACTS = (
    *("index", "name", "memory_bytes", "compute_capability", "bus_id", "cuda_index"),
)
_UVM = "/dev/nvidia-uvm"
# The number Linux gives the first process namespace, the one that sees everybody.
_FIRST_NAMESPACE = "pid:[4026531836]"


def cards(topic: Topic, probe: Probe) -> None:
    """Those that answer, and those that are plugged in and do not."""
    bus, ours = probe.on_the_bus, probe.nvidia_on_the_bus
    session, seen, answering = probe.session, probe.seen, probe.cards
    dead = [card for card in seen if card not in answering]
    readings = filter(None, (session.reading(card.id) for card in answering))
    blind = {
        each.card: why
        for each in readings
        if (why := why_no_figures(each.values, each.missing))
    }
    known = {plain_bus_id(card.bus_id or "") for card in seen} - {""}
    held = [each for each in ours if each.driver == "nvidia"]
    silent = [each for each in held if known and plain_bus_id(each.bus_id) not in known]
    plugged = ("bus_id", "name", "driver", "asleep")
    topic.facts = {
        "answering": [_facts_of(card, _CARD_FACTS) for card in answering],
        "no_figures": {card: why.sentence for card, why in blind.items()},
        "silent": [_facts_of(card, _CARD_FACTS) for card in dead],
        "on_the_pci_bus": bus
        and [
            {
                "vendor": VENDORS.get(one.vendor_id, one.vendor_id),
                "pci_id": f"{one.vendor_id}:{one.device_id}",
                **_facts_of(one, plugged),
            }
            for one in bus
        ],
    }
    others = [each.sentence for each in bus or () if probe.asleep or each not in ours]
    lost = [each.sentence for each in silent]
    topic.details = [*(_described(card, session) for card in seen), *lost]
    if probe.asleep:
        topic.details += others
        topic.fine(
            Message.counted(
                "The NVIDIA card is asleep to save power. It was not woken to be asked.",
                "All {count} NVIDIA cards are asleep to save power, and were not woken.",
                len(ours),
            ),
            "Check again while a program uses the card to learn more.",
        )
    elif ours and not seen:
        topic.broken(
            Message.counted(
                "There is {count} NVIDIA card, and no driver answers for it.",
                "There are {count} NVIDIA cards, and no driver answers for them.",
                len(ours),
            ),
            "See what is said about the driver.",
        )
    elif not seen:
        hidden = "No NVIDIA card answers, and the PCI bus cannot be seen from here."
        topic.look(
            hidden if bus is None else "There is no NVIDIA card.",
            "To see everything without a card, start `gpuexplorer --simulate 2xH100`.",
        )
    elif dead or silent:
        topic.broken(
            "{number} of {plugged} NVIDIA cards answer.",
            _wake({card.denied for card in dead}),
            number=len(answering),
            plugged=max(len(seen), len(held)),
        )
    else:
        topic.details += [*session.notes(), *others]
        topic.fine(
            Message.counted(
                "{count} NVIDIA card answers.", "{count} NVIDIA cards answer.", len(seen)
            )
        )
    if blind and not (dead or silent):
        without = Message("Without a usable figure: {count}.", count=len(blind))
        do = Message(
            "Compare with `nvidia-smi -q`. If that says no more, restart the computer, then"
            " install another version of the driver."
        )
        if {*blind.values()} == {Absence.NO_PERMISSION}:
            do = remedy(Absence.NO_PERMISSION)
        topic.look(told(topic.sentence, without), do)


def _facts_of(one: object, names: Sequence[str]) -> Mapping[str, Any]:
    return {name: getattr(one, name) for name in names}


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


def _described(card: Card, session: Session) -> Message:
    reading = session.reading(card.id)
    how = card.cuda_reason if card.denied else session.state_sentence(card.id)
    if not card.denied and reading and state_of(reading) == CardState.WORKING:
        how = Message("PyTorch calls it cuda:{index}", index=card.cuda_index)
        if card.cuda_index is None:
            how = Message("its number in PyTorch is not sure: {why}", why=card.cuda_reason)
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


def driver(topic: Topic, probe: Probe) -> None:
    """Whether NVIDIA's driver is there, is whole, and answers; and if not, why not."""
    if probe.platform == "darwin":
        topic.fine("macOS has no driver for NVIDIA cards; nothing is missing here.")
        return
    source, library, module = probe.session.source, driver_library(probe), probe.module
    trouble = next(iter(probe.session.stream.attempts), None)
    chosen = probe.environment.get("GPUEXPLORER_NVML") if probe.platform == "linux" else None
    said = re.search(r"\.so\.(\d+\.\d+(\.\d+)?)$", library.resolve().name if library else "")
    secure_boot = probe.all("/sys/firmware/efi/efivars/SecureBoot-*")
    # The source or build folder that a driver package leaves behind.
    package = probe.all("/usr/src/nvidia*", "/var/lib/dkms/nvidia*")
    facts = topic.facts = {
        "driver_version": source.driver_version,
        "cuda_version": source.cuda_version,
        "read_through": source.label if source.cards else None,
        "module_version": module,
        "library": probe.shown(library) if library else None,
        "library_version": said[1] if said else None,
        "library_chosen": chosen,
        "nouveau_loaded": probe.exists("/sys/module/nouveau"),
        "package_found": package[0] if package else None,
        "secure_boot": bool(probe.found(secure_boot[0], "(\1)$")) if secure_boot else None,
    }
    ours, something = probe.nvidia_on_the_bus, library or chosen or module
    if source.cards:
        topic.detail("How it was read: {source}.", source=source.label)
        topic.fine(
            "NVIDIA's driver {version} answers. It can run programs made for CUDA {cuda} or"
            " older.",
            version=source.driver_version or "?",
            cuda=source.cuda_version or "?",
        )
    elif trouble is None:
        topic.fine("The driver was not asked, since that would wake the card.")
    elif something or any(each.driver != "vfio-pci" for each in ours):
        topic.broken(trouble.sentence, _way_out(probe, facts, trouble.hint))
    elif ours or probe.on_the_bus is None or WSL in probe.inside:
        topic.look("There is no NVIDIA driver here.", _way_out(probe, facts, trouble.hint))
    else:
        topic.fine("There is no NVIDIA driver, and no NVIDIA card that would need one.")
    if module:
        topic.detail("Kernel module {version}.", version=module)
    if chosen:
        topic.detail("Library chosen by GPUEXPLORER_NVML: {path}.", path=chosen)
    elif library:
        version = said[1] if said else "?"
        topic.detail(
            "Library {path}, version {version}.", path=facts["library"], version=version
        )


def _way_out(probe: Probe, facts: Mapping[str, Any], hint: Message) -> Message:
    """What the files beside the driver suggest, or else the `hint` of the driver's refusal."""
    ours, module, library = probe.nvidia_on_the_bus, probe.module, facts["library"]
    look = Message(
        "Look for 'NVRM' in the system log (`sudo dmesg`), and restart the computer."
    )
    # The doctor sends nobody to the doctor.
    own = NOTHING if hint in (INSTALL_IT, ASK_THE_DOCTOR) else hint
    if facts["library_chosen"]:
        return own or Message(
            "Unset GPUEXPLORER_NVML, so that the driver's own library is found."
        )
    if WSL in probe.inside and not library:
        return Message("NVIDIA's driver is installed in Windows, and lends its card to Linux.")
    if ours and all(each.driver == "vfio-pci" for each in ours):
        return Message(
            "The card is set aside for a virtual machine (vfio-pci): run GPU Explorer in that,"
            " or give the card back to this system."
        )
    if not ours and probe.on_the_bus is not None and module:
        return Message("The card may be switched off: look in the laptop's graphics settings.")
    if module and not library:
        return _how_to_lend(probe) or Message(
            "Install the package with NVIDIA's tools (nvidia-utils, or libnvidia-ml1)"
            " of the version {version}.",
            version=module,
        )
    if facts["nouveau_loaded"] or not (library or facts["package_found"]):
        return own or _INSTALL
    if module or not ours:
        return own or look
    if probe.inside:
        return Message("Load the driver on the computer outside: `sudo modprobe nvidia`.")
    running = (probe.read("/proc/sys/kernel/osrelease") or "").strip()
    # DKMS names its folders kernel-RELEASE-ARCHITECTURE.
    built_for = "/var/lib/dkms/nvidia/kernel-"
    if probe.all(f"{built_for}*") and not probe.all(f"{built_for}{running}-*"):
        return Message(
            "The driver was not built for the kernel that runs, {kernel}: install this kernel's"
            " headers, then run: `sudo dkms autoinstall`",
            kernel=running,
        )
    if facts["secure_boot"]:
        return Message(
            "Secure Boot is on and refuses modules that nobody signed. Enrol the key that"
            " signed it with `sudo mokutil --import`, as your system's driver package says, and"
            " restart."
        )
    return Message("Run `sudo modprobe nvidia` and read what it says if it refuses.")


def permissions(topic: Topic, probe: Probe) -> None:
    """Whether this user may use the device files of NVIDIA's driver."""
    if probe.platform != "linux":
        topic.fine("This system asks for no special permission.")
        return
    files = {
        name: {
            "usable": probe.may_use(probe.at(name)),
            "group": group_name(probe.at(name).stat().st_gid),
        }
        for name in probe.all("/dev/dxg", _UVM, "/dev/nvidia[0-9]*", "/dev/nvidiactl")
    }
    refused = [name for name, each in files.items() if not each["usable"]]
    owners = sorted({str(files[name]["group"]) for name in refused} - {"root"})
    topic.facts = {"files": files, "groups": probe.groups}
    lend = _how_to_lend(probe) or "Run: `sudo nvidia-modprobe -u -c 0`"
    if not files and probe.module is None:
        topic.fine("There are no device files of NVIDIA's driver, so nothing needs permission.")
    elif owners:
        topic.broken(
            "This user may not read and write {files}.",
            "Run `sudo usermod -aG {groups} $USER`, then log out and in again.",
            files=all_of(refused),
            groups=",".join(owners),
        )
    elif refused:
        topic.broken(
            "This user may not read and write {files}.",
            "Ask an administrator for access to these files.",
            files=all_of(refused),
        )
    elif not files:
        topic.broken(
            "NVIDIA's driver is loaded, but its device files (/dev/nvidia*) are missing.", lend
        )
    elif not {_UVM, "/dev/dxg"} & {*files}:
        topic.look(
            "{file} is missing. The card can be watched, but CUDA cannot start without it.",
            lend,
            file=_UVM,
        )
    else:
        topic.fine("This user may use all device files ({count}).", count=len(files))


def container(topic: Topic, probe: Probe) -> None:
    """Whether this runs inside another system, and what that hides from it."""
    kinds = probe.inside
    if not kinds:
        topic.fine("Not in a container.")
        return
    try:
        sees_all = str(probe.at("/proc/self/ns/pid").readlink()) == _FIRST_NAMESPACE
    except OSError:
        sees_all = None
    topic.facts = {"kinds": kinds, "sees_all_processes": sees_all}
    topic.fine("This runs inside {systems}.", systems=all_of(kinds))
    boxed = kinds != [WSL]
    # The kernel is shared with the computer outside, so its module can be seen from here.
    if boxed and probe.module and not (probe.seen or probe.asleep):
        not_lent = Message("The computer has an NVIDIA driver, but the card is not lent to it.")
        topic.broken(told(topic.sentence, not_lent), _how_to_lend(probe))
    elif boxed and sees_all is False:
        nameless = Message("Programs outside cannot be seen, so those on a card have no names.")
        do = "Start the container with `--pid=host` to see the names of all programs."
        if "Flatpak" in kinds:
            do = "Use a GPU Explorer that is not installed as a Flatpak to see the names."
        topic.look(told(topic.sentence, nameless), do)
    if WSL in kinds:
        topic.detail("Windows owns the driver here and does not pass on every reading.")


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
