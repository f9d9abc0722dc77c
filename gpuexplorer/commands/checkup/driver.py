"""NVIDIA's cards and driver: whether they are there and answer; and whether this user, or the
container that this runs in, is let near them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpuexplorer.commands.checkup.probe import (
    BROKEN,
    FINE,
    LOOK,
    Answer,
    Fact,
    Judged,
    Probe,
    Subject,
    Topic,
)
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardState, remedy
from gpuexplorer.core.words import NOTHING, Message, all_of, told
from gpuexplorer.telemetry.backend import (
    ASK_THE_DOCTOR,
    BEHIND_A_LOST_ONE,
    FASTEST_FIRST,
    INSTALL_IT,
)
from gpuexplorer.telemetry.looked_for import (
    VENDORS,
    Place,
    driver_library,
    module_version,
    plain_bus_id,
)

_FALLEN = Message(
    "Look for 'Xid' or 'fallen off the bus' in the system log (`sudo dmesg`),"
    " check the power cables, and restart the computer."
)
_INSTALL = Message(
    "Install NVIDIA's driver with the tool of your system, then restart the computer."
)
# Windows keeps no files to read this from.
_ASK_WINDOWS = (
    *("powershell.exe", "-NoProfile", "-NonInteractive", "-Command"),
    "(Get-CimInstance Win32_VideoController).Name | ConvertTo-Json -Compress",
)
_MAKE_FILES = Message("Run: `sudo nvidia-modprobe -u -c 0`")
_UVM = "/dev/nvidia-uvm"
_WSL = "WSL"
# The number Linux gives the first process namespace, the one that sees everybody.
_FIRST_NAMESPACE = "pid:[4026531836]"


def cards(probe: Probe, answer: Answer) -> Topic:
    """Those that answer, and those that are plugged in and do not."""
    on_the_bus, ours = answer.on_the_bus or (), answer.nvidia_on_the_bus
    details: list[str] = [_described(card, answer) for card in answer.cards]
    number = len(answer.answering)
    dead = [card for card in answer.cards if card not in answer.answering]
    blind = {card.id: why for card in answer.cards if (why := answer.no_figures(card))}
    seen = [
        {
            "bus_id": each.bus_id,
            "vendor": VENDORS.get(each.vendor_id, each.vendor_id),
            "pci_id": f"{each.vendor_id}:{each.device_id}",
            "name": each.name,
            "driver": each.driver,
            "asleep": each.asleep,
        }
        for each in on_the_bus
    ]
    facts: dict[str, Fact] = {
        "answering": [_facts_of(card) for card in answer.answering],
        "no_figures": {card: why.sentence for card, why in blind.items()},
        "silent": [_facts_of(card) for card in dead],
        "on_the_pci_bus": None if answer.on_the_bus is None else seen,
    }
    known = {plain_bus_id(card.bus_id) for card in answer.cards if card.bus_id}
    held = [each for each in ours if each.driver == "nvidia"]
    silent = [each for each in held if known and plain_bus_id(each.bus_id) not in known]
    judged: Judged
    if answer.asleep:
        details += [each.sentence for each in on_the_bus]
        sleeping = Message.counted(
            "The NVIDIA card is asleep to save power. It was not woken to be asked.",
            "All {count} NVIDIA cards are asleep to save power, and were not woken.",
            len(ours),
        )
        later = Message("Check again while a program uses the card to learn more.")
        judged = FINE, sleeping, later
    elif not answer.cards and ours:
        unanswered = Message.counted(
            "There is {count} NVIDIA card, and no driver answers for it.",
            "There are {count} NVIDIA cards, and no driver answers for them.",
            len(ours),
        )
        judged = BROKEN, unanswered, Message("See what is said about the driver.")
    elif not answer.cards:
        none = Message("There is no NVIDIA card.")
        if answer.on_the_bus is None:
            none = Message("No NVIDIA card answers, and the PCI bus cannot be seen from here.")
        if named := _known_to_windows(probe) if probe.platform == "win32" else []:
            none = Message("No NVIDIA card answers. Windows knows these graphics cards:")
            facts["windows_names"] = details = named
        simulated = Message(
            "To see everything without a card, start `gpuexplorer --simulate 2xH100`."
        )
        judged = LOOK, none, simulated
    elif dead or silent:
        details += [each.sentence for each in silent]
        some = Message(
            "{number} of {plugged} NVIDIA cards answer.",
            number=number,
            plugged=max(len(answer.cards), len(held)),
        )
        judged = BROKEN, some, _wake(dead)
    else:
        details += [*answer.notes, *(each.sentence for each in on_the_bus if each not in ours)]
        sentence = Message.counted(
            "{count} NVIDIA card answers.", "{count} NVIDIA cards answer.", number
        )
        judged = FINE, sentence, NOTHING
        if blind:
            without = Message.counted(
                "{count} of them gives no usable figure.",
                "{count} of them give no usable figure.",
                len(blind),
            )
            do = Message("Compare with `nvidia-smi -q`; a newer driver may report more.")
            if set(blind.values()) == {Absence.NO_PERMISSION}:
                do = remedy(Absence.NO_PERMISSION)
            elif set(blind.values()) == {Absence.IMPOSSIBLE}:
                do = Message(
                    "Restart the computer; if it stays so, install another version of the"
                    " driver."
                )
            judged = LOOK, told(sentence, without), do
    return Topic(Subject.CARDS, *judged, details, facts)


def _known_to_windows(probe: Probe) -> list[str]:
    ran = probe.run_program(_ASK_WINDOWS, 10.0)
    try:
        named = json.loads(ran.text) if ran.code == 0 else []
    except ValueError:
        return []
    return [named] if isinstance(named, str) else list(map(str, named))


def _wake(dead: Sequence[Card]) -> Message:
    """The usual words for a card that is not supported send a person to the doctor."""
    whys = {card.denied for card in dead} - {None, Absence.LOST}
    if whys == {Absence.NOT_SUPPORTED}:
        return Message(
            "The card may be too new for this driver, which an update mends, or too old for"
            " it: then install an older driver; NVIDIA's list says which was the last for it."
        )
    return remedy(whys.pop()) or _FALLEN if len(whys) == 1 else _FALLEN


def _described(card: Card, answer: Answer) -> Message:
    state, no_figures = answer.state(card), answer.no_figures(card)
    how = Message("PyTorch calls it cuda:{index}", index=card.cuda_index)
    if card.denied is not None:
        how = card.cuda_reason
    elif state is not CardState.WORKING:
        how = state.sentence
    elif no_figures is not None:
        how = Message("no usable figure: {why}", why=no_figures.sentence)
    elif card.cuda_reason in (FASTEST_FIRST, BEHIND_A_LOST_ONE):
        how = Message("its number in PyTorch is not certain")  # a note says why
    elif card.cuda_index is None:
        how = Message("PyTorch cannot use it: {reason}", reason=card.cuda_reason)
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


def _facts_of(card: Card) -> Mapping[str, Fact]:
    return {
        "index": card.index,
        "name": card.name,
        "memory_bytes": card.memory_bytes,
        "compute_capability": card.compute_capability,
        "bus_id": card.bus_id,
        "cuda_index": card.cuda_index,
    }


def driver(probe: Probe, answer: Answer) -> Topic:
    """Whether NVIDIA's driver is there, is whole, and answers; and if not, why not."""
    if probe.platform == "darwin":
        nothing_missing = Message(
            "macOS has no driver for NVIDIA cards; nothing is missing here."
        )
        return Topic(Subject.DRIVER, FINE, nothing_missing)
    library, module, source = driver_library(probe), module_version(probe), answer.source
    chosen = probe.environment.get("GPUEXPLORER_NVML") if probe.platform == "linux" else None
    details = [Message("How it was read: {source}.", source=source.label)] if source else []
    details += [Message("Kernel module {version}.", version=module)] if module else []
    if chosen:
        details.append(Message("Library chosen by GPUEXPLORER_NVML: {path}.", path=chosen))
    elif library:
        details.append(Message("Library {path}.", path=probe.shown(library)))
    judged: Judged
    if source is not None:
        answers = Message(
            "NVIDIA's driver {version} answers. It can run programs made for CUDA {cuda} or"
            " older.",
            version=source.driver_version or "?",
            cuda=source.cuda_version or "?",
        )
        judged = FINE, answers, NOTHING
    elif answer.asleep:
        unasked = Message("The driver was not asked, since that would wake the card.")
        judged = FINE, unasked, NOTHING
    elif not (library or chosen or module) and all(
        each.driver == "vfio-pci" for each in answer.nvidia_on_the_bus
    ):
        judged = _nobody_expected(probe, answer)
    else:
        assert answer.trouble is not None
        cause, do = (NOTHING, NOTHING) if chosen else _likely_cause(probe, answer, library)
        details = [*([cause] if cause else []), *details]
        read_on = Message(
            "Look for 'NVRM' in the system log (`sudo dmesg`), and restart the computer."
        )
        if chosen:
            read_on = Message(
                "Unset GPUEXPLORER_NVML, so that the driver's own library is found."
            )
        hint = answer.trouble.hint
        if hint in (INSTALL_IT, ASK_THE_DOCTOR):  # the doctor sends nobody to the doctor
            hint = NOTHING
        judged = BROKEN, answer.trouble.sentence, do or hint or read_on
    facts = {
        "driver_version": source.driver_version if source else None,
        "cuda_version": source.cuda_version if source else None,
        "read_through": source.label if source else None,
        "module_version": module,
        "library": probe.shown(library) if library else None,
        "library_version": _library_version(library),
        "library_chosen": chosen,
        "nouveau_loaded": probe.exists("/sys/module/nouveau"),
        "package_found": _package(probe),
        "secure_boot": _secure_boot(probe),
    }
    return Topic(Subject.DRIVER, *judged, details, facts)


