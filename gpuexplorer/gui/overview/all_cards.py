"""AllCardsPanel: all cards over the stretch of time: one metric as lines or as a strip, or of a
card that is alone several.
"""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QSizePolicy, QWidget

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import quantity
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.event_words import sign
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.moments import Then, reason_then
from gpuexplorer.gui.cards.plot_families import short_label
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.overview.strip_content import (
    PLOTTED,
    Plotted,
    StripHistory,
    strip_content,
    strip_tops,
    ticks_of,
)
from gpuexplorer.gui.overview.tiles.heat_strip import HeatStrip
from gpuexplorer.gui.plots.content import Band, Flag, Limit, Origin, PlotContent, PlotLine
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.plots.graph import ZOOM
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, add, row
from gpuexplorer.gui.widgets.line import Line, NowTag, Wording, wordings
from gpuexplorer.gui.widgets.live_view import HeatLegend, Panel
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.trace import TraceSource

_REMEMBERED = "overview/metric"
_LEAST_PLOT, _MOST_PLOT = 148, 320
# Of a card that is alone: so many plots with their titles, and the axis below them.
_FEWEST_PLOTS, _MOST_PLOTS = 2, 4
_LEAST_OF_SEVERAL, _MOST_OF_SEVERAL, _AXIS = 84, 180, 54
_AROUND = 66  # heading and margins
_BESIDES = 560  # what else stands in the heading, where all choices do
_GAP = " " * 7
# What changes a picture for all who look at it; programs come and go too often.
_NOTABLE = frozenset(
    {
        *(Kind.CARD_UNLISTED, Kind.CARD_LISTED, Kind.NO_ACCESS, Kind.ACCESS),
        *(Kind.CARD_LOST, Kind.CARD_BACK, Kind.NO_ANSWER, Kind.ANSWERS_AGAIN),
        *(Kind.DRIVER_GONE, Kind.DRIVER_BACK, Kind.XID, Kind.MEMORY_ERROR, Kind.SLOW_LINK),
        *(Kind.CONNECTION_LOST, Kind.CONNECTION_BACK),
        *(Kind.ASLEEP, Kind.AWAKE, Kind.NO_FIGURES, Kind.FIGURES_AGAIN, Kind.RESTLESS),
    }
)
# Bands of more cards than this would hide each other, unless something is wrong.
_MOST_WITH_ORDINARY_BANDS = 2


