"""On a real NVIDIA card: what a beat asks, and that it learns from what is refused."""

import threading
from collections.abc import Iterator

import pynvml
import pytest

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from tests.telemetry.overheard import Overheard

pytestmark = pytest.mark.gpu

_BEATS = 5
_APART = 0.1


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Overheard]:
    """The real one, and what it refuses is noted."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        pytest.skip(f"the driver does not answer: {error}")
    overheard = Overheard(pynvml.nvmlLib)
    monkeypatch.setattr(pynvml, "nvmlLib", overheard)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    yield overheard
    monkeypatch.undo()
    pynvml.nvmlShutdown()


@pytest.fixture
def backend(driver: Overheard) -> Iterator[NvmlBackend]:
    del driver  # it has to be in its place first
    opened = NvmlBackend()
    try:
        opened.open()
    except Trouble as trouble:
        pytest.skip(str(trouble))
    yield opened
    opened.close()


@pytest.mark.parametrize("cadence", [Cadence.FAST, Cadence.SLOW, Cadence.ON_DEMAND])
def test_what_this_card_never_tells_is_not_asked_at_every_beat(
    driver: Overheard, backend: NvmlBackend, cadence: Cadence
) -> None:
    beat(backend, cadence)
    driver.begin()
    for _ in range(_BEATS):
        beat(backend, cadence)
    assert driver.calls
    assert {name: times for name, times in driver.refused.items() if times > 1} == {}


def beat(backend: NvmlBackend, cadence: Cadence) -> None:
    """Of all cards; rates need a moment between two."""
    for card in backend.cards():
        sample = backend.read(card.id, metrics_of(card, [cadence]))
        assert sample.state in (CardState.WORKING, CardState.ASLEEP), card.name
    SystemClock().wait(threading.Event(), _APART)
