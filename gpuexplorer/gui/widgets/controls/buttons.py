"""Qt's own buttons, each of a `kind` that the style sheet knows."""

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.laid_out import FREE, row

_ICON, _SMALL_ICON, _BEFORE_WORD = QSize(20, 20), QSize(16, 16), QSize(20, 16)
_BESIDE, _ALONE = (
    Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
    Qt.ToolButtonStyle.ToolButtonIconOnly,
)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PRIMARY_MARGIN, _KEYS_GAP = 12, 10
_SEARCH_WIDE, _SEARCH_NARROW = 208, 32


def pressed_by_enter(window: QWidget, event: QKeyEvent) -> bool:
    """For windows without a default button: there Qt takes only the space bar for a press."""
    marked = window.focusWidget()
    if event.key() not in _ENTER or not isinstance(marked, QAbstractButton):
        return False
    marked.click()
    return True


class ToolButton(QToolButton):
    """The mouse presses it and leaves the keyboard where it is."""

    def __init__(self, kind: str, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
        self.setProperty("kind", kind)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_words(words)

    def show_words(self, words: str) -> None:
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(words)


def link_button(words: str, *, flush: bool = False) -> QPushButton:
    """Looks like a link, and is a button to the keyboard and to screen readers. `flush`: its
    words begin where those above do.
    """
    button = QPushButton(words)
    button.setProperty("kind", "link")
    button.setProperty("flush", flush)
    return button


def one_tab_stop(group: QButtonGroup) -> None:
    """The Tab key comes to the one that is chosen; Qt itself sees to it only from then on."""
    there = [each for each in group.buttons() if each.isEnabled()]
    stop = group.checkedButton() or next(iter(there), None)
    for each in group.buttons():
        policy = Qt.FocusPolicy.TabFocus if each is stop else Qt.FocusPolicy.NoFocus
        if each.focusPolicy() is not policy:
            each.setFocusPolicy(policy)


class IconButton(ToolButton):
    """An icon by itself; its tooltip says what it does, and with which key."""

    def __init__(self, icon: Icon, words: str = "", keys: str = "") -> None:
        super().__init__("icon")
        self.setIconSize(_ICON)
        self.setFixedSize(32, 32)
        self.show_meaning(icon, words, keys)

    def show_meaning(self, icon: Icon, words: str, keys: str = "") -> None:
        self.setIcon(self.look.icons.for_button(icon))
        self.setAccessibleName(words)
        self.setToolTip(tr("{meaning} ({keys})", meaning=words, keys=keys) if keys else words)


class WordButton(ToolButton):
    """An icon and a word, quiet until it is pointed at: for the head of a panel."""

    def __init__(self, icon: Icon, words: str) -> None:
        super().__init__("word", words)
        self.setIcon(look().icons.for_button(icon))
        self.setIconSize(_BEFORE_WORD)
        self.setToolButtonStyle(_BESIDE)


class FramedButton(ToolButton):
    """An icon and a word in a frame; in a narrow place the icon alone."""

    def __init__(self, icon: Icon, words: str, meaning: str) -> None:
        super().__init__("framed", words)
        self.setIcon(look().icons.for_button(icon))
        self.setIconSize(_SMALL_ICON)
        self.setAccessibleDescription(meaning)
        self.setToolTip(meaning)
        self.show_compact(False)  # noqa: FBT003 - as setVisible

    def show_compact(self, compact: bool) -> None:
        self.setIconSize(_SMALL_ICON if compact else _BEFORE_WORD)
        self.setToolButtonStyle(_ALONE if compact else _BESIDE)


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
        menu.aboutToHide.connect(menu.deleteLater)
        self.about_to_open.emit(menu)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """With the arrow, although the menu is made only when it opens."""
        super().initStyleOption(option)
        option.features |= QStyleOptionButton.ButtonFeature.HasMenu


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
            keys = self.keys.text()
            self.setAccessibleName(words)
            self.setToolTip(
                tr("{meaning} ({keys})", meaning=words, keys=keys) if keys else words
            )
            self._fit()

    def _fit(self) -> None:
        room = self.width() - 2 * _PRIMARY_MARGIN
        with_keys = self._letters.width(self._words) + _KEYS_GAP + self.keys.sizeHint().width()
        self.keys.setVisible(bool(self.keys.text()) and with_keys <= room)
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
        self._wide = False
        self.show_wide(wide=True)

    def show_wide(self, *, wide: bool) -> None:
        """Or the icon alone."""
        if wide is self._wide:
            return
        self._wide = wide
        self.setText(tr("Search") if wide else "")
        self.keys.setVisible(wide)
        self.setFixedWidth(_SEARCH_WIDE if wide else _SEARCH_NARROW)
