"""Our agent on another machine, through ssh, and what comes of it."""

from gpuexplorer.core.harmless import line_of
from gpuexplorer.remote.link import Link
from gpuexplorer.remote.parcel import Kind, parcel
from gpuexplorer.remote.ssh import AskedQuestions, Asking, HostName, host_name, ssh_command
from gpuexplorer.remote.wire import Hello, Knock, told_of
from tests.remote.listening import Listener


class Person:
    """Answers by what is asked; where nothing fits, goes away."""

    def __init__(self, **answers: str) -> None:
        """By a word of the question."""
        self.asked: list[str] = []
        self._answers = answers

    def ask(
        self, _host: HostName, text: str, *, secret: bool, yes_no: bool, again: bool
    ) -> str | None:
        self.asked.append(text)
        return next((self._answers[each] for each in self._answers if each in text), None)

    def withdraw(self, _host: HostName) -> None:
        """It does not think."""


class Reached(Listener):
    """Use it with `with`."""

    def __init__(
        self,
        host: str,
        person: "Asking | None" = None,
        *,
        python: str = "python3",
        patience: float = 30.0,
    ) -> None:
        super().__init__()
        name = host_name(host)
        sent = parcel(Kind.AGENT, any_python=python == "python3")
        command = ssh_command(name, sent.command(python), somebody_answers=person is not None)
        self.into = Link(
            name,
            command,
            sent,
            self.on_line,
            questions=None if person is None else AskedQuestions(name, person),
            patience=patience,
        )
        self.into.start(self.on_end)

    def __enter__(self) -> "Reached":
        return self

    def __exit__(self, *_: object) -> None:
        self.into.stop()

    def hello(self) -> Hello:
        self.wait(lambda: b'"is":"Hello"' in self.last or bool(self.ends))
        assert not self.ends, self.ends
        told = told_of(self.last)
        assert isinstance(told, Hello)
        return told

    def knock(self, number: int) -> None:
        """Waits until it answers."""
        self.into.send(line_of(Knock(float(number))))
        answer = b'{"is":"Knocked","sent_at":%d' % number
        self.wait(lambda: self.lines[-1].startswith(answer) or bool(self.ends))
        assert not self.ends, self.ends
