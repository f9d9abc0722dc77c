"""The wiring for a command: asked once, and not waited for longer than a person would."""

from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.topology import Topology

_PATIENCE = 3.0
NOT_ANSWERED = Message(
    "The driver did not report the wiring within {seconds:.0f} seconds, so it is left out.",
    seconds=_PATIENCE,
)


def wiring_of(backend: Backend) -> Topology | None:
    """None when the driver does not answer."""
    asked = Asked(backend.topology)
    return asked.result() if asked.answered_within(_PATIENCE) else None
