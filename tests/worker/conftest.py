"""For the worker's tests: a bench of each engine. Torch is asked for only by who uses one."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.worker.benches import Bench


@pytest.fixture(params=["virtual", "cpu", pytest.param("real", marks=pytest.mark.gpu)])
def bench(request: pytest.FixtureRequest) -> "Bench":
    from tests.worker.benches import BENCHES, start_anew

    start_anew()
    return BENCHES[request.param]()


@pytest.fixture
def virtual() -> "Bench":
    from tests.worker.benches import start_anew, virtual_bench

    start_anew()
    return virtual_bench()
