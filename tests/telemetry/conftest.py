"""The NVML stand-in, and backends that are let go after each test."""

import importlib.util
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest

from gpuexplorer.core.cards import CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.looked_for import PciBus
from tests.nvml_stub.stub import Stub

# Tests of real cards run where not all tools of a developer are.
if importlib.util.find_spec("hypothesis") is None:
    collect_ignore = ["test_history.py"]

PATIENCE = 10.0


def until(condition: Callable[[], bool]) -> None:
    """Waits for what another thread does; gives up after the patience."""
    end = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < end, "it did not come"
        threading.Event().wait(0.01)


def read(backend: NvmlBackend, *cadences: Cadence, place: int = 0) -> Sample:
    """All that the card at that place says, or what it says at these cadences."""
    card = backend.cards()[place]
    return backend.read(card.id, metrics_of(card, cadences or tuple(Cadence)))


def states(backend: NvmlBackend, *cadences: Cadence) -> list[CardState]:
    places = range(len(backend.cards()))
    return [read(backend, *cadences, place=place).state for place in places]


@pytest.fixture
def stub() -> Iterator[Stub]:
    """The stand-in inside this process, with two healthy cards unless configured otherwise."""
    loaded = Stub.load()
    loaded.configure("cards=2")
    yield loaded
    loaded.configure("cards=2")


class Nvml(Stub):
    """The stand-in, and the backends that a test opens on it."""

    def __init__(self, loaded: Stub, bus: PciBus) -> None:
        super().__init__(loaded.path)
        self._bus = bus
        self.opened: list[NvmlBackend] = []

    def open(
        self,
        config: str = "cards=2",
        clock: Clock | None = None,
        bus: PciBus | None = None,
        environment: dict[str, str] | None = None,
    ) -> NvmlBackend:
        """Cards like these, without a PCI bus unless one is given."""
        self.configure(config)
        backend = NvmlBackend(clock, bus or self._bus, environment or {})
        backend.open()
        self.opened.append(backend)
        return backend


@pytest.fixture
def nvml(stub: Stub, tmp_path: Path) -> Iterator[Nvml]:
    found = Nvml(stub, PciBus(tmp_path))
    yield found
    found.release()
    for backend in found.opened:
        backend.close()
