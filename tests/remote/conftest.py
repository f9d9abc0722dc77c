"""Other machines for tests: an ssh that runs all on this computer, and what a link hands on."""

import os
import shlex
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gpuexplorer.remote.link import Ending, Link
from gpuexplorer.remote.parcel import Parcel
from gpuexplorer.remote.ssh import AskedQuestions, HostName, host_name

_FAKE_SSH = """\
#!/bin/sh
# Its last two words are the host and the command. A host may have a mood: a script of its name.
while [ $# -gt 2 ]; do shift; done
if [ -x "${0%/*}/hosts/$1" ]; then exec "${0%/*}/hosts/$1" "$2"; fi
exec sh -c "$2"
"""


class FakeSsh:
    """The `ssh` on the PATH. Every host is this computer, unless it is told otherwise."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "ssh"
        self._hosts = folder / "hosts"
        self._hosts.mkdir(parents=True)
        _write_program(self.program, _FAKE_SSH)

    def host(self, name: str, script: str) -> HostName:
        """One that runs this instead of what it is asked to, which is "$1"."""
        _write_program(self._hosts / name, f"#!/bin/sh\n{script}\n")
        return host_name(name)

    def refusing(self, name: str, said: str, status: int = 255) -> HostName:
        return self.host(name, f"printf '%s\\n' {shlex.quote(said)} >&2\nexit {status}")


@pytest.fixture
def fake_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSsh:
    """For what calls `ssh_command` by itself."""
    if sys.platform == "win32":
        pytest.skip("stands in with a shell script")
    made = FakeSsh(tmp_path / "ssh-there")
    monkeypatch.setenv("PATH", f"{made.program.parent}{os.pathsep}{os.environ['PATH']}")
    return made


def run_here(host: HostName, command: str) -> Sequence[str]:
    if sys.platform == "win32":
        pytest.skip("a shell of POSIX runs what goes over there")
    return ["sh", "-c", command]


def _write_program(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


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
