"""Health and modes: memory errors, worn-out memory, and how the card is set up."""

from gpuexplorer.core.metric import Subject, Unit
from gpuexplorer.core.words import Message

_subject = Subject()
_add = _subject.add

# A card has fewer spare pages and rows than that.
_MOST_REPLACED = 1e5
_OFF_ON = {0: Message("off"), 1: Message("on")}

ECC_MODE = _add(
    "ecc_mode",
    Unit.STATE,
    Message("ECC"),
    Message("Whether the card's memory repairs its own single-bit errors."),
    "ecc.mode.current",
    choices=_OFF_ON,
    plotted=False,
)
ECC_CORRECTED = _add(
    "ecc_corrected",
    Unit.COUNT,
    Message("ECC repaired"),
    Message("Memory errors that were found and repaired since the driver was loaded."),
    "ecc.errors.corrected.volatile.total",
)
ECC_UNCORRECTED = _add(
    "ecc_uncorrected",
    Unit.COUNT,
    Message("ECC not repaired"),
    Message("Memory errors that could not be repaired since the driver was loaded."),
    "ecc.errors.uncorrected.volatile.total",
)
ECC_CORRECTED_EVER = _add(
    "ecc_corrected_ever",
    Unit.COUNT,
    Message("ECC repaired, ever"),
    Message("Memory errors that were found and repaired in the card's life."),
    "ecc.errors.corrected.aggregate.total",
)
ECC_UNCORRECTED_EVER = _add(
    "ecc_uncorrected_ever",
    Unit.COUNT,
    Message("ECC not repaired, ever"),
    Message("Memory errors that could not be repaired in the card's life."),
    "ecc.errors.uncorrected.aggregate.total",
)
RETIRED_PAGES_CORRECTED = _add(
    "retired_pages_corrected",
    Unit.COUNT,
    Message("Pages retired, repaired"),
    Message("Memory pages given up because they needed repair again and again."),
    "retired_pages.single_bit_ecc.count",
    highest=_MOST_REPLACED,
)
RETIRED_PAGES_UNCORRECTED = _add(
    "retired_pages_uncorrected",
    Unit.COUNT,
    Message("Pages retired, lost"),
    Message("Memory pages given up because an error in them could not be repaired."),
    "retired_pages.double_bit.count",
    highest=_MOST_REPLACED,
)
RETIRED_PAGES_PENDING = _add(
    "retired_pages_pending",
    Unit.FLAG,
    Message("Page retirement pending"),
    Message("Whether a page is to be given up at the next restart of the card."),
    "retired_pages.pending",
)
REMAPPED_ROWS_CORRECTED = _add(
    "remapped_rows_corrected",
    Unit.COUNT,
    Message("Rows remapped, repaired"),
    Message("Memory rows replaced by spare ones after errors that could be repaired."),
    "remapped_rows.correctable",
    highest=_MOST_REPLACED,
)
REMAPPED_ROWS_UNCORRECTED = _add(
    "remapped_rows_uncorrected",
    Unit.COUNT,
    Message("Rows remapped, lost"),
    Message("Memory rows replaced by spare ones after errors that could not be repaired."),
    "remapped_rows.uncorrectable",
    highest=_MOST_REPLACED,
)
REMAPPED_ROWS_PENDING = _add(
    "remapped_rows_pending",
    Unit.FLAG,
    Message("Row remapping pending"),
    Message("Whether a memory row is to be replaced at the next restart of the card."),
    "remapped_rows.pending",
)
REMAPPED_ROWS_FAILED = _add(
    "remapped_rows_failed",
    Unit.FLAG,
    Message("Row remapping failed"),
    Message("Whether a memory row could not be replaced: the card wants service."),
    "remapped_rows.failure",
)
COMPUTE_MODE = _add(
    "compute_mode",
    Unit.STATE,
    Message("Compute mode"),
    Message("How many programs may compute on the card at once."),
    "compute_mode",
    choices={
        0: Message("any number of programs"),
        1: Message("one thread (old)"),
        2: Message("no program"),
        3: Message("one program"),
    },
    plotted=False,
)
PERSISTENCE_MODE = _add(
    "persistence_mode",
    Unit.STATE,
    Message("Persistence"),
    Message("Whether the driver stays ready while no program uses the card."),
    "persistence_mode",
    choices=_OFF_ON,
    plotted=False,
)
MIG_MODE = _add(
    "mig_mode",
    Unit.STATE,
    Message("MIG"),
    Message("Whether the card is cut into instances that work apart from each other."),
    "mig.mode.current",
    choices=_OFF_ON,
    plotted=False,
)
VIRTUALIZATION_MODE = _add(
    "virtualization_mode",
    Unit.STATE,
    Message("Virtualisation"),
    Message("Whether the card is handed to virtual machines, and how."),
    "-q",
    choices={
        0: Message("none"),
        1: Message("passed through"),
        2: Message("virtual card"),
        3: Message("host of virtual cards"),
        4: Message("host of shared cards (vSGA)"),
    },
    plotted=False,
)
DISPLAY_ACTIVE = _add(
    "display_active",
    Unit.STATE,
    Message("Display"),
    Message("Whether a display shows what this card draws."),
    "display_active",
    choices=_OFF_ON,
    plotted=False,
)

METRICS = tuple(_subject.metrics)
