"""Questions: what ssh wants to know of the person, one after the other."""

import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from gpuexplorer.gui.event_loop import Inbox, Letterbox
from gpuexplorer.remote.ssh import HostName


@dataclass(frozen=True, eq=False)
class Question:
    """`text` is what ssh or the other side wrote: never taken for markup."""

    machine: str
    text: str
    secret: bool
    yes_no: bool
    again: bool
    _answer: "Future[str | None]" = field(default_factory=Future, init=False)

    @property
    def over(self) -> bool:
        """Answered, or nobody wants to know any more."""
        return self._answer.done()

    def answer(self, text: str | None) -> None:
        """The first one counts. None: no answer, and so no connection."""
        with suppress(InvalidStateError):
            self._answer.set_result(text)

    def wait(self) -> str | None:
        return self._answer.result()


class Asker:
    """What the threads of connections hold, and nothing of Qt: an `Asking`."""

    def __init__(self, letterbox: Letterbox) -> None:
        self._letterbox = letterbox
        self._lock = threading.Lock()
        self._open: list[Question] = []
        self._closed = False

    def ask(
        self, host: HostName, text: str, *, secret: bool, yes_no: bool, again: bool
    ) -> str | None:
        question = Question(host.text, text, secret, yes_no, again)
        with self._lock:
            if self._closed:
                return None
            self._open.append(question)
        self._letterbox.put(question)
        answer = question.wait()
        with self._lock:
            self._open.remove(question)
        return answer

    def withdraw(self, host: HostName) -> None:
        self._end([each for each in self._now_open() if each.machine == host.text])

    def close(self) -> None:
        """Nobody answers any more."""
        with self._lock:
            self._closed = True
        self._end(self._now_open())

    def _now_open(self) -> list[Question]:
        with self._lock:
            return list(self._open)

    def _end(self, questions: list[Question]) -> None:
        for each in questions:
            each.answer(None)
            self._letterbox.put(each)


class Questions(QObject):
    """`asker` asks from any thread; `next` is for the window."""

    changed = Signal()  # one more waits, or one is over

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[Question] = []
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)
        self.asker = Asker(self._inbox.letterbox)

    def next(self) -> Question | None:
        """The one that has waited longest, until it is over."""
        self._waiting = [each for each in self._waiting if not each.over]
        return next(iter(self._waiting), None)

    def stop(self) -> None:
        """Harmless when called twice."""
        self.asker.close()

    def _on_came(self, question: Question) -> None:
        if not question.over:
            self._waiting.append(question)
        self.changed.emit()
