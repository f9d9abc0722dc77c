"""Places: where the window stood and what it showed, from one start to the next."""

import binascii
import math
from base64 import b64decode, b64encode
from collections.abc import Collection, Sequence

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow

LEAST_SIZE = QSize(560, 420)
USUAL_SIZE = QSize(1280, 860)
# Around the first window stands a frame, whose size nobody knows before it is seen.
_FRAME = QSize(16, 48)
_PLACE, _SCREEN, _RAIL = "window/place", "window/screen", "window/rail"
_CARD, _SPAN = "window/card", "window/span"
_NARROW, _WIDE = "narrow", "wide"
# So much of it has to be on a screen for a hand to find it again.
_LEAST_SEEN = QSize(160, 80)


class Places(QObject):
    """Screen, card and span are remembered as they change, its place when the window closes."""

    def __init__(
        self,
        window: QWidget,
        navigation: Navigation,
        time_window: TimeWindow,
        settings: Settings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._navigation = navigation
        self._time_window = time_window
        self._settings = settings

    @property
    def rail_is_narrow(self) -> bool:
        """Because somebody wants it so, whatever room there is."""
        return self._settings.remembered(_RAIL) == _NARROW

    def fold_rail(self, narrow: bool) -> None:
        self._settings.remember(_RAIL, _NARROW if narrow else _WIDE)

    def restore(self, screens: Collection[str]) -> None:
        """As it was left; the first screen, where there is none of that name any more.

        A card that is gone is nobody's choice: who asks for it gets the first there is.
        """
        self._restore_place()
        span = self._settings.choices.first_span or _seconds(self._settings.remembered(_SPAN))
        if span:
            self._time_window.grow_to(span)
        card = self._settings.remembered(_CARD)
        if card:
            self._navigation.choose_card(CardId(card))
        chosen = self._settings.choices.first_screen or self._settings.remembered(_SCREEN)
        if chosen is not None and chosen in screens:
            self._navigation.open_screen(chosen)
        self._time_window.changed.connect(self._on_time_changed)
        self._navigation.screen_changed.connect(self._on_screen_changed)
        self._navigation.card_changed.connect(self._on_card_changed)

    def remember(self) -> None:
        """Harmless when called twice."""
        geometry = self._window.saveGeometry().data()
        self._settings.remember(_PLACE, b64encode(geometry).decode("ascii"))

    def _restore_place(self) -> None:
        """In the middle of a screen that is there, where its own is gone."""
        window = self._window
        available = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        primary = QGuiApplication.primaryScreen().availableGeometry()
        window.setMinimumSize(LEAST_SIZE.boundedTo(primary.size()))
        window.resize(USUAL_SIZE.boundedTo(primary.size() - _FRAME))
        data = _bytes(self._settings.remembered(_PLACE))
        if not data or not window.restoreGeometry(data):
            return
        # A monitor that opens over the whole screen leaves no way to the rest of the computer.
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)
        if not window.isMaximized():
            window.setGeometry(within_screens(window.geometry(), available, primary))

    def _on_time_changed(self) -> None:
        # A look back at one moment is not how somebody likes to see the present.
        if self._time_window.following:
            self._settings.remember(_SPAN, str(self._time_window.span))

    def _on_screen_changed(self, name: str) -> None:
        self._settings.remember(_SCREEN, name)

    def _on_card_changed(self, card: str) -> None:
        self._settings.remember(_CARD, card)


def within_screens(window: QRect, available: Sequence[QRect], primary: QRect) -> QRect:
    """The same where it can be reached there; else as near to it as possible."""
    screen = max(available, key=lambda each: _area(each.intersected(window)), default=primary)
    seen = screen.intersected(window)
    if seen.width() < _LEAST_SEEN.width() or seen.height() < _LEAST_SEEN.height():
        there = QRect(primary.topLeft(), window.size().boundedTo(primary.size()))
        there.moveCenter(primary.center())
        return there
    size = window.size().boundedTo(screen.size())
    left = max(screen.left(), min(window.left(), screen.right() + 1 - size.width()))
    top = max(screen.top(), min(window.top(), screen.bottom() + 1 - size.height()))
    return QRect(left, top, size.width(), size.height())


def _area(place: QRect) -> int:
    return place.width() * place.height()


def _seconds(text: str | None) -> float:
    """What cannot be read is as good as nothing remembered."""
    try:
        seconds = float(text or 0.0)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def _bytes(text: str | None) -> bytes:
    """What cannot be read is as good as nothing remembered."""
    try:
        return b64decode(text or "", validate=True)
    except (binascii.Error, ValueError):
        return b""
