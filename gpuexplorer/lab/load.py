"""Load: tells simulated cards what the lab does to them, so that the plots answer."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gpuexplorer.lab.events import Event, Finished, Hello, Memory
from gpuexplorer.lab.wire import Command, Peek, Run, Train
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.occupied import Occupation

# As a driver counts: the share of its last sampling period in which a kernel ran.
_PERIOD = 0.25


class Load:
    """`elapsed` tells the seconds that the machine counts in. For one thread."""

    def __init__(self, machine: Machine, elapsed: Callable[[], float]) -> None:
        self._machine = machine
        self._elapsed = elapsed
        self._indices: dict[str, int] = {}
        self._held: dict[int, int] = {}

    def apply(self, event: Event) -> None:
        match event:
            case Hello(devices=devices):
                self._indices = {
                    each.name: int(each.uuid.removeprefix("SIM-"))
                    for each in devices
                    if each.uuid.startswith("SIM-")
                }
            case Finished():
                self._hold(event.memory)
                self._occupy(event)
            case _:
                pass

    def told(self, command: Command, lost: "tuple[str, ...]") -> Command:
        """With what its cards cannot know by themselves. `lost`: by PyTorch's names."""
        match command:
            case Run() | Train():
                return replace(command, others=self.others(), lost=lost)
            case Peek():
                return replace(command, lost=lost)
            case _:
                return command

    def others(self) -> "tuple[tuple[str, int], ...]":
        """What the cards' own programs hold now, by PyTorch's names of the cards."""
        now = self._elapsed()
        cards = self._machine.spec.cards
        return tuple(
            (
                name,
                self._machine.reading(index, now).memory_used
                + cards[index].model.memory.reserved_bytes
                - self._held.get(index, 0),
            )
            for name, index in self._indices.items()
        )

    def released(self) -> None:
        """The worker is gone: its memory with it."""
        for index, held in self._held.items():
            if held:
                self._machine.hold(index, self._elapsed(), -held)
        self._held.clear()

    def _hold(self, memory: "Sequence[Memory]") -> None:
        for each in memory:
            index = self._indices.get(each.device)
            if index is None:
                continue
            held = (each.reserved_bytes or 0) + (each.context_bytes or 0)
            more = held - self._held.get(index, 0)
            if more:
                self._machine.hold(index, self._elapsed(), more)
                self._held[index] = held

    def _occupy(self, finished: Finished) -> None:
        now = self._elapsed()
        for device, seconds in finished.busy:
            index = self._indices.get(device)
            if index is None or seconds <= 0:
                continue
            length = max(seconds, _PERIOD)
            self._machine.occupy(index, Occupation(now, now + length, seconds / length))
