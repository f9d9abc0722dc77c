"""Bridge: where other threads hand things to the window."""

from PySide6.QtCore import QObject, Qt, Signal, Slot

from gpuexplorer.telemetry.happenings import Happening


class Bridge(QObject):
    """`post_…` may be called from any thread; the signals come in the window's own."""

    happened = Signal(Happening)
    source_answered = Signal()  # a driver that kept us waiting has answered at last
    alerts_changed = Signal()
    _posted = Signal(Happening)
    _answer_posted = Signal()
    _alerts_posted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._posted.connect(self._on_posted, Qt.ConnectionType.QueuedConnection)
        self._answer_posted.connect(self._on_answer_posted, Qt.ConnectionType.QueuedConnection)
        self._alerts_posted.connect(self._on_alerts_posted, Qt.ConnectionType.QueuedConnection)

    def post_happening(self, happening: Happening) -> None:
        self._posted.emit(happening)

    def post_source_answered(self) -> None:
        self._answer_posted.emit()

    def post_alerts_changed(self) -> None:
        self._alerts_posted.emit()

    @Slot()
    def _on_alerts_posted(self) -> None:
        self.alerts_changed.emit()

    @Slot()
    def _on_answer_posted(self) -> None:
        self.source_answered.emit()

    @Slot(Happening)
    def _on_posted(self, happening: Happening) -> None:
        self.happened.emit(happening)
