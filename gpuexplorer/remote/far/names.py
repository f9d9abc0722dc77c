"""Who uses the cards of another machine: its processes by name, as they were told; and how one
of them is ended over there.
"""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.far.awaited import Answered
from gpuexplorer.remote.wire import AskRunning, Done, End, Facts, Question, Running, Told
from gpuexplorer.telemetry.ending import Way
from gpuexplorer.telemetry.process_names import GONE, Ancestor, FarIdentity, NamedProcess
from gpuexplorer.telemetry.processes import CardProcess

_ASKED_AGAIN_AFTER = 0.5
_MOST_FOLLOWED = 1024
_MOST_KNOWN = 16_384  # processes on all cards
_MOST_BYTES = 32 << 20  # of the lines that tell of them; kept, they take some times more


class Asking(Protocol):
    """The machine, as far as it is needed here."""

    @property
    def clock(self) -> Clock: ...
    def ask_later(self, order: Question, answered: Answered) -> int: ...


class Known:
    """The newest that was told of each process, and of the machine itself. For any thread."""

    def __init__(self, far: Asking) -> None:
        self._far = far
        self._facts: dict[CardId, Mapping[int, Facts]] = {}
        self._sizes: dict[CardId, int] = {}
        self._followed: OrderedDict[tuple[int, float], _Followed] = OrderedDict()
        self.host: Sample | None = None
        self.elsewhere = False

    def put(self, card: CardId, told: Sequence[Facts], size: int = 0) -> bool:
        """`size`: bytes of its line. False where all cards together have more than any
        computer runs, or say more of it than is kept.
        """
        self._facts[card], self._sizes[card] = {}, 0
        many = sum(map(len, self._facts.values())) + len(told)
        fits = many <= _MOST_KNOWN and sum(self._sizes.values()) + size <= _MOST_BYTES
        if fits:
            self._facts[card] = {each.process.pid: each for each in told}
            self._sizes[card] = size
        return fits

    def forget_all_but(self, cards: Set[CardId]) -> None:
        self._facts = {card: told for card, told in self._facts.items() if card in cards}
        self._sizes = {card: size for card, size in self._sizes.items() if card in cards}

    def named(self, process: CardProcess) -> NamedProcess:
        facts = self._facts.get(process.card, {}).get(process.pid)
        if facts is None:
            return NamedProcess(process, resolved=False, reason=GONE)
        identity = None
        if facts.resolved and facts.started_at is not None:
            key = (process.pid, facts.started_at)
            identity = _Identity(*key, self._follow(key))
        return NamedProcess(
            process,
            facts.resolved,
            facts.reason,
            facts.user,
            facts.command,
            facts.cpu,
            facts.memory_bytes,
            facts.started_at,
            facts.container,
            facts.ours,
            facts.of_this_user,
            tuple(Ancestor(pid, command) for pid, command in facts.ancestors),
            identity,
            facts.ended,
            facts.elsewhere,
        )

    def _follow(self, key: tuple[int, float]) -> "_Followed":
        """What is known of its end is known to all that stand for it."""
        followed = self._followed.setdefault(key, _Followed(self._far, *key))
        self._followed.move_to_end(key)
        if len(self._followed) > _MOST_FOLLOWED:
            self._followed.popitem(last=False)
        return followed


class FarNames:
    """As ProcessNames, and looks nothing up on this computer."""

    def __init__(self, known: Known) -> None:
        self._known = known

    @property
    def elsewhere(self) -> bool:
        return self._known.elsewhere

    def name(self, processes: Sequence[CardProcess]) -> list[NamedProcess]:
        return [self.one(process) for process in processes]

    def one(self, process: CardProcess) -> NamedProcess:
        return self._known.named(process)

    def forget_all_but(self, pids: Collection[int]) -> None:
        """What is told no more is forgotten anyway."""


@dataclass(frozen=True)
class _Identity(FarIdentity):
    pid: int
    started_at: float
    followed: "_Followed" = field(compare=False, repr=False)

    def end(self, kill: bool) -> None:
        self.followed.end(kill)

    def has_ended(self) -> bool:
        return self.followed.has_ended()

    def refused(self) -> Trouble | None:
        return self.followed.refusal


class _Followed:
    """One process over there: what was wished of it, and whether it runs still."""

    def __init__(self, far: Asking, pid: int, started_at: float) -> None:
        self._far, self._pid, self._started_at = far, pid, started_at
        self._ended = False
        self._asked_at = float("-inf")
        self.refusal: Trouble | None = None

    def end(self, kill: bool) -> None:
        self.refusal = None
        way = Way.KILL if kill else Way.ASK
        self._far.ask_later(End(0, self._pid, self._started_at, way), self._on_wish_answered)

    def has_ended(self) -> bool:
        now = self._far.clock.now()
        if not self._ended and now - self._asked_at > _ASKED_AGAIN_AFTER:
            self._asked_at = now
            self._far.ask_later(
                AskRunning(0, self._pid, self._started_at), self._on_look_answered
            )
        return self._ended

    def _on_wish_answered(self, told: Told | None) -> None:
        if told is None:
            self.refusal = Trouble(
                "The connection broke, so it is not known whether process {pid} was told.",
                "Try again when there is a connection.",
                pid=self._pid,
            )
        elif isinstance(told, Done) and told.trouble:
            self.refusal = Trouble(told.trouble, told.hint)

    def _on_look_answered(self, told: Told | None) -> None:
        self._ended = self._ended or (isinstance(told, Running) and not told.running)
