"""Navigation: which screen is shown and which card a person works with."""

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import CardId


class Navigation(QObject):
    """Views ask here to go elsewhere; the window follows. Views do not know each other."""

    asked = Signal()  # for a screen, be it the one that is shown: it may be covered
    screen_changed = Signal(str)
    card_changed = Signal(str)
    simulated_cards_asked = Signal()
    machine_asked = Signal(str)  # one of MachinesState
    idle_cards_asked = Signal()  # simulated ones that nobody else uses

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._screen = ""
        self._card: CardId | None = None

    @property
    def screen(self) -> str:
        """The name of an entry of VIEWS."""
        return self._screen

    @property
    def card(self) -> CardId | None:
        """None until one was chosen: then the first there is."""
        return self._card

    def open_screen(self, name: str) -> None:
        if name != self._screen:
            self._screen = name
            self.screen_changed.emit(name)
        self.asked.emit()

    def choose_card(self, card: CardId) -> None:
        if card != self._card:
            self._card = card
            self.card_changed.emit(card)

    def open_machine(self, key: str) -> None:
        """Whoever wants one of its cards says so afterwards."""
        self.machine_asked.emit(key)

    def open_card(self, card: CardId) -> None:
        self.choose_card(card)
        self.open_screen("card")
