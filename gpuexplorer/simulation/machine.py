"""Machine: make-believe cards, and how they are at any instant, loaded by what the lab does."""

import math
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from gpuexplorer.simulation.course import (
    Course,
    Job,
    Moment,
    Occupation,
    Traffic,
    is_at_limit,
    work_of,
)
from gpuexplorer.simulation.models import MIB
from gpuexplorer.simulation.specs import MachineSpec, Wiring

LAB_PID = 4000
SCRAPS_BYTES = 6 * MIB  # taken by the driver itself, and by no program


class Reading(NamedTuple):
    """How one card is at one instant, in SI units; shares are of what a wire can carry."""

    busy: float
    memory_busy: float
    decoder_busy: float
    level: float  # 0 at rest, 1 at all that the card can do
    at_limit: bool
    warm: bool
    power: float
    average_power: float  # over the last second
    energy: float
    temperature: float
    fan: float
    memory_used: int
    graphics_clock: float
    memory_clock: float
    state: int
    pcie_receive_share: float
    pcie_transmit_share: float
    nvlink_share: float
    traffic: Traffic  # that the lab adds
    seconds_at_limit: float
    seconds_warm: float


class SimulatedProcess(NamedTuple):
    """A program that does not exist, on a card that does not either."""

    pid: int
    command: str
    user: str
    graphics: bool
    memory_bytes: int
    busy: float


