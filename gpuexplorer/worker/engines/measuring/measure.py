"""Copies, measured in the order of docs/copies.md: memory first, awake, a gate, samples by the
card's clock, and all that arrived compared.
"""

import ctypes
import itertools
import os
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import Hello, Measured, Sampled, Wrong
from gpuexplorer.lab.wire import CopyJob, Measure, Multiply, fitted
from gpuexplorer.worker.engines.measuring.lanes import MOST_LOOPS, Checkpoint, Lane, Sampler
from gpuexplorer.worker.engines.measuring.products import multiply
from gpuexplorer.worker.engines.measuring.torch_cards import HOST, Say, TorchCards, given_back

_READ_AT_ONCE = 16 << 20  # where targets are wiped and read back
_WIPED = 0xA5  # neither nothing nor what was sent
_BLOCK = 8 << 20  # of random bytes
_IN_CACHES = 32 << 20
_BETWEEN_CARDS = 5  # operations that PyTorch makes of one copy from card to card
_MOST_TURNS = 20
_ALL_ROUNDS_BELOW = 64 << 20
# Copies that are compared one by one, and the seconds that may take.
_LEAST_ONE_BY_ONE, _ONE_BY_ONE, _MOST_ONE_BY_ONE = 4, 0.5, 5.0
# Rows of the matrices that are multiplied beside a copy, and how often those the left has:
# on the fastest card one product then takes ten times as long as asking for it.
PRODUCT, _TALL, _MOST_PRODUCTS = 1024, 4, 500
_NOTES = {
    "no peers": mark(
        "{source} and {target} cannot reach each other's memory: the driver takes the bytes "
        "through the host."
    ),
    "far": mark(
        "This program may not run on the processors close to the card, so the host's memory "
        "may lie far from it."
    ),
    "card's cache": mark(
        "Both ends fit into the card's cache (L2, {cache}), which is faster than its memory."
    ),
    "threads": mark("PyTorch copies with {threads} threads here."),
    "caches": mark("So few bytes may stay in the processor's caches, which are warm."),
}


def carry_out(
    command: "Measure | Multiply", hello: Hello, say: Say, checkpoint: Checkpoint
) -> None:
    """On the devices that the worker said hello with."""
    if hello.simulated:
        raise Trouble(
            "Simulated cards are not measured: the program models their times.",
            "Measure on a machine with cards, or look at the modelled times.",
        )
    if isinstance(command, Measure):
        measure(command, TorchCards(), say, checkpoint)
    else:
        multiply(command, TorchCards(), say, checkpoint)


def measure(command: Measure, cards: TorchCards, say: Say, checkpoint: Checkpoint) -> None:
    """Says Sampled after each sample and Measured at the end; all memory is given back."""

    def work() -> Measured:
        made, why_fewer = made_to_fit(command, cards)
        measured = _Measurement(made, cards, say, checkpoint).measured()
        if not why_fewer:
            return measured
        return replace(measured, fewer_bytes=made.bytes, notes=(why_fewer, *measured.notes))

    way = Message("{source} to {target}", source=command.source, target=command.target)
    say(given_back(cards, _needs(command), way, work))


def made_to_fit(command: Measure, cards: TorchCards) -> "tuple[Measure, Message]":
    """With fewer bytes where they have to be, and why. Raises Trouble where a side would have
    to give up more than its share.
    """

    def too_much(job: CopyJob) -> Message:
        what = Message("Measuring {bytes}", bytes=bytes_words(job.bytes))
        needs = _needs(replace(command, bytes=job.bytes))
        return cards.too_much(what, needs, command.most_share)

    if not (why := too_much(command)):
        return command, NOTHING
    size = fitted(command, lambda job: not too_much(job)).bytes
    if size == command.bytes:
        raise Trouble(why, "Measure fewer bytes, or end what holds the memory.")
    fewer = Message("Only {size} were copied.", size=bytes_words(size))
    return replace(command, bytes=size), told(fewer, why)


def _needs(job: CopyJob) -> "Counter[str]":
    """Bytes by device, with what the host holds to compare."""
    found: Counter[str] = Counter()
    for source, target in job.ways:
        for device in (source, target) if source == HOST else (source, target, HOST):
            found[device] += job.bytes
    return found


def engine_of(source: str, target: str) -> str:
    """The device whose queue PyTorch takes: the card's, and of two cards the source's."""
    return target if source == HOST else source


