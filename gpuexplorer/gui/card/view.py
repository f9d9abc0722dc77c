"""CardView: one card, or the computer itself, in depth: how it is, whose its memory is, plots
over the shared stretch of time, and all its facts.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QWidget

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId
from gpuexplorer.core.units import Quantity, Units, part_of_memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.card.fact_list import (
    FactsPanel,
    commands_of,
    host_facts,
    past_facts,
    swap_how,
)
from gpuexplorer.gui.cards.card_face import CardFace, Shown
from gpuexplorer.gui.cards.figure import (
    NEAR_HEAT_LIMIT,
    Figure,
    card_facts,
    figure,
    grouped,
    memory_face,
    metric_fact,
    offered,
    usual,
)
from gpuexplorer.gui.cards.reasons import Band, SlowedBook, reason_then, sign
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.plots.content import Flag, Limit, Origin, PlotContent, PlotLine
from gpuexplorer.gui.plots.flags import flags_of
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, mixed
from gpuexplorer.gui.widgets.bars.top_bar import SIMULATED, host_name
from gpuexplorer.gui.widgets.controls.buttons import ToolButton, open_below
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Space,
    add,
    column,
    row,
    say,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, NowTag, Wording, width_of, wordings
from gpuexplorer.gui.widgets.live_view import PLOT_KEYS, KeyGroup, LiveView, Page, Panel
from gpuexplorer.gui.widgets.painted import ChipRow, Painted
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.remote.stream import FarStream
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.pcie_link import link_now
from gpuexplorer.telemetry.processes import ProcessFigure, program_name

_KEYS: KeyGroup = (
    mark("Card"),
    (
        ("Left Right", mark("To the card before, or the next")),
        ("Ctrl+F", mark("Search its facts")),
        ("Ctrl+C", mark("Copy the facts that are selected")),
    ),
)
_STEPS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_FACTS_BESIDE_FROM, _FACTS_WIDTH = 1080, 304
_MARGIN, _TOP, _GAP = 24, 20, 12
_HEAD, _BAR = 32, 18
_LEGEND = '<table width="100%" cellspacing="0"><tr>{}</tr></table>'
_ENTRY = (
    '<td width="24%" style="padding-right: 12px"><font color="{5}">{4}</font> {0}<br>'
    '<span style="font-size: 13px; color: {6}">{1}</span> {2}<br>'
    '<font color="{7}">{3}</font></td>'
)
# What a part is, and so how it is drawn; there are others.
PROGRAMS = mark("Programs")  # used by programs that name themselves
USED = mark("Used")  # used, and nobody told by whom
RESERVED = mark("Reserved")
_SAME = 1 / 1000  # readings of programs and of the whole are not of the same instant
_NAMES_SAID = 3
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


class CardView(LiveView):
    """Shows the card that was chosen last, or the first there is; without one, the computer."""

    key_groups = (PLOT_KEYS, _KEYS)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, tuple(Cadence), processes=True)
        self._header, self._memory = CardHeader(desk), MemoryPanel(desk)
        self._plots, self._facts = PlotsPanel(desk), FactsPanel(desk.time_window)
        self._slowed, self.tree = SlowedBook(), self._facts.tree
        self.tree.plot_asked.connect(self._plots.toggle)
        self.add_command(tr("Copy all facts"), "", self.tree.copy_all)
        self._page, self._side = Page(), QWidget()
        self._page.body.setSpacing(_GAP)
        add(self._page.body, self._header, self._memory, self._plots, GROWS)
        self._side.setFixedWidth(_FACTS_WIDTH + _MARGIN)
        self._beside = column(within=self._side, margins=(0, _TOP, _MARGIN, _GAP))
        row(self._page, GROWS, self._side, within=self, gap=0)
        self.begin_at(self._page)
        desk.navigation.card_changed.connect(self._on_changed)
        desk.settings.changed.connect(self._on_changed)

    def pull(self) -> None:
        machine, window, session = self.machine, self.time_window, self.machine.session
        first = next(iter(machine.cards()), machine.host)
        shown = machine.shown(self.desk.navigation.card) or first
        face, card, units = machine.face(shown), shown.card, machine.settings.choices.units
        reading = face.reading
        self._slowed.take(session.happenings())
        slowed = self._slowed.stretches(card.id, *window.stretch())
        self._plots.show_card(shown, reading, slowed)
        self._header.show_card(shown, face)
        self._memory.show_memory(face, self._memory_picture(shown, reading))
        heading, ending = f"{shown.title}, {moment_word(session.clock.wall(), 0.0)}", ""
        if shown.host:
            far = session.backend
            hello = far.machine.hello if isinstance(far, FarStream) else None
            name = "" if session.stream.here else host_name(session)
            facts, hows = host_facts(card, reading, units, name, hello), swap_how(reading)
        else:
            told = card, session.source, reading, units
            past, parent = past_facts(machine.past, window, card.id), shown.number.split(".")[0]
            facts = card_facts(*told, past, instances=len(shown.instances), parent=parent)
            hows = commands_of(card, reading.values)
            if session.simulated:
                ending = tr(SIMULATED)
                heading += "\n" + tr("SIMULATED: every figure is made up.")
        self.tree.show_facts(facts, hows, f"GPU Explorer: {heading}", ending)

    def start_search(self) -> bool:
        field = self.tree.field
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.selectAll()
        self._page.ensureWidgetVisible(field, 0, 2 * _GAP)
        return True

    def _memory_picture(self, shown: Shown, reading: Reading) -> "MemoryPicture":
        session, units = self.machine.session, self.machine.settings.choices.units
        if shown.host or shown.card.memory_shared:
            host = self.machine.host_reading()
            return memory_picture(shown.card, reading, None, units, host)
        users: list[tuple[str, float | None]] | None = None  # it cannot be said just now
        if shown.card.id not in session.processes_unknown():
            cards, users = {each.card.id for each in (shown, *shown.instances)}, []
            for each in session.process_book.living():
                if (process := each.process).card in cards:
                    untold = tr("process {pid}", pid=process.pid)
                    held = process.values.get(ProcessFigure.MEMORY)
                    users.append((program_name(each.command or "") or untold, held))
        return memory_picture(shown.card, reading, users, units)

    def _on_changed(self) -> None:
        if self.isVisible():
            self.pull()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(event.key())
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self._header.chips.step(step)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The facts stand in a column at the right, or whole below all else if it is narrow."""
        beside, policy = event.size().width() >= _FACTS_BESIDE_FROM, QSizePolicy.Policy
        self._side.setVisible(beside)
        (self._beside if beside else self._page.body).addWidget(self._facts)
        self.tree.setSizePolicy(policy.Expanding, policy.Ignored if beside else policy.Minimum)
        right = _GAP if beside else _MARGIN
        self._page.body.setContentsMargins(_MARGIN, _TOP, right, _GAP)
        super().resizeEvent(event)