class Machine:
    """Pure functions of the seed, the card and `t`, the seconds since the machine's start.

    Any thread may ask and add load. What is added changes no instant before it starts.
    """

    def __init__(self, spec: MachineSpec, seed: int | None = None) -> None:
        self.spec, self.wiring = spec, Wiring(spec)
        seed = spec.seed if seed is None else seed
        everyone = range(len(spec.cards))
        self._cards = [_SimulatedCard(spec, index, seed) for index in everyone]
        self._leads = [self._lead(index) for index in everyone]
        # Hears which card was given what.
        self.on_added: Callable[[int, int | Occupation], object] | None = None

    def reading(self, index: int, t: float) -> Reading:
        # What one card receives over NVLink, others send in that tenth of a second.
        lead = self._leads[index]
        share = 0.0 if lead is None else lead.exchange(t // 0.1 / 10)
        return self._cards[index].reading(t, share)

    def _lead(self, index: int) -> "_SimulatedCard | None":
        """The first of those that NVLink joins whose work exchanges something takes the others
        along.
        """
        peers = self.wiring.peers(index)
        together = [self._cards[each] for each in sorted((index, *peers))] if peers else []
        return next((each for each in together if each.exchanges), None)

    def processes(self, index: int, t: float) -> list[SimulatedProcess]:
        return self._cards[index].processes(t)

    def repaired_ever(self, index: int) -> int:
        """Memory errors that were repaired before the machine was started."""
        return self._cards[index].repaired_ever

    def occupy(self, index: int, occupation: Occupation) -> None:
        """Add a span of work to a card, as if a program did it."""
        self._cards[index].course.occupy(occupation)
        if self.on_added is not None:
            self.on_added(index, occupation)

    def hold(self, index: int, at: float, memory_bytes: int) -> None:
        """From `at` on hold that much more memory; a negative number gives it back."""
        self._cards[index].course.hold(at, memory_bytes)
        if self.on_added is not None:
            self.on_added(index, memory_bytes)


class _SimulatedCard:
    """One card of the machine."""

    def __init__(self, spec: MachineSpec, index: int, seed: int) -> None:
        own = Random(f"{seed}/{index}/card")
        slot = spec.cards[index]
        self._model = model = slot.model
        self._work = work_of(spec, index, seed)
        self.exchanges = any(phase.exchange for phase in self._work.phases)
        self.course = Course(model, self._work, own)
        self.repaired_ever = own.choice((0, 0, 0, 0, own.randint(1, 6)))
        days = own.uniform(2.0, 20.0)
        watts = model.power_idle if slot.idle else model.power_limit * 0.3
        self._past_energy = days * 86400.0 * watts
        self._past_limited = 0.0 if slot.idle else days * own.uniform(500.0, 3000.0)
        self._memory_share = own.uniform(0.35, 0.65)
        self._first_pid = 10_000 + index * 6000 + own.randrange(500)

    def exchange(self, t: float) -> float:
        """The share of its NVLinks that its work uses."""
        now = self.course.at(t)
        return now.phase.exchange * (1.0 + 0.2 * now.wave)

    def reading(self, t: float, nvlink_share: float) -> Reading:
        now, model = self.course.at(t), self._model
        busy, feed = _busy(now.level, now.wave), now.phase.feed * (1.0 + 0.2 * now.wave)
        resting = now.level <= 0.0
        warm = now.temperature >= model.heat_target
        jobs = sum(job.memory_at(now.second) for _, job in self._jobs(now))
        return Reading(
            busy=busy,
            memory_busy=round(busy * self._memory_share * (1.0 + 0.1 * now.wave), 2),
            decoder_busy=round(busy * 0.25, 2) if self._work.decodes else 0.0,
            level=now.level,
            at_limit=is_at_limit(now.level),
            warm=warm,
            power=now.power,
            average_power=now.energy - self.course.at(t - 1.0).energy,
            energy=self._past_energy + now.energy,
            temperature=now.temperature,
            fan=self._fan(now.temperature),
            memory_used=SCRAPS_BYTES + jobs + self._held(t, jobs),
            graphics_clock=self._graphics_clock(now, warm=warm) * 1e6,
            memory_clock=(model.memory_clock_idle if resting else model.memory_clock) * 1e6,
            state=self._state(now.level),
            pcie_receive_share=feed,
            pcie_transmit_share=0.3 * feed,
            nvlink_share=nvlink_share,
            traffic=now.traffic,
            seconds_at_limit=self._past_limited + now.seconds_at_limit,
            seconds_warm=now.seconds_warm,
        )

    def processes(self, t: float) -> list[SimulatedProcess]:
        now = self.course.at(t)
        own_busy = _busy(now.phase.level, now.wave)
        lab_busy = round(_busy(now.level, now.wave) - own_busy, 2)
        jobs = self._jobs(now)
        weights = sum(job.weight for _, job in jobs)
        processes = [
            SimulatedProcess(
                pid,
                job.command,
                job.user,
                job.graphics,
                job.memory_at(now.second),
                round(own_busy * job.weight / weights, 3),
            )
            for pid, job in jobs
        ]
        held = self._held(t, sum(each.memory_bytes for each in processes))
        if held or lab_busy:
            ours = LAB_PID, "gpuexplorer worker", "you"
            processes.append(SimulatedProcess(*ours, False, held, lab_busy))  # noqa: FBT003
        return processes

    def _jobs(self, now: Moment) -> list[tuple[int, Job]]:
        """Those that run, by their pids."""
        return [
            (self._first_pid + 1000 * slot + (0 if job.lasting else 7 * now.round % 500), job)
            for slot, job in enumerate(self._work.jobs)
            if job.begin <= now.second < job.end
        ]

    def _held(self, t: float, by_jobs: int) -> int:
        """What the lab holds, as far as the card's own programs leave room for it."""
        return min(self.course.held(t), self._model.usable_bytes - SCRAPS_BYTES - by_jobs)

    def _state(self, level: float) -> int:
        model = self._model
        if level <= 0.0:
            return model.idle_state
        return 5 if level < 0.12 and model.idle_state == 8 else model.busy_state

    def _graphics_clock(self, now: Moment, *, warm: bool) -> float:
        """MHz, in the steps of 15 MHz that drivers set."""
        model = self._model
        if now.level <= 0.0:
            return model.clock_idle
        factor = 1.0 - 0.0015 * max(0.0, now.temperature - 45.0)
        if is_at_limit(now.level):
            factor *= 0.91 + 0.02 * now.wave
        if warm:
            factor *= 0.85
        return max(model.clock_base, math.floor(model.clock_boost * factor / 15.0) * 15)

    def _fan(self, temperature: float) -> float:
        model = self._model
        if not model.fans or (model.fans_stop and temperature < 48.0):
            return 0.0
        return round(min(1.0, 0.3 + 0.7 * max(0.0, temperature - 40.0) / 50.0), 2)


def _busy(level: float, wave: float) -> float:
    """A kernel runs for more of the time than the card is fully at work."""
    return round(min(1.0, max(0.01, level * (1.06 + 0.03 * wave))), 2) if level > 0.0 else 0.0
