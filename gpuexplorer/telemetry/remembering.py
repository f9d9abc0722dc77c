"""RememberingSession: a session that also keeps the past, its cards' and the computer's own."""

from collections.abc import Callable, Sequence

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.process_book import BookRow, ProcessBook
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.reach import THIS_COMPUTER, Names, Reach
from gpuexplorer.telemetry.sampler import PATIENCE
from gpuexplorer.telemetry.session import Attempt, Session
from gpuexplorer.telemetry.trace import Past


class RememberingSession(Session):
    """Every sample goes into `past` as it comes, and every process into the book, with its
    name. A command needs neither, and no numpy.
    """

    def __init__(
        self,
        backend: Backend,
        attempts: Sequence[Attempt] = (),
        interval: float = 1.0,
        clock: Clock | None = None,
        patience: float = PATIENCE,
        on_happening: Callable[[Happening], None] | None = None,
        full_seconds: float = 3600.0,
        day_seconds: float = 86400.0,
        names: Names | None = None,
        reach: Reach = THIS_COMPUTER,
    ) -> None:
        clock = clock or SystemClock()
        self.history = History(interval, full_seconds, day_seconds)
        self.past: Past = self.history  # an opened recording has another
        self._listeners: tuple[Callable[[Sample], None], ...] = (self.history.append,)
        self.process_book = ProcessBook(clock, names or reach.names())
        super().__init__(
            backend,
            attempts,
            interval,
            clock,
            patience,
            on_sample=self._hand_on,
            on_happening=on_happening,
            on_processes=self.process_book.take,
            on_host=self.history.append,
            reach=reach,
        )

    def listen(self, on_sample: Callable[[Sample], None]) -> None:
        """From now on this hears every sample too, from the sampler's threads."""
        self._listeners = (*self._listeners, on_sample)

    def stop_listening(self, on_sample: Callable[[Sample], None]) -> None:
        self._listeners = tuple(each for each in self._listeners if each != on_sample)

    def named_processes(self) -> Sequence[NamedProcess]:
        """Who uses a card as of the last look. Never waits; the very same object until
        something changes, as long as no card went.
        """
        living, there = self.process_book.living(), self._ids()
        if all(named.process.card in there for named in living):
            return living
        return [named for named in living if named.process.card in there]

    def process_rows(self) -> Sequence[BookRow]:
        """The same, and also who ended a moment ago or is not told of just now."""
        rows, there = self.process_book.rows(), self._ids()
        if all(row.named.process.card in there for row in rows):
            return rows
        return [row for row in rows if row.named.process.card in there]

    def _command(self, process: CardProcess) -> str | None:
        return self.process_book.command(process.card, process.pid)

    def _hand_on(self, sample: Sample) -> None:
        for listener in self._listeners:
            listener(sample)

    def _ids(self) -> frozenset[CardId]:
        return frozenset(card.id for card in self.cards())
