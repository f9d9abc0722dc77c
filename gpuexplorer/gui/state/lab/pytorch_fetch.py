"""PyTorchFetch: PyTorch comes to this computer, in a thread; all parts of the window follow."""

import os
import threading
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.bridge import Inbox
from gpuexplorer.lab.get_pytorch import Plan, Progress, get, plan_for
from gpuexplorer.lab.pythons import LabPython, own_environment

Said = Plan | Progress | LabPython | Trouble
Put = Callable[[Said], None]


class Step(StrEnum):
    RESTING = "resting"
    ASKING = "asking"  # which build, and how large it is
    OFFERED = "offered"  # `plan` says it; a person decides
    FETCHING = "fetching"


class PyTorchFetch(QObject):
    """One at a time. Ends with the window, and leaves nothing half that is taken for whole."""

    changed = Signal()
    fetched = Signal(object)  # the LabPython that has it, and was proven

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.step = Step.RESTING
        self.plan: Plan | None = None
        self.progress: Progress | None = None
        self.trouble = NOTHING  # why the last one ended before its end; else empty
        self._given_up = threading.Event()
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)

    @property
    def said(self) -> Message:
        """What it does, or why the last one ended before its end."""
        if self.step is Step.RESTING:
            return self.trouble
        if self.step is Step.ASKING:
            return Message("Finding the build that suits, and its size…")
        if self.step is Step.OFFERED and self.plan is not None:
            own = Message(
                "It is installed into an environment of its own; your own Pythons stay as they "
                "are."
            )
            return told(*self.plan.sentences, own)
        return Message("Downloading PyTorch…") if self.progress is None else self.progress.said

    def ask(self, cards: Sequence[Card], driver_version: str | None) -> None:
        """Answered by a `plan` or a `trouble`."""
        if self.step is not Step.RESTING:
            return
        folder = own_environment(os.environ, Path.home())

        def planned(given_up: threading.Event, _: Put) -> Plan:
            plan = plan_for(folder, cards, driver_version, given_up)
            if given_up.is_set():
                plan.give_up()
            return plan

        self._begin(Step.ASKING, planned)

    def get(self) -> None:
        """What `plan` says."""
        if self.step is Step.OFFERED and self.plan is not None:
            plan = self.plan
            self._begin(Step.FETCHING, lambda given_up, put: get(plan, put, given_up))

    def cancel(self) -> None:
        """What was made for it is taken away, which takes a moment."""
        self._given_up.set()
        if self.step is Step.OFFERED and self.plan is not None:
            threading.Thread(target=self.plan.give_up, name="give up PyTorch").start()
            self._rest()

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        if self.step is not Step.RESTING:
            self.cancel()

    def _begin(self, step: Step, work: Callable[[threading.Event, Put], Said]) -> None:
        self.step, self.trouble, self.progress = step, NOTHING, None
        self._given_up = given_up = threading.Event()
        # It holds nothing of Qt, and is no daemon: pip shall not outlive the program.
        put = self._inbox.letterbox.put

        def run() -> None:
            try:
                put(work(given_up, put))
            except Trouble as trouble:
                put(trouble)

        threading.Thread(target=run, name="PyTorch").start()
        self.changed.emit()

    def _rest(self) -> None:
        self.step, self.plan, self.progress = Step.RESTING, None, None
        self.changed.emit()

    def _on_came(self, said: Said) -> None:
        match said:
            case Plan() if self._given_up.is_set():
                self._rest()
            case Plan():
                self.step, self.plan = Step.OFFERED, said
                self.changed.emit()
            case Progress():
                self.progress = said
                self.changed.emit()
            case LabPython():
                self._rest()
                self.fetched.emit(said)
            case Trouble():
                if not self._given_up.is_set():
                    self.trouble = told(said.sentence, said.hint)
                self._rest()
