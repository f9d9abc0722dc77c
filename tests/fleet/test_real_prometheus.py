"""The questions, asked of Debian's Prometheus, which reads simulated exporters."""

import threading
import time
from collections.abc import Iterator

import pytest

from bench.fleet_server import PROMETHEUS, prometheus
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.address import address
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.host_questions import HostQuestions
from gpuexplorer.fleet.hour import STEP, hour_of
from gpuexplorer.fleet.refusals import PrometheusError
from gpuexplorer.fleet.selector import match

pytestmark = pytest.mark.skipif(
    PROMETHEUS is None, reason="needs a `prometheus` on the path, such as Debian's"
)
_TRIES = 300
_BUSY = MetricId("gpu_utilization")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two hosts of eight cards behind two targets, all of which were read."""
    folder = tmp_path_factory.mktemp("prometheus")
    with prometheus(folder, hosts=2, targets=2, beat=1) as (where, _):
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
    fleet.look_back()
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
    questions = HostQuestions(fleet, fleet.server)
    now = questions.now(cards)
    assert len(now) == 8
    assert all(len(each.values) > 10 for each in now.values())
    end = time.time() // 5 * 5 + 5
    past = questions.past(cards, _BUSY, "max", 30.0, (end - 60, end, 5.0))
    assert past.keys() == now.keys()
    assert questions.how_often(cards) in (None, pytest.approx(1.0, abs=0.5))


def test_the_last_hour_of_each_rack_can_be_asked(fleet: Fleet) -> None:
    fleet.look_for_cards()
    # A minute from now, so that what was just read lies within the last of its columns.
    hour = hour_of(fleet, fleet.now().cards, time.time() + STEP)
    assert not hour.why
    assert hour.places.keys() == {"r00"}
    assert 0 <= hour.together[-1] <= 1
    assert hour.together[-1] == hour.places["r00"][-1]


def test_a_selector_that_fits_nothing_finds_no_card(url: str) -> None:
    client = Prometheus(address(url))
    with pytest.raises(Trouble, match="No card is to be seen"):
        Fleet(client, match("job='none'")).look_for_cards()
    client.end()


def test_a_selector_that_is_broken_is_refused_in_the_servers_words(url: str) -> None:
    client = Prometheus(address(url))
    with pytest.raises(PrometheusError, match="does not understand the question"):
        Fleet(client, match("job=~'('")).look_for_cards()
    client.end()
