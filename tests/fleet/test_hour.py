"""Hour: a mean per minute of each rack, asked of a fake Prometheus."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.hour import COLUMNS, Hour, hour_of
from tests.fleet.fake_prometheus import FakePrometheus, card

_NOW = 1764000030.0


@pytest.fixture
def hour(client: Prometheus) -> Callable[[], Hour]:
    def asked() -> Hour:
        fleet = Fleet(client, "job='dcgm'")
        fleet.look_for_cards()
        return hour_of(fleet, fleet.now().cards, _NOW)

    return asked


def _rack_all(server: FakePrometheus) -> None:
    for series in server.series.values():
        series[:] = [
            ({**labels, "rack": f"r{at // 4}"}, value)
            for at, (labels, value) in enumerate(series)
        ]


def test_racks_have_a_mean_for_each_minute(
    server: FakePrometheus, hour: Callable[[], Hour]
) -> None:
    _rack_all(server)
    told = hour()
    assert told.places.keys() == {"r0", "r1", "r2", "r3"}
    assert told.start == _NOW - 30 - 59 * 60
    assert np.allclose(told.places["r3"], np.full(COLUMNS, 0.4))
    assert np.allclose(told.together, np.full(COLUMNS, 0.4))


def test_hosts_have_one_where_nobody_tells_racks(hour: Callable[[], Hour]) -> None:
    assert hour().places.keys() == {"node-0", "node-1"}


def test_of_more_hosts_than_anybody_looks_at_only_all_together_is_asked(
    server: FakePrometheus, hour: Callable[[], Hour]
) -> None:
    busy = server.series["DCGM_FI_DEV_GPU_UTIL"]
    busy += [(card(each), 40.0) for each in range(16, 16 + 8 * 300)]
    told = hour()
    assert not told.places
    assert np.allclose(told.together, np.full(COLUMNS, 0.4))


def test_its_questions_name_metric_selector_and_labels(
    server: FakePrometheus, hour: Callable[[], Hour]
) -> None:
    _rack_all(server)
    hour()
    asked = [fields["query"][0] for path, fields in server.asked if path.endswith("_range")]
    each = "(avg_over_time(DCGM_FI_DEV_GPU_UTIL{job='dcgm'}[2m]))"
    assert asked == [f"{how} by (rack) {each}" for how in ("avg", "count")]


def test_a_figure_that_cannot_be_leaves_the_others_of_its_rack(
    server: FakePrometheus, hour: Callable[[], Hour]
) -> None:
    _rack_all(server)
    labels, _ = server.series["DCGM_FI_DEV_GPU_UTIL"][0]
    server.series["DCGM_FI_DEV_GPU_UTIL"][0] = labels, 9e18
    told = hour()
    assert np.allclose(told.places["r0"], np.full(COLUMNS, 0.4))
    assert np.allclose(told.together, np.full(COLUMNS, 0.4))


def test_a_mean_that_cannot_be_is_none(
    server: FakePrometheus, hour: Callable[[], Hour]
) -> None:
    _rack_all(server)
    pair = [_NOW - 30, "9e18"]
    row = {"metric": {"rack": "r0"}, "values": [pair]}
    data = {"status": "success", "data": {"resultType": "matrix", "result": [row]}}
    server.special["/api/v1/query_range"] = 200, {}, json.dumps(data).encode()
    assert np.isnan(hour().places["r0"]).all()


def test_a_card_that_two_jobs_show_counts_once(
    client: Prometheus, server: FakePrometheus
) -> None:
    _rack_all(server)
    busy = server.series["DCGM_FI_DEV_GPU_UTIL"]
    labels, _ = busy[0]
    busy[0] = labels, 80.0
    busy.append(({**labels, "job": "another"}, 80.0))
    fleet = Fleet(client)
    fleet.look_for_cards()
    told = hour_of(fleet, fleet.now().cards, _NOW)
    assert np.allclose(told.places["r0"], np.full(COLUMNS, 0.5))
    assert np.allclose(told.places["r1"], np.full(COLUMNS, 0.4))
    assert np.allclose(told.together, np.full(COLUMNS, 0.425))


def test_what_the_server_refuses_is_the_reason(
    server: FakePrometheus, hour: Callable[[], Hour]
) -> None:
    body = b'{"status":"error","error":"query processing would load too many samples"}'
    server.special["/api/v1/query_range"] = 422, {}, body
    assert "too many samples" in hour().why


def test_a_server_that_is_too_slow_for_it_goes_on_telling_the_rest(
    server: FakePrometheus, client: Prometheus
) -> None:
    fleet = Fleet(client)
    fleet.look_for_cards()
    cards = fleet.now().cards
    client.end()
    assert "was given up" in hour_of(fleet, cards, _NOW).why
