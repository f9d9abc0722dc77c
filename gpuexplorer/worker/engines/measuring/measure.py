"""The answer to a Measure: one copy, timed as it should be, and looked at when it arrived.

By the host's clock; by the card's, where all copies of a sample were asked for before the first
began; and beside a computation also such as keep the host waiting, as PyTorch does by itself.
"""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Event, Hello, Measured, Sampled, Wrong
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.engines.measuring.lanes import (
    TOO_SLOW,
    Lane,
    Sample,
    Sampler,
    balance,
    computing_lane,
    holds_host,
    host_lane,
    lane_of,
    staged_lane,
)
from gpuexplorer.worker.engines.measuring.plan import (
    HOST,
    LATENCY_LOOPS,
    MOST_LOOPS,
    copy_needs,
    engine_of,
    host_loops_for,
    loops_for,
    made_to_fit,
    refuse_copy,
    size_in_words,
)
from gpuexplorer.worker.engines.measuring.products import multiply
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards, explained, given_back

_ENDED_EARLY = 0.15
_MOST_TURNS = 20
_IN_CACHES = 32 << 20
_ALL_ROUNDS_BELOW = 64 << 20
_LEAST_ONE_BY_ONE = 4  # copies
_ONE_BY_ONE, _MOST_ONE_BY_ONE = 0.5, 5.0  # seconds


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
    asked = _Asked(command, cards, say, checkpoint)
    say(given_back(cards, partial(_measured, asked)))


def _measured(asked: "_Asked") -> Measured:
    """Memory first; then the link is warmed up, and the copies are timed and compared."""
    command, cards = asked.command, asked.cards
    try:
        made, why_fewer = made_to_fit(command, cards.free_bytes)
        asked = replace(asked, command=made)
        if command.mode == "blocking":
            measured = _blocking(asked)
        elif command.is_timed_by_host:
            measured = _by_host(asked)
        else:
            measured = _in_queue(asked)
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


def _by_host(asked: "_Asked") -> Measured:
    """Nothing waits in a queue: the host's clock times them, and all cards are waited for."""
    command = asked.command
    lane = host_lane(asked.cards, asked.cargo(command.source, command.target))
    with asked.near(lane.card):
        most = host_loops_for(lane.warmed(asked.checkpoint))
        loops = most if command.local else min(most, MOST_LOOPS)
        if command.mode == "latency":
            loops = LATENCY_LOOPS
        checks = _Checks(asked, [lane])
        samples = [lane.timed(loops) for _ in checks.rounds()]
        checks.compare_one_by_one(loops)
        host, until_asked = lane.single_call()
        if command.mode == "latency":  # many in a row, as other tools count it
            until_asked = statistics.median(each for _, each in samples)
        return checks.measured([took for took, _ in samples], (host, until_asked), loops)


def _in_queue(asked: "_Asked") -> Measured:
    """Behind a gate, by the card's clock. The measured lane is the first."""
    job, cards = asked.command, asked.cards
    if job.mode == "staged":
        cargo = asked.cargo(job.source, job.target)
        with asked.taking_near(job.source):
            copies = [staged_lane(cards, cargo, job.bytes)]
    else:
        back = [(job.target, job.source)] if job.both_ways else []
        ways = [(job.source, job.target), *back, *job.beside]
        copies = [lane_of(cards, cargo) for cargo in [asked.cargo(*way) for way in ways]]
    with asked.near(copies[0].card):
        return _behind_a_gate(asked, copies)


