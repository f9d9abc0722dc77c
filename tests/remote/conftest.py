"""Other machines for tests: an ssh that runs all on this computer, and hosts with moods."""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpuexplorer.remote.ssh import HostName, Launch, host_name

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


@pytest.fixture
def launch() -> Launch:
    """For whoever takes a Launch: every host is this computer."""
    return run_here


def run_here(host: HostName, command: str) -> Sequence[str]:
    if sys.platform == "win32":
        pytest.skip("a shell of POSIX runs what goes over there")
    return ["sh", "-c", command]


def _write_program(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)
