"""What a card does: its own round of work, which repeats and is the same for one seed, what the
lab adds to it, and the power, heat and energy that follow, at any instant and in closed form.
"""

import math
import threading
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from random import Random
from typing import NamedTuple

from gpuexplorer.simulation.models import MIB, CardModel
from gpuexplorer.simulation.specs import BOARD_CARDS, MachineSpec

_ROOM_CELSIUS = 27.0
_LIMIT_LEVEL = 0.985  # from here on the power limit holds the card back
_HOUR = 3600.0
_HEAD_START_SECONDS = 12.0  # of training, so that a new machine is seen at work at once
# Seconds back from the newest work. Nobody asks for what was earlier; what is laid anew then,
# its sums do not change any more.
_KEPT = 600.0
_MOST_HOLDINGS = 2000
_WAVES = ((0.6, 2.3), (0.3, 7.1), (0.1, 23.0))  # weight, and seconds of each


class Phase(NamedTuple):
    """A stretch of even work. `level` is 0 at rest and 1 at all that the card can do."""

    seconds: float
    level: float = 0.0
    feed: float = 0.0  # share of what PCIe can carry
    exchange: float = 0.0  # share of what NVLink can carry
    choked: bool = False  # the air around the card is too warm


class Job(NamedTuple):
    """A program that uses the card from `begin` to `end` of each round."""

    command: str
    user: str
    begin: float
    end: float
    memory_bytes: float
    ramp: float = 0.0  # seconds in which its memory grows to that
    weight: float = 1.0  # its part of the work, beside the other jobs' weights
    graphics: bool = False

    @property
    def lasting(self) -> bool:
        """It outlives the round."""
        return math.isinf(self.end)

    def memory_at(self, second: float) -> int:
        """Drivers hand memory out in pages of 2 MiB."""
        grown = min(1.0, (second - self.begin) / self.ramp) if self.ramp else 1.0
        return int(self.memory_bytes * (0.1 + 0.9 * grown)) // (2 * MIB) * (2 * MIB)


class Work(NamedTuple):
    """One card's round of work, and how far into it the machine starts."""

    phases: list[Phase]
    jobs: list[Job]
    offset: float
    decodes: bool = False


# Of cards that work in bursts: how many in a round, and seconds of rest and of work.
_BURSTS = {
    "serving": ((14, 20), (3.0, 14.0), (3.0, 12.0)),
    "resting": ((3, 5), (50.0, 120.0), (4.0, 18.0)),
}


