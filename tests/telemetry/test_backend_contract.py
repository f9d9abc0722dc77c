"""Every backend, one contract: each metric asked for is answered or explained."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, Unit, metrics_of
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.topology import PathKind
from tests.telemetry.conftest import Nvml

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
    "two TITAN RTX": "2xTitanRTX",
    "eight H100": "8xH100+nvlink",
    "a mixture": "1xH100,1xT4",
    "64 H200": "64xH200",
}


@dataclass
class Case:
    """A backend, opened."""

    backend: Backend
    simulated: bool


@pytest.fixture(
    params=[*(f"nvml: {name}" for name in NVML), *(f"simulated: {name}" for name in SIMULATED)]
)
def case(request: pytest.FixtureRequest, nvml: Nvml) -> Iterator[Case]:
    vendor, name = request.param.split(": ")
    if vendor == "nvml":
        yield Case(nvml.open(NVML[name]), simulated=False)
        return
    spec = parse_machine(SIMULATED[name])
    backend = SimulatedBackend(spec, parse_faults("", 2))
    backend.open()
    yield Case(backend, simulated=True)
    backend.close()


def check(card: Card, sample: Sample, asked: frozenset[str]) -> None:
    assert sample.card == card.id
    assert set(sample.values) | set(sample.missing) == asked
    assert not set(sample.values) & set(sample.missing)
    for metric, value in sample.values.items():
        assert METRICS[metric].plausible(value), (metric, value)
        if METRICS[metric].unit is Unit.FLAG:
            assert value in (0, 1), metric
    for absence in sample.missing.values():
        assert absence.sentence


def test_every_metric_is_answered_or_explained_at_every_cadence(case: Case) -> None:
    for card in case.backend.cards():
        for cadence in Cadence:
            asked = metrics_of(card, [cadence])
            check(card, case.backend.read(card.id, asked), asked)


def test_memory_adds_up(case: Case) -> None:
    for card in case.backend.cards():
        values = case.backend.read(card.id, metrics_of(card)).values
        parts = {
            name: values.get(METRICS[f"memory_{name}"].id)  # type: ignore[index]  # ids are str
            for name in ("used", "free", "reserved", "total")
        }
        if all(part is not None for part in parts.values()):
            used, free, reserved, total = parts.values()
            assert (used or 0) + (free or 0) + (reserved or 0) == total


def test_a_card_nobody_knows_is_lost_and_not_an_error(case: Case) -> None:
    card = case.backend.cards()[0]
    sample = case.backend.read(CardId("GPU-of-another-machine"), metrics_of(card))
    assert sample.state is CardState.LOST
    assert not sample.values


def test_ids_are_unique_and_parents_are_known(case: Case) -> None:
    cards = case.backend.cards()
    ids = [card.id for card in cards]
    assert len(set(ids)) == len(ids)
    assert all(card.parent is None or card.parent in ids for card in cards)


def test_topology_tells_each_pair_once(case: Case) -> None:
    topology = case.backend.topology()
    pairs = [frozenset((link.a, link.b)) for link in topology.links]
    assert len(set(pairs)) == len(pairs)
    for link in topology.links:
        assert link.rate is None or link.rate > 1e9
        assert link.rate is not None or link.rate_reason
        assert (link.nvlinks > 0) == (link.path is PathKind.NVLINK)
        if link.peer_to_peer is False:
            assert link.peer_reason


def test_processes_belong_to_cards_that_are_there(case: Case) -> None:
    ids = {card.id for card in case.backend.cards()}
    for card in case.backend.cards():
        for process in case.backend.processes(card.id) or ():
            assert process.card in ids
            assert process.pid > 0
            assert not set(process.values) & set(process.missing)


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
    check(host.card, host.read(asked), asked)
    assert "gpu_utilization" not in asked
