"""What the operating system knows of cards without touching them: Linux' PCI bus in /sys."""

from pathlib import Path
from typing import NamedTuple

NVIDIA = 0x10DE
_DISPLAY_CLASS = 0x03  # VGA, 3D and display controllers
_GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6, "128.0": 7}


class PciCard(NamedTuple):
    """A display controller on the bus."""

    bus_id: str  # "0000:3b:00.0"
    vendor: int
    device: int
    asleep: bool  # the kernel switched its power off; any call to its driver would wake it
    may_sleep: bool  # the kernel is allowed to switch its power off


class PciBus:
    """Reads /sys, or a folder that looks like it. Never wakes a card."""

    def __init__(self, root: Path = Path("/sys")) -> None:
        self._devices = root / "bus" / "pci" / "devices"
        self._nodes = root / "devices" / "system" / "node"

    def cards(self, vendor: int | None = NVIDIA) -> list[PciCard]:
        """Of one maker, or of all."""
        found = []
        try:
            addresses = sorted(folder.name for folder in self._devices.iterdir())
        except OSError:
            return []
        for bus_id in addresses:
            maker = self._number(bus_id, "vendor")
            if self._number(bus_id, "class") >> 16 != _DISPLAY_CLASS:
                continue
            if vendor in (None, maker):
                device = self._number(bus_id, "device")
                may_sleep = self._told(bus_id, "power/control") == "auto"
                found.append(PciCard(bus_id, maker, device, self.asleep(bus_id), may_sleep))
        return found

    def asleep(self, bus_id: str) -> bool:
        return self._told(bus_id, "power/runtime_status") in ("suspended", "suspending")

    def driver(self, bus_id: str) -> str | None:
        """The kernel module that has the card; None where none has."""
        try:
            return (self._devices / bus_id / "driver").readlink().name
        except OSError:
            return None

    def slot(self, bus_id: str) -> tuple[int | None, int | None]:
        """PCIe generation and lanes that the slot offers: the card's neighbour up the bus."""
        try:
            above = (self._devices / bus_id).resolve(strict=True).parent
        except OSError:
            return None, None
        speed, width = _text(above / "max_link_speed"), _text(above / "max_link_width")
        return _GENERATIONS.get(speed.split(" ", maxsplit=1)[0]), (
            int(width) if width.isdigit() and 0 < int(width) <= 32 else None
        )

    def numa_node(self, bus_id: str) -> int | None:
        node = self._told(bus_id, "numa_node")
        return int(node) if node.isdigit() else None  # -1 means: there is only one

    def processors_near(self, bus_id: str) -> str:
        """The numbers of the processors close to a card: "0-31,64-95"; empty where not told."""
        return self._told(bus_id, "local_cpulist")

    def memory_of_node(self, node: int) -> int | None:
        """Bytes of memory close to the processors of a NUMA node."""
        for line in _text(self._nodes / f"node{node}" / "meminfo").splitlines():
            words = line.split()
            if words[2:3] == ["MemTotal:"] and words[3:4] and words[3].isdigit():
                return int(words[3]) * 1024
        return None

    def _told(self, bus_id: str, file: str) -> str:
        return _text(self._devices / bus_id / file)

    def _number(self, bus_id: str, file: str) -> int:
        try:
            return int(self._told(bus_id, file), 16)
        except ValueError:
            return 0


def plain_bus_id(text: str) -> str:
    """NVML writes 00000000:3B:00.0 where the kernel writes 0000:3b:00.0."""
    domain, _, rest = text.lower().partition(":")
    try:
        return f"{int(domain, 16):04x}:{rest}" if rest else text.lower()
    except ValueError:
        return text.lower()


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""
