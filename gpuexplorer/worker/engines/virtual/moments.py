"""Moment and Queue: what stands for events and streams on a simulated card's own time axis."""

from gpuexplorer.worker.engines.virtual.cards import Cards


class Moment:
    """torch.cuda.Event. Its time is modelled; a person's pauses between lines do not count."""

    def __init__(self, cards: Cards, *, timed: bool) -> None:
        self._cards = cards
        self._timed = timed
        self._card: int | None = None
        self._at: float | None = None

    def __repr__(self) -> str:
        return "<simulated torch.cuda.Event>"

    def record(self, stream: "Queue | None" = None) -> None:
        self._card = self._cards.current if stream is None else stream.card
        number = None if stream is None else stream.number
        self._cards.use(self._card)
        self._at = self._cards.moment(self._card, number)

    def query(self) -> bool:
        return self._at is None or self._at <= self._cards.now

    def synchronize(self) -> None:
        if self._at is not None and self._card is not None:
            self._cards.wait_until(self._at, self._card)

    def hold(self, queue: "Queue") -> None:
        """What is asked of the queue from now on begins when this has come."""
        if self._at is not None and self._card is not None:
            self._cards.queue_waits(queue.card, queue.number, self._at, self._card)

    def elapsed_time(self, end: "Moment") -> float:
        """Milliseconds, modelled."""
        if not (self._timed and end._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if self._card != end._card:
            raise ValueError(
                f"Events are not on the same device: cuda:{self._card} and cuda:{end._card}."
            )
        if not (self.query() and end.query()):
            raise ValueError("Both events must be completed before calculating elapsed time.")
        return (end._at - self._at) * 1000.0


class Queue:
    """torch.cuda.Stream: each has a time of its own; the card's engines are shared by all."""

    def __init__(self, cards: Cards, card: int, number: int) -> None:
        self._cards = cards
        self.card = card
        self.number = number

    def __repr__(self) -> str:
        return f"<simulated torch.cuda.Stream device=cuda:{self.card}>"

    def __enter__(self) -> "Queue":
        self._before = self._cards.current, self._cards.stream(self.card)
        self._cards.current = self.card
        self._cards.choose_stream(self.card, self.number)
        return self

    def __exit__(self, *_: object) -> None:
        self._cards.current, stream = self._before
        self._cards.choose_stream(self.card, stream)

    def synchronize(self) -> None:
        self._cards.synchronize(self.card, self.number)

    def query(self) -> bool:
        return self._cards.moment(self.card, self.number) <= self._cards.now

    def wait_stream(self, stream: "Queue") -> None:
        until = self._cards.moment(stream.card, stream.number)
        self._cards.queue_waits(self.card, self.number, until, stream.card)

    def wait_event(self, event: Moment) -> None:
        event.hold(self)


class CurrentCard:
    """torch.cuda.device as in `with torch.cuda.device(1):`."""

    def __init__(self, cards: Cards, card: int) -> None:
        self._cards = cards
        self._card = card

    def __enter__(self) -> None:
        self._before = self._cards.current
        self._cards.current = self._card

    def __exit__(self, *_: object) -> None:
        self._cards.current = self._before