def _behind_a_gate(asked: "_Asked", copies: "list[Lane]") -> Measured:
    """How many copies each lane makes, then the samples."""
    command, cards = asked.command, asked.cards
    latency = command.mode == "latency"
    for lane in copies:
        seconds = lane.warmed(asked.checkpoint)
        lane.loops = LATENCY_LOOPS if latency else loops_for(seconds, lane.operations)
        if len(lane.devices) == 2 and HOST not in lane.devices and command.mode != "staged":
            lane.holds_host = not cards.are_peers(*lane.devices) and holds_host(cards, lane)
    measured, lanes, beside = copies[0], copies, {}
    if command.mode == "overlap":
        share = seconds * measured.loops
        computing = computing_lane(cards, measured.card, share, asked.checkpoint)
        beside = {"alone_s": _alone(asked, computing), "copying_s": _alone(asked, measured)}
        lanes = [measured, computing]
    if len(copies) > 1:
        balance(copies, Sampler(cards, copies, asked.checkpoint).sample())
    sampler = Sampler(cards, lanes, asked.checkpoint)
    checks = _Checks(asked, copies)
    samples = [sampler.sample() for _ in checks.rounds()]
    checks.compare_one_by_one(measured.loops)
    host, until_asked = measured.single_call()
    if latency:  # many in a row, as other tools count it
        until_asked = statistics.median(each.asked for each in samples) / measured.loops
    each = [
        tuple(sample.seconds[number] / lane.loops for sample in samples)
        for number, lane in enumerate(copies)
    ]
    if beside:
        beside["together_s"] = statistics.median(sample.together for sample in samples)
    overlaps = [each.overlap for each in samples if each.overlap is not None]
    # The least that is usual; None where a gate let all begin at once.
    overlap = statistics.median(overlaps) if overlaps else None
    back = 1 if command.both_ways else 0
    return checks.measured(
        each[0],
        (host, until_asked),
        measured.loops,
        _notes(sampler, samples, overlap, len(copies)),
        back_samples_s=each[1] if back else (),
        beside_samples_s=tuple(each[1 + back :]),
        gated=all(sample.gated for sample in samples),
        overlap=overlap,
        **beside,
    )


def _alone(asked: "_Asked", lane: Lane) -> float:
    """What it takes without the other."""
    sampler = Sampler(asked.cards, [lane], asked.checkpoint)
    return statistics.median(sampler.sample().together for _ in range(asked.command.samples))


def _notes(
    sampler: Sampler, samples: Sequence[Sample], overlap: "float | None", copies: int
) -> "Iterator[Message]":
    if sampler.no_gate:
        yield sampler.no_gate
    elif not all(sample.gated for sample in samples):
        yield TOO_SLOW
    if overlap is not None:
        yield Message(
            "By the host's clock, for {share:.0f} % of the shortest they were under way at the "
            "same time.",
            share=overlap * 100,
        )
        return
    usual = [statistics.median(e.seconds[number] for e in samples) for number in range(copies)]
    alone = 1 - min(usual) / max(usual)
    if alone > _ENDED_EARLY:
        yield Message(
            "One of the copies ended early: {share:.0f} % of the time it was alone.",
            share=alone * 100,
        )


def _blocking(asked: "_Asked") -> Measured:
    """Copies and computing in turn. Beside `overlap`, this shows what waiting costs."""
    command, cards = asked.command, asked.cards
    lane = host_lane(cards, asked.cargo(command.source, command.target))
    with asked.near(lane.card):
        seconds = lane.warmed(asked.checkpoint)
        computing = computing_lane(cards, lane.card, seconds, asked.checkpoint)
        turns = min(_MOST_TURNS, loops_for(seconds))
        checks = _Checks(asked, [lane])
        samples, alone, together = [], [], []
        for _ in checks.rounds():
            alone.append(_in_turns(computing, turns, None)[0])
            took, copied = _in_turns(computing, turns, lane)
            together.append(took)
            samples.append(copied)
        checks.compare_one_by_one(turns)
        return checks.measured(
            samples,
            lane.single_call(),
            turns,
            alone_s=statistics.median(alone),
            copying_s=statistics.median(samples) * turns,
            together_s=statistics.median(together),
        )


