"""RuleRow: one rule in words, whether it is on, and a way to change it or be rid of it."""

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.settings.rule_editor import RuleEditor
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.events.alert_words import rule_sentence
from gpuexplorer.telemetry.alert_rule import Rule


class RuleRow(QWidget):
    """The editor opens below the sentence, which follows what is chosen there."""

    changed = Signal(object)
    removed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rule: Rule | None = None
        self._shown: tuple[Rule, Units, Mapping[CardId, str]] | None = None
        self._editor: RuleEditor | None = None
        self._on = Switch(look, "")
        self._on.turned.connect(self._on_turned)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._change = self._link(tr("Change"))
        self._change.clicked.connect(self._on_change_clicked)
        self._remove = self._link(tr("Remove"))
        self._remove.clicked.connect(self.removed)
        line = QHBoxLayout()
        line.setSpacing(10)
        top = Qt.AlignmentFlag.AlignTop
        line.addWidget(self._on, 0, top)
        line.addWidget(self._sentence, 1)
        line.addWidget(self._change, 0, top)
        line.addWidget(self._remove, 0, top)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 8, 0, 8)
        self._column.setSpacing(4)
        self._column.addLayout(line)

    @property
    def open(self) -> bool:
        """Whether its parts can be chosen now."""
        return self._editor is not None and self._editor.isVisibleTo(self)

    def show_rule(self, rule: Rule, units: Units, numbers: Mapping[CardId, str]) -> None:
        self._rule = rule
        self._shown = (rule, units, numbers)
        sentence = rule_sentence(rule, units, numbers)
        self._sentence.setText(sentence)
        self._on.show_on(rule.enabled)
        for control, words in (
            (self._on, sentence),
            (self._change, tr("Change: {alert}", alert=sentence)),
            (self._remove, tr("Remove: {alert}", alert=sentence)),
        ):
            control.setAccessibleName(words)
        if self._editor is not None:
            self._editor.show_rule(rule, units, numbers)

    def show_editor(self, there: bool) -> None:
        if there and self._editor is None and self._shown is not None:
            self._editor = RuleEditor(self._look)
            self._editor.changed.connect(self.changed)
            self._editor.show_rule(*self._shown)
            indented = QHBoxLayout()
            indented.setContentsMargins(self._on.width() + 10, 0, 0, 0)
            indented.addWidget(self._editor)
            self._column.addLayout(indented)
        if self._editor is not None:
            self._editor.setVisible(there)
        self._change.setText(tr("Done") if there else tr("Change"))
        if there and self._editor is not None:
            self._editor.take_keyboard()

    def _link(self, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("kind", "link")
        button.setAutoDefault(False)
        button.setFont(self._look.letters.body.font)
        return button

    def _on_turned(self, on: bool) -> None:
        if self._rule is not None:
            self.changed.emit(replace(self._rule, enabled=on))

    def _on_change_clicked(self) -> None:
        self.show_editor(not self.open)
