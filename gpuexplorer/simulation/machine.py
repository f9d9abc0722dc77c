"""Machine: make-believe cards, and how they are at any instant, loaded by what the lab does."""

import math
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from gpuexplorer.simulation.course import Course, Moment, is_at_limit
from gpuexplorer.simulation.models import MIB
from gpuexplorer.simulation.occupied import QUIET, Occupation, Occupied
from gpuexplorer.simulation.specs import MachineSpec, Slot, Wiring
from gpuexplorer.simulation.workload import Job, Role, Workload, workload_of

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
    traffic: tuple[float, float, float, float]  # bytes per second that the lab adds
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
        self.spec = spec
        self.wiring = Wiring(spec)
        seed = spec.seed if seed is None else seed
        self._cards = tuple(
            _SimulatedCard(spec, index, seed) for index in range(len(spec.cards))
        )
        self._exchanged: dict[int, tuple[float | None, float]] = {}
        # Hears which card was given what.
        self.on_added: Callable[[int, int | Occupation], object] | None = None

    def reading(self, index: int, t: float) -> Reading:
        return self._cards[index].reading(t, self._exchange(index, t))

    def _exchange(self, index: int, t: float) -> float:
        """What one card receives over NVLink, others send in that tenth of a second: who
        exchanges most takes the others along.
        """
        together, moment = sorted((index, *self.wiring.peers(index))), t // 0.1
        if len(together) == 1:
            return 0.0
        at, share = self._exchanged.get(together[0], (None, 0.0))
        if at != moment:
            share = max(self._cards[each].exchange(moment / 10) for each in together)
            self._exchanged[together[0]] = moment, share
        return share

    def processes(self, index: int, t: float) -> list[SimulatedProcess]:
        return self._cards[index].processes(t)

    def repaired_ever(self, index: int) -> int:
        """Memory errors that were repaired before the machine was started."""
        return self._cards[index].repaired_ever

    def occupy(self, index: int, occupation: Occupation) -> None:
        """Add a span of work to a card, as if a program did it."""
        self._cards[index].occupied.occupy(occupation)
        if self.on_added is not None:
            self.on_added(index, occupation)

    def hold(self, index: int, at: float, memory_bytes: int) -> None:
        """From `at` on hold that much more memory; a negative number gives it back."""
        self._cards[index].occupied.hold(at, memory_bytes)
        if self.on_added is not None:
            self.on_added(index, memory_bytes)


