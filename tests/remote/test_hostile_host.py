"""A host that lies, garbles, floods or attacks changes nothing here, and freezes nothing."""

import random
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.catalogue.heat_and_power import POWER_DRAW
from gpuexplorer.core.tagged import line_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.remote import wire
from gpuexplorer.remote.far import backend
from gpuexplorer.remote.far.link_state import LinkState
from gpuexplorer.remote.far.machine import FarMachine
from gpuexplorer.remote.host_name import HostName, host_name
from gpuexplorer.remote.wire import Hello, Told
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import CardProcess, ProcessUse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with a shell")
_PROGRAM = Path(__file__).with_name("hostile.py")
_PATIENCE = 30.0
_CARD = Card(CardId("GPU-1"), 0, "TITAN RTX", 24 << 30)
_HOST = Card(HOST_ID, 0, "there", 8 << 30, kind=CardKind.HOST)
_EVIL = "\x1b]0;title\x07\x1b[2J<script>alert(1)</script>\u202e../../etc/passwd\r\n$(id)"


def hello(**changes: object) -> Hello:
    known: dict[str, object] = {
        "version": wire.VERSION,
        "python": "3.12.1",
        "system": "Linux",
        "computer": "there",
        "user": "ada",
        "source": Source("nvml", Message("NVIDIA")),
        "host": _HOST,
        "cards": [_CARD],
        "now": 1.0,
        "wall": 1.0,
    }
    return Hello(**{**known, **changes})  # type: ignore[arg-type]


GOOD: Sequence[Told] = [
    hello(),
    wire.Listed([_CARD], Source("nvml", Message("NVIDIA"))),
    wire.Noted([Message("{n} cards", n=3)]),
    wire.Sampled(Sample(_CARD.id, 2.0, {POWER_DRAW: 100.0}, {})),
    wire.Used(
        _CARD.id, [NamedProcess(CardProcess(_CARD.id, 7, ProcessUse.COMPUTE), resolved=True)]
    ),
    wire.Pythons(3, [LabPython(Path("/usr/bin/python3"), version=(3, 12, 1))]),
    wire.Knocked(1, 2.0, 3.0),
    wire.Done(5, Message("No.")),
]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Callable[[str, bytes], FarMachine]]:
    made: list[FarMachine] = []

    def reached(manner: str, lines: bytes) -> FarMachine:
        (tmp_path / "lines").write_bytes(lines)

        def launch(_host: HostName, _command: str) -> Sequence[str]:
            words = [sys.executable, str(_PROGRAM), manner, str(tmp_path / "lines")]
            return ["sh", "-c", f"exec {shlex.join(words)}"]

        far = FarMachine(host_name("there"), launch=launch)
        made.append(far)
        far.connect()
        return far

    yield reached
    for each in made:
        assert each.stop(_PATIENCE)


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


