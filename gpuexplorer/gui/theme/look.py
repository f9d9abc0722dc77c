"""Look: theme, letters and icons together, following the system between dark and light; and the
one style sheet, `resources/themes/style.qss`, in the colours of a theme.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from string import Template

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.theme.icons import Icons
from gpuexplorer.gui.theme.letters import letterings
from gpuexplorer.gui.theme.palette import Palette, Scheme, Theme, faded, load_theme, mixed

# What a sheet cannot colour, one for each theme.
_DRAWINGS = ("up", "down", "check", "knob")
_PIXELS = re.compile(r"\b(\d+)px")


class Motion(StrEnum):
    """Whether things may move to show where they went."""

    SYSTEM = "system"
    FULL = "full"
    REDUCED = "reduced"


class Look(QObject):
    """There is one, which `look` finds; made before the first widget, which would keep the
    system's letters, and all in it with it.
    """

    changed = Signal()

    def __init__(self, scheme: Scheme = Scheme.SYSTEM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.letters = letterings()
        # The system has letters of its own for menus, tips and some controls.
        QApplication.setFont(self.letters.body.font)
        self.icons = Icons(lambda: self.theme)
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
        self.dress(scheme, self._palette, self._motion)

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
        theme, role = self.theme, QPalette.ColorRole
        palette = QPalette()
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
            palette.setColor(each, colour)
        return palette

    def style_sheet(self) -> str:
        """A QProxyStyle in Python would be asked for every primitive of every control."""
        theme = self.theme
        template = Template(resource("themes", "style.qss").read_text("utf-8"))
        end = "dark.svg" if theme.dark else "light.svg"
        drawings = {name: resource("themes", f"{name}-{end}").as_posix() for name in _DRAWINGS}
        return template.substitute(
            theme.named(),
            **drawings,
            selection=rgba(theme.selection),
            track=rgba(theme.track),
            lifted=rgba(theme.lifted),
            heat_half=theme.heat(0.5).name(),
            warn_tint=rgba(faded(theme.warn, 0.1)),
            bad_tint=rgba(faded(theme.bad, 0.08)),
            off=mixed(theme.ground, theme.faint, 0.55).name(),
        )

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


class EnlargedLook(Look):
    """The one that is worn, in larger letters: for what is read across a room."""

    def __init__(self, scale: float, parent: QObject | None = None) -> None:
        QObject.__init__(self, parent)
        self._of, self._scale = look(), scale
        self.letters = letterings(scale)
        self.icons = self._of.icons
        self._of.changed.connect(self.changed)

    @property
    def theme(self) -> Theme:
        return self._of.theme

    @property
    def motion(self) -> bool:
        return self._of.motion

    def style_sheet(self) -> str:
        def enlarged(found: re.Match[str]) -> str:
            pixels = int(found[1])
            return f"{pixels if pixels < 2 else int(pixels * self._scale)}px"  # not hairlines

        return _PIXELS.sub(enlarged, super().style_sheet())


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


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Give it a property that the style sheet asks for, and the look that goes with it."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()


def rgba(colour: QColor) -> str:
    return f"rgba({colour.red()}, {colour.green()}, {colour.blue()}, {colour.alpha()})"


def _system_is_dark() -> bool:
    told = QGuiApplication.styleHints().colorScheme()
    if told is Qt.ColorScheme.Unknown:
        # Some desktops do not tell; their palette does.
        return QGuiApplication.palette().window().color().lightness() < 128
    return told is Qt.ColorScheme.Dark
