"""SessionMaker: sessions of this computer, as the settings want them."""

from collections.abc import Sequence

from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.backend import Backend, NoCards
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.simulated_past import PastClock, live_through
from gpuexplorer.telemetry.sources import simulated


class SessionMaker:
    """`past`: simulated cards have lived through so many seconds when they are first seen."""

    def __init__(
        self, settings: Settings, bridge: Bridge, always_on: AlwaysOn, past: float | None
    ) -> None:
        self._settings, self._bridge, self._always_on = settings, bridge, always_on
        self._past = past

    def simulated(
        self, spec: str, faults: str = "", seed: int = 0, attempts: Sequence[Attempt] = ()
    ) -> Session:
        if self._past is None:
            return self.reading(simulated(spec, faults, seed), attempts)
        clock = PastClock(self._past)
        session = self.reading(simulated(spec, faults, seed, clock), attempts, clock)
        assert isinstance(session.stream, Local)
        live_through(session.stream, clock)
        return session

    def bare(self) -> Session:
        """Reads the computer alone, where no card answers."""
        return self.reading(NoCards())

    def reading(
        self,
        backend: Backend,
        attempts: Sequence[Attempt] = (),
        clock: PastClock | None = None,
    ) -> Session:
        choices = self._settings.choices
        session = session_on(backend, attempts, choices.interval, clock)
        if clock is None:  # what happened in a past that was not waited for is no news
            session.attach(self._bridge.post_happening)
        remembering(session, choices.full_seconds, choices.day_seconds)
        self._always_on.join(session)
        return session
