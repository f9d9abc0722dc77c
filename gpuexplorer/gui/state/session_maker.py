"""SessionMaker: sessions of this computer, as the settings want them."""

from collections.abc import Sequence

from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.remembering import RememberingSession
from gpuexplorer.telemetry.session import Attempt
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
    ) -> RememberingSession:
        if self._past is None:
            return self.reading(simulated(spec, faults, seed), attempts)
        clock = PastClock(self._past)
        session = self.reading(simulated(spec, faults, seed, clock), attempts, clock)
        live_through(session, clock)
        return session

    def bare(self) -> RememberingSession:
        """Reads the computer alone, where no card answers."""
        return self.reading(NoCards())

    def reading(
        self,
        backend: Backend,
        attempts: Sequence[Attempt] = (),
        clock: PastClock | None = None,
    ) -> RememberingSession:
        choices = self._settings.choices
        session = RememberingSession(
            backend,
            attempts,
            choices.interval,
            clock,
            # What happened in a past that was not waited for is no news.
            on_happening=self._bridge.post_happening if clock is None else None,
            full_seconds=choices.full_seconds,
            day_seconds=choices.day_seconds,
        )
        self._always_on.join(session)
        return session
