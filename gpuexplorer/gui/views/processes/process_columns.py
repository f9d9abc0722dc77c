"""ProcessColumns: what can be told of a process, in the order in which it is offered."""

from collections.abc import Callable
from typing import Any

from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.views.processes.cells import ProcessCells
from gpuexplorer.gui.views.processes.lines import Line, last_told, over_pids
from gpuexplorer.gui.wording.processes.process_words import gigabyte
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.processes import ProcessFigure

CARD, COMMAND, MEMORY = "card", "command", "memory"
CARD_WIDTH = 56
_PID_WIDTH = 82  # for seven digits, the most that Linux gives


def process_columns(cells: ProcessCells) -> list[Column[Line]]:
    """What they say of memory is in the units of the cells' surroundings."""
    unit = gigabyte(cells.around.units)
    return [
        Column(
            CARD,
            tr("Card"),
            cells.card,
            cells.place,
            tr("The card, or the MIG instance, that it uses."),
            width=CARD_WIDTH,
        ),
        Column(
            COMMAND,
            tr("Command"),
            cells.command,
            _text(lambda row: row.named.command),
            tr("How the program was started."),
            width=200,
            stretches=True,
            share=0.25,
        ),
        Column(
            "pid",
            tr("PID"),
            cells.pid,
            lambda line: line.pids[0],
            tr("The number of the process."),
            width=_PID_WIDTH,
            narrowest=_PID_WIDTH,
            right=True,
            kept=11,
        ),
        Column(
            "user",
            tr("User"),
            cells.user,
            _text(lambda row: row.named.user),
            tr("Whose process it is."),
            width=76,
            kept=10,
        ),
        Column(
            MEMORY,
            tr("Memory, {unit}", unit=unit),
            cells.memory,
            lambda line: _sum(last_told(line, ProcessFigure.MEMORY)),
            tr("Memory of the card that it holds.\nnvidia-smi: used_gpu_memory"),
            tr("Memory of the card"),
            **_figure(104, kept=12),
        ),
        Column(
            "sm",
            tr("SM, %"),
            cells.share(ProcessFigure.SM),
            _most(ProcessFigure.SM),
            tr(
                "Share of the last moment in which one of its kernels ran on the card.\n"
                "nvidia-smi pmon: sm"
            ),
            tr("SM (computing)"),
            **_figure(88, kept=12),
        ),
        Column(
            "history",
            tr("SM, last 4 min"),
            cells.history,
            _most(ProcessFigure.SM),
            tr("The same share over the last four minutes."),
            tr("SM of the last 4 minutes"),
            width=124,
            kept=9,
            largest_first=True,
            copied=False,
        ),
        Column(
            "controller",
            tr("Ctrl, %"),
            cells.share(ProcessFigure.MEMORY_CONTROLLER),
            _most(ProcessFigure.MEMORY_CONTROLLER),
            tr(
                "Share of the last moment in which it read or wrote the card's memory.\n"
                "nvidia-smi pmon: mem"
            ),
            tr("Memory controller"),
            **_figure(64, kept=6),
        ),
        Column(
            "encoder",
            tr("Enc, %"),
            cells.share(ProcessFigure.ENCODER),
            _most(ProcessFigure.ENCODER),
            tr(
                "Share of the last moment in which it used the video encoder.\n"
                "nvidia-smi pmon: enc"
            ),
            tr("Video encoder"),
            **_figure(64, kept=2),
        ),
        Column(
            "decoder",
            tr("Dec, %"),
            cells.share(ProcessFigure.DECODER),
            _most(ProcessFigure.DECODER),
            tr(
                "Share of the last moment in which it used the video decoder.\n"
                "nvidia-smi pmon: dec"
            ),
            tr("Video decoder"),
            **_figure(64, kept=1),
        ),
        Column(
            "cpu",
            tr("CPU, %"),
            cells.cpu,
            lambda line: _rounded(over_pids(line, lambda row: row.named.cpu)),
            tr(
                "Time on the computer's processor, of one core: 200 % are two cores at full "
                "work."
            ),
            tr("Processor (CPU)"),
            **_figure(76, kept=8),
        ),
        Column(
            "host_memory",
            tr("Host, {unit}", unit=unit),
            cells.host_memory,
            lambda line: over_pids(line, lambda row: row.named.memory_bytes),
            tr("Memory of the computer that it holds (resident set size)."),
            tr("Memory of the computer"),
            **_figure(84, kept=5),
        ),
        Column(
            "since",
            tr("Since"),
            cells.since,
            cells.started,
            tr("When it was started."),
            tr("Started at"),
            width=84,
            right=True,
            kept=7,
        ),
        Column(
            "use",
            tr("Kind"),
            cells.use,
            _text(lambda row: row.named.process.use.value),
            tr("C: it computes. G: it draws on a screen. C+G: both, as nvidia-smi says it."),
            tr("Kind (computes, draws)"),
            width=52,
            kept=4,
        ),
        Column(
            "container",
            tr("Container"),
            cells.container,
            _text(lambda row: row.named.container),
            tr("The container it runs in, where it does."),
            width=112,
            kept=3,
        ),
    ]


def _figure(width: int, kept: int) -> dict[str, Any]:
    return {"width": width, "right": True, "kept": kept, "largest_first": True}


def _text(ask: Callable[[BookRow], str | None]) -> Callable[[Line], str | None]:
    def first(line: Line) -> str | None:
        return min((text.casefold() for row in line.rows if (text := ask(row))), default=None)

    return first


def _most(figure: ProcessFigure) -> Callable[[Line], float | None]:
    return lambda line: _rounded(max(last_told(line, figure), default=None))


def _sum(values: list[float]) -> float | None:
    return sum(values) if values else None


def _rounded(value: float | None) -> float | None:
    """What is written alike must not change places."""
    return None if value is None else round(value, 2)
