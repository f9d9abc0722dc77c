"""Streams and events on a simulated card's own axis of time."""

from typing import Any

import torch

from gpuexplorer.worker.engines.virtual.devices import Device, number_of
from gpuexplorer.worker.engines.virtual.holdings import in_force, in_modelled_time


# Any throughout: devices are whatever PyTorch takes.
class Event:
    """torch.cuda.Event. Its time is modelled; a person's pauses between cells do not count."""

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        del blocking, interprocess
        self._timed = enable_timing
        self._card: int | None = None
        self._at: float | None = None

    def __repr__(self) -> str:
        return "<simulated torch.cuda.Event>"

    @property
    def device(self) -> "torch.device | None":
        return None if self._card is None else Device("cuda", self._card)

    @in_modelled_time
    def record(self, stream: "Stream | None" = None) -> None:
        cards = in_force().cards
        self._card = cards.current if stream is None else stream.card
        number = None if stream is None else stream.stream_id
        with cards.lock:
            cards.use(self._card)
            self._at = cards.moment(self._card, number)

    @in_modelled_time
    def query(self) -> bool:
        return self._at is None or in_force().cards.has_come(self._at)

    @in_modelled_time
    def synchronize(self) -> None:
        if self._at is not None and self._card is not None:
            with in_force().cards.lock:
                in_force().cards.wait_until(self._at, self._card)

    @in_modelled_time
    def wait(self, stream: "Stream | None" = None) -> None:
        """What is asked of the stream from now on begins when this has come."""
        stream = torch.cuda.current_stream() if stream is None else stream
        assert isinstance(stream, Stream)
        if self._at is not None and self._card is not None:
            with in_force().cards.lock:
                in_force().cards.queue_waits(
                    stream.card, stream.stream_id, self._at, self._card
                )

    def elapsed_time(self, end_event: "Event") -> float:
        """Milliseconds, modelled."""
        end = end_event
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


class Stream:
    """torch.cuda.Stream: each has a time of its own; the card's engines are shared by all."""

    def __init__(
        self,
        device: Any = None,
        priority: int = 0,
        stream_id: "int | None" = None,
        device_index: "int | None" = None,
        device_type: int = 1,
    ) -> None:
        cards = in_force().cards
        self.card = number_of(device) if device_index is None else device_index
        self.stream_id = cards.new_stream() if stream_id is None else stream_id
        self.priority, self.device_type = priority, device_type
        self.device_index, self.cuda_stream = self.card, self.stream_id

    @property
    def device(self) -> torch.device:
        return Device("cuda", self.card)

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device=cuda:{self.card} cuda_stream={self.stream_id:#x}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.card, self.stream_id) == (
            other.card,
            other.stream_id,
        )

    def __hash__(self) -> int:
        return hash((self.card, self.stream_id))

    def __enter__(self) -> "Stream":
        cards = in_force().cards
        self._before = cards.current, cards.stream(self.card)
        cards.current = self.card
        cards.choose_stream(self.card, self.stream_id)
        return self

    def __exit__(self, *_: object) -> None:
        cards = in_force().cards
        cards.current, stream = self._before
        cards.choose_stream(self.card, stream)

    @in_modelled_time
    def synchronize(self) -> None:
        with in_force().cards.lock:
            in_force().cards.synchronize(self.card, self.stream_id)

    @in_modelled_time
    def query(self) -> bool:
        cards = in_force().cards
        return cards.has_come(cards.moment(self.card, self.stream_id))

    @in_modelled_time
    def wait_stream(self, stream: "Stream") -> None:
        cards = in_force().cards
        with cards.lock:
            until = cards.moment(stream.card, stream.stream_id)
            cards.queue_waits(self.card, self.stream_id, until, stream.card)

    def wait_event(self, event: Event) -> None:
        event.wait(self)

    def record_event(self, event: "Event | None" = None) -> Event:
        event = Event() if event is None else event
        event.record(self)
        return event

    def is_capturing(self) -> bool:
        return False


for _each in (Event, Stream):
    _each.__module__ = "torch.cuda"
