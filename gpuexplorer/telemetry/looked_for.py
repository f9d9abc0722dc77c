"""What is looked for when no card answers, and what is there instead: the driver's library,
its kernel module, and the graphics cards on the PCI bus with whoever holds them.

Reads plain files only. Nothing here opens a device, so no sleeping card is woken.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.telemetry.pci_bus import PciBus

NVIDIA = "10de"
VENDORS = {NVIDIA: "NVIDIA", "1002": "AMD", "8086": "Intel"}
_PCI_NAMES = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids")
_LIBRARY_FOLDERS = (
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/x86_64-linux-gnu/GL/nvidia/lib",  # within a Flatpak
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib",
    "/usr/local/lib",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look: a tree of files, an environment and a kind of system."""

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    platform: str = sys.platform

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def shown(self, path: Path) -> str:
        """The path as the person at this computer would write it."""
        if self.root != Path("/") and path.is_relative_to(self.root):
            return f"/{path.relative_to(self.root).as_posix()}"
        return str(path)

    def exists(self, path: str) -> bool:
        return is_there(self.at(path))

    def read(self, path: str, limit: int = 1 << 20) -> str | None:
        """The text of a file, or None where it cannot be read for whatever reason."""
        try:
            with self.at(path).open("rb") as file:
                return file.read(limit).decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def entries(self, path: str) -> Sequence[Path]:
        try:
            return sorted(self.at(path).iterdir())
        except OSError:
            return ()


def driver_library(place: Place) -> Path | None:
    """Where the library is through which NVIDIA's driver answers questions."""
    if place.platform != "win32":
        return find_library(place, "libnvidia-ml.so.1")
    windows = place.environment.get("SYSTEMROOT", "C:\\Windows")
    programs = place.environment.get("PROGRAMFILES", "C:\\Program Files")
    places = (
        place.at(windows) / "System32" / "nvml.dll",
        place.at(programs) / "NVIDIA Corporation" / "NVSMI" / "nvml.dll",
    )
    return next((path for path in places if is_there(path)), None)


def find_library(place: Place, name: str) -> Path | None:
    """Where the loader would find a shared library. Starts no program."""
    folders = filter(None, place.environment.get("LD_LIBRARY_PATH", "").split(":"))
    for folder in (*folders, *_LIBRARY_FOLDERS):
        if place.exists(f"{folder}/{name}"):
            return place.at(f"{folder}/{name}")
    # The loader's cache has paths between zeros, of libraries for 32-bit programs too.
    cached = re.compile(f"\0(/[^\0]*/{re.escape(name)})(?=\0)")
    paths = cached.findall(place.read("/etc/ld.so.cache", 1 << 23) or "")
    return next((place.at(path) for path in paths if is_library(place.at(path))), None)


