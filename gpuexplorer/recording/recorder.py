"""Recorder: writes what a session says into a file, in a thread of its own and in batches."""

from collections.abc import Callable, Sequence
from pathlib import Path

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.told import Machine, Topic
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.topology import Topology


class Recorder:
    """`put…` is for any thread and never waits; times are those of the session's clock.

    What cannot be written ends it, with a sentence in `trouble`; the file keeps what it has.
    """

    def __init__(
        self,
        path: Path,
        machine: Machine,
        clock: Clock,
        *,
        anonymous: bool = False,
        on_trouble: Callable[[Trouble], None] = lambda _: None,
    ) -> None:
        """Makes the file. Raises Trouble where it is there already, or cannot be made."""
        raise NotImplementedError

    @property
    def trouble(self) -> Trouble | None:
        """Why it ended by itself."""
        raise NotImplementedError

    @property
    def seconds(self) -> float:
        """For how long it has recorded."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Bytes on the disk, as of the last batch."""
        raise NotImplementedError

    def start(self) -> None:
        raise NotImplementedError

    def stop(self, seconds: float = 2.0) -> bool:
        """Writes what is left and ends the run; False where the disk keeps it waiting."""
        raise NotImplementedError

    def write_now(self) -> None:
        """The batch that waits, in this very thread; instead of `start`, for tests."""
        raise NotImplementedError

    def put(self, sample: Sample) -> None:
        """Of a card or of the host."""
        raise NotImplementedError

    def put_processes(self, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        """Who uses the card as of a look; None where nobody can tell."""
        raise NotImplementedError

    def put_happening(self, happening: Happening) -> None:
        raise NotImplementedError

    def put_cards(self, cards: Sequence[Card]) -> None:
        """Those that are listed from now on; kept where they are others than before."""
        raise NotImplementedError

    def put_topology(self, topology: Topology) -> None:
        raise NotImplementedError

    def put_said(self, what: Topic, text: str) -> None:
        """A line of JSON from lab or copies."""
        raise NotImplementedError
