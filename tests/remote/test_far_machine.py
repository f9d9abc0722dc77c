"""A far machine: it connects, keeps on, says why not, and ends; its session is as one of this
computer; the lab has a worker on it.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.metrics import MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Failed, Finished
from gpuexplorer.lab.start import Start
from gpuexplorer.remote.link import LinkNow, LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName, Launch
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock
from tests.lab.processes import Worker, needs_torch
from tests.remote.conftest import HERE, run_here
from tests.remote.waiting import becomes, gone_within

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX there")
PATIENCE = 30.0
SPEC = "2xH100+nvlink"


class Cable:
    """The way to it: may be pulled, and stays so until it is put in again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self.pulled = False

    def launch(self, host: HostName, command: str) -> Sequence[str]:
        if self.pulled:
            said = f"ssh: connect to host {host.text} port 22: No route to host"
            return ["sh", "-c", f"echo '{said}' >&2; exit 255"]
        self._count += 1
        return ["sh", "-c", f"echo $$ > {self._pid_file}; exec {command}"]

    def pull(self) -> None:
        self.pulled = True
        os.kill(self._pid, signal.SIGKILL)

    def put_in(self) -> None:
        self.pulled = False

    def freeze(self) -> None:
        """Nothing comes any more, and nobody says so."""
        os.kill(self._pid, signal.SIGSTOP)

    @property
    def _pid(self) -> int:
        return int(self._pid_file.read_text("ascii"))

    @property
    def _pid_file(self) -> Path:
        return self._folder / f"pid-{self._count}"


def wait(true: Callable[[], bool]) -> None:
    assert becomes(true, PATIENCE)


@contextmanager
def machine(
    cable: Cable, *, simulate: str = SPEC, faults: str = "", patience: float = 10.0
) -> Iterator[FarMachine]:
    far = FarMachine(
        HERE, simulate=simulate, faults=faults, seed=7, launch=cable.launch, patience=patience
    )
    far.connect()
    try:
        far.wait_until_up(PATIENCE)
        yield far
    finally:
        assert far.stop(PATIENCE)


@pytest.fixture
def cable(tmp_path: Path) -> Cable:
    return Cable(tmp_path)


@pytest.fixture
def far(cable: Cable) -> Iterator[FarMachine]:
    with machine(cable) as made:
        yield made


def test_it_is_up_once_the_other_side_said_who_it_is_and_is_read(far: FarMachine) -> None:
    assert far.now.state is LinkState.UP
    assert far.hello is not None
    assert [card.id for card in far.stream.cards()] == ["SIM-0", "SIM-1"]
    assert not far.now.why
    asked = frozenset({m.GPU_UTILIZATION, m.MEMORY_USED})
    samples = [far.stream.read(card.id, asked) for card in far.stream.cards()]
    assert all(sample.values.keys() >= asked for sample in samples)
    wait(lambda: far.stream.far_clock.best.round_trip < 60)
    assert far.stream.far_clock.differs is None


@pytest.mark.parametrize(("shift", "said"), [(90, "90 s ahead of"), (-7200, "7200 s behind")])
def test_a_clock_over_there_that_differs_is_said(tmp_path: Path, shift: int, said: str) -> None:
    wrong = f"import time; right = time.time; time.time = lambda: right() + {shift}"
    (tmp_path / "sitecustomize.py").write_text(wrong, "utf-8")

    def launch(_: HostName, command: str) -> list[str]:
        return ["env", f"PYTHONPATH={tmp_path}", "sh", "-c", command]

    far = FarMachine(HERE, simulate="2xH100", launch=launch)
    far.connect()
    far.wait_until_up(PATIENCE)
    session = Session(far.stream)
    wait(lambda: any(f"here is {said}" in each for each in session.notes()))
    assert far.stop(PATIENCE)


