"""Health and modes: memory errors, worn-out memory, and how the card is set up."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Unit
from gpuexplorer.core.words import Message

ECC_MODE = MetricId("ecc_mode")
ECC_CORRECTED = MetricId("ecc_corrected")
ECC_UNCORRECTED = MetricId("ecc_uncorrected")
ECC_CORRECTED_EVER = MetricId("ecc_corrected_ever")
ECC_UNCORRECTED_EVER = MetricId("ecc_uncorrected_ever")
RETIRED_PAGES_CORRECTED = MetricId("retired_pages_corrected")
RETIRED_PAGES_UNCORRECTED = MetricId("retired_pages_uncorrected")
RETIRED_PAGES_PENDING = MetricId("retired_pages_pending")
REMAPPED_ROWS_CORRECTED = MetricId("remapped_rows_corrected")
REMAPPED_ROWS_UNCORRECTED = MetricId("remapped_rows_uncorrected")
REMAPPED_ROWS_PENDING = MetricId("remapped_rows_pending")
REMAPPED_ROWS_FAILED = MetricId("remapped_rows_failed")
COMPUTE_MODE = MetricId("compute_mode")
PERSISTENCE_MODE = MetricId("persistence_mode")
MIG_MODE = MetricId("mig_mode")
VIRTUALIZATION_MODE = MetricId("virtualization_mode")
DISPLAY_ACTIVE = MetricId("display_active")

# A card has fewer spare pages and rows than that.
_MOST_REPLACED = 1e5

_OFF_ON = {0: Message("off"), 1: Message("on")}


def _count(
    metric: MetricId, label: Message, meaning: Message, smi: str, highest: float = 1e15
) -> Metric:
    return Metric(metric, label, Unit.COUNT, meaning, smi, Cadence.SLOW, highest=highest)


def _flag(metric: MetricId, label: Message, meaning: Message, smi: str) -> Metric:
    return Metric(metric, label, Unit.FLAG, meaning, smi, Cadence.SLOW, highest=1.0)


def _state(
    metric: MetricId, label: Message, meaning: Message, smi: str, choices: dict[int, Message]
) -> Metric:
    return Metric(
        metric,
        label,
        Unit.STATE,
        meaning,
        smi,
        Cadence.SLOW,
        highest=max(choices),
        choices=choices,
        plotted=False,
    )


METRICS = (
    _state(
        ECC_MODE,
        Message("ECC"),
        Message("Whether the card's memory repairs its own single-bit errors."),
        "ecc.mode.current",
        _OFF_ON,
    ),
    _count(
        ECC_CORRECTED,
        Message("ECC repaired"),
        Message("Memory errors that were found and repaired since the driver was loaded."),
        "ecc.errors.corrected.volatile.total",
    ),
    _count(
        ECC_UNCORRECTED,
        Message("ECC not repaired"),
        Message("Memory errors that could not be repaired since the driver was loaded."),
        "ecc.errors.uncorrected.volatile.total",
    ),
    _count(
        ECC_CORRECTED_EVER,
        Message("ECC repaired, ever"),
        Message("Memory errors that were found and repaired in the card's life."),
        "ecc.errors.corrected.aggregate.total",
    ),
    _count(
        ECC_UNCORRECTED_EVER,
        Message("ECC not repaired, ever"),
        Message("Memory errors that could not be repaired in the card's life."),
        "ecc.errors.uncorrected.aggregate.total",
    ),
    _count(
        RETIRED_PAGES_CORRECTED,
        Message("Pages retired, repaired"),
        Message("Memory pages given up because they needed repair again and again."),
        "retired_pages.single_bit_ecc.count",
        _MOST_REPLACED,
    ),
    _count(
        RETIRED_PAGES_UNCORRECTED,
        Message("Pages retired, lost"),
        Message("Memory pages given up because an error in them could not be repaired."),
        "retired_pages.double_bit.count",
        _MOST_REPLACED,
    ),
    _flag(
        RETIRED_PAGES_PENDING,
        Message("Page retirement pending"),
        Message("Whether a page is to be given up at the next restart of the card."),
        "retired_pages.pending",
    ),
    _count(
        REMAPPED_ROWS_CORRECTED,
        Message("Rows remapped, repaired"),
        Message("Memory rows replaced by spare ones after errors that could be repaired."),
        "remapped_rows.correctable",
        _MOST_REPLACED,
    ),
    _count(
        REMAPPED_ROWS_UNCORRECTED,
        Message("Rows remapped, lost"),
        Message("Memory rows replaced by spare ones after errors that could not be repaired."),
        "remapped_rows.uncorrectable",
        _MOST_REPLACED,
    ),
    _flag(
        REMAPPED_ROWS_PENDING,
        Message("Row remapping pending"),
        Message("Whether a memory row is to be replaced at the next restart of the card."),
        "remapped_rows.pending",
    ),
    _flag(
        REMAPPED_ROWS_FAILED,
        Message("Row remapping failed"),
        Message("Whether a memory row could not be replaced: the card wants service."),
        "remapped_rows.failure",
    ),
    _state(
        COMPUTE_MODE,
        Message("Compute mode"),
        Message("How many programs may compute on the card at once."),
        "compute_mode",
        {
            0: Message("any number of programs"),
            1: Message("one thread (old)"),
            2: Message("no program"),
            3: Message("one program"),
        },
    ),
    _state(
        PERSISTENCE_MODE,
        Message("Persistence"),
        Message("Whether the driver stays ready while no program uses the card."),
        "persistence_mode",
        _OFF_ON,
    ),
    _state(
        MIG_MODE,
        Message("MIG"),
        Message("Whether the card is cut into instances that work apart from each other."),
        "mig.mode.current",
        _OFF_ON,
    ),
    _state(
        VIRTUALIZATION_MODE,
        Message("Virtualisation"),
        Message("Whether the card is handed to virtual machines, and how."),
        "-q",
        {
            0: Message("none"),
            1: Message("passed through"),
            2: Message("virtual card"),
            3: Message("host of virtual cards"),
            4: Message("host of shared cards (vSGA)"),
        },
    ),
    _state(
        DISPLAY_ACTIVE,
        Message("Display"),
        Message("Whether a display shows what this card draws."),
        "display_active",
        _OFF_ON,
    ),
)
