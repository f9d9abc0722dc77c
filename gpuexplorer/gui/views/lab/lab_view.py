"""LabView: a device is picked, things are made on it, and the card is seen to answer."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.bench.bench import Bench
from gpuexplorer.gui.views.lab.code.code_pane import CodePane
from gpuexplorer.gui.views.lab.forms.form_panel import FormPanel
from gpuexplorer.gui.views.lab.head.lab_head import LabHead
from gpuexplorer.gui.views.lab.inside.inside import Inside
from gpuexplorer.gui.views.lab.strips.strips import Strips
from gpuexplorer.gui.views.lab.three_columns import Side, ThreeColumns
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.now_tag import NowTag
from gpuexplorer.gui.wording.lab.code.notice import Answer
from gpuexplorer.gui.wording.lab.lab_keys import LAB_KEYS
from gpuexplorer.lab.events import Event, Failed

_MARGIN, _TOP, _GAP = 16, 12, 8
_BUSY = (Stage.BUSY, Stage.HANGING)
_INSIDE = ("tensor", "model")


class LabView(LiveView):
    """The bench, or over it what is inside a thing."""

    key_groups = LAB_KEYS

    def __init__(
        self,
        look: Look,
        machine: MachineState,
        time_window: TimeWindow,
        frame_clock: FrameClock,
        lab: LabState,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(machine, time_window, frame_clock, parent=parent)
        self._head = LabHead(look, lab)
        self._form = FormPanel(look, lab)
        self._bench = Bench(look, lab)
        self._code = CodePane(look, lab)
        self._columns = ThreeColumns(look, self._form, self._bench, self._code)
        self._strips = Strips(look, lab, time_window)
        self._make_inside = partial(Inside, look, lab)
        self._inside: Inside | None = None
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._lay_out(look))
        lab.told.connect(self._on_told)
        self._bench.open_asked.connect(self._on_open_asked)
        self._code.form_asked.connect(self._form.run)
        self.begin_at(self._code.entry)
        LabCommands(
            lab,
            self._code,
            self._form,
            self.add_command,
            self._on_open_asked,
            self._show_beside,
            self,
        )
        for words, keys, run in self._head.commands():
            self.add_command(words, keys, run)

    def pull(self) -> None:
        if self._inside is not None and self._pages.currentWidget() is self._inside:
            self._inside.pull()
            return
        for part in (self._head, self._form, self._bench, self._code, self._strips):
            part.pull()

    def stop(self) -> None:
        self._code.stop()
        super().stop()

    def _lay_out(self, look: Look) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(_MARGIN, _TOP, _MARGIN, _TOP)
        column.setSpacing(_GAP)
        head = QHBoxLayout()
        head.addWidget(self._head, 1)
        words = tr("now, except the curves below")
        head.addWidget(NowTag(look, self.time_window, words))
        column.addLayout(head)
        column.addWidget(self._columns, 1)
        column.addWidget(self._strips)
        return page

    def _show_beside(self, side: Side) -> None:
        """What lies over the bench goes away."""
        self._pages.setCurrentIndex(0)
        self._columns.show_side(side)

    def _on_told(self, event: Event) -> None:
        """Where forms hide the code, nobody would see why a line failed."""
        if isinstance(event, Failed):
            self._columns.show_side(Side.CODE)

    def _on_open_asked(self, name: str) -> None:
        if self._inside is None:
            # As much again as all the rest, and many a session never looks inside.
            self._inside = self._make_inside()
            self._inside.back_asked.connect(self._on_back_asked)
            self._pages.addWidget(self._inside)
        self._inside.open(name)
        self._pages.setCurrentWidget(self._inside)

    def _on_back_asked(self) -> None:
        self._pages.setCurrentIndex(0)


class LabCommands(QObject):
    """Made by the screen, which lists them: `add` takes words, keys and what is done."""

    def __init__(
        self,
        lab: LabState,
        code: CodePane,
        form: FormPanel,
        add: Callable[[str, str, Callable[[], None]], QAction],
        open_thing: Callable[[str], None],
        show_beside: Callable[[Side], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._lab, self._code, self._form = lab, code, form
        self._open_thing, self._show_beside = open_thing, show_beside
        add(tr("Type a line of code"), "Ctrl+L", self._on_type_asked)
        add(tr("Create a tensor"), "", self._on_tensor_asked)
        add(tr("Create a model"), "", self._on_model_asked)
        self._look = add(tr("Look inside what is selected"), "Ctrl+I", self._on_look_asked)
        self._stop = add(tr("Stop the line that runs"), "Ctrl+.", self._on_stop_asked)
        add(tr("Save the session as script or notebook…"), "Ctrl+S", code.save_program)
        add(tr("Copy the session as script"), "Ctrl+C", code.copy_program)
        self._rebuild = add(tr("Rebuild the shelf"), "", self._on_rebuild_asked)
        self._restart = add(tr("Restart the worker"), "", lab.restart)
        for signal in (lab.changed, lab.stage_changed, lab.selection.changed):
            signal.connect(self._on_changed)
        self._on_changed()

    def _on_changed(self) -> None:
        lab = self._lab
        self._look.setEnabled(bool(self._thing()))
        self._stop.setEnabled(lab.stage in _BUSY)
        self._rebuild.setEnabled(bool(lab.lost))
        self._restart.setEnabled(lab.stage.runs)

    def _thing(self) -> str:
        """What is selected, where one can look into it."""
        name = self._lab.selection.thing
        thing = None if name is None else self._lab.ledger.things.get(name)
        return name if name and thing is not None and thing.kind in _INSIDE else ""

    def _on_type_asked(self) -> None:
        self._show_beside(Side.CODE)
        self._code.entry.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_tensor_asked(self) -> None:
        self._show_beside(Side.FORMS)
        self._form.offer_tensor()

    def _on_model_asked(self) -> None:
        self._show_beside(Side.FORMS)
        self._form.offer_model()

    def _on_look_asked(self) -> None:
        self._open_thing(self._thing())

    def _on_stop_asked(self) -> None:
        self._code.answer(Answer.STOP)

    def _on_rebuild_asked(self) -> None:
        self._code.answer(Answer.REBUILD)
