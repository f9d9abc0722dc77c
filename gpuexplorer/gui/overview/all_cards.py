"""AllCardsPanel: all cards over time, one metric as lines or a strip; of one card several."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QLayout, QSizePolicy, QWidget

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import told
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.reasons import Band, SlowedBook, reason_then, short_reasons, sign
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.overview.heat_strip import Faces, HeatStrip
from gpuexplorer.gui.overview.past import PLOTTED, Plotted
from gpuexplorer.gui.plots.content import Flag, Limit, Origin, PlotContent, PlotLine
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, add, row
from gpuexplorer.gui.widgets.line import Line, NowTag, Wording, wordings
from gpuexplorer.gui.widgets.live_view import HeatLegend, Panel
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.widgets.saving import CSV, PlotNote, Saving, suggested_name
from gpuexplorer.telemetry.happenings import EventGroup, Happening, group_of
from gpuexplorer.telemetry.trace import Heading, TraceColumn, write_traces

_REMEMBERED = "overview/metric"
_PLOT, _PLOT_OF_SEVERAL = (148, 320), (84, 180)  # heights, least and most
# Of a card that is alone: so many plots with their titles, and the axis below them.
_FEWEST_PLOTS, _MOST_PLOTS, _AXIS = 2, 4, 54
_AROUND = 66  # heading and margins
_ALL_CHOICES, _BESIDE = 470, 560  # so much room beside the choices: they, and the sums too
_GAP = " " * 7
_EVERY = 10_000_000  # readings
# What changes a picture for all who look at it; programs come and go too often.
_NOTABLE = (EventGroup.FAULT, EventGroup.SLEEP)
# Bands of more cards than this would hide each other, unless something is wrong.
_MOST_WITH_ORDINARY_BANDS = 2


class AllCardsPanel(Panel):
    """Lines for up to eight cards, a strip for more; its metric is chosen and remembered."""

    metric_chosen = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(tr("All cards"))
        self._machine, self._time_window, self._lab = desk.machine, desk.time_window, desk.lab
        wired = any(each.card.nvlinks for each in desk.machine.cards())
        offered = [each for each in PLOTTED if wired or each.name != "nvlink"]
        self._offered = {each.name: each for each in offered}
        self._plots_fitting = _FEWEST_PLOTS
        choices = [(each.name, each.title) for each in offered]
        self._metrics = Segmented(tr("What all cards are compared by"), choices)
        remembered = desk.settings.remembered(_REMEMBERED) or ""
        self.chosen = self._offered.get(remembered, offered[0])
        self._metrics.show_choice(self.chosen.name)
        self._sums, self._times = Line(), Line(right=True)
        self._sums.setAccessibleName(tr("All cards together"))
        self._legend = HeatLegend()
        self.hidden = link_button("")
        self.hidden.setFont(look().letters.caption.font)
        self._of_now = QWidget()
        row(NowTag(desk.time_window), within=self._of_now)
        self.head.insertWidget(1, self._metrics)
        self.head.insertWidget(2, self._of_now)
        add(self.head, self.hidden, self._legend, Space(2), self._times)
        self.plots = PlotStack(desk.time_window, desk.settings)
        self.plots.comparing = desk.machine.comparing
        # As high as is told below, whatever it asks for.
        self.plots.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.strip = HeatStrip(desk.time_window)
        add(self.body, self._sums, self.plots, GROWS, self.strip, GROWS)
        self.body.setSizeConstraint(QLayout.SizeConstraint.SetMinAndMaxSize)
        # A sentence over the strip says what became of a file of it.
        self._note, self._saving = PlotNote(self.strip), Saving(desk.settings, self.strip)
        self._saving.done.connect(self._note.show_done)
        self._saving.refused.connect(self._note.show_refused)
        self._metrics.chosen.connect(self._on_metric_chosen)

    def fit(self, height: float) -> None:
        """So tall it may be with the tile of a card that is alone still in view."""
        fitting = int((height - _AROUND - _AXIS) // _PLOT_OF_SEVERAL[0])
        self._plots_fitting = max(_FEWEST_PLOTS, min(fitting, _MOST_PLOTS))

    def show_cards(
        self, seen: Faces, boards: Sequence[Faces], log: Sequence[Happening], slowed: SlowedBook
    ) -> None:
        many, alone = bool(boards), len(seen) == 1
        every = tr("All cards")
        self.show_heading(tr("Card {number}", number=seen[0].number) if alone else every)
        for part, there in (
            (self.strip, many),
            (self._legend, many),
            (self.plots, not many),
            (self._sums, not many),
        ):
            part.setVisible(there)
        # The sums of many stand elsewhere, and one card's energy is of the time that is shown.
        self._metrics.setVisible(not alone)
        self._of_now.setVisible(not many and not alone)
        # From when to when: all digits are of one width.
        letters, times = look().letters.caption, self._time_window.moments()
        self._times.show_wordings([((times, letters, Tone.QUIET),)])
        self._times.setAccessibleName(times)
        self._times.setFixedWidth(round(letters.width(times)) + 4)
        self._place_sums()
        if many:
            past, units = self._machine.past, self._machine.settings.choices.units
            self.strip.show_boards(boards, self.chosen, past, slowed, units)
            self._show_legend(units)
        else:
            count, axis = (self._plots_fitting, _AXIS) if alone else (1, 0)
            least, most = _PLOT_OF_SEVERAL if alone else _PLOT
            self.plots.setMinimumHeight(count * least + axis)
            self.plots.setMaximumHeight(count * most + axis)
            self._show_lines(seen, log, slowed)

    def show_sums(self, figures: Sequence[Figure]) -> None:
        """What does not fit any more is left out from the end; it is still told on asking."""
        letters = look().letters
        gap, said = (_GAP, letters.caption, Tone.QUIET), list[Wording]()
        for figure in figures:
            before = figure.brief if figure.known else figure.label  # units say what it is
            shown = wordings(figure, letters.strong, letters.caption, before)[0]
            said.insert(0, (*said[0], gap, *shown) if said else shown)
        spoken = [figure.spoken for figure in figures]
        self._sums.show_wordings(said, "\n".join(spoken))
        self._sums.setAccessibleDescription(f"{'. '.join(spoken)}.")

    def copy_figures(self) -> None:
        """What each card of the strip says now, a line for each."""
        simulated, cards = self._machine.session.simulated, self.strip.rows
        lines = [tr("SIMULATED: every figure is made up.")] if simulated else []
        lines += [tr("{card}: {figures}", card=e.title, figures=e.spoken) for e in cards]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self._note.show_done(trn("{count} card copied.", "{count} cards copied.", len(cards)))

    def ask_csv(self) -> None:
        """Every reading of the metric in the stretch that is seen, of all its cards."""
        session, window = self._machine.session, self._time_window
        stretch, offset, cards = window.stretch(), window.wall(0.0), self.strip.rows
        heading = Heading(tr(session.source.label), session.simulated, *stretch, offset)
        name = suggested_name("cards", stretch[1] + offset, simulated=session.simulated)
        past, metrics = self._machine.past, self.chosen.metrics

        def write(path: Path) -> None:
            columns = [
                TraceColumn(e.id, METRICS[m], past.trace(e.id, m, *stretch, _EVERY))
                for e in cards
                for m in metrics
            ]
            write_traces(path, columns, heading)

        ask = self._saving.ask
        ask(tr("Save readings of all cards"), name, [CSV], lambda path: partial(write, path))

    def _show_lines(self, seen: Faces, log: Sequence[Happening], slowed: SlowedBook) -> None:
        machine, stretch = self._machine, self._time_window.stretch()
        start, end = stretch
        offered = [*self._offered.values()][: self._plots_fitting]
        plotted = offered if len(seen) == 1 else [self.chosen]
        contents = [self._content(each, seen, stretch, log, slowed) for each in plotted]
        source, ids = machine.session.source, {None, *(each.id for each in seen)}
        words = machine.comparing.named(tr(source.label))
        self.plots.show_origin(Origin(words, source.simulated, machine.past))
        flags = []
        for each in log[bisect_left(log, start, key=attrgetter("at")) :]:
            if each.at <= end and each.card in ids and group_of(each.kind) in _NOTABLE:
                shown = machine.shown(each.card)
                colour = shown and shown.colour
                flags.append(Flag(each.at, told(each, shown), sign(each)[1], colour))
        for face in seen:
            flags += flags_of(self._lab.course, face.id, start, end, face.colour)
        self.plots.show_contents(contents, flags)

    def _content(
        self,
        plotted: Plotted,
        seen: Faces,
        stretch: tuple[float, float],
        log: Sequence[Happening],
        slowed: SlowedBook,
    ) -> PlotContent:
        """The line of a card that is alone is called by what it shows, since the heading says
        which card it is. The log says why there is nothing.
        """
        alone, metric = len(seen) == 1, METRICS[plotted.metrics[0]]
        machine, then = self._machine, self._time_window.then()
        lines, bands = list[PlotLine](), list[Band]()
        asked, beside = (*stretch, self.plots.columns()), machine.comparing.beside
        for at, face in enumerate(seen):
            reading, reason = face.reading, face.word if face.sentence else ""
            missing = [each for each in plotted.metrics if each not in reading.values]
            if missing and not reason:
                [reason] = short_reasons(reading.missing.get(missing[0], Absence.NOT_YET))
            line = PlotLine(
                tr(metric.short) if alone else "",
                metric,
                plotted.trace(machine.past, face.id, *asked),
                reason=reason_then(reason, face.id, face.state, log, then),
                chip="" if alone else face.number,
                colour=face.colour,
                dash=at,
                now=plotted.value(face),
                beside=None if beside is None else plotted.trace(beside, face.id, *asked),
            )
            lines.append(line)
            for slow in slowed.stretches(face.id, *stretch):
                if slow.tone is Tone.WARN or len(seen) <= _MOST_WITH_ORDINARY_BANDS:
                    word = f"{face.number} {slow.word}"
                    bands.append(slow if alone else slow._replace(word=word))
        limits = {limit for each in seen if (limit := plotted.limit(each)) is not None}
        one = plotted.marked and len(limits) == 1  # all have the same limit, which is drawn
        return PlotContent(
            f"all_{plotted.name}",
            plotted.title,
            metric.unit,
            tuple(lines),
            tuple(Limit(tr("limit"), limit) for limit in limits if one),
            tuple(bands),
            highest=None if plotted.marked else max(limits, default=None),
        )

    def _show_legend(self, units: Units) -> None:
        tops, metric = self.strip.tops, METRICS[self.chosen.metrics[0]]
        end = tr("own limit")
        if max(tops) <= 1.01 * min(tops):
            end = tr(self.chosen.end, high=quantity(metric, float(tops[0]), units))
        self._legend.show_ends(quantity(metric, self.chosen.lowest, units).number, end)

    def _on_metric_chosen(self, name: str) -> None:
        self.chosen = self._offered[name]
        self._metrics.show_choice(name)
        self._machine.settings.remember(_REMEMBERED, name)
        self.metric_chosen.emit()

    def _place_sums(self) -> None:
        """Where it is narrow, the sums stand below the choices, and then these are a list."""
        room = self.width() - self._metrics.full_width()
        self._metrics.show_compact(room < _ALL_CHOICES)
        below = room < _BESIDE and not self._metrics.isHidden()
        place, at = (self.body, 1) if below else (self.head, 3)
        if place.indexOf(self._sums) < 0:
            place.insertWidget(at, self._sums, 100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_sums()
