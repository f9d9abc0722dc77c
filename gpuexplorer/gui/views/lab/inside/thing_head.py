"""ThingHead: devices, name and kind of what is looked into, and what can be done with it."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.inside.device_badges import DeviceBadges, badges_of
from gpuexplorer.gui.views.lab.inside.thing_actions import ThingActions
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.inside.thing_facts import headline


class ThingHead(QWidget):
    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._lab = lab
        self._badges = DeviceBadges(look)
        self._name = ElidedLabel(look.letters.title, Tone.TEXT)
        self._words = ElidedLabel(look.letters.body, Tone.QUIET)
        # Where there is no room for it beside the buttons.
        self._below = ElidedLabel(look.letters.body, Tone.QUIET)
        self._below.hide()
        self._refusal = wrapped_label(look, "", Tone.BAD)
        self._refusal.hide()
        self._actions = ThingActions(look, lab)
        self._actions.refused.connect(self._on_refused)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addWidget(self._badges)
        self._row.addWidget(self._name)
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self._actions)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._row)
        column.addWidget(self._below)
        column.addWidget(self._refusal)

    def add(self, widget: QWidget) -> None:
        """Before the buttons."""
        self._row.insertWidget(self._row.count() - 1, widget)

    def show_thing(self, name: str, words: str = "") -> None:
        """`words` in place of the usual ones."""
        ledger = self._lab.ledger
        thing = ledger.things.get(name)
        if name != self._name.text():
            self._name.show_text(name)
            self._on_refused("")
        self._actions.show_thing(name)
        if thing is not None:
            devices = [each.strip() for each in thing.device.split(",")]
            self._badges.show_badges(badges_of(devices, self._lab.devices()))
            self._below.show_text(words or headline(thing, ledger))
            self._arrange()

    def _arrange(self) -> None:
        """The words go below where they would be cut off."""
        letters, words = self._look.letters.body, self._below.text()
        self._words.show_text("")
        self._row.activate()
        taken = self._row.minimumSize().width() + self._name.sizeHint().width()
        fits = taken + letters.width(words) + 2 <= self.width()
        self._below.setVisible(not fits)
        self._words.show_text(words if fits else "")

    def _on_refused(self, sentence: str) -> None:
        self._refusal.setText(sentence)
        self._refusal.setVisible(bool(sentence))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
