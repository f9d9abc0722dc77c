"""Look: theme and letters together, following the system between dark and light; and the one
style sheet, `resources/themes/style.qss`, in the colours of a theme.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from string import Template

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.palette import Palette, Scheme, Theme, load_theme

# What a sheet cannot colour, one for each theme.
_DRAWINGS = ("up", "down", "check", "knob")


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

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.letters = Letterings()
        # The system has letters of its own for menus, tips and some controls.
        QApplication.setFont(self.letters.body.font)
        self.motion_wanted = Motion.SYSTEM
        self._scheme, self._palette = Scheme.SYSTEM, Palette.STANDARD
        self._system_is_still = False
        self.theme = self._find_theme()  # the very same object until `changed`
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._tell)

    @property
    def motion(self) -> bool:
        """Whether anything may move; asked each time before something does."""
        if self.motion_wanted is Motion.SYSTEM:
            return not self._system_is_still
        return self.motion_wanted is Motion.FULL

    def choose(self, scheme: Scheme) -> None:
        self.dress(scheme, self._palette, self.motion_wanted)

    def dress(self, scheme: Scheme, palette: Palette, motion: Motion) -> None:
        """All at once, so that whatever changes is told once."""
        self._scheme, self._palette, self.motion_wanted = scheme, palette, motion
        self._tell()

    def follow_stillness(self, still: bool) -> None:
        """The system asks for less motion, or no longer does."""
        self._system_is_still = still

    @contextmanager
    def in_letters(self, letters: Letterings) -> Iterator[None]:
        """What is made meanwhile keeps these: larger ones, to be read across a room."""
        usual, self.letters = self.letters, letters
        try:
            yield
        finally:
            self.letters = usual

    def palette(self) -> QPalette:
        """For Qt's own widgets."""
        theme, role, palette = self.theme, QPalette.ColorRole, QPalette()
        for each, colour in (
            (role.Window, theme.ground),
            (role.WindowText, theme.text),
            (role.Base, theme.field),
            (role.Text, theme.text),
            (role.PlaceholderText, theme.faint),
            (role.Highlight, theme.accent),
            (role.HighlightedText, theme.inverse),
            (role.Link, theme.accent),
        ):
            palette.setColor(each, colour)
        return palette

    def style_sheet(self, scale: float = 1.0) -> str:
        """A QProxyStyle in Python would be asked for every primitive of every control."""
        template = Template(resource("themes", "style.qss").read_text("utf-8"))
        end = "dark.svg" if self.theme.dark else "light.svg"
        drawings = {name: resource("themes", f"{name}-{end}").as_posix() for name in _DRAWINGS}

        def scaled(found: re.Match[str]) -> str:
            pixels = int(found[1])
            return f"{pixels if pixels < 2 else int(pixels * scale)}px"  # not hairlines

        sheet = template.substitute(self.theme.named(), **drawings)
        return re.sub(r"\b(\d+)px", scaled, sheet)

    def _find_theme(self) -> Theme:
        scheme = self._scheme
        if scheme is Scheme.SYSTEM:
            told = QGuiApplication.styleHints().colorScheme()
            dark = told is Qt.ColorScheme.Dark
            if told is Qt.ColorScheme.Unknown:
                # Some desktops do not tell; their palette does.
                dark = QGuiApplication.palette().window().color().lightness() < 128
            scheme = Scheme.DARK if dark else Scheme.LIGHT
        return load_theme(scheme, self._palette)

    def _tell(self) -> None:
        theme = self._find_theme()
        if theme is not self.theme:
            self.theme = theme
            self.changed.emit()


@cache
def look() -> Look:
    return Look(QApplication.instance())


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Give it a property that the style sheet asks for, and the look that goes with it."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()
