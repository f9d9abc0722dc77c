"""SwitchBook: the switches of the lab as a person left them, kept from start to start."""

from dataclasses import replace

from PySide6.QtCore import QObject

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.switches import Switches
from gpuexplorer.gui.wording.lab.head.visible_words import remembered_visible, visible_in

_KEY = "lab/switches"
_VISIBLE_KEY = "lab/visible"
_ON = ("fall_back", "placement", "growing")


class SwitchBook(QObject):
    """Puts back what was chosen, and writes down what is."""

    def __init__(self, lab: LabState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        remembered = self._remembered()
        if remembered != lab.switches and lab.ledger.hello is None:
            lab.choose(remembered)
        lab.switches_changed.connect(self._on_switches_changed)

    def _remembered(self) -> Switches:
        settings, usual = self._lab.machine.settings, self._lab.switches
        visible = visible_in(settings.remembered(_VISIBLE_KEY), self._lab.machine.cards())
        text = settings.remembered(_KEY)
        if text is None:
            return replace(usual, visible=visible)
        on = text.split()
        return replace(
            usual,
            visible=visible,
            fall_back="fall_back" in on,
            placement="placement" in on,
            growing="growing" in on,
        )

    def _on_switches_changed(self) -> None:
        switches, settings = self._lab.switches, self._lab.machine.settings
        on = [name for name in _ON if getattr(switches, name)]
        settings.remember(_KEY, " ".join(on))
        cards = self._lab.machine.cards()
        settings.remember(_VISIBLE_KEY, remembered_visible(switches.visible, cards))
