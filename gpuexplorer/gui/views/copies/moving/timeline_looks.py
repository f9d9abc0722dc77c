"""What the bars of the timeline look like, by what they stand for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from PySide6.QtGui import QColor

from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Engine, Item, Role, Track
from gpuexplorer.gui.theme.palette import Theme, mixed


class Kind(StrEnum):
    """What a bar stands for."""

    WRONG = "a copy that arrived wrong"
    COPY = "a copy, on the card whose engine runs it"
    ARRIVAL = "a copy, on the card where it arrives"
    FROM_HOST = "a copy from the host"
    COMPUTING = "computing"
    PYTHON = "Python's own work"
    CALL = "a call"
    BLOCKED = "a call in which the host waits"
    WAIT = "a card's wait"


@dataclass(frozen=True, slots=True)
class BarLook:
    """All bars that look alike, but for the card to which they belong."""

    kind: Kind
    source: str = ""  # of what arrives
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Colours:
    """Without an edge, the fill is all there is."""

    fill: QColor
    ink: QColor
    edge: QColor | None = None


def look_of(track: Track, item: Item, book: CopyBook) -> BarLook:
    if item.role is Role.COPIES and item.row is not None:
        copy = book.rows[item.row]
        if copy.wrong:
            return BarLook(Kind.WRONG)
        if copy.source == "cpu":
            return BarLook(Kind.FROM_HOST, asked=copy.asked)
        if track.engine is Engine.COPY_IN:
            return BarLook(Kind.ARRIVAL, copy.source, copy.asked)
        return BarLook(Kind.COPY, asked=copy.asked)
    if item.role is Role.WAITS:
        return BarLook(Kind.WAIT if track.engine is Engine.WAIT else Kind.BLOCKED)
    if item.role is Role.CALLS:
        return BarLook(Kind.CALL)
    return BarLook(Kind.PYTHON if track.engine is Engine.PYTHON else Kind.COMPUTING)


def colours_of(look: BarLook, theme: Theme, own: QColor, source: QColor) -> Colours:
    """`own` is the colour of the bar's card, `source` of the card that it comes from."""
    match look.kind:
        case Kind.WRONG:
            return Colours(theme.bad, theme.inverse)
        case Kind.COPY:
            solid = Colours(own, theme.inverse)
        case Kind.ARRIVAL:
            return Colours(mixed(theme.surface, source, 0.14), theme.text, source)
        case Kind.FROM_HOST:
            solid = Colours(mixed(theme.surface, theme.quiet, 0.55), theme.text)
        case Kind.COMPUTING:
            return Colours(mixed(theme.surface, own, 0.46), theme.text)
        case Kind.PYTHON:
            return Colours(mixed(theme.surface, theme.quiet, 0.24), theme.text)
        case Kind.CALL:
            return Colours(mixed(theme.surface, theme.quiet, 0.55), theme.text)
        case Kind.BLOCKED:
            return Colours(theme.well, theme.quiet, theme.line)
        case Kind.WAIT:
            return Colours(theme.line, theme.quiet)
        case _:
            assert_never(look.kind)
    if look.asked:
        return solid
    edge = own if look.kind is Kind.COPY else theme.quiet
    return Colours(mixed(theme.surface, edge, 0.3), theme.text, edge)
