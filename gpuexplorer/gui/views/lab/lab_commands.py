"""LabCommands: what Ctrl+K offers in the lab beside what its head does; each when it can be."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.views.lab.code.code_pane import CodePane
from gpuexplorer.gui.views.lab.forms.form_panel import FormPanel
from gpuexplorer.gui.views.lab.three_columns import Side
from gpuexplorer.gui.wording.lab.code.notice import Answer

_BUSY = (Stage.BUSY, Stage.HANGING)
_INSIDE = ("tensor", "model")


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
