"""LabView: a device is picked, things are made on it, and the card is seen to answer."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedLayout, QStackedWidget, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.lab.bench.bench import Bench
from gpuexplorer.gui.lab.bench.blocks import BlockKind
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.forms.form import LabForm
from gpuexplorer.gui.lab.forms.form_panel import FORMS, FormPanel
from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.lab_head import LabHead
from gpuexplorer.gui.lab.program_panel import ProgramPanel
from gpuexplorer.gui.lab.strips import Strips
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import NowTag
from gpuexplorer.gui.widgets.live_view import KeyGroup, LiveView
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.lab.events import Asked, Event, Failed

_GAP, _FORM_WIDTH = 8, 288
_NARROW = 1200  # below, code would wrap, and the shelves hold less than two cards
_LEAST = 300  # pixels for the shelves, and for code
# Below, as beside a lesson, not even two of them stand side by side.
_SLIM = 2 * _LEAST + _GAP
# Words, keys, what is done, and whether it can be done now.
Command = tuple[str, str, Callable[[], None], Callable[[], bool]]
# That parts of the lab take by themselves, for F1.
LAB_KEYS: Sequence[KeyGroup] = (
    (
        mark("Cell editor"),
        (
            ("Enter", mark("Run the cell, or add a line while a block is open")),
            ("Shift+Enter", mark("Add a line; the settings swap the two")),
            ("Ctrl+Enter", mark("Run the cell; run the form where nothing is typed")),
            ("Tab Ctrl+Space", mark("Complete the word; indent what is selected")),
            ("Shift+Tab", mark("Take the indentation back")),
            ("Esc", mark("Close the list; then Tab leaves the editor")),
            ("Up Down", mark("From the first or last line: the cell before, or after")),
            ("1 2 3 …", mark("Typed here; with Ctrl they open a screen")),
        ),
    ),
    (
        mark("Cells"),
        (
            ("Up Down Home End", mark("To another cell")),
            ("Space", mark("Show all it printed, or its beginning and end")),
            ("Ctrl+C", mark("Copy what is selected, or the cell")),
            ("Shift+F10", mark("What can be done with the cell")),
            ("Esc", mark("Choose none, and type on")),
        ),
    ),
    (
        mark("Bench"),
        (
            ("Up Down PgUp PgDown Home End", mark("To another block of the device")),
            ("Left Right", mark("To the device beside it")),
            ("Space", mark("Select the block, and the cell that made it")),
            ("Enter", mark("Look inside")),
            ("Ctrl+Left Ctrl+Right", mark("Copy to the device beside it; a model moves")),
            ("Del", mark("Delete it")),
            ("Ctrl+C", mark("Copy its name")),
            ("Shift+F10", mark("What can be done with the block")),
        ),
    ),
    (
        mark("Forms"),
        (
            ("Ctrl+Enter", mark("Run the form, from an empty editor too")),
            ("Arrows", mark("To another operation, while one has the keyboard")),
        ),
    ),
    (
        mark("Looking inside"),
        (
            ("Arrows PgUp PgDown Home End", mark("To another value; with Ctrl to the edge")),
            ("Up Down Home End", mark("To another layer of a model")),
            ("Esc", mark("Back to the bench")),
        ),
    ),
    (
        mark("Errors and cards"),
        (
            ("Up Down", mark("To another cure")),
            ("Enter Space", mark("Apply the cure")),
            ("Left Right", mark("To the flag before or after, below a card")),
        ),
    ),
)


class Side(StrEnum):
    """What stands beside the shelves where there is room for one thing; where there is not
    even that, in their place.
    """

    SHELVES = "shelves"
    CODE = "code"
    FORMS = "forms"


class LabView(LiveView):
    """The bench, or over it what is inside a thing; or a program that is watched, above the
    strips.
    """

    key_groups = LAB_KEYS

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent=parent)
        lab, self._program = desk.lab, desk.lab.program
        self._lab, self._settings, self._forms_only = lab, lab.machine.settings, False
        self._head, self._form, self._bench = LabHead(lab), FormPanel(lab), Bench(lab)
        self._code, self._strips = CodePane(lab), Strips(lab, desk.time_window)
        self._columns = ThreeColumns(self._settings, self._form, self._bench, self._code)
        self._columns.arranged.connect(self._code.name_it_elsewhere)
        self._form.setObjectName("lab.forms")
        self._bench.setObjectName("lab.bench")
        self._strips.setObjectName("lab.strips")
        self._inside: Inside | None = None  # many a session never looks there
        self._panel = ProgramPanel(lab)
        self._place, page = QStackedWidget(), QWidget()
        self._place.addWidget(self._columns)
        self._place.addWidget(self._panel)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(page)
        now = NowTag(self.time_window, tr("now, except the curves below"))
        head = row(self._head, GROWS, now)
        parts = (head, PyTorchNotice(lab, page), self._place, GROWS, self._strips)
        column(*parts, within=page, margins=(16, 12, 16, 12))
        self.begin_at(self._code.entry)
        self._actions = [
            (self.add_command(words, keys, run), can_be_done)
            for words, keys, run, can_be_done in (*self._commands(), *self._head.commands())
        ]
        watch = self._panel.ask_which
        self._watch = self.add_command(tr("Watch a program…"), "Ctrl+Shift+O", watch)
        lab.told.connect(self._on_told)
        lab.code_offered.connect(self._on_code_offered)
        self._panel.refused.connect(self._code.refuse)  # seen where the panel is not
        self._bench.open_asked.connect(self._on_open_asked)
        self._code.form_asked.connect(self._form.run)
        self._code.watch_asked.connect(self._on_watch_asked)
        self._code.watch_file_asked.connect(self._panel.offer)
        self._panel.back_asked.connect(self._on_type_asked)
        self._panel.closed.connect(self._on_program_begun)
        self._program.begun.connect(self._on_program_begun)
        self._settings.changed.connect(self._on_settings_changed)
        changes = (lab.changed, lab.stage_changed, lab.selection.changed, self._program.changed)
        for signal in changes:
            signal.connect(self._on_changed)
        self._on_changed()
        self._on_settings_changed()
        if self._program.chosen is not None:
            self._on_program_begun()

    def pull(self) -> None:
        if self._inside is not None and self._pages.currentWidget() is self._inside:
            self._inside.pull()
            return
        columns = (self._form, self._bench, self._code)
        for each in columns if self._cells_shown else (self._panel,):
            each.pull()
        self._head.pull()
        self._strips.pull()

    def reveal(self, part: QWidget) -> None:
        if not part.isVisible():
            sides = ((self._form, Side.FORMS), (self._bench, Side.SHELVES))
            there = (side for each, side in sides if each is part or each.isAncestorOf(part))
            self._show_beside(next(there, Side.CODE))

    @property
    def _cells_shown(self) -> bool:
        """And not the program that is watched."""
        return self._place.currentWidget() is self._columns

    def _on_code_offered(self, _: str) -> None:
        self._show_beside(Side.CODE)

    def _show_beside(self, side: Side) -> None:
        """What lies over the bench goes away."""
        self._pages.setCurrentIndex(0)
        self._place.setCurrentWidget(self._columns)
        self.begin_at(self._code.entry)
        self._on_changed()
        self._columns.show_side(side)

    def _show_program(self) -> None:
        self._pages.setCurrentIndex(0)
        self._place.setCurrentWidget(self._panel)
        self.begin_at(self._panel.entry)
        self._panel.entry.setFocus(Qt.FocusReason.OtherFocusReason)
        self._on_changed()

    def _on_settings_changed(self) -> None:
        """Where nothing can be typed, forms are what one begins with."""
        before, self._forms_only = self._forms_only, self._settings.choices.lab_forms_only
        self._watch.setVisible(not self._forms_only)
        if self._forms_only and not before:
            self._columns.show_side(Side.FORMS)

    def _on_told(self, event: Event) -> None:
        """Where forms hide the code, nobody would see why a cell failed, or what it asks."""
        if isinstance(event, Failed | Asked):
            self._columns.show_side(Side.CODE)

    def _on_open_asked(self, name: str) -> None:
        if self._lab.recorded:
            self._show_beside(Side.CODE)
            self._code.refuse(tr(RECORDED))
            return
        if self._inside is None:
            self._inside = Inside(self._lab)
            self._inside.back_asked.connect(lambda: self._pages.setCurrentIndex(0))
            self._pages.addWidget(self._inside)
        self._inside.open(name)
        self._pages.setCurrentWidget(self._inside)

    def _on_watch_asked(self) -> None:
        if self._program.chosen is None:
            self._panel.ask_which()
        else:
            self._show_program()

    def _on_program_begun(self) -> None:
        chosen = self._program.chosen
        self._code.show_watched("" if chosen is None else chosen.path.name)
        if chosen is None:
            self._on_type_asked()
        else:
            self._show_program()

    def _commands(self) -> Sequence[Command]:
        """Some of a program have the keys of what is done with the session: they hold while it
        is shown.
        """
        lab, code, state, panel = self._lab, self._code, self._program, self._panel
        session, end, anew = code.program, state.interrupt, panel.run_again

        def always() -> bool:
            return True

        def cells() -> bool:
            return self._cells_shown

        def busy() -> bool:
            return cells() and lab.stage in (Stage.BUSY, Stage.HANGING, Stage.WAITING)

        def openable() -> bool:
            thing = lab.ledger.things.get(lab.selection.thing or "")
            return thing is not None and BlockKind(thing.kind).opens

        def seen() -> bool:
            cell = state.cell
            return cell is not None and cell.seen is not None and not cells()

        def chosen() -> bool:
            return state.chosen is not None

        def open_chosen() -> None:
            self._on_open_asked(lab.selection.thing or "")

        save, keep = tr("Save the session as script or notebook…"), tr("Save what was watched…")
        look, show = tr("Look inside what is selected"), tr("Show the program that is watched")
        return (
            (tr("Type a cell"), "Ctrl+L", self._on_type_asked, always),
            (tr("Paste into the cell"), "Ctrl+V", self._on_paste_asked, always),
            *((tr(e.command), "", partial(self._on_form_asked, e), always) for e in FORMS),
            (look, "Ctrl+I", open_chosen, openable),
            (tr("Stop the cell that runs"), "Ctrl+.", lab.cancel, busy),
            (tr("Run the cell unwatched"), "Alt+Return", code.run_unwatched, always),
            (tr("Open a program or notebook…"), "Ctrl+O", session.ask_which, always),
            (save, "Ctrl+S", session.ask_where, cells),
            (tr("Copy the session as script"), "Ctrl+C", session.copy, cells),
            (tr("Run the session again"), "", code.replay, lambda: bool(lab.ledger.replay())),
            (tr("Restart the worker"), "", lab.restart, lambda: lab.stage.runs),
            (show, "", self._show_program, lambda: chosen() and cells()),
            (tr("Stop the program"), "Ctrl+.", end, lambda: state.phase.runs and not cells()),
            (tr("Run the program again"), "", anew, lambda: chosen() and not state.phase.runs),
            (keep, "Ctrl+S", panel.ask_where, seen),
            (tr("Copy what was watched"), "Ctrl+C", panel.copy, seen),
        )

    def _on_changed(self) -> None:
        for action, can_be_done in self._actions:
            action.setEnabled(can_be_done())

    def _on_type_asked(self) -> None:
        self._show_beside(Side.CODE)
        self._code.entry.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_paste_asked(self) -> None:
        self._show_beside(Side.CODE)
        self._code.paste()

    def _on_form_asked(self, form: LabForm) -> None:
        self._show_beside(Side.FORMS)
        self._form.offer(form)


class ThreeColumns(QWidget):
    """The shelves are seen wherever two have room. The gaps between the columns can be dragged;
    what came of it is remembered, for a wide window and for a narrow one.
    """

    arranged = Signal(bool)  # whether code has the place to itself, with its name over it

    def __init__(
        self, settings: Settings, form: QWidget, bench: QWidget, code: QWidget
    ) -> None:
        super().__init__()
        self._settings, self._side = settings, Side.CODE
        self._form, self._bench, self._code = form, bench, code
        choices = zip(Side, (tr("Devices"), tr("Code"), tr("Forms")), strict=True)
        self._tabs = Segmented(tr("Beside the shelves"), [*choices], heading=True)
        self._tabs.chosen.connect(self.show_side)
        self._columns = QSplitter(childrenCollapsible=False, handleWidth=_GAP)
        self._columns.splitterMoved.connect(self._on_dragged)
        for each, least in ((form, _FORM_WIDTH), (bench, _LEAST), (code, _LEAST)):
            each.setMinimumWidth(least)
            self._columns.addWidget(each)
            # Of the widget, wherever it stands.
            policy = each.sizePolicy()
            policy.setHorizontalStretch(0 if each is form else 1)
            each.setSizePolicy(policy)
        right = Qt.AlignmentFlag.AlignRight
        column(self._tabs, right, self._columns, GROWS, within=self, gap=_GAP)
        self._arrange()
        self._room: tuple[bool, bool] | None = None  # whoever listens is told when it is shown

    def show_side(self, side: Side) -> None:
        """Seen from now on, whether it has to share its place or not."""
        self._side = side
        self._arrange()

    def _arrange(self) -> None:
        self._room = narrow, slim = self.width() < _NARROW, self.width() < _SLIM
        if self._side is Side.SHELVES and not slim:
            self._side = Side.CODE
        self._tabs.segments[Side.SHELVES].setVisible(slim)
        self._tabs.show_choice(self._side)
        self._tabs.setVisible(narrow)
        for each, seen in (
            (self._form, not narrow or self._side is Side.FORMS),
            (self._bench, not slim or self._side is Side.SHELVES),
            (self._code, not narrow or self._side is Side.CODE),
        ):
            if not seen and each.isAncestorOf(QApplication.focusWidget() or self):
                self._tabs.setFocus()  # else Qt hands the keyboard to what comes behind
            each.setVisible(seen)
        # Where they share a place, it is the same one.
        self._columns.insertWidget(2 if narrow else 0, self._form)
        # Half for code; the shelves hold the host and two cards in a window of 1600.
        rest = self.width() - _GAP - (0 if narrow else _FORM_WIDTH + _GAP)
        code = (rest - _GAP) // 2
        usual = [rest - code, code, code] if narrow else [_FORM_WIDTH, rest - code, code]
        self._key = f"lab/columns/{self._side if narrow else 'wide'}"
        dragged = (self._settings.remembered(self._key) or "").split()
        self._columns.setSizes([int(each) for each in dragged if each.isdecimal()] or usual)
        self.arranged.emit(narrow)

    def _on_dragged(self) -> None:
        self._settings.remember(self._key, " ".join(map(str, self._columns.sizes())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (self.width() < _NARROW, self.width() < _SLIM) != self._room:
            self._arrange()
