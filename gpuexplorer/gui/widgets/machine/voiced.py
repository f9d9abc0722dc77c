"""Voiced: a drawing whose parts screen readers find one by one, like widgets."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface, QAccessibleObject
from PySide6.QtWidgets import QAccessibleWidget, QGraphicsView

from gpuexplorer.gui.widgets.machine.machine_things import Thing


class Voiced(QGraphicsView):
    """Says what its parts are. Nobody asks for them where no screen reader runs, and then they
    cost nothing: a widget for each would be dressed with every style sheet.
    """

    def parts(self) -> Sequence[Thing]:
        raise NotImplementedError

    def words_of(self, part: Thing) -> tuple[str, str]:
        """Name and description."""
        raise NotImplementedError

    def place_of(self, part: Thing) -> QRect:
        raise NotImplementedError

    def focused_part(self) -> Thing | None:
        """What the keyboard is at; None where it is elsewhere in the window."""
        raise NotImplementedError

    def voice_of(self, part: Thing) -> "Voice":
        """The same as long as the part is there."""
        for voice in self._voices():
            if voice.part == part:
                return voice
        return Voice(part, self)

    def forget_parts(self) -> None:
        """Some of them may be gone."""
        voices = self._voices()
        there = frozenset(self.parts()) if voices else frozenset()
        for voice in voices:
            if voice.part not in there:
                voice.setParent(None)
                voice.deleteLater()

    def tell_focus(self) -> None:
        part = self.focused_part()
        if part is not None and QAccessible.isActive():
            event = QAccessibleEvent(self.voice_of(part), QAccessible.Event.Focus)
            QAccessible.updateAccessibility(event)

    def tell_words(self, part: Thing) -> None:
        """They are others now."""
        if QAccessible.isActive():
            voice = self.voice_of(part)
            for what in (QAccessible.Event.NameChanged, QAccessible.Event.DescriptionChanged):
                QAccessible.updateAccessibility(QAccessibleEvent(voice, what))

    def _voices(self) -> list["Voice"]:
        return [each for each in self.children() if isinstance(each, Voice)]


class Voice(QObject):
    """Stands for one part. Qt keeps an interface only as long as the object it belongs to:
    without an object of its own it would be freed twice when the program ends.
    """

    def __init__(self, part: Thing, drawing: Voiced) -> None:
        super().__init__(drawing)
        self.part = part
        self.drawing = drawing


class _Part(QAccessibleObject):
    """One of them, as screen readers see it."""

    def __init__(self, voice: Voice) -> None:
        super().__init__(voice)
        self._part, self._drawing = voice.part, voice.drawing

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._drawing)

    def text(self, which: QAccessible.Text, /) -> str:
        name, description = self._drawing.words_of(self._part)
        if which is QAccessible.Text.Name:
            return name
        return description if which is QAccessible.Text.Description else ""

    def rect(self) -> QRect:
        place = self._drawing.place_of(self._part)
        return place.translated(self._drawing.mapToGlobal(QPoint(0, 0)))

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Button

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.focusable = True
        state.focused = self._drawing.focused_part() == self._part
        return state

    def childCount(self) -> int:
        return 0

    def child(self, _index: int, /) -> None:  # type: ignore[override]  # it has none
        return None

    def indexOfChild(self, _child: QAccessibleInterface, /) -> int:
        return -1


class _Whole(QAccessibleWidget):
    """The drawing itself."""

    def __init__(self, drawing: Voiced) -> None:
        super().__init__(drawing, QAccessible.Role.Canvas)
        self._drawing = drawing

    def childCount(self) -> int:
        return len(self._drawing.parts())

    def child(self, index: int, /) -> QAccessibleInterface | None:  # type: ignore[override]
        parts = self._drawing.parts()
        return self._interface_of(parts[index]) if 0 <= index < len(parts) else None

    def indexOfChild(self, child: QAccessibleInterface, /) -> int:
        voice, parts = child.object(), self._drawing.parts()
        known = isinstance(voice, Voice) and voice.part in parts
        return parts.index(voice.part) if known and isinstance(voice, Voice) else -1

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        part = self._drawing.focused_part()
        return None if part is None else self._interface_of(part)

    def _interface_of(self, part: Thing) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._drawing.voice_of(part))


def _interface_of(_kind: str, about: QObject) -> QAccessibleInterface | None:
    if isinstance(about, Voice):
        return _Part(about)
    return _Whole(about) if isinstance(about, Voiced) else None


# Qt asks here first, and makes an interface of its own where none comes back.
QAccessible.installFactory(_interface_of)
