"""Looks: looks into one thing after another, and never two at a time."""

from PySide6.QtCore import QObject, Signal

from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.lab.events import Event, Failed, Finished, Opened, Peeked

_Wish = tuple[str, tuple[int, ...], int, int]


class Looks(QObject):
    """What is wished for while a look is under way is asked for when that has come back: of
    many wishes, the last.
    """

    seen = Signal(object)  # Peeked or Opened
    failed = Signal(object)  # Failed
    cost_known = Signal(object)  # Finished, after what was seen

    def __init__(self, lab: Lab, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._under_way: int | None = None
        self._wish: _Wish | None = None
        lab.told.connect(self._on_told)
        lab.stage_changed.connect(self._on_stage_changed)

    def ask(
        self, what: str, at: tuple[int, ...] = (), rows: int = 16, columns: int = 16
    ) -> None:
        self._wish = (what, at, rows, columns)
        if self._under_way is None:
            self._ask_now()

    def forget(self) -> None:
        """Whatever still comes is not heard."""
        self._under_way = None
        self._wish = None

    def _ask_now(self) -> None:
        if self._wish is not None:
            wish, self._wish = self._wish, None
            self._under_way = self._lab.look_into(*wish)

    def _on_told(self, event: Event) -> None:
        if self._under_way is None or getattr(event, "id", None) != self._under_way:
            return
        match event:
            case Peeked() | Opened():
                self.seen.emit(event)
            case Finished():
                self._under_way = None
                self.cost_known.emit(event)
                self._ask_now()
            case Failed():
                self._under_way = None
                self.failed.emit(event)
                self._ask_now()
            case _:
                pass

    def _on_stage_changed(self) -> None:
        # Released, so nobody answers any more.
        if self._lab.stage is Stage.RESTING:
            self.forget()
