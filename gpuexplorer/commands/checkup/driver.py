"""Driver: whether NVIDIA's driver is there, is whole, and answers; and if not, why not."""

import re
from collections.abc import Mapping, Sequence

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.container import how_to_lend, surroundings
from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, INSTALL_IT
from gpuexplorer.telemetry.looked_for import module_version
from gpuexplorer.telemetry.place import Place, driver_library

_INSTALL = Message(
    "Install NVIDIA's driver with the tool of your system, then restart the computer."
)
_UNSET = Message("Unset GPUEXPLORER_NVML, so that the driver's own library is found.")
_READ_THE_LOG = Message(
    "Look for 'NVRM' in the system log (`sudo dmesg`), and restart the computer."
)
# What the driver's own hint says too, where there is one.
_RESTART = Message("Restart the computer.")
_LOAD_IT = Message("Run `sudo modprobe nvidia` and read what it says if it refuses.")
_SIGN = Message(
    "Secure Boot is on and refuses modules that nobody signed. Enrol the key that signed it"
    " with `sudo mokutil --import`, as your system's driver package says, and restart."
)


def driver(probe: Probe, answer: Answer) -> Topic:
    if probe.platform == "darwin":
        return Topic(Subject.DRIVER).fine(
            Message("macOS has no driver for NVIDIA cards; nothing is missing here.")
        )
    facts = _facts(probe, answer)
    if answer.source is not None:
        return _answers(answer, facts)
    if answer.asleep:
        return Topic(Subject.DRIVER, facts=facts).fine(
            Message("The driver was not asked, since that would wake the card.")
            if facts["module_version"] is None
            else Message(
                "NVIDIA's driver {version} is loaded. Asking it would wake the card.",
                version=facts["module_version"],
            )
        )
    trouble = answer.trouble
    assert trouble is not None
    if _no_driver_and_no_card(probe, answer, facts):
        return _nothing_there(Topic(Subject.DRIVER, facts=facts), probe, answer)
    likely, do = _likely_cause(probe, answer, facts)
    details = [likely] if likely else []
    return Topic(Subject.DRIVER, details, facts).broken(
        trouble.sentence,
        _what_to_do(trouble.hint, do) or (_UNSET if facts["library_chosen"] else _READ_THE_LOG),
    )


def _facts(probe: Probe, answer: Answer) -> dict[str, Fact]:
    library = driver_library(probe)
    chosen = probe.environment.get("GPUEXPLORER_NVML")
    source = answer.source
    return {
        "driver_version": source.driver_version if source else None,
        "cuda_version": source.cuda_version if source else None,
        "read_through": source.label if source else None,
        "module_version": module_version(probe),
        "library": probe.shown(library) if library else None,
        "library_version": _library_version(probe),
        "library_chosen": chosen if probe.platform == "linux" else None,
        "nouveau_loaded": probe.exists("/sys/module/nouveau"),
        "package_found": _package(probe),
        "secure_boot": _secure_boot(probe),
    }


def _answers(answer: Answer, facts: Mapping[str, Fact]) -> Topic:
    source = answer.source
    assert source is not None
    sentence = (
        Message("NVIDIA's driver {version} answers.", version=source.driver_version)
        if source.driver_version
        else Message("NVIDIA's driver answers.")
    )
    if source.cuda_version:
        runs = Message(
            "It can run programs made for CUDA {version} or older.", version=source.cuda_version
        )
        sentence = told(sentence, runs)
    details = [Message("How it was read: {source}.", source=source.label)]
    if facts["module_version"]:
        details.append(Message("Kernel module {version}.", version=facts["module_version"]))
    if facts["library_chosen"]:
        details.append(_chosen_by_hand(facts))
    elif facts["library"]:
        details.append(Message("Library {path}.", path=facts["library"]))
    return Topic(Subject.DRIVER, details, facts).fine(sentence)


def _chosen_by_hand(facts: Mapping[str, Fact]) -> Message:
    return Message(
        "Library chosen by GPUEXPLORER_NVML: {library}.", library=facts["library_chosen"]
    )


def _no_driver_and_no_card(probe: Probe, answer: Answer, facts: Mapping[str, Fact]) -> bool:
    """Whether nobody could expect a driver to answer here."""
    if facts["library"] or facts["library_chosen"] or facts["module_version"]:
        return False
    return all(one.driver == "vfio-pci" for one in answer.nvidia_on_the_bus or ())


