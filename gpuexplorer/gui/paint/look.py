"""Look: theme, letters and icons together, following the system between dark and light."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from gpuexplorer.gui.paint.icons import Icons
from gpuexplorer.gui.paint.lettering import letterings
from gpuexplorer.gui.paint.style_sheet import style_sheet
from gpuexplorer.gui.paint.theme import Scheme, Theme, load_theme


class Look(QObject):
    """Handed to every widget that paints. The window dresses itself in it when it changes."""

    changed = Signal()

    def __init__(self, scheme: Scheme = Scheme.SYSTEM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.letters = letterings()
        self.icons = Icons()
        self._themes = {one: load_theme(one) for one in (Scheme.DARK, Scheme.LIGHT)}
        self._scheme = scheme
        self._was_dark = self.theme.dark
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    @property
    def theme(self) -> Theme:
        dark = self._scheme is Scheme.DARK or (
            self._scheme is Scheme.SYSTEM and _system_is_dark()
        )
        return self._themes[Scheme.DARK if dark else Scheme.LIGHT]

    def choose(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._tell()

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

    def _tell(self) -> None:
        if self.theme.dark is not self._was_dark:
            self._was_dark = self.theme.dark
            self.changed.emit()

    def _on_system_changed(self) -> None:
        self._tell()


def _system_is_dark() -> bool:
    match QGuiApplication.styleHints().colorScheme():
        case Qt.ColorScheme.Dark:
            return True
        case Qt.ColorScheme.Light:
            return False
        case _:
            # Some desktops do not tell; their palette does.
            return QGuiApplication.palette().window().color().lightness() < 128
