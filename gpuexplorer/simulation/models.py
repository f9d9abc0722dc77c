"""The graphics cards that can be made believe: what drivers and datasheets say of each."""

import json
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from gpuexplorer.core.records import reader
from gpuexplorer.core.resources import table

MIB = 1 << 20


class Wire(Enum):
    """How a model's NVLinks reach other cards."""

    NONE = "none"
    BRIDGE = "bridge"  # a bridge on top joins two cards
    SWITCH = "switch"  # every card of a board reaches every other


@dataclass(frozen=True, slots=True)
class CardModel:
    """A row of models.csv. `key` is what a person types, `name` what the driver calls it.

    Clocks are MHz, power is watts, heat degrees Celsius, rates bytes per second, speeds
    operations per second.
    """

    key: str
    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory_mib: int
    reserved_mib: int
    memory_rate: float
    hbm: bool  # stacked on the chip: it has a thermometer and one steady clock
    ecc: bool | None  # None: it has no ECC, False: it has and it is switched off
    clock_idle: int
    clock_base: int
    clock_boost: int
    clock_most: int  # that can be set
    memory_clock_idle: int
    memory_clock: int
    power_idle: float
    power_limit: float  # that it comes with, and between what it can be set
    power_least: float
    power_most: float
    heat_full: float  # where it settles at full power, and where it begins to defend itself
    heat_target: float
    heat_slowdown: float
    heat_shutdown: float
    fans: int
    fans_stop: bool  # while the card is cool
    margin: bool  # the driver tells how many degrees are left
    pcie_generation: int
    pcie_lanes: int
    pcie_peers: bool  # the driver lets cards copy to each other over PCIe
    wire: Wire
    nvlinks: int
    nvlink_generation: int | None
    nvlink_rate: float  # of one, each direction
    fp32: float
    bf16: float | None  # on tensor cores, None where it has none
    idle_state: int  # the P-state it rests in, and the one it computes in
    busy_state: int
    display: bool  # it is made to drive a display
    mig: bool  # it can be cut into instances
    gpm: bool  # the driver tells how busy its parts are

    @property
    def memory_bytes(self) -> int:
        return self.memory_mib * MIB

    @property
    def reserved_bytes(self) -> int:
        return self.reserved_mib * MIB

    @property
    def usable_bytes(self) -> int:
        return self.memory_bytes - self.reserved_bytes

    @property
    def pcie_rate(self) -> float:
        """In theory."""
        return _PCIE_LANE_RATES[self.pcie_generation] * self.pcie_lanes

    @property
    def cores(self) -> int:
        """For single precision, as its driver counts them."""
        halved = self.compute_capability in _HALF_AS_MANY_CORES
        return self.multiprocessors * (64 if halved else 128)

    @property
    def memory_bus_bits(self) -> int:
        """What its bandwidth and its memory's clock leave, in whole channels."""
        bits = self.memory_rate * 8 / (2e6 * self.memory_clock)
        channel = 512 if self.hbm else 32
        return round(bits / channel) * channel


_PCIE_LANE_RATES = {3: 0.985e9, 4: 1.969e9, 5: 3.938e9}
_HALF_AS_MANY_CORES = ((6, 0), (7, 0), (7, 5), (8, 0))


def _cell(text: str) -> object:
    """As in JSON; what is nothing of that is a text, and an empty one stands for null."""
    with suppress(ValueError):
        return json.loads(text or "null")
    return text


_read = reader(CardModel)
MODELS: tuple[CardModel, ...] = tuple(
    _read({name: _cell(text) for name, text in row.items()})
    for row in table("simulation", "models.csv")
)