def _nothing_there(topic: Topic, probe: Probe, answer: Answer) -> Topic:
    if probe.platform == "win32":
        return topic.look(
            Message("NVIDIA's driver (nvml.dll) is not installed."),
            Message("If there is an NVIDIA card, install NVIDIA's driver and restart Windows."),
        )
    if "WSL" in surroundings(probe):
        return topic.look(
            Message("Windows lends no NVIDIA driver to this Linux."),
            Message(
                "If there is an NVIDIA card, install NVIDIA's driver in Windows, not in Linux."
            ),
        )
    if answer.nvidia_on_the_bus:
        return topic.look(
            Message("The NVIDIA card is set aside for a virtual machine (vfio-pci)."),
            Message(
                "Run GPU Explorer in the virtual machine, or give the card back to this system."
            ),
        )
    if answer.nvidia_on_the_bus is None:
        return topic.look(
            Message("There is no NVIDIA driver here."),
            Message("If there is an NVIDIA card: {install}", install=_INSTALL),
        )
    return topic.fine(
        Message("There is no NVIDIA driver, and no NVIDIA card that would need one.")
    )


def _likely_cause(
    probe: Probe, answer: Answer, facts: Mapping[str, Fact]
) -> tuple[Message, Message]:
    """What the files say beside the driver, with a remedy; empty where they say nothing."""
    ours = answer.nvidia_on_the_bus
    module, library = facts["module_version"], facts["library_version"]
    if facts["library_chosen"]:
        return _chosen_by_hand(facts), NOTHING
    if probe.platform == "win32" or probe.exists("/dev/dxg"):
        return NOTHING, NOTHING
    if module and library and module != library:
        sentence = Message(
            "The driver was updated while it runs:"
            " the kernel still has {module}, the library is {library} already.",
            module=module,
            library=library,
        )
        return sentence, _RESTART
    if "nouveau" in {one.driver for one in ours or ()}:
        sentence = Message(
            "The NVIDIA card is held by nouveau, the open driver, which answers no questions."
        )
        return sentence, _INSTALL
    if ours is not None and not ours:
        sentence = Message("No NVIDIA card is on the PCI bus.")
        do = Message(
            "If there is one, it may be switched off: look in the laptop's graphics settings."
        )
        return sentence, do if module else NOTHING
    if not module:
        return _without_module(probe, facts)
    if facts["library"] is None:
        kinds = surroundings(probe)
        do = (
            how_to_lend(kinds)
            if kinds
            else Message(
                "Install the package with NVIDIA's tools (nvidia-utils, or libnvidia-ml1)"
                " of the version {version}.",
                version=module,
            )
        )
        sentence = Message(
            "The kernel has NVIDIA's driver {version}, but its library was not found.",
            version=module,
        )
        return sentence, do
    return NOTHING, NOTHING


def _without_module(probe: Probe, facts: Mapping[str, Fact]) -> tuple[Message, Message]:
    package = facts["package_found"]
    if not package and not facts["library"]:
        return Message("There is no NVIDIA driver for the card."), _INSTALL
    if surroundings(probe):
        sentence = Message("The computer outside has not loaded NVIDIA's kernel module.")
        return sentence, Message("Load it there: `sudo modprobe nvidia`.")
    sentence = Message("NVIDIA's driver is installed, but its kernel module is not loaded.")
    release = (probe.read("/proc/sys/kernel/osrelease") or "").strip()
    built_for = _built_for(probe)
    if built_for and release and release not in built_for:
        other = Message("It was not built for the kernel that runs, {kernel}.", kernel=release)
        do = Message("Install this kernel's headers, then run: `sudo dkms autoinstall`")
        return told(sentence, other), do
    if facts["secure_boot"] is True:
        return sentence, _SIGN
    if package:
        return sentence, _LOAD_IT
    do = Message(
        "Install the kernel module of NVIDIA's driver as well, then restart the computer."
    )
    return sentence, do


def _what_to_do(hint: Message, do: Message) -> Message:
    """The driver's hint and ours in one, without what the other says already."""
    if hint in (INSTALL_IT, ASK_THE_DOCTOR):
        return do
    return hint if hint and do in (_RESTART, _LOAD_IT) else told(hint, do)


def _library_version(place: Place) -> str | None:
    """From the name of the file that libnvidia-ml.so.1 stands for."""
    library = driver_library(place)
    if library is None or place.platform == "win32":
        return None
    try:
        name = library.readlink().name
    except OSError:
        return None
    version = re.fullmatch(r"libnvidia-ml\.so\.(\d+\.\d+(?:\.\d+)?)", name)
    return version.group(1) if version else None


def _package(place: Place) -> str | None:
    """The source or build folder that a driver package leaves behind."""
    for folder in ("/usr/src", "/var/lib/dkms"):
        for entry in place.entries(folder):
            if entry.name.startswith("nvidia"):
                return place.shown(entry)
    return None


def _built_for(place: Place) -> Sequence[str]:
    """The kernels for which DKMS built the module."""
    marks = [entry.name for entry in place.entries("/var/lib/dkms/nvidia")]
    found = [re.fullmatch(r"kernel-(.+)-[^-]+", mark) for mark in marks]
    return [match.group(1) for match in found if match]


def _secure_boot(place: Place) -> bool | None:
    for entry in place.entries("/sys/firmware/efi/efivars"):
        if entry.name.startswith("SecureBoot-"):
            try:
                return entry.read_bytes()[-1:] == b"\1"
            except OSError:
                return None
    return None
