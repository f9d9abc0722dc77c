"""The lab's worker on another machine: real cells, and all the ways in which it ends."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Failed, Finished
from gpuexplorer.lab.start import Start
from gpuexplorer.remote.link import LinkNow, LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName, Launch
from tests.lab.processes import PATIENCE, Worker, needs_torch
from tests.remote.conftest import run_here
from tests.remote.listening import HERE
from tests.remote.waiting import becomes, gone_within

pytestmark = [needs_torch, pytest.mark.skipif(sys.platform == "win32", reason="POSIX there")]


UP = LinkNow(LinkState.UP, 0.0)


def there(launch: Launch = run_here, now: LinkNow = UP) -> FarMachine:
    """One that is connected, or says why not."""
    machine = FarMachine(HERE, launch=launch)
    machine.now = now
    return machine


Begin = Callable[..., Worker]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """A worker over there. Whatever becomes of it, no process is left."""
    begun: list[Worker] = []

    def start(launch: Launch = run_here, **settings: object) -> Worker:
        begun.append(Worker(Start(elsewhere=there(launch), **settings)))  # type: ignore[arg-type]
        return begun[-1]

    yield start
    for each in begun:
        pid = each.process.pid
        each.process.stop()
        assert not pid or gone_within(pid, PATIENCE)


def apart(_: HostName, command: str) -> Sequence[str]:
    """What runs over there is no child of ours, and is not in the group that we end."""
    return ["sh", "-c", 'cat | setsid sh -c "$1" | cat', "sh", command]


def test_a_cell_runs_over_there_in_the_home_folder_of_its_login(begin: Begin) -> None:
    there = begin()
    assert there.value("import torch, os\nint(torch.arange(4).sum())") == "6"
    assert there.value("os.getpid()") == str(there.process.pid)
    ran = there.run("print('zwölf')")
    assert isinstance(ran, Finished)
    assert there.printed(ran.id) == "zwölf\n"
    assert there.value("os.getcwd() == os.environ.get('PWD', os.getcwd())") == "True"


def test_cancel_goes_through_the_pipe(begin: Begin) -> None:
    there = begin()
    there.value("import time, threading")
    running = there.begin("print('on'); time.sleep(600)")
    there.listener.wait(lambda: there.printed(running) != "")
    there.process.cancel(running)
    outcome = there.listener.outcome(running)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    assert there.value("2 + 2") == "4"


def test_what_hangs_without_python_ends_when_the_way_there_is_cut(
    begin: Begin, tmp_path: Path
) -> None:
    """Where no thread of Python's comes to run; with a child in a session of its own."""
    there, held = begin(apart), tmp_path / "held"
    child = there.value(
        "import subprocess, ctypes\n"
        "subprocess.Popen(['sleep', '600'], start_new_session=True).pid"
    )
    worker = there.process.pid
    hanging = there.begin(f"open({str(held)!r}, 'w').close(); ctypes.PyDLL(None).sleep(600)")
    assert becomes(held.exists, PATIENCE)
    there.process.kill(Message("The worker was restarted."))
    assert there.listener.end == "The worker was restarted."
    outcome = there.listener.outcome(hanging)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "worker lost"
    assert gone_within(worker, PATIENCE)
    assert gone_within(int(child), PATIENCE)


def test_a_worker_that_is_killed_over_there_is_told_by_its_signal(begin: Begin) -> None:
    there = begin()
    assert there.value("1") == "1"
    os.kill(there.process.pid, signal.SIGSEGV)
    assert "SIGSEGV" in there.listener.end


def test_a_link_that_breaks_fails_what_runs_with_a_sentence(begin: Begin) -> None:
    there = begin()
    there.value("import time")
    running = there.begin("print('on'); time.sleep(600)")
    there.listener.wait(lambda: there.printed(running) != "")
    # As ssh ends when the other side does not answer.
    os.killpg(os.getpgid(there.process._process.pid), signal.SIGKILL)
    assert there.listener.end == "The connection to here broke."
    outcome = there.listener.outcome(running)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "worker lost"


@pytest.mark.parametrize(
    ("launch", "python", "sentence"),
    [
        (
            lambda *_: [
                "sh",
                "-c",
                "echo 'kim@x: Permission denied (publickey).' >&2; exit 255",
            ],
            sys.executable,
            "here refuses this login; it would take: publickey.",
        ),
        (run_here, "/no/such/python", "here cannot start Python: "),
    ],
)
def test_what_ssh_or_a_shell_refuses_is_said(
    begin: Begin, launch: Launch, python: str, sentence: str
) -> None:
    there = begin(launch, python=Path(python))
    assert there.listener.end.startswith(sentence)
    assert isinstance(there.run("1"), Failed)


HOSTILE = """\
import re, sys
sent = eval(sys.stdin.buffer.readline())
mark = re.search("MARK = b?'([^']*)'", sent).group(1)[::-1]
sys.stdout.write("\\n{\\"mark\\": \\"" + mark + "\\"}\\n")
while True:
    sys.stdout.write(%r)
"""


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("x" * 100_000, "here sent a line without an end."),
        ('{"is":"finished","id":1e999}\n', "The worker said something that is no message"),
        ("\x1b[2J<b>\n", "The worker said something that is no message"),
    ],
)
def test_a_hostile_machine_gets_a_sentence_and_no_more(
    begin: Begin, said: str, sentence: str
) -> None:
    program = HOSTILE % said
    there = begin(lambda *_: [sys.executable, "-c", program])
    assert there.listener.end.startswith(sentence), there.listener.end
    assert isinstance(there.run("1"), Failed)
