"""Power, heat and energy of a card's own round of work, at any instant, in closed form."""

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import NamedTuple

from gpuexplorer.simulation.models import CardModel
from gpuexplorer.simulation.workload import FULL_LEVEL, Phase, Workload

ROOM_CELSIUS = 27.0
_LIMIT_LEVEL = 0.985  # from here on the power limit holds the card back


class Draw(NamedTuple):
    """Power at a level of work: an even part, and how far it swings about that."""

    even: float
    swing: float


class Moment(NamedTuple):
    """The card's own work at one instant; energy and seconds count from the first round."""

    round: int
    second: float  # of the round
    phase: Phase
    swing: float  # -1 to 1
    power: float
    energy: float
    temperature: float
    seconds_at_limit: float
    seconds_warm: float
    warm: bool


@dataclass(frozen=True, slots=True)
class _Start:
    """The state with which one phase of a round begins."""

    draw: Draw
    settles_at: float
    energy: float
    temperature: float
    at_limit: float
    warm: float
    swung: float


def draw_at(model: CardModel, level: float) -> Draw:
    """The swings leave a gap below the power limit, so that being at it is a clear matter."""
    idle, limit = model.power_idle, model.power_limit
    if level <= 0.0:
        return Draw(idle, 0.01 * idle)
    if is_at_limit(level):
        return Draw(0.995 * limit, 0.004 * limit)
    return Draw(idle + (0.96 * limit - idle) * level, 0.02 * limit * level)


def is_at_limit(level: float) -> bool:
    return level >= _LIMIT_LEVEL


class Course:
    """A card's own work without what the lab adds. Never changes, so any thread may ask."""

    def __init__(self, model: CardModel, workload: Workload, own: Random) -> None:
        self.model = model
        self.lag = own.uniform(25.0, 40.0)  # seconds in which heat follows power
        room = ROOM_CELSIUS + own.uniform(0.0, 4.0)
        self.warming = (model.heat_full - room) / model.power_limit  # degrees per watt
        self._room = room
        self._offset = workload.offset
        self._phases = workload.phases
        *self._begins, self.period = accumulate((p.seconds for p in self._phases), initial=0.0)
        # Whole waves fit into a round, so that their integral over it is nothing.
        self._waves = tuple(
            (weight, math.tau * round(self.period / every) / self.period, own.uniform(0, 6.28))
            for weight, every in ((0.6, 2.3), (0.3, 7.1), (0.1, 23.0))
        )
        self._starts = self._run_round(ROOM_CELSIUS)
        # After many rounds each ends as warm as it began; heat is linear, so two runs tell.
        cold, kept = self._starts[-1].temperature, math.exp(-self.period / self.lag)
        self._starts = self._run_round((cold - kept * ROOM_CELSIUS) / (1.0 - kept))

    def at(self, t: float) -> Moment:
        number, second = divmod(t + self._offset, self.period)
        at = bisect_right(self._begins, second) - 1
        start, last, phase = self._starts[at], self._starts[-1], self._phases[at]
        seconds = second - self._begins[at]
        even, wide = start.draw
        swing = self._swing(second)
        temperature = self._cooled(start, seconds)
        target = self.model.heat_target
        return Moment(
            int(number),
            second,
            phase,
            swing,
            even + wide * swing,
            number * last.energy
            + start.energy
            + even * seconds
            + wide * (self._swung(second) - start.swung),
            temperature,
            number * last.at_limit
            + start.at_limit
            + (seconds if is_at_limit(phase.level) else 0.0),
            number * last.warm + start.warm + self._seconds_warm(start, seconds),
            temperature >= target,
        )

    def swung(self, t: float) -> float:
        """The integral of the swing, up to a constant."""
        return self._swung((t + self._offset) % self.period)

    def levels(self, begin: float, end: float) -> list[tuple[float, float, float]]:
        """The stretches of even work between two instants: from, to, level."""
        stretches = []
        number, second = divmod(begin + self._offset, self.period)
        at = bisect_right(self._begins, second) - 1
        while begin < end:
            lasts = self._begins[at] + self._phases[at].seconds
            until = min(end, number * self.period + lasts - self._offset)
            if until > begin:
                stretches.append((begin, until, self._phases[at].level))
                begin = until
            at += 1
            if at == len(self._phases):
                number, at = number + 1, 0
        return stretches

    def _run_round(self, temperature: float) -> list[_Start]:
        starts = []
        energy = limited = warm = 0.0
        for begin, phase in zip(self._begins, self._phases, strict=True):
            draw = draw_at(self.model, phase.level)
            settles_at = self._room + self.warming * draw.even
            if phase.choked:
                settles_at = self.model.heat_slowdown - 1.0
            swung = self._swung(begin)
            start = _Start(draw, settles_at, energy, temperature, limited, warm, swung)
            starts.append(start)
            end = self._swung(begin + phase.seconds)
            energy += draw.even * phase.seconds + draw.swing * (end - swung)
            limited += phase.seconds if is_at_limit(phase.level) else 0.0
            warm += self._seconds_warm(start, phase.seconds)
            temperature = self._cooled(start, phase.seconds)
        starts.append(_Start(Draw(0.0, 0.0), 0.0, energy, temperature, limited, warm, 0.0))
        return starts

    def _cooled(self, start: _Start, seconds: float) -> float:
        settled = start.settles_at
        return settled + (start.temperature - settled) * math.exp(-seconds / self.lag)

    def _seconds_warm(self, start: _Start, seconds: float) -> float:
        """How much of a phase's first seconds the card spends at its target or above."""
        target = self.model.heat_target
        before, after = start.temperature - target, start.settles_at - target
        if before < 0.0 and after <= 0.0:
            return 0.0
        if before >= 0.0 and after >= 0.0:
            return seconds
        crosses = self.lag * math.log((after - before) / after)
        return max(0.0, seconds - crosses) if before < 0.0 else min(seconds, crosses)

    def _swing(self, second: float) -> float:
        (a, f, p), (b, g, q), (c, h, r) = self._waves
        sin = math.sin
        return a * sin(f * second + p) + b * sin(g * second + q) + c * sin(h * second + r)

    def _swung(self, second: float) -> float:
        (a, f, p), (b, g, q), (c, h, r) = self._waves
        cos = math.cos
        return -(
            a / f * cos(f * second + p)
            + b / g * cos(g * second + q)
            + c / h * cos(h * second + r)
        )


def level_with(level: float, busy: float) -> float:
    """A card that is asked for more than it can do does all that it can."""
    return min(FULL_LEVEL, level + busy)
