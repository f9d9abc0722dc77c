"""Columns: what can be told of a process, in the order in which it is offered."""

from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.units import Units
from gpuexplorer.gui.wording.processes.process_words import gigabyte
from gpuexplorer.telemetry.processes import ProcessFigure


class Column(StrEnum):
    """The name under which it is remembered."""

    CARD = "card"
    COMMAND = "command"
    PID = "pid"
    USER = "user"
    MEMORY = "memory"
    SM = "sm"
    HISTORY = "history"
    CONTROLLER = "controller"
    ENCODER = "encoder"
    DECODER = "decoder"
    CPU = "cpu"
    HOST_MEMORY = "host_memory"
    SINCE = "since"
    USE = "use"
    CONTAINER = "container"


@dataclass(frozen=True, slots=True)
class Spec:
    """How a column looks and what it means."""

    column: Column
    caption: str
    meaning: str
    width: int
    right: bool = False
    gigabytes: bool = False
    kept: int = 0  # where the window is narrow, the lowest goes first; 0 is always there
    largest_first: bool = False


COLUMNS = (
    Spec(Column.CARD, "Card", "The card, or the MIG instance, that it uses.", 56),
    Spec(Column.COMMAND, "Command", "How the program was started.", 240),
    Spec(Column.PID, "PID", "The number of the process.", 72, right=True, kept=11),
    Spec(Column.USER, "User", "Whose process it is.", 76, kept=10),
    Spec(
        Column.MEMORY,
        "Memory",
        "Memory of the card that it holds.\nnvidia-smi: used_gpu_memory",
        104,
        right=True,
        gigabytes=True,
        kept=12,
        largest_first=True,
    ),
    Spec(
        Column.SM,
        "SM, %",
        "Share of the last moment in which one of its kernels ran on the card.\n"
        "nvidia-smi pmon: sm",
        88,
        right=True,
        kept=12,
        largest_first=True,
    ),
    Spec(
        Column.HISTORY,
        "SM, last 4 min",
        "The same share over the last four minutes.",
        124,
        kept=9,
        largest_first=True,
    ),
    Spec(
        Column.CONTROLLER,
        "Ctrl, %",
        "Share of the last moment in which it read or wrote the card's memory.\n"
        "nvidia-smi pmon: mem",
        64,
        right=True,
        kept=6,
        largest_first=True,
    ),
    Spec(
        Column.ENCODER,
        "Enc, %",
        "Share of the last moment in which it used the video encoder.\nnvidia-smi pmon: enc",
        64,
        right=True,
        kept=2,
        largest_first=True,
    ),
    Spec(
        Column.DECODER,
        "Dec, %",
        "Share of the last moment in which it used the video decoder.\nnvidia-smi pmon: dec",
        64,
        right=True,
        kept=1,
        largest_first=True,
    ),
    Spec(
        Column.CPU,
        "CPU, %",
        "Time on the computer's processor, of one core: 200 % are two cores at full work.",
        76,
        right=True,
        kept=8,
        largest_first=True,
    ),
    Spec(
        Column.HOST_MEMORY,
        "Host",
        "Memory of the computer that it holds (resident set size).",
        84,
        right=True,
        gigabytes=True,
        kept=5,
        largest_first=True,
    ),
    Spec(Column.SINCE, "Since", "When it was started.", 84, right=True, kept=7),
    Spec(
        Column.USE,
        "Kind",
        "C: it computes. G: it draws on a screen. C+G: both, as nvidia-smi says it.",
        52,
        kept=4,
    ),
    Spec(
        Column.CONTAINER, "Container", "The container it runs in, where it does.", 112, kept=3
    ),
)
INDEX = {spec.column: position for position, spec in enumerate(COLUMNS)}
FIGURES = {
    Column.MEMORY: ProcessFigure.MEMORY,
    Column.SM: ProcessFigure.SM,
    Column.HISTORY: ProcessFigure.SM,
    Column.CONTROLLER: ProcessFigure.MEMORY_CONTROLLER,
    Column.ENCODER: ProcessFigure.ENCODER,
    Column.DECODER: ProcessFigure.DECODER,
}


def caption(spec: Spec, units: Units) -> str:
    return f"{spec.caption}, {gigabyte(units)}" if spec.gigabytes else spec.caption
