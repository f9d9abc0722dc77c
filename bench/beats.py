"""What a beat costs beside the bare NVML calls it makes."""

from collections.abc import Callable

import pynvml

from bench.table import Figure, paired
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.session import session_on
from tests.nvml_stub.stub import Stub


def figures() -> list[Figure]:
    stub = Stub.load()
    rows = []
    for cards in (1, 8, 64):
        stub.configure(f"cards={cards}")
        rows += _beat(stub, cards)
    stub.configure("cards=8")
    return rows


def _beat(stub: Stub, count: int) -> list[Figure]:
    backend = NvmlBackend()
    backend.open()
    cards = backend.cards()
    wanted = {card.id: metrics_of(card, [Cadence.FAST]) for card in cards}
    handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(count)]
    session, history = session_on(NoCards()), History(1.0)

    def read() -> None:
        for card in cards:
            backend.read(card.id, wanted[card.id])

    def keep(sample: Sample) -> None:
        session.take(sample)
        history.append(sample)

    def whole() -> None:
        for card in cards:
            keep(backend.read(card.id, wanted[card.id]))

    bare = _bare(handles)
    stub.reset_calls()
    read()
    ours = stub.calls()
    stub.reset_calls()
    bare()
    theirs = stub.calls()
    times = max(4, 400 // count)
    everything, calls, _ = paired(whole, bare, times)
    own = (everything - calls) / count
    backend.close()
    name = f"{count} card{'s' if count > 1 else ''}"
    return [
        Figure(
            f"{name}: reading, comparing, remembering, a card, without the driver's own time",
            f"{own * 1e6:.0f} us",
            "at most 300 us",
            own <= 300e-6,
        ),
        Figure(f"{name}: NVML calls per beat, ours and bare", f"{ours}, {theirs}"),
    ]


def _bare(handles: list[object]) -> Callable[[], None]:
    """The very calls that a beat makes, through the binding, with nothing done about them."""
    fields = [pynvml.NVML_FI_DEV_POWER_INSTANT]
    clocks = (
        pynvml.NVML_CLOCK_GRAPHICS,
        pynvml.NVML_CLOCK_SM,
        pynvml.NVML_CLOCK_MEM,
        pynvml.NVML_CLOCK_VIDEO,
    )

    def ask() -> None:
        for handle in handles:
            pynvml.nvmlDeviceGetUtilizationRates(handle)
            pynvml.nvmlDeviceGetMemoryInfo(handle, pynvml.nvmlMemory_v2)
            pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU)
            pynvml.nvmlDeviceGetPowerUsage(handle)
            for clock in clocks:
                pynvml.nvmlDeviceGetClockInfo(handle, clock)
            pynvml.nvmlDeviceGetPerformanceState(handle)
            pynvml.nvmlDeviceGetCurrentClocksEventReasons(handle)
            pynvml.nvmlDeviceGetFieldValues(handle, fields)

    return ask