class CardHeader(QWidget):
    """The card's chip and name, what it is besides, how it is, and the way to all others."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._machine, letters = desk.machine, look().letters
        self._chip, self._name = ChipRow(), ElidedLabel(letters.number, Tone.TEXT)
        self._besides = ElidedLabel(letters.body, Tone.QUIET)
        self._state, self.chips = Line(right=True), CardChips()
        self.chips.setObjectName("card.cards")
        self.chips.chosen.connect(lambda card: desk.navigation.choose_card(CardId(card)))
        parts = (self._chip, self._name, self._besides, self._state, GROWS)
        row(*parts, NowTag(desk.time_window), self.chips, within=self, gap=12)
        self.setFixedHeight(_HEAD)

    def show_card(self, shown: Shown, face: CardFace) -> None:
        machine, body = self._machine, look().letters.body
        choices = [
            Choice(each.card.id, each.number, each.title, colour=each.colour, typed=False)
            for top in (*machine.cards(), machine.host)
            for each in (top, *top.instances)
        ]
        self.chips.show_choices(choices, shown.card.id)
        self._chip.show_chips([Chip(face.number, None if face.sentence else face.colour)])
        badges = [each for each in face.badges if not each.minor]
        cuda = face.cuda_reason or tr("The number CUDA and PyTorch give this card.")
        hints = [*([cuda] if face.cuda else []), *(badge.hint for badge in badges)]
        besides = (face.cuda, *(badge.word for badge in badges))
        self._besides.show_text(" · ".join(filter(None, besides)), "\n".join(hints))
        name = face.name.removeprefix("NVIDIA ")
        self._name.show_text(name or tr("Card {number}", number=face.number), face.name)
        said: Wording = ()
        if (state := face.mark) is not None:
            icon: Wording = ((state.icon, body, state.tone),) if state.icon else ()
            said = (*icon, (state.word, body, state.tone))
        self._state.show_wordings([said])
        self._state.setMinimumWidth(round(width_of(said)) + 1)
        self.setAccessibleName(face.title)
        self.setAccessibleDescription(face.summary)


class MemoryPanel(Panel):
    """How full its memory is and whose; of a card that gives no figures, why."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(tr("Memory"))
        self.setObjectName("card.memory")
        self._used, self._bar = Line(height=26, right=True), MemoryBar()
        self._legend = wrapped_label("", Tone.QUIET, look().letters.caption)
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._legend.setMinimumHeight(1)  # else as high as where it is narrowest
        self._sentence = wrapped_label("", Tone.TEXT)
        self._sentence.setContentsMargins(0, 4, 0, 0)
        add(self.head, NowTag(desk.time_window), self._used, GROWS)
        add(self.body, self._bar, Space(4), self._legend, self._sentence)

    def show_memory(self, face: CardFace, picture: "MemoryPicture") -> None:
        state, silent = face.mark, bool(face.sentence)
        self.show_heading(state.word if silent and state else tr("Memory"))
        theme, letters = look().theme, look().letters
        figure = wordings(face.memory.figure, letters.number, letters.body)
        self._used.show_wordings(figure if picture.figure.known and not silent else ())
        self._bar.show_picture(picture, face.colour)
        self._bar.setVisible(not silent)
        entries, inks = [], _inks(picture, face.colour)
        for part in picture.parts:
            told = part.label, part.amount.number, part.amount.unit, part.remark
            ink, sign = inks.get(part.kind, theme.faint), "■" if part.kind in inks else "□"
            colours = (each.name() for each in (ink, theme.text, theme.faint))
            entries.append(_ENTRY.format(*map(escape, told), sign, *colours))
        self._legend.setText(_LEGEND.format("".join(entries)))
        self._legend.setAccessibleName(picture.spoken)
        self._legend.setVisible(not silent and bool(entries))
        self.setAccessibleDescription("" if silent else picture.spoken)
        say(self._sentence, f"{face.sentence}\n{face.more}".rstrip() or picture.sentence)