def work_of(spec: MachineSpec, index: int, seed: int) -> Work:
    """Cards of one board that train do so together, as one program on several cards."""
    slot = spec.cards[index]
    model = slot.model
    if slot.idle:
        return Work([Phase(_HOUR)], [], 0.0)
    roles = ["training", "serving", "resting"]
    Random(f"{seed}/{index // 4}/roles").shuffle(roles)
    role = ("training", *roles)[index % 4]
    own = Random(f"{seed}/{index}")
    if role == "training":
        phases = _training(Random(f"{seed}/{index // BOARD_CARDS}/training"), own)
        offset = phases[0].seconds + phases[1].seconds + _HEAD_START_SECONDS
        if model.fans and index % 4 == 1:
            phases[4] = Phase(70.0, 0.86, feed=0.03, exchange=0.2, choked=True)
    else:
        counts, calm, busy = _BURSTS[role]
        count = own.randint(*counts)
        phases = [Phase(own.uniform(15.0, 30.0))]
        for _ in range(count):
            phases.append(Phase(own.uniform(*busy), own.uniform(0.3, 0.92), feed=0.12))
            phases.append(Phase(own.uniform(*calm)))
        offset = own.uniform(0.0, 60.0)
    usable, lasting = model.usable_bytes, math.inf
    notebook, held = "python -m ipykernel_launcher -f kernel.json", own.uniform(0.02, 0.04)
    jobs = [Job(notebook, "ada", 0.0, lasting, held * usable, weight=0.05)]
    if draws(spec, index):
        xorg, held = "/usr/lib/xorg/Xorg :0", own.uniform(90.0, 200.0) * MIB
        jobs.append(Job(xorg, "root", 0.0, lasting, held, weight=0.02, graphics=True))
    edges = [0.0, *accumulate(phase.seconds for phase in phases)]
    main = own.uniform(0.45, 0.72) * usable
    if role == "training":
        rests = [at for at, phase in enumerate(phases) if phase.level == 0.0]
        first, second, last = edges[rests[1]], edges[rests[1] + 1], edges[rests[2]]
        evaluate, few = "python evaluate.py --split dev", 0.06 * usable
        jobs += [
            Job("python train.py --model gpt2-xl", "grace", edges[1], first, main, 10.0),
            Job(evaluate, "grace", 0.6 * first, first - 2.0, few, 3.0, 0.15),
            Job("python finetune.py --lora", "ada", second, last, main / 2, 6.0),
        ]
    elif role == "serving":
        jobs.append(Job("python serve.py --port 8000", "api", 10.0, edges[-1] - 2.0, main, 5.0))
    else:
        half = edges[len(edges) // 2]
        jobs.append(Job("python inference.py photos/", "alan", 12.0, half, main / 2, 4.0))
    return Work(phases, jobs, offset, decodes=role == "serving")


def draws(spec: MachineSpec, index: int) -> bool:
    """The first card that is made for it has the display."""
    return [slot.model.display for slot in spec.cards[: index + 1]] == [False] * index + [True]


def _training(story: Random, own: Random) -> list[Phase]:
    """Rest, load, then train and look back by turns; later a shorter second run."""
    phases = [Phase(story.uniform(15.0, 40.0))]
    for runs in (story.randint(3, 5), story.randint(1, 2)):
        phases.append(Phase(story.uniform(8.0, 18.0), level=0.08, feed=0.6))
        for run in range(runs):
            at_limit = run % 2 == 0
            level = 1.0 if at_limit else story.uniform(0.78, 0.94) - own.uniform(0, 0.03)
            phases.append(Phase(story.uniform(35.0, 75.0), level, 0.03, 0.24 * level))
            phases.append(Phase(story.uniform(4.0, 10.0), story.uniform(0.25, 0.45), 0.01))
        phases.append(Phase(story.uniform(12.0, 30.0)))
    return phases


@dataclass(frozen=True, slots=True)
class Occupation:
    """Work from `start` to `end`; bytes per second are what it moves over the card's wires."""

    start: float
    end: float
    busy: float = 0.0  # 0 to 1
    pcie_receive: float = 0.0
    pcie_transmit: float = 0.0
    nvlink_receive: float = 0.0
    nvlink_transmit: float = 0.0

    def moved(self, seconds: float) -> "Occupation":
        return replace(self, start=self.start + seconds, end=self.end + seconds)


_WIRES = ("pcie_receive", "pcie_transmit", "nvlink_receive", "nvlink_transmit")
Traffic = tuple[float, ...]  # bytes per second over each of them
QUIET: Traffic = (0.0,) * len(_WIRES)


class Moment(NamedTuple):
    """The card at one instant; energy and seconds count from the first round."""

    round: int
    second: float  # of the round
    phase: Phase
    level: float  # of its own work and of what was added
    wave: float  # -1 to 1: how its work swings
    power: float
    energy: float
    temperature: float
    seconds_at_limit: float
    seconds_warm: float
    traffic: Traffic


class _Sums(NamedTuple):
    energy: float = 0.0
    heat: float = 0.0
    at_limit: float = 0.0


class _Stretch(NamedTuple):
    """Even work. Of what is added: the difference that it makes to the card's own."""

    start: float
    end: float
    level: float
    watts: float
    settles: float  # degrees that it comes to in the end
    limited: bool
    before: _Sums
    traffic: Traffic = QUIET

    def after(self, t: float, lag: float) -> _Sums:
        """Of what was added a card cools down."""
        seconds, (energy, heat, at_limit) = min(t, self.end) - self.start, self.before
        heat = self.settles + (heat - self.settles) * math.exp(-seconds / lag)
        heat *= math.exp(min(0.0, self.end - t) / lag)
        at_limit += seconds if self.limited else 0.0
        return _Sums(energy + self.watts * seconds, heat, at_limit)


def is_at_limit(level: float) -> bool:
    return level >= _LIMIT_LEVEL


class Course:
    """One card's. Any thread may add and ask; what is added changes no earlier instant."""

    def __init__(self, model: CardModel, work: Work, own: Random) -> None:
        self._model, self._work = model, work
        self._lag = own.uniform(25.0, 40.0)  # seconds in which heat follows power
        self._room = _ROOM_CELSIUS + own.uniform(0.0, 4.0)
        self._warming = (model.heat_full - self._room) / model.power_limit  # degrees per watt
        self._waves = [(weight, math.tau / e, own.uniform(0, 6.28)) for weight, e in _WAVES]
        # After many rounds each ends as warm as it began; heat is linear, so two runs tell.
        cold = self._run_round(0.0)[-1]
        kept = math.exp(-cold.end / self._lag)
        self._round = self._run_round(cold.after(cold.end, self._lag).heat / (1.0 - kept))
        self._begins, self._period = [each.start for each in self._round], cold.end
        warm = (self._seconds_warm(each, each.end) for each in self._round)
        self._warm = [*accumulate(warm, initial=0.0)]
        self._lock = threading.Lock()
        self._occupations: list[Occupation] = []
        self._added: list[_Stretch] = []
        self._settled = -math.inf  # what lies before is forgotten, but for its sums
        self._held = [(-math.inf, 0)]

    def occupy(self, occupation: Occupation) -> None:
        if not -math.inf < occupation.start < occupation.end < math.inf:
            raise ValueError("An occupation ends after it starts.")
        with self._lock:
            self._occupations.append(occupation)
            self._lay_anew(max(occupation.start, self._settled))
            first = bisect_right(self._added, occupation.start - _KEPT, key=_start) - 1
            if first > 0:
                del self._added[:first]
                self._settled = self._added[0].end
                self._occupations = [o for o in self._occupations if o.end > self._settled]

    def hold(self, at: float, memory_bytes: int) -> None:
        with self._lock:
            last, held = self._held[-1]
            self._held.append((max(at, last), held + memory_bytes))
            del self._held[1:-_MOST_HOLDINGS]

    def held(self, t: float) -> int:
        with self._lock:
            return max(0, self._held[bisect_right(self._held, (t, math.inf)) - 1][1])

    def at(self, t: float) -> Moment:
        number, second, index = self._place(t)
        own, whole, phase = self._round[index], self._round[-1], self._work.phases[index]
        energy, heat, at_limit = own.after(second, self._lag)
        round_ = whole.after(whole.end, self._lag)
        level, temperature, traffic = phase.level, heat, QUIET
        with self._lock:
            last = bisect_right(self._added, t, key=_start) - 1
            added = self._added[last] if last >= 0 else None
        if added is not None:
            more = added.after(t, self._lag)
            energy, at_limit = energy + more.energy, at_limit + more.at_limit
            # Cooling is built for the power limit: added work alone makes no card too warm.
            temperature = min(heat + more.heat, max(heat, self._model.heat_target - 1.0))
            if t < added.end:
                level, traffic = added.level, added.traffic
        wave = sum(weight * math.sin(speed * t + shift) for weight, speed, shift in self._waves)
        watts, swing = self._draw(level)
        return Moment(
            number,
            second,
            phase,
            level,
            wave,
            watts + swing * wave,
            number * round_.energy + energy,
            temperature,
            number * round_.at_limit + at_limit,
            number * self._warm[-1] + self._warm[index] + self._seconds_warm(own, second),
            traffic,
        )

    def _place(self, t: float) -> tuple[int, float, int]:
        """The round, its second, and which of its phases that is in."""
        number, second = divmod(t + self._work.offset, self._period)
        return int(number), second, bisect_right(self._begins, second) - 1

    def _draw(self, level: float) -> tuple[float, float]:
        """Watts, and how far they swing. Below the power limit a gap is left, so that being at
        it is a clear matter.
        """
        idle, limit = self._model.power_idle, self._model.power_limit
        if level <= 0.0:
            return idle, 0.01 * idle
        if is_at_limit(level):
            return 0.995 * limit, 0.004 * limit
        return idle + (0.96 * limit - idle) * level, 0.02 * limit * level

    def _run_round(self, heat: float) -> list[_Stretch]:
        found, begin, sums = [], 0.0, _Sums(heat=heat)
        for phase in self._work.phases:
            watts, end = self._draw(phase.level)[0], begin + phase.seconds
            settles = self._room + self._warming * watts
            if phase.choked:
                settles = self._model.heat_slowdown - 1.0
            limited = is_at_limit(phase.level)
            found.append(_Stretch(begin, end, phase.level, watts, settles, limited, sums))
            begin, sums = end, found[-1].after(end, self._lag)
        return found

    def _seconds_warm(self, stretch: _Stretch, until: float) -> float:
        """How much of it up to then the card spends at its target or above."""
        target, seconds = self._model.heat_target, until - stretch.start
        before, after = stretch.before.heat - target, stretch.settles - target
        if before < 0.0 and after <= 0.0:
            return 0.0
        if before >= 0.0 and after >= 0.0:
            return seconds
        crosses = self._lag * math.log((after - before) / after)
        return max(0.0, seconds - crosses) if before < 0.0 else min(seconds, crosses)

    def _lay_anew(self, since: float) -> None:
        """From the stretch that holds `since`: earlier ones cannot change."""
        while self._added and self._added[-1].end > since:
            since = min(since, self._added.pop().start)
        live = [occupation for occupation in self._occupations if occupation.end > since]
        edges = sorted({max(since, o.start) for o in live} | {o.end for o in live})
        for begin, end in pairwise(edges):
            if here := [o for o in live if o.start <= begin < o.end]:
                self._lay(begin, end, here)

    def _lay(self, begin: float, end: float, here: list[Occupation]) -> None:
        """A card that is asked for more than it can do does all that it can."""
        busy = sum(o.busy for o in here)
        traffic = tuple(sum(getattr(o, wire) for o in here) for wire in _WIRES)
        for start, until, own in self._levels(begin, end):
            level = min(1.0, own + busy)
            watts = self._draw(level)[0] - self._draw(own)[0]
            limited = is_at_limit(level) and not is_at_limit(own)
            past = self._added[-1].after(start, self._lag) if self._added else _Sums()
            settles = self._warming * watts
            self._added.append(
                _Stretch(start, until, level, watts, settles, limited, past, traffic)
            )

    def _levels(self, begin: float, end: float) -> Iterator[tuple[float, float, float]]:
        """The stretches of even work between two instants: from, to, level."""
        while begin < end:
            _, second, index = self._place(begin)
            rest = max(self._round[index].end - second, math.ulp(begin))
            until = min(end, begin + rest)
            yield begin, until, self._work.phases[index].level
            begin = until


def _start(stretch: _Stretch) -> float:
    return stretch.start
