"""What a card does: its own round of work, which repeats and is the same for one seed, what the
lab adds to it, and the power, heat and energy that follow.
"""

import math
import threading
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random
from typing import NamedTuple

from gpuexplorer.simulation.models import MIB, CardModel
from gpuexplorer.simulation.specs import BOARD_CARDS, MachineSpec

_ROOM_CELSIUS = 27.0
_LIMIT_LEVEL = 0.985  # from here on the power limit holds the card back
_HOUR = 3600.0
_HEAD_START_SECONDS = 12.0  # of training, so that a new machine is seen at work at once
# Seconds back from the newest work, and stretches. Who asks for what was earlier is told what
# the card did by itself.
_KEPT = 600.0
_MOST_LAID = 4000
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
    memory_bytes: float
    weight: float  # its part of the work, beside the other jobs' weights
    begin: float = 0.0
    end: float = math.inf
    ramp: float = 0.0  # seconds in which its memory grows to that
    graphics: bool = False

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
    slot, model = spec.cards[index], spec.cards[index].model
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
        count, phases = own.randint(*counts), [Phase(own.uniform(15.0, 30.0))]
        for _ in range(count):
            phases.append(Phase(own.uniform(*busy), own.uniform(0.3, 0.92), feed=0.12))
            phases.append(Phase(own.uniform(*calm)))
        offset = own.uniform(0.0, 60.0)
    usable, notebook = model.usable_bytes, "python -m ipykernel_launcher -f kernel.json"
    jobs = [Job(notebook, "ada", own.uniform(0.02, 0.04) * usable, 0.05)]
    if draws(spec, index):
        held = own.uniform(90.0, 200.0) * MIB
        jobs.append(Job("/usr/lib/xorg/Xorg :0", "root", held, 0.02, graphics=True))
    edges = [0.0, *accumulate(phase.seconds for phase in phases)]
    main, half, end = own.uniform(0.45, 0.72) * usable, len(edges) // 2, edges[-1]
    if role == "training":
        # The first run ends, and the second begins, with a rest between them.
        rest = [place for place, phase in enumerate(phases) if not phase.level][1]
        first, second, end = edges[rest], edges[rest + 1], edges[-2]
        gpt, lora = "python train.py --model gpt2-xl", "python finetune.py --lora"
        jobs.append(Job(gpt, "grace", main, 1.0, edges[1], first, 10.0))
        jobs.append(Job(lora, "ada", main / 2, 1.0, second, end, 6.0))
    elif role == "serving":
        jobs.append(Job("python serve.py --port 8000", "api", main, 1.0, 10.0, end - 2.0, 5.0))
    else:
        photos = "python inference.py photos/"
        jobs.append(Job(photos, "alan", main / 2, 1.0, 12.0, edges[half], 4.0))
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


class _Sums(NamedTuple):
    energy: float = 0.0
    heat: float = 0.0  # the temperature
    at_limit: float = 0.0
    warm: float = 0.0


class _Stretch(NamedTuple):
    """Even work, of the card's own and of what was added."""

    start: float
    end: float
    phase: Phase
    level: float
    watts: float
    settles: float  # the temperature that it comes to in the end
    before: _Sums
    traffic: tuple[float, ...]  # bytes per second over each of the wires

    def after(self, t: float, lag: float, target: float) -> _Sums:
        seconds, (energy, heat, at_limit, warm) = t - self.start, self.before
        warm += _seconds_above(heat - target, self.settles - target, seconds, lag)
        heat = self.settles + (heat - self.settles) * math.exp(-seconds / lag)
        at_limit += is_at_limit(self.level) * seconds
        return _Sums(energy + self.watts * seconds, heat, at_limit, warm)


class Moment(NamedTuple):
    """The card at one instant; energy and seconds count from the first round."""

    round: int
    second: float  # of the round
    phase: Phase
    level: float  # of its own work and of what was added
    wave: float  # -1 to 1: how its work swings
    power: float
    sums: _Sums
    traffic: tuple[float, ...]


def _seconds_above(before: float, after: float, seconds: float, lag: float) -> float:
    """How long it is at zero or above on its way from one to the other."""
    if before < 0.0 and after <= 0.0:
        return 0.0
    if before >= 0.0 and after >= 0.0:
        return seconds
    crosses = lag * math.log((after - before) / after)
    return max(0.0, seconds - crosses) if before < 0.0 else min(seconds, crosses)


def is_at_limit(level: float) -> bool:
    return level >= _LIMIT_LEVEL


