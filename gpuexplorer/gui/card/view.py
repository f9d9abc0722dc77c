"""CardView: one card, or the computer itself, in depth: memory, plots over the shared stretch,
all its facts.
"""

import json
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.metrics import Cadence, MetricId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.card.card_header import CardHeader, SentencePanel
from gpuexplorer.gui.card.card_past import CardPast
from gpuexplorer.gui.card.facts_panel import FactsPanel
from gpuexplorer.gui.card.host_facts import host_facts
from gpuexplorer.gui.card.memory_bar import MemoryBar
from gpuexplorer.gui.card.plot_contents import flags, plot_contents
from gpuexplorer.gui.card.plots_panel import PlotsPanel
from gpuexplorer.gui.card.words import origin_words, plots_title, with_commands
from gpuexplorer.gui.cards.card_face import CardFace, Shown
from gpuexplorer.gui.cards.facts import (
    FactGroup,
    card_facts,
    grouped,
    metric_fact,
    offered,
    usual,
)
from gpuexplorer.gui.cards.memory_parts import (
    MemoryUser,
    memory_picture,
)
from gpuexplorer.gui.cards.programs import program_name
from gpuexplorer.gui.cards.reasons import moment_words
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.top_bar import SIMULATED, host_name
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import NowTag
from gpuexplorer.gui.widgets.live_view import PLOT_KEYS, KeyGroup, LiveView, Page
from gpuexplorer.remote.stream import FarStream
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.session import Session

_KEYS: KeyGroup = (
    mark("Card"),
    (
        ("Left Right", mark("To the card before, or the next")),
        ("Ctrl+F", mark("Search its facts")),
        ("Ctrl+C", mark("Copy the facts that are selected")),
    ),
)

_FACTS_BESIDE_FROM = 1080
_FACTS_WIDTH = 304
_HEAD_IN_ONE_LINE_FROM = 560
_MARGIN, _TOP, _GAP = 24, 20, 16
_MOST = 16_777_215  # Qt's own number for "as wide as it likes"
_FIGURES_EVERY = 0.25


