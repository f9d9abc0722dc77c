"""A measurement by the card's clock: copies that were all asked for before the first began."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Measured
from gpuexplorer.worker.engines.measuring.asked import Asked
from gpuexplorer.worker.engines.measuring.by_host import single_call
from gpuexplorer.worker.engines.measuring.checking import Checks
from gpuexplorer.worker.engines.measuring.computing import computing_lane
from gpuexplorer.worker.engines.measuring.gate import holds_host
from gpuexplorer.worker.engines.measuring.lanes import Lane, lane_of, staged_lane
from gpuexplorer.worker.engines.measuring.sampling import TOO_SLOW, Sample, Sampler, warmed
from gpuexplorer.worker.measuring.plan import (
    LATENCY_LOOPS,
    MOST_LOOPS,
    QUEUE_HOLDS,
    alone_share,
    balanced,
    loops_for,
)

_ENDED_EARLY = 0.15
_HOST = "cpu"


@dataclass(frozen=True)
class _Beside:
    """A computation that runs beside the copies, and what each takes without the other."""

    lane: Lane
    alone: float
    copying: float


def measured_in_queue(asked: Asked) -> Measured:
    copies = _copying_lanes(asked)
    with asked.near(copies[0].card):
        return _measured(asked, copies)


def _measured(asked: Asked, copies: "list[Lane]") -> Measured:
    """How many copies each lane makes, then the samples."""
    command, cards = asked.command, asked.cards
    for lane in copies:
        seconds = warmed(cards, lane, asked.checkpoint)
        lane.loops = loops_for(seconds, lane.operations)
        if command.mode == "latency":
            lane.loops = LATENCY_LOOPS
        if len(lane.devices) == 2 and _HOST not in lane.devices and command.mode != "staged":
            lane.holds_host = not cards.are_peers(*lane.devices) and holds_host(cards, lane)
    beside = _beside(asked, copies[0], seconds) if command.mode == "overlap" else None
    sampler = Sampler(cards, [*copies, *([beside.lane] if beside else [])], asked.checkpoint)
    sampler.close_gate()
    if len(copies) > 1:
        _balance(copies, sampler.sample())
        sampler.close_gate()
    cargos = [lane.cargo for lane in copies if lane.cargo is not None]
    checks = Checks(asked, cargos)
    samples: list[Sample] = []
    for number in range(command.samples):
        asked.checkpoint()
        checks.prepare(number)
        samples.append(sampler.sample())
        checks.look(number)
        asked.on_sample(number + 1)
    checks.compare_one_by_one(lambda: _ask_each(asked, copies), copies[0].loops)
    host, until_asked = _single(asked, copies[0])
    if command.mode == "latency":  # many in a row, as other tools count it
        usual = statistics.median(sample.asked for sample in samples)
        until_asked = usual / copies[0].loops
    each = [_each(lane, samples, number) for number, lane in enumerate(copies)]
    back = 1 if command.both_ways else 0
    return Measured(
        command.id,
        each[0],
        host,
        until_asked,
        each[1] if back else (),
        tuple(each[1 + back :]),
        alone_s=beside.alone if beside else None,
        copying_s=beside.copying if beside else None,
        together_s=statistics.median(each.together for each in samples) if beside else None,
        loops=copies[0].loops,
        gated=all(sample.gated for sample in samples),
        overlap=_overlap(samples),
        intact=checks.intact,
        wrong=checks.wrong,
        compared_samples=checks.samples,
        compared_copies=checks.one_by_one,
        direct=asked.direct(),
        notes=(*asked.notes(), *_notes(sampler, copies, samples), *checks.notes),
    )


def _copying_lanes(asked: Asked) -> "list[Lane]":
    """The measured one first."""
    job, cards = asked.job, asked.cards
    if job.mode == "staged":
        cargo = asked.cargo(job.source, job.target)
        with asked.taking_near(job.source):
            return [staged_lane(cards, cargo, job.bytes)]
    ways = [(job.source, job.target)]
    if job.both_ways:
        ways.append((job.target, job.source))
    cargos = [asked.cargo(*way) for way in (*ways, *job.beside)]
    return [lane_of(cards, cargo, mode=job.mode) for cargo in cargos]


def _beside(asked: Asked, copies: Lane, seconds: float) -> _Beside:
    lane = computing_lane(asked.cards, copies.card, seconds * copies.loops, asked.checkpoint)
    return _Beside(lane, _alone(asked, lane), _alone(asked, copies))


def _alone(asked: Asked, lane: Lane) -> float:
    sampler = Sampler(asked.cards, [lane], asked.checkpoint)
    sampler.close_gate()
    return statistics.median(sampler.sample().together for _ in range(asked.command.samples))


def _balance(lanes: Sequence[Lane], sample: Sample) -> None:
    """A lane that ended early left the way to the others, who were then no longer disturbed."""
    most = min(MOST_LOOPS, *(QUEUE_HOLDS // lane.operations for lane in lanes))
    counts = balanced([lane.loops for lane in lanes], sample.seconds, most)
    for lane, loops in zip(lanes, counts, strict=True):
        lane.loops = loops


def _each(lane: Lane, samples: Sequence[Sample], number: int) -> "tuple[float, ...]":
    """Seconds of one copy."""
    return tuple(sample.seconds[number] / lane.loops for sample in samples)


def _ask_each(asked: Asked, lanes: Sequence[Lane]) -> None:
    for lane in lanes:
        with asked.cards.on(*lane.streams):
            lane.ask()
            lane.finish()


def _single(asked: Asked, lane: Lane) -> "tuple[float, float]":
    with asked.cards.on(*lane.streams):
        return single_call(asked.cards, lane.ask, lane.devices)


def _overlap(samples: Sequence[Sample]) -> "float | None":
    """The least that is usual; None where a gate let all begin at once."""
    seen = [each.overlap for each in samples if each.overlap is not None]
    return statistics.median(seen) if seen else None


def _notes(
    sampler: Sampler, copies: Sequence[Lane], samples: Sequence[Sample]
) -> "list[Message]":
    found = []
    if sampler.no_gate:
        found.append(sampler.no_gate)
    elif not all(sample.gated for sample in samples):
        found.append(TOO_SLOW)
    overlap = _overlap(samples)
    if overlap is not None:
        found.append(
            Message(
                "By the host's clock, for {share:.0f} % of the shortest they were under way at "
                "the same time.",
                share=overlap * 100,
            )
        )
    elif len(copies) > 1:
        usual = [
            statistics.median(sample.seconds[number] for sample in samples)
            for number in range(len(copies))
        ]
        if (share := alone_share(usual)) > _ENDED_EARLY:
            found.append(
                Message(
                    "One of the copies ended early: {share:.0f} % of the time it was alone.",
                    share=share * 100,
                )
            )
    return found
