"""DiagnosticsSheet: what the program itself costs, live, with a way to copy it."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

Line = tuple[str, str]
_UNKNOWN = mark("not measured yet")
_FRAME = mark("{median:.1f} ms, 99 % within {p99:.1f} ms, longest {longest:.1f} ms")
_SIMULATED = mark("SIMULATED: {title}")
_BEATS = mark("{taken} taken, {missed} missed, one every {interval_seconds:g} s")


class DiagnosticsSheet(Sheet):
    """The heart beats as long as it is open."""

    def __init__(self, diagnostics: Diagnostics, clock: FrameClock, window: QWidget) -> None:
        super().__init__(tr("Diagnostics"), window, 600)
        self._diagnostics = diagnostics
        self._clock = clock
        self._beats_for_us = not diagnostics.heartbeat.beating
        model = TableModel[Line](
            [
                Column("what", tr("What"), lambda it: Cell(it[0], tone=Tone.QUIET), width=230),
                Column(
                    "figure", tr("Figure"), lambda it: Cell(it[1]), stretches=True, spoken=_said
                ),
            ],
            lambda line: line[0],
            parent=self,
        )
        self._table = Table(tr("Diagnostics"), model)
        self.body.addWidget(self._table)
        self._show_figures()
        self._table.show_all_rows()
        self.add_sentence(
            tr(
                "A frame is one painting of the window, with the looking for news before it. "
                "While this is open the event loop is asked 50 times a second whether it "
                "answers."
            ),
            Tone.FAINT,
        )
        self.add_button(tr("Copy"), ROLE.ActionRole).clicked.connect(self._on_copy_clicked)
        self.add_close()
        clock.ticked.connect(self._show_figures)
        diagnostics.heartbeat.start()
        self.finished.connect(self._on_finished)

    def _show_figures(self) -> None:
        self._table.show_rows(cost_lines(self._diagnostics.figures()))

    def _on_copy_clicked(self) -> None:
        lines = map(_said, cost_lines(self._diagnostics.figures()))
        QGuiApplication.clipboard().setText("".join(f"{line}\n" for line in lines))

    def _on_finished(self) -> None:
        self._clock.ticked.disconnect(self._show_figures)
        if self._beats_for_us:
            self._diagnostics.heartbeat.stop()


def cost_lines(told: Mapping[str, Any]) -> Sequence[Line]:
    """What each is, and what it is; the same figures as in the file."""
    frames, beats, resident = told["frames"], told["beats"], told["resident_bytes"]
    wait, source = told["event_loop"]["longest_wait_ms"], told["source"]
    if told["simulated"] and isinstance(source, Message):
        source = Message(_SIMULATED, title=source.values.get("cards", source))
    name, release = [*str(told["platform"]).split("-"), ""][:2]
    screen = {
        "screen": told["screen"] or tr("none"),
        "size": " x ".join(map(str, told["window"])),
        "share": f"{told['scale'] * 100:.0f}",
    }
    system = {"system": f"{name} {release}".strip(), "through": told["window_system"]}
    versions = "GPU Explorer {gpuexplorer}, Python {python}, Qt {qt}".format_map(told)
    return [
        (tr("Running for"), f"{told['seconds']:.0f} s"),
        (
            tr("From the start to the first reading"),
            _known("{:.2f} s", told["first_reading_seconds"]),
        ),
        (tr("Frames drawn"), str(frames["drawn"])),
        (tr("A frame, on the processor"), _frame(frames["cpu_ms"])),
        (tr("A frame, by the clock"), _frame(frames["wall_ms"])),
        (tr("Longest wait of the event loop"), _known("{:.1f} ms", wait)),
        (tr("Readings"), tr(_BEATS, **beats) if beats else tr("none: no card is read")),
        (tr("Processor time"), f"{told['cpu_seconds']:.1f} s"),
        (tr("Memory now"), str(memory(resident["now"]))),
        (tr("Memory at the start"), str(memory(resident["start"]))),
        (tr("Screen"), tr("{screen}, {size} at {share} %", **screen)),
        (tr("Versions"), versions),
        (tr("System"), tr("{system}, drawn through {through}", **system)),
        (tr("Cards"), tr("none are read") if source is None else tr(source)),
    ]


def _known(form: str, value: float | None) -> str:
    return tr(_UNKNOWN) if value is None else form.format(value)


def _frame(times: Mapping[str, Any]) -> str:
    return tr(_UNKNOWN) if times["median"] is None else tr(_FRAME, **times)


def _said(line: Line) -> str:
    return tr("{what}: {value}", what=line[0], value=line[1])
