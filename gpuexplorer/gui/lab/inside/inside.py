"""Inside: one thing of the shelf at a time, with what it is and what it holds."""

import math
import re
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QTabBar, QWidget

from gpuexplorer.core.units import grouped
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.lab.bench.blocks import BlockKind, one_line, text_of
from gpuexplorer.gui.lab.inside.layers import LayerTable, held_words, model_headline, part_line
from gpuexplorer.gui.lab.inside.value_pane import (
    Facts,
    Looks,
    SpreadPane,
    ValuePane,
    failure_words,
)
from gpuexplorer.gui.lab.inside.values import bytes_text, shape_text
from gpuexplorer.gui.state.lab.devices import BenchDevice, chip_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.lab.cell_source import names_made, names_read
from gpuexplorer.lab.events import Element, Event, Failed, Finished, Opened, Part, Placed
from gpuexplorer.lab.ledger import Ledger

_MARGIN, _TOP, _GAP, _SIDE, _LEAST_HEIGHT, _BESIDE_FROM = 16, 12, 10, 288, 300, 640


class Inside(QWidget):
    """A list above leads to all that lies on the shelf."""

    back_asked = Signal()

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._shown = ""
        self._stale = False
        back = ToolButton("word", Icon.PREVIOUS, tr("Bench"))
        back.setToolTip(tr("Back to the bench (Esc)"))
        back.clicked.connect(self.back_asked)
        self._which = Dropdown(tr("Look inside"))
        self._which.setFixedWidth(_SIDE)
        self._which.chosen.connect(self.open)
        self._page = ThingPage(lab)
        self._page.open_asked.connect(self.open)
        head, margins = row(back, self._which, FREE), (_MARGIN, _TOP, _MARGIN, _TOP)
        column(head, scrolled(self._page), GROWS, within=self, gap=_GAP, margins=margins)
        lab.changed.connect(self._on_changed)
        lab.told.connect(self._on_told)

    def pull(self) -> None:
        """Nothing in here is read live: what changed is told by the lab."""

    def open(self, name: str) -> None:
        """Look into this thing, by its name or by its path in a container."""
        self._show(name)
        self._which.setFocus(Qt.FocusReason.TabFocusReason)

    def _show(self, name: str) -> None:
        if name != self._shown:
            self._lab.selection.choose(things={root_of(name)})
        self._shown, self._stale = name, False
        self._page.show_thing(name)
        self._show_choices()

    def _show_choices(self) -> None:
        ledger, known = self._lab.ledger, {each.name: each for each in self._lab.devices()}
        choices = []
        for name in dict.fromkeys((*ledger.things, self._shown)):
            thing = thing_called(ledger, name)
            if thing is not None and (BlockKind(thing.kind).opens or name == self._shown):
                tensor = thing.kind == "tensor"
                about = text_of(thing) if tensor else BlockKind(thing.kind).words
                chip = chip_of(thing.device.split(", ")[0], known)
                chipped = chip.text, chip.colour, chip.colour is None
                choices.append(Choice(name, name, about, *chipped))
        self._which.show_choices(choices, self._shown, self._shown)

    def _on_told(self, event: Event) -> None:
        """Any cell may have changed values in place, of which the shelf says nothing."""
        if isinstance(event, Finished) and self._lab.ledger.cell(event.id) is not None:
            self._stale = True

    def _on_changed(self) -> None:
        if not self.isVisible():
            return
        if thing_called(self._lab.ledger, self._shown) is None:
            self._page.forget()
            self.back_asked.emit()  # it is no longer on the shelf
        elif self._stale:
            self._show(self._shown)
        else:
            self._page.show_facts()
            self._show_choices()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # No shortcut: a field in which somebody types has the key first.
        if event.key() == Qt.Key.Key_Escape:
            self.back_asked.emit()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_changed()


