"""Qt's own buttons, each of a `kind` that the style sheet knows, and one that draws itself."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.laid_out import FREE, row

CONTROL_RADIUS = 6.0
_SMALL_ICON, _BEFORE_WORD = QSize(16, 16), QSize(20, 16)
_PRIMARY_MARGIN, _KEYS_GAP = 12, 10
_SEARCH_WIDE, _SEARCH_NARROW = 208, 32


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


class Switch(QCheckBox):
    """Something that is on or off. `clicked` tells what a person wants."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "switch")
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(42, 26)

    def hitButton(self, place: QPoint) -> bool:
        """All of it, also before it is dressed."""
        return self.rect().contains(place)


class ToolButton(QToolButton):
    """The mouse presses it and leaves the keyboard where it is."""

    def __init__(
        self,
        kind: str,
        words: str = "",
        parent: QWidget | None = None,
        icon: Icon | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("kind", kind)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_words(words)
        if icon is not None:
            self.setIcon(look().icons.for_button(icon))
            self.show_compact(not words)

    def show_words(self, words: str) -> None:
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(words)

    def show_compact(self, compact: bool) -> None:
        """The icon alone, or the word too."""
        style = Qt.ToolButtonStyle
        self.setIconSize(_SMALL_ICON if compact else _BEFORE_WORD)
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
        self.setIcon(look().icons.for_button(icon))
        self.setAccessibleName(words)
        self.setToolTip(with_keys(words, keys))


class WordButton(ToolButton):
    """An icon and a word, quiet until it is pointed at: for the head of a panel."""

    def __init__(self, icon: Icon, words: str) -> None:
        super().__init__("word", words, icon=icon)


class FramedButton(ToolButton):
    """An icon and a word in a frame; in a narrow place the icon alone."""

    def __init__(self, icon: Icon, words: str, meaning: str) -> None:
        super().__init__("framed", words, icon=icon)
        self.setAccessibleDescription(meaning)
        self.setToolTip(meaning)


class MenuButton(QPushButton):
    """Says what holds, and opens a menu of what else there is. `about_to_open` hands out the
    menu, empty, to be filled.
    """

    about_to_open = Signal(QMenu)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setAutoDefault(False)  # no dialog fills it for being the first
        self.setProperty("kind", "menu")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(name)
        self.clicked.connect(self._on_clicked)

    def show_words(self, words: str) -> None:
        if words != self.text():
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


class _KeyedButton(QPushButton):
    """Its key stands at its right."""

    def __init__(self, kind: str, keys: str) -> None:
        super().__init__()
        self.setProperty("kind", kind)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.keys = QLabel(keys)
        self.keys.setFont(look().letters.caption.font)
        self.keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row(FREE, self.keys, Qt.AlignmentFlag.AlignVCenter, within=self, margins=(0, 0, 8, 0))


class PrimaryButton(_KeyedButton):
    """The one button of a screen that stands out."""

    def __init__(self, keys: str = "") -> None:
        super().__init__("primary", keys)
        self._letters = look().letters.strong
        self._words = ""
        self.setProperty("keyed", bool(keys))
        self.setFixedHeight(36)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_words(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.setAccessibleName(words)
            self.setToolTip(with_keys(words, self.keys.text()))
            self._fit()

    def _fit(self) -> None:
        room = self.width() - 2 * _PRIMARY_MARGIN
        wide = self._letters.width(self._words) + _KEYS_GAP + self.keys.sizeHint().width()
        self.keys.setVisible(bool(self.keys.text()) and wide <= room)
        self.setText(self._letters.elided(self._words, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class SearchButton(_KeyedButton):
    """Looks like a field to type in, and opens the palette of all commands."""

    def __init__(self) -> None:
        super().__init__("search", "Ctrl K")
        self.setIcon(look().icons.for_button(Icon.SEARCH))
        self.setIconSize(QSize(18, 18))
        self.setAccessibleName(tr("Search all commands"))
        self.setToolTip(tr("Search all commands, screens and cards (Ctrl+K)"))
        self.show_wide(wide=True)

    def show_wide(self, *, wide: bool) -> None:
        """Or the icon alone."""
        self.setText(tr("Search") if wide else "")
        self.keys.setVisible(wide)
        self.setFixedWidth(_SEARCH_WIDE if wide else _SEARCH_NARROW)


class PaintedButton(QAbstractButton):
    """Subclasses implement `draw`. The mouse presses it and leaves the keyboard where it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
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