def is_there(path: Path) -> bool:
    """As far as this user can see: Path.exists raises where a folder above is closed."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def is_library(path: Path) -> bool:
    """Of a 64-bit program."""
    try:
        with path.open("rb") as file:
            return file.read(5) == b"\x7fELF\2"
    except OSError:
        return False


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
    def sentence(self) -> Message:
        known = {"card": self.name, "address": self.bus_id, "driver": self.driver}
        held = Message("{card} at {address}, held by no driver.", **known)
        if self.driver is not None:
            held = Message("{card} at {address}, held by the driver {driver}.", **known)
        return told(held, Message("It is asleep.") if self.asleep else NOTHING)


def looked_for(place: Place) -> Sequence[Looked]:
    """In the order in which a person would check."""
    if place.platform == "darwin":
        sentence = Message("macOS has no driver for NVIDIA cards, so none can answer here.")
        return [Looked(Thing.DRIVER, "macOS", found=False, sentence=sentence)]
    if place.platform != "linux":
        return [_driver_library(place)]
    chosen = place.environment.get("GPUEXPLORER_NVML")
    return [
        *([_chosen_library(place, chosen)] if chosen else []),
        _driver_library(place),
        _kernel_module(place),
        *_cards_on_the_bus(place),
    ]


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
            *model,
            names[model],
            bus.driver(card.bus_id),
            card.asleep,
        )
        for card in cards
        for model in [(f"{card.vendor:04x}", f"{card.device:04x}")]
    ]


def _chosen_library(place: Place, chosen: str) -> Looked:
    # The loader looks for a bare name as for any other library.
    path = place.at(chosen) if "/" in chosen else find_library(place, chosen)
    found = path is not None and is_library(path)
    sentence = Message(
        "The variable GPUEXPLORER_NVML names {library}, where no library is.", library=chosen
    )
    if found:
        sentence = Message("The variable GPUEXPLORER_NVML is used for NVIDIA's library.")
    return Looked(Thing.CHOSEN_LIBRARY, chosen, found, sentence)


def _driver_library(place: Place) -> Looked:
    name = "nvml.dll" if place.platform == "win32" else "libnvidia-ml.so.1"
    library = driver_library(place)
    if library is None:
        missing = Message(
            "{library}, which comes with NVIDIA's driver, is not installed.", library=name
        )
        return Looked(Thing.LIBRARY, name, found=False, sentence=missing)
    where = place.shown(library)
    there = Message("{library} is there: {path}.", library=name, path=where)
    return Looked(Thing.LIBRARY, where, found=True, sentence=there)


def _kernel_module(place: Place) -> Looked:
    where, found = "/proc/driver/nvidia, /sys/module/nvidia", False
    sentence = Message("NVIDIA's kernel module is not loaded.")
    if version := module_version(place):
        found = True
        sentence = Message("NVIDIA's kernel module {version} is loaded.", version=version)
    elif place.exists("/dev/dxg"):
        where, found = "/dev/dxg", True
        sentence = Message(
            "Windows keeps the kernel part of the driver, and lends it as /dev/dxg."
        )
    elif place.exists("/sys/module/nouveau"):
        sentence = Message(
            "nouveau is loaded in the place of NVIDIA's kernel module; it answers no questions."
        )
    return Looked(Thing.MODULE, where, found, sentence)


def _cards_on_the_bus(place: Place) -> list[Looked]:
    where = "/sys/bus/pci/devices"
    controllers = display_controllers(place)
    if controllers is None:
        hidden = Message(
            "The PCI bus cannot be seen from here, so nobody can say what is plugged in."
        )
        return [Looked(Thing.NVIDIA_CARDS, where, found=False, sentence=hidden)]
    none = {
        Thing.NVIDIA_CARDS: Message("No NVIDIA card is on the PCI bus."),
        Thing.OTHER_CARDS: Message("No graphics card of any other maker is there either."),
    }
    found = []
    for thing, nothing in none.items():
        ours = thing is Thing.NVIDIA_CARDS
        cards = [each for each in controllers if (each.vendor_id == NVIDIA) is ours]
        found += [Looked(thing, where, found=True, sentence=each.sentence) for each in cards]
        if not cards and (ours or not controllers):
            found.append(Looked(thing, where, found=False, sentence=nothing))
    return found


def _name(place: Place, vendor: str, model: str) -> str:
    """The name from the list of PCI numbers, or what can be said without that list."""
    maker = VENDORS.get(vendor)
    for path in _PCI_NAMES:
        text = place.read(path, 1 << 23) or ""
        if found := re.search(rf"^{vendor} +(.*)\n((?:[\t#].*\n)*)", text, re.MULTILINE):
            maker = maker or found[1]
            if name := re.search(rf"^\t{model} +(.*)", found[2], re.MULTILINE):
                return f"{maker} {name[1]}"
    return Message(
        "{maker} graphics card (PCI {vendor}:{model})",
        maker=maker or Message("unknown"),
        vendor=vendor,
        model=model,
    )