class ThingPage(QFrame):
    """What the thing holds, by its kind; beside it how values are spread, and what it is."""

    open_asked = Signal(str)  # the path of an element

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self._lab = lab
        self._name = self._kind = self._looked_at = ""
        self._choices: dict[str, tuple[str, str]] = {}  # what can be looked at, in words
        self._asked: object = None  # of what the facts are
        self._looks = Looks(lab, self)
        self._looks.came.connect(self._on_came)
        letters = look().letters
        self._chips = DeviceChips()
        self._title = ElidedLabel(letters.title, Tone.TEXT)
        self._headline = ElidedLabel(letters.body, Tone.QUIET)
        self._refusal = wrapped_label("", Tone.BAD)
        self._refusal.hide()
        self._layers = LayerTable(lab)
        self._layers.picked_changed.connect(self._look)
        self._held = ElidedLabel(letters.caption, Tone.QUIET)
        self._line = ElidedLabel(letters.mono, Tone.TEXT)
        self._words = ElidedLabel(letters.body, Tone.QUIET)
        self._switch = QTabBar(drawBase=False, expanding=False)
        self._switch.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._switch.setProperty("kind", "things")
        self._switch.setAccessibleName(tr("What is shown"))
        self._switch.currentChanged.connect(self._on_switched)
        self._values = ValuePane(lab)
        self._values.setMinimumHeight(_LEAST_HEIGHT)
        self._spread, self._facts = SpreadPane(self._values), Facts()
        columns: list[Column[Element]] = [
            Column("path", tr("Element"), lambda each: Cell(each.path, mono=True), width=160),
            Column("kind", tr("Kind"), lambda each: Cell(BlockKind(each.kind).words), width=90),
            Column("text", tr("What it is"), width=160, stretches=True, cell=lambda each:
                   Cell(one_line(each.text), mono=True, tone=Tone.QUIET)),
            Column("device", tr("Device"), lambda each: Cell(each.device), width=110),
            Column("bytes", tr("Bytes"), lambda each: Cell(bytes_text(each.bytes)), width=100,
                   right=True),
        ]  # fmt: skip
        self._elements = Table(tr("Elements"), TableModel(columns, lambda each: each.path))
        self._elements.activated.connect(self._on_activated)
        self._more = label("", letters.caption, Tone.QUIET)
        head = row(self._chips, self._title, self._headline, GROWS)
        part = row(self._line, self._words, GROWS, self._switch)
        below = part, self._values, GROWS, self._elements, GROWS, self._more
        side = QWidget()
        side.setFixedWidth(_SIDE)
        what = label(tr("What it is"), letters.strong)
        column(self._spread, what, self._facts, within=side)
        begin = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        self._both = row(column(*below), GROWS, side, begin, gap=28)
        above = head, self._refusal, self._layers, self._held
        column(*above, self._both, GROWS, within=self, gap=_GAP, margins=(16, 14, 16, 12))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        slim, ways = self.width() < _BESIDE_FROM, QBoxLayout.Direction
        self._both.setDirection(ways.TopToBottom if slim else ways.LeftToRight)

    @property
    def _thing(self) -> Placed | None:
        return thing_called(self._lab.ledger, self._name)

    def show_thing(self, name: str) -> None:
        """Look again: it may have changed."""
        thing = thing_called(self._lab.ledger, name)
        kind = "" if thing is None else thing.kind
        if (name, kind) != (self._name, self._kind):
            self.forget()
            self._name, self._kind = name, kind
            self._title.show_text(name)
            self._headline.show_text("")
            say(self._refusal, "")
        self.show_facts()
        if kind == "model":
            self._looks.ask(name)
        else:
            self._look()

    def show_facts(self) -> None:
        """What is told of it without a look."""
        ledger, kind, thing = self._lab.ledger, self._kind, self._thing
        if thing is None:
            return
        self._chips.show_devices(thing.device, self._lab.devices())
        for each in (self._layers, self._held):
            each.setVisible(bool(self._layers.layers))
        self._elements.setVisible(kind == "container")
        self._elements.show_rows(thing.elements)
        more = trn("and {count} more", "and {count} more", thing.more)
        say(self._more, more if thing.more else "")
        # Where it was read by many cells, asking takes a while.
        asked = thing, sum(each.state == "done" for each in ledger.cells)
        if asked != self._asked:
            self._asked = asked
            self._facts.show_facts(thing_facts(ledger, thing))

    def forget(self) -> None:
        """It is looked at no more."""
        self._name = self._kind = self._looked_at = ""
        self._layers.forget()
        self._looks.forget()
        self._values.show_thing("")
        self._spread.hide()

    def _look(self) -> None:
        """At what is chosen: values or gradient, or one parameter of a layer."""
        name, thing = self._name, self._thing
        choices: dict[str, tuple[str, str]] = {}
        line = words = ""
        if thing is not None and self._kind == "tensor":
            choices[name] = tr("Values"), _headline(thing)
            if thing.requires_grad:
                choices[f"{name}.grad"] = tr("Gradient"), _headline(thing)
        for layer in self._layers.picked() if self._kind == "model" else ():
            line = layer.kind
            words = tr("holds no parameters, so there are no values to look at")
            for part in layer.parts:
                choices[part_line(name, layer, part)] = part.name, _headline(part)
        if self._looked_at not in choices:
            self._looked_at = next(iter(choices), "")
            self._spread.hide()
        with QSignalBlocker(self._switch):
            if choices != self._choices:
                self._choices = choices
                while self._switch.count():
                    self._switch.removeTab(0)
                for word, _ in choices.values():
                    self._switch.addTab(word)
            if choices:
                self._switch.setCurrentIndex(list(choices).index(self._looked_at))
                line, words = self._looked_at, choices[self._looked_at][1]
        self._switch.setVisible(len(choices) > 1)
        line = "" if line == name else line
        for each, text in ((self._line, line), (self._words, words)):
            each.show_text(text)
            each.setVisible(bool(text))
        self._values.setVisible(bool(choices))
        self._values.show_thing(self._looked_at)

    def _on_switched(self, at: int) -> None:
        self._looked_at = list(self._choices)[at]
        self._spread.hide()
        self._look()

    def _on_came(self, event: Event) -> None:
        if isinstance(event, Failed):
            say(self._refusal, failure_words(event))
            self._layers.forget()
        elif isinstance(event, Opened):
            self._layers.show_model(event)
            self._headline.show_text(model_headline(self._layers.layers))
            self._held.show_text(held_words(self._layers.layers))
        if not isinstance(event, Finished):
            self.show_facts()
            self._look()

    def _on_activated(self, index: QModelIndex) -> None:
        element = self._elements.listed.thing(index)
        if element is not None and BlockKind(element.kind).opens:
            self.open_asked.emit(element.path)


