"""All that is known of a card or of the computer beside its plots: a list to look through,
search, fold and copy, with the commands that change a setting.
"""

import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import cast

from PySide6.QtCore import QEvent, QRectF, QSize, QSysInfo, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QMenu,
    QPushButton,
    QStyle,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gpuexplorer import __version__
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Units, energy, span_words
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.cards.figure import FOLDED, NOTE, Fact, Facts, HowTo, metric_fact
from gpuexplorer.gui.cards.reasons import REASONS
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Delegate, Drawing, Index, Run, plain_tip
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row, wrapped_label
from gpuexplorer.gui.widgets.line import NowTag
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.remote.wire import Hello
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.stretches import (
    EnergyUsed,
    course,
    energy_used,
    slowed,
    time_covered,
)
from gpuexplorer.telemetry.trace import TraceSource

_MARGIN, _ROW, _HEADING, _FIRST_HEADING, _BETWEEN = 16, 26, 46, 34, 12.0
_WRAP = int(Qt.TextFlag.TextWordWrap)
_NOTHING_READ = mark("nothing recorded in it")
_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class FactsPanel(QFrame):
    """The facts, with a field to search them and a button to copy them."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setObjectName("card.facts")
        self.setAccessibleName(tr("Facts"))
        self.tree = tree = FactsTree()
        copy = IconButton(Icon.COPY, tr("Copy all facts as text"))
        copy.clicked.connect(tree.copy_all)
        parts = (tree.field, GROWS, NowTag(time_window), copy)
        head = row(*parts, gap=4, margins=(12, 12, 8, 4))
        margins = (1, 1, 1, 8)
        column(head, tree, GROWS, tree.nothing, GROWS, within=self, gap=0, margins=margins)


class FactRow(QTreeWidgetItem):
    """A heading, or below it a fact; what is noted of all of them is the last."""

    fact: Fact | None = None
    how: HowTo | None = None

    def show(self, fact: Fact, how: HowTo | None) -> None:
        self.fact, self.how = fact, how
        self.setText(0, fact.line)
        self.setToolTip(0, plain_tip(fact.hint or fact.line))
        self.setData(0, Qt.ItemDataRole.AccessibleDescriptionRole, fact.hint)


class FactsTree(QTreeWidget):
    """Groups fold by a click or by the arrow keys. What is typed into `field` narrows it down
    to what has all of these words, unfolded; `nothing` says that there is none.
    """

    plot_asked = Signal(str)  # of this metric, or no longer

    def __init__(self) -> None:
        super().__init__()
        self._heading = self._ending = ""
        self._keys: object = None
        self._rows: list[tuple[FactRow, list[FactRow]]] = []
        self.field = SearchField(tr("Search facts"))
        self.nothing = wrapped_label("", Tone.QUIET)
        self.field.setToolTip(tr("Search facts ({keys})", keys="Ctrl+F"))
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.field.textChanged.connect(self._narrow)
        self.field.left.connect(self.setFocus)
        self.setItemDelegate(FactDelegate(self))
        self.setAccessibleName(tr("Facts"))
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToContents)
        self.itemClicked.connect(self._on_clicked)

    def show_facts(
        self, facts: Facts, hows: Mapping[str, HowTo], heading: str, ending: str
    ) -> None:
        """`hows` are told on a click. A copy of all begins with the heading; of a few, each
        has the ending.
        """
        self._heading, self._ending = heading, ending
        keys = [(key, len(below)) for key, below in facts.items()]
        anew, self._keys = keys != self._keys, keys
        if anew:
            self.clear()
            tops = [(FactRow(self, [tr(key)]), count) for key, count in keys]
            self._rows = [(top, [FactRow(top) for _ in range(count)]) for top, count in tops]
        for told, (_, below) in zip(facts.values(), self._rows, strict=True):
            for fact, each in zip(told, below, strict=True):
                each.show(fact, hows.get(fact.key))
        if anew:
            self._narrow(self.field.text())

    def copy_all(self) -> None:
        """As text, to be pasted anywhere."""
        lines = [self._heading]
        for top, below in self._rows:
            lines += ["", top.text(0), *(f"  {each.text(0)}" for each in below)]
        copy_text("\n".join(lines) + "\n")

    def copy_selected(self, *, only_values: bool = False) -> None:
        chosen = [each for _, below in self._rows for each in below if each.isSelected()]
        end = f" ({self._ending})" if self._ending else ""
        said = [e.fact.read if only_values and e.fact else e.text(0) for e in chosen]
        if said:
            copy_text("\n".join(each + end for each in said))

    def _narrow(self, text: str) -> None:
        words, found = text.lower().split(), False
        for top, below in self._rows:
            title = top.text(0)
            named = bool(words) and all(word in title.lower() for word in words)
            for each in below:
                said = f"{each.text(0)} {each.toolTip(0)}".lower()
                each.setHidden(not (named or all(word in said for word in words)))
            seen = not all(each.isHidden() for each in below)
            top.setHidden(not seen)
            top.setExpanded(bool(words) or title != tr(FOLDED))
            found |= seen
        self.setVisible(found)
        self.nothing.setVisible(not found)
        self.nothing.setText(tr("No fact has “{text}” in it.", text=text))

    def _on_clicked(self, row: FactRow) -> None:
        # Whoever selects several wants to copy them.
        several = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if row.fact is None:
            row.setExpanded(not row.isExpanded())
        elif row.how is not None and not QGuiApplication.keyboardModifiers() & several:
            HowToSheet(row.how, self).open()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self.scheduleDelayedItemsLayout()  # notes wrap to the width
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and event.matches(QKeySequence.StandardKey.Copy)
            and self.selectedItems()
        ):
            event.accept()  # what is selected is copied, before the plots are
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selected()
        elif event.key() in _TAKES and isinstance(row := self.currentItem(), FactRow):
            self._on_clicked(row)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu, row, some = QMenu(self), self.itemAt(event.pos()), bool(self.selectedItems())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        values = partial(self.copy_selected, only_values=True)
        menu.addAction(tr("Copy"), self.copy_selected).setEnabled(some)
        menu.addAction(tr("Copy the value alone"), values).setEnabled(some)
        menu.addSeparator()
        fact, how = (row.fact, row.how) if isinstance(row, FactRow) else (None, None)
        if fact is not None and fact.key in METRICS and METRICS[MetricId(fact.key)].plotted:
            asked = partial(self.plot_asked.emit, fact.key)
            menu.addAction(tr("Add or remove its plot"), asked)
        if how is not None:
            menu.addAction(f"{how.title}…", lambda: HowToSheet(how, self).open())
        menu.popup(event.globalPos())


class FactDelegate(Delegate):
    """A fact as a line: at its left what it is, at its right its value, or why it has none."""

    def __init__(self, tree: FactsTree) -> None:
        super().__init__(tree)
        self._tree = tree

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        row, theme, body = self._row(index), drawing.theme, drawing.letters.body
        line, ground = place.adjusted(_MARGIN, 0, -_MARGIN, 0), place.adjusted(6, 1, -6, -1)
        state, flag, baseline = option.state, QStyle.StateFlag, place.bottom() - 8
        box = QRectF(line.right() - 16, baseline - 13, 16, 16)
        if row.fact is None:
            ground.setTop(place.bottom() - 29)
            if index.row():
                drawing.hairline(line.left(), line.right(), line.top() + 8)
            title = Run(row.text(0), drawing.letters.strong, theme.text)
            drawing.text(line.left(), baseline, title)
            drawing.icon(Icon.OPEN if row.isExpanded() else Icon.NEXT, box, theme.faint)
        elif state & flag.State_Selected:
            drawing.filled(ground, theme.selection, 4)
        elif state & flag.State_MouseOver:
            drawing.filled(ground, theme.hover, 4)
        if state & flag.State_HasFocus and self._tree.hasFocus():
            drawing.focus_ring(ground, 4)
        if row.how is not None:
            drawing.icon(Icon.NEXT, box.adjusted(17, 1, 15, -1), theme.faint)
        if (fact := row.fact) is None:
            return
        if fact.key == NOTE:
            drawing.painter.setFont(body.font)
            drawing.painter.setPen(theme.tone(fact.tone))
            drawing.painter.drawText(line.adjusted(0, 4, 0, 0), _WRAP, fact.label)
            return
        # The name gives way before the value, of which both ends tell it from others.
        unit = Run(f"{THIN_SPACE}{fact.unit}" if fact.unit else "", body, theme.quiet)
        room = max(line.width() - body.width(fact.label) - _BETWEEN, line.width() / 2)
        middle, said = Qt.TextElideMode.ElideMiddle, fact.value or fact.read
        value = body.metrics.elidedText(said, middle, room - unit.width)
        ink = theme.tone(fact.tone) if fact.value else theme.faint
        left = drawing.runs_right(line.right(), baseline, [Run(value, body, ink), unit])
        name, room = Run(fact.label, body, theme.quiet), left - _BETWEEN - line.left()
        drawing.elided(line.left(), baseline, name, room)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        fact, width = self._row(index).fact, self._tree.viewport().width()
        if fact is None:
            return QSize(width, _HEADING if index.row() else _FIRST_HEADING)
        if fact.key != NOTE:
            return QSize(width, _ROW)
        room, letters = QRectF(0, 0, width - 2 * _MARGIN, 10_000), self.look.letters.body
        high = letters.metrics.boundingRect(room, _WRAP, fact.label).height()
        return QSize(width, round(high) + 8)

    def _row(self, index: Index) -> FactRow:
        return cast("FactRow", self._tree.itemFromIndex(index))  # there are no others


class HowToSheet(Sheet):
    """Sentences, and each command with a button that copies it."""

    def __init__(self, how: HowTo, parent: QWidget) -> None:
        super().__init__(how.title, parent, width=640)
        for sentence in how.sentences:
            self.add_sentence(sentence)
        for what, line in how.commands:
            self.add_sentence(what, Tone.QUIET)
            copy = QPushButton(tr("Copy"))
            copy.setAccessibleDescription(line)
            copy.clicked.connect(partial(copy_text, line))
            self.add_code(line, tr("Command"))
            self.body.addWidget(copy, 0, Qt.AlignmentFlag.AlignRight)
        if how.commands:
            note = tr("GPU Explorer sets nothing itself: paste it into a terminal.")
            self.add_sentence(note, Tone.QUIET)
        self.add_close()


def copy_text(text: str, *_: object) -> None:
    QGuiApplication.clipboard().setText(text)


def past_facts(past: TraceSource, window: TimeWindow, card: CardId) -> Sequence[Fact]:
    """Within the visible stretch, how long it was slowed and its energy; and that of today."""
    (start, end), now = window.stretch(), window.now()
    moment = datetime.fromtimestamp(window.wall(now)).astimezone()
    morning = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    span, day = end - start, now - (moment - morning).total_seconds()
    used, today = (energy_used(past, card, *each) for each in ((start, end), (day, now)))
    label = tr("Energy today")
    if today is not None and today.since > day + 60:
        since = datetime.fromtimestamp(window.wall(today.since)).astimezone()
        label = tr("Energy since {time}", time=f"{since:%H:%M}")
    read = span if used is None else time_covered(used.seconds, span)
    return (
        slowed_fact(past, card, start, end),
        energy_fact("energy_span", tr("Energy in {span}", span=spoken_time(read)), used),
        energy_fact("energy_today", label, today),
    )


def slowed_fact(past: TraceSource, card: CardId, start: float, end: float) -> Fact:
    """In the visible stretch, and how much of that was recorded at all."""
    did, span = {each: course(past, card, each, start, end) for each in REASONS}, end - start
    seconds, recorded = slowed([*did.values()])
    label = tr("Throttled in {span}", span=spoken_time(span))
    meaning = tr(
        "How long in the visible stretch of time the card was slowed by heat, by its power "
        "limit, by the power supply or by its group."
    )
    if not recorded:
        return Fact("slowed", label, absent=tr(_NOTHING_READ), hint=meaning)
    held = {reason: each.total for reason, each in did.items() if each.total}
    parts = [
        tr("{reason}: {time}", reason=tr(METRICS[reason].label), time=spoken_time(each))
        for reason, each in held.items()
    ]
    # What nobody read must not be called a time without trouble.
    whole = time_covered(recorded, span) == span
    calm = tr("never") if whole else "0 s"
    value = spoken_time(seconds) if seconds > 0 else calm
    rest = "" if whole else tr("of {time} read", time=spoken_time(recorded))
    tone = Tone.WARN if {*m.GRAVE} & held.keys() else Tone.TEXT
    return Fact("slowed", label, value, rest, "", "\n".join([meaning, *parts]), tone)


def energy_fact(key: str, label: str, used: EnergyUsed | None) -> Fact:
    if used is None:
        meaning = tr("How much energy the card used.")
        return Fact(key, label, absent=tr(_NOTHING_READ), hint=meaning)
    read, how = energy(used.joules), tr("Energy the card used, as it counts it itself.")
    if not used.counted:
        how = tr("Added up from its power, since this card does not count energy.")
    return Fact(key, label, read.number, read.unit, hint=how)


def spoken_time(seconds: float) -> str:
    """ "1 min 15 s", "24 h", "0.4 s": times a person compares, not instrument readings."""
    return span_words(seconds) if seconds >= 10 else f"{round(max(seconds, 0.1), 1):g} s"


def host_facts(
    host: Card, reading: Reading, units: Units, name: str = "", hello: Hello | None = None
) -> Facts:
    """Each metric of the computer once. `name`: of another than this, which said of itself what
    stands in `hello`, where it is read over ssh.
    """

    threads = tr("How many threads run at once; two may share a core.")
    cores = Fact("cores", tr("Logical cores"), str(host.cores or ""), hint=threads)
    processor = [Fact("name", tr("Model"), host.name), cores]
    system = [Fact("computer", tr("Name"), name or platform.node())]
    if not name:
        processor.append(Fact("architecture", tr("Architecture"), platform.machine()))
        runs = tr("It runs this program.")
        system += [
            Fact("system", tr("System"), QSysInfo.prettyProductName()),
            Fact("kernel", tr("Kernel"), platform.release()),
            Fact("python", tr("Python"), platform.python_version(), hint=runs),
            Fact("program", "GPU Explorer", __version__),
        ]
    elif hello is not None:
        system += [
            Fact("system", tr("System"), hello.system),
            Fact("python", tr("Python"), hello.python, hint=tr("It runs what was sent over.")),
            Fact("user", tr("Login"), hello.user),
        ]
    told = (m.MEMORY_TOTAL, m.MEMORY_USED, m.MEMORY_FREE, m.SWAP_TOTAL, m.SWAP_USED)
    memory = [metric_fact(reading, metric, units) for metric in told]
    if swap_how(reading):  # there is none, which is said once
        hint = tr("There is no swap space. Click to see how to turn it on.")
        memory[-2:] = [replace(memory[-1], label=tr("Swap"), hint=hint)]
    busy = metric_fact(reading, m.CPU_UTILIZATION, units)
    return {
        mark("Processor"): [*processor, busy],
        mark("Memory"): memory,
        mark("System"): system,
    }


def swap_how(reading: Reading) -> Mapping[str, HowTo]:
    """How swap is turned on, where there is none."""
    if reading.missing.get(m.SWAP_USED) is not Absence.NO_SWAP:
        return {}
    why = tr("Swap lets the system move what is rarely used from memory to the disk.")
    without = tr("Without it, a program that asks for too much memory is ended.")
    where = tr("On Btrfs, “btrfs filesystem mkswapfile” makes the file.")
    make = ("fallocate -l 8G", "chmod 600", "mkswap", "swapon")
    kept = "echo '/swapfile none swap sw 0 0' | sudo tee -a /etc/fstab"
    commands = [
        (
            tr("A file of 8 GiB, until the next restart:"),
            "\n".join(f"sudo {each} /swapfile" for each in make),
        ),
        (tr("After each restart too:"), kept),
    ]
    if sys.platform == "win32":
        where = tr(
            "In Windows it is the paging file, in Advanced system settings, Performance."
        )
        commands = []
    return {m.SWAP_USED: HowTo(tr("Turn swap on"), (why, without, where), commands)}


def commands_of(card: Card, values: Mapping[MetricId, float]) -> Mapping[str, HowTo]:
    """The commands of nvidia-smi that change what a fact tells, by its key."""
    if card.kind is not CardKind.GPU or card.nameless:
        return {}  # a MIG instance has only its card's settings
    hows: dict[str, HowTo] = {}
    front = "" if sys.platform == "win32" else "sudo "
    lasts = tr("It lasts until the driver is loaded again, for everybody on this computer.")
    if card.simulated:
        lasts = tr("This card is simulated: this is what one would type for a real one.")

    def add(metric: MetricId, title: str, sentence: str, *commands: tuple[str, str]) -> None:
        lines = [(what, f"{front}nvidia-smi -i {card.id} {how}") for what, how in commands]
        if metric in values:
            hows[metric] = HowTo(title, [*filter(None, (sentence, lasts))], lines)

    def number(metric: MetricId, size: float = 1.0) -> str:
        return f"{values[metric] / size:.0f}" if metric in values else ""

    lowest, highest = number(m.POWER_LIMIT_MIN), number(m.POWER_LIMIT_MAX)
    bounds = tr(
        "Between {lowest} and {highest} W on this card.", lowest=lowest, highest=highest
    )
    watts, usual = number(m.POWER_LIMIT), number(m.POWER_LIMIT_DEFAULT)
    power = [(tr("Put the watts you want in place of {watts}:", watts=watts), f"-pl {watts}")]
    if usual not in ("", watts):
        power.append((tr("Back to the default:"), f"-pl {usual}"))
    bounds = bounds if lowest and highest else ""
    add(m.POWER_LIMIT, tr("Change the power limit"), bounds, *power)
    slower = tr(
        "Slower clocks, in MHz, save power; “nvidia-smi -q -d SUPPORTED_CLOCKS” lists those "
        "that a card has."
    )
    hold, back = tr("Hold it at the highest:"), tr("Let it change by itself again:")
    graphics, volta = tr("Hold the graphics and SM clock"), tr("For cards since Volta.")
    memory, ampere = tr("Hold the memory clock"), tr("For cards since Ampere.")
    for letter, clock, most, title, since in (
        ("g", m.CLOCK_SM, m.CLOCK_SM_MAX, graphics, volta),
        ("m", m.CLOCK_MEMORY, m.CLOCK_MEMORY_MAX, memory, ampere),
    ):
        held = [(hold, f"-l{letter}c {number(most, 1e6)}")] if most in values else []
        add(clock, title, paragraph((since, slower)), *held, (back, f"-r{letter}c"))
    if sys.platform != "win32":  # there is no such mode on Windows
        on = values.get(m.PERSISTENCE_MODE, 0.0) > 0
        title = tr("Turn persistence mode off") if on else tr("Turn persistence mode on")
        why = tr("With it the driver stays loaded while no program uses the card.")
        add(m.PERSISTENCE_MODE, title, why, (tr("In a terminal:"), f"-pm {1 - on}"))
    return hows
