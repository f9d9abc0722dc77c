"""Machine: make-believe cards, and how they are at any instant, loaded by what the lab does."""

import math
from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.simulation.course import (
    Course,
    Moment,
    Occupation,
    draws,
    is_at_limit,
    work_of,
)
from gpuexplorer.simulation.models import MIB
from gpuexplorer.simulation.specs import MachineSpec

LAB_PID = 4000
SCRAPS_BYTES = 6 * MIB  # taken by the driver itself, and by no program
# Of what is not simulated nothing happens.
_STILL = (
    *("encoder_utilization", "pcie_replays", "compute_mode", "virtualization_mode"),
    *(each for each in METRICS if each.startswith("throttle_")),
)


def absence_of(metric: MetricId) -> Absence:
    """Why a card does not answer it: for want of a part, or because its driver does not."""
    summed = ("fan_speed", "nvlink_active", "nvlink_receive", "nvlink_transmit")
    of_part = METRICS[metric].part or metric in summed
    return Absence.NO_PART if of_part else Absence.NOT_SUPPORTED


class SimulatedProcess(NamedTuple):
    """A program that does not exist, on a card that does not either."""

    pid: int
    command: str
    user: str
    memory_bytes: int
    busy: float
    started: float  # in the seconds that the machine counts in
    graphics: bool = False

    @property
    def cores(self) -> float:
        """Of the computer's processor."""
        return round(0.02 + 1.15 * self.busy, 3)

    @property
    def host_bytes(self) -> int:
        return 300 * MIB + self.memory_bytes // 2


