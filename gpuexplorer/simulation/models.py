"""The graphics cards that can be made believe: what drivers and datasheets say of each."""

from dataclasses import dataclass
from enum import Enum

MIB = 1 << 20


class Wire(Enum):
    """How a model's NVLinks reach other cards."""

    NONE = "none"
    BRIDGE = "bridge"  # a bridge on top joins two cards
    SWITCH = "switch"  # every card of a board reaches every other


@dataclass(frozen=True, slots=True)
class Memory:
    """A card's memory as its driver reports it."""

    total_mib: int
    reserved_mib: int
    bytes_per_second: float
    hbm: bool = False  # stacked on the chip: it has a thermometer and one steady clock
    ecc: bool | None = None  # None: it has no ECC, False: it has and it is switched off

    @property
    def total_bytes(self) -> int:
        return self.total_mib * MIB

    @property
    def reserved_bytes(self) -> int:
        return self.reserved_mib * MIB


@dataclass(frozen=True, slots=True)
class Clocks:
    """Clocks in MHz, as datasheets print them; `most` is the highest that can be set."""

    idle: int
    base: int
    boost: int
    most: int
    memory_idle: int
    memory: int


@dataclass(frozen=True, slots=True)
class Power:
    """Watts: at rest, the limit it comes with, and between what that limit can be set."""

    idle: float
    limit: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Heat:
    """Degrees Celsius: where it settles at full power, and where it begins to defend itself."""

    full: float
    target: float
    slowdown: float
    shutdown: float
    fans: int = 0
    fans_stop: bool = False  # while the card is cool
    margin: bool = False  # the driver tells how many degrees are left


@dataclass(frozen=True, slots=True)
class Wires:
    """PCIe and NVLink; the rate is one NVLink's bytes per second, each direction."""

    pcie_generation: int
    pcie_lanes: int = 16
    nvlink: Wire = Wire.NONE
    nvlinks: int = 0
    nvlink_generation: int | None = None
    nvlink_rate: float = 0.0
    pcie_peers: bool = True  # the driver lets cards copy to each other over PCIe


@dataclass(frozen=True, slots=True)
class Speed:
    """Floating-point operations per second; bf16 on tensor cores, None where it has none."""

    fp32: float
    bf16: float | None


@dataclass(frozen=True, slots=True)
class CardModel:
    """One model. `key` is what a person types, `name` is what the driver calls it."""

    key: str
    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory: Memory
    clocks: Clocks
    power: Power
    heat: Heat
    wires: Wires
    speed: Speed
    idle_state: int = 8  # the P-state it rests in
    busy_state: int = 0  # the P-state it computes in
    display: bool = False  # it is made to drive a display
    mig: bool = False  # it can be cut into instances
    gpm: bool = False  # the driver tells how busy its parts are

    @property
    def cores(self) -> int:
        """For single precision, as its driver counts them."""
        halved = self.compute_capability in _HALF_AS_MANY_CORES
        return self.multiprocessors * (64 if halved else 128)

    @property
    def memory_bus_bits(self) -> int:
        """What its bandwidth and its memory's clock leave, in whole channels."""
        bits = self.memory.bytes_per_second * 8 / (2e6 * self.clocks.memory)
        channel = 512 if self.memory.hbm else 32
        return round(bits / channel) * channel


_HALF_AS_MANY_CORES = ((6, 0), (7, 0), (7, 5), (8, 0))

