"""Notices: what a person should know now, at the right of the line at the bottom."""

from collections.abc import Callable, Sequence
from enum import IntEnum, auto
from typing import NamedTuple

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, link_button
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Sign

PLAIN, WARNS, DONE = (Icon.NOTE, Tone.QUIET), (Icon.WARNING, Tone.WARN), (Icon.CHECK, Tone.GOOD)
_MOST_WAYS = 3
_STAYS = 20_000  # milliseconds, of what is only news


class About(IntEnum):
    """One notice for each; the most urgent first."""

    ALERT = auto()
    LINK = auto()
    FILE = auto()
    COMPARISON = auto()
    RECORDING = auto()
    SIMULATED = auto()


class NoticeWay(NamedTuple):
    """What can be done about it."""

    words: str
    run: Callable[[], object]
    hint: str = ""


class Notice(NamedTuple):
    sentence: str
    ways: Sequence[NoticeWay] = ()
    sign: tuple[Icon, Tone] = PLAIN
    hint: str = ""  # instead of the rest of a sentence that is cut off
    news: bool = False  # leaves by itself unless it warns, or when somebody closes it


class Notices(QFrame):
    """Neither what stands at the left of the line nor the screen moves, whatever it says. Of
    several it shows the most urgent, and leads to the others.
    """

    closed = Signal(About)  # by a person, or one of its ways was taken
    left = Signal()  # what had the keyboard here is gone

    def __init__(self) -> None:
        super().__init__()
        self._there: dict[About, Notice] = {}
        self._shown: About | None = None
        self._widest = 0
        self.setProperty("panel", "alert")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._sign = Sign(*PLAIN, QSize(16, 16))
        self._sentence = ElidedLabel(look().letters.caption, Tone.TEXT)
        self._links = [self._link(at) for at in range(_MOST_WAYS)]
        self._others = self._link(None)
        self._close = IconButton(Icon.CLOSE, tr("Close the notice"))
        self._close.setFixedSize(24, 24)
        self._close.clicked.connect(self._on_closed)
        self._passing = QTimer(self, singleShot=True, interval=_STAYS)
        self._passing.timeout.connect(self._on_passed)
        ways = (*self._links, self._others, self._close)
        margins = (12, 0, 16, 0)
        row(self._sign, self._sentence, GROWS, *ways, within=self, gap=10, margins=margins)
        self.hide()

    def say(self, about: About, notice: Notice) -> None:
        """Until it ends. News come first: they answer what somebody just did."""
        before = self._there.get(about)
        self._there[about] = notice
        if notice.news and notice.sign != WARNS:
            self._passing.start()
        if notice.news or about is self._shown:
            self._show(about)
        elif before is None:
            self._show(min(self._there))

    def end(self, about: About) -> None:
        if self._there.pop(about, None) is not None:
            self._show(min(self._there, default=None))

    def _show(self, about: About | None) -> None:
        notice = Notice("") if about is None else self._there[about]
        self._widest = self._widest if about is self._shown else 0
        others = len(self._there) - 1
        more = trn("{count} more", "{count} more", others) if others > 0 else ""
        said = [(each.words, each.hint) for each in notice.ways]
        said += [("", "")] * (_MOST_WAYS - len(said))
        links = [*zip(self._links, said, strict=True), (self._others, (more, ""))]
        focused = self._focused()
        another = about is not self._shown and focused is not self._others
        goes = another or any(link is focused and not words for link, (words, _) in links)
        if focused is not None and goes:
            # Qt would hand it on to whoever comes next, and Enter would press that.
            focused.clearFocus()
        self._shown = about
        self._sign.show_sign(*notice.sign)
        self._sentence.show_text(notice.sentence, notice.hint)
        named = tr("Connection") if about is About.LINK else notice.sentence
        self.setAccessibleName(named)
        self.setAccessibleDescription(notice.sentence)
        for link, (words, hint) in links:
            link.setText(words)
            link.setToolTip(hint)
            link.setVisible(bool(words))
        self._close.setVisible(notice.news)
        restyle(self, "tone", notice.sign[1].value)
        self.setVisible(about is not None)
        if focused is not None and goes:
            self.left.emit()

    def _link(self, at: int | None) -> QPushButton:
        link = link_button("")
        link.setFont(look().letters.caption.font)
        link.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        link.clicked.connect(lambda: self._on_others_asked() if at is None else self._take(at))
        return link

    def _focused(self) -> QWidget | None:
        focused: QWidget | None = self.window().focusWidget()
        return focused if focused is not None and self.isAncestorOf(focused) else None

    def _take(self, at: int) -> None:
        if self._shown is not None:
            notice = self._there[self._shown]
            if notice.news:
                self._on_closed()
            notice.ways[at].run()

    def _on_others_asked(self) -> None:
        there = sorted(self._there)
        after = (each for each in there if self._shown is not None and each > self._shown)
        self._show(next(after, there[0]))

    def _on_closed(self) -> None:
        about = self._shown
        if about is not None:
            self.end(about)
            self.closed.emit(about)

    def _on_passed(self) -> None:
        if self.underMouse() or self._focused() is not None:
            self._passing.start()  # somebody reads it
            return
        for about, notice in list(self._there.items()):
            if notice.news and notice.sign != WARNS:
                self.end(about)

    def sizeHint(self) -> QSize:
        """Never narrower than before, or what stands beside it would move at every second."""
        hint = super().sizeHint()
        self._widest = max(self._widest, hint.width())
        return QSize(self._widest, hint.height())
