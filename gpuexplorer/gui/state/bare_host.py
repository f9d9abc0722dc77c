"""BareHost: how busy the computer itself is, where no session reads it."""

from gpuexplorer.core.cards import Card, CardState
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import metrics_of
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.wording.cards.faces import host_face
from gpuexplorer.gui.wording.cards.host_face import HostFace
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.latest import Reading

# The processor's use over less than a second is mostly noise.
EVERY = 1.0


class BareHost:
    """Asked on the spot: the host answers at once."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._reader = HostReader(self._clock)
        self._metrics = metrics_of(self._reader.card)
        self._read_at = float("-inf")
        self._reading: Reading | None = None

    @property
    def card(self) -> Card:
        return self._reader.card

    @property
    def cores(self) -> int:
        return self._reader.cores

    def face(self, units: Units = USUAL) -> HostFace:
        now = self._clock.now()
        reading = self._reading
        if reading is None or now - self._read_at >= EVERY:
            self._read_at = now
            sample = self._reader.read(self._metrics)
            reading = Reading(
                sample.card, sample.at, CardState.WORKING, sample.values, sample.missing
            )
            self._reading = reading
        return host_face(self._reader.card, reading, units)
