"""The questions, asked of Debian's Prometheus, which reads simulated exporters."""

import threading
from collections.abc import Iterator

import pytest

from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Prometheus, PrometheusError, address
from gpuexplorer.fleet.fleet import Fleet, match
from gpuexplorer.fleet.host import WEEK, HostPast, Watching
from gpuexplorer.telemetry.trace import empty_trace
from tests.fleet.real_prometheus import PROMETHEUS, prometheus

pytestmark = pytest.mark.skipif(
    PROMETHEUS is None, reason="needs a `prometheus` on the path, such as Debian's"
)
_TRIES = 300
_BUSY = MetricId("gpu_utilization")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two hosts of eight cards behind two targets, all of which were read."""
    folder = tmp_path_factory.mktemp("prometheus")
    with prometheus(folder, hosts=2) as where:
        _wait_for_cards(where, 16)
        yield where


def _wait_for_cards(where: str, number: int) -> None:
    client = Prometheus(address(where))
    last: object = None
    for _ in range(_TRIES):
        try:
            fleet = Fleet(client)
            fleet.look_for_cards()
            if len(fleet.now().cards) == number:
                client.end()
                return
        except Trouble as trouble:
            last = trouble
        threading.Event().wait(0.1)
    raise AssertionError(last)


@pytest.fixture
def fleet(url: str) -> Iterator[Fleet]:
    client = Prometheus(address(url))
    yield Fleet(client)
    client.end()


def test_cards_values_ages_and_alerts_are_told(fleet: Fleet) -> None:
    fleet.look_for_cards()
    now = fleet.now()
    first = next(iter(now.cards.values()))
    assert {each.host for each in now.cards.values()} == {"gpu-0000", "gpu-0001"}
    assert first.simulated
    assert first.rack == "r00"
    assert 0 <= now.values[_BUSY][first.id] <= 1
    assert now.values.keys() >= {"memory_total", "memory_free"}
    assert max(now.ages.values()) < 60


def test_one_host_tells_now_and_before(fleet: Fleet) -> None:
    fleet.look_for_cards()
    cards = [each for each in fleet.now().cards.values() if each.host == "gpu-0001"]
    told = fleet.told(METRICS, cards)
    assert told.ages.keys() == {each.id for each in cards}
    assert sum(len(told.values[each]) == 8 for each in METRICS) > 10
    watching = Watching(fleet)
    past = HostPast(watching, lambda: cards)
    end = past.began + WEEK
    trace = empty_trace()
    for _ in range(_TRIES):
        trace = past.trace(cards[0].id, _BUSY, end - 60, end + 60, 200)
        if len(trace):
            break
        while watching.run_order():
            """Until none is left."""
    assert 0 <= trace.means[trace.counts > 0][-1] <= 1


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("job='none'", "No graphics card is to be seen"),
        ("job=~'('", "does not understand the question"),
    ],
)
def test_a_selector_that_finds_no_card_is_said_to(url: str, selector: str, why: str) -> None:
    client = Prometheus(address(url))
    with pytest.raises(PrometheusError, match=why):
        Fleet(client, match(selector)).look_for_cards()
    client.end()