def _nobody_expected(probe: Probe, answer: Answer) -> Judged:
    """Where there is nothing of a driver, and no card that would need one."""
    install = Message("If there is an NVIDIA card: {install}", install=_INSTALL)
    none = Message("There is no NVIDIA driver here.")
    if _WSL in surroundings(probe):
        none = Message("Windows lends no NVIDIA driver to this Linux.")
        install = Message(
            "If there is an NVIDIA card, install NVIDIA's driver in Windows, not in Linux."
        )
    elif answer.nvidia_on_the_bus:
        none = Message("The NVIDIA card is set aside for a virtual machine (vfio-pci).")
        install = Message(
            "Run GPU Explorer in the virtual machine, or give the card back to this system."
        )
    elif answer.on_the_bus is not None:
        none = Message("There is no NVIDIA driver, and no NVIDIA card that would need one.")
        return FINE, none, NOTHING
    return LOOK, none, install


def _likely_cause(
    probe: Probe, answer: Answer, library: Path | None
) -> tuple[Message, Message]:
    """What the files say beside the driver, and what to do; empty where they say nothing."""
    if probe.platform == "win32" or probe.exists("/dev/dxg"):
        return NOTHING, NOTHING
    module, version = module_version(probe), _library_version(library)
    if module and version and module != version:
        updated = Message(
            "The driver was updated while it runs:"
            " the kernel still has {module}, the library is {library} already.",
            module=module,
            library=version,
        )
        return updated, Message("Restart the computer.")
    ours = answer.nvidia_on_the_bus
    if any(each.driver == "nouveau" for each in ours):
        held = Message(
            "The NVIDIA card is held by nouveau, the open driver, which answers no questions."
        )
        return held, _INSTALL
    if not ours and answer.on_the_bus is not None:
        perhaps = Message(
            "If there is one, it may be switched off: look in the laptop's graphics settings."
        )
        none = Message("No NVIDIA card is on the PCI bus.")
        return none, perhaps if module else NOTHING
    if not module:
        return _without_module(probe, library)
    if library is None:
        missing = Message(
            "The kernel has NVIDIA's driver {version}, but its library was not found.",
            version=module,
        )
        install = Message(
            "Install the package with NVIDIA's tools (nvidia-utils, or libnvidia-ml1)"
            " of the version {version}.",
            version=module,
        )
        return missing, how_to_lend(surroundings(probe)) or install
    return NOTHING, NOTHING