class CardView(LiveView):
    """Shows the card that was chosen last, or the first there is; without one, the computer."""

    key_groups = (PLOT_KEYS, _KEYS)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, tuple(Cadence), processes=True)
        self._navigation = desk.navigation
        self._settings = desk.settings
        self._lab_flags = desk.lab.flags
        self._chosen = ChosenPlots(desk.settings)
        self._past = CardPast(desk.machine, desk.time_window)
        self._card: Shown | None = None
        self._figures_of: object = None
        self._figures_pulled_at = float("-inf")
        self._header = CardHeader()
        self._chips = CardChips()
        self._chips.chosen.connect(lambda card: desk.navigation.choose_card(CardId(card)))
        self._sentence = SentencePanel()
        self._sentence.hide()
        self._memory = MemoryBar(NowTag(desk.time_window))
        self._memory_panel = QFrame()
        self._memory_panel.setProperty("panel", "card")
        column(self._memory, within=self._memory_panel, margins=(16, 12, 16, 12))
        self._plots = PlotsPanel(desk.time_window, desk.settings)
        self._plots.toggled.connect(self._on_metric_toggled)
        self._plots.usual_asked.connect(self._on_usual_asked)
        self._plots.choosing_began.connect(self._on_choosing_began)
        self._plots.stack.comparing = desk.machine.comparing
        self._facts = FactsPanel(desk.time_window)
        self._chips.setObjectName("card.cards")
        self._memory_panel.setObjectName("card.memory")
        self._plots.setObjectName("card.plots")
        self._facts.setObjectName("card.facts")
        self.add_command(tr("Copy all facts"), "", self._facts.copy_all)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(_GAP)
        self._head.addWidget(self._header, 1)
        self._head.addWidget(NowTag(desk.time_window), 0, Qt.AlignmentFlag.AlignVCenter)
        self._head.addWidget(self._chips, 0, Qt.AlignmentFlag.AlignVCenter)
        self._page = Page()
        self._page.body.addLayout(self._head)
        for widget in (self._sentence, self._memory_panel, self._plots):
            self._page.body.addWidget(widget)
        self._page.body.setStretchFactor(self._plots, 1)
        self._beside_column = column(margins=(0, _TOP, 0, _TOP))
        self._row = row(self._page, GROWS, self._beside_column, within=self, gap=0)
        self._beside: bool | None = None
        self._arrange(beside=True)
        self.begin_at(self._page)
        desk.navigation.card_changed.connect(self._on_card_changed)
        desk.settings.changed.connect(self._on_settings_changed)

    def pull(self) -> None:
        machine = self.machine
        first = next(iter(machine.cards()), machine.host)
        self._card = shown = machine.shown(self._navigation.card) or first
        face = machine.face(shown)
        reading = face.reading
        self._past.read(shown, reading, self._plots.stack.columns())
        self._pull_plots(shown, reading)
        # Whoever drags the plots wants them to follow; figures can wait for the next reading.
        now = machine.session.desk.now()
        stamp = (shown, face, reading)
        if stamp != self._figures_of or now - self._figures_pulled_at >= _FIGURES_EVERY:
            self._figures_of, self._figures_pulled_at = stamp, now
            self._pull_head(shown, face)
            self._pull_memory(shown, reading)
            self._pull_facts(shown, reading)

    def start_search(self) -> bool:
        field = self._facts.start_search()
        if not self._beside:
            self._page.ensureWidgetVisible(field, 0, 2 * _GAP)
        return True

    def _pull_head(self, shown: Shown, face: CardFace) -> None:
        badges = tuple(badge for badge in face.badges if not badge.minor)
        self._header.show_face(face, face.mark, badges)
        self._chips.show_choices(self._choices(), shown.card.id)
        self._sentence.setVisible(bool(face.sentence))
        self._memory_panel.setVisible(not face.sentence)
        self._sentence.show_sentences(face.sentence, face.more)

    def _pull_memory(self, shown: Shown, reading: Reading) -> None:
        units = self._settings.choices.units
        own = shown.host or shown.card.memory_shared
        host = self.machine.host_reading() if own else None
        programs = None if own else programs_on(self.machine.session, shown)
        picture = memory_picture(shown.card, reading, programs, units, host)
        self._memory.show_picture(picture, shown.colour)

    def _pull_plots(self, shown: Shown, reading: Reading) -> None:
        chosen = self._chosen.of(shown.card, reading)
        stretch = self._past.stretch
        happenings = self.machine.session.happenings()
        contents = plot_contents(
            shown,
            reading,
            chosen,
            self.machine.past,
            stretch,
            self._past.slowed,
            happenings,
            self.time_window.then(),
            self.machine.comparing.beside,
        )
        source = self.machine.session.source
        simulated = source.simulated and not shown.host
        words = self.machine.comparing.named(origin_words(shown, source))
        origin = Origin(words, simulated, self.machine.past)
        self._plots.stack.show_origin(origin)
        self._plots.title.show_text(plots_title(self.time_window))
        marks = [
            *flags(happenings, shown, stretch),
            *flags_of(self._lab_flags, shown.card.id, stretch.start, stretch.end, shown.colour),
        ]
        self._plots.show_contents(contents, marks)
        if self._plots.choosing:
            self._show_offer(shown, reading, chosen)

    def _pull_facts(self, shown: Shown, reading: Reading) -> None:
        session = self.machine.session
        parent = self.machine.shown(shown.card.parent)
        units = self._settings.choices.units
        if shown.host:
            name = "" if session.stream.here else host_name(session)
            far = session.backend
            hello = far.machine.hello if isinstance(far, FarStream) else None
            groups = host_facts(shown.card, reading, units, name, hello)
        else:
            groups = card_facts(
                shown.card,
                session.source,
                reading,
                units,
                self._past.facts(),
                instances=len(shown.instances),
                parent="" if parent is None else parent.number,
            )
            groups = with_commands(groups, shown.card, reading.values)
        moment = moment_words(session.clock.wall(), 0.0)
        lines = [f"GPU Explorer: {shown.title}, {moment}"]
        simulated = session.simulated and not shown.host
        if simulated:
            lines.append(tr("SIMULATED: every figure is made up."))
        mark = tr(SIMULATED) if simulated else ""
        self._facts.show_facts("\n".join(lines), groups, mark)

    def _show_offer(self, shown: Shown, reading: Reading, chosen: Sequence[MetricId]) -> None:
        """A group for each plot there can be: every metric with its value now, or why not."""
        units = self._settings.choices.units
        groups = [
            FactGroup(
                family.name,
                tr(family.title),
                tuple(metric_fact(reading, metric, units) for metric in metrics),
            )
            for family, metrics in grouped(offered(shown.card))
        ]
        self._plots.show_offer(groups, frozenset(chosen))

    def _choices(self) -> list[Choice]:
        return [
            Choice(each.card.id, each.number, each.title, colour=each.colour, typed=False)
            for shown in (*self.machine.cards(), self.machine.host)
            for each in (shown, *shown.instances)
        ]

    def _arrange(self, *, beside: bool) -> None:
        """The facts in a column at the right, or below all else where it is narrow."""
        if beside is self._beside:
            return
        self._beside = beside
        self._facts.show_full_height(not beside)
        self._page.body.setContentsMargins(_MARGIN, _TOP, _GAP if beside else _MARGIN, _TOP)
        if beside:
            self._facts.setFixedWidth(_FACTS_WIDTH)
            self._beside_column.addWidget(self._facts)
            self._row.setContentsMargins(0, 0, _MARGIN, 0)
        else:
            self._facts.setMinimumWidth(0)
            self._facts.setMaximumWidth(_MOST)
            self._page.body.addWidget(self._facts)
            self._row.setContentsMargins(0, 0, 0, 0)

    def _on_card_changed(self) -> None:
        self._past.forget()
        if self.isVisible():
            self.pull()

    def _on_settings_changed(self) -> None:
        self._figures_of = None
        if self.isVisible():
            self.pull()

    def _on_metric_toggled(self, metric: str) -> None:
        if self._card is not None:
            reading = self.machine.face(self._card).reading
            self._chosen.toggle(self._card.card, reading, MetricId(metric))
            self.pull()

    def _on_usual_asked(self) -> None:
        if self._card is not None:
            self._chosen.back_to_usual(self._card.card)
            self.pull()

    def _on_choosing_began(self) -> None:
        if self._card is not None:
            reading = self.machine.face(self._card).reading
            chosen = self._chosen.of(self._card.card, reading)
            self._show_offer(self._card, reading, chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        beyond = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        match event.key():
            case _ if beyond:
                super().keyPressEvent(event)
            case Qt.Key.Key_Left:
                self._chips.step(-1)
            case Qt.Key.Key_Right:
                self._chips.step(1)
            case _:
                super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        width = event.size().width()
        self._arrange(beside=width >= _FACTS_BESIDE_FROM)
        direction = QBoxLayout.Direction
        one_line = width >= _HEAD_IN_ONE_LINE_FROM
        self._head.setDirection(direction.LeftToRight if one_line else direction.TopToBottom)
        super().resizeEvent(event)


class ChosenPlots:
    """What cannot be read, or is in the catalogue no more, is as if it was never chosen."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._usual: dict[CardId, Sequence[MetricId]] = {}

    def of(self, card: Card, reading: Reading) -> Sequence[MetricId]:
        kept = self._kept(card)
        if kept is None:
            if reading.values:
                self._usual[card.id] = usual(card, reading)
            # Of a card that was lost the same is shown on.
            return self._usual.get(card.id) or usual(card, reading)
        return [metric for metric in offered(card) if metric in kept]

    def toggle(self, card: Card, reading: Reading, metric: MetricId) -> None:
        chosen = set(self.of(card, reading))
        chosen.symmetric_difference_update({metric})
        self._settings.remember(_key(card), json.dumps(sorted(chosen)))

    def back_to_usual(self, card: Card) -> None:
        self._settings.remember(_key(card), "")

    def _kept(self, card: Card) -> frozenset[str] | None:
        text = self._settings.remembered(_key(card))
        if not text:
            return None
        try:
            kept = json.loads(text)
        except json.JSONDecodeError:
            return None
        if not isinstance(kept, list):
            return None
        return frozenset(each for each in kept if isinstance(each, str))


def _key(card: Card) -> str:
    return f"card/plots/{card.id}"


def programs_on(session: Session, shown: Shown) -> Sequence[MemoryUser] | None:
    """Those of its instances too; None where it cannot be said just now."""
    if shown.card.id in session.processes_unknown():
        return None
    cards = {shown.card.id, *(instance.card.id for instance in shown.instances)}
    return [
        MemoryUser(_name(named), named.process.values.get(ProcessFigure.MEMORY))
        for named in session.process_book.living()
        if named.process.card in cards
    ]


def _name(named: NamedProcess) -> str:
    if named.command:
        return program_name(named.command)
    return tr("process {pid}", pid=named.process.pid)
