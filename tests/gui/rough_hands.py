"""Hands that press, drag, turn and type anywhere on a chart, drawn by lots."""

import random

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from gpuexplorer.gui.plots.graph import Graph

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
NO_KEY, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
KEYS = (
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
    *(Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape, Qt.Key.Key_Tab),
)


class RoughHands:
    """What is held may be gone before it is let go."""

    def __init__(self, lots: random.Random) -> None:
        self._lots = lots
        self._held: Graph | None = None

    def touch(self, graph: Graph) -> None:
        deeds = (self._press, self._drag, self._drag, self.let_go, self._hover, self._turn)
        self._lots.choice((*deeds, self._type, self._type, self._ask))(graph)

    def let_go(self, graph: Graph | None = None) -> None:
        held, self._held = self._held, None
        if held is not None and isValid(held):
            self._mouse(held, QEvent.Type.MouseButtonRelease, LEFT, NONE)

    def _press(self, graph: Graph) -> None:
        self.let_go()
        self._held = graph
        self._mouse(graph, QEvent.Type.MouseButtonPress, LEFT, LEFT)

    def _drag(self, graph: Graph) -> None:
        held = self._held
        if held is not None and isValid(held):
            self._mouse(held, QEvent.Type.MouseMove, NONE, LEFT)

    def _hover(self, graph: Graph) -> None:
        if self._held is None:
            self._mouse(graph, QEvent.Type.MouseMove, NONE, NONE)

    def _turn(self, graph: Graph) -> None:
        at, by = self._somewhere(graph), QPoint(0, self._lots.choice((120, -120, -1200, 5)))
        phase, keys = Qt.ScrollPhase.NoScrollPhase, self._lots.choice((NO_KEY, SHIFT))
        where, inverted = graph.mapToGlobal(at), False
        event = QWheelEvent(at, where, QPoint(), by, NONE, keys, phase, inverted)
        QApplication.sendEvent(graph.viewport(), event)

    def _type(self, graph: Graph) -> None:
        QTest.keyClick(graph.window(), self._lots.choice(KEYS))

    def _ask(self, graph: Graph) -> None:
        at = self._somewhere(graph).toPoint()
        event = QHelpEvent(QEvent.Type.ToolTip, at, graph.mapToGlobal(at))
        QApplication.sendEvent(graph.viewport(), event)

    def _mouse(
        self, graph: Graph, kind: QEvent.Type, button: Qt.MouseButton, held: Qt.MouseButton
    ) -> None:
        at = self._somewhere(graph)
        event = QMouseEvent(kind, at, graph.mapToGlobal(at), button, held, NO_KEY)
        QApplication.sendEvent(graph.viewport(), event)

    def _somewhere(self, graph: Graph) -> QPointF:
        """On it, or a little beside it."""
        x, y = self._lots.uniform(-0.2, 1.2), self._lots.random()
        return QPointF(x * graph.width(), y * graph.height())
