"""Every backend, one contract: each metric asked for is answered or explained; and of ten
thousand random answers of NVIDIA's driver nothing impossible is told.

A failure names its seed. `FUZZ_SEED=7` runs that one alone; as several threads ask, it may take
a few runs to fail again.
"""

import math
import os
from collections.abc import Collection, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.models import MODELS
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure
from gpuexplorer.telemetry.topology import PathKind, nvlink_rate, pcie_rate
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml, until

NVML = {
    "eight H100": "cards=8;procs=all:2",
    "gaming cards": "cards=2;kind=rtx4090",
    "small passive cards": "cards=2;kind=t4",
    "shared memory": "cards=1;kind=gb10",
    "a lost card": "cards=3;lost=1",
    "MIG": "cards=2;mig=0:3;procs=0:3",
    "impossible figures": "cards=2;garbage=all",
    "everything refused": "cards=2;refused=all",
    "nothing permitted": "cards=2;refused=all;refuse_code=no_permission",
    "unknown errors": "cards=2;refused=all;refuse_code=unknown",
    "128 cards": "cards=128",
    "cards on C2C": "cards=2;kind=gh200",
    "garbage on the wires": "cards=2;wiring=nonsense;p2p=77;ancestor=61;procs=all:0;c2c=99",
}
SIMULATED = {
    "eight H100": "8xH100+nvlink",
    "every model": ",".join(f"2x{model.key}" for model in MODELS),
    "64 H200": "64xH200",
}


@pytest.fixture(
    params=[*(f"nvml: {name}" for name in NVML), *(f"simulated: {name}" for name in SIMULATED)]
)
def backend(request: pytest.FixtureRequest, nvml: Nvml) -> Iterator[Backend]:
    vendor, name = request.param.split(": ")
    if vendor == "nvml":
        yield nvml.open(NVML[name])
        return
    made = SimulatedBackend(parse_machine(SIMULATED[name]), parse_faults("", 2))
    made.open()
    yield made
    made.close()


def test_whatever_is_asked_of_a_card_is_answered_or_explained(backend: Backend) -> None:
    cards = backend.cards()
    ids = [card.id for card in cards]
    assert len(set(ids)) == len(ids)
    for card in cards:
        check_card(card, ids)
        for cadences in (*((each,) for each in Cadence), tuple(Cadence)):
            asked = metrics_of(card, cadences)
            sample = backend.read(card.id, asked)
            check_sample(card, sample, asked)
            assert all(absence.sentence for absence in sample.missing.values())
        parts = (m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_RESERVED)
        if sample.values.keys() >= {*parts, m.MEMORY_TOTAL}:
            assert sum(sample.values[part] for part in parts) == sample.values[m.MEMORY_TOTAL]
        check_processes(card, backend.processes(card.id) or (), ids)
    nobody = backend.read(CardId("GPU-of-another-machine"), metrics_of(cards[0]))
    assert (nobody.state, nobody.values) == (CardState.LOST, {})


def test_topology_tells_each_pair_once(backend: Backend) -> None:
    topology = backend.topology()
    pairs = [frozenset((link.a, link.b)) for link in topology.links]
    assert len(set(pairs)) == len(pairs)
    for link in topology.links:
        assert link.rate is None or link.rate > 1e9
        assert link.rate is not None or link.rate_reason
        assert (link.nvlinks > 0) == (link.path is PathKind.NVLINK)
        if link.peer_to_peer is False:
            assert link.peer_reason


def test_no_handle_event_set_or_sample_is_left_behind(nvml: Nvml) -> None:
    backend = nvml.open("cards=2")
    for _ in range(3):
        for card in backend.cards():
            backend.read(card.id, metrics_of(card))
    backend.wait_for_fault(0.01)
    backend.close()
    assert nvml.held() == 0
    assert nvml.sessions() == 0


def test_the_host_answers_or_explains_each_of_its_metrics() -> None:
    host = HostReader()
    asked = metrics_of(host.card)
    check_sample(host.card, host.read(asked), asked)
    assert "gpu_utilization" not in asked


MACHINES = (
    "cards=2",
    "cards=2;kind=rtx4090",
    "cards=1;kind=t4;ecc=3;ecc_bad=1;retired=2",
    "cards=1;kind=gb10",
    "cards=3;wiring=mesh;nvlinks=12;wddm=1",
    "cards=2;wiring=pairs;nvlinks=4;nvlink_version=5;nvlink_speed=25781",
    "cards=1;mig=0:3;procs=0:6",
    "cards=2;kind=1:rtx4090;pids=0:11,12g,13b,14m",
)
# A card that seems to be cut otherwise is met anew, and its counters may begin anew then.
NO_NEWS_OF_MIG = "fault=nvmlDeviceGetMigMode:ok;answer=nvmlDeviceGetMigMode:_"
ROUNDS = 4
MOST_PID = 4_194_304  # Linux counts no further
LEAST_BYTES, MOST_BYTES = 1 << 30, 1 << 50

