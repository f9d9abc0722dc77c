"""Navigation: which screen and card are open, and the way there and back; and where windows
stood, from one start to the next.
"""

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow

LEAST_SIZE, USUAL_SIZE = QSize(560, 420), QSize(1280, 860)
# Around the first window stands a frame, whose size nobody knows before it is seen.
_FRAME = QSize(16, 48)
_PLACE, _SCREEN = "window/place", "window/screen"
_CARD, _SPAN = "window/card", "window/span"
_LONGEST_WAY = 100


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
        self.screen = ""  # the name of one of VIEWS
        self.card: CardId | None = None  # until one was chosen: then it is the first there is
        # On the other screens another card is no other place.
        self._way: list[tuple[str, CardId | None]] = []
        self._at = -1

    def open_screen(self, name: str) -> None:
        self._go_to(name, self.card)
        self.asked.emit()

    def choose_card(self, card: CardId) -> None:
        self._go_to(self.screen, card)

    def open_card(self, card: CardId) -> None:
        self._go_to("card", card)
        self.asked.emit()

    def open_machine(self, key: str) -> None:
        """Whoever wants one of its cards says so afterwards."""
        self.machine_asked.emit(key)

    def can_step(self, by: int) -> bool:
        return 0 <= self._at + by < len(self._way)

    def step(self, by: int) -> None:
        """Back on the way that a person took through the screens, or forward again."""
        if self.can_step(by):
            self._at += by
            screen, card = self._way[self._at]
            self._show(screen, card or self.card)
            self.asked.emit()

    def _go_to(self, screen: str, card: CardId | None) -> None:
        """A step to somewhere new forgets what lay ahead."""
        place = screen, card if screen == "card" else None
        behind = self._way[: self._at + 1]
        if screen and behind[-1:] != [place]:
            self._way = [*behind[-_LONGEST_WAY:], place]
            self._at = len(self._way) - 1
        self._show(screen, card)

    def _show(self, screen: str, card: CardId | None) -> None:
        before = self.screen, self.card
        self.screen, self.card = screen, card
        if card != before[1]:
            self.card_changed.emit(card)
        if screen != before[0]:
            self.screen_changed.emit(screen)


def begin_where_left(
    window: QWidget,
    navigation: Navigation,
    time_window: TimeWindow,
    settings: Settings,
    screens: Collection[str],
) -> None:
    """The first screen, where there is none of that name any more. From now on screen, card and
    span are remembered as they change.
    """
    chosen, remembered = settings.choices, settings.remembered
    available = QGuiApplication.primaryScreen().availableGeometry()
    window.setMinimumSize(LEAST_SIZE.boundedTo(available.size()))
    window.resize(within_screen(USUAL_SIZE, window))
    put_back(window, remembered(_PLACE))
    span = (remembered(_SPAN) or "").partition(".")[0]
    if chosen.first_span or span.isdecimal():
        time_window.grow_to(chosen.first_span or float(span))
    if card := remembered(_CARD):
        navigation.choose_card(CardId(card))
    screen = chosen.first_screen or remembered(_SCREEN)
    if screen is not None and screen in screens:
        navigation.open_screen(screen)
    navigation.screen_changed.connect(partial(settings.remember, _SCREEN))
    navigation.card_changed.connect(partial(settings.remember, _CARD))

    def remember_span() -> None:
        """A look back at one moment is not how somebody likes to see the present."""
        if time_window.following:
            settings.remember(_SPAN, str(time_window.span))

    time_window.changed.connect(remember_span)


def remember_place(window: QWidget, settings: Settings, key: str = _PLACE) -> None:
    settings.remember(key, window.saveGeometry().toBase64().toStdString())


def put_back(window: QWidget, place: str | None) -> None:
    """Where it was left; on a screen that is there, where its own is gone."""
    window.restoreGeometry(QByteArray.fromBase64((place or "").encode()))
    # A monitor that opens over the whole screen leaves no way to the rest of the computer.
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)


def within_screen(size: QSize, window: QWidget) -> QSize:
    """No larger than what is free of its screen, with the frame that the system draws."""
    return size.boundedTo(window.screen().availableSize() - _FRAME)
