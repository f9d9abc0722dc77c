"""What another machine tells may be anything: nothing of it harms this side."""

import json
import random
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.catalogue.heat_and_power import POWER_DRAW, TEMPERATURE
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.tagged import line_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.remote.far.link_state import LinkState
from gpuexplorer.remote.far.machine import FarMachine
from gpuexplorer.remote.far.plausible import MOST_CARDS, plausible, told_of
from gpuexplorer.remote.host_name import HostName
from gpuexplorer.remote.wire import (
    VERSION,
    AskWiring,
    Faulted,
    Hello,
    Knocked,
    Listed,
    Noted,
    Sampled,
    Told,
    Used,
    Wired,
)
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology
from tests.remote.far import HERE, PATIENCE, Changes

ONE, TWO = CardId("GPU-1"), CardId("GPU-2")
CARD = Card(ONE, 0, "NVIDIA H100", 80 << 30)
HOST = Card(HOST_ID, 0, "EPYC", 1 << 40, kind=CardKind.HOST)
SOURCE = Source("nvml", Message("NVIDIA driver"))
HELLO = Hello(VERSION, "3.12.1", "Linux", "far", "me", SOURCE, HOST, [CARD], now=1.0, wall=1e9)
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\r\n"


TEMPLATE = b'{"template": "{a?}", "many": "", "values": {"a": 1}}'


def heard(told: Told, listed: frozenset[CardId] = frozenset({ONE})) -> Told:
    return plausible(told_of(line_of(told)), listed)


def test_no_text_moves_a_cursor_or_hides_anything() -> None:
    card = Card(ONE, 0, f"H100{ESCAPES}", 80 << 30, bus_id=ESCAPES)
    told = heard(
        Hello(
            *(VERSION, ESCAPES, ESCAPES, ESCAPES, ESCAPES),
            *(SOURCE._replace(label=Message("driver {v}", v=ESCAPES)), HOST, [card]),
            *(1.0, 1e9, [Message(ESCAPES)]),
        )
    )
    assert isinstance(told, Hello)
    texts = [told.computer, told.user, told.system, told.source.label, *told.attempts]
    texts += [told.cards[0].name, told.cards[0].bus_id or ""]
    assert all(each.isprintable() for each in texts)


def test_names_are_cut_and_so_are_sentences() -> None:
    told = heard(Noted([Message("{it}", it="a" * 9000), Message("b" * 9000)]))
    assert isinstance(told, Noted)
    assert all(len(each) <= 2000 for each in told.notes)
    bare = json.dumps({"is": "Noted", "notes": ["c" * 9000]}).encode()
    noted = plausible(told_of(bare), frozenset())
    assert isinstance(noted, Noted)
    assert len(noted.notes[0]) == 2000
    process = CardProcess(ONE, 7, ProcessUse.COMPUTE)
    named = NamedProcess(process, resolved=True, user="u" * 999, container="c" * 999)
    used = heard(Used(ONE, [named]))
    assert isinstance(used, Used)
    assert used.processes is not None
    assert len(used.processes[0].user or "") == 200
    assert len(used.processes[0].container or "") == 200


def test_figures_that_cannot_be_are_none_and_unknown_metrics_are_left_out() -> None:
    told = heard(
        Sampled(
            Sample(
                ONE,
                5.0,
                {POWER_DRAW: 1e9, TEMPERATURE: 40.0, "of_tomorrow": 1.0},  # type: ignore[dict-item]
            )
        )
    )
    assert isinstance(told, Sampled)
    assert told.sample.values == {TEMPERATURE: 40.0}
    assert told.sample.missing == {POWER_DRAW: Absence.IMPOSSIBLE}
    process = CardProcess(ONE, 7, ProcessUse.COMPUTE, {ProcessFigure.SM: 7.0})
    used = heard(Used(ONE, [NamedProcess(process, resolved=True)]))
    assert isinstance(used, Used)
    assert used.processes is not None
    assert used.processes[0].process.missing == {ProcessFigure.SM: Absence.IMPOSSIBLE}


def test_wires_are_those_of_a_machine() -> None:
    nodes = {ONE: 10**9, TWO: 1}
    told = heard(
        Wired(1, Topology([ONE, ONE, TWO], [], nodes, {ONE: "0-" * 4000}, {10**9: 1, 0: 5}))
    )
    assert isinstance(told, Wired)
    assert told.topology.cards == (ONE,)
    assert told.topology.numa_nodes == {}
    assert len(told.topology.cpu_affinity[ONE]) <= 2000
    assert told.topology.node_memory == {0: 5}


def many(count: int) -> list[Card]:
    return [Card(CardId(f"GPU-{number}"), number, "H100", 1) for number in range(count)]


def facts(pid: int, card: CardId = ONE) -> NamedProcess:
    return NamedProcess(CardProcess(card, pid, ProcessUse.COMPUTE), resolved=False)


