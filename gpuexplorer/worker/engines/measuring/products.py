"""The answer to a Multiply: products of matrices, timed as copies are, and one to check."""

from dataclasses import replace
from functools import partial
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Multiplied, Sampled
from gpuexplorer.lab.wire import TENSOR_SINCE, Multiply, no_tensor_cores_for
from gpuexplorer.worker.engines.measuring.lanes import Checkpoint, Lane, Sampler
from gpuexplorer.worker.engines.measuring.torch_cards import HOST, Say, TorchCards, given_back

_CHECKED_ROWS = 512  # of the known product, at once
_DTYPES = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}
_MOST = 8  # whole numbers up to it, whose products even 16 bits hold without rounding
_MOST_COUNTED = 512  # so often, which float16 still holds


def multiply(command: Multiply, cards: TorchCards, say: Say, checkpoint: Checkpoint) -> None:
    """Says Sampled, first with 0 when the device has warmed up, and Multiplied at the end."""
    device, kind = command.device, command.kind

    def work() -> Multiplied:
        capability = cards.capability(device)
        _refuse(command, cards, capability)
        with cards.tf32(on=kind == "tf32"):
            measured = _multiplied(command, cards, say, checkpoint)
        notes = (*no_tensor_cores_for(kind, capability), *measured.notes)
        return replace(measured, notes=notes)

    what = Message("{kind} on {device}", kind=kind.upper(), device=device)
    say(given_back(cards, (device,), what, work))


def _refuse(command: Multiply, cards: TorchCards, capability: "tuple[int, int] | None") -> None:
    """Raises Trouble. A card without TF32 would go on in FP32, under the other's name; and none
    gives up more than its share of memory.
    """
    device = command.device
    if command.kind == "tf32" and (capability or (0, 0)) < TENSOR_SINCE["tf32"]:
        sentence = "It is not known whether {device} has TF32."
        if capability is not None:
            sentence = (
                "{device} has no TF32: it came with compute capability 8.0, and this card has "
                "{major}.{minor}."
            )
        major, minor = capability or (0, 0)
        hint = "Measure fp32, fp16 or bf16 there."
        raise Trouble(sentence, hint, device=device, major=major, minor=minor)
    what = Message("Multiplying {size} x {size}", size=command.size)
    needs = {device: 3 * command.matrix_bytes}
    if too_much := cards.too_much(what, needs, command.most_share):
        raise Trouble(too_much, "Take smaller matrices, or end what holds the memory.")


def _multiplied(
    command: Multiply, cards: TorchCards, say: Say, checkpoint: Checkpoint
) -> Multiplied:
    """By the card's clock, or the processor's. The known product before, and after, when the
    device is hot; what is timed has random values, as work has.
    """
    device, size, samples = command.device, command.size, command.samples
    left, right, product = (
        cards.take(device, command.matrix_bytes).view(_DTYPES[command.kind]).view(size, size)
        for _ in range(3)
    )
    known = KnownProduct(size)
    streams = () if device == HOST else (cards.stream(device),)
    lane = Lane(
        cards, device, streams, partial(cards.multiply, product, left, right), (device,)
    )

    def wrong_values() -> int:
        known.fill(left, right)
        product.zero_()
        lane.ask()
        cards.synchronize(device)
        return known.wrong_values(product)

    wrong = wrong_values()
    # The same each time: what a card draws depends on what it multiplies.
    chance = torch.Generator(left.device).manual_seed(1)
    for matrix in (left, right):
        matrix.normal_(generator=chance)
    lane.warmed(checkpoint)
    began = cards.now()
    while cards.now() - began < command.seconds:  # so that its power is read at work
        checkpoint()
        lane.timed(lane.loops)
    loaded = cards.now() - began
    sampler, found = Sampler(cards, [lane], checkpoint), []
    say(Sampled(command.id, 0, samples))
    for number in range(samples):
        found.append(sampler.sample())
        say(Sampled(command.id, number + 1, samples))
    times = [each.seconds[0] / lane.loops for each in found]
    gated = None if device == HOST else all(each.gated for each in found)
    host, _ = lane.single_call()
    wrong += wrong_values()
    notes = []
    if gated is False:
        notes.append(
            Message("What asking takes may be in the times: the queue was not full in time.")
        )
    if wrong:
        one = "{count} value of a known product came out wrong."
        notes.append(
            Message.counted(one, "{count} values of a known product came out wrong.", wrong)
        )
    return Multiplied(
        command.id,
        tuple(times),
        host,
        lane.loops,
        gated,
        wrong == 0,
        wrong,
        loaded,
        notes=tuple(notes),
    )


# Any: tensors are PyTorch's.
class KnownProduct:
    """Row i of the left is a[i] times signs; column j of the right is the same signs times
    b[j], some of them turned around.

    So the product's value at i, j is a[i] * b[j] * counted: a whole number that no kind of
    number here has to round, where `counted` is a power of two. Every value takes part in it.
    """

    def __init__(self, rows: int) -> None:
        chance = torch.Generator().manual_seed(rows)

        def drawn(least: int, most: int) -> Any:
            return torch.randint(least, most + 1, (rows,), generator=chance)

        self._left, self._right = drawn(1, _MOST), drawn(1, _MOST)
        self._down = drawn(0, 1) * 2 - 1
        turned = max(0, rows - _MOST_COUNTED) // 2
        self._counted = rows - 2 * turned
        self._across = self._down.clone()
        self._across[torch.randperm(rows, generator=chance)[:turned]] *= -1

    def fill(self, left: Any, right: Any) -> None:
        """In place, on whatever device they are."""
        rows, down, across, columns = (
            each.to(left.device, left.dtype)
            for each in (self._left, self._down, self._across, self._right)
        )
        torch.mul(rows[:, None], down[None, :], out=left)
        torch.mul(across[:, None], columns[None, :], out=right)

    def wrong_values(self, product: Any) -> int:
        """How many of the product's values are not what they must be."""
        down, across = (
            each.to(product.device, product.dtype)
            for each in (self._left * self._counted, self._right)
        )
        # Sums of 16 bits may be put together from parts, which are rounded.
        found, off = 0, 0.0 if product.dtype == torch.float32 else 1 / 64
        parts = zip(product.split(_CHECKED_ROWS), down.split(_CHECKED_ROWS), strict=True)
        for part, rows in parts:
            expected = rows[:, None] * across[None, :]
            wrong = (part - expected).abs() > expected.abs() * off
            found += int((wrong | part.isnan()).sum())
        return found