class Pulse:
    """How long a thread that has little to do was kept waiting, at the worst."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat)

    def __enter__(self) -> "Pulse":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.is_set():
            before = time.monotonic()
            self._over.wait(0.005)
            self.worst = max(self.worst, time.monotonic() - before - 0.005)


def fuzzed(seed: int, many: int) -> bytes:
    """Good lines with bytes changed, cut, doubled and thrown in; nearly none is good then."""
    dice = random.Random(seed)
    good = [bytearray(line_of(each)[:-1]) for each in GOOD]
    said = []
    for _ in range(many):
        line = bytearray(dice.choice(good))
        for _ in range(dice.randrange(1, 6)):
            at = dice.randrange(len(line) + 1)
            match dice.randrange(5):
                case 0:
                    line[at:at] = dice.choice(
                        (b"9" * 400, b"[" * 900, b"\0", b'"', b"-", b"e999")
                    )
                case 1:
                    del line[at : at + dice.randrange(20)]
                case 2:
                    line[at:at] = dice.randbytes(8)
                case 3:
                    line[at : at + 1] = bytes([dice.randrange(256)])
                case _:
                    other = dice.choice(good)
                    line[at:at] = other[: dice.randrange(len(other))]
        said.append(bytes(line).replace(b"\n", b" ") + b"\n")
    return b"".join(said)


@pytest.mark.parametrize("seed", range(4))
def test_ten_thousand_garbled_lines_end_the_link_with_a_sentence(
    there: Callable[[str, bytes], FarMachine], seed: int
) -> None:
    far = there("once", line_of(hello()) + fuzzed(seed, 10_000))
    with Pulse() as pulse:
        wait_for(lambda: far.now.state is LinkState.REFUSED)
    assert far.now.why == "What is said over there is not what GPU Explorer says."
    assert pulse.worst < 1.0  # on a busy computer


def test_each_garbled_line_alone_is_harmless(
    there: Callable[[str, bytes], FarMachine],
) -> None:
    good = line_of(wire.Sampled(Sample(_CARD.id, 2.0, {POWER_DRAW: 100.0}, {})))
    garbled = fuzzed(9, 90)
    far = there("once", line_of(hello()) + garbled + good)
    wait_for(lambda: far.now.state in {LinkState.UP, LinkState.REFUSED})
    assert [card.id for card in far.backend.cards()] == [
        _CARD.id
    ] or far.now.state is LinkState.REFUSED


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"{}\n",
        line_of(hello(version=wire.VERSION + 1)),
        line_of(hello(version=10**30)),
        line_of(hello(cards=[_CARD] * 2)),
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_wrong_greeting_is_no_connection(
    there: Callable[[str, bytes], FarMachine], first: bytes
) -> None:
    far = there("once", first + fuzzed(1, 200))
    wait_for(lambda: far.now.state in {LinkState.REFUSED, LinkState.BROKEN})
    assert not far.backend.cards()
    assert far.now.why


def test_a_flood_of_good_lines_leaves_the_rest_alone(
    there: Callable[[str, bytes], FarMachine],
) -> None:
    before = psutil.Process().memory_info().rss
    far = there("flood", b"".join(map(line_of, GOOD)) * 100)
    wait_for(lambda: far.now.state is LinkState.UP)
    with Pulse() as pulse:
        began = time.monotonic()
        wait_for(lambda: time.monotonic() > began + 3)
    assert pulse.worst < 1.0
    assert psutil.Process().memory_info().rss - before < 100 << 20


@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ("once", "there did not answer within"),
        ("flood", "What there said of itself cannot be read"),
    ],
)
def test_a_wiring_that_is_not_told_is_the_hosts_fault_and_not_the_drivers(
    there: Callable[[str, bytes], FarMachine],
    manner: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = 0.5 if manner == "once" else _PATIENCE
    monkeypatch.setattr(backend, "_WIRING_PATIENCE", late)
    answers = b"".join(line_of(wire.Done(number)) for number in range(100))
    far = there(manner, line_of(hello()) + (b"" if manner == "once" else answers))
    wait_for(lambda: far.now.state is LinkState.UP)
    with pytest.raises(Trouble, match=said):
        far.backend.wiring()


def test_gigabytes_in_one_line_end_the_link(
    there: Callable[[str, bytes], FarMachine],
) -> None:
    before = psutil.Process().memory_info().rss
    far = there("gigabytes", line_of(hello()))
    wait_for(lambda: far.now.state is LinkState.REFUSED)
    assert far.now.why == "there sent a line without an end."
    assert psutil.Process().memory_info().rss - before < 100 << 20


def test_no_text_of_a_host_reaches_a_person_with_its_escapes(
    there: Callable[[str, bytes], FarMachine],
) -> None:
    evil = Card(CardId("GPU-1"), 0, _EVIL, 1 << 30, bus_id=_EVIL)
    said: Sequence[Told] = [
        hello(
            python=_EVIL,
            system=_EVIL,
            computer=_EVIL,
            user=_EVIL,
            cards=[evil],
            attempts=[Message("{x}" + _EVIL, x=_EVIL)],
            source=Source("nvml", Message(_EVIL), driver_version=_EVIL, facts={_EVIL: _EVIL}),
        ),
        wire.Noted([Message(_EVIL), Message("{a}", a=Message("{b}", b=_EVIL))]),
    ]
    far = there("once", b"".join(map(line_of, said)))
    wait_for(lambda: bool(far.backend.notes()))
    shown = [far.hello, far.backend.cards(), far.backend.notes(), far.backend.source]
    texts = [str(each) for each in _texts(shown)]
    assert any("script" in each for each in texts)
    assert [each for each in texts if not each.isprintable()] == []


def _texts(value: object) -> Iterator[str]:
    """All that is said in it, however deep."""
    if isinstance(value, str):
        yield value
        if isinstance(value, Message):
            yield from _texts([value.template, *value.values.values()])
    elif isinstance(value, dict):
        yield from _texts([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _texts(each)
    elif hasattr(value, "__dataclass_fields__"):
        yield from _texts([getattr(value, name) for name in value.__dataclass_fields__])
