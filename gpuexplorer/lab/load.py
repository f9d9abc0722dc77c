"""Load: tells simulated cards what the lab does to them, so that the plots answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.lab.events import Event, Failed, Finished, Hello, Memory, Transferred
from gpuexplorer.lab.wire import Command, Peek, Run, Train
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.occupied import Occupation

# As a driver counts: the share of its last sampling period in which a kernel ran.
_PERIOD = 0.25
# As who reads the counter of a wire: what went over it, until it is read the next time.
_READ_EVERY = 2.0


class Load:
    """`elapsed` tells the seconds that the machine counts in. For one thread."""

    def __init__(self, machine: Machine, elapsed: Callable[[], float]) -> None:
        self._machine = machine
        self._elapsed = elapsed
        self._indices: dict[str, int] = {}
        self._held: dict[int, int] = {}
        self._moved: dict[int, _Bytes] = {}  # by the line that runs now

    def apply(self, event: Event) -> None:
        match event:
            case Hello(devices=devices):
                self._indices = {
                    each.name: int(each.uuid.removeprefix("SIM-"))
                    for each in devices
                    if each.uuid.startswith("SIM-")
                }
            case Transferred():
                self._move(event)
            case Finished():
                self._hold(event.memory)
                self._occupy(event)
                self._tell_moved()
            case Failed():
                self._tell_moved()
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
        self._moved.clear()

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

    def _move(self, event: Transferred) -> None:
        if event.already_there:
            return
        source, target = (self._indices.get(each) for each in (event.source, event.target))
        linked = (
            source is not None
            and target is not None
            and target in self._machine.wiring.peers(source)
            and event.direct is not False
        )
        if source is not None:
            self._moved.setdefault(source, _Bytes()).sent(event.bytes, linked=linked)
        if target is not None:
            self._moved.setdefault(target, _Bytes()).received(event.bytes, linked=linked)

    def _tell_moved(self) -> None:
        """Once for each line: a loop of thousands of copies is one stretch of traffic."""
        now = self._elapsed()
        for index, moved in self._moved.items():
            self._machine.occupy(
                index,
                Occupation(
                    now,
                    now + _READ_EVERY,
                    pcie_receive=moved.pcie_in / _READ_EVERY,
                    pcie_transmit=moved.pcie_out / _READ_EVERY,
                    nvlink_receive=moved.nvlink_in / _READ_EVERY,
                    nvlink_transmit=moved.nvlink_out / _READ_EVERY,
                ),
            )
        self._moved.clear()


@dataclass(slots=True)
class _Bytes:
    """What went over the wires of one card."""

    pcie_in: int = 0
    pcie_out: int = 0
    nvlink_in: int = 0
    nvlink_out: int = 0

    def sent(self, count: int, *, linked: bool) -> None:
        if linked:
            self.nvlink_out += count
        else:
            self.pcie_out += count

    def received(self, count: int, *, linked: bool) -> None:
        if linked:
            self.nvlink_in += count
        else:
            self.pcie_in += count