def _in_turns(computing: Lane, turns: int, copying: "Lane | None") -> "tuple[float, float]":
    """So many turns of some products and one copy, all in one queue: seconds until all is done,
    and of a copy by the card's clock.
    """
    cards, stream = computing.cards, computing.stream
    devices = computing.devices if copying is None else copying.devices
    marks: list[tuple[Any, Any]] = []
    cards.synchronize(*devices)
    began = cards.now()
    with cards.on(*computing.streams):
        for _ in range(turns):
            for _ in range(computing.loops):
                computing.ask()
            if copying is None:
                continue
            begin, end = cards.event(), cards.event()
            begin.record(stream)
            copying.ask()
            end.record(stream)
            marks.append((begin, end))
    cards.synchronize(*devices)
    took = cards.now() - began
    return took, sum(begin.elapsed_time(end) for begin, end in marks) / 1000 / turns


@dataclass(frozen=True)
class _Asked:
    """What was asked for, with all that carrying it out takes. `checkpoint` raises where it was
    given up.
    """

    command: Measure
    cards: TorchCards
    say: "Callable[[Event], None]"
    checkpoint: "Callable[[], None]"
    taken_near: "list[bool | None]" = field(default_factory=list)

    def near(self, device: str) -> "AbstractContextManager[bool | None]":
        """On the processors that are close to it; None: nobody told which they are."""
        numbers = processors(dict(self.command.near).get(device, ""))
        return self.cards.on_processors(numbers) if numbers else nullcontext()

    @contextmanager
    def taking_near(self, device: str) -> "Iterator[bool | None]":
        """The same, for memory of the host that a card copies from or to."""
        with self.near(device) as near:
            self.taken_near.append(near)
            yield near

    @property
    def took_near(self) -> "bool | None":
        """All memory of the host; None where it is not known, or none was taken."""
        known = [each for each in self.taken_near if each is not None]
        return all(known) if known and len(known) == len(self.taken_near) else None

    def cargo(self, source: str, target: str) -> Cargo:
        job = self.command
        card = engine_of(source, target)
        near = nullcontext if card == HOST else partial(self.taking_near, card)
        pinned, pieces = bool(job.pinned), job.pieces
        return Cargo(
            self.cards, source, target, job.bytes, pinned=pinned, pieces=pieces, near=near
        )

    @property
    def direct(self) -> "bool | None":
        """As the driver says; None where it is not about two cards."""
        job = self.command
        if job.touches_host or job.local:
            return None
        return job.mode != "staged" and self.cards.are_peers(job.source, job.target)

    @property
    def cache_that_holds_it(self) -> "int | None":
        """Bytes of the card's cache, where both ends fit into it."""
        job = self.command
        size = self.cards.cache_bytes(job.source) if job.local else None
        return size if size is not None and 2 * job.bytes <= size else None

    def notes(self) -> "Iterator[Message]":
        """What is true of it before it is measured."""
        job = self.command
        if self.direct is False and job.mode != "staged":
            yield Message(
                "{source} and {target} cannot reach each other's memory: the driver takes the "
                "bytes through the host.",
                source=job.source,
                target=job.target,
            )
        if self.took_near is False:
            yield Message(
                "This program may not run on the processors close to the card, so the host's "
                "memory may lie far from it."
            )
        if self.cache_that_holds_it is not None:
            yield Message(
                "Both ends fit into the card's cache (L2, {size}), which is faster than its "
                "memory.",
                size=size_in_words(self.cache_that_holds_it),
            )
        if not job.touches_host:
            return
        threads = self.cards.threads()
        if job.local and threads > 1:
            yield Message("PyTorch copies with {threads} threads here.", threads=threads)
        if job.local and 2 * job.bytes <= _IN_CACHES:
            yield Message("So few bytes may stay in the processor's caches, which are warm.")
        if not job.local and job.pinned is None:
            yield Message("The host's memory was not pinned.")


