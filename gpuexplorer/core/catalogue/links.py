"""The wires: PCIe and NVLink, what they could do and what they carry."""

from gpuexplorer.core.metric import Cadence, MetricId, Part, Subject, Unit
from gpuexplorer.core.words import Message

_subject = Subject()
_add = _subject.add

MOST_NVLINKS = 36  # as NVML counts them; Hopper and Blackwell have 18
MOST_PCIE_RATE = 5e11
MOST_NVLINK_RATE = 2e11  # of one link: four times the fastest there is

PCIE_GENERATION = _add(
    "pcie_generation",
    Unit.GENERATION,
    Message("PCIe generation"),
    Message(
        "PCIe generation the link runs at now; it drops when the card idles, to save power."
    ),
    "pcie.link.gen.gpucurrent",
)
PCIE_GENERATION_MAX = _add(
    "pcie_generation_max",
    Unit.GENERATION,
    Message("PCIe generation, highest here"),
    Message("Highest PCIe generation this card reaches in this slot."),
    "pcie.link.gen.max",
    plotted=False,
)
PCIE_GENERATION_CARD = _add(
    "pcie_generation_card_max",
    Unit.GENERATION,
    Message("PCIe generation of the card"),
    Message("Highest PCIe generation the card could do in a slot that does it too."),
    "pcie.link.gen.gpumax",
    plotted=False,
)
PCIE_GENERATION_SLOT = _add(
    "pcie_generation_slot_max",
    Unit.GENERATION,
    Message("PCIe generation of the slot"),
    Message("Highest PCIe generation the slot offers, as the operating system reports it."),
    "pcie.link.gen.hostmax",
    plotted=False,
)
PCIE_WIDTH = _add(
    "pcie_width",
    Unit.LANES,
    Message("PCIe lanes"),
    Message("Number of PCIe lanes the link uses now."),
    "pcie.link.width.current",
)
PCIE_WIDTH_MAX = _add(
    "pcie_width_max",
    Unit.LANES,
    Message("PCIe lanes of the card"),
    Message("Most PCIe lanes this card can use in this slot."),
    "pcie.link.width.max",
    plotted=False,
)
PCIE_WIDTH_SLOT = _add(
    "pcie_width_slot_max",
    Unit.LANES,
    Message("PCIe lanes of the slot"),
    Message("Most PCIe lanes the slot offers, as the operating system reports it."),
    plotted=False,
)
PCIE_RECEIVE = _add(
    "pcie_receive",
    Unit.BYTES_PER_SECOND,
    Message("PCIe in"),
    Message("Bytes per second that arrive at the card over PCIe."),
    "dmon -s t",
    Cadence.ON_DEMAND,
    highest=MOST_PCIE_RATE,
)
PCIE_TRANSMIT = _add(
    "pcie_transmit",
    Unit.BYTES_PER_SECOND,
    Message("PCIe out"),
    Message("Bytes per second that leave the card over PCIe."),
    "dmon -s t",
    Cadence.ON_DEMAND,
    highest=MOST_PCIE_RATE,
)
PCIE_REPLAYS = _add(
    "pcie_replays",
    Unit.COUNT,
    Message("PCIe replays"),
    Message("Packets that had to be sent again over PCIe; a growing number is a bad contact."),
    "-q",
    highest=float(2**32 - 2),  # all ones stand for unknown
)
NVLINK_RECEIVE = _add(
    "nvlink_receive",
    Unit.BYTES_PER_SECOND,
    Message("NVLink in"),
    Message("Bytes per second that arrive over all NVLinks together."),
    "nvlink -gt d",
    Cadence.ON_DEMAND,
    highest=MOST_NVLINKS * MOST_NVLINK_RATE,
)
NVLINK_TRANSMIT = _add(
    "nvlink_transmit",
    Unit.BYTES_PER_SECOND,
    Message("NVLink out"),
    Message("Bytes per second that leave over all NVLinks together."),
    "nvlink -gt d",
    Cadence.ON_DEMAND,
    highest=MOST_NVLINKS * MOST_NVLINK_RATE,
)
NVLINK_ACTIVE = _add(
    "nvlink_active",
    Unit.COUNT,
    Message("NVLinks up"),
    Message("How many of the card's NVLinks are up."),
    "nvlink -s",
    highest=float(MOST_NVLINKS),
)


def nvlink_receive(link: int) -> MetricId:
    return MetricId(f"nvlink_{link}_receive")


def nvlink_transmit(link: int) -> MetricId:
    return MetricId(f"nvlink_{link}_transmit")


def nvlink_state(link: int) -> MetricId:
    return MetricId(f"nvlink_{link}_state")


_STATES = {
    0: Message("down"),
    1: Message("up"),
    2: Message("sleeping"),
    3: Message("up, carrying nothing"),
}
for _link in range(MOST_NVLINKS):
    _add(
        nvlink_receive(_link),
        Unit.BYTES_PER_SECOND,
        Message("NVLink {link} in", link=_link),
        Message("Bytes per second that arrive over NVLink {link}.", link=_link),
        "nvlink -gt d",
        Cadence.ON_DEMAND,
        highest=MOST_NVLINK_RATE,
        part=(Part.NVLINK, _link),
    )
    _add(
        nvlink_transmit(_link),
        Unit.BYTES_PER_SECOND,
        Message("NVLink {link} out", link=_link),
        Message("Bytes per second that leave over NVLink {link}.", link=_link),
        "nvlink -gt d",
        Cadence.ON_DEMAND,
        highest=MOST_NVLINK_RATE,
        part=(Part.NVLINK, _link),
    )
    _add(
        nvlink_state(_link),
        Unit.STATE,
        Message("NVLink {link} state", link=_link),
        Message("Whether NVLink {link} is up.", link=_link),
        "nvlink -s",
        choices=_STATES,
        part=(Part.NVLINK, _link),
    )

METRICS = tuple(_subject.metrics)