class Course:
    """One card's, laid stretch by stretch as far as somebody asks. Any thread may add and ask;
    what is added changes no earlier instant.
    """

    def __init__(self, model: CardModel, work: Work, own: Random) -> None:
        self._model, self._work = model, work
        self._lag = own.uniform(25.0, 40.0)  # seconds in which heat follows power
        self._room = _ROOM_CELSIUS + own.uniform(0.0, 4.0)
        self._warming = (model.heat_full - self._room) / model.power_limit  # degrees per watt
        self._waves = [(weight, math.tau / e, own.uniform(0, 6.28)) for weight, e in _WAVES]
        self._ends = [*accumulate(phase.seconds for phase in work.phases)]
        self._lock = threading.Lock()
        self._occupations: list[Occupation] = []
        self._held = [(-math.inf, 0)]
        # When somebody ended a job: its place, and the round where it does not outlive it.
        self._ended: dict[tuple[int, int | None], float] = {}
        # It begins a round early, so that it is as warm as it is after many.
        begin = _Sums(heat=self._room)
        self._first = self._stretch(-work.offset - self._ends[-1], begin)
        self._laid = [self._first]

    def occupy(self, occupation: Occupation) -> None:
        with self._lock:
            start = occupation.start
            self._cut(start)
            self._occupations = [x for x in self._occupations if x.end > start - _KEPT]
            self._occupations.append(occupation)

    def hold(self, at: float, memory_bytes: int) -> None:
        with self._lock:
            last, held = self._held[-1]
            self._held.append((max(at, last), held + memory_bytes))
            del self._held[1:-_MOST_HOLDINGS]

    def held(self, t: float) -> int:
        with self._lock:
            return max(0, self._held[bisect_right(self._held, (t, math.inf)) - 1][1])

    def end(self, job: int, at: float) -> None:
        """From `at` on it does nothing more; one that does not outlive the round comes again in
        the next.
        """
        with self._lock:
            self._cut(at)
            self._ended[self._life(job, self._place(at)[0])] = at

    def runs(self, job: int, t: float) -> bool:
        number, second, _ = self._place(t)
        begin, end = self._work.jobs[job].begin, self._work.jobs[job].end
        return begin <= second < end and t < self._ended.get(self._life(job, number), math.inf)

    def left(self, t: float) -> float:
        """The share of its own work that is left by those that were ended."""
        number, _, index = self._place(t)
        middle = self._ends[index] - self._work.phases[index].seconds / 2
        jobs = enumerate(self._work.jobs)
        due = {n: job.weight for n, job in jobs if job.begin <= middle < job.end}
        ended = (self._ended.get(self._life(n, number), math.inf) <= t for n in due)
        weights = zip(due.values(), ended, strict=True)
        return sum(x for x, over in weights if not over) / sum(due.values()) if due else 1.0

    def at(self, t: float) -> Moment:
        number, second, _ = self._place(t)
        with self._lock:
            now = self._lay(t)
        wave = sum(weight * math.sin(speed * t + shift) for weight, speed, shift in self._waves)
        power = self._draw(now.level, wave)
        sums = now.after(t, self._lag, self._model.heat_target)
        return Moment(number, second, now.phase, now.level, wave, power, sums, now.traffic)

    def _life(self, job: int, number: int) -> tuple[int, int | None]:
        return job, None if self._work.jobs[job].end == math.inf else number

    def _cut(self, at: float) -> None:
        """What comes later is laid anew."""
        self._lay(at)
        while len(self._laid) > 1 and self._laid[-1].start >= at:
            self._laid.pop()
        self._laid[-1] = self._laid[-1]._replace(end=at)

    def _lay(self, t: float) -> _Stretch:
        """As far as that; the stretch that it is in."""
        laid = self._laid
        if t < laid[0].start:
            laid[:] = [self._first]
        while (last := laid[-1]).end <= t:
            sums = last.after(last.end, self._lag, self._model.heat_target)
            laid.append(self._stretch(last.end, sums))
        if len(laid) > _MOST_LAID:
            del laid[: _MOST_LAID // 2]
        return laid[bisect_right(laid, t, key=_start) - 1]

    def _stretch(self, begin: float, before: _Sums) -> _Stretch:
        """A card that is asked for more than it can do does all that it can."""
        _, second, index = self._place(begin)
        phase, end = self._work.phases[index], begin + self._ends[index] - second
        if (left := self.left(begin)) < 1.0:
            level, feed, exchange = (left * each for each in phase[1:4])
            phase = phase._replace(level=level, feed=feed, exchange=exchange)
        edges = (edge for x in self._occupations for edge in (x.start, x.end) if edge > begin)
        here = [each for each in self._occupations if each.start <= begin < each.end]
        level = min(1.0, phase.level + sum(each.busy for each in here))
        watts = self._draw(level)
        settles = self._room + self._warming * watts
        if phase.choked:
            settles = self._model.heat_slowdown - 1.0
        traffic = tuple(sum(getattr(each, wire) for each in here) for wire in _WIRES)
        end = min(max(end, math.nextafter(begin, math.inf)), *edges, math.inf)
        return _Stretch(begin, end, phase, level, watts, settles, before, traffic)

    def _place(self, t: float) -> tuple[int, float, int]:
        """The round, its second, and which of its phases that is in."""
        number, second = divmod(t + self._work.offset, self._ends[-1])
        index = min(bisect_right(self._ends, second), len(self._ends) - 1)
        return int(number), second, index

    def _draw(self, level: float, wave: float = 0.0) -> float:
        """Watts. Below the power limit a gap is left, so that being at it is a clear matter."""
        idle, limit = self._model.power_idle, self._model.power_limit
        if level <= 0.0:
            return idle + 0.01 * idle * wave
        if is_at_limit(level):
            return limit * (0.995 + 0.004 * wave)
        return idle + (0.96 * limit - idle) * level + 0.02 * limit * level * wave


def _start(stretch: _Stretch) -> float:
    return stretch.start
