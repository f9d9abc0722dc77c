"""The plots of one card: which metrics are plotted, and what each plot shows of them."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QMenu

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.facts import PLOTS, grouped, metric_fact, offered, short_label, usual
from gpuexplorer.gui.cards.figure import NEAR_HEAT_LIMIT, link_now
from gpuexplorer.gui.cards.reasons import reason_then, sign
from gpuexplorer.gui.cards.throttling import SlowedSpan
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.plots.content import Band, Flag, Limit, Origin, PlotContent, PlotLine
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton, open_below
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Kind

# Bands show these already.
_ON_BANDS = frozenset({Kind.THROTTLING_BEGAN, Kind.THROTTLING_ENDED, Kind.THROTTLING_UNKNOWN})
_LIMITS = {
    m.TEMPERATURE: (
        (m.TEMPERATURE_MAX, mark("target")),
        (m.TEMPERATURE_SLOWDOWN, mark("slows down at")),
        (m.TEMPERATURE_SHUTDOWN, mark("switches off at")),
    ),
    m.MEMORY_TEMPERATURE: ((m.MEMORY_TEMPERATURE_MAX, mark("memory limit")),),
}
_MEMORY_LIMIT_FROM = 20.0  # degrees below it: lines for the core's limits are many already


class PlotsPanel(QFrame):
    """Its plots, and the way to choose others, which are remembered for each card."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._machine, self._window = desk.machine, desk.time_window
        self._settings, self._course = desk.settings, desk.lab.course
        self._usual: dict[CardId, Sequence[MetricId]] = {}
        self.setProperty("panel", "card")
        self.setObjectName("card.plots")
        self.setAccessibleName(tr("Plots"))
        self._title = ElidedLabel(look().letters.title, Tone.TEXT)
        self._choose = ToolButton("word", Icon.CHOOSE, tr("Choose plots"))
        self._choose.setToolTip(tr("Choose which metrics are plotted for this card"))
        self._choose.clicked.connect(self._on_choose_clicked)
        nothing = tr("Nothing is plotted. “Choose plots” brings back what you want to see.")
        self._nothing = wrapped_label(nothing, Tone.QUIET)
        self.stack = PlotStack(desk.time_window, desk.settings)
        self.stack.comparing = desk.machine.comparing
        # Plots keep so much free on either side.
        head = row(self._title, self._choose, FREE, gap=12, margins=(4, 0, 0, 0))
        parts = (head, self._nothing, self.stack, GROWS)
        column(*parts, within=self, gap=0, margins=(12, 8, 12, 4))

    def show_card(self, shown: Shown, reading: Reading, slowed: Sequence[SlowedSpan]) -> None:
        self._now, window, card = (shown, reading, slowed), self._window, shown.card
        session, (start, end) = self._machine.session, window.stretch()
        bands = tuple(Band(*each) for each in slowed)
        size = reading.values.get(m.MEMORY_TOTAL) or card.memory_bytes
        swap = reading.values.get(m.SWAP_TOTAL)
        whole = {m.MEMORY_USED: size, m.MEMORY_FREE: size, m.SWAP_USED: swap}
        contents = [
            PlotContent(
                name,
                tr(PLOTS[name]),
                METRICS[metrics[0]].unit,
                tuple(self._line(at, metric) for at, metric in enumerate(metrics)),
                tuple(_limits(reading, metrics)),
                bands,
                None if name in ("temperature", "energy") else 0.0,
                1.0 if name == "utilisation" else whole.get(metrics[0]),
            )
            for name, metrics in grouped(self._chosen()).items()
        ]
        flags = [
            Flag(each.at, tr(each.sentence), sign(each)[1], shown.colour)
            for each in session.happenings()
            if each.card in {None, card.id} and start <= each.at <= end
            if each.kind not in _ON_BANDS
        ]
        flags += flags_of(self._course, card.id, start, end, shown.colour)
        source = tr("its operating system") if shown.host else tr(session.source.label)
        words = tr("{title}; read through {source}", title=shown.title, source=source)
        named, past = self._machine.comparing.named(words), self._machine.past
        simulated = session.source.simulated and not shown.host
        self.stack.show_origin(Origin(named, simulated, past))
        self._title.show_text(tr("Plots") if window.following else window.moments())
        self._nothing.setVisible(not contents)
        self.stack.setVisible(bool(contents))
        self.stack.show_contents(contents, flags)

    def _line(self, at: int, metric: MetricId) -> PlotLine:
        """In the card's colour and the quiet one in turn, then both again with a dash."""
        (shown, reading, _), machine = self._now, self._machine
        card, log, known = shown.card.id, machine.session.happenings(), METRICS[metric]
        visible = (*self._window.stretch(), self.stack.columns())
        reason, tone, value = "", Tone.TEXT, reading.values.get(metric)
        if value is None:
            reason = tr(reading.missing.get(metric, Absence.NOT_YET).sentence)
        limits = [each for each, _ in _LIMITS.get(metric, ()) if each in reading.values]
        if limits and value and value >= reading.values[limits[0]] - NEAR_HEAT_LIMIT:
            tone = Tone.WARN
        beside, coloured = machine.comparing.beside, shown.colour is not None
        return PlotLine(
            short_label(known),
            known,
            machine.past.trace(card, metric, *visible),
            reason=reason_then(reason, card, reading.state, log, self._window.then()),
            colour=None if at % 2 else shown.colour,
            dash=at // 2 if coloured else at,
            card=card,
            now=value,
            tone=tone,
            beside=None if beside is None else beside.trace(card, metric, *visible),
        )

    def _chosen(self) -> Sequence[MetricId]:
        """What cannot be read, or is in the catalogue no more, is as if never chosen."""
        card, reading = self._now[0].card, self._now[1]
        kept = self._settings.remembered(f"card/plots/{card.id}")
        if kept:
            return [each for each in offered(card) if each in re.findall(r"\w+", kept)]
        if reading.values or card.id not in self._usual:
            # Of a card that was lost the same is shown on.
            self._usual[card.id] = usual(card, reading)
        return self._usual[card.id]

    def _remember(self, words: str) -> None:
        self._settings.remember(f"card/plots/{self._now[0].card.id}", words)
        self.show_card(*self._now)

    def sizeHint(self) -> QSize:
        """No more than it needs: the page is as high as it likes, and plots are to fit."""
        return self.minimumSizeHint()

    def toggle(self, metric: str) -> None:
        self._remember(f"[{' '.join({*self._chosen()} ^ {MetricId(metric)})}]")

    def _on_choose_clicked(self) -> None:
        """Every metric with its value now, or why there is none."""
        (shown, reading, _), units = self._now, self._settings.choices.units
        menu, chosen = QMenu(self), self._chosen()
        for name, metrics in grouped(offered(shown.card)).items():
            within = menu.addMenu(tr(PLOTS[name]))
            within.setToolTipsVisible(True)
            for metric in metrics:
                fact = metric_fact(reading, metric, units)
                action = within.addAction(f"{fact.label}\t{fact.read}")
                action.setToolTip(plain_tip(fact.hint))
                action.setCheckable(True)
                action.setChecked(metric in chosen)
                action.triggered.connect(lambda _=False, metric=metric: self.toggle(metric))
        menu.addSeparator()
        menu.addAction(tr("Show the default plots"), lambda: self._remember(""))
        open_below(menu, self._choose)


def _limits(reading: Reading, metrics: Sequence[MetricId]) -> list[Limit]:
    values, limits = reading.values, []
    if m.POWER_LIMIT in values and m.POWER_DRAW in metrics and m.POWER_LIMIT not in metrics:
        limits.append(Limit(tr("limit"), values[m.POWER_LIMIT]))
    for metric in metrics:
        for limit, label in _LIMITS.get(metric, ()):
            far = values.get(limit, 0.0) - values.get(metric, 0.0) > _MEMORY_LIMIT_FROM
            if limit in values and not (far and metric == m.MEMORY_TEMPERATURE):
                limits.append(Limit(tr(label), values[limit]))
    link = link_now(reading)
    if link.rate is not None and {m.PCIE_RECEIVE, m.PCIE_TRANSMIT} & {*metrics}:
        limits.append(Limit(tr("link {speed}", speed=link.text), link.rate))
    return limits
