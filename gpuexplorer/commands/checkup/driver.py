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
    verdict, sentence, do = _what_is_wrong(probe, answer, facts)
    details = []
    trouble = answer.trouble
    if facts["library"] is not None and trouble is not None and trouble.sentence != sentence:
        details.append(f"The attempt to ask it ended so: {trouble.sentence}")
    return Topic(_TITLE, verdict, sentence, do, details, facts)


def _facts(probe: Probe, answer: Answer) -> dict[str, Fact]:
    library = driver_library(probe)
    source = answer.source
    return {
        "driver_version": source.driver_version if source else None,
        "cuda_version": source.cuda_version if source else None,
        "read_through": source.label if source else None,
        "module_version": module_version(probe),
        "library": probe.shown(library) if library else None,
        "library_version": _library_version(probe),
        "library_chosen": probe.environment.get("GPUEXPLORER_NVML"),
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


def _what_is_wrong(
    probe: Probe, answer: Answer, facts: Mapping[str, Fact]
) -> tuple[Verdict, str, str]:
    """The likeliest reason first; what only the driver can know comes last."""
    ours = answer.nvidia_on_the_bus
    module, library = facts["module_version"], facts["library_version"]
    chosen = probe.environment.get("GPUEXPLORER_NVML")
    if chosen and not probe.exists(chosen):
        return (
            Verdict.BROKEN,
            f"GPUEXPLORER_NVML names a library that is not there: {chosen}.",
            "Correct the variable, or remove it to let the library be found.",
        )
    if module and library and module != library:
        sentence = (
            "The driver was updated while it runs:"
            f" the kernel still has {module}, the library is {library} already."
        )
        return Verdict.BROKEN, sentence, "Restart the computer."
    if _says_mismatch(answer):
        sentence = "The driver was updated while it runs: kernel and library no longer match."
        return Verdict.BROKEN, sentence, "Restart the computer."
    if probe.platform == "win32":
        return _wrong_on_windows(answer, facts)
    if "WSL" in surroundings(probe) and facts["library"] is None:
        return (
            Verdict.LOOK,
            "Windows lends no NVIDIA driver to this Linux.",
            "If there is an NVIDIA card, install NVIDIA's driver in Windows, not in Linux.",
        )
    holders = {one.driver for one in ours or ()}
    if "nouveau" in holders:
        sentence = (
            "The NVIDIA card is held by nouveau, the open driver, which answers no questions."
        )
        return Verdict.BROKEN, sentence, _INSTALL
    if holders == {"vfio-pci"}:
        return (
            Verdict.LOOK,
            "The NVIDIA card is set aside for a virtual machine (vfio-pci).",
            "Run GPU Explorer in the virtual machine, or give the card back to this system.",
        )
    if probe.exists("/dev/dxg"):
        return _as_the_driver_says(answer)
    if not ours and not module and (ours is not None or not facts["library"]):
        return _nothing_there(answer, facts)
    if ours is not None and not ours:
        return (
            Verdict.LOOK,
            f"NVIDIA's driver {module} is loaded, but no NVIDIA card is on the PCI bus.",
            "If there is one, it may be switched off: look in the laptop's graphics settings.",
        )
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
        sentence = f"The kernel has NVIDIA's driver {module}, but its library was not found."
        return Verdict.BROKEN, sentence, do
    return _as_the_driver_says(answer)


def _nothing_there(answer: Answer, facts: Mapping[str, Fact]) -> tuple[Verdict, str, str]:
    if facts["library"]:
        sentence = "NVIDIA's driver is installed, but there is no NVIDIA card to drive."
        return Verdict.FINE, sentence, ""
    if answer.nvidia_on_the_bus is None:
        sentence = "There is no NVIDIA driver here."
        return Verdict.LOOK, sentence, f"If there is an NVIDIA card: {_INSTALL}"
    sentence = "There is no NVIDIA driver, and no NVIDIA card that would need one."
    return Verdict.FINE, sentence, ""


def _without_module(probe: Probe, facts: Mapping[str, Fact]) -> tuple[Verdict, str, str]:
    package = facts["package_found"]
    if not package and not facts["library"]:
        return Verdict.BROKEN, "There is no NVIDIA driver for the card.", _INSTALL
    if surroundings(probe):
        sentence = "The computer outside has not loaded NVIDIA's kernel module."
        return Verdict.BROKEN, sentence, "Load it there: `sudo modprobe nvidia`."
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
    return Verdict.BROKEN, sentence, do


def _wrong_on_windows(answer: Answer, facts: Mapping[str, Fact]) -> tuple[Verdict, str, str]:
    if facts["library"] is None:
        sentence = "NVIDIA's driver (nvml.dll) is not on this computer."
        do = "If there is an NVIDIA card, install NVIDIA's driver and restart Windows."
        return Verdict.LOOK, sentence, do
    return _as_the_driver_says(answer)


def _as_the_driver_says(answer: Answer) -> tuple[Verdict, str, str]:
    trouble = answer.trouble
    if trouble is None:
        return Verdict.LOOK, "The driver was not asked.", ""
    return Verdict.BROKEN, trouble.sentence, trouble.hint


def _says_mismatch(answer: Answer) -> bool:
    said = str(answer.trouble).lower() if answer.trouble is not None else ""
    return "mismatch" in said or "updated while it runs" in said


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
