"""The one style sheet, `resources/themes/style.qss`, in the colours of a theme.

What a sheet cannot colour, arrows and the check mark, are drawings beside it, one for each
theme. A QProxyStyle in Python would be asked for every primitive of every control.
"""

from string import Template

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.theme.palette import Theme, faded, mixed

_DRAWINGS = ("up", "down", "check", "knob")


def style_sheet(theme: Theme) -> str:
    template = Template(resource("themes", "style.qss").read_text("utf-8"))
    scheme = "dark" if theme.dark else "light"
    drawings = {
        each: resource("themes", f"{each}-{scheme}.svg").as_posix() for each in _DRAWINGS
    }
    return template.substitute(
        theme.named(),
        **drawings,
        selection=rgba(theme.selection),
        track=rgba(theme.track),
        lifted=rgba(theme.lifted),
        warn_tint=rgba(faded(theme.warn, 0.1)),
        bad_tint=rgba(faded(theme.bad, 0.08)),
        off=mixed(theme.ground, theme.faint, 0.55).name(),
        on_text=mixed(theme.ground, theme.text, 0.35).name(),
    )


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Give it a property that the style sheet asks for, and the look that goes with it."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()


def rgba(colour: QColor) -> str:
    return f"rgba({colour.red()}, {colour.green()}, {colour.blue()}, {colour.alpha()})"
