"""Who uses the cards of another machine: its processes by name, as they were told; and how one
of them is ended over there.
"""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.wire import AskRunning, Done, End, Running, Told
from gpuexplorer.telemetry.ending import Way
from gpuexplorer.telemetry.process_names import GONE, FarIdentity, NamedProcess
from gpuexplorer.telemetry.processes import CardProcess

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine

_ASKED_AGAIN_AFTER = 0.5
_MOST_FOLLOWED = 1024
_MOST_KNOWN = 16_384  # processes on all cards
_MOST_BYTES = 32 << 20  # of the lines that tell of them; kept, they take some times more


class _Told(NamedTuple):
    """Of one card."""

    by_pid: Mapping[int, NamedProcess]
    size: int


class FarNames:
    """As ProcessNames, by the newest that was told of each process. For any thread."""

    def __init__(self, far: "FarMachine") -> None:
        self._far = far
        self._told: dict[CardId, _Told] = {}  # replaced whole
        self._followed: OrderedDict[tuple[int, float], _Followed] = OrderedDict()

    @property
    def elsewhere(self) -> bool:
        hello = self._far.hello
        return hello is not None and hello.elsewhere

    def put(self, card: CardId, told: Sequence[NamedProcess] | None, size: int = 0) -> None:
        """`size`: bytes of its line. Not known either where all cards together have more than
        any computer runs, or say more of it than is kept.
        """
        kept = {each: known for each, known in self._told.items() if each != card}
        many = sum(len(each.by_pid) for each in kept.values()) + len(told or ())
        room = _MOST_BYTES - sum(each.size for each in kept.values())
        if told is not None and many <= _MOST_KNOWN and size <= room:
            kept[card] = _Told({each.process.pid: each for each in told}, size)
        self._told = kept

    def keep(self, cards: Set[CardId]) -> None:
        """Of other cards nothing is known any more."""
        self._told = {card: told for card, told in self._told.items() if card in cards}

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        """None where it is not known who uses it."""
        told = self._told.get(card)
        return None if told is None else [each.process for each in told.by_pid.values()]

    def name(self, processes: Sequence[CardProcess]) -> list[NamedProcess]:
        return [self.one(process) for process in processes]

    def one(self, process: CardProcess) -> NamedProcess:
        of_card = self._told.get(process.card)
        told = None if of_card is None else of_card.by_pid.get(process.pid)
        if told is None:
            return NamedProcess(process, resolved=False, reason=GONE)
        if not told.resolved or told.started_at is None:
            return replace(told, process=process)
        return replace(
            told, process=process, identity=self._follow(process.pid, told.started_at)
        )

    def forget_all_but(self, pids: Collection[int]) -> None:
        """What is told no more is forgotten anyway."""

    def _follow(self, pid: int, started_at: float) -> "_Followed":
        """What is known of its end is known to all that stand for it."""
        key = (pid, started_at)
        followed = self._followed.setdefault(key, _Followed(pid, started_at, self._far))
        self._followed.move_to_end(key)
        if len(self._followed) > _MOST_FOLLOWED:
            self._followed.popitem(last=False)
        return followed


@dataclass
class _Followed(FarIdentity):
    """One process over there: what was wished of it, and whether it runs still."""

    pid: int
    started_at: float
    far: "FarMachine" = field(compare=False, repr=False)
    ended: bool = field(default=False, compare=False)
    asked_at: float = field(default=float("-inf"), compare=False)
    refusal: Trouble | None = field(default=None, compare=False)

    def end(self, kill: bool) -> None:
        self.refusal = None
        order = End(0, self.pid, self.started_at, Way.KILL if kill else Way.ASK)
        self.far.asking.ask_later(order, self._on_wish_answered)

    def has_ended(self) -> bool:
        now = self.far.clock.now()
        if not self.ended and now - self.asked_at > _ASKED_AGAIN_AFTER:
            self.asked_at = now
            order = AskRunning(0, self.pid, self.started_at)
            self.far.asking.ask_later(order, self._on_look_answered)
        return self.ended

    def refused(self) -> Trouble | None:
        return self.refusal

    def _on_wish_answered(self, told: Told | None) -> None:
        if told is None:
            self.refusal = Trouble(
                "The connection broke, so it is not known whether process {pid} was told.",
                "Try again when there is a connection.",
                pid=self.pid,
            )
        elif isinstance(told, Done) and told.trouble:
            self.refusal = Trouble(told.trouble, told.hint)

    def _on_look_answered(self, told: Told | None) -> None:
        self.ended = self.ended or (isinstance(told, Running) and not told.running)
