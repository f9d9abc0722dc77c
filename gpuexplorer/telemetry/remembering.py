"""RememberingSession: a session that also keeps the past of its cards, for whoever draws it."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.clock import Clock
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.sampler import PATIENCE
from gpuexplorer.telemetry.session import Attempt, Session


class RememberingSession(Session):
    """Every sample goes into `past` as it comes. A command needs no past, and no numpy."""

    def __init__(
        self,
        backend: Backend,
        attempts: Sequence[Attempt] = (),
        interval: float = 1.0,
        clock: Clock | None = None,
        patience: float = PATIENCE,
        on_happening: Callable[[Happening], None] | None = None,
    ) -> None:
        self.past = History(interval)
        super().__init__(
            backend,
            attempts,
            interval,
            clock,
            patience,
            on_sample=self.past.append,
            on_happening=on_happening,
        )
