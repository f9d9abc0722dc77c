"""What reading a card costs in a beat, less the bare NVML calls that it makes."""

import statistics
from collections.abc import Iterator

import pynvml

from bench.table import Figure, at_most, in_turns, seconds_each
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.session import remembering, session_on
from tests.nvml_stub.stub import Stub

_CLOCKS = (
    pynvml.NVML_CLOCK_GRAPHICS,
    pynvml.NVML_CLOCK_SM,
    pynvml.NVML_CLOCK_MEM,
    pynvml.NVML_CLOCK_VIDEO,
)


def figures() -> Iterator[Figure]:
    stub = Stub.load()
    for cards in (1, 8, 64):
        stub.configure(f"cards={cards}")
        yield from _beat(stub, cards)


def _beat(stub: Stub, count: int) -> Iterator[Figure]:
    backend = NvmlBackend()
    backend.open()
    cards = backend.cards()
    wanted = {card.id: metrics_of(card, [Cadence.FAST]) for card in cards}
    handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(count)]
    session = remembering(session_on(NoCards()))

    def whole() -> None:
        for card in cards:
            session.take(backend.read(card.id, wanted[card.id]))

    def bare() -> None:
        """The very calls that a beat makes, with nothing done about the answers."""
        for handle in handles:
            pynvml.nvmlDeviceGetUtilizationRates(handle)
            pynvml.nvmlDeviceGetMemoryInfo(handle, pynvml.nvmlMemory_v2)
            pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU)
            pynvml.nvmlDeviceGetPowerUsage(handle)
            for clock in _CLOCKS:
                pynvml.nvmlDeviceGetClockInfo(handle, clock)
            pynvml.nvmlDeviceGetPerformanceState(handle)
            pynvml.nvmlDeviceGetCurrentClocksEventReasons(handle)
            pynvml.nvmlDeviceGetFieldValues(handle, [pynvml.NVML_FI_DEV_POWER_INSTANT])

    calls = []
    for ask in (whole, bare):
        stub.reset_calls()
        ask()
        calls.append(stub.calls())
    times = max(4, 400 // count)
    turns = in_turns(lambda: seconds_each(whole, times), lambda: seconds_each(bare, times), 9)
    own = statistics.median(ours - theirs for ours, theirs in turns) / count
    backend.close()
    what = f"{count} card{'s' if count > 1 else ''}"
    yield at_most(
        f"{what}: reading and remembering a card, less the driver's calls", own * 1e6, 300, "us"
    )
    yield Figure(f"{what}: NVML calls of a beat, ours / those", f"{calls[0]} / {calls[1]}")
