"""For the worker's tests: a bench of each engine. Torch is asked for only by who uses one."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.worker.benches import Bench


@pytest.fixture(autouse=True)
def pytorch_as_it_is() -> "Iterator[None]":
    """Simulated cards are in force for the whole process: no test leaves them to the next."""
    yield
    engine = sys.modules.get("gpuexplorer.worker.engines.virtual.engine")
    if engine is not None:
        engine.leave()


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
