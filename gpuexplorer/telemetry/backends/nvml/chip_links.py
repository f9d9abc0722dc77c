"""One card's own wires: its NVLinks, NVLink-C2C to its processor, and its PCIe lanes."""

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import fields
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.pci_bus import PciBus
from gpuexplorer.telemetry.topology import (
    OneNvlink,
    PathKind,
    c2c_words,
    nvlink_of,
    pcie_rate,
    pcie_words,
)

# NVML numbers the versions 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0, 6.0 from 1 on.
_GENERATIONS = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 6}
_MOST_C2C = 32  # more than any chip has: beyond it the count is garbage
_LANES = frozenset({1, 2, 4, 8, 12, 16, 32})  # all that PCIe has
_NEWEST_PCIE = 15  # far beyond the generations there are
_IMPOSSIBLE = Message("not reported: {reason}", reason=Absence.IMPOSSIBLE.sentence)

HostWire = tuple[PathKind, float | None, Message]  # its rate, and what that follows from


class Nvlinks:
    """Where each leads, and how fast one is."""

    def __init__(self, found: Found) -> None:
        self.to: list[str] = []  # bus addresses
        self.to_switch = 0
        self.one = OneNvlink(None, None)
        self._measured = False
        for link in range(found.card.nvlinks):
            self._follow(found.handle, link)

    def _follow(self, handle: object, link: int) -> None:
        try:
            if pynvml.nvmlDeviceGetNvLinkState(handle, link) != 1:
                return
        except pynvml.NVMLError:
            return
        if not self._measured:
            self._measured = True
            [speed] = _fields(handle, [(pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, link)])
            self.one = nvlink_of(_generation(handle, link), _per_second(speed))
        if _leads_to_switch(handle, link):
            self.to_switch += 1
            return
        try:
            remote = pynvml.nvmlDeviceGetNvLinkRemotePciInfo(handle, link)
        except pynvml.NVMLError:
            return
        # By its numbers: the text may be no text.
        self.to.append(f"{remote.domain:04x}:{remote.bus:02x}:{remote.device:02x}.0")


def host_wire(found: Found, bus: PciBus) -> HostWire:
    """What joins a card to its processor, whatever it sleeps at now."""
    return _c2c(found) or (PathKind.HOST_BRIDGE, *_pcie(found, bus))


def _c2c(found: Found) -> HostWire | None:
    """None for a card without it, or where no link of it is up."""
    if found.card.memory_shared:
        return None
    [count] = _fields(found.handle, [(pynvml.NVML_FI_DEV_C2C_LINK_COUNT, 0)])
    if isinstance(count, Absence) or not 0 < count <= _MOST_C2C:
        return None
    links = range(int(count))
    states = _fields(
        found.handle, [(pynvml.NVML_FI_DEV_C2C_LINK_GET_STATUS, link) for link in links]
    )
    up = [link for link, state in zip(links, states, strict=True) if state == 1]
    if not up:
        return None
    speeds = _fields(
        found.handle, [(pynvml.NVML_FI_DEV_C2C_LINK_GET_MAX_BW, link) for link in up]
    )
    known = [rate for rate in map(_per_second, speeds) if rate is not None]
    rate = sum(known) if len(known) == len(up) else None
    return PathKind.C2C, rate, c2c_words(len(up), known=rate is not None)


def _pcie(found: Found, bus: PciBus) -> tuple[float | None, Message]:
    """The fastest the card and its slot can do together."""
    if found.card.memory_shared:
        return None, Message("the card is part of the processor's chip")
    try:
        generation = int(pynvml.nvmlDeviceGetMaxPcieLinkGeneration(found.handle))
        lanes = int(pynvml.nvmlDeviceGetMaxPcieLinkWidth(found.handle))
    except pynvml.NVMLError as error:
        return None, not_told(error)
    if lanes not in _LANES or not 0 < generation <= _NEWEST_PCIE:
        return None, _IMPOSSIBLE
    # The driver counts the slot in, but for its lanes where it is wired with fewer.
    _, slot = bus.slot(found.card.bus_id or "")
    if slot is not None and slot >= _lanes_now(found.handle):
        lanes = min(lanes, slot)
    rate = pcie_rate(generation, lanes)
    if rate is None:
        return None, Message(
            "PCIe generation {generation} is not known to this program", generation=generation
        )
    return rate, pcie_words(generation, lanes)


def not_told(error: pynvml.NVMLError) -> Message:
    reason = library.absence_of(error.value).sentence
    return Message("not reported: {reason}", reason=reason)


def _lanes_now(handle: object) -> int:
    """The slot of a virtual machine may have fewer: it is made up. 0 where it is not told."""
    try:
        lanes = int(pynvml.nvmlDeviceGetCurrPcieLinkWidth(handle))
    except pynvml.NVMLError:
        return 0
    return lanes if lanes in _LANES else 0


def _generation(handle: object, link: int) -> int | None:
    try:
        return _GENERATIONS.get(int(pynvml.nvmlDeviceGetNvLinkVersion(handle, link)))
    except pynvml.NVMLError:
        return None


def _leads_to_switch(handle: object, link: int) -> bool:
    try:
        kind = pynvml.nvmlDeviceGetNvLinkRemoteDeviceType(handle, link)
    except pynvml.NVMLError:
        return False
    return bool(kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH)


def _fields(handle: object, asked: list[tuple[int, int]]) -> list[float | Absence]:
    try:
        return [figure for figure, _ in fields(handle, asked)]
    except pynvml.NVMLError:
        return [Absence.NOT_IN_DRIVER] * len(asked)


def _per_second(speed: float | Absence) -> float | None:
    """The driver reports MB/s; what is beyond any link there is counts as not reported."""
    return None if isinstance(speed, Absence) or not 1e4 < speed < 2e5 else speed * 1e6
