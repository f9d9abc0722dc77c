"""What can be known of cards without a driver, and without waking one: their driver's library,
its kernel module, the graphics cards on the PCI bus with whoever holds them; and what a person
is told was looked for when no card answers.

Reads plain files only. Nothing here opens a device.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gpuexplorer.core.absence import Told
from gpuexplorer.core.words import NOTHING, Message, mark, told

NVIDIA = "10de"
VENDORS = {NVIDIA: "NVIDIA", "1002": "AMD", "8086": "Intel"}
_DISPLAY_CLASS = "0x03"  # VGA, 3D and display controllers
_GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6, "128.0": 7}
_PCI_NAMES = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids")
_LIBRARY_FOLDERS = (
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/x86_64-linux-gnu/GL/nvidia/lib",  # within a Flatpak
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
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
        with suppress(OSError, ValueError), self.at(path).open("rb") as file:
            return file.read(limit).decode("utf-8", "replace")
        return None


def driver_library(place: Place) -> Path | None:
    """Where the library is through which NVIDIA's driver answers questions."""
    if place.platform != "win32":
        return find_library(place, "libnvidia-ml.so.1")
    windows = place.environment.get("SYSTEMROOT", "C:\\Windows")
    library = place.at(windows) / "System32" / "nvml.dll"
    return library if is_there(library) else None


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
    """As far as this user can see."""
    return os.path.exists(path)  # noqa: PTH110 - Path's own raises where a folder is closed


def is_library(path: Path) -> bool:
    """Of a 64-bit program."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(5) == b"\x7fELF\2"
    return False


class DisplayController(NamedTuple):
    """A graphics card as the PCI bus knows it, asked without waking it."""

    bus_id: str  # "0000:3b:00.0"
    vendor_id: str  # four hexadecimal digits, as of its model
    device_id: str
    driver: str | None  # the kernel module that has it; None where none has
    asleep: bool  # the kernel switched its power off; any call to its driver would wake it
    may_sleep: bool  # the kernel is allowed to switch its power off
    name: str = ""

    @property
    def sentence(self) -> Message:
        held = mark("{card} at {address}, held by no driver.")
        if self.driver is not None:
            held = mark("{card} at {address}, held by the driver {driver}.")
        asleep = Message("It is asleep.") if self.asleep else NOTHING
        known = Message(held, card=self.name, address=self.bus_id, driver=self.driver)
        return told(known, asleep)


class PciBus:
    """Reads /sys, or a folder that looks like it. Never wakes a card."""

    def __init__(self, root: Path = Path("/sys")) -> None:
        self._devices = root / "bus" / "pci" / "devices"
        self._nodes = root / "devices" / "system" / "node"

    def cards(self, vendor: str | None = NVIDIA) -> list[DisplayController]:
        """Of one maker, or of all; without a name."""
        listed: list[str] = []
        with suppress(OSError):
            listed = sorted(each.name for each in self._devices.iterdir())
        return [
            DisplayController(
                bus_id,
                maker,
                self._told(bus_id, "device")[-4:],
                self._driver(bus_id),
                self.asleep(bus_id),
                self._told(bus_id, "power/control") == "auto",
            )
            for bus_id in listed
            if self._told(bus_id, "class").startswith(_DISPLAY_CLASS)
            if (maker := self._told(bus_id, "vendor")[-4:]) == vendor or vendor is None
        ]

    def asleep(self, bus_id: str) -> bool:
        return self._told(bus_id, "power/runtime_status") in ("suspended", "suspending")

    def slot(self, bus_id: str) -> tuple[int | None, int | None]:
        """PCIe generation and lanes that the slot offers: the card's neighbour up the bus."""
        above = (self._devices / bus_id).resolve().parent
        speed, width = _text(above / "max_link_speed"), _text(above / "max_link_width")
        lanes = int(width) if width.isdigit() else 0
        return _GENERATIONS.get(speed.split(" ")[0]), lanes if 0 < lanes <= 32 else None

    def numa_node(self, bus_id: str) -> int | None:
        node = self._told(bus_id, "numa_node")
        return int(node) if node.isdigit() else None  # -1 means: there is only one

    def processors_near(self, bus_id: str) -> str:
        """The numbers of the processors close to a card: "0-31,64-95"; empty where not told."""
        return self._told(bus_id, "local_cpulist")

    def memory_of_node(self, node: int) -> int | None:
        """Bytes of memory close to the processors of a NUMA node."""
        told = _text(self._nodes / f"node{node}" / "meminfo")
        found = re.search(r"MemTotal:\s+(\d+)", told)
        return int(found[1]) * 1024 if found else None

    def _told(self, bus_id: str, file: str) -> str:
        return _text(self._devices / bus_id / file)

    def _driver(self, bus_id: str) -> str | None:
        with suppress(OSError):
            return (self._devices / bus_id / "driver").readlink().name
        return None


