"""A server to ask."""

from collections.abc import Iterator

import pytest

from gpuexplorer.fleet.client import Prometheus, address
from tests.fleet.fake_prometheus import FakePrometheus, card, fake_prometheus


@pytest.fixture
def server() -> Iterator[FakePrometheus]:
    """With two hosts of eight cards, as the DCGM exporter tells of them."""
    with fake_prometheus() as made:
        for name, value in (
            ("DEV_GPU_UTIL", 40.0),
            ("DEV_FB_USED", 1024.0),
            ("DEV_FB_FREE", 7168.0),
            ("DEV_FB_RESERVED", 0.0),
            ("DEV_GPU_TEMP", 55.0),
            ("DEV_POWER_USAGE", 300.0),
        ):
            made.series[f"DCGM_FI_{name}"] = [(card(each), value) for each in range(16)]
        yield made


@pytest.fixture
def client(server: FakePrometheus) -> Iterator[Prometheus]:
    made = Prometheus(address(server.url), patience=30.0)
    yield made
    made.end()
