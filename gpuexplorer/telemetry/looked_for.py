"""What is looked for when no card answers, and what is there instead: the driver's library,
its kernel module, and the graphics cards on the PCI bus with whoever holds them.

Reads plain files only. Nothing here opens a device, so no sleeping card is woken.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import Message, mark
from gpuexplorer.telemetry.pci_bus import PciBus
from gpuexplorer.telemetry.place import (
    Place,
    driver_library,
    find_library,
    is_library,
    is_there,
)

NVIDIA = "10de"

_VENDORS = {
    NVIDIA: "NVIDIA",
    "1002": "AMD",
    "1013": "Cirrus Logic",
    "102b": "Matrox",
    "1234": "QEMU",
    "1414": "Microsoft Hyper-V",
    "15ad": "VMware",
    "1a03": "ASPEED",
    "1af4": "virtio",
    "1b36": "QXL",
    "1d0f": "Amazon",
    "80ee": "VirtualBox",
    "8086": "Intel",
}
_PCI_NAMES = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids")


class Thing(StrEnum):
    """What is looked for, by the name that programs know it by."""

    DRIVER = "NVIDIA driver"
    CHOSEN_LIBRARY = "chosen library"
    LIBRARY = "driver library"
    MODULE = "kernel module"
    NVIDIA_CARDS = "NVIDIA cards"
    OTHER_CARDS = "other cards"
    HOST = "processor and memory"

    @property
    def words(self) -> Message:
        return _TITLES[self]


_TITLES = {
    Thing.DRIVER: Message("NVIDIA driver"),
    Thing.CHOSEN_LIBRARY: Message("Chosen library"),
    Thing.LIBRARY: Message("Driver library"),
    Thing.MODULE: Message("Kernel module"),
    Thing.NVIDIA_CARDS: Message("NVIDIA cards"),
    Thing.OTHER_CARDS: Message("Other cards"),
    Thing.HOST: Message("Processor and memory"),
}


@dataclass(frozen=True, slots=True)
class Looked:
    """One thing that was looked for: what, where, whether it is there, and what that means."""

    what: Thing
    where: str
    found: bool
    sentence: Message


@dataclass(frozen=True, slots=True)
class DisplayController:
    """A graphics card as the PCI bus knows it, asked without waking it."""

    bus_id: str
    vendor_id: str
    device_id: str
    name: str
    driver: str | None
    asleep: bool

    @property
    def vendor(self) -> str:
        return _vendor(self.vendor_id)

    @property
    def sentence(self) -> Message:
        if self.driver is None:
            held = (
                mark("{card} at {address}, held by no driver, asleep.")
                if self.asleep
                else mark("{card} at {address}, held by no driver.")
            )
        else:
            held = (
                mark("{card} at {address}, held by the driver {driver}, asleep.")
                if self.asleep
                else mark("{card} at {address}, held by the driver {driver}.")
            )
        return Message(held, card=self.name, address=self.bus_id, driver=self.driver)


def looked_for(place: Place) -> Sequence[Looked]:
    """In the order in which a person would check."""
    if place.platform == "darwin":
        sentence = Message("macOS has no driver for NVIDIA cards, so none can answer here.")
        return [Looked(Thing.DRIVER, "macOS", found=False, sentence=sentence)]
    if place.platform != "linux":
        return [_driver_library(place)]
    found = [_chosen_library(place), _driver_library(place)]
    found += [_kernel_module(place), *_cards_on_the_bus(place)]
    return [looked for looked in found if looked is not None]


def module_version(place: Place) -> str | None:
    """The version of NVIDIA's kernel module that runs now; None where none runs."""
    text = place.read("/proc/driver/nvidia/version")
    if text and (version := re.search(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s", text)):
        return version.group(1)
    return (place.read("/sys/module/nvidia/version") or "").strip() or None


def display_controllers(place: Place) -> Sequence[DisplayController] | None:
    """Every graphics card on the PCI bus; None where the bus cannot be seen."""
    if not place.exists("/sys/bus/pci/devices"):
        return None
    bus = PciBus(place.at("/sys"))
    cards = bus.cards(None)
    models = {(f"{card.vendor:04x}", f"{card.device:04x}") for card in cards}
    names = {model: _name(place, *model) for model in models}
    return [
        DisplayController(
            card.bus_id,
            vendor,
            model,
            names[vendor, model],
            bus.driver(card.bus_id),
            card.asleep,
        )
        for card in cards
        for vendor, model in [(f"{card.vendor:04x}", f"{card.device:04x}")]
    ]


def _chosen_library(place: Place) -> Looked | None:
    chosen = place.environment.get("GPUEXPLORER_NVML")
    if not chosen:
        return None
    # The loader looks for a bare name as for any other library.
    path = place.at(chosen) if "/" in chosen else find_library(place, chosen)
    found = path is not None and is_library(path)
    if found:
        sentence = Message("The variable GPUEXPLORER_NVML is used for NVIDIA's library.")
    elif path is not None and is_there(path):
        sentence = Message(
            "The variable GPUEXPLORER_NVML names {library}, which is no library.",
            library=chosen,
        )
    else:
        sentence = Message(
            "The variable GPUEXPLORER_NVML names {library}, which is not there.",
            library=chosen,
        )
    return Looked(Thing.CHOSEN_LIBRARY, chosen, found, sentence)


def _driver_library(place: Place) -> Looked:
    name = "nvml.dll" if place.platform == "win32" else "libnvidia-ml.so.1"
    library = driver_library(place)
    if library is None:
        sentence = Message(
            "{library}, which comes with NVIDIA's driver, is not installed.",
            library=name,
        )
        return Looked(Thing.LIBRARY, name, found=False, sentence=sentence)
    where = place.shown(library)
    sentence = Message("{library} is there: {path}.", library=name, path=where)
    return Looked(Thing.LIBRARY, where, found=True, sentence=sentence)


def _kernel_module(place: Place) -> Looked:
    where = "/proc/driver/nvidia, /sys/module/nvidia"
    if version := module_version(place):
        sentence = Message("NVIDIA's kernel module {version} is loaded.", version=version)
        return Looked(Thing.MODULE, where, found=True, sentence=sentence)
    if place.exists("/dev/dxg"):
        sentence = Message(
            "Windows keeps the kernel part of the driver, and lends it as /dev/dxg."
        )
        return Looked(Thing.MODULE, "/dev/dxg", found=True, sentence=sentence)
    if place.exists("/sys/module/nouveau"):
        sentence = Message(
            "nouveau is loaded in the place of NVIDIA's kernel module; it answers no questions."
        )
        return Looked(Thing.MODULE, where, found=False, sentence=sentence)
    sentence = Message("NVIDIA's kernel module is not loaded.")
    return Looked(Thing.MODULE, where, found=False, sentence=sentence)


def _cards_on_the_bus(place: Place) -> Iterator[Looked]:
    ours, others = Thing.NVIDIA_CARDS, Thing.OTHER_CARDS
    where = "/sys/bus/pci/devices"
    controllers = display_controllers(place)
    if controllers is None:
        sentence = Message(
            "The PCI bus cannot be seen from here, so nobody can say what is plugged in."
        )
        yield Looked(ours, where, found=False, sentence=sentence)
        return
    for card in controllers:
        if card.vendor_id == NVIDIA:
            yield Looked(ours, where, found=True, sentence=card.sentence)
    if all(card.vendor_id != NVIDIA for card in controllers):
        sentence = Message("No NVIDIA card is on the PCI bus.")
        yield Looked(ours, where, found=False, sentence=sentence)
    for card in controllers:
        if card.vendor_id != NVIDIA:
            yield Looked(others, where, found=True, sentence=card.sentence)
    if not controllers:
        sentence = Message("No graphics card of any other maker is there either.")
        yield Looked(others, where, found=False, sentence=sentence)


def _name(place: Place, vendor: str, model: str) -> str:
    """The name from the list of PCI numbers, or what can be said without that list."""
    maker = _vendor(vendor)
    for path in _PCI_NAMES:
        within = False
        for line in (place.read(path, 1 << 23) or "").splitlines():
            if line.startswith(f"{vendor} "):
                within = True
            elif within and line.startswith(f"\t{model} "):
                return f"{maker} {line[5:].strip()}"
            elif within and not line.startswith(("\t", "#")):
                break
    return Message(
        "{maker} graphics card (PCI {vendor}:{model})", maker=maker, vendor=vendor, model=model
    )


def _vendor(number: str) -> str:
    return _VENDORS.get(number) or Message("vendor {number}", number=number)