class MemoryBar(Painted):
    """Its parts in one hue, programs in two shades of it in turn."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[MemoryPicture, int | None] | None = None
        self.setFixedHeight(_BAR)

    def show_picture(self, picture: "MemoryPicture", colour: int | None) -> None:
        if self._shown != (picture, colour):
            self._shown = picture, colour
            self.update()

    def draw(self, drawing: Drawing) -> None:
        if self._shown is None:
            return
        (picture, colour), bar, x = self._shown, QRectF(self.rect()), 0.0
        inks, pieces = _inks(picture, colour), []
        for part in picture.parts:
            for at, (share, hint) in enumerate(part.programs or [(part.share, part.spoken)]):
                width = share * bar.width()
                drawing.hint(QRectF(x, 0, width, bar.height()), hint)
                x += width
                if (ink := inks.get(part.kind)) is not None:
                    pieces.append((share, mixed(drawing.theme.surface, ink, 1 - at % 2 / 4)))
        if picture.figure.known:
            drawing.bar(bar, pieces)
        else:
            drawing.no_bar(bar)


def _inks(picture: "MemoryPicture", colour: int | None) -> Mapping[str, QColor]:
    """What is in use and not ours is dimmer, beside what somebody owned up to."""
    theme, owned = look().theme, picture.parts and picture.parts[0].programs
    hue, dim = theme.card(colour), mixed(theme.surface, theme.card(colour), 0.5)
    others = dim if owned else hue
    return {PROGRAMS: hue, USED: others, RESERVED: theme.faint}


class MemoryPart(NamedTuple):
    """One stretch of the bar with its entry below it. Shares are of the whole bar."""

    kind: str
    label: str
    amount: Quantity
    share: float
    remark: str
    programs: Sequence[tuple[float, str]] = ()  # what each of them has of it

    @property
    def spoken(self) -> str:
        return tr("{label} {amount}, {remark}", **self._asdict())


class MemoryPicture(NamedTuple):
    """The bar and its words. Without a figure, `sentence` says why there is none."""

    figure: Figure
    parts: Sequence[MemoryPart] = ()
    sentence: str = ""

    @property
    def spoken(self) -> str:
        used = tr("{amount} used", amount=self.figure.value)
        said = [f"{each}." for each in (used, *(part.spoken for part in self.parts))]
        return " ".join([*(said if self.figure.known else ()), self.sentence]).rstrip()


def memory_picture(
    card: Card,
    reading: Reading,
    programs: Sequence[tuple[str, float | None]] | None,
    units: Units,
    host: Reading | None = None,
) -> MemoryPicture:
    """`programs` is None where nobody can tell who uses the card. `host` is the computer's
    memory, for itself and for a chip that works in it.
    """
    values = (reading := host or reading).values
    used_by, free_for, sentence = tr("by whom is not reported"), tr("for anyone"), ""
    if card.memory_shared:
        used_by, free_for = tr("by the computer and the card"), tr("for either")
        sentence = tr("The card uses the computer's memory and has none of its own.")
    elif host:
        used_by, free_for = tr("by programs and the system"), tr("for anyone, caches included")
    face = memory_face(reading, None if host else card.memory_bytes, units)
    used, total = values.get(m.MEMORY_USED), face.total_bytes
    if used is None or not total:
        metric = m.MEMORY_USED if used is None else m.MEMORY_TOTAL
        shown = figure(reading, metric, units, tr("Memory"))
        return MemoryPicture(shown, (), sentence or shown.hint.partition("\n")[0])
    free = total - used if host else values.get(m.MEMORY_FREE)
    reserved = values.get(m.MEMORY_RESERVED)
    stated = used + (free or 0.0) + (reserved or 0.0)
    bar, parts = max(total, stated), list[MemoryPart]()

    def add(kind: str, size: float | None, remark: str, label: str = "") -> None:
        if size is not None:  # amounts are in the unit of the total
            amount, label = part_of_memory(size, total, units), label or tr(kind)
            parts.append(MemoryPart(kind, label, amount, size / bar, remark))

    users = [(size, name) for name, size in programs or () if size]
    users.sort(reverse=True)
    if by_name := sum(size for size, _ in users):
        names = list(dict.fromkeys(name for _, name in users))
        remark = ", ".join(names[:_NAMES_SAID])
        if more := len(names[_NAMES_SAID:]):
            remark = tr("{names} and {count} more", names=remark, count=more)
        add(PROGRAMS, min(used, by_name), remark)
        if by_name <= used:  # else some share it, or were read a moment later
            sizes = ((size, f"{e}: {part_of_memory(size, total, units)}") for size, e in users)
            each = [(size / bar, words) for size, words in sizes]
            parts[0] = parts[0]._replace(programs=each)
        used_by = tr("by no named program")
    elif programs:
        used_by = tr("by programs whose share is not reported")
    elif programs is not None:
        used_by = tr("no program is listed")
    if used > by_name or not by_name:
        add(USED, used - by_name, used_by, tr("Other used") if by_name else "")
    add(RESERVED, reserved, tr("by the driver"))
    add(mark("Free"), free, free_for)
    if (left := total - stated) > total * _SAME:
        add(mark("Not explained"), left, tr("in no figure of the driver"))
    elif left < -total * _SAME:
        sentence = tr("The driver's figures add up to more than the card has.")
    if card.kind is not CardKind.MIG and values.get(m.MIG_MODE):
        sentence = sentence or tr("MIG is on: its instances have shares of this memory.")
    return MemoryPicture(face.figure, parts, sentence)


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

    def show_card(self, shown: Shown, reading: Reading, slowed: Sequence[Band]) -> None:
        self._now, window, card = (shown, reading, slowed), self._window, shown.card
        session, (start, end) = self._machine.session, window.stretch()
        size = reading.values.get(m.MEMORY_TOTAL) or card.memory_bytes
        swap = reading.values.get(m.SWAP_TOTAL)
        whole = {m.MEMORY_USED: size, m.MEMORY_FREE: size, m.SWAP_USED: swap}
        contents = [
            PlotContent(
                title,
                tr(title),
                METRICS[metrics[0]].unit,
                tuple(self._line(at, metric) for at, metric in enumerate(metrics)),
                tuple(_limits(reading, metrics)),
                tuple(slowed),
                None if title in ("Temperature", "Energy") else 0.0,
                1.0 if title == "Utilisation" else whole.get(metrics[0]),
            )
            for title, metrics in grouped(self._chosen()).items()
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
            tr(known.short),
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
        for title, metrics in grouped(offered(shown.card)).items():
            within = menu.addMenu(tr(title))
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
