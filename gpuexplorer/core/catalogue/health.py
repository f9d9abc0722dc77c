"""Health and modes: memory errors, worn-out memory, and how the card is set up."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Unit

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

_OFF_ON = {0: "off", 1: "on"}


def _count(metric: MetricId, label: str, meaning: str, smi: str) -> Metric:
    return Metric(metric, label, Unit.COUNT, meaning, smi, Cadence.SLOW, highest=1e15)


def _flag(metric: MetricId, label: str, meaning: str, smi: str) -> Metric:
    return Metric(metric, label, Unit.FLAG, meaning, smi, Cadence.SLOW, highest=1.0)


def _state(
    metric: MetricId, label: str, meaning: str, smi: str, choices: dict[int, str]
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
        "ECC",
        "Whether the card's memory repairs its own single-bit errors.",
        "ecc.mode.current",
        _OFF_ON,
    ),
    _count(
        ECC_CORRECTED,
        "ECC repaired",
        "Memory errors that were found and repaired since the driver was loaded.",
        "ecc.errors.corrected.volatile.total",
    ),
    _count(
        ECC_UNCORRECTED,
        "ECC not repaired",
        "Memory errors that could not be repaired since the driver was loaded.",
        "ecc.errors.uncorrected.volatile.total",
    ),
    _count(
        ECC_CORRECTED_EVER,
        "ECC repaired, ever",
        "Memory errors that were found and repaired in the card's life.",
        "ecc.errors.corrected.aggregate.total",
    ),
    _count(
        ECC_UNCORRECTED_EVER,
        "ECC not repaired, ever",
        "Memory errors that could not be repaired in the card's life.",
        "ecc.errors.uncorrected.aggregate.total",
    ),
    _count(
        RETIRED_PAGES_CORRECTED,
        "Pages retired, repaired",
        "Memory pages given up because they needed repair again and again.",
        "retired_pages.single_bit_ecc.count",
    ),
    _count(
        RETIRED_PAGES_UNCORRECTED,
        "Pages retired, lost",
        "Memory pages given up because an error in them could not be repaired.",
        "retired_pages.double_bit.count",
    ),
    _flag(
        RETIRED_PAGES_PENDING,
        "Page retirement pending",
        "Whether a page is to be given up at the next restart of the card.",
        "retired_pages.pending",
    ),
    _count(
        REMAPPED_ROWS_CORRECTED,
        "Rows remapped, repaired",
        "Memory rows replaced by spare ones after errors that could be repaired.",
        "remapped_rows.correctable",
    ),
    _count(
        REMAPPED_ROWS_UNCORRECTED,
        "Rows remapped, lost",
        "Memory rows replaced by spare ones after errors that could not be repaired.",
        "remapped_rows.uncorrectable",
    ),
    _flag(
        REMAPPED_ROWS_PENDING,
        "Row remapping pending",
        "Whether a memory row is to be replaced at the next restart of the card.",
        "remapped_rows.pending",
    ),
    _flag(
        REMAPPED_ROWS_FAILED,
        "Row remapping failed",
        "Whether a memory row could not be replaced: the card wants service.",
        "remapped_rows.failure",
    ),
    _state(
        COMPUTE_MODE,
        "Compute mode",
        "How many programs may compute on the card at once.",
        "compute_mode",
        {
            0: "any number of programs",
            1: "one thread (old)",
            2: "no program",
            3: "one program",
        },
    ),
    _state(
        PERSISTENCE_MODE,
        "Persistence",
        "Whether the driver stays ready while no program uses the card.",
        "persistence_mode",
        _OFF_ON,
    ),
    _state(
        MIG_MODE,
        "MIG",
        "Whether the card is cut into instances that work apart from each other.",
        "mig.mode.current",
        _OFF_ON,
    ),
    _state(
        VIRTUALIZATION_MODE,
        "Virtualisation",
        "Whether the card is handed to virtual machines, and how.",
        "-q",
        {
            0: "none",
            1: "passed through",
            2: "virtual card",
            3: "host of virtual cards",
            4: "host of virtual cards (SR-IOV)",
        },
    ),
    _state(
        DISPLAY_ACTIVE,
        "Display",
        "Whether a display shows what this card draws.",
        "display_active",
        _OFF_ON,
    ),
)