MODELS = (
    CardModel(
        key="TitanRTX",
        name="NVIDIA TITAN RTX",
        compute_capability=(7, 5),
        multiprocessors=72,
        memory=Memory(24576, 356, 672e9),
        clocks=Clocks(300, 1350, 1770, 2100, 405, 7001),
        power=Power(13, 280, 100, 320),
        heat=Heat(full=76, target=84, slowdown=91, shutdown=94, fans=1),
        wires=Wires(3, 16, Wire.BRIDGE, 2, 2, 25e9, pcie_peers=False),
        speed=Speed(16.31e12, None),
        busy_state=2,
        display=True,
    ),
    CardModel(
        key="T4",
        name="Tesla T4",
        compute_capability=(7, 5),
        multiprocessors=40,
        memory=Memory(15360, 425, 320e9, ecc=True),
        clocks=Clocks(300, 585, 1590, 1590, 405, 5001),
        power=Power(9, 70, 60, 70),
        heat=Heat(full=75, target=85, slowdown=93, shutdown=96),
        wires=Wires(3),
        speed=Speed(8.14e12, None),
    ),
    CardModel(
        key="V100",
        name="Tesla V100-SXM3-32GB",
        compute_capability=(7, 0),
        multiprocessors=80,
        memory=Memory(32768, 272, 981e9, hbm=True, ecc=True),
        clocks=Clocks(135, 1290, 1597, 1597, 958, 958),
        power=Power(46, 350, 150, 350),
        heat=Heat(full=66, target=83, slowdown=87, shutdown=90),
        wires=Wires(3, 16, Wire.SWITCH, 6, 2, 25e9),
        speed=Speed(16.35e12, None),
        idle_state=0,
    ),
    CardModel(
        key="A100",
        name="NVIDIA A100-SXM4-80GB",
        compute_capability=(8, 0),
        multiprocessors=108,
        memory=Memory(81920, 693, 2039e9, hbm=True, ecc=True),
        clocks=Clocks(210, 1275, 1410, 1410, 1593, 1593),
        power=Power(58, 400, 100, 400),
        heat=Heat(full=66, target=85, slowdown=89, shutdown=92),
        wires=Wires(4, 16, Wire.SWITCH, 12, 3, 25e9),
        speed=Speed(19.49e12, 312e12),
        idle_state=0,
        mig=True,
    ),
    CardModel(
        key="A10",
        name="NVIDIA A10",
        compute_capability=(8, 6),
        multiprocessors=72,
        memory=Memory(23028, 297, 600.2e9, ecc=True),
        clocks=Clocks(210, 885, 1695, 1695, 405, 6251),
        power=Power(17, 150, 100, 150),
        heat=Heat(full=72, target=88, slowdown=95, shutdown=98),
        wires=Wires(4),
        speed=Speed(31.24e12, 125e12),
    ),
    CardModel(
        key="A6000",
        name="NVIDIA RTX A6000",
        compute_capability=(8, 6),
        multiprocessors=84,
        memory=Memory(49140, 547, 768e9, ecc=False),
        clocks=Clocks(210, 1410, 1800, 2100, 405, 8001),
        power=Power(21, 300, 100, 300),
        heat=Heat(full=78, target=88, slowdown=95, shutdown=98, fans=1),
        wires=Wires(4, 16, Wire.BRIDGE, 4, 3, 14.0625e9),
        speed=Speed(38.71e12, 154.8e12),
        busy_state=2,
        display=True,
    ),
    CardModel(
        key="RTX3090",
        name="NVIDIA GeForce RTX 3090",
        compute_capability=(8, 6),
        multiprocessors=82,
        memory=Memory(24576, 316, 936.2e9),
        clocks=Clocks(210, 1395, 1695, 2100, 405, 9751),
        power=Power(22, 350, 100, 400),
        heat=Heat(full=70, target=83, slowdown=95, shutdown=98, fans=2, fans_stop=True),
        wires=Wires(4, 16, Wire.BRIDGE, 4, 3, 14.0625e9, pcie_peers=False),
        speed=Speed(35.58e12, 71.2e12),
        busy_state=2,
        display=True,
    ),
    CardModel(
        key="RTX4060",
        name="NVIDIA GeForce RTX 4060",
        compute_capability=(8, 9),
        multiprocessors=24,
        memory=Memory(8188, 225, 272e9),
        clocks=Clocks(210, 1830, 2460, 3105, 405, 8501),
        power=Power(7, 115, 90, 115),
        heat=Heat(full=66, target=83, slowdown=90, shutdown=95, fans=2, fans_stop=True),
        wires=Wires(4, 8, pcie_peers=False),
        speed=Speed(15.11e12, 30.2e12),
        busy_state=2,
        display=True,
    ),
    CardModel(
        key="RTX4090",
        name="NVIDIA GeForce RTX 4090",
        compute_capability=(8, 9),
        multiprocessors=128,
        memory=Memory(24564, 434, 1008e9, ecc=False),
        clocks=Clocks(210, 2235, 2730, 3105, 405, 10501),
        power=Power(19, 450, 150, 600),
        heat=Heat(full=68, target=84, slowdown=90, shutdown=95, fans=2, fans_stop=True),
        wires=Wires(4, 16, pcie_peers=False),
        speed=Speed(82.58e12, 165.2e12),
        busy_state=2,
        display=True,
    ),
    CardModel(
        key="L4",
        name="NVIDIA L4",
        compute_capability=(8, 9),
        multiprocessors=58,
        memory=Memory(23034, 497, 300e9, ecc=True),
        clocks=Clocks(210, 795, 2040, 2040, 405, 6251),
        power=Power(12, 72, 40, 72),
        heat=Heat(full=74, target=86, slowdown=95, shutdown=98, margin=True),
        wires=Wires(4),
        speed=Speed(30.29e12, 121e12),
    ),
    CardModel(
        key="L40S",
        name="NVIDIA L40S",
        compute_capability=(8, 9),
        multiprocessors=142,
        memory=Memory(46068, 609, 864e9, ecc=True),
        clocks=Clocks(210, 1110, 2520, 2520, 405, 9001),
        power=Power(33, 350, 100, 350),
        heat=Heat(full=70, target=88, slowdown=95, shutdown=98, margin=True),
        wires=Wires(4),
        speed=Speed(91.61e12, 362e12),
    ),
    CardModel(
        key="H100",
        name="NVIDIA H100 80GB HBM3",
        compute_capability=(9, 0),
        multiprocessors=132,
        memory=Memory(81559, 479, 3352e9, hbm=True, ecc=True),
        clocks=Clocks(345, 1590, 1980, 1980, 2619, 2619),
        power=Power(71, 700, 200, 700),
        heat=Heat(full=66, target=87, slowdown=90, shutdown=93, margin=True),
        wires=Wires(5, 16, Wire.SWITCH, 18, 4, 25e9),
        speed=Speed(66.91e12, 989.4e12),
        idle_state=0,
        mig=True,
        gpm=True,
    ),
    CardModel(
        key="H200",
        name="NVIDIA H200",
        compute_capability=(9, 0),
        multiprocessors=132,
        memory=Memory(143771, 614, 4800e9, hbm=True, ecc=True),
        clocks=Clocks(345, 1590, 1980, 1980, 3201, 3201),
        power=Power(77, 700, 200, 700),
        heat=Heat(full=64, target=87, slowdown=90, shutdown=93, margin=True),
        wires=Wires(5, 16, Wire.SWITCH, 18, 4, 25e9),
        speed=Speed(66.91e12, 989.4e12),
        idle_state=0,
        mig=True,
        gpm=True,
    ),
    CardModel(
        key="B200",
        name="NVIDIA B200",
        compute_capability=(10, 0),
        multiprocessors=148,
        memory=Memory(183359, 740, 7700e9, hbm=True, ecc=True),
        clocks=Clocks(120, 1665, 1965, 1965, 3996, 3996),
        power=Power(142, 1000, 200, 1000),
        heat=Heat(full=68, target=88, slowdown=92, shutdown=95, margin=True),
        wires=Wires(5, 16, Wire.SWITCH, 18, 5, 50e9),
        speed=Speed(80e12, 2250e12),
        idle_state=0,
        mig=True,
        gpm=True,
    ),
    CardModel(
        key="RTX5090",
        name="NVIDIA GeForce RTX 5090",
        compute_capability=(12, 0),
        multiprocessors=170,
        memory=Memory(32607, 480, 1792e9),
        clocks=Clocks(180, 2017, 2640, 3090, 405, 14001),
        power=Power(24, 575, 400, 600),
        heat=Heat(full=72, target=84, slowdown=90, shutdown=95, fans=2, fans_stop=True),
        wires=Wires(5, 16, pcie_peers=False),
        speed=Speed(104.8e12, 209.6e12),
        busy_state=2,
        display=True,
    ),
)