@pytest.mark.parametrize(
    "told",
    [
        Listed(many(MOST_CARDS + 1), SOURCE),
        Listed([CARD, CARD], SOURCE),
        Listed([HOST], SOURCE),
        Listed([Card(ONE, 0, "H100", -1)], SOURCE),
        Listed([Card(ONE, 0, "H100", 1, nvlinks=10**9)], SOURCE),
        Listed([Card(ONE, 0, "H100", 1, parent=CardId("GPU-2"))], SOURCE),
        Listed([replace(CARD, parent=ONE)], SOURCE),
        Listed([replace(CARD, parent=TWO), Card(TWO, 1, "H100", 1, parent=ONE)], SOURCE),
        Listed([CARD], SOURCE._replace(name="recording")),
        replace(HELLO, wall=1e300),
        Knocked(1, 1.0, -1e300),
        Sampled(Sample(CardId("GPU-2"), 1.0, {TEMPERATURE: 1.0})),
        Used(CardId("GPU-2"), []),
        Used(ONE, [facts(7, CardId("GPU-2"))]),
        Used(ONE, [facts(-1)]),
        Used(ONE, [facts(pid) for pid in range(1, 5000)]),
        Faulted(HardwareFault(CardId("GPU-2"), 79, Message("gone"))),
        Noted([Message("a")] * 1000),
    ],
    ids=lambda told: type(told).__name__,
)
def test_what_no_machine_can_say_is_not_heard(told: Told) -> None:
    with pytest.raises(UnreadableError):
        heard(told)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"null",
        b'{"is": "Watch", "metrics": [], "processes": true, "interval": 1}',
        b'{"is": "__import__"}',
        b'{"is": ["Hello"]}',
        b'{"is": "Sampled", "sample": {"card": "GPU-1", "at": NaN, "values": {}}}',
        b'{"is": "Sampled", "sample": {"card": "GPU-1", "at": 1e999, "values": {}}}',
        b'{"is": "Knocked", "id": 1, "now": 1' + b"0" * 400 + b', "wall": 1}',
        b'{"is": "Noted", "notes": [%s]}' % TEMPLATE.replace(b"?", b".__class__"),
        b'{"is": "Noted", "notes": [%s]}' % TEMPLATE.replace(b"?", b":999999999"),
        b'{"is": "Noted", "notes": [%s""]}' % (b'"",' * 300_000),
    ],
)
def test_a_line_of_anything_is_unreadable_and_nothing_else(line: bytes) -> None:
    with pytest.raises(UnreadableError):
        told_of(line)


def test_ten_thousand_broken_lines_are_unreadable_and_nothing_else() -> None:
    chance = random.Random(20)
    process = CardProcess(ONE, 7, ProcessUse.COMPUTE, {ProcessFigure.MEMORY: 5.0})
    good = [
        line_of(HELLO),
        line_of(Sampled(Sample(ONE, 5.0, {TEMPERATURE: 40.0}))),
        line_of(Used(ONE, [NamedProcess(process, resolved=True, started_at=1.0)])),
        line_of(Noted([Message("{a} of {b}", a=1, b="c")])),
    ]
    for _ in range(10_000):
        line = bytearray(chance.choice(good))
        for _ in range(chance.randint(1, 4)):
            line[chance.randrange(len(line))] = chance.randrange(256)
        with suppress(UnreadableError):
            plausible(told_of(bytes(line)), frozenset({ONE}))


