"""AllCardsFeed: what the panel above the tiles shows, and what pointing at it says."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.plots.lab_flags import flags_of
from gpuexplorer.gui.plots.time_view import ZOOM
from gpuexplorer.gui.state.lab.line_flags import LineFlags
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.views.overview.all_cards_panel import AllCardsPanel
from gpuexplorer.gui.views.overview.plotted import notable_flags, plot_content
from gpuexplorer.gui.views.overview.strip_content import (
    ends_in_words,
    strip_content,
    strip_tops,
    value_in_words,
)
from gpuexplorer.gui.views.overview.strip_history import StripHistory
from gpuexplorer.gui.views.overview.tile_feed import TileFeed
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.gui.wording.cards.throttling import SlowedBook
from gpuexplorer.gui.wording.moments import moment_words
from gpuexplorer.telemetry.happenings import Happening


class AllCardsFeed(QObject):
    """Lines for up to eight cards, a strip for more."""

    opened = Signal(str)

    def __init__(
        self,
        panel: AllCardsPanel,
        machine: MachineState,
        time_window: TimeWindow,
        tiles: TileFeed,
        lab_lines: LineFlags,
    ) -> None:
        super().__init__(panel)
        self._panel, self._machine, self._time_window = panel, machine, time_window
        self._tiles, self._lab_lines = tiles, lab_lines
        self._history = StripHistory(machine.past)
        self._rows: tuple[Shown, ...] = ()
        self._row: int | None = None
        source = machine.session.source
        panel.plots.show_origin(Origin(tr(source.label), source.simulated, machine.past))
        panel.strip.pointed.connect(self._on_strip_pointed)
        panel.strip.opened.connect(self.opened)
        panel.strip.dragged.connect(self._on_strip_dragged)
        panel.strip.turned.connect(self._on_strip_turned)
        time_window.crosshair_moved.connect(self._on_crosshair_moved)

    def bring_up(
        self,
        seen: Sequence[Shown],
        boards: Sequence[Sequence[Shown]],
        known: Mapping[CardId, Known],
        log: Sequence[Happening],
        slowed: SlowedBook,
    ) -> None:
        self._panel.show_count(len(seen), len(boards))
        self._panel.show_stretch(self._stretch_words())
        if len(seen) == 1:
            self._panel.show_heading(tr("Card {number}", number=seen[0].number))
        else:
            self._panel.show_heading(tr("All cards"))
        if boards:
            self._rows = tuple(each for board in boards for each in board)
            self._show_strip(boards, known, slowed)
        else:
            self._rows = ()
            self._show_lines(seen, known, log, slowed)

    def show_chosen(self, card: CardId | None) -> None:
        """Which row is described elsewhere."""
        row = next((at for at, each in enumerate(self._rows) if each.card.id == card), None)
        self._panel.strip.show_chosen(row)

    def _show_lines(
        self,
        seen: Sequence[Shown],
        known: Mapping[CardId, Known],
        log: Sequence[Happening],
        slowed: SlowedBook,
    ) -> None:
        stretch = self._time_window.stretch()
        contents = [
            plot_content(
                seen,
                known,
                plotted,
                self._machine.past,
                stretch,
                self._panel.plots.columns(),
                slowed,
                log,
                self._time_window.then(),
            )
            for plotted in self._panel.plotted()
        ]
        marks = list(notable_flags(log, seen, stretch))
        for each in seen:
            marks += flags_of(self._lab_lines, each.card.id, *stretch, each.colour)
        self._panel.plots.show_contents(contents, marks)

    def _show_strip(
        self,
        boards: Sequence[Sequence[Shown]],
        known: Mapping[CardId, Known],
        slowed: SlowedBook,
    ) -> None:
        machine, plotted, strip = self._machine, self._panel.chosen, self._panel.strip
        units = machine.settings.choices.units
        stretch = self._time_window.stretch()
        columns = strip.columns()
        self._history.bring_up(self._rows, known, plotted, stretch, columns)
        start, end = self._history.start, self._history.end
        ticks = self._tiles.ticks(start, end, columns * 2)
        gone = {
            each.card.id: (at, self._moment_words(at))
            for each in self._rows
            if (at := slowed.gone_at(each.card.id)) is not None
        }
        then = self._time_window.then()
        content = strip_content(boards, known, plotted, self._history, ticks, units, gone, then)
        strip.show_content(content)
        tops = strip_tops(self._rows, known, plotted, self._history)
        self._panel.show_legend(*ends_in_words(plotted, tops, units))
        self._on_crosshair_moved()

    def _stretch_words(self) -> str:
        """ "14:02:32 to 14:07:32"."""
        start, end = self._time_window.stretch()
        return tr(
            "{start} to {end}", start=self._moment_words(start), end=self._moment_words(end)
        )

    def _moment_words(self, at: float) -> str:
        window = self._time_window
        return moment_words(window.wall(at), window.wall(window.now()))

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
            at = self._time_window.crosshair
            self._panel.strip.show_crosshair(at, "" if at is None else self._words_at(at))

    def _words_at(self, at: float) -> str:
        """ "Card 21: 72 % at 14:05:10"."""
        moment = self._moment_words(at)
        row, history = self._row, self._history
        if row is None or row >= len(self._rows) or row >= len(history.values):
            return moment
        seconds = (history.end - history.start) / history.values.shape[1]
        column = min(history.values.shape[1] - 1, max(0, int((at - history.start) / seconds)))
        units = self._machine.settings.choices.units
        value = float(history.values[row, column])
        said = value_in_words(self._panel.chosen, value, units)
        number = self._rows[row].number
        if at < self._time_window.began:
            return tr("Nothing read yet at {moment}", moment=moment)
        if said is None:
            return tr("Card {number}: not read at {moment}", number=number, moment=moment)
        return tr(
            "Card {number}: {value} at {moment}", number=number, value=said, moment=moment
        )
