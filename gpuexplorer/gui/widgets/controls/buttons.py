"""Qt's own buttons, each of a `kind` that the style sheet knows, and one that draws itself."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon, icon_of

CONTROL_RADIUS = 6.0


def with_keys(words: str, keys: str) -> str:
    return tr("{meaning} ({keys})", meaning=words, keys=keys) if keys else words


def link_button(words: str, *, flush: bool = False) -> QPushButton:
    """Looks like a link, and is a button to the keyboard and to screen readers. `flush`: its
    words begin where those above do.
    """
    button = QPushButton(words)
    button.setProperty("kind", "link")
    button.setProperty("flush", flush)
    return button


def switch(name: str) -> QCheckBox:
    """Something that is on or off. `clicked` tells what a person wants."""
    made = QCheckBox()
    made.setProperty("kind", "switch")
    made.setAccessibleName(name)
    made.setFixedSize(42, 26)
    return made


class ToolButton(QToolButton):
    """An icon, words or both; the `kind` "word" is quiet until it is pointed at, "framed" is in
    a frame. The mouse presses it and leaves the keyboard where it is.
    """

    def __init__(
        self, kind: str, icon: Icon | None = None, words: str = "", meaning: str = ""
    ) -> None:
        super().__init__()
        self.setProperty("kind", kind)
        self.setToolTip(meaning)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_words(words)
        if icon is not None:
            self.setIcon(icon_of(icon))
            self.show_compact(not words)

    def show_words(self, words: str) -> None:
        self.setText(words)
        self.setAccessibleName(words)

    def show_compact(self, compact: bool) -> None:
        """The icon alone, or the word too."""
        style = Qt.ToolButtonStyle
        self.setIconSize(QSize(16 if compact else 20, 16))
        self.setToolButtonStyle(
            style.ToolButtonIconOnly if compact else style.ToolButtonTextBesideIcon
        )


class IconButton(ToolButton):
    """An icon by itself; its tooltip says what it does, and with which key."""

    def __init__(self, icon: Icon, words: str = "", keys: str = "") -> None:
        super().__init__("icon")
        self.setIconSize(QSize(20, 20))
        self.setFixedSize(32, 32)
        self.show_meaning(icon, words, keys)

    def show_meaning(self, icon: Icon, words: str, keys: str = "") -> None:
        self.setIcon(icon_of(icon))
        self.setAccessibleName(words)
        self.setToolTip(with_keys(words, keys))


class MenuButton(QPushButton):
    """Says what holds, and opens a menu of what else there is. `about_to_open` hands out the
    menu, empty, to be filled.
    """

    about_to_open = Signal(QMenu)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setAutoDefault(False)  # no dialog fills it for being the first
        self.setProperty("kind", "menu")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(name)
        self.clicked.connect(self._on_clicked)

    def show_words(self, words: str) -> None:
        self.setText(words)
        self.setAccessibleName(tr("{name}: {value}", name=self._name, value=words))

    def _on_clicked(self) -> None:
        menu = QMenu(self)
        self.about_to_open.emit(menu)
        open_below(menu, self)

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """With the arrow, although the menu is made only when it opens: one that Qt opens
        keeps everything else waiting.
        """
        super().initStyleOption(option)
        option.features |= QStyleOptionButton.ButtonFeature.HasMenu


def open_below(menu: QMenu, button: QWidget) -> None:
    """Once: it is gone when it closes."""
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))


class PrimaryButton(QPushButton):
    """The one button of a screen that stands out."""

    def __init__(self, keys: str = "") -> None:
        super().__init__()
        self._keys = keys
        self.setProperty("kind", "primary")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMinimumWidth(80)
        self.setFixedHeight(36)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_words(self, words: str) -> None:
        self.setText(with_keys(words, self._keys))
        self.setAccessibleName(words)
        self.setToolTip(self.text())


class PaintedButton(QAbstractButton):
    """Subclasses implement `draw`. The mouse presses it and leaves the keyboard where it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def draw(self, drawing: Drawing) -> None:
        raise NotImplementedError

    def draw_ground(self, drawing: Drawing, place: QRectF) -> None:
        """What shows that it is chosen, pointed at, or has the keyboard."""
        theme, pointed = drawing.theme, self.underMouse() or self.isDown()
        if self.isChecked():
            drawing.filled(place, theme.selection, CONTROL_RADIUS)
        elif self.isEnabled() and pointed:
            drawing.filled(place, theme.hover, CONTROL_RADIUS)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.draw(Drawing(painter))