class _SimulatedCard:
    """One card of the machine."""

    def __init__(self, spec: MachineSpec, index: int, seed: int) -> None:
        own = Random(f"{seed}/{index}/card")
        self._index = index
        self._slot: Slot = spec.cards[index]
        self._workload: Workload = workload_of(spec, index, seed)
        self._course = Course(self._slot.model, self._workload, own)
        self.occupied = Occupied(self._course)
        self.repaired_ever = own.choice((0, 0, 0, 0, own.randint(1, 6)))
        days = own.uniform(2.0, 20.0)
        model, idle = self._slot.model, self._slot.idle
        watts = model.power_idle if idle else model.power_limit * 0.3
        self._past_energy = days * 86400.0 * watts
        self._past_limited = 0.0 if idle else days * own.uniform(500.0, 3000.0)
        self._memory_share = own.uniform(0.35, 0.65)
        self._decoder_share = 0.25 if self._workload.role is Role.SERVING else 0.0
        self._first_pid = 10_000 + index * 6000 + own.randrange(500)
        self._usable = model.usable_bytes

    def exchange(self, t: float) -> float:
        """The share of its NVLinks that its work could use."""
        now = self._course.at(t)
        return now.phase.exchange * (1.0 + 0.2 * now.swing)

    def reading(self, t: float, nvlink_share: float) -> Reading:
        now, before = self._course.at(t), self._course.at(t - 1.0)
        level, power = now.phase.level, now.power
        energy, earlier = now.energy, before.energy
        seconds_at_limit = now.seconds_at_limit
        temperature, traffic = now.temperature, QUIET
        if added := self.occupied.at(t):
            level = max(level, added.level)
            power += added.even + added.swing * now.swing
            energy += added.energy
            past = self.occupied.at(t - 1.0)
            earlier += past.energy if past else 0.0
            seconds_at_limit += added.seconds_at_limit
            temperature = self._kept_cool(temperature, added.temperature)
            traffic = added.traffic
        busy, at_limit = self._busy(level, now.swing), is_at_limit(level)
        model = self._slot.model
        wave = 1.0 + 0.2 * now.swing
        resting = level <= 0.0
        return Reading(
            busy=busy,
            memory_busy=round(busy * self._memory_share * (1.0 + 0.1 * now.swing), 2),
            decoder_busy=round(busy * self._decoder_share, 2),
            level=level,
            at_limit=at_limit,
            warm=now.warm,
            power=power,
            average_power=energy - earlier,
            energy=self._past_energy + energy,
            temperature=temperature,
            fan=self._fan(temperature),
            memory_used=self._memory_used(t, now.second),
            graphics_clock=self._graphics_clock(level, now, temperature, at_limit) * 1e6,
            memory_clock=(model.memory_clock_idle if resting else model.memory_clock) * 1e6,
            state=self._state(level),
            pcie_receive_share=now.phase.feed * wave,
            pcie_transmit_share=now.phase.feed * 0.3 * wave,
            nvlink_share=nvlink_share,
            traffic=traffic,
            seconds_at_limit=self._past_limited + seconds_at_limit,
            seconds_warm=now.seconds_warm,
        )

    def processes(self, t: float) -> list[SimulatedProcess]:
        now, added = self._course.at(t), self.occupied.at(t)
        level = max(now.phase.level, added.level if added else 0.0)
        own_busy = self._busy(now.phase.level, now.swing)
        lab_busy = round(self._busy(level, now.swing) - own_busy, 2)
        here = [
            (slot, job)
            for slot, job in enumerate(self._workload.jobs)
            if job.begin <= now.second < job.end
        ]
        weights = sum(job.weight for _, job in here)
        processes = [
            SimulatedProcess(
                self._pid(slot, job, now.round),
                job.command,
                job.user,
                job.graphics,
                job.memory_at(now.second),
                round(own_busy * job.weight / weights, 3),
            )
            for slot, job in here
        ]
        held = self._held(t, now.second)
        if held or lab_busy:
            processes.append(
                SimulatedProcess(
                    LAB_PID,
                    "gpuexplorer worker",
                    "you",
                    graphics=False,
                    memory_bytes=held,
                    busy=lab_busy,
                )
            )
        return processes

    def _pid(self, slot: int, job: Job, number: int) -> int:
        return self._first_pid + 1000 * slot + (0 if job.lasting else 7 * number % 500)

    def _jobs_memory(self, second: float) -> int:
        memory = 0
        for job in self._workload.jobs:
            if job.begin <= second < job.end:
                memory += job.memory_at(second)
        return memory

    def _held(self, t: float, second: float) -> int:
        """What the lab holds, as far as the card's own programs leave room for it."""
        held = self.occupied.memory_at(t)
        return held and min(held, self._usable - SCRAPS_BYTES - self._jobs_memory(second))

    def _memory_used(self, t: float, second: float) -> int:
        return SCRAPS_BYTES + self._jobs_memory(second) + self._held(t, second)

    def _busy(self, level: float, swing: float) -> float:
        """A kernel runs for more of the time than the card is fully at work."""
        if level <= 0.0:
            return 0.0
        return round(min(1.0, max(0.01, level * 1.06 + 0.03 * swing * level)), 2)

    def _kept_cool(self, own: float, added: float) -> float:
        """Cooling is built for the power limit: added work alone makes no card too warm."""
        return min(own + added, max(own, self._slot.model.heat_target - 1.0))

    def _state(self, level: float) -> int:
        model = self._slot.model
        if level <= 0.0:
            return model.idle_state
        return 5 if level < 0.12 and model.idle_state == 8 else model.busy_state

    def _graphics_clock(
        self, level: float, now: Moment, temperature: float, at_limit: bool
    ) -> float:
        """MHz, in the steps of 15 MHz that drivers set."""
        model = self._slot.model
        if level <= 0.0:
            return model.clock_idle
        factor = 1.0 - 0.0015 * max(0.0, temperature - 45.0)
        if at_limit:
            factor *= 0.91 + 0.02 * now.swing
        if now.warm:
            factor *= 0.85
        boosted = math.floor(model.clock_boost * factor / 15.0) * 15.0
        return max(float(model.clock_base), boosted)

    def _fan(self, temperature: float) -> float:
        model = self._slot.model
        if not model.fans or (model.fans_stop and temperature < 48.0):
            return 0.0
        return round(min(1.0, 0.3 + 0.7 * max(0.0, temperature - 40.0) / 50.0), 2)