def _without_module(probe: Probe, library: Path | None) -> tuple[Message, Message]:
    if library is None and _package(probe) is None:
        return Message("There is no NVIDIA driver for the card."), _INSTALL
    if surroundings(probe):
        outside = Message("The computer outside has not loaded NVIDIA's kernel module.")
        return outside, Message("Load it there: `sudo modprobe nvidia`.")
    sentence = Message("NVIDIA's driver is installed, but its kernel module is not loaded.")
    # DKMS names its folders kernel-RELEASE-ARCHITECTURE.
    built_for = [entry.name for entry in probe.entries("/var/lib/dkms/nvidia")]
    built_for = [name for name in built_for if name.startswith("kernel-")]
    running = (probe.read("/proc/sys/kernel/osrelease") or "").strip()
    if built_for and not any(name.startswith(f"kernel-{running}-") for name in built_for):
        other = Message("It was not built for the kernel that runs, {kernel}.", kernel=running)
        do = Message("Install this kernel's headers, then run: `sudo dkms autoinstall`")
        return told(sentence, other), do
    if _secure_boot(probe):
        return sentence, Message(
            "Secure Boot is on and refuses modules that nobody signed. Enrol the key that"
            " signed it with `sudo mokutil --import`, as your system's driver package says, and"
            " restart."
        )
    load = Message("Run `sudo modprobe nvidia` and read what it says if it refuses.")
    return sentence, load


