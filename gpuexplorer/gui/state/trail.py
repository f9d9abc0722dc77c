"""Trail: the way a person took through the screens, to go back on it and forward again."""

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.navigation import Navigation

_LONGEST = 100
# On the other screens another card is no other place.
_CARD_SCREEN = "card"
Place = tuple[str, CardId | None]


class Trail(QObject):
    """Follows the navigation; a step to somewhere new forgets what lay ahead."""

    changed = Signal()

    def __init__(self, navigation: Navigation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._navigation = navigation
        self._behind: list[Place] = []
        self._ahead: list[Place] = []
        self._here: Place | None = None
        self._retracing = False
        navigation.screen_changed.connect(self._on_moved)
        navigation.card_changed.connect(self._on_moved)

    @property
    def can_go_back(self) -> bool:
        return bool(self._behind)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._ahead)

    def go_back(self) -> None:
        if self._behind and self._here is not None:
            self._ahead.append(self._here)
            self._go_to(self._behind.pop())

    def go_forward(self) -> None:
        if self._ahead and self._here is not None:
            self._behind.append(self._here)
            self._go_to(self._ahead.pop())

    def _go_to(self, place: Place) -> None:
        screen, card = place
        self._retracing = True
        if card is not None:
            self._navigation.choose_card(card)
        self._navigation.open_screen(screen)
        self._retracing = False
        self._here = place
        self.changed.emit()

    def _on_moved(self) -> None:
        if self._retracing:
            return
        screen = self._navigation.screen
        if not screen:
            # A card is remembered from the last time, and nobody is anywhere yet.
            return
        place = (screen, self._navigation.card if screen == _CARD_SCREEN else None)
        if place == self._here:
            return
        if self._here is not None:
            self._behind = [*self._behind[-_LONGEST:], self._here]
            self._ahead = []
        self._here = place
        self.changed.emit()
