"""What floats over a window: Sheet, a dialog that says or asks something, and Popup."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row, wrapped_label
from gpuexplorer.gui.widgets.live_view import scrolled

ROLE = QDialogButtonBox.ButtonRole
_GONE_WHEN_CLOSED = Qt.WidgetAttribute.WA_DeleteOnClose
_LIKE_THE_WINDOW = Qt.WidgetAttribute.WA_WindowPropagation  # its letters and colours
_SIDE, _MOST_LINES = 24, 10
_LEAST = QSize(520, 480)
_FRAME = QSize(16, 64)  # of the screen, for what the system draws around a window
_GAP, _EDGE = 6, 8


class Sheet(QDialog):
    """Put what it says into `body`, which is scrolled where the screen is too small.

    Enter presses the button that is filled: that of the keyboard, or the default. A sheet is
    made when it is opened, and gone when it is closed.
    """

    def __init__(self, heading: str, parent: QWidget | None, width: int = 520) -> None:
        super().__init__(parent)
        self._width = width
        self._default: QPushButton | None = None
        # Where the keyboard is first: else what has to be scrolled, or the default button.
        self.begins: QWidget | None = None
        self.setAttribute(_GONE_WHEN_CLOSED)
        self.setAttribute(_LIKE_THE_WINDOW)
        self.setWindowTitle(heading)
        self.setAccessibleName(heading)
        title = label(heading, look().letters.title)
        title.setWordWrap(True)
        title.setContentsMargins(_SIDE, 0, _SIDE, 0)
        self._content = QWidget()
        self._content.setProperty("panel", "clear")
        self._content.installEventFilter(self)
        self.body = column(within=self._content, margins=(_SIDE, 0, _SIDE, 0))
        self.area = scrolled(self._content)
        self.area.setAccessibleName(heading)
        self.area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.area.setMinimumHeight(1)  # of itself it would be as high as three lines
        self.buttons = QDialogButtonBox()
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.buttons.setContentsMargins(_SIDE, 0, _SIDE, 0)
        self.head = column(title, gap=6)  # above what is scrolled
        self.row = row(self.area, gap=0)  # what is scrolled, and what stands beside it
        parts = (self.head, self.row, GROWS)
        self._column = column(*parts, within=self, gap=12, margins=(0, 20, 0, 20))

    def add_sentence(self, sentence: str, tone: Tone = Tone.TEXT) -> QLabel:
        said = wrapped_label(sentence, tone)
        self.body.addWidget(said)
        return said

    def add_code(self, text: str, name: str) -> QPlainTextEdit:
        """In letters of one width, whole, and to be copied."""
        code = QPlainTextEdit(text, readOnly=True, tabChangesFocus=True)
        code.setAccessibleName(name)
        letters = look().letters.mono
        code.setFont(letters.font)
        per_line = (self._width - 80) // letters.width("m")
        lines = sum(1 + int(len(each) / per_line) for each in text.split("\n"))
        code.setFixedHeight(round(min(lines, _MOST_LINES) * letters.height + 30))
        self.body.addWidget(code)
        return code

    def add_button(
        self, words: str, role: QDialogButtonBox.ButtonRole, *, default: bool = False
    ) -> QPushButton:
        """`AcceptRole` and `RejectRole` close it. `default` is the one that Enter presses."""
        button = self.buttons.addButton(words, role)
        if default:
            self._default = button
        return button

    def add_close(self) -> QPushButton:
        """For a sheet that is only read."""
        return self.add_button(tr("Close"), ROLE.RejectRole, default=True)

    def open(self) -> None:
        # Last, so that the Tab key comes to the buttons last.
        self._column.addWidget(self.buttons)
        if self._default is not None:
            self._default.setDefault(True)
        begins = self.begins or (self.area if self._fit() else self._default)
        if begins is not None:
            begins.setFocus(Qt.FocusReason.PopupFocusReason)
        super().open()

    def _fit(self) -> bool:
        """As high as what it says, as far as the window below goes and the screen. Returns
        whether the rest has to be scrolled to.
        """
        room, parent = self.screen().availableSize() - _FRAME, self.parentWidget()
        if parent is not None:
            room = room.boundedTo(parent.window().size().expandedTo(_LEAST))
        width, content = min(self._width, room.width()), self._content
        high = content.sizeHint().height()
        if content.hasHeightForWidth():
            high = content.heightForWidth(width)
        high += self._column.totalHeightForWidth(width) - self.area.sizeHint().height()
        self.resize(width, min(high, room.height()))
        return high > self.height()

    def done(self, result: int) -> None:
        """The keyboard goes back to where it was, also where no window manager sees to it."""
        active, parent = self.isActiveWindow(), self.parentWidget()
        super().done(result)
        if active and parent is not None:
            parent.window().activateWindow()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.area.updateGeometry()
            if self.isVisible():
                self._fit()
        return super().eventFilter(watched, event)


class Popup(QFrame):
    """A panel below what it was opened from; fill `panel`. Made when it is opened, gone when it
    is closed: by Escape, or by a click beside it, which does no more than that.
    """

    closed = Signal()

    def __init__(self, width: int, height: int, anchor: QWidget) -> None:
        super().__init__(anchor.window(), Qt.WindowType.Popup)
        self.anchor = anchor
        self.resize(width, height)
        self.setProperty("panel", "popup")
        for each in (_GONE_WHEN_CLOSED, _LIKE_THE_WINDOW, Qt.WidgetAttribute.WA_NoMouseReplay):
            self.setAttribute(each)
        self.panel = column(within=self, gap=0)

    def open(self) -> None:
        self.setGeometry(self.place())
        self.show()

    def place(self) -> QRect:
        """Below the anchor, or above it where there is more room, and never over it."""
        room = self.anchor.screen().availableGeometry().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        anchor = QRect(self.anchor.mapToGlobal(QPoint()), self.anchor.size())
        above, below = anchor.top() - _GAP - room.top(), room.bottom() - _GAP - anchor.bottom()
        size = self.size().boundedTo(QSize(room.width(), max(above, below)))
        top = anchor.top() - _GAP - size.height()
        if below >= size.height():
            top = anchor.bottom() + 1 + _GAP
        left = max(room.left(), min(anchor.left(), room.right() + 1 - size.width()))
        return QRect(QPoint(left, top), size)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


def line_between() -> QFrame:
    line = QFrame()
    line.setProperty("panel", "line")
    line.setFixedHeight(1)
    return line