def _package(place: Place) -> str | None:
    """The source or build folder that a driver package leaves behind."""
    folders = [*place.entries("/usr/src"), *place.entries("/var/lib/dkms")]
    return next((place.shown(e) for e in folders if e.name.startswith("nvidia")), None)


def _library_version(library: Path | None) -> str | None:
    """From the name of the file that libnvidia-ml.so.1 stands for."""
    try:
        name = "" if library is None else library.readlink().name
    except OSError:
        return None
    version = re.fullmatch(r"libnvidia-ml\.so\.(\d+\.\d+(?:\.\d+)?)", name)
    return version.group(1) if version else None


def _secure_boot(place: Place) -> bool | None:
    for entry in place.entries("/sys/firmware/efi/efivars"):
        if entry.name.startswith("SecureBoot-"):
            said = place.read(place.shown(entry))
            return said.endswith("\1") if said else None
    return None


def permissions(probe: Probe, _: Answer) -> Topic:
    """Whether this user may use the device files of NVIDIA's driver."""
    if probe.platform != "linux":
        free = Message("This system asks for no special permission.")
        return Topic(Subject.PERMISSIONS, FINE, free)
    nodes = {
        probe.shown(path): path
        for path in probe.entries("/dev")
        if re.fullmatch(r"nvidia\d+|nvidiactl|nvidia-uvm|dxg", path.name)
    }
    refused = [name for name, path in nodes.items() if not probe.may_use(path)]
    facts: dict[str, Fact] = {
        "files": {
            name: {"usable": name not in refused, "group": _group(path)}
            for name, path in nodes.items()
        },
        "groups": probe.groups,
    }
    details = []
    if nodes and probe.groups:
        member = Message.counted(
            "This user is in the group {groups}.",
            "This user is in the groups {groups}.",
            len(probe.groups),
            groups=all_of(probe.groups),
        )
        details.append(member)
    lend = how_to_lend(surroundings(probe)) or _MAKE_FILES
    judged: Judged
    if not nodes and module_version(probe) is None:
        nothing = Message(
            "There are no device files of NVIDIA's driver, so nothing needs permission."
        )
        judged = FINE, nothing, NOTHING
    elif not nodes:
        missing = Message(
            "NVIDIA's driver is loaded, but its device files (/dev/nvidia*) are missing."
        )
        judged = BROKEN, missing, lend
    elif refused:
        owners = ",".join(sorted({_group(nodes[name]) for name in refused} - {"root"}))
        join = Message(
            "Run `sudo usermod -aG {groups} $USER`, then log out and in again.", groups=owners
        )
        ask = Message("Ask an administrator for access to these files.")
        may_not = Message("This user may not read and write {files}.", files=all_of(refused))
        judged = BROKEN, may_not, join if owners else ask
    elif not probe.exists(_UVM) and not probe.exists("/dev/dxg"):
        watched = Message(
            "{file} is missing. The card can be watched, but CUDA cannot start without it.",
            file=_UVM,
        )
        judged = LOOK, watched, lend
    else:
        may = Message.counted(
            "This user may use the one device file there is.",
            "This user may use all {count} device files.",
            len(nodes),
        )
        judged = FINE, may, NOTHING
    return Topic(Subject.PERMISSIONS, *judged, details, facts)