def processors(listed: str) -> "set[int]":
    """As Linux lists them: "0-3,8"."""
    found: set[int] = set()
    for part in filter(None, listed.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


# Any throughout: tensors, streams and events are PyTorch's.
@dataclass
class _Measurement:
    """One copy that is measured, and what was found of what arrived."""

    job: Measure
    cards: TorchCards
    say: Say
    checkpoint: Checkpoint
    # That copy, and those at the same time; the one that is asked about first.
    cargos: "list[Cargo]" = field(default_factory=list)
    lanes: "list[Lane]" = field(default_factory=list)
    # Whether each part of the host's memory lies close to its card; None: not known.
    taken_near: "list[bool | None]" = field(default_factory=list)
    compared_samples: int = 0  # of which the last copy was
    compared_copies: int = 0  # further ones, each by itself
    wrong_rounds: int = 0
    worst: "Wrong | None" = None
    blamed: "dict[tuple[str, str], Message]" = field(default_factory=dict)

    def measured(self) -> Measured:
        job = self.job
        for source, target in job.ways:
            self.cargos.append(Cargo(self.cards, source, target, job, self._take))
            self.lanes.append(self._lane(self.cargos[-1]))
        blocking = job.mode == "blocking"
        with self._near(engine_of(job.source, job.target)):
            for lane in self.lanes:
                seconds = lane.warmed(self.checkpoint)
                lane.loops = MOST_LOOPS if job.mode == "latency" else lane.loops
            return self._beside_products(seconds) if blocking else self._sampled(seconds)

    def _sampled(self, seconds: float) -> Measured:
        """Behind a gate, by the card's clock; by the host's where nothing waits in a queue."""
        job, lanes, computing = self.job, self.lanes, list[Lane]()
        alone: dict[str, Any] = {}  # seconds
        if job.mode == "overlap":
            computing = [self._products(seconds * lanes[0].loops)]
            for what, lane in (("alone_s", computing[0]), ("copying_s", lanes[0])):
                sampler = self._sampler(lane)
                each = [sampler.sample().together for _ in range(job.samples)]
                alone[what] = statistics.median(each)
        sampler = self._sampler(*lanes, *computing)
        if len(lanes) > 1:
            sampler.balance()
        samples = [sampler.sample() for _ in self._rounds()]
        if computing:
            alone["together_s"] = statistics.median(each.together for each in samples)
        times = [
            tuple(each.seconds[number] / lane.loops for each in samples)
            for number, lane in enumerate(lanes)
        ]
        asked = statistics.median(each.asked for each in samples) / lanes[0].loops
        notes = [sampler.no_gate] if sampler.no_gate else []
        overlap = None
        if overlaps := [each.overlap for each in samples if each.overlap is not None]:
            overlap = statistics.median(overlaps)
            words = mark(
                "By the host's clock, for {share:.0f} % of the shortest they were under way at "
                "the same time."
            )
            notes.append(Message(words, share=overlap * 100))
        return replace(
            self._told(times[0], asked, notes),
            back_samples_s=times[1] if job.both_ways else (),
            beside_samples_s=tuple(times[1 + job.both_ways :]),
            gated=None if job.is_timed_by_host else all(each.gated for each in samples),
            overlap=overlap,
            **alone,
        )

    def _beside_products(self, seconds: float) -> Measured:
        """Some products and one copy, again and again, all in one queue. Beside `overlap`, this
        shows what waiting for each copy costs.
        """
        [lane] = self.lanes
        products = self._products(seconds)
        turns = lane.loops = min(_MOST_TURNS, lane.loops)

        def ask() -> None:
            for _ in range(products.loops):
                products.ask()
            lane.ask()

        both = Lane(self.cards, products.card, products.streams, ask, lane.devices)
        samples, alone, together = [], [], []
        for _ in self._rounds():
            alone.append(products.timed(turns * products.loops)[0] * turns * products.loops)
            samples.append(lane.timed(turns)[0])
            together.append(both.timed(turns)[0] * turns)
        return replace(
            self._told(samples),
            alone_s=statistics.median(alone),
            copying_s=statistics.median(samples) * turns,
            together_s=statistics.median(together),
        )

    def _lane(self, cargo: "Cargo") -> Lane:
        """As PyTorch takes them, or staged."""
        if self.job.mode == "staged":
            return self._staged_lane(cargo)
        cards, card, devices = self.cards, engine_of(*cargo.ends), dict.fromkeys(cargo.ends)
        waits = self.job.mode == "blocking" or self.job.is_timed_by_host
        # PyTorch lets a copy between cards wait for the current stream of the other card too.
        # Were that one shared, lanes would wait for each other.
        others = [each for each in devices if each not in (HOST, card)]
        streams = [] if waits else [cards.stream(each) for each in (*others, card)]

        def ask() -> None:
            for to, come_from in cargo.pairs:
                cards.copy(to, come_from, wait=waits)

        operations = len(cargo.pairs) * (_BETWEEN_CARDS if others else 1)
        return Lane(cards, card, streams, ask, tuple(devices), operations)

    def _staged_lane(self, cargo: "Cargo") -> Lane:
        """Through two pieces of pinned memory: while one is filled, the other is emptied."""
        cards, (source, target), size = self.cards, cargo.ends, self.job.bytes
        coming, going = cards.stream(source), cards.stream(target)
        chunk = min(size, max(-(-size // 64), min(4 << 20, max(size // 8, 1 << 18))))
        rooms = [self._take(HOST, chunk, source, pinned=True) for _ in range(2)]
        filled, emptied = ([cards.event(), cards.event()] for _ in range(2))
        parts = [*zip(cargo.target.split(chunk), cargo.source.split(chunk), strict=True)]

        def ask() -> None:
            for number, (to, come_from) in enumerate(parts):
                slot = number % 2
                room = rooms[slot][: len(to)]
                coming.wait_event(emptied[slot])  # which says nothing yet the first time
                cards.copy(room, come_from, wait=False)
                filled[slot].record(coming)
                with cards.on(going):
                    going.wait_event(filled[slot])
                    cards.copy(to, room, wait=False)
                    emptied[slot].record(going)

        def finish() -> None:
            for each in emptied:
                coming.wait_event(each)

        operations = 3 * len(parts)  # in each of the two queues
        return Lane(cards, source, [coming], ask, cargo.ends, operations, finish)

    def _products(self, seconds: float) -> Lane:
        """One product of matrices after the other, for about so many seconds."""
        cards, card = self.cards, engine_of(self.job.source, self.job.target)
        row = PRODUCT * torch.float32.itemsize
        left, right, out = (
            cards.take(card, rows * row).view(torch.float32).view(-1, PRODUCT)
            for rows in (_TALL * PRODUCT, PRODUCT, _TALL * PRODUCT)
        )
        ask = partial(cards.multiply, out, left, right)
        lane = Lane(cards, card, [cards.stream(card)], ask, (card,))
        one = lane.warmed(self.checkpoint)
        lane.loops = max(1, min(_MOST_PRODUCTS, round(seconds / one)))
        return lane

    def _sampler(self, *lanes: Lane) -> Sampler:
        return Sampler(self.cards, lanes, self.checkpoint)

    def _near(self, device: str) -> "AbstractContextManager[bool | None]":
        """On the processors that are close to it; None: nobody told which they are."""
        numbers = processors(dict(self.job.near).get(device, ""))
        return self.cards.on_processors(numbers) if numbers else nullcontext()

    def _take(self, device: str, size: int, card: str, *, pinned: bool) -> Any:
        """The host's memory is taken close to the card that copies from or to it."""
        if device != HOST:
            return self.cards.take(device, size)
        with self._near(card) as near:
            memory = self.cards.take(HOST, size, pinned=pinned)
            if near and not pinned:  # it lies where it is touched first
                ctypes.memset(memory.data_ptr(), 0, size)
        self.taken_near.append(near)
        return memory

    def _rounds(self) -> "Iterator[None]":
        """One for each sample. Of it only the last copy can be compared: each takes the place
        of the one before. So one more that nobody times is compared copy by copy, for what
        spoils some only.
        """
        job, cards = self.job, self.cards
        for number in range(job.samples):
            self.checkpoint()
            # Reading back takes longer than copying, so of large ones only some are looked at.
            some = number in (0, job.samples // 2, job.samples - 1)
            compared = some or job.bytes <= _ALL_ROUNDS_BELOW
            if compared:
                self._wipe()
            yield
            if compared:
                self.compared_samples += 1
                self._compare()
            self.say(Sampled(job.id, number + 1, job.samples))
        began, loops = cards.now(), self.lanes[0].loops
        most = min(loops, MOST_LOOPS) if loops > 1 else 0  # else each sample is one copy
        while self.compared_copies < most:
            enough = self.compared_copies >= _LEAST_ONE_BY_ONE
            if cards.now() - began >= (_ONE_BY_ONE if enough else _MOST_ONE_BY_ONE):
                return
            self.checkpoint()
            self._wipe()
            for lane in self.lanes:
                with cards.on(*lane.streams):
                    lane.ask()
                    lane.finish()
            cards.synchronize(*_needs(job))
            self.compared_copies += 1
            self._compare()

    def _wipe(self) -> None:
        """So that what is found afterwards was brought by the copies."""
        blank = torch.full((min(self.job.bytes, _READ_AT_ONCE),), _WIPED, dtype=torch.uint8)
        for cargo in self.cargos:
            for part in cargo.target.split(_READ_AT_ONCE):
                self.cards.copy(part, blank[: len(part)], wait=True)

    def _compare(self) -> None:
        """And say of each way that is wrong, once, whether it is itself to blame."""
        found = [
            (cargo, wrong)
            for cargo in self.cargos
            if (wrong := cargo.wrong_bytes(cargo.target, cargo.ends[1]))
        ]
        self.wrong_rounds += bool(found)
        for cargo, wrong in found:
            source, target = cargo.ends
            if self.worst is None or wrong.bytes > self.worst.bytes:
                self.worst = wrong
            if cargo.ends in self.blamed:
                continue
            blame = mark(
                "{source} to {target}: wrong bytes, while {source} still holds the right ones."
            )
            if cargo.wrong_bytes(cargo.source, source):
                blame = mark(
                    "{source} to {target}: {source} itself does not hold what it was given, so "
                    "the way from the host to it may be to blame."
                )
            self.blamed[cargo.ends] = Message(blame, source=source, target=target)

    def _told(
        self, samples: "Sequence[float]", in_a_row: float = 0.0, notes: "Sequence[Message]" = ()
    ) -> Measured:
        """With what was found of what arrived. `in_a_row`: what asking takes where many are, as
        other tools count a latency.
        """
        job, cards, worst = self.job, self.cards, self.worst
        took, asked = self.lanes[0].single_call()
        if worst is not None:
            compared = self.compared_samples + self.compared_copies
            worst = replace(worst, rounds=self.wrong_rounds, checked=compared)
        direct = near = None
        if not job.touches_host and not job.local:
            direct = job.mode != "staged" and cards.are_peers(job.source, job.target)
        if self.taken_near and None not in self.taken_near:
            near = all(self.taken_near)
        cache = (cards.cache_bytes(job.source) if job.local else None) or 0
        threads, on_host = torch.get_num_threads(), job.touches_host and job.local
        true = {
            "no peers": direct is False and job.mode != "staged",
            "far": near is False,
            "card's cache": 2 * job.bytes <= cache,
            "threads": on_host and threads > 1,
            "caches": on_host and 2 * job.bytes <= _IN_CACHES,
        }
        values = {"source": job.source, "target": job.target, "threads": threads}
        values["cache"] = bytes_words(cache)
        always = [Message(_NOTES[each], **values) for each, met in true.items() if met]
        return Measured(
            job.id,
            tuple(samples),
            took,
            in_a_row if job.mode == "latency" else asked,
            loops=self.lanes[0].loops,
            intact=worst is None,
            wrong=() if worst is None else (worst,),
            compared_samples=self.compared_samples,
            compared_copies=self.compared_copies,
            direct=direct,
            near=near,
            in_cache=true["card's cache"],
            notes=(*always, *notes, *self.blamed.values()),
        )


class Cargo:
    """Random bytes on their source, and room on their target."""

    def __init__(
        self, cards: TorchCards, source: str, target: str, job: CopyJob, take: Any
    ) -> None:
        self.ends = source, target  # by name
        self._cards = cards
        card, pinned, size = engine_of(source, target), bool(job.pinned), job.bytes
        self.target = take(target, size, card, pinned=pinned)
        self.source = take(source, size, card, pinned=pinned)
        # What the source holds, as the host knows it.
        self._sent = self.source
        if source != HOST:
            self._sent = torch.empty(size, dtype=torch.uint8)
        # By a generator of its own: the lab's random numbers go on as if none had been drawn. A
        # block that lands a block too far is not what should be there.
        chance = torch.Generator().manual_seed(int.from_bytes(os.urandom(7), "big"))
        block = torch.randint(0, 256, (min(size, _BLOCK),), dtype=torch.uint8, generator=chance)
        for number, part in enumerate(self._sent.split(_BLOCK)):
            torch.add(block[: len(part)], number % 256, out=part)
        if source != HOST:
            cards.copy(self.source, self._sent, wait=True)
        edges = [size * number // job.pieces for number in range(job.pieces + 1)]
        # Its pieces, the target's first.
        self.pairs = [
            (self.target[a:b], self.source[a:b]) for a, b in itertools.pairwise(edges)
        ]

    def wrong_bytes(self, where: Any, device: str) -> "Wrong | None":
        """Of what lies there, read by way of the host whatever way the copies took."""
        room = torch.empty(min(len(where), _READ_AT_ONCE), dtype=torch.uint8)
        count, first, zeros, begin = 0, -1, True, 0
        parts = zip(where.split(_READ_AT_ONCE), self._sent.split(_READ_AT_ONCE), strict=True)
        for there, sent in parts:
            came = there if device == HOST else room[: len(there)]
            if device != HOST:
                self._cards.copy(came, there, wait=True)
            wide = torch.int64 if len(came) % 8 == 0 else torch.uint8  # which is slower
            if not torch.equal(sent.view(wide), came.view(wide)):
                places = (sent != came).nonzero().flatten()
                first = first if count else begin + int(places[0])
                count += len(places)
                zeros = zeros and not bool(came[places].any())
            begin += len(came)
        return Wrong(1, 1, count, first, zeros) if count else None