def plain_bus_id(text: str) -> str:
    """NVML writes 00000000:3B:00.0 where the kernel writes 0000:3b:00.0."""
    domain, _, rest = text.lower().partition(":")
    try:
        return f"{int(domain, 16):04x}:{rest}" if rest else text.lower()
    except ValueError:
        return text.lower()


def _text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text("ascii", "replace").strip()
    return ""


class Thing(Told):
    """What is looked for: by the name that programs know it by, and as a title."""

    DRIVER = "NVIDIA driver", Message("NVIDIA driver")
    CHOSEN_LIBRARY = "chosen library", Message("Chosen library")
    LIBRARY = "driver library", Message("Driver library")
    MODULE = "kernel module", Message("Kernel module")
    NVIDIA_CARDS = "NVIDIA cards", Message("NVIDIA cards")
    OTHER_CARDS = "other cards", Message("Other cards")
    HOST = "processor and memory", Message("Processor and memory")


@dataclass(frozen=True, slots=True)
class Looked:
    """One thing that was looked for: what, where, whether it is there, and what that means."""

    what: Thing
    where: str
    found: bool
    sentence: Message


def looked_for(place: Place) -> Sequence[Looked]:
    """In the order in which a person would check."""
    if place.platform == "darwin":
        sentence = Message("macOS has no driver for NVIDIA cards, so none can answer here.")
        return [Looked(Thing.DRIVER, "macOS", found=False, sentence=sentence)]
    name = "nvml.dll" if place.platform == "win32" else "libnvidia-ml.so.1"
    where, there = name, driver_library(place)
    sentence = Message(
        "{library}, which comes with NVIDIA's driver, is not installed.", library=name
    )
    if there is not None:
        where = place.shown(there)
        sentence = Message("{library} is there: {path}.", library=name, path=where)
    library = Looked(Thing.LIBRARY, where, there is not None, sentence)
    if place.platform != "linux":
        return [library]
    chosen = place.environment.get("GPUEXPLORER_NVML")
    return [
        *([_chosen_library(place, chosen)] if chosen else []),
        library,
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
    cards = PciBus(place.at("/sys")).cards(None)
    names = {model: _name(place, *model) for model in {card[1:3] for card in cards}}
    return [card._replace(name=names[card[1:3]]) for card in cards]


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


# What may stand in the place of NVIDIA's own, where it is seen, and whether that answers.
_MODULES = (
    (
        *("/dev/dxg", True),
        mark("Windows keeps the kernel part of the driver, and lends it as /dev/dxg."),
    ),
    (
        *("/sys/module/nouveau", False),
        mark(
            "nouveau is loaded in the place of NVIDIA's kernel module; it answers no questions."
        ),
    ),
)


def _kernel_module(place: Place) -> Looked:
    where = "/proc/driver/nvidia, /sys/module/nvidia"
    if version := module_version(place):
        loaded = Message("NVIDIA's kernel module {version} is loaded.", version=version)
        return Looked(Thing.MODULE, where, found=True, sentence=loaded)
    for path, answers, sentence in _MODULES:
        if place.exists(path):
            return Looked(Thing.MODULE, path, answers, Message(sentence))
    absent = Message("NVIDIA's kernel module is not loaded.")
    return Looked(Thing.MODULE, where, found=False, sentence=absent)


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