class Hears:
    """A session of a machine whose connection is the test itself."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.far = FarMachine(HERE, clock=self.clock)
        self.samples: list[Sample] = []
        self.session = Session(
            self.far.backend,
            clock=self.clock,
            on_sample=self.samples.append,
            on_host=lambda _: None,
            reach=self.far.reach,
        )
        self.session.want()
        self.session.start()
        self.connection = self.far.hearing.begin()
        self.tell(HELLO)

    def tell(self, *told: Told) -> None:
        for each in told:
            self.far.hearing.hear(self.connection, line_of(each))


@pytest.fixture
def hears() -> Hears:
    return Hears()


def test_other_cards_again_and_again_do_not_fill_the_memory(hears: Hears) -> None:
    for number in range(40):
        cards = [Card(CardId(f"GPU-{number}-{n}"), n, "H100", 1) for n in range(200)]
        hears.tell(Listed(cards, SOURCE))
        for card in hears.session.cards():
            hears.tell(Sampled(Sample(card.id, 1.0, {TEMPERATURE: 40.0})))
    assert len({each.card for each in hears.samples}) <= 1024


def test_the_same_cards_again_are_the_very_same_list(hears: Hears) -> None:
    before = hears.session.cards()
    hears.tell(Listed([CARD], SOURCE))
    assert hears.session.cards() is before


def test_more_processes_than_any_computer_runs_are_not_known(hears: Hears) -> None:
    cards = [Card(CardId(f"GPU-{n}"), n, "H100", 1) for n in range(10)]
    hears.tell(Listed(cards, SOURCE))
    for card in cards:
        hears.tell(Used(card.id, [facts(pid, card.id) for pid in range(1, 4001)]))
    assert len(hears.session.processes()) == 4 * 4000
    assert len(hears.session.processes_unknown()) == 6


def test_readings_in_a_flood_are_no_more_than_were_asked_for(hears: Hears) -> None:
    for number in range(5000):
        hears.tell(Sampled(Sample(ONE, 1.0 + number / 5000, {TEMPERATURE: 40.0})))
    assert len(hears.samples) <= 4


def test_times_never_go_backwards_and_are_never_to_come(hears: Hears) -> None:
    for at in (5.0, -1e6, 1e6, 3.0, 7.0):
        hears.clock.advance(10.0)
        hears.tell(Sampled(Sample(ONE, at, {TEMPERATURE: 40.0})))
    times = [each.at for each in hears.samples]
    assert times == sorted(times)
    assert times[-1] <= hears.clock.now()


def test_faults_in_a_flood_do_not_fill_the_log(hears: Hears) -> None:
    for _ in range(5000):
        hears.tell(Faulted(HardwareFault(ONE, 79, Message("gone"))))
    xids = [each for each in hears.session.happenings() if each.kind is Kind.XID]
    assert 0 < len(xids) <= 60


def test_commands_without_end_do_not_fill_the_memory(hears: Hears) -> None:
    cards = [Card(CardId(f"GPU-{n}"), n, "H100", 1) for n in range(40)]
    hears.tell(Listed(cards, SOURCE))
    told = []
    for card in cards:
        command = [replace(facts(pid, card.id), command="x" * 8000) for pid in range(1, 200)]
        hears.tell(Used(card.id, command))
        told.append(hears.far.backend.processes(card.id))
    assert told[0]
    assert told[-1] is None
    hears.tell(*(Used(card.id, []) for card in cards), Used(ONE, [facts(7)]))
    assert hears.far.backend.processes(ONE)


def test_one_hello_is_enough(hears: Hears) -> None:
    hears.tell(replace(HELLO, computer="another"))
    assert hears.far.hello is not None
    assert hears.far.hello.computer == "far"


def test_a_note_says_which_computer_this_is(hears: Hears) -> None:
    hears.tell(Noted([Message("This computer has no swap space.")]))
    assert hears.session.notes() == ["here: This computer has no swap space."]


@pytest.mark.skipif(sys.platform == "win32", reason="agents run on Linux")
def test_whoever_says_nothing_that_can_be_understood_is_left_alone() -> None:
    babble = (
        "import sys; out = sys.stdout\n"
        "for line in sys.stdin:\n"
        "    out.write(line)\n"
        "    if line.strip(): break  # the mark\n"
        'for n in range(1000): out.write(\'{"is": "Hello", "version": %d}\\n\' % n)\n'
        "out.flush(); sys.stdin.read()"
    )

    def launch(host: HostName, command: str) -> list[str]:
        return ["sh", "-c", f'{command} | "$0" -u -c "$1"', sys.executable, babble]

    changes = Changes()
    far = FarMachine(HERE, simulate="2xH100", launch=launch, on_change=changes.on_change)
    far.connect()
    with pytest.raises(Trouble, match="not what GPU Explorer says"):
        far.wait_until_up(PATIENCE)
    assert far.now.retry_at is None
    assert far.stop(PATIENCE)


@pytest.mark.skipif(sys.platform == "win32", reason="agents run on Linux")
def test_an_answer_that_cannot_be_read_is_not_waited_for() -> None:
    garbling = (
        "import sys\n"
        "for line in sys.stdin.buffer:\n"
        "    sys.stdout.buffer.write(line.replace(b'\"topology\":', b'\"\\\\u00\":'))\n"
    )

    def launch(host: HostName, command: str) -> list[str]:
        return ["sh", "-c", f'{command} | "$0" -u -c "$1"', sys.executable, garbling]

    far = FarMachine(HERE, simulate="2xH100", launch=launch)
    far.connect()
    far.wait_until_up(PATIENCE)
    with pytest.raises(Trouble, match="not what GPU Explorer says"):
        far.asking.ask(AskWiring(0), Wired, PATIENCE)
    assert far.now.state is LinkState.UP
    assert far.stop(PATIENCE)


def unlike(**changed: Any) -> bytes:  # any JSON
    return json.dumps({**json.loads(line_of(HELLO)), **changed}).encode()


def test_an_agent_of_another_version_is_not_taken_for_ours() -> None:
    far = FarMachine(HERE)
    far.hearing.hear(far.hearing.begin(), unlike(version=VERSION + 1))
    assert far.hello is None
    assert far.hearing.trouble is not None