@pytest.mark.long
def test_it_waits_longer_and_longer_before_it_tries_again() -> None:
    clock, waits, gone_since = ManualClock(), list[float](), set[float | None]()
    refused = "echo 'ssh: connect to host here port 22: Connection refused' >&2; exit 255"

    def on_change() -> None:
        if trying.now.retry_at is not None:
            waits.append(trying.now.retry_at - trying.now.since)
            gone_since.add(trying.lost_at)
        if len(waits) == 8:
            trying.stop(0.0)

    trying = FarMachine(
        HERE, launch=lambda *_: ["sh", "-c", refused], on_change=on_change, clock=clock
    )
    trying.connect()
    wait(lambda: trying.now.state is LinkState.ENDED)
    assert waits == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60])
    assert len(gone_since) == 1  # not since the last try


def test_what_only_a_person_can_mend_is_not_tried_again() -> None:
    tries = []

    def launch(host: HostName, command: str) -> list[str]:
        tries.append(host)
        said = "Permission denied (publickey)."
        return ["sh", "-c", f"echo 'me@here: {said}' >&2; exit 255"]

    far = FarMachine(HERE, launch=launch)
    far.connect()
    with pytest.raises(Trouble, match="here refuses this login"):
        far.wait_until_up(PATIENCE)
    assert far.now.state is LinkState.REFUSED
    assert far.now.retry_at is None
    assert far.lost_at is not None
    far.retry_now()
    wait(lambda: len(tries) == 2 and far.now.state is LinkState.REFUSED)
    assert far.stop(PATIENCE)
    wait(lambda: far.now.state is LinkState.ENDED)


@contextmanager
def watched(far: FarMachine) -> Iterator[Session]:
    made = remembering(Session(far.stream, 0.1))
    made.want()
    made.start()
    yield made
    made.stop(PATIENCE)


@pytest.fixture
def session(far: FarMachine) -> Iterator[Session]:
    with watched(far) as made:
        yield made


@pytest.fixture
def here() -> Iterator[Session]:
    made = remembering(session_on(simulated(SPEC, seed=7), (), 0.1))
    made.want()
    made.start()
    yield made
    made.stop(PATIENCE)


def values(session: Session, card: CardId) -> Mapping[MetricId, float]:
    reading = session.reading(card)
    return {} if reading is None else reading.values


def test_it_knows_what_a_session_here_would_know(session: Session, here: Session) -> None:
    for each in (session, here):
        assert each.wait_for_sweeps(1, PATIENCE)
    assert session.cards() == here.cards()
    assert session.source == here.source
    assert session.host == here.host
    for card in here.cards():
        there_now, here_now = session.reading(card.id), here.reading(card.id)
        assert there_now is not None
        assert here_now is not None
        assert there_now.values.keys() == here_now.values.keys()
        assert there_now.missing == here_now.missing
        assert there_now.values.keys() | there_now.missing.keys() == metrics_of(card)
    wired = here.stream.wiring()
    assert session.stream.wiring() == replace(wired, links=tuple(wired.links))
    there_used, here_used = (
        sorted((each.process.pid, each.command, each.user) for each in e.process_book.living())
        for e in (session, here)
    )
    assert there_used == here_used
    wait(lambda: m.CPU_UTILIZATION in values(session, HOST_ID))
    assert session.stream.host_now().values.keys() == values(session, HOST_ID).keys()


def test_a_cut_is_a_gap_with_its_reason_and_afterwards_all_goes_on(
    session: Session, far: FarMachine, cable: Cable
) -> None:
    began = session.clock.now()
    assert session.wait_for_sweeps(1, PATIENCE)
    assert session.wait_for_sweeps(3, PATIENCE, fast=True)
    cards, card = session.cards(), session.cards()[0].id
    cable.pull()
    wait(
        lambda: (
            (reading := session.reading(card)) is not None
            and reading.state is CardState.NO_CONNECTION
        )
    )
    reading = session.reading(card)
    assert reading is not None
    assert not reading.values
    assert set(reading.missing.values()) == {Absence.NO_CONNECTION}
    assert session.state_sentence(card) == "there is no connection to its computer"
    assert session.stream.silence(card) is None
    assert not session.process_book.living()
    cut = session.clock.now()
    wait(lambda: far.now.state is LinkState.BROKEN and session.clock.now() > cut + 1.0)
    cable.put_in()
    wait(lambda: m.GPU_UTILIZATION in values(session, card))
    assert session.cards() is cards
    kinds = [each.kind for each in session.happenings()]
    assert kinds.count(Kind.CONNECTION_LOST) == 1
    assert Kind.CARD_LOST not in kinds
    assert Kind.NO_ANSWER not in kinds
    trace = session.past.trace(card, m.GPU_UTILIZATION, began, session.clock.now(), 400)
    assert 0 in trace.counts  # nothing stands where nothing was read
    assert session.beats().missed > 5


