"""The wires: PCIe and NVLink, what they could do and what they carry."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Part, Unit
from gpuexplorer.core.words import Message

PCIE_GENERATION = MetricId("pcie_generation")
PCIE_GENERATION_MAX = MetricId("pcie_generation_max")
PCIE_GENERATION_CARD = MetricId("pcie_generation_card_max")
PCIE_GENERATION_SLOT = MetricId("pcie_generation_slot_max")
PCIE_WIDTH = MetricId("pcie_width")
PCIE_WIDTH_MAX = MetricId("pcie_width_max")
PCIE_WIDTH_SLOT = MetricId("pcie_width_slot_max")
PCIE_RECEIVE = MetricId("pcie_receive")
PCIE_TRANSMIT = MetricId("pcie_transmit")
PCIE_REPLAYS = MetricId("pcie_replays")
NVLINK_RECEIVE = MetricId("nvlink_receive")
NVLINK_TRANSMIT = MetricId("nvlink_transmit")
NVLINK_ACTIVE = MetricId("nvlink_active")

MOST_NVLINKS = 36  # as NVML counts them; Hopper and Blackwell have 18
MOST_PCIE_RATE = 5e11
MOST_NVLINK_RATE = 2e11  # of one link: four times the fastest there is


def nvlink_receive(link: int) -> MetricId:
    return MetricId(f"nvlink_{link}_receive")


def nvlink_transmit(link: int) -> MetricId:
    return MetricId(f"nvlink_{link}_transmit")


def nvlink_state(link: int) -> MetricId:
    return MetricId(f"nvlink_{link}_state")


def _generation(
    metric: MetricId, label: Message, meaning: Message, smi: str, slow: bool
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.GENERATION,
        meaning,
        smi,
        Cadence.SLOW,
        lowest=1.0,
        highest=7.0,
        plotted=slow,
    )


def _lanes(
    metric: MetricId, label: Message, meaning: Message, smi: str, plotted: bool
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.LANES,
        meaning,
        smi,
        Cadence.SLOW,
        lowest=1.0,
        highest=32.0,
        plotted=plotted,
    )


def _rate(
    metric: MetricId,
    label: Message,
    meaning: Message,
    smi: str,
    part: tuple[Part, int] | None = None,
    highest: float = MOST_NVLINKS * MOST_NVLINK_RATE,
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.BYTES_PER_SECOND,
        meaning,
        smi,
        Cadence.ON_DEMAND,
        highest=highest,
        part=part,
    )


def _nvlink(link: int) -> tuple[Metric, ...]:
    part = (Part.NVLINK, link)
    return (
        _rate(
            nvlink_receive(link),
            Message("NVLink {link} in", link=link),
            Message("Bytes per second that arrive over NVLink {link}.", link=link),
            "nvlink -gt d",
            part,
            MOST_NVLINK_RATE,
        ),
        _rate(
            nvlink_transmit(link),
            Message("NVLink {link} out", link=link),
            Message("Bytes per second that leave over NVLink {link}.", link=link),
            "nvlink -gt d",
            part,
            MOST_NVLINK_RATE,
        ),
        Metric(
            nvlink_state(link),
            Message("NVLink {link} state", link=link),
            Unit.STATE,
            Message("Whether NVLink {link} is up.", link=link),
            "nvlink -s",
            Cadence.SLOW,
            highest=3.0,
            part=part,
            choices={
                0: Message("down"),
                1: Message("up"),
                2: Message("sleeping"),
                3: Message("up, carrying nothing"),
            },
        ),
    )


METRICS = (
    _generation(
        PCIE_GENERATION,
        Message("PCIe generation"),
        Message(
            "PCIe generation the link runs at now; it drops when the card idles, to save power."
        ),
        "pcie.link.gen.gpucurrent",
        slow=True,
    ),
    _generation(
        PCIE_GENERATION_MAX,
        Message("PCIe generation, highest here"),
        Message("Highest PCIe generation this card reaches in this slot."),
        "pcie.link.gen.max",
        slow=False,
    ),
    _generation(
        PCIE_GENERATION_CARD,
        Message("PCIe generation of the card"),
        Message("Highest PCIe generation the card could do in a slot that does it too."),
        "pcie.link.gen.gpumax",
        slow=False,
    ),
    _generation(
        PCIE_GENERATION_SLOT,
        Message("PCIe generation of the slot"),
        Message("Highest PCIe generation the slot offers, as the operating system reports it."),
        "pcie.link.gen.hostmax",
        slow=False,
    ),
    _lanes(
        PCIE_WIDTH,
        Message("PCIe lanes"),
        Message("Number of PCIe lanes the link uses now."),
        "pcie.link.width.current",
        plotted=True,
    ),
    _lanes(
        PCIE_WIDTH_MAX,
        Message("PCIe lanes of the card"),
        Message("Most PCIe lanes this card can use in this slot."),
        "pcie.link.width.max",
        plotted=False,
    ),
    _lanes(
        PCIE_WIDTH_SLOT,
        Message("PCIe lanes of the slot"),
        Message("Most PCIe lanes the slot offers, as the operating system reports it."),
        "",
        plotted=False,
    ),
    _rate(
        PCIE_RECEIVE,
        Message("PCIe in"),
        Message("Bytes per second that arrive at the card over PCIe."),
        "dmon -s t",
        highest=MOST_PCIE_RATE,
    ),
    _rate(
        PCIE_TRANSMIT,
        Message("PCIe out"),
        Message("Bytes per second that leave the card over PCIe."),
        "dmon -s t",
        highest=MOST_PCIE_RATE,
    ),
    Metric(
        PCIE_REPLAYS,
        Message("PCIe replays"),
        Unit.COUNT,
        Message(
            "Packets that had to be sent again over PCIe; a growing number is a bad contact."
        ),
        "-q",
        Cadence.SLOW,
        highest=float(2**32 - 2),  # all ones stand for unknown
    ),
    _rate(
        NVLINK_RECEIVE,
        Message("NVLink in"),
        Message("Bytes per second that arrive over all NVLinks together."),
        "nvlink -gt d",
    ),
    _rate(
        NVLINK_TRANSMIT,
        Message("NVLink out"),
        Message("Bytes per second that leave over all NVLinks together."),
        "nvlink -gt d",
    ),
    Metric(
        NVLINK_ACTIVE,
        Message("NVLinks up"),
        Unit.COUNT,
        Message("How many of the card's NVLinks are up."),
        "nvlink -s",
        Cadence.SLOW,
        highest=float(MOST_NVLINKS),
    ),
    *(metric for link in range(MOST_NVLINKS) for metric in _nvlink(link)),
)
