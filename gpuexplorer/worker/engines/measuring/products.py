"""The answer to a Multiply: products of matrices, timed as copies are, and one to check."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event, Multiplied, Sampled
from gpuexplorer.lab.wire import Multiply
from gpuexplorer.worker.engines.measuring.buffers import take
from gpuexplorer.worker.engines.measuring.by_host import single_call, timed
from gpuexplorer.worker.engines.measuring.by_host import warmed as warmed_by_host
from gpuexplorer.worker.engines.measuring.giving_back import given_back
from gpuexplorer.worker.engines.measuring.lanes import Lane
from gpuexplorer.worker.engines.measuring.sampling import Sampler, warmed
from gpuexplorer.worker.measuring.card_errors import of_card
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.plan import host_loops_for, loops_for
from gpuexplorer.worker.measuring.products import (
    CHECKED_ROWS,
    HOST,
    notes_on,
    refuse,
    refuse_what_does_not_fit,
    refuse_what_the_card_cannot,
)

_DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16}
_MOST = 8  # whole numbers up to it, whose products even 16 bits hold without rounding
# Sums of 16 bits may be put together from parts, which are rounded.
_OFF = {torch.bfloat16: 1 / 64}


def multiply(
    command: Multiply,
    cards: Cards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> None:
    """Says Sampled, first with 0 when the device has warmed up, and Multiplied at the end."""
    refuse(command, cards.names())
    say(given_back(cards, lambda: _multiplied(command, cards, say, checkpoint)))


def _multiplied(
    command: Multiply,
    cards: Cards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> Multiplied:
    def on_sample(taken: int) -> None:
        say(Sampled(command.id, taken, command.samples))

    try:
        capability = cards.capability(command.device)
        refuse_what_the_card_cannot(command.job, capability)
        refuse_what_does_not_fit(command, cards.free_bytes)
        with cards.tf32(on=command.kind == "tf32"):
            asked = _Asked(command, cards, _Matrices(cards, command), on_sample, checkpoint)
            times = _by_host(asked) if command.device == HOST else _in_queue(asked)
    except RuntimeError as error:
        raise _explained(error, command, cards) from None
    notes = notes_on(command.job, capability)
    if times.asked_late:
        notes.append(
            Message("What asking takes may be in the times: the queue was not full in time.")
        )
    if times.wrong_values:
        notes.append(
            Message.counted(
                "{count} value of a known product came out wrong.",
                "{count} values of a known product came out wrong.",
                times.wrong_values,
            )
        )
    return Multiplied(
        command.id,
        times.samples,
        times.host,
        times.loops,
        times.gated,
        times.wrong_values == 0,
        times.wrong_values,
        times.loaded,
        notes=tuple(notes),
    )


class _Matrices:
    """Two matrices and their product. What is timed has random values, as work has."""

    def __init__(self, cards: Cards, command: Multiply) -> None:
        self._cards = cards
        self._device = command.device
        size, kind = command.size, _DTYPES[command.kind]
        self.left, self.right, self.product = (
            take(cards, command.device, command.job.matrix_bytes).view(kind).view(size, size)
            for _ in range(3)
        )
        self._known = KnownProduct(size)

    def multiply(self) -> None:
        self._cards.multiply(self.product, self.left, self.right)

    def fill_with_chance(self) -> None:
        """The same each time: what a card draws depends on what it multiplies."""
        chance = torch.Generator(self.left.device).manual_seed(1)
        self.left.normal_(generator=chance)
        self.right.normal_(generator=chance)

    def wrong_values(self) -> int:
        """Of the known product, which takes the place of what was there."""
        self._known.fill(self.left, self.right)
        self.product.zero_()
        self.multiply()
        self._cards.synchronize(self._device)
        return self._known.wrong_values(self.product)


@dataclass(frozen=True)
class _Asked:
    """A measurement that was asked for, with all that carrying it out takes."""

    command: Multiply
    cards: Cards
    matrices: _Matrices
    on_sample: "Callable[[int], None]"
    checkpoint: "Callable[[], None]"


@dataclass(frozen=True)
class _Times:
    """What came of it."""

    samples: "tuple[float, ...]"
    host: float
    loops: int
    gated: "bool | None"
    loaded: float
    wrong_values: int

    @property
    def asked_late(self) -> bool:
        return self.gated is False


def _in_queue(asked: _Asked) -> _Times:
    """By the card's clock. The known product before, and after, when the card is hot."""
    command, cards, matrices = asked.command, asked.cards, asked.matrices
    wrong = matrices.wrong_values()
    matrices.fill_with_chance()
    lane = Lane(
        command.device,
        [cards.stream(command.device)],
        matrices.multiply,
        1,
        devices=(command.device,),
    )
    lane.loops = loops_for(warmed(cards, lane, asked.checkpoint))
    loaded = _kept_at_work(asked, lane)
    asked.on_sample(0)
    sampler = Sampler(cards, [lane], asked.checkpoint)
    sampler.close_gate()
    samples = []
    for number in range(command.samples):
        asked.checkpoint()
        samples.append(sampler.sample())
        asked.on_sample(number + 1)
    with cards.on(*lane.streams):
        host, _ = single_call(cards, lane.ask, lane.devices)
    return _Times(
        tuple(each.seconds[0] / lane.loops for each in samples),
        host,
        lane.loops,
        all(each.gated for each in samples),
        loaded,
        wrong + matrices.wrong_values(),
    )