@pytest.mark.long
def test_a_silence_counts_from_the_first_reading_that_did_not_come(cable: Cable) -> None:
    with machine(cable, patience=1.5) as far, watched(far) as session:
        assert session.wait_for_sweeps(3, PATIENCE, fast=True)
        cable.pulled = True
        cable.freeze()
        wait(lambda: any(each.kind is Kind.CONNECTION_LOST for each in session.happenings()))
        (lost,) = (each for each in session.happenings() if each.kind is Kind.CONNECTION_LOST)
        assert far.lost_at is not None
        assert lost.at == pytest.approx(far.lost_at + 0.1)


def test_a_card_that_does_not_answer_over_there_does_not_answer_here(cable: Cable) -> None:
    with machine(cable, faults="hung:1@0s") as far, watched(far) as session:
        one, other = (card.id for card in session.cards())
        wait(lambda: session.stream.silence(other) is not None)
        assert session.state_sentence(other).startswith("no answer for")
        wait(lambda: m.GPU_UTILIZATION in values(session, one))
        assert session.stream.silence(one) is None


Begin = Callable[..., Worker]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """A worker over there. Whatever becomes of it, no process is left."""
    begun: list[Worker] = []

    def start(launch: Launch = run_here, **settings: object) -> Worker:
        machine = FarMachine(HERE, launch=launch)
        machine.now = LinkNow(LinkState.UP, 0.0)
        begun.append(Worker(Start(elsewhere=machine, **settings)))  # type: ignore[arg-type]
        return begun[-1]

    yield start
    for each in begun:
        pid = each.process.pid
        each.process.stop()
        assert not pid or gone_within(pid, PATIENCE)


def apart(_: HostName, command: str) -> Sequence[str]:
    """What runs over there is no child of ours, and is not in the group that we end."""
    return ["sh", "-c", 'cat | setsid sh -c "$1" | cat', "sh", command]


@needs_torch
def test_cells_run_over_there_are_cancelled_and_a_kill_is_told(begin: Begin) -> None:
    there = begin()
    assert there.value("import torch, os, time\nint(torch.arange(4).sum())") == "6"
    assert there.value("os.getpid()") == str(there.process.pid)
    ran = there.run("print('zwölf')")
    assert isinstance(ran, Finished)
    assert there.printed(ran.id) == "zwölf\n"
    assert there.value("os.getcwd() == os.environ.get('PWD', os.getcwd())") == "True"
    running = there.begin("print('on'); time.sleep(600)")
    there.listener.wait(lambda: there.printed(running) != "")
    there.process.cancel(running)  # it goes through the pipe
    outcome = there.listener.outcome(running)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    assert there.value("2 + 2") == "4"
    os.kill(there.process.pid, signal.SIGSEGV)
    assert "SIGSEGV" in there.listener.end


@pytest.mark.long
@needs_torch
def test_what_hangs_without_python_ends_with_the_link(begin: Begin, tmp_path: Path) -> None:
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


HOSTILE = """\
import re, sys
sent = eval(sys.stdin.buffer.readline())
mark = re.search("MARK = b?'([^']*)'", sent).group(1)[::-1]
sys.stdout.write("\\n{\\"mark\\": \\"" + mark + "\\"}\\n")
while True:
    sys.stdout.write(%r)
"""


@needs_torch
@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("x" * 100_000, "here sent a line without an end."),
        ('{"is":"finished","id":1e999}\n', "The worker said something that is no message"),
        ("\x1b[2J<b>\n", "The worker said something that is no message"),
    ],
)
def test_a_hostile_machine_gets_a_sentence(begin: Begin, said: str, sentence: str) -> None:
    program = HOSTILE % said
    there = begin(lambda *_: [sys.executable, "-c", program])
    assert there.listener.end.startswith(sentence), there.listener.end
    assert isinstance(there.run("1"), Failed)
