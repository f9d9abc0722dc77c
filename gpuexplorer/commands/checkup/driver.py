"""Driver: whether NVIDIA's driver is there, is whole, and answers; and if not, why not."""

import re
from collections.abc import Mapping, Sequence

from gpuexplorer.commands.checkup.answer import Answer
from gpuexplorer.commands.checkup.container import how_to_lend, surroundings
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.telemetry.looked_for import Place, driver_library, module_version

_TITLE = "Driver"
_INSTALL = "Install NVIDIA's driver with the tool of your system, then restart the computer."
_UNSET = "Unset GPUEXPLORER_NVML, so that the driver's own library is found."
_READ_THE_LOG = "Look for 'NVRM' in the system log (`sudo dmesg`), and restart the computer."
_SIGN = (
    "Secure Boot is on and refuses modules that nobody signed. Enrol the key that signed it"
    " with `sudo mokutil --import`, as your system's driver package tells, and restart."
)


def driver(probe: Probe, answer: Answer) -> Topic:
    if probe.platform == "darwin":
        sentence = "macOS has no driver for NVIDIA cards; nothing is missing here."
        return Topic(_TITLE, Verdict.FINE, sentence)
    facts = _facts(probe, answer)
    if answer.source is not None:
        return _answers(answer, facts)
    if answer.asleep:
        version = facts["module_version"] or "of an unknown version"
        sentence = f"NVIDIA's driver {version} is loaded. Asking it would wake the card."
        if facts["module_version"] is None:
            sentence = "The driver was not asked, since that would wake the card."
        return Topic(_TITLE, Verdict.FINE, sentence, facts=facts)
    trouble = answer.trouble
    assert trouble is not None
    if _no_driver_and_no_card(probe, answer, facts):
        verdict, sentence, do = _nothing_there(probe, answer)
        return Topic(_TITLE, verdict, sentence, do, facts=facts)
    likely, do = _likely_cause(probe, answer, facts)
    details = [likely] if likely else []
    do = _what_to_do(trouble.hint, do) or (_UNSET if facts["library_chosen"] else _READ_THE_LOG)
    return Topic(_TITLE, Verdict.BROKEN, trouble.sentence, do, details, facts)


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
    sentence = f"NVIDIA's driver {source.driver_version or ''} answers".replace("  ", " ")
    if source.cuda_version:
        sentence += f" and can run programs made for CUDA {source.cuda_version} or older"
    details = [f"How it was read: {source.label}."]
    if facts["module_version"]:
        details.append(f"Kernel module {facts['module_version']}.")
    if facts["library_chosen"]:
        details.append(f"Library chosen by GPUEXPLORER_NVML: {facts['library_chosen']}.")
    elif facts["library"]:
        details.append(f"Library {facts['library']}.")
    return Topic(_TITLE, Verdict.FINE, f"{sentence}.", "", details, facts)


def _no_driver_and_no_card(probe: Probe, answer: Answer, facts: Mapping[str, Fact]) -> bool:
    """Whether nobody could expect a driver to answer here."""
    if facts["library"] or facts["library_chosen"] or facts["module_version"]:
        return False
    return all(one.driver == "vfio-pci" for one in answer.nvidia_on_the_bus or ())


def _nothing_there(probe: Probe, answer: Answer) -> tuple[Verdict, str, str]:
    if probe.platform == "win32":
        sentence = "NVIDIA's driver (nvml.dll) is not on this computer."
        do = "If there is an NVIDIA card, install NVIDIA's driver and restart Windows."
        return Verdict.LOOK, sentence, do
    if "WSL" in surroundings(probe):
        return (
            Verdict.LOOK,
            "Windows lends no NVIDIA driver to this Linux.",
            "If there is an NVIDIA card, install NVIDIA's driver in Windows, not in Linux.",
        )
    if answer.nvidia_on_the_bus:
        return (
            Verdict.LOOK,
            "The NVIDIA card is set aside for a virtual machine (vfio-pci).",
            "Run GPU Explorer in the virtual machine, or give the card back to this system.",
        )
    if answer.nvidia_on_the_bus is None:
        sentence = "There is no NVIDIA driver here."
        return Verdict.LOOK, sentence, f"If there is an NVIDIA card: {_INSTALL}"
    sentence = "There is no NVIDIA driver, and no NVIDIA card that would need one."
    return Verdict.FINE, sentence, ""


def _likely_cause(probe: Probe, answer: Answer, facts: Mapping[str, Fact]) -> tuple[str, str]:
    """What the files say beside the driver, with a remedy; empty where they say nothing."""
    ours = answer.nvidia_on_the_bus
    module, library = facts["module_version"], facts["library_version"]
    if facts["library_chosen"]:
        return f"Library chosen by GPUEXPLORER_NVML: {facts['library_chosen']}.", ""
    if probe.platform == "win32" or probe.exists("/dev/dxg"):
        return "", ""
    if module and library and module != library:
        sentence = (
            "The driver was updated while it runs:"
            f" the kernel still has {module}, the library is {library} already."
        )
        return sentence, "Restart the computer."
    if "nouveau" in {one.driver for one in ours or ()}:
        sentence = (
            "The NVIDIA card is held by nouveau, the open driver, which answers no questions."
        )
        return sentence, _INSTALL
    if ours is not None and not ours:
        sentence = "No NVIDIA card is on the PCI bus."
        do = "If there is one, it may be switched off: look in the laptop's graphics settings."
        return sentence, do if module else ""
    if not module:
        return _without_module(probe, facts)
    if facts["library"] is None:
        kinds = surroundings(probe)
        do = (
            how_to_lend(kinds)
            if kinds
            else "Install the package with NVIDIA's tools (nvidia-utils, or libnvidia-ml1)"
            f" of the version {module}."
        )
        return f"The kernel has NVIDIA's driver {module}, but its library was not found.", do
    return "", ""


def _without_module(probe: Probe, facts: Mapping[str, Fact]) -> tuple[str, str]:
    package = facts["package_found"]
    if not package and not facts["library"]:
        return "There is no NVIDIA driver for the card.", _INSTALL
    if surroundings(probe):
        sentence = "The computer outside has not loaded NVIDIA's kernel module."
        return sentence, "Load it there: `sudo modprobe nvidia`."
    sentence = "NVIDIA's driver is installed, but its kernel module is not loaded."
    release = (probe.read("/proc/sys/kernel/osrelease") or "").strip()
    built_for = _built_for(probe)
    if built_for and release and release not in built_for:
        sentence += f" It was not built for the kernel that runs, {release}."
        do = "Install this kernel's headers, then run: `sudo dkms autoinstall`"
    elif facts["secure_boot"] is True:
        do = _SIGN
    elif package:
        do = "Run `sudo modprobe nvidia` and read what it says if it refuses."
    else:
        do = "Install the kernel module of NVIDIA's driver as well, then restart the computer."
    return sentence, do


def _what_to_do(hint: str, do: str) -> str:
    """The driver's hint and ours in one, without what the other says already."""
    if "gpuexplorer doctor" in hint:
        hint = ""  # this is it
    said = [do.rstrip("."), *re.findall("`[^`]*`", do)]
    if hint and any(words in hint for words in said):
        return hint
    return f"{hint} {do}".strip()


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
