"""Far machines: how one is asked for, remembered, and made with the session that reads it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.remote.link import LinkNow
from gpuexplorer.remote.ssh import Launch, host_name
from gpuexplorer.telemetry.session import Session, remembering

if TYPE_CHECKING:
    from gpuexplorer.remote.machine import FarMachine
    from gpuexplorer.remote.ssh import Asking

_KEPT = "machines"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A machine as a person asked for it; what `simulate` holds is of this run only."""

    host: str
    python: str = ""
    simulate: str | None = None
    faults: str = ""
    seed: int = 0
    remember: bool = False


class Far(Protocol):
    """What is needed of a FarMachine. Its threads call `on_change`."""

    @property
    def now(self) -> LinkNow: ...
    @property
    def lost_at(self) -> float | None:
        """Since then there is no connection; None while there is one, and at the first try."""
        ...

    @property
    def hello(self) -> object | None:
        """Not None once it has answered, so that a session can be made of it."""
        ...

    def connect(self) -> None: ...
    def retry_now(self) -> None: ...
    def stop(self) -> object: ...


class Reached(NamedTuple):
    """A machine that can be connected to, and what makes its session once it has answered."""

    far: Far
    session: Callable[[], Session]


# Raises Trouble for what is no name of a machine.
Connect = Callable[[Wanted, Callable[[], None], "Asking"], Reached]


def reach(
    settings: Settings,
    bridge: Bridge,
    launch: Launch | None,
    wanted: Wanted,
    on_change: Callable[[], None],
    asking: "Asking",
) -> Reached:
    """`launch` runs commands over there, where not ssh does."""
    from gpuexplorer.remote.machine import FarMachine  # noqa: PLC0415 - rarely needed

    far = FarMachine(
        host_name(wanted.host),
        python=wanted.python,
        simulate=wanted.simulate,
        faults=wanted.faults,
        seed=wanted.seed,
        launch=launch,
        asking=asking,
        on_change=on_change,
    )
    return Reached(far, partial(_session_of, far, settings, bridge))


def kept_machines(settings: Settings) -> Sequence[Wanted]:
    """Those of last time."""
    try:
        kept = json.loads(settings.remembered(_KEPT) or "[]")
        return [Wanted(str(each["host"]), str(each["python"]), remember=True) for each in kept]
    except (ValueError, TypeError, KeyError):
        return []  # somebody else wrote there


def keep_machines(settings: Settings, machines: Sequence[Wanted]) -> None:
    kept = [{"host": each.host, "python": each.python} for each in machines if each.remember]
    written = json.dumps(kept)
    if written != (settings.remembered(_KEPT) or "[]"):
        settings.remember(_KEPT, written)
        settings.flush()


def _session_of(far: "FarMachine", settings: Settings, bridge: Bridge) -> Session:
    choices = settings.choices
    session = Session(far.stream, choices.interval)
    session.attach(bridge.post_happening)
    return remembering(session, choices.full_seconds, choices.day_seconds)
