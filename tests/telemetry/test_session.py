"""A session: one source and what it last said; the computer itself; files that are whole."""

import errno
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId, CardState, Sample
from gpuexplorer.core.metrics import CPU_UTILIZATION, SWAP_TOTAL, SWAP_USED, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends import host
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.facts import Fact, Reading
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, card_numbers, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.system import ProcessorTime
from gpuexplorer.telemetry.whole_file import write_whole
from tests.telemetry.conftest import Nvml


@pytest.fixture
def session() -> Iterator[Session]:
    session = remembering(session_on(simulated("2xTitanRTX"), interval=0.1))
    yield session
    assert session.stop(5.0)


def test_what_is_known_is_put_together_and_nothing_made_up_before(session: Session) -> None:
    first = session.cards()[0].id
    assert (session.reading(first), session.state_sentence(first)) == (None, "not read yet")
    session.want()
    session.start()
    assert session.wait_for_sweeps(1, 10.0)
    for card in session.cards():
        reading = session.reading(card.id)
        assert reading is not None
        for metric in ("gpu_utilization", "fan_speed", "pcie_receive"):
            assert MetricId(metric) in reading.values or MetricId(metric) in reading.missing
        assert session.state_sentence(card.id) == "working"
    assert session.process_book.living()
    assert session.simulated


A, BUSY, FAN = CardId("a"), MetricId("gpu_utilization"), MetricId("fan_speed")


def known(session: Session, *samples: Sample) -> Reading:
    for sample in samples:
        session.take(sample)
    reading = session.reading(A)
    assert reading is not None
    return reading


def test_a_lost_card_shows_no_figure_that_a_slower_round_once_read(session: Session) -> None:
    session.want()
    lost = known(
        session,
        Sample(A, 1.0, {FAN: 0.4}),
        Sample(A, 3.0, {}, {BUSY: Absence.LOST}, CardState.LOST),
    )
    assert (lost.state, lost.values) == (CardState.LOST, {})
    assert lost.missing == {BUSY: Absence.LOST, FAN: Absence.LOST}
    back = known(
        session,
        Sample(A, 4.0, {BUSY: 0.1}),
        Sample(A, 4.0, {}, {FAN: Absence.LOST}, CardState.LOST),
        Sample(A, 4.1, {BUSY: 0.1}),
    )
    assert (back.values, back.missing) == ({BUSY: 0.1}, {FAN: Absence.NOT_YET})


TIMEOUT = 10.0


class Seen:
    """Samples as they come, and a way to wait for the one that is looked for."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.threads: dict[CardId, threading.Thread] = {}
        self._more = threading.Condition()

    def __call__(self, fact: Fact) -> None:
        if isinstance(fact, Sample) and fact.card != HOST_ID:
            with self._more:
                self.samples.append(fact)
                self.threads[fact.card] = threading.current_thread()
                self._more.notify_all()

    def wait(self, wanted: Callable[[Sample], bool], times: int = 1) -> list[Sample]:
        with self._more:
            found = self._more.wait_for(
                lambda: sum(map(wanted, self.samples)) >= times, timeout=TIMEOUT
            )
            assert found, "the sample did not come"
            return [sample for sample in self.samples if wanted(sample)]


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def sampler(nvml: Nvml, seen: Seen) -> Iterator[Session]:
    """Of three cards, which are asked for one figure each."""
    sampler = Session(Local(nvml.open("cards=3"), patience=0.15), 0.1)
    sampler.attach(seen)
    want = sampler.want_metrics({BUSY})
    sampler.start()
    yield sampler
    sampler.release(want)
    nvml.release()
    assert sampler.stop(TIMEOUT)


def of(card: str, state: CardState = CardState.WORKING) -> Callable[[Sample], bool]:
    return lambda sample: sample.card == card and sample.state is state


@pytest.mark.parametrize("threads", [3, 1])
def test_a_card_that_hangs_says_so_the_others_go_on_and_it_is_read_again(
    nvml: Nvml, seen: Seen, sampler: Session, threads: int
) -> None:
    seen.wait(lambda _: len({*seen.threads.values()}) <= threads, 4)
    first, hung, last = (card.id for card in sampler.cards())
    seen.wait(of(hung))
    assert {*seen.samples[-1].values} == {BUSY}, "only what somebody wants is read"
    nvml.set("hung=1")
    [silent, *_] = seen.wait(of(hung, CardState.NO_ANSWER))
    assert silent.missing == {BUSY: Absence.NO_ANSWER}
    assert (sampler.stream.silence(hung) or 0) > 0
    before = len(seen.wait(of(last)))
    seen.wait(of(last), before + 3)
    seen.wait(of(first), before + 3)
    assert sampler.stream.silence(first) is None
    there = len(seen.wait(of(hung)))
    nvml.set("hung=none")
    nvml.release()
    assert seen.wait(of(hung), there + 3)[-1].at >= silent.at
    assert sampler.stream.silence(hung) is None


def test_a_sweep_is_waited_for_where_all_hang(nvml: Nvml, seen: Seen, sampler: Session) -> None:
    nvml.set("hung=0,1,2")
    assert sampler.wait_for_sweeps(2, TIMEOUT)
    for card in sampler.cards():
        seen.wait(of(card.id, CardState.NO_ANSWER))


ASKED = frozenset({CPU_UTILIZATION})
SWAP = frozenset({SWAP_USED, SWAP_TOTAL})


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[ProcessorTime | None]:
    """What the system will say, one after another, on a computer with two processors."""
    coming: list[ProcessorTime | None] = []
    monkeypatch.setattr(host, "processor_time", lambda: coming.pop(0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    return coming


def test_looks_too_close_together_have_a_reason(looks: list[ProcessorTime | None]) -> None:
    looks += [ProcessorTime(100.08, 50.08), ProcessorTime(100.2, 50.1)]
    reader = HostReader(looked_before=ProcessorTime(total=100.0, idle=50.0))
    assert reader.read(ASKED).missing == {CPU_UTILIZATION: Absence.TOO_SOON}
    assert reader.read(ASKED).values[CPU_UTILIZATION] == pytest.approx(0.5)


def test_a_computer_without_swap_space_says_so_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    none = psutil.swap_memory()._replace(total=0, used=0, free=0)
    monkeypatch.setattr(psutil, "swap_memory", lambda: none)
    sample = HostReader().read(SWAP)
    assert sample.values == {SWAP_TOTAL: 0}
    assert sample.missing == {SWAP_USED: Absence.NO_SWAP}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "There is no room left on that disk."),
        (errno.EACCES, "You may not write there."),
        (errno.EROFS, "the disk is read-only."),
        (errno.EIO, "The system says: it broke."),
    ],
)
def test_a_disk_that_refuses_leaves_the_old(tmp_path: Path, number: int, words: str) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half of it"
        raise OSError(number, "it broke")

    path = tmp_path / "plots.csv"
    path.write_bytes(b"the old one")
    with pytest.raises(Trouble, match=r"plots\.csv was not saved") as told:
        write_whole(path, chunks())
    assert words in str(told.value)
    assert path.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [path]
    write_whole(path, [b"ne", b"w"])
    assert path.read_bytes() == b"new"


def test_cards_and_their_instances_are_numbered_as_people_say_it(nvml: Nvml) -> None:
    cards = nvml.open("cards=2;mig=1:2").cards()
    assert list(card_numbers(cards).values()) == ["0", "1", "1.0", "1.1"]
