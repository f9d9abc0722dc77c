"""Look: theme, letters and icons together, following the system between dark and light."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gpuexplorer.gui.theme.icons import Icons
from gpuexplorer.gui.theme.letters import letterings
from gpuexplorer.gui.theme.palette import Palette, Scheme, Theme, load_theme
from gpuexplorer.gui.theme.style_sheet import style_sheet


class Motion(StrEnum):
    """Whether things may move to show where they went."""

    SYSTEM = "system"
    FULL = "full"
    REDUCED = "reduced"


class Look(QObject):
    """There is one, which `look` finds. The window dresses itself in it when it changes."""

    changed = Signal()

    def __init__(self, scheme: Scheme = Scheme.SYSTEM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.letters = letterings()
        # The system has letters of its own for menus, tips and some controls.
        QApplication.setFont(self.letters.body.font)
        self.icons = Icons(lambda: self._theme)
        self._scheme = scheme
        self._palette = Palette.STANDARD
        self._motion = Motion.SYSTEM
        self._system_is_still = False
        self._themes: dict[tuple[Scheme, Palette], Theme] = {}
        self._theme = self._find_theme()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._tell)

    @property
    def theme(self) -> Theme:
        """The very same object until `changed`."""
        return self._theme

    @property
    def motion(self) -> bool:
        """Whether anything may move; asked each time before something does."""
        if self._motion is Motion.SYSTEM:
            return not self._system_is_still
        return self._motion is Motion.FULL

    def choose(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._tell()

    def choose_palette(self, palette: Palette) -> None:
        self._palette = palette
        self._tell()

    def choose_motion(self, motion: Motion) -> None:
        self._motion = motion

    def dress(self, scheme: Scheme, palette: Palette, motion: Motion) -> None:
        """All at once, so that whatever changes is told once."""
        self._scheme, self._palette, self._motion = scheme, palette, motion
        self._tell()

    def follow_stillness(self, still: bool) -> None:
        """The system asks for less motion, or no longer does."""
        self._system_is_still = still

    def palette(self) -> QPalette:
        """For Qt's own widgets."""
        theme = self.theme
        palette = QPalette()
        role = QPalette.ColorRole
        for each, colour in (
            (role.Window, theme.ground),
            (role.WindowText, theme.text),
            (role.Base, theme.field),
            (role.AlternateBase, theme.surface),
            (role.Text, theme.text),
            (role.PlaceholderText, theme.faint),
            (role.Button, theme.surface),
            (role.ButtonText, theme.text),
            (role.ToolTipBase, theme.raised),
            (role.ToolTipText, theme.text),
            (role.Highlight, theme.accent),
            (role.HighlightedText, theme.inverse),
            (role.Link, theme.accent),
            (role.Accent, theme.accent),
            (role.Mid, theme.line),
        ):
            palette.setColor(each, QColor(colour))
        return palette

    def style_sheet(self) -> str:
        return style_sheet(self.theme)

    def _find_theme(self) -> Theme:
        """Read when it is first needed: most people see one of them all day."""
        scheme = self._scheme
        if scheme is Scheme.SYSTEM:
            scheme = Scheme.DARK if _system_is_dark() else Scheme.LIGHT
        key = (scheme, self._palette)
        if key not in self._themes:
            self._themes[key] = load_theme(*key)
        return self._themes[key]

    def _tell(self) -> None:
        theme = self._find_theme()
        if theme is not self._theme:
            self._theme = theme
            self.changed.emit()


_worn: list[Look] = []


def look() -> Look:
    """The application's own; and within `wearing` another one, for what is made there."""
    if not _worn:
        _worn.append(Look(parent=QApplication.instance()))
    return _worn[-1]


@contextmanager
def wearing(another: Look) -> Iterator[None]:
    _worn.append(another)
    try:
        yield
    finally:
        _worn.pop()


def _system_is_dark() -> bool:
    match QGuiApplication.styleHints().colorScheme():
        case Qt.ColorScheme.Dark:
            return True
        case Qt.ColorScheme.Light:
            return False
        case _:
            # Some desktops do not tell; their palette does.
            return QGuiApplication.palette().window().color().lightness() < 128