def _kept_at_work(asked: _Asked, lane: Lane) -> float:
    """The card never waits: while one batch is multiplied, the next is asked for."""
    cards = asked.cards
    began = cards.now()
    before: Any = None  # a mark of the cards' maker
    while cards.now() - began < asked.command.seconds:
        asked.checkpoint()
        mark = cards.event()
        with cards.on(*lane.streams):
            for _ in range(lane.loops):
                lane.ask()
            mark.record(lane.stream)
        if before is not None:
            before.synchronize()
        before = mark
    cards.synchronize(*lane.devices)
    return cards.now() - began


def _by_host(asked: _Asked) -> _Times:
    """The processor is asked and answers: its own clock, no gate."""
    command, cards, matrices = asked.command, asked.cards, asked.matrices
    devices = (command.device,)
    wrong = matrices.wrong_values()
    matrices.fill_with_chance()
    loops = host_loops_for(warmed_by_host(cards, matrices.multiply, devices, asked.checkpoint))
    began = cards.now()
    while cards.now() - began < command.seconds:
        asked.checkpoint()
        matrices.multiply()
    loaded = cards.now() - began
    asked.on_sample(0)
    samples = []
    for number in range(command.samples):
        asked.checkpoint()
        samples.append(timed(cards, matrices.multiply, devices, loops)[0])
        asked.on_sample(number + 1)
    host, _ = single_call(cards, matrices.multiply, devices)
    return _Times(tuple(samples), host, loops, None, loaded, wrong + matrices.wrong_values())


def _explained(error: RuntimeError, command: Multiply, cards: Cards) -> Exception:
    """What PyTorch says of a card is told as what it means for the measurement."""
    words = str(error)
    if not any(name in words for name in ("CUDA", "HIP", "CUBLAS", "cuBLAS")):
        return error
    if "out of memory" in words or "ALLOC_FAILED" in words:
        return error if type(error).__name__ == "OutOfMemoryError" else MemoryError(words)
    if "no kernel image" in words:
        return Trouble(
            "This PyTorch has no kernels for the card, and a product needs one.",
            "Take a PyTorch that was built for the card.",
        )
    if "NOT_SUPPORTED" in words or "ARCH_MISMATCH" in words:
        return Trouble(
            "{device} cannot multiply matrices of {kind}.",
            "Measure another kind of number.",
            device=command.device,
            kind=command.kind,
        )
    broke = Message("A card broke off while {device} multiplied.", device=command.device)
    return of_card(words, cards, (command.device,), command.device, broke)


# Any: tensors are PyTorch's.
class KnownProduct:
    """Row i of the left is a[i] times signs, column j of the right the same signs times b[j].

    So the product's value at i, j is a[i] * b[j] * rows: every sum on the way is a whole
    number that no kind of number here has to round, where `rows` is a power of two.
    """

    def __init__(self, rows: int) -> None:
        chance = torch.Generator().manual_seed(rows)
        self._rows = rows
        self._counted = 1 << (rows.bit_length() - 1)  # signs are 0 from there on
        self._left = _whole(rows, chance)
        self._right = _whole(rows, chance)
        signs = torch.randint(0, 2, (rows,), generator=chance) * 2 - 1
        signs[self._counted :] = 0
        self._signs = signs

    def fill(self, left: Any, right: Any) -> None:
        """In place, on whatever device they are."""
        kind = left.dtype
        signs = self._signs.to(left.device, kind)
        torch.mul(self._left.to(left.device, kind)[:, None], signs[None, :], out=left)
        torch.mul(signs[:, None], self._right.to(right.device, kind)[None, :], out=right)

    def wrong_values(self, product: Any) -> int:
        """How many of the product's values are not what they must be."""
        kind = product.dtype
        down = (self._left * self._counted).to(product.device, kind)
        across = self._right.to(product.device, kind)
        found = 0
        for begin in range(0, self._rows, CHECKED_ROWS):
            part = product[begin : begin + CHECKED_ROWS]
            expected = down[begin : begin + CHECKED_ROWS, None] * across[None, :]
            off = (part - expected).abs() > expected.abs() * _OFF.get(kind, 0.0)
            found += int((off | part.isnan()).sum())
        return found


def _whole(count: int, chance: "torch.Generator") -> Any:
    """From 1 to the most, up or down: a value that was left out shows."""
    numbers = torch.randint(1, _MOST + 1, (count,), generator=chance)
    return numbers * (torch.randint(0, 2, (count,), generator=chance) * 2 - 1)
