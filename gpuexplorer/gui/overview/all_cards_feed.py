"""AllCardsFeed: what the panel above the tiles shows, and what pointing at it says."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.all_cards_panel import AllCardsPanel
from gpuexplorer.gui.overview.plotted import notable_flags, plot_content
from gpuexplorer.gui.overview.strip_content import strip_content, strip_tops, ticks_of
from gpuexplorer.gui.overview.strip_history import StripHistory
from gpuexplorer.gui.overview.words import (
    ends_in_words,
    pointed_words,
    value_in_words,
)
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.plots.graph import ZOOM
from gpuexplorer.gui.state.lab.lab_course import CellFlags
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.telemetry.happenings import Happening


class AllCardsFeed(QObject):
    """Lines for up to eight cards, a strip for more."""

    def __init__(
        self,
        panel: AllCardsPanel,
        machine: MachineState,
        time_window: TimeWindow,
        lab_flags: CellFlags,
    ) -> None:
        super().__init__(panel)
        self._panel, self._machine, self._time_window = panel, machine, time_window
        self._lab_flags = lab_flags
        self._history = StripHistory(machine.past)
        self._rows: tuple[CardFace, ...] = ()
        self._row: int | None = None
        panel.plots.comparing = machine.comparing
        panel.strip.pointed.connect(self._on_strip_pointed)
        panel.strip.dragged.connect(self._on_strip_dragged)
        panel.strip.turned.connect(self._on_strip_turned)
        time_window.crosshair_moved.connect(self._on_crosshair_moved)

    def bring_up(
        self,
        seen: Sequence[CardFace],
        boards: Sequence[Sequence[CardFace]],
        log: Sequence[Happening],
        slowed: SlowedBook,
    ) -> None:
        self._panel.show_count(len(seen), len(boards))
        self._panel.show_stretch(self._time_window.moments())
        if len(seen) == 1:
            self._panel.show_heading(tr("Card {number}", number=seen[0].number))
        else:
            self._panel.show_heading(tr("All cards"))
        if boards:
            self._rows = tuple(each for board in boards for each in board)
            self._show_strip(boards, slowed)
        else:
            self._rows = ()
            self._show_lines(seen, log, slowed)

    def show_chosen(self, card: CardId | None) -> None:
        """Which row is described elsewhere."""
        row = next((at for at, each in enumerate(self._rows) if each.id == card), None)
        self._panel.strip.show_chosen(row)

    def _show_lines(
        self,
        seen: Sequence[CardFace],
        log: Sequence[Happening],
        slowed: SlowedBook,
    ) -> None:
        stretch = self._time_window.stretch()
        contents = [
            plot_content(
                seen,
                plotted,
                self._machine.past,
                stretch,
                self._panel.plots.columns(),
                slowed,
                log,
                self._time_window.then(),
                self._machine.comparing.beside,
            )
            for plotted in self._panel.plotted()
        ]
        source = self._machine.session.source
        words = self._machine.comparing.named(tr(source.label))
        self._panel.plots.show_origin(Origin(words, source.simulated, self._machine.past))
        marks = list(notable_flags(log, seen, stretch))
        for each in seen:
            marks += flags_of(self._lab_flags, each.id, *stretch, each.colour)
        self._panel.plots.show_contents(contents, marks)

    def _show_strip(self, boards: Sequence[Sequence[CardFace]], slowed: SlowedBook) -> None:
        machine, plotted, strip = self._machine, self._panel.chosen, self._panel.strip
        units = machine.settings.choices.units
        stretch = self._time_window.stretch()
        columns = strip.columns()
        self._history.bring_up(self._rows, plotted, stretch, columns)
        start, end = self._history.start, self._history.end
        ticks = ticks_of(self._time_window, start, end, columns * 2)
        gone = {
            each.id: (at, self._time_window.moment(at))
            for each in self._rows
            if (at := slowed.gone_at(each.id)) is not None
        }
        then = self._time_window.then()
        content = strip_content(boards, plotted, self._history, ticks, units, gone, then)
        strip.show_content(content)
        tops = strip_tops(self._rows, plotted, self._history)
        self._panel.show_legend(*ends_in_words(plotted, tops, units))
        self._on_crosshair_moved()

    def _on_strip_pointed(self, row: int | None, at: float | None) -> None:
        self._row = row
        self._time_window.point_at(at)
        self._on_crosshair_moved()

    def _on_strip_dragged(self, seconds: float) -> None:
        start, end = self._time_window.stretch()
        self._time_window.look_at(start - seconds, end - seconds)

    def _on_strip_turned(self, notches: float, share: float) -> None:
        self._time_window.zoom(ZOOM**-notches, share)

    def _on_crosshair_moved(self) -> None:
        if self._panel.many:
            at, playhead = self._time_window.crosshair, self._time_window.playhead
            words = "" if at is None else self._words_at(at)
            self._panel.strip.show_crosshair(playhead if at is None else at, words)

    def _words_at(self, at: float) -> str:
        row, history = self._row, self._history
        if row is None or row >= len(self._rows) or row >= len(history.values):
            return self._time_window.moment(at)
        seconds = (history.end - history.start) / history.values.shape[1]
        column = min(history.values.shape[1] - 1, max(0, int((at - history.start) / seconds)))
        units = self._machine.settings.choices.units
        value = value_in_words(self._panel.chosen, float(history.values[row, column]), units)
        return pointed_words(self._rows[row].number, value, at, self._time_window)