class AllCardsPanel(Panel):
    """Lines for up to eight cards, a strip for more. Which metric is shown is chosen here, and
    remembered.
    """

    metric_chosen = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(tr("All cards"))
        self._machine, self._time_window, self._lab = desk.machine, desk.time_window, desk.lab
        wired = any(each.card.nvlinks for each in desk.machine.cards())
        offered = [each for each in PLOTTED if wired or each.name != "nvlink"]
        self._offered = {each.name: each for each in offered}
        self._history = StripHistory(desk.machine.past)
        self._rows: Sequence[CardFace] = ()  # of the strip, from the top down
        self._row: int | None = None  # the one that is pointed at
        self._plots_fitting = _FEWEST_PLOTS
        choices = [(each.name, tr(each.title)) for each in offered]
        self._metrics = Segmented(tr("What all cards are compared by"), choices)
        remembered = desk.settings.remembered(_REMEMBERED) or ""
        self.chosen = self._offered.get(remembered, offered[0])
        self._metrics.show_choice(self.chosen.name)
        self._sums, self._times = Line(), Line(right=True)
        self._sums.setAccessibleName(tr("All cards together"))
        self._times_length = 0
        self._legend = HeatLegend()
        self.hidden = link_button("")
        self.hidden.setFont(look().letters.caption.font)
        self._of_now = QWidget()
        row(NowTag(desk.time_window), within=self._of_now)
        self.head.insertSpacing(1, 6)
        self.head.insertWidget(2, self._metrics)
        self.head.insertWidget(3, self._of_now)
        self._wide = False
        add(self.head, self.hidden, self._legend, Space(2), self._times)
        self.plots = PlotStack(desk.time_window, desk.settings)
        self.plots.comparing = desk.machine.comparing
        self.strip = HeatStrip()
        for each in (self.plots, self.strip):
            each.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        add(self.body, self._sums, self.plots, GROWS, self.strip, GROWS)
        self.body.setSizeConstraint(QLayout.SizeConstraint.SetMinAndMaxSize)
        self._metrics.chosen.connect(self._on_metric_chosen)
        self.strip.pointed.connect(self._on_strip_pointed)
        self.strip.dragged.connect(self._on_strip_dragged)
        self.strip.turned.connect(self._on_strip_turned)
        desk.time_window.crosshair_moved.connect(self._on_crosshair_moved)

    def fit(self, height: float) -> None:
        """So tall it may be with the tile of a card that is alone still in view."""
        fitting = int((height - _AROUND - _AXIS) // _LEAST_OF_SEVERAL)
        self._plots_fitting = max(_FEWEST_PLOTS, min(fitting, _MOST_PLOTS))

    def show_cards(
        self,
        seen: Sequence[CardFace],
        boards: Sequence[Sequence[CardFace]],
        log: Sequence[Happening],
        slowed: SlowedBook,
    ) -> None:
        many, alone = bool(boards), len(seen) == 1
        self._rows = [each for board in boards for each in board]
        self.show_heading(
            tr("Card {number}", number=seen[0].number) if alone else tr("All cards")
        )
        self.strip.setVisible(many)
        self._legend.setVisible(many)
        self.plots.setVisible(not many)
        self._sums.setVisible(not many)
        # The sums of many stand elsewhere, and one card's energy is of the time that is shown.
        self._metrics.setVisible(not alone)
        self._of_now.setVisible(not many and not alone)
        least, most = _LEAST_PLOT, _MOST_PLOT
        if alone:
            least = self._plots_fitting * _LEAST_OF_SEVERAL + _AXIS
            most = self._plots_fitting * _MOST_OF_SEVERAL + _AXIS
        elif many:
            least = round(self.strip.least_height(len(seen), len(boards)))
            most = round(self.strip.most_height(len(seen), len(boards)))
        shown: QWidget = self.strip if many else self.plots
        shown.setMinimumHeight(least)
        shown.setMaximumHeight(most)
        self._show_times()
        self._place_sums(beside=alone or self._wide)
        if many:
            self._show_strip(boards, slowed)
        else:
            self._show_lines(seen, log, slowed)

    def show_sums(self, figures: Sequence[Figure]) -> None:
        """What does not fit any more is left out from the end; it is still told on asking."""
        letters = look().letters
        said: list[Wording] = [()]
        for figure in figures:
            # Units say what it is, but for a word before or behind.
            before = figure.brief if figure.known else figure.label
            shown = wordings(figure, letters.strong, letters.caption, before)[0]
            if figure.known and figure.short_label:
                shown = (*shown, (f" {figure.short_label}", letters.caption, Tone.QUIET))
            gap: Wording = ((_GAP, letters.caption, Tone.QUIET),) if said[-1] else ()
            said.append((*said[-1], *gap, *shown))
        spoken = [figure.spoken for figure in figures]
        self._sums.show_wordings(said[:0:-1], "\n".join(spoken))
        self._sums.setAccessibleDescription(f"{'. '.join(spoken)}.")

    def show_hidden(self, count: int) -> None:
        one, several = "{count} card hidden: show all", "{count} cards hidden: show all"
        self.hidden.setText(trn(one, several, count))
        self.hidden.setVisible(count > 0)

    def show_chosen(self, card: CardId | None) -> None:
        """Which row is described elsewhere."""
        ids = [each.id for each in self._rows]
        self.strip.show_chosen(ids.index(card) if card in ids else None)

    def _show_times(self) -> None:
        """From when to when: of one width as long as its letters are as many."""
        letters, words = look().letters.caption, self._time_window.moments()
        self._times.show_wordings([((words, letters, Tone.QUIET),)])
        self._times.setAccessibleName(words)
        if len(words) != self._times_length:
            self._times_length = len(words)
            self._times.setFixedWidth(round(letters.width(words)) + 4)

    def _place_sums(self, *, beside: bool) -> None:
        """Below the heading where there is no room in it."""
        if beside and self.head.indexOf(self._sums) < 0:
            self.head.insertWidget(4, self._sums, 100)
        elif not beside and self.body.indexOf(self._sums) < 0:
            self.body.insertWidget(1, self._sums)

    def _show_lines(
        self, seen: Sequence[CardFace], log: Sequence[Happening], slowed: SlowedBook
    ) -> None:
        machine, window = self._machine, self._time_window
        stretch, then = window.stretch(), window.then()
        plotted: Sequence[Plotted] = (self.chosen,)
        if len(seen) == 1:
            plotted = list(self._offered.values())[: self._plots_fitting]
        columns, beside = self.plots.columns(), machine.comparing.beside
        contents = [
            plot_content(
                *(seen, each, machine.past, stretch, columns, slowed, log, then, beside)
            )
            for each in plotted
        ]
        source = machine.session.source
        words = machine.comparing.named(tr(source.label))
        self.plots.show_origin(Origin(words, source.simulated, machine.past))
        marks = list(notable_flags(log, seen, stretch))
        for each in seen:
            marks += flags_of(self._lab.flags, each.id, *stretch, each.colour)
        self.plots.show_contents(contents, marks)

    def _show_strip(self, boards: Sequence[Sequence[CardFace]], slowed: SlowedBook) -> None:
        window, plotted, history = self._time_window, self.chosen, self._history
        columns, units = self.strip.columns(), self._machine.settings.choices.units
        following = window.following
        history.bring_up(self._rows, plotted, window.stretch(), columns, following=following)
        ticks = ticks_of(window, history.start, history.end, columns * 2)
        gone = {
            each.id: (at, window.moment(at))
            for each in self._rows
            if (at := slowed.gone_at(each.id)) is not None
        }
        content = strip_content(boards, plotted, history, ticks, units, gone, window.then())
        self.strip.show_content(content)
        tops, metric = strip_tops(self._rows, plotted, history), METRICS[plotted.metrics[0]]
        end = tr("own limit")
        if max(tops) <= 1.01 * min(tops):
            end = tr(plotted.end, high=str(quantity(metric, float(tops[0]), units)))
        self._legend.show_ends(quantity(metric, plotted.lowest, units).number, end)
        self._on_crosshair_moved()

    def _words_at(self, at: float) -> str:
        """ "Card 21: 72 % at 14:05:10"."""
        row, history, moment = self._row, self._history, self._time_window.moment(at)
        if row is None or row >= min(len(self._rows), len(history.values)):
            return moment
        if at < self._time_window.began:
            return tr("Nothing read yet at {moment}", moment=moment)
        columns = history.values.shape[1]
        share = (at - history.start) / (history.end - history.start)
        value = float(history.values[row, min(columns - 1, max(0, int(share * columns)))])
        number = self._rows[row].number
        if value != value:  # noqa: PLR0124 - NaN
            return tr("Card {number}: not read at {moment}", number=number, moment=moment)
        metric, units = METRICS[self.chosen.metrics[0]], self._machine.settings.choices.units
        read = quantity(metric, value, units)
        return tr(
            "Card {number}: {value} at {moment}", number=number, value=read, moment=moment
        )

    def _on_metric_chosen(self, name: str) -> None:
        self.chosen = self._offered[name]
        self._machine.settings.remember(_REMEMBERED, name)
        self.metric_chosen.emit()

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
        at, playhead = self._time_window.crosshair, self._time_window.playhead
        if at is None:
            self.strip.show_crosshair(playhead, "")
        elif self._rows:
            self.strip.show_crosshair(at, self._words_at(at))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._wide = self.width() >= self._metrics.full_width() + _BESIDES
        self._metrics.show_compact(not self._wide)
        self._place_sums(beside=self._wide or self._metrics.isHidden())


def plot_content(
    cards: Sequence[CardFace],
    plotted: Plotted,
    past: TraceSource,
    stretch: tuple[float, float],
    columns: int,
    slowed: SlowedBook,
    log: Sequence[Happening],
    then: Then,
    beside: TraceSource | None = None,
) -> PlotContent:
    """`log` and `then` say why there is nothing, where there is nothing. The line of a card
    that is alone is called by what it shows, since the heading says which card it is.
    `beside` is what all is compared with.
    """
    alone, metric = len(cards) == 1, METRICS[plotted.metrics[0]]
    limits = {limit for each in cards if (limit := plotted.limit(each)) is not None}
    marked = limits if plotted.marked and len(limits) == 1 else ()

    def line(at: int, face: CardFace) -> PlotLine:
        reason, state = "", face.state
        missing = [m for m in plotted.metrics if m not in face.reading.values]
        if state is not CardState.WORKING:
            reason = tr(state.word)
        elif missing:
            absence = face.reading.missing.get(missing[0], Absence.NOT_YET)
            reason = short_reasons(absence)[0]
        asked = face.id, *stretch, columns
        return PlotLine(
            label=short_label(metric) if alone else "",
            metric=metric,
            trace=plotted.trace(past, *asked),
            reason=reason_then(reason, face.id, state, log, then),
            chip="" if alone else face.number,
            colour=face.colour,
            dash=at,
            now=plotted.value(face),
            beside=None if beside is None else plotted.trace(beside, *asked),
        )

    return PlotContent(
        name=f"all_{plotted.name}",
        title=tr(plotted.title),
        unit=metric.unit,
        lines=tuple(line(at, each) for at, each in enumerate(cards)),
        limits=tuple(Limit(tr("limit"), limit) for limit in marked),
        bands=tuple(_bands(cards, slowed, *stretch)),
        highest=None if plotted.marked else max(limits, default=None),
    )


def _bands(
    cards: Sequence[CardFace], slowed: SlowedBook, start: float, end: float
) -> Iterator[Band]:
    few = len(cards) <= _MOST_WITH_ORDINARY_BANDS
    for each in cards:
        for one in slowed.stretches(each.id, start, end):
            if few or one.tone is Tone.WARN:
                word = f"{each.number} {one.word}" if len(cards) > 1 else one.word
                yield Band(max(one.start, start), one.end, word, one.tone)


def notable_flags(
    happenings: Sequence[Happening], cards: Sequence[CardFace], stretch: tuple[float, float]
) -> Sequence[Flag]:
    """The newest of those within the stretch: going back from now, until before it."""
    by_id, found = {each.id: each for each in cards}, []
    for each in reversed(happenings):
        if each.at < stretch[0]:
            break
        shown = None if each.card is None else by_id.get(each.card)
        hidden = each.card is not None and shown is None
        if hidden or each.kind not in _NOTABLE or each.at > stretch[1]:
            continue
        said, colour = tr(each.sentence), None
        if shown is not None:
            said = tr("{card}: {sentence}", card=shown.number, sentence=said)
            colour = shown.colour
        found.append(Flag(each.at, said, sign(each)[1], colour))
    return found[::-1]