# Each is at most the other.
ORDERED: tuple[tuple[MetricId, MetricId], ...] = (
    (m.MEMORY_USED, m.MEMORY_TOTAL),
    (m.MEMORY_FREE, m.MEMORY_TOTAL),
    (m.MEMORY_RESERVED, m.MEMORY_TOTAL),
    (m.BAR1_USED, m.BAR1_TOTAL),
    (m.POWER_LIMIT_MIN, m.POWER_LIMIT_MAX),
    (m.TEMPERATURE_SLOWDOWN, m.TEMPERATURE_SHUTDOWN),
    (m.PCIE_GENERATION_MAX, m.PCIE_GENERATION_CARD),
    (m.PCIE_GENERATION, m.PCIE_GENERATION_CARD),
)
# No card runs at twice its own highest clock.
CLOCKS = (
    (m.CLOCK_GRAPHICS, m.CLOCK_GRAPHICS_MAX),
    (m.CLOCK_SM, m.CLOCK_SM_MAX),
    (m.CLOCK_MEMORY, m.CLOCK_MEMORY_MAX),
    (m.CLOCK_VIDEO, m.CLOCK_VIDEO_MAX),
)
# Parts of memory are read one after another.
SHARE_OF_MEMORY = 0.01
# They only ever grow while the driver runs.
COUNTERS = (
    *map(MetricId, ("energy", "pcie_replays", "ecc_corrected", "ecc_uncorrected")),
    *map(MetricId, ("ecc_corrected_ever", "ecc_uncorrected_ever")),
    *map(MetricId, ("retired_pages_corrected", "retired_pages_uncorrected")),
    *map(MetricId, ("remapped_rows_corrected", "remapped_rows_uncorrected")),
    *(metric.id for metric in METRICS.values() if metric.unit is Unit.SECONDS),
)
THROTTLED = m.THROTTLES


def check_text(text: str) -> None:
    assert text.isprintable(), repr(text)


def check_card(card: Card, all_of_them: Collection[CardId]) -> None:
    for text in (card.id, card.name, card.bus_id or "", card.cuda_reason):
        check_text(text)
    assert card.id
    assert card.name
    assert card.memory_bytes is None or 0 < card.memory_bytes <= MOST_BYTES
    assert card.parent is None or card.parent in all_of_them
    assert 0 <= card.index < 1024
    assert card.compute_capability is None or (1, 0) <= card.compute_capability < (100, 0)
    assert card.cores is None or 0 < card.cores < 1_000_000
    assert card.memory_bus_bits is None or 0 < card.memory_bus_bits <= 100_000


def check_sample(card: Card, sample: Sample, asked: Collection[MetricId]) -> None:
    assert sample.card == card.id
    assert set(sample.values) | set(sample.missing) == set(asked)
    assert not set(sample.values) & set(sample.missing)
    values = sample.values
    if sample.state is not CardState.WORKING:
        assert not values
    for metric, value in values.items():
        described = METRICS[metric]
        assert math.isfinite(value), metric
        assert described.plausible(value), (metric, value)
        if described.choices or described.unit is Unit.FLAG:
            assert value in (described.choices or (0, 1)), (metric, value)
    for less, more in ORDERED:
        if less in values and more in values:
            assert values[less] <= values[more], (less, dict(values))
    for clock, highest in CLOCKS:
        assert values.get(clock, 0.0) <= 2 * values.get(highest, math.inf), (
            clock,
            dict(values),
        )
    if values.keys() >= {m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_TOTAL}:
        parts = values[m.MEMORY_USED] + values[m.MEMORY_FREE]
        parts += values.get(m.MEMORY_RESERVED, 0)
        assert parts <= values[m.MEMORY_TOTAL] * (1 + SHARE_OF_MEMORY), dict(values)
    assert not all(values.get(reason) for reason in THROTTLED)
    check_wires(card, values)


def check_wires(card: Card, values: Mapping[MetricId, float]) -> None:
    if m.PCIE_GENERATION_CARD in values:
        most = pcie_rate(int(values[m.PCIE_GENERATION_CARD]), 16)
        for rate in (m.PCIE_RECEIVE, m.PCIE_TRANSMIT):
            assert most is None or values.get(rate, 0.0) <= 1.25 * most, rate
    numbers = range(card.nvlinks)
    states = [values.get(MetricId(f"nvlink_{link}_state")) for link in numbers]
    if m.NVLINK_ACTIVE in values:
        assert values[m.NVLINK_ACTIVE] == states.count(1)
    for total, way in ((m.NVLINK_RECEIVE, "receive"), (m.NVLINK_TRANSMIT, "transmit")):
        rates = [values.get(MetricId(f"nvlink_{link}_{way}"), 0.0) for link in numbers]
        if total in values:
            assert values[total] == pytest.approx(sum(rates))


