"""The answer to a Measure: one copy, timed as it should be, and looked at when it arrived.

By the host's clock; by the card's, where all copies of a sample were asked for before the first
began; and beside a computation also such as keep the host waiting, as PyTorch does by itself.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Event, Hello, Measured, Sampled
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.engines.measuring.asked import Asked, Checks
from gpuexplorer.worker.engines.measuring.lanes import (
    Lane,
    asking,
    lane_of,
    single_call,
    staged_lane,
    timed,
    warmed,
)
from gpuexplorer.worker.engines.measuring.plan import (
    LATENCY_LOOPS,
    MOST_LOOPS,
    QUEUE_HOLDS,
    alone_share,
    balanced,
    host_loops_for,
    loops_for,
)
from gpuexplorer.worker.engines.measuring.products import multiply
from gpuexplorer.worker.engines.measuring.refusals import (
    HOST,
    copy_needs,
    engine_of,
    explained,
    given_back,
    made_to_fit,
    refuse_copy,
)
from gpuexplorer.worker.engines.measuring.sampling import (
    TOO_SLOW,
    Sample,
    Sampler,
    computing_lane,
    holds_host,
)
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_ENDED_EARLY = 0.15
_MOST_TURNS = 20


def carry_out(
    command: Union[Measure, Multiply],  # noqa: UP007 - Python 3.10
    hello: Hello,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> None:
    """On the devices that the worker said hello with."""
    if hello.simulated:
        raise Trouble(
            "Simulated cards are not measured: the program models their times.",
            "Measure on a machine with cards, or look at the modelled times.",
        )
    cards = TorchCards()
    asked = (str(getattr(command, each, "")) for each in ("source", "target", "device"))
    card = next((each for each in asked if each.startswith("cuda")), "")
    why = next((each for each in hello.devices if each.reason), None)
    if card and why is not None and len(cards.names()) == 1:
        missing = Message("There is no {device} here.", device=card)
        raise Trouble(missing, told(why.reason, why.way_out))
    if isinstance(command, Measure):
        measure(command, cards, say, checkpoint)
    else:
        multiply(command, cards, say, checkpoint)


def measure(
    command: Measure,
    cards: TorchCards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> None:
    """Says Sampled after each sample and Measured at the end; all memory is given back."""
    refuse_copy(command, cards.names())

    def on_sample(taken: int) -> None:
        say(Sampled(command.id, taken, command.samples))

    say(given_back(cards, lambda: _measured(command, cards, on_sample, checkpoint)))


def _measured(
    command: Measure,
    cards: TorchCards,
    on_sample: "Callable[[int], None]",
    checkpoint: "Callable[[], None]",
) -> Measured:
    try:
        made, why_fewer = made_to_fit(command, cards.free_bytes)
        asked = Asked(made, cards, on_sample, checkpoint)
        if command.mode == "blocking":
            measured = _blocking(asked)
        elif asked.command.is_timed_by_host:
            measured = _by_host(asked)
        else:
            copies = _copying_lanes(asked)
            with asked.near(copies[0].card):
                measured = _in_queue(asked, copies)
        in_cache = asked.cache_that_holds_it is not None
        measured = replace(measured, near=asked.took_near, in_cache=in_cache)
    except RuntimeError as error:
        no_kernels = Trouble(
            "This PyTorch has no kernels for the card, and this measurement needs one.",
            "Measure a plain copy, or take a PyTorch that was built for the card.",
        )
        way = Message("{source} to {target}", source=command.source, target=command.target)
        broke = Message("A card broke off while {way} was measured.", way=way)
        devices = tuple(copy_needs(command))
        raise explained(error, cards, devices, way, broke, no_kernels) from None
    if not why_fewer:
        return measured
    return replace(measured, fewer_bytes=made.bytes, notes=(why_fewer, *measured.notes))


def _by_host(asked: Asked) -> Measured:
    """Fresh memory is fresh for one copy only, so a sample is one; all other is used again."""
    command, cards = asked.command, asked.cards
    cargo = asked.cargo(command.source, command.target)
    devices = tuple(dict.fromkeys(cargo.ends))
    is_fresh = command.mode == "fresh"
    with asked.near(engine_of(*cargo.ends)):
        ask = asking(cards, cargo, raw=command.mode == "raw")
        loops = _loops(command, warmed(cards, ask, devices, asked.checkpoint))
        checks = Checks(asked, [cargo])
        samples: list[float] = []
        asks: list[float] = []
        for number in asked.rounds():
            if is_fresh:
                cargo.renew()
            else:
                checks.prepare(number)
            took, until_asked = timed(cards, ask, devices, loops)
            samples.append(took)
            asks.append(until_asked)
            checks.look(number)
        checks.compare_one_by_one(ask, loops)
        if is_fresh:
            # Each sample was a single call; one more would find the memory used.
            host, alone = statistics.median(samples), statistics.median(asks)
        else:
            host, alone = single_call(cards, ask, devices)
        if command.mode == "latency":  # many in a row, as other tools count it
            alone = statistics.median(asks)
        return checks.measured(samples, (host, alone), loops)


def _loops(command: Measure, seconds: float) -> int:
    match command.mode:
        case "fresh":
            return 1
        case "latency":
            return LATENCY_LOOPS
    most = host_loops_for(seconds)
    return most if command.local else min(most, MOST_LOOPS)


def _in_queue(asked: Asked, copies: "list[Lane]") -> Measured:
    """How many copies each lane makes, then the samples. The measured lane is the first."""
    command, cards = asked.command, asked.cards
    latency = command.mode == "latency"
    for lane in copies:
        seconds = lane.warmed(asked.checkpoint)
        lane.loops = LATENCY_LOOPS if latency else loops_for(seconds, lane.operations)
        if len(lane.devices) == 2 and HOST not in lane.devices and command.mode != "staged":
            lane.holds_host = not cards.are_peers(*lane.devices) and holds_host(cards, lane)
    lanes, beside = copies, {}
    if command.mode == "overlap":
        share = seconds * copies[0].loops
        computing = computing_lane(cards, copies[0].card, share, asked.checkpoint)
        beside = {"alone_s": _alone(asked, computing), "copying_s": _alone(asked, copies[0])}
        lanes = [*copies, computing]
    sampler = Sampler(cards, lanes, asked.checkpoint)
    sampler.close_gate()
    if len(copies) > 1:
        _balance(copies, sampler.sample())
        sampler.close_gate()
    checks = Checks(asked, [lane.cargo for lane in copies if lane.cargo is not None])
    samples: list[Sample] = []
    for number in asked.rounds():
        checks.prepare(number)
        samples.append(sampler.sample())
        checks.look(number)

    def ask_each() -> None:
        for lane in copies:
            lane.once()

    checks.compare_one_by_one(ask_each, copies[0].loops)
    host, until_asked = copies[0].single_call()
    if latency:  # many in a row, as other tools count it
        until_asked = statistics.median(each.asked for each in samples) / copies[0].loops
    each = [
        tuple(sample.seconds[number] / lane.loops for sample in samples)
        for number, lane in enumerate(copies)
    ]
    if beside:
        beside["together_s"] = statistics.median(sample.together for sample in samples)
    back = 1 if command.both_ways else 0
    return checks.measured(
        each[0],
        (host, until_asked),
        copies[0].loops,
        _notes(sampler, copies, samples),
        back_samples_s=each[1] if back else (),
        beside_samples_s=tuple(each[1 + back :]),
        gated=all(sample.gated for sample in samples),
        overlap=_overlap(samples),
        **beside,
    )


def _copying_lanes(asked: Asked) -> "list[Lane]":
    """The measured one first."""
    job, cards = asked.command, asked.cards
    if job.mode == "staged":
        cargo = asked.cargo(job.source, job.target)
        with asked.taking_near(job.source):
            return [staged_lane(cards, cargo, job.bytes)]
    back = [(job.target, job.source)] if job.both_ways else []
    cargos = [asked.cargo(*way) for way in ((job.source, job.target), *back, *job.beside)]
    return [lane_of(cards, cargo, mode=job.mode) for cargo in cargos]


def _alone(asked: Asked, lane: Lane) -> float:
    """What it takes without the other."""
    sampler = Sampler(asked.cards, [lane], asked.checkpoint)
    sampler.close_gate()
    return statistics.median(sampler.sample().together for _ in range(asked.command.samples))


def _balance(lanes: Sequence[Lane], sample: Sample) -> None:
    """A lane that ended early left the way to the others, which were then not disturbed."""
    most = min(MOST_LOOPS, *(QUEUE_HOLDS // lane.operations for lane in lanes))
    counts = balanced([lane.loops for lane in lanes], sample.seconds, most)
    for lane, loops in zip(lanes, counts, strict=True):
        lane.loops = loops


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


def _blocking(asked: Asked) -> Measured:
    """Copies and computing in turn. Beside `overlap`, this shows what waiting costs."""
    command, cards = asked.command, asked.cards
    cargo = asked.cargo(command.source, command.target)
    devices = tuple(dict.fromkeys(cargo.ends))
    card = engine_of(*cargo.ends)
    with asked.near(card):
        ask = asking(cards, cargo, raw=False)
        seconds = warmed(cards, ask, devices, asked.checkpoint)
        computing = computing_lane(cards, card, seconds, asked.checkpoint)
        turns = min(_MOST_TURNS, loops_for(seconds))
        checks = Checks(asked, [cargo])
        samples, alone, together = [], [], []
        for number in asked.rounds():
            alone.append(_in_turns(asked, computing, turns, None)[0])
            checks.prepare(number)
            took, copied = _in_turns(asked, computing, turns, ask)
            together.append(took)
            samples.append(copied)
            checks.look(number)
        checks.compare_one_by_one(ask, turns)
        return checks.measured(
            samples,
            single_call(cards, ask, devices),
            turns,
            alone_s=statistics.median(alone),
            copying_s=statistics.median(samples) * turns,
            together_s=statistics.median(together),
        )


def _in_turns(
    asked: Asked, computing: Lane, turns: int, copy: "Callable[[], None] | None"
) -> "tuple[float, float]":
    """So many turns of some products and one copy, all in one queue: seconds until all is done,
    and of a copy by the card's clock.
    """
    cards, stream = asked.cards, computing.stream
    devices = (asked.command.source, asked.command.target)
    marks: list[tuple[Any, Any]] = []
    cards.synchronize(*devices)
    began = cards.now()
    with cards.on(*computing.streams):
        for _ in range(turns):
            for _ in range(computing.loops):
                computing.ask()
            if copy is None:
                continue
            begin, end = cards.event(), cards.event()
            begin.record(stream)
            copy()
            end.record(stream)
            marks.append((begin, end))
    cards.synchronize(*devices)
    took = cards.now() - began
    return took, sum(begin.elapsed_time(end) for begin, end in marks) / 1000 / turns
