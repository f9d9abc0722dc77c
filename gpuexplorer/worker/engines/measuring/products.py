"""The answer to a Multiply: products of matrices, timed as copies are, and one to check."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event, Multiplied, Sampled
from gpuexplorer.lab.wire import (
    BYTES_OF,
    NOT_OF_HOST,
    TENSOR_SINCE,
    Multiply,
    no_tensor_cores_for,
)
from gpuexplorer.worker.engines.measuring.lanes import Lane, Sampler
from gpuexplorer.worker.engines.measuring.plan import (
    HOST,
    host_loops_for,
    loops_for,
    size_in_words,
)
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards, explained, given_back

_CHECKED_ROWS = 512  # of the known product, at once
_DTYPES = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}
_MOST = 8  # whole numbers up to it, whose products even 16 bits hold without rounding
_MOST_COUNTED = 512  # so often, which float16 still holds
# Sums of 16 bits may be put together from parts, which are rounded.
_OFF = {torch.bfloat16: 1 / 64, torch.float16: 1 / 64}


def multiply(
    command: Multiply,
    cards: TorchCards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> None:
    """Says Sampled, first with 0 when the device has warmed up, and Multiplied at the end."""
    if command.device not in cards.names():
        raise Trouble(
            "Products are not measured on {device}: it is not here.",
            "This PyTorch has: {names}.",
            device=command.device,
            names=", ".join(cards.names()),
        )
    say(given_back(cards, partial(_multiplied, command, cards, say, checkpoint)))


def _multiplied(
    command: Multiply,
    cards: TorchCards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> Multiplied:
    device = command.device
    try:
        capability = cards.capability(device)
        _refuse(command, cards, capability)
        with cards.tf32(on=command.kind == "tf32"):
            measured = _Products(command, cards, say, checkpoint).measured()
    except RuntimeError as error:
        if any(each in str(error) for each in ("NOT_SUPPORTED", "ARCH_MISMATCH")):
            raise Trouble(
                "{device} cannot multiply matrices of {kind}.",
                "Measure another kind of number.",
                device=device,
                kind=command.kind,
            ) from None
        no_kernels = Trouble(
            "This PyTorch has no kernels for the card, and a product needs one.",
            "Take a PyTorch that was built for the card.",
        )
        broke = Message("A card broke off while {device} multiplied.", device=device)
        raise explained(error, cards, (device,), device, broke, no_kernels) from None
    notes = [*no_tensor_cores_for(command.kind, capability)]
    if measured.gated is False:
        notes.append(
            Message("What asking takes may be in the times: the queue was not full in time.")
        )
    if measured.wrong_values:
        notes.append(
            Message.counted(
                "{count} value of a known product came out wrong.",
                "{count} values of a known product came out wrong.",
                measured.wrong_values,
            )
        )
    return replace(measured, notes=tuple(notes))


def _refuse(command: Multiply, cards: TorchCards, capability: "tuple[int, int] | None") -> None:
    """Raises Trouble. A card without TF32 would go on in FP32, under the other's name; and none
    gives up more than its share of memory.
    """
    device, hint = command.device, "Measure fp32, fp16 or bf16 there."
    if command.kind in NOT_OF_HOST and device == HOST:
        raise Trouble(
            "{kind} is a way in which tensor cores multiply, and the processor has none.",
            "Measure fp32 or bf16, or choose a card.",
            kind=command.kind.upper(),
        )
    if command.kind == "tf32" and capability is None:
        raise Trouble("It is not known whether {device} has TF32.", hint, device=device)
    if command.kind == "tf32" and capability is not None and capability < TENSOR_SINCE["tf32"]:
        raise Trouble(
            "{device} has no TF32: it came with compute capability 8.0, and this card has "
            "{capability}.",
            hint,
            device=device,
            capability="{}.{}".format(*capability),
        )
    # Two matrices, their product, and the rows with which the known one is compared.
    rows = min(_CHECKED_ROWS, command.size)
    need = 3 * command.matrix_bytes + 3 * rows * command.size * BYTES_OF[command.kind]
    free = cards.free_bytes(device)
    if free is not None and need > free * command.most_share:
        raise Trouble(
            "Multiplying {size} x {size} takes {need} on {device}, more than {share:.4g} of "
            "the {free} that are free there.",
            "Take smaller matrices, or end what holds the memory.",
            size=command.size,
            need=size_in_words(need),
            device=device,
            share=command.most_share,
            free=size_in_words(free),
        )


# Any: tensors are PyTorch's.
class _Products:
    """Two matrices and their product. What is timed has random values, as work has."""

    def __init__(
        self,
        command: Multiply,
        cards: TorchCards,
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        self._command, self._cards = command, cards
        self._say, self._checkpoint = say, checkpoint
        device, size, kind = command.device, command.size, _DTYPES[command.kind]
        self._left, self._right, self._product = (
            cards.take(device, command.matrix_bytes).view(kind).view(size, size)
            for _ in range(3)
        )
        self._known = KnownProduct(size)
        streams = () if device == HOST else (cards.stream(device),)
        ask = partial(cards.multiply, self._product, self._left, self._right)
        self._lane = Lane(cards, device, streams, ask, (device,))

    def measured(self) -> Multiplied:
        """By the card's clock, or the processor's. The known product before, and after, when
        the device is hot.
        """
        lane, by_host = self._lane, self._command.device == HOST
        wrong = self._wrong_values()
        # The same each time: what a card draws depends on what it multiplies.
        chance = torch.Generator(self._left.device).manual_seed(1)
        for matrix in (self._left, self._right):
            matrix.normal_(generator=chance)
        seconds, gated = lane.warmed(self._checkpoint), None
        lane.loops = host_loops_for(seconds) if by_host else loops_for(seconds)
        loaded = self._kept_at_work()
        if by_host:
            samples = [lane.timed(lane.loops)[0] for _ in self._rounds()]
        else:
            sampler = Sampler(self._cards, [lane], self._checkpoint)
            found = [sampler.sample() for _ in self._rounds()]
            samples = [each.seconds[0] / lane.loops for each in found]
            gated = all(each.gated for each in found)
        host, _ = lane.single_call()
        wrong += self._wrong_values()
        return Multiplied(
            self._command.id, tuple(samples), host, lane.loops, gated, wrong == 0, wrong, loaded
        )

    def _rounds(self) -> "Iterator[None]":
        """One for each sample."""
        samples = self._command.samples
        self._say(Sampled(self._command.id, 0, samples))
        for number in range(samples):
            self._checkpoint()
            yield
            self._say(Sampled(self._command.id, number + 1, samples))

    def _kept_at_work(self) -> float:
        """A card never waits: while one batch is multiplied, the next is asked for."""
        cards, lane = self._cards, self._lane
        began = cards.now()
        before: Any = None  # a mark of the cards' maker
        while cards.now() - began < self._command.seconds:
            self._checkpoint()
            if not lane.streams:
                lane.ask()
                continue
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

    def _wrong_values(self) -> int:
        """Of the known product, which takes the place of what was there."""
        self._known.fill(self._left, self._right)
        self._product.zero_()
        self._lane.ask()
        self._cards.synchronize(self._command.device)
        return self._known.wrong_values(self._product)


# Any: tensors are PyTorch's.
class KnownProduct:
    """Row i of the left is a[i] times signs; column j of the right is the same signs times
    b[j], some of them turned around.

    So the product's value at i, j is a[i] * b[j] * counted: a whole number that no kind of
    number here has to round, where `counted` is a power of two. Every value takes part in it.
    """

    def __init__(self, rows: int) -> None:
        chance = torch.Generator().manual_seed(rows)
        self._rows = rows
        even = 1 << (rows.bit_length() - 1)  # signs are 0 from there on
        self._counted = min(even, _MOST_COUNTED)
        self._left, self._right = (
            _signs(rows, chance) * torch.randint(1, _MOST + 1, (rows,), generator=chance)
            for _ in range(2)
        )
        self._down = _signs(rows, chance)
        self._down[even:] = 0
        turned = torch.randperm(even, generator=chance)[: (even - self._counted) // 2]
        self._across = self._down.clone()
        self._across[turned] *= -1

    def fill(self, left: Any, right: Any) -> None:
        """In place, on whatever device they are."""
        device, kind = left.device, left.dtype
        rows, down, across, columns = (
            each.to(device, kind)
            for each in (self._left, self._down, self._across, self._right)
        )
        torch.mul(rows[:, None], down[None, :], out=left)
        torch.mul(across[:, None], columns[None, :], out=right)

    def wrong_values(self, product: Any) -> int:
        """How many of the product's values are not what they must be."""
        kind = product.dtype
        down = (self._left * self._counted).to(product.device, kind)
        across = self._right.to(product.device, kind)
        found = 0
        for begin in range(0, self._rows, _CHECKED_ROWS):
            part = product[begin : begin + _CHECKED_ROWS]
            expected = down[begin : begin + _CHECKED_ROWS, None] * across[None, :]
            off = (part - expected).abs() > expected.abs() * _OFF.get(kind, 0.0)
            found += int((off | part.isnan()).sum())
        return found


def _signs(count: int, chance: "torch.Generator") -> Any:
    return torch.randint(0, 2, (count,), generator=chance) * 2 - 1