def _group(path: Path) -> str:
    try:
        return path.group()
    except KeyError:  # a container knows no name for a group of the computer outside
        return str(path.stat().st_gid)


def container(probe: Probe, answer: Answer) -> Topic:
    """Whether this runs inside another system, and what that hides from it."""
    kinds = surroundings(probe) if probe.platform == "linux" else []
    if not kinds:
        return Topic(Subject.CONTAINER, FINE, Message("Not in a container."))
    inside = Message("This runs inside {systems}.", systems=all_of(kinds))
    boxed = kinds != [_WSL]
    try:
        sees_all = str(probe.at("/proc/self/ns/pid").readlink()) == _FIRST_NAMESPACE
    except OSError:
        sees_all = None
    judged: Judged = FINE, inside, NOTHING
    # The kernel is shared with the computer outside, so its module can be seen from here.
    if boxed and not answer.cards and not answer.asleep and module_version(probe):
        not_lent = Message("The computer has an NVIDIA driver, but the card is not lent to it.")
        judged = BROKEN, told(inside, not_lent), how_to_lend(kinds)
    elif boxed and sees_all is False:
        nameless = Message("Programs outside cannot be seen, so those on a card have no names.")
        do = Message("Start the container with `--pid=host` to see the names of all programs.")
        if "Flatpak" in kinds:
            do = Message(
                "Use a GPU Explorer that is not installed as a Flatpak to see the names."
            )
        judged = LOOK, told(inside, nameless), do
    details = []
    if _WSL in kinds:
        details = [Message("Windows owns the driver here and does not pass on every reading.")]
    if boxed and sees_all:
        details.append(
            Message("Programs outside it can be seen, so those on a card have names.")
        )
    facts = {"kinds": kinds, "sees_all_processes": sees_all}
    return Topic(Subject.CONTAINER, *judged, details, facts)


def surroundings(place: Place) -> list[str]:
    """Which systems this one runs inside of, by the names people know them by."""
    cgroup = place.read("/proc/1/cgroup") or ""
    named = place.environment.get("container") or place.read("/run/systemd/container") or ""
    boxes = {
        "Flatpak": place.exists("/.flatpak-info"),
        "Kubernetes": "KUBERNETES_SERVICE_HOST" in place.environment or "kubepods" in cgroup,
        "Docker": place.exists("/.dockerenv") or "docker" in cgroup,
        "Podman": place.exists("/run/.containerenv"),
        "LXC": "lxc" in named or "lxc" in cgroup,
        named.strip(): bool(named.strip()),
    }
    found = [name for name, inside in boxes.items() if inside][:1]
    wsl = "microsoft" in (place.read("/proc/version") or "").lower()
    return [*([_WSL] if wsl else []), *found]


def how_to_lend(kinds: Sequence[str]) -> Message:
    """Empty where this is no container."""
    if kinds in ([], [_WSL]):
        return NOTHING
    if "Podman" in kinds:
        return Message("Start the container with `--device nvidia.com/gpu=all`.")
    if "Kubernetes" in kinds:
        return Message("Ask for nvidia.com/gpu in the pod's resource limits.")
    if "LXC" in kinds:
        return Message("Add a device of the type gpu to the container.")
    return Message("Start the container with `--gpus all`.")
