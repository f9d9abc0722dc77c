"""The sheets: a new copy, whose line is seen before it is run, and the cure of a cell."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QWidget

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.cards import short_name
from gpuexplorer.core.units import bytes_words, rate, seconds_words
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.copies.moving.moved import SMALL, Said
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.bench_lines import copy_line
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown
from gpuexplorer.gui.widgets.laid_out import label
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lab.events import Placed

NEW_BYTES = 64 << 20
_BEGINNING = 1e-6  # seconds; what takes less on the wire waits longer for its beginning
_NEW_SHAPE = "16, 1024, 1024"  # of float32, so many bytes


def expected_words(thing: Placed, route: Route | None) -> str:
    """What is known of the way before anything is pressed."""
    size = bytes_words(thing.bytes)
    if route is None:
        return tr("{size}; the way is not known.", size=size)
    begin = tr("{size}, {way}.", size=size, way=route.words) if route.words else f"{size}."
    if not route.limit:
        reason = route.limit_reason
        return paragraph((begin, tr("No limit: {reason}.", reason=reason) if reason else ""))
    most, least = str(rate(route.limit)), thing.bytes / route.limit
    if least < _BEGINNING:
        return paragraph((begin, tr("At most {rate} one way.", rate=most), tr(SMALL)))
    time = seconds_words(least)
    end = tr("At most {rate} one way, so at least {time}.", rate=most, time=time)
    return paragraph((begin, end))


class NewCopySheet(Sheet):
    """Begins with the newest thing, and another card where there is one."""

    asked = Signal(str)  # the lines that copy are to be run

    def __init__(self, copies: CopiesState, parent: QWidget) -> None:
        super().__init__(tr("New copy"), parent, 420)
        self._copies, self._devices = copies, copies.devices()
        shelf = self._copies.lab.ledger.things
        names = ("X", "A", "B", "C", "D", *(f"X{at}" for at in range(1, len(shelf) + 2)))
        free, able = next(each for each in names if each not in shelf), self._devices
        # The newest first; then what could be made for it.
        self._places = {each.name: each for each in able}
        self._things = [
            each
            for each in reversed(shelf.values())
            if each.kind in ("tensor", "model") and each.device in self._places
        ]
        for each in sorted(able, key=lambda each: each.is_host):
            if each.computes:
                made = Placed(0, free, "tensor", each.name, "", bytes=NEW_BYTES)
                self._things.append(made)
        self._thing = next(iter(self._things), None)
        self._target: str | None = None
        self.lines: Sequence[str] = ()  # what would be run
        self._what, self._where = Dropdown(tr("Object to copy")), Dropdown(tr("To"))
        self._what.chosen.connect(self._on_thing_chosen)
        self._where.chosen.connect(self._on_target_chosen)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(tr("Object to copy"), self._what)
        form.addRow(tr("To"), self._where)
        self.body.addLayout(form)
        self._lines = self.add_sentence("")
        self._lines.setFont(look().letters.mono.font)
        self._expected = self.add_sentence("", Tone.QUIET)
        self._copy = self.add_button(tr("Copy"), ROLE.ActionRole, default=True)
        self._copy.setAccessibleName(tr("Run the copy in the lab"))
        self._copy.clicked.connect(self._on_copy_asked)
        self.add_button(tr("Close"), ROLE.RejectRole)
        self.refresh()

    def refresh(self) -> None:
        thing, devices = self._thing, self._devices
        here = ("meta", "", thing and thing.device)
        targets = [each for each in devices if thing and each.usable and each.name not in here]
        targets.sort(key=lambda each: (each.name != self._target, not each.is_card))
        target = next(iter(targets), None)
        self._target = None if target is None else target.name
        words, self.lines = tr("There is nowhere else it could go."), ()
        if thing is not None and target is not None:
            way = thing.device, target.name
            by_host = way in self._copies.lab.switches.by_host
            find = self._copies.ways.staged if by_host else self._copies.route
            words = expected_words(thing, find(*way))
            given = "" if thing.device == HOST else f', device="{thing.device}"'
            made = [] if thing.id else [f"{thing.name} = torch.rand({_NEW_SHAPE}{given})"]
            taken = {*self._copies.lab.ledger.things, thing.name}
            self.lines = [*made, copy_line(thing, target, taken, by_host=by_host)]
        things = [self._choice(*each) for each in enumerate(self._things)]
        places = [self._place(each.name) for each in devices if each in targets]
        at = None if thing is None else self._things.index(thing)
        self._what.show_choices(things, at, tr("nothing"))
        self._where.show_choices(places, self._target, tr("nowhere"))
        self._lines.setText("\n".join(self.lines))
        self._expected.setText(words)
        self._copy.setEnabled(bool(self.lines))

    def _place(self, name: str) -> Choice:
        """A device to copy from or to, by the name of its model."""
        each = self._places[name]
        words = tr("host") if each.is_host else short_name(each.label)
        outlined = each.is_host or each.colour is None
        return Choice(name, words, "", each.chip, each.colour, outlined, typed=False)

    def _choice(self, at: int, thing: Placed) -> Choice:
        there, size = self._place(thing.device), bytes_words(thing.bytes)
        words = thing.name if thing.id else tr("a new tensor")
        return replace(there, key=at, words=words, remark=size, typed=bool(thing.id))

    def _on_copy_asked(self) -> None:
        self.asked.emit("\n".join(self.lines))
        self.accept()

    def _on_thing_chosen(self, at: int) -> None:
        self._thing = self._things[at]
        self.refresh()

    def _on_target_chosen(self, name: str) -> None:
        self._target = name
        self.refresh()


class CureSheet(Sheet):
    """The cell as it was and as it could be."""

    asked = Signal(str)  # the code is to be run

    def __init__(self, said: Said, window: QWidget) -> None:
        super().__init__(tr("Cell {cell}, cured", cell=said.place), window, 580)
        self.add_sentence(said.sentence)
        self._add_lines(tr("As it was"), said.before, Tone.QUIET)
        self.add_sentence(said.cure)
        self._add_lines(tr("As it could be"), said.code, Tone.TEXT)
        self._code = said.code
        self._take = self.add_button(tr("Copy the code"), ROLE.ActionRole)
        self._take.clicked.connect(self._on_take_asked)
        run = self.add_button(tr("Run it in the lab"), ROLE.ActionRole, default=True)
        run.clicked.connect(self._on_run_asked)
        self.add_button(tr("Close"), ROLE.RejectRole)

    def _add_lines(self, caption: str, lines: str, tone: Tone) -> None:
        self.body.addWidget(label(caption, look().letters.caption, Tone.QUIET))
        self.add_sentence(lines, tone).setFont(look().letters.mono.font)

    def _on_take_asked(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._code}\n")
        self._take.setText(tr("Copied"))

    def _on_run_asked(self) -> None:
        self.asked.emit(self._code)
        self.accept()
