"""Listener: keeps what a link hands on, and lets a test wait for it."""

import sys
import threading
from collections.abc import Callable, Sequence

from gpuexplorer.remote.link import Ending, Link
from gpuexplorer.remote.parcel import Parcel
from gpuexplorer.remote.ssh import AskedQuestions, HostName

PATIENCE = 30.0
MARK = b"0123456789abcdef"
HERE = HostName("here")
# It reads the mark backwards, as the real agent does, and then says all it hears.
ECHOING = """\
import sys
mark = sys.stdin.buffer.readline()[:-1][::-1]
sys.stdout.buffer.write(b"\\n" + mark + b"\\n")
sys.stdout.buffer.flush()
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(b"you said " + line)
    sys.stdout.buffer.flush()
"""
PREAMBLE = MARK[::-1] + b"\n"


class Listener:
    def __init__(self) -> None:
        self.lines: list[bytes] = []  # their beginnings
        self.last = b""
        self.ends: list[Ending] = []
        self._said = threading.Condition()

    def on_line(self, line: bytes) -> None:
        with self._said:
            self.last = line
            if len(self.lines) < 20_000:
                self.lines.append(line[:200])
            self._said.notify_all()

    def on_end(self, why: Ending) -> None:
        with self._said:
            self.ends.append(why)
            self._said.notify_all()

    def wait(self, true: Callable[[], bool]) -> None:
        with self._said:
            assert self._said.wait_for(true, PATIENCE), (self.lines[-3:], self.ends)

    def end(self) -> Ending:
        self.wait(lambda: bool(self.ends))
        assert len(self.ends) == 1
        return self.ends[0]

    def link(
        self,
        command: Sequence[str],
        preamble: bytes = PREAMBLE,
        *,
        host: HostName = HERE,
        questions: "AskedQuestions | None" = None,
        patience: float = PATIENCE,
    ) -> Link:
        link = Link(
            host,
            command,
            Parcel(MARK, preamble),
            self.on_line,
            questions=questions,
            patience=patience,
        )
        link.start(self.on_end)
        return link


def python(program: str) -> Sequence[str]:
    return [sys.executable, "-u", "-c", program]
