"""LabView: a device is picked, things are made on it, and the card is seen to answer."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout, QStackedWidget, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.lab.bench.bench import Bench
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.notice_bar import Answer
from gpuexplorer.gui.lab.forms.form import LabForm
from gpuexplorer.gui.lab.forms.form_panel import FORMS, FormPanel
from gpuexplorer.gui.lab.head.lab_head import LabHead
from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.lab_keys import LAB_KEYS
from gpuexplorer.gui.lab.program.program_panel import ProgramPanel
from gpuexplorer.gui.lab.program.watching import Watching
from gpuexplorer.gui.lab.strips.strips import Strips
from gpuexplorer.gui.lab.three_columns import Side, ThreeColumns
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import NowTag
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice
from gpuexplorer.lab.events import Asked, Event, Failed

_MARGIN, _TOP, _GAP = 16, 12, 8
_BUSY = (Stage.BUSY, Stage.HANGING, Stage.WAITING)
_INSIDE = ("tensor", "model", "container")
# Words, keys, what is done, and whether it can be done now.
Command = tuple[str, str, Callable[[], None], Callable[[], bool]]


class LabView(LiveView):
    """The bench, or over it what is inside a thing; or a program that is watched, above the
    strips.
    """

    key_groups = LAB_KEYS

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent=parent)
        lab = self._lab = desk.lab
        self._head = LabHead(lab)
        self._form = FormPanel(lab)
        self._bench = Bench(lab)
        self._code = CodePane(lab)
        self._columns = ThreeColumns(lab.machine.settings, self._form, self._bench, self._code)
        self._columns.arranged.connect(self._code.name_it_elsewhere)
        self._code.name_it_elsewhere(self._columns.narrow)
        self._strips = Strips(lab, desk.time_window)
        self._form.setObjectName("lab.forms")
        self._bench.setObjectName("lab.bench")
        self._strips.setObjectName("lab.strips")
        self._make_inside = partial(Inside, lab)
        self._inside: Inside | None = None
        self._program = lab.program
        self._watching = Watching(lab.program, self)
        self._watching.refused.connect(self._on_watching_refused)
        self._make_panel = partial(ProgramPanel, lab, self._watching)
        self._panel: ProgramPanel | None = None
        self._place = QStackedWidget()
        self._place.addWidget(self._columns)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._lay_out())
        lab.told.connect(self._on_told)
        lab.code_offered.connect(self._on_code_offered)
        self._settings, self._forms_only = lab.machine.settings, False
        self._bench.open_asked.connect(self._on_open_asked)
        self._code.form_asked.connect(self._form.run)
        self._code.watch_asked.connect(self._on_watch_asked)
        self._code.watch_file_asked.connect(self._watching.offer)
        lab.program.begun.connect(self._on_program_begun)
        self.begin_at(self._code.entry)
        self._actions = [
            (self.add_command(words, keys, run), can_be_done)
            for words, keys, run, can_be_done in self._commands()
        ]
        keys = "Ctrl+Shift+O"
        self._watch = self.add_command(tr("Watch a program…"), keys, self._watching.ask_which)
        changes = (lab.changed, lab.stage_changed, lab.selection.changed, lab.program.changed)
        for signal in changes:
            signal.connect(self._on_changed)
        self._on_changed()
        self._settings.changed.connect(self._on_settings_changed)
        self._on_settings_changed()
        if lab.program.chosen is not None:
            self._on_program_begun()

    def pull(self) -> None:
        if self._inside is not None and self._pages.currentWidget() is self._inside:
            self._inside.pull()
            return
        shown = self._panel if self._place.currentWidget() is self._panel else None
        if shown is not None:
            shown.pull()
        else:
            for column in (self._form, self._bench, self._code):
                column.pull()
        self._head.pull()
        self._strips.pull()

    def reveal(self, part: QWidget) -> None:
        if not part.isVisible():
            sides = ((self._form, Side.FORMS), (self._bench, Side.SHELVES))
            there = (side for each, side in sides if each is part or each.isAncestorOf(part))
            self._show_beside(next(there, Side.CODE))

    def stop(self) -> None:
        if self._panel is not None:
            self._panel.stop()
        super().stop()

    def _lay_out(self) -> QWidget:
        page = QWidget()
        words = tr("now, except the curves below")
        head = row(self._head, GROWS, NowTag(self.time_window, words))
        margins = (_MARGIN, _TOP, _MARGIN, _TOP)
        missing = PyTorchNotice(self._lab, page)
        column(
            head,
            missing,
            self._place,
            GROWS,
            self._strips,
            within=page,
            gap=_GAP,
            margins=margins,
        )
        return page

    def _show_beside(self, side: Side) -> None:
        """What lies over the bench goes away."""
        self._pages.setCurrentIndex(0)
        self._show_in_place(self._columns)
        self._columns.show_side(side)

    def _show_program(self) -> None:
        if self._panel is not None and self._program.chosen is not None:
            self._pages.setCurrentIndex(0)
            self._show_in_place(self._panel)
            self._panel.entry.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_in_place(self, widget: QWidget) -> None:
        self._place.setCurrentWidget(widget)
        panel = self._panel if widget is self._panel else None
        self.begin_at(self._code.entry if panel is None else panel.entry)
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

    def _on_code_offered(self) -> None:
        self._show_beside(Side.CODE)

    def _on_open_asked(self, name: str) -> None:
        if self._lab.recorded:
            self._show_beside(Side.CODE)
            self._code.refuse(tr(RECORDED))
            return
        if self._inside is None:
            # As much again as all the rest, and many a session never looks inside.
            self._inside = self._make_inside()
            self._inside.back_asked.connect(self._on_back_asked)
            self._pages.addWidget(self._inside)
        self._inside.open(name)
        self._pages.setCurrentWidget(self._inside)

    def _on_back_asked(self) -> None:
        self._pages.setCurrentIndex(0)

    def _on_watch_asked(self) -> None:
        if self._program.chosen is None:
            self._watching.ask_which()
        else:
            self._show_program()

    def _on_watching_refused(self, sentence: str) -> None:
        if self._place.currentWidget() is self._columns:
            self._code.refuse(sentence)

    def _on_program_begun(self) -> None:
        if self._panel is None:
            # Many a session never watches a program.
            self._panel = self._make_panel()
            self._panel.back_asked.connect(self._on_cells_asked)
            self._panel.closed.connect(self._on_program_closed)
            self._place.addWidget(self._panel)
        if self._program.chosen is None:
            self._on_program_closed()
            return
        self._code.show_watched(self._program.chosen.path.name)
        self._show_program()

    def _on_cells_asked(self) -> None:
        self._show_in_place(self._columns)
        self._code.entry.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_program_closed(self) -> None:
        self._code.show_watched("")
        self._on_cells_asked()

    def _on_save_asked(self) -> None:
        if self._panel is not None:
            self._panel.ask_where()

    def _on_copy_asked(self) -> None:
        if self._panel is not None:
            self._panel.copy()

    def _commands(self) -> Sequence[Command]:
        """Some of a program have the keys of what is done with the session: they hold while it
        is shown.
        """
        lab, code, state, watching = self._lab, self._code, self._program, self._watching

        def always() -> bool:
            return True

        def cells() -> bool:
            return self._place.currentWidget() is self._columns

        def chosen() -> bool:
            return state.chosen is not None

        def seen() -> bool:
            cell = state.cell
            return cell is not None and cell.seen is not None and not cells()

        return (
            (tr("Type a cell"), "Ctrl+L", self._on_type_asked, always),
            (tr("Paste into the cell"), "Ctrl+V", self._on_paste_asked, always),
            *((tr(e.command), "", partial(self._on_form_asked, e), always) for e in FORMS),
            (
                tr("Look inside what is selected"),
                "Ctrl+I",
                lambda: self._on_open_asked(self._openable()),
                lambda: bool(self._openable()),
            ),
            (
                tr("Stop the cell that runs"),
                "Ctrl+.",
                partial(code.answer, Answer.STOP),
                lambda: lab.stage in _BUSY and cells(),
            ),
            (tr("Run the cell unwatched"), "Alt+Return", code.run_unwatched, always),
            (tr("Open a program or notebook…"), "Ctrl+O", code.program.ask_which, always),
            (
                tr("Save the session as script or notebook…"),
                "Ctrl+S",
                code.program.ask_where,
                cells,
            ),
            (tr("Copy the session as script"), "Ctrl+C", code.program.copy, cells),
            (
                tr("Run the session again"),
                "",
                partial(code.answer, Answer.REPLAY),
                lambda: bool(lab.ledger.replay()),
            ),
            (tr("Restart the worker"), "", lab.restart, lambda: lab.stage.runs),
            (
                tr("Show the program that is watched"),
                "",
                self._show_program,
                lambda: chosen() and cells(),
            ),
            (
                tr("Stop the program"),
                "Ctrl+.",
                state.interrupt,
                lambda: state.phase.runs and not cells(),
            ),
            (
                tr("Run the program again"),
                "",
                watching.run_again,
                lambda: chosen() and not state.phase.runs,
            ),
            (tr("Save what was watched…"), "Ctrl+S", self._on_save_asked, seen),
            (tr("Copy what was watched"), "Ctrl+C", self._on_copy_asked, seen),
            *((*each, always) for each in self._head.commands()),
        )

    def _openable(self) -> str:
        """What is selected, where one can look into it."""
        name = self._lab.selection.thing
        thing = None if name is None else self._lab.ledger.things.get(name)
        return name if name and thing is not None and thing.kind in _INSIDE else ""

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