class DeviceChips(ChipRow):
    """The devices that a thing lies on; each says on asking which it is."""

    def __init__(self) -> None:
        super().__init__()
        self.hide()

    def show_devices(self, device: str, devices: Sequence[BenchDevice]) -> None:
        """In the order of the bench; `device` may name several: "cuda:0, cuda:1"."""
        known, names = {each.name: each for each in devices}, device.split(", ")
        named = [*dict.fromkeys(each for each in (*known, *names) if each in names if each)]
        self.show_chips(tuple(chip_of(each, known) for each in named))
        self.setAccessibleName(", ".join(named))
        self.setToolTip(", ".join(named))
        self.setVisible(bool(named))
        self.resize(self.sizeHint())


def _headline(thing: Placed | Part) -> str:
    if isinstance(thing, Placed) and thing.shape is None:
        return tr("{text} on {device}", text=text_of(thing), device=thing.device)
    shape = shape_text(thing.shape or ())
    return tr("{shape} {type} on {device}", shape=shape, type=thing.dtype, device=thing.device)


def root_of(path: str) -> str:
    """The name that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def thing_called(ledger: Ledger, path: str) -> Placed | None:
    """By its name on the shelf, or by its path in a container: "nets[0]"."""
    if path in ledger.things:
        return ledger.things[path]
    for each in ledger.things.values():
        for part in each.elements if path.startswith(each.name) else ():
            if part.path == path:
                kind, place = part.kind, part.device
                return Placed(each.id, path, kind, place, part.text, bytes=part.bytes)
    return None


def thing_facts(ledger: Ledger, thing: Placed) -> Sequence[tuple[str, str]]:
    """What it is, and which cells made and read it."""
    shaped, count = thing.shape is not None, math.prod(thing.shape or ())
    dtype, size, gradient = thing.dtype, bytes_text(thing.bytes), tr("none yet")
    if count and thing.bytes:
        dtype = tr("{dtype}, {bytes} B each", dtype=dtype, bytes=thing.bytes // count)
    if any(part.what == "gradients" for part in thing.holds):
        gradient = size
    cached = (bytes_text(part.bytes) for part in thing.holds if part.device.startswith("cuda"))
    things, name = ledger.things, root_of(thing.name)
    done = [each for each in ledger.cells if each.state == "done"]
    made = [each for each in done if name in each.placed]
    named = [each for each in made if name in names_made(each.code)] or made
    since = named[-1].number if named else 0
    made_by = tr("cell {number}", number=since) if named else tr("no cell of this session")
    later = [each for each in done if each.number > since]
    read = [str(each.number) for each in later if name in names_read(each.code)]
    numbers = ", ".join(reversed(read))  # the newest first, so that the others may be cut off
    readers = trn("cell {numbers}", "cells {numbers}", len(read), numbers=numbers)
    first = things[name].same_as or name if name in things else name
    same = [first, *(each for each, thing in things.items() if thing.same_as == first)]
    told = (
        (not shaped, tr("Kind"), BlockKind(thing.kind).words),
        (shaped, tr("Type"), dtype),
        (shaped, tr("Values"), grouped(count)),
        (shaped or thing.bytes, tr("Bytes"), size),
        (shaped, tr("In the card's cache"), " + ".join(cached)),
        (shaped and thing.requires_grad, tr("Gradient"), gradient),
        (shaped, "requires_grad", str(thing.requires_grad)),
        (True, tr("Made by"), made_by),
        (True, tr("Read by"), readers if read else tr("no cell yet")),
        (True, tr("The same object as"), ", ".join(each for each in same if each != name)),
    )
    return [(name, text) for there, name, text in told if there and text]
