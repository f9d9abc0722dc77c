"""Which source is read: the first that answers, with the reasons of those that do not."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.patience import Asked

if TYPE_CHECKING:
    from gpuexplorer.telemetry.backends.simulated import SimulatedBackend


class Vendor(NamedTuple):
    """A vendor's name and how to make its backend. Making it touches nothing yet."""

    name: str
    make: Callable[[], Backend]


def _nvidia() -> Backend:
    from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend  # noqa: PLC0415 - a simulated session needs no driver's library

    return NvmlBackend()


# The machines for looking around where there is no card: cards at work, and cards that nobody
# else uses, so that what the lab does to them is all there is to see.
MAKE_BELIEVE = "2xTitanRTX"
IDLE = "2xTitanRTX+idle"

# Waking a card takes up to three seconds.
OPENING_PATIENCE = 10.0

# In the order in which they are tried.
VENDORS: tuple[Vendor, ...] = (Vendor("NVIDIA", _nvidia),)


def first_that_answers(
    vendors: Sequence[Vendor] = VENDORS,
) -> tuple[Backend | None, list[Attempt]]:
    """An opened backend, or None; and why each one before it could not be used."""
    attempts = []
    for vendor in vendors:
        backend = vendor.make()
        # A driver that hangs at the very first call must not take the program with it.
        opening = Asked(backend.open, when_late=backend.close)
        try:
            if not opening.answered_within(OPENING_PATIENCE):
                raise Trouble(
                    "The driver has not answered for {seconds:.0f} seconds.",
                    "Restart the computer if this stays so; `dmesg` may say what the driver"
                    " waits for.",
                    seconds=OPENING_PATIENCE,
                )
            opening.result()
        except Trouble as trouble:
            attempts.append(Attempt(vendor.name, trouble.sentence, trouble.hint))
        else:
            return backend, attempts
    return None, attempts


def simulated(
    spec: str, faults: str = "", seed: int = 0, clock: Clock | None = None
) -> "SimulatedBackend":
    """An opened backend of make-believe cards. Raises Trouble for a text it does not know."""
    from gpuexplorer.simulation.faults import parse_faults  # noqa: PLC0415 - real sessions need none of it
    from gpuexplorer.simulation.specs import parse_machine  # noqa: PLC0415
    from gpuexplorer.telemetry.backends.simulated import SimulatedBackend  # noqa: PLC0415

    machine = parse_machine(spec, seed)
    ordered = parse_faults(faults, len(machine.cards))
    backend = SimulatedBackend(machine, ordered, clock, seed)
    backend.open()
    return backend