class Machine:
    """Pure functions of the seed, the card and `t`, the seconds since the machine's start.

    Any thread may ask and add load. What is added changes no instant before it starts.
    """

    def __init__(self, spec: MachineSpec, seed: int | None = None) -> None:
        self.spec = spec
        seed = spec.seed if seed is None else seed
        self._cards = [_SimulatedCard(spec, at, seed) for at in range(len(spec.cards))]
        # Hears which card was given what.
        self.on_added: Callable[[int, int | Occupation], object] | None = None

    def reading(self, index: int, t: float) -> Mapping[str, float]:
        """All that this card answers, by the names of the metrics."""
        # Of those that NVLink joins, the ones whose work exchanges something do so together, or
        # one with all others. What one receives, others send in that tenth of a second.
        own = self._cards[index]
        joined = [self._cards[at] for at in sorted((index, *self.spec.peers(index)))]
        together = [each for each in joined if each.exchanges]
        if len(together) < 2:
            together = [*together, *joined]
        share = together[0].exchange(t // 0.1 / 10) if own in together else 0.0
        return own.reading(t, share * own.course.left(t))

    def processes(self, index: int, t: float) -> list[SimulatedProcess]:
        return self._cards[index].processes(t)

    def end(self, index: int, pid: int, t: float) -> None:
        """Take a program away from its card."""
        self._cards[index].end(pid, t)

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
        own, slot = Random(f"{seed}/{index}/card"), spec.cards[index]
        self._model, self._work = slot.model, work_of(spec, index, seed)
        self.exchanges = any(phase.exchange for phase in self._work.phases)
        self.course = Course(slot.model, self._work, own)
        repaired = own.choice((0, 0, 0, 0, own.randint(1, 6)))
        days, watts = own.uniform(2.0, 20.0), slot.model.power_limit * 0.3
        if slot.idle:
            watts = slot.model.power_idle
        self._up_since = -days * 86400.0
        self._past_energy = days * 86400.0 * watts
        self._past_limited = 0.0 if slot.idle else days * own.uniform(500.0, 3000.0)
        self._memory_share = own.uniform(0.35, 0.65)
        self._first_pid = 10_000 + index * 6000 + own.randrange(500)
        self._nvlinks = slot.nvlinks
        up = slot.model.nvlinks if spec.peers(index) else 0
        self._nvlink_rate = up * slot.model.nvlink_rate
        self._ampere = slot.model.compute_capability >= (8, 0)
        self._lasting = self._lasting_figures(slot.nvlinks, up, repaired)
        self._lasting["display_active"] = draws(spec, index) and not slot.idle

    def _lasting_figures(self, nvlinks: int, up: int, repaired: int) -> dict[str, float]:
        model, most = self._model, self._model.clock_most * 1e6
        generation = model.pcie_generation
        told: dict[str, float] = {
            **dict.fromkeys(_STILL, 0.0),
            "memory_reserved": model.reserved_bytes,
            "memory_total": model.memory_bytes,
            # A server's processor sees the whole memory, a desktop's a small window of it.
            "bar1_total": 1 << (model.memory_bytes - 1).bit_length(),
            "temperature_slowdown": model.heat_slowdown,
            "temperature_shutdown": model.heat_shutdown,
            "temperature_max": model.heat_target,
            "power_limit": model.power_limit,
            "power_limit_min": model.power_least,
            "power_limit_max": model.power_most,
            "power_limit_default": model.power_limit,
            "clock_graphics_max": most,
            "clock_sm_max": most,
            "clock_memory_max": model.memory_clock * 1e6,
            "clock_video_max": _video_clock(most),
            "pcie_generation_max": generation,
            "pcie_generation_card_max": generation,
            "pcie_width": model.pcie_lanes,
            "pcie_width_max": model.pcie_lanes,
            "pcie_width_slot_max": 16,
            "persistence_mode": not model.display,
        }
        if model.compute_capability >= (7, 5):
            told["ofa_utilization"] = 0
        if model.display:
            told |= {"bar1_total": 256 * MIB, "pcie_generation_slot_max": generation}
        elif self._ampere:
            told["jpeg_utilization"] = 0
        if model.hbm:
            told["memory_temperature_max"] = 95.0
        if model.mig:
            told["mig_mode"] = 0
        if model.ecc is not None:
            spare = "remapped_rows_" if self._ampere else "retired_pages_"
            told |= dict.fromkeys((each for each in METRICS if each.startswith(spare)), 0)
            told["ecc_mode"] = model.ecc
        if model.ecc:
            told |= dict.fromkeys((each for each in METRICS if each.startswith("ecc_")), 0)
            told |= {"ecc_mode": 1, "ecc_corrected_ever": repaired}
        if nvlinks:
            told["nvlink_active"] = up
        told |= {f"nvlink_{link}_state": up > 0 for link in range(nvlinks)}
        return told

    def exchange(self, t: float) -> float:
        """The share of its NVLinks that its work uses."""
        now = self.course.at(t)
        return now.phase.exchange * (1.0 + 0.2 * now.wave)

    def reading(self, t: float, nvlink_share: float) -> Mapping[str, float]:
        now, model = self.course.at(t), self._model
        busy, heat, resting = _busy(now.level, now.wave), now.sums.heat, now.level <= 0.0
        power, celsius, warm = round(now.power, 3), math.floor(heat), heat >= model.heat_target
        memory_busy = round(busy * self._memory_share * (1.0 + 0.1 * now.wave), 2)
        used = SCRAPS_BYTES + sum(each.memory_bytes for each in self.processes(t))
        state, clock = model.idle_state, model.clock_idle * 1e6
        memory_clock, generation = model.memory_clock_idle, model.pcie_generation
        if resting and state == 8:
            generation = 1
        elif not resting:
            state = 5 if now.level < 0.12 and state == 8 else model.busy_state
            clock, memory_clock = self._graphics_clock(now, warm=warm), model.memory_clock
        pcie_in, pcie_out, nvlink_in, nvlink_out = now.traffic
        pcie, nvlink, links = model.pcie_rate, self._nvlink_rate, self._nvlinks
        fed = now.phase.feed * (1.0 + 0.2 * now.wave) * pcie
        told = self._lasting | {
            "gpu_utilization": busy,
            "memory_utilization": memory_busy,
            "decoder_utilization": round(busy * 0.25, 2) if self._work.decodes else 0.0,
            "memory_used": used,
            "memory_free": model.usable_bytes - used,
            "bar1_used": (2 if resting else 10) * MIB,
            "temperature": celsius,
            "power_draw": power,
            "power_draw_instant": power,
            "energy": round(self._past_energy + now.sums.energy, 3),
            "clock_graphics": clock,
            "clock_sm": clock,
            "clock_memory": memory_clock * 1e6,
            "clock_video": _video_clock(clock),
            "performance_state": state,
            "throttle_gpu_idle": resting,
            "throttle_sw_power_cap": is_at_limit(now.level),
            "throttle_time_sw_power_cap": self._past_limited + now.sums.at_limit,
            "throttle_sw_thermal_slowdown": warm,
            "throttle_time_sw_thermal_slowdown": now.sums.warm,
            "pcie_generation": generation,
            "pcie_receive": min(pcie, fed + pcie_in),
            "pcie_transmit": min(pcie, 0.3 * fed + pcie_out),
        }
        for way, added in (("receive", nvlink_in), ("transmit", nvlink_out)):
            rate = min(nvlink, nvlink_share * nvlink + added)
            told |= {f"nvlink_{n}_{way}": rate / links for n in range(links)}
            if links:
                told[f"nvlink_{way}"] = rate
        if self._ampere:
            told["power_draw_average"] = round(
                now.sums.energy - self.course.at(t - 1.0).sums.energy, 3
            )
        if model.gpm:
            told["sm_activity"] = 0.86 * busy
            told["sm_occupancy"] = 0.42 * busy
            told["tensor_activity"] = 0.55 * busy * now.level
        if model.margin:
            told["temperature_margin"] = model.heat_target - celsius
        if model.hbm:
            told["memory_temperature"] = math.floor(heat + 5.0 + 8.0 * memory_busy)
        fan = self._fan(heat)
        if model.fans:
            told["fan_speed"] = fan
        for n in range(model.fans):
            told |= {f"fan_{n}_speed": fan, f"fan_{n}_rpm": round((3300.0 - 40.0 * n) * fan)}
        return told

    def processes(self, t: float) -> list[SimulatedProcess]:
        now = self.course.at(t)
        own_busy, began = _busy(now.phase.level, now.wave), t - now.second
        jobs = {pid: self._work.jobs[n] for pid, n in self._jobs(t).items()}
        busy = own_busy / (sum(job.weight for job in jobs.values()) or 1.0)
        processes = [
            SimulatedProcess(
                pid,
                job.command,
                job.user,
                job.memory_at(now.second),
                round(busy * job.weight, 3),
                self._up_since if job.end == math.inf else began + job.begin,
                job.graphics,
            )
            for pid, job in jobs.items()
        ]
        # The lab gets no more than the card's own programs leave.
        left = self._model.usable_bytes - SCRAPS_BYTES - sum(x.memory_bytes for x in processes)
        held = min(self.course.held(t), left)
        lab_busy = round(_busy(now.level, now.wave) - own_busy, 2)
        if held or lab_busy:
            ours = "gpuexplorer worker", "you", held, lab_busy, 0.0
            processes.append(SimulatedProcess(LAB_PID, *ours))
        return processes

    def end(self, pid: int, t: float) -> None:
        if (job := self._jobs(t).get(pid)) is not None:
            self.course.end(job, t)

    def _jobs(self, t: float) -> dict[int, int]:
        """Those that run, by pid; those that do not outlive the round have another in each."""
        later = 7 * self.course.at(t).round % 500
        jobs = enumerate(self._work.jobs)
        pids = {self._first_pid + 1000 * n + later * (job.end < math.inf): n for n, job in jobs}
        return {pid: n for pid, n in pids.items() if self.course.runs(n, t)}

    def _graphics_clock(self, now: Moment, *, warm: bool) -> float:
        """In the steps of 15 MHz that drivers set."""
        model = self._model
        factor = 1.0 - 0.0015 * max(0.0, now.sums.heat - 45.0)
        if is_at_limit(now.level):
            factor *= 0.91 + 0.02 * now.wave
        if warm:
            factor *= 0.85
        return max(model.clock_base, math.floor(model.clock_boost * factor / 15.0) * 15) * 1e6

    def _fan(self, temperature: float) -> float:
        model = self._model
        if model.fans_stop and temperature < 48.0:
            return 0.0
        return round(min(1.0, 0.3 + 0.7 * max(0.0, temperature - 40.0) / 50.0), 2)


def _busy(level: float, wave: float) -> float:
    """A kernel runs for more of the time than the card is fully at work."""
    return round(min(1.0, max(0.01, level * (1.06 + 0.03 * wave))), 2) if level > 0.0 else 0.0


def _video_clock(graphics_clock: float) -> float:
    return max(405e6, math.floor(0.85 * graphics_clock / 15e6) * 15e6)