def processors(listed: str) -> "frozenset[int]":
    """As Linux lists them: "0-3,8". Empty for what is no such list."""
    found: set[int] = set()
    for part in listed.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            return frozenset()
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


class _Checks:
    """Whether what was measured also arrived. Targets are wiped before a round that will be
    compared; of a sample only the last copy can be: each takes the place of the one before.
    """

    def __init__(self, asked: _Asked, lanes: Sequence[Lane]) -> None:
        self._asked, self._lanes = asked, lanes
        self._cargos = [lane.cargo for lane in lanes if lane.cargo is not None]
        self._samples = 0  # of which the last copy was compared
        self._one_by_one = 0  # further copies, each compared
        self._rounds = 0  # that were wrong
        self._worst: Wrong | None = None
        self._explained: dict[tuple[str, str], Message] = {}

    def rounds(self) -> "Iterator[None]":
        """One for each sample. Between them a measurement may be given up."""
        command = self._asked.command
        for number in range(command.samples):
            self._asked.checkpoint()
            # Reading back takes longer than copying, so of large ones only some are looked at.
            some = number in (0, command.samples // 2, command.samples - 1)
            compared = some or command.bytes <= _ALL_ROUNDS_BELOW
            if compared:
                self._wipe()
            yield
            if compared:
                self._samples += 1
                self._compare()
            self._asked.say(Sampled(command.id, number + 1, command.samples))

    def compare_one_by_one(self, loops: int) -> None:
        """One more sample that nobody times, for what spoils some copies only."""
        cards = self._asked.cards
        devices = dict.fromkeys(name for each in self._cargos for name in each.ends)
        began = cards.now()
        most = min(loops, MOST_LOOPS) if loops > 1 else 0  # else each sample is one copy
        while self._one_by_one < most:
            enough = self._one_by_one >= _LEAST_ONE_BY_ONE  # of large ones, only some in a row
            if cards.now() - began >= (_ONE_BY_ONE if enough else _MOST_ONE_BY_ONE):
                break
            self._asked.checkpoint()
            self._wipe()
            for lane in self._lanes:
                lane.once()
            cards.synchronize(*devices)
            self._one_by_one += 1
            self._compare()

    def measured(
        self,
        samples: "Sequence[float]",
        single: "tuple[float, float]",
        loops: int,
        notes: "Iterable[Message]" = (),
        **more: Any,
    ) -> Measured:
        """With what was found of what arrived. `single`: a call with the wait, and without."""
        wrong = self._worst
        if wrong is not None:
            compared = self._samples + self._one_by_one
            wrong = replace(wrong, rounds=self._rounds, checked=compared)
        return Measured(
            self._asked.command.id,
            tuple(samples),
            *single,
            loops=loops,
            intact=wrong is None,
            wrong=() if wrong is None else (wrong,),
            compared_samples=self._samples,
            compared_copies=self._one_by_one,
            direct=self._asked.direct,
            notes=(*self._asked.notes(), *notes, *self._explained.values()),
            **more,
        )

    def _wipe(self) -> None:
        for cargo in self._cargos:
            cargo.wipe()

    def _compare(self) -> None:
        found = [(cargo, wrong) for cargo in self._cargos if (wrong := cargo.check())]
        self._rounds += bool(found)
        for cargo, wrong in found:
            if cargo.ends not in self._explained:
                self._explained[cargo.ends] = _explanation(cargo)
            if self._worst is None or wrong.bytes > self._worst.bytes:
                self._worst = wrong


def _explanation(cargo: Cargo) -> Message:
    """Once for each way: which of the ways is to blame."""
    source, target = cargo.ends
    if cargo.is_source_as_sent():
        return Message(
            "{source} to {target}: wrong bytes, while {source} still holds the right ones.",
            source=source,
            target=target,
        )
    return Message(
        "{source} to {target}: {source} itself does not hold what it was given, so the way "
        "from the host to it may be to blame.",
        source=source,
        target=target,
    )
