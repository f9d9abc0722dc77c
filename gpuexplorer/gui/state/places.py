"""Places: where the window stood and what it showed, from one start to the next."""

import binascii
import math
from base64 import b64decode, b64encode
from collections.abc import Collection, Sequence
from functools import partial

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
        remember = self._settings.remember
        self._navigation.screen_changed.connect(partial(remember, _SCREEN))
        self._navigation.card_changed.connect(partial(remember, _CARD))

    def remember(self) -> None:
        """Harmless when called twice."""
        self._settings.remember(_PLACE, keep_place(self._window))

    def _restore_place(self) -> None:
        window = self._window
        primary = QGuiApplication.primaryScreen().availableGeometry()
        window.setMinimumSize(LEAST_SIZE.boundedTo(primary.size()))
        window.resize(within_screen(USUAL_SIZE, window))
        put_back(window, self._settings.remembered(_PLACE))

    def _on_time_changed(self) -> None:
        # A look back at one moment is not how somebody likes to see the present.
        if self._time_window.following:
            self._settings.remember(_SPAN, str(self._time_window.span))


def keep_place(window: QWidget) -> str:
    """To be remembered as text."""
    return b64encode(window.saveGeometry().data()).decode("ascii")


def put_back(window: QWidget, place: str | None) -> None:
    """Where it was left; in the middle of a screen that is there, where its own is gone."""
    data = _bytes(place)
    if not data or not window.restoreGeometry(data):
        return
    # A monitor that opens over the whole screen leaves no way to the rest of the computer.
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)
    if not window.isMaximized():
        available = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        primary = QGuiApplication.primaryScreen().availableGeometry()
        window.setGeometry(within_screens(window.geometry(), available, primary))


def within_screen(size: QSize, window: QWidget) -> QSize:
    """No larger than what is free of its screen, with the frame that the system draws."""
    return size.boundedTo(window.screen().availableSize() - _FRAME)


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