def check_processes(card: Card, rows: Collection[CardProcess], ids: Collection[CardId]) -> None:
    assert len({(row.card, row.pid) for row in rows}) == len(rows)
    most = card.memory_bytes or 0
    if most < LEAST_BYTES:
        most = MOST_BYTES  # it lied of itself
    for row in rows:
        assert row.card in ids
        assert 0 < row.pid <= MOST_PID
        assert set(row.values) | set(row.missing) == set(ProcessFigure)
        assert 0 <= row.values.get(ProcessFigure.MEMORY, 0) <= most
        for share in set(row.values) - {ProcessFigure.MEMORY}:
            assert 0 <= row.values[share] <= 1


class Watch:
    """Asks a backend for all it has, again and again, and holds the answers together."""

    def __init__(self, backend: NvmlBackend, *, counters: bool) -> None:
        self.backend = backend
        self.counters = counters
        self.connected = (0, 0)
        self.counted: dict[tuple[CardId, MetricId], float] = {}

    def look(self) -> None:
        cards = self.backend.cards()
        ids = [card.id for card in cards]
        assert len(set(ids)) == len(ids)
        numbers = [card.cuda_index for card in cards if card.cuda_index is not None]
        assert len(set(numbers)) == len(numbers)
        for card in cards:
            check_card(card, ids)
            asked = metrics_of(card)
            listed = self.backend.cards()
            sample = self.backend.read(card.id, asked)
            rows = self.backend.processes(card.id) or ()
            if self.backend.cards() is not listed or card not in listed:
                self.counted.clear()
                continue  # one was met anew meanwhile, and may be another
            check_sample(card, sample, asked)
            if self.counters:
                self.check_counters(sample)
            check_processes(card, rows, {each.id for each in listed})
        self.check_wiring()
        for fault in self.backend.wait_for_fault(0.0):
            assert fault.card in {None, *(card.id for card in self.backend.cards())}
            assert 0 < fault.code < 1000
            check_text(fault.sentence)
        for note in self.backend.notes():
            check_text(note)
        source = self.backend.source
        for text in (source.label, source.driver_version or "", source.cuda_version or ""):
            check_text(text)

    def check_counters(self, sample: Sample) -> None:
        now = (self.backend.generation, id(self.backend.cards()))
        if now != self.connected:
            self.connected = now  # the driver came back, or a card was found anew
            self.counted.clear()
        for counter in COUNTERS:
            at = (sample.card, counter)
            if counter in sample.values:
                assert sample.values[counter] >= self.counted.get(at, 0.0), counter
                self.counted[at] = sample.values[counter]
            elif sample.missing.get(counter) is Absence.IMPOSSIBLE:
                self.counted.pop(
                    at, None
                )  # it went back; if it does so for good, it began anew

    def check_wiring(self) -> None:
        cards = self.backend.cards()
        by_id = {card.id: card for card in cards}
        wiring = self.backend.topology()
        if self.backend.cards() is not cards:
            return  # as above
        for link in wiring.links:
            assert link.a in by_id
            assert link.b in {*by_id, HOST_ID}
            assert link.rate is None or 0 < link.rate < 1e13
            for text in (link.peer_reason, link.rate_reason, link.letters):
                check_text(text)
            assert link.nvlinks <= by_id[link.a].nvlinks
            if link.nvlinks and link.rate is not None and link.nvlink_generation is not None:
                most = nvlink_rate(link.nvlink_generation)
                assert link.rate <= 1.1 * (most or math.inf) * link.nvlinks


def answers_to(stub: Stub, seed: int, here: Path) -> int:
    """Everything is asked of a driver gone mad; returns how many calls it answered."""
    clock = ManualClock()
    config = f"clock=100;{MACHINES[seed % len(MACHINES)]};xid=0:79;fuzz={seed}"
    stub.configure(config if seed % 2 else f"{config};{NO_NEWS_OF_MIG}")
    stub.reset_calls()
    backend = NvmlBackend(clock, PciBus(here), {})
    try:
        backend.open()
        watch = Watch(backend, counters=seed % 2 == 0)
        for _ in range(ROUNDS):
            watch.look()
            clock.advance(3.0)
            stub.set("clock=+3;xid=0:31")
    except Trouble as trouble:
        check_text(trouble.sentence)
        check_text(trouble.hint)
    finally:
        backend.close()
        until(lambda: stub.sessions() == 0)  # a card may just be met anew
    return stub.calls()


@pytest.fixture
def seeds() -> Iterator[int]:
    one = os.environ.get("FUZZ_SEED")
    return iter([int(one)]) if one else count(1)


@pytest.mark.parametrize("answers", [10_000, pytest.param(500_000, marks=pytest.mark.long)])
def test_random_answers_tell_nothing_impossible(
    stub: Stub, seeds: Iterator[int], tmp_path: Path, answers: int
) -> None:
    answered = 0
    for seed in seeds:
        try:
            answered += answers_to(stub, seed, tmp_path)
        except BaseException as error:
            error.add_note(f"FUZZ_SEED={seed}")
            raise
        if answered >= answers:
            return
