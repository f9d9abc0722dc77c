"""The answer to a Multiply: products of matrices, timed as copies are, and one to check."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event, Multiplied, Sampled
from gpuexplorer.lab.wire import BYTES_OF, KINDS, Multiply, ProductJob
from gpuexplorer.worker.engines.measuring.lanes import Lane, single_call, timed, warmed
from gpuexplorer.worker.engines.measuring.plan import host_loops_for, loops_for
from gpuexplorer.worker.engines.measuring.refusals import (
    HOST,
    MOST_SAMPLES,
    explained,
    given_back,
    refuse_number,
    refuse_share,
    size_in_words,
)
from gpuexplorer.worker.engines.measuring.sampling import Sampler
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_CHECKED_ROWS = 512  # of the known product, at once
_LEAST_ROWS, _MOST_ROWS = 16, 32768
_MOST_SECONDS = 60.0
_TENSOR_CORES_KNOW = (8, 0)  # compute capability from which TF32 and BF16 are theirs
_DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16}
_MOST = 8  # whole numbers up to it, whose products even 16 bits hold without rounding
# Sums of 16 bits may be put together from parts, which are rounded.
_OFF = {torch.bfloat16: 1 / 64}


def multiply(
    command: Multiply,
    cards: TorchCards,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> None:
    """Says Sampled, first with 0 when the device has warmed up, and Multiplied at the end."""
    _refuse(command, cards.names())

    def on_sample(taken: int) -> None:
        say(Sampled(command.id, taken, command.samples))

    say(given_back(cards, lambda: _multiplied(command, cards, on_sample, checkpoint)))


def _multiplied(
    command: Multiply,
    cards: TorchCards,
    on_sample: "Callable[[int], None]",
    checkpoint: "Callable[[], None]",
) -> Multiplied:
    try:
        capability = cards.capability(command.device)
        _refuse_what_the_card_cannot(command, capability, cards.free_bytes)
        with cards.tf32(on=command.kind == "tf32"):
            products = _Products(command, cards, on_sample, checkpoint)
            by_host = command.device == HOST
            measured = products.measured_by_host() if by_host else products.measured_in_queue()
    except RuntimeError as error:
        raise _explained(error, command, cards) from None
    notes = _notes_on(command, capability)
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


def _refuse(command: Multiply, names: "Sequence[str]") -> None:
    """Raises Trouble. `names`: the devices that are here."""
    refuse_number("size", command.size, _LEAST_ROWS, _MOST_ROWS)
    refuse_number("samples", command.samples, 1, MOST_SAMPLES)
    refuse_share(command.most_share)
    if not 0 <= command.seconds <= _MOST_SECONDS:
        raise Trouble("The seconds at work must be from 0 to {most:.0f}.", most=_MOST_SECONDS)
    if command.device not in names:
        raise Trouble(
            "Products are not measured on {device}: it is not here.",
            "This PyTorch has: {names}.",
            device=command.device,
            names=", ".join(names),
        )
    if command.kind not in KINDS:
        raise Trouble(
            "{kind!r} is no kind of number that can be measured.",
            "One of {kinds}.",
            kind=command.kind,
            kinds=", ".join(KINDS),
        )
    if command.kind == "tf32" and command.device == HOST:
        raise Trouble(
            "TF32 is a way in which tensor cores multiply, and the processor has none.",
            "Measure fp32 or bf16, or choose a card.",
        )


def _refuse_what_the_card_cannot(
    command: Multiply,
    capability: "tuple[int, int] | None",
    free_bytes: "Callable[[str], int | None]",
) -> None:
    """Raises Trouble. A card without TF32 would go on in FP32, under the other's name; and none
    gives up more than its share of memory.
    """
    device = command.device
    if command.kind == "tf32" and capability is None:
        raise Trouble(
            "It is not known whether {device} has TF32.",
            "Measure fp32 or bf16 there.",
            device=device,
        )
    if command.kind == "tf32" and capability is not None and capability < _TENSOR_CORES_KNOW:
        raise Trouble(
            "{device} has no TF32: it came with compute capability 8.0, and this card has "
            "{capability}.",
            "Measure fp32 or bf16 there.",
            device=device,
            capability="{}.{}".format(*capability),
        )
    need, free = _needs(command), free_bytes(device)
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


def _needs(job: ProductJob) -> int:
    """Two matrices, their product, and the rows with which the known one is compared."""
    rows = min(_CHECKED_ROWS, job.size)
    return 3 * job.matrix_bytes + 3 * rows * job.size * BYTES_OF[job.kind]


def _notes_on(job: ProductJob, capability: "tuple[int, int] | None") -> "list[Message]":
    """What is true of it before it is measured."""
    if job.kind != "bf16" or capability is None or capability >= _TENSOR_CORES_KNOW:
        return []
    return [Message("This card's tensor cores do not support BF16: its other cores multiply.")]


# Any: tensors are PyTorch's.
class _Products:
    """Two matrices and their product. What is timed has random values, as work has."""

    def __init__(
        self,
        command: Multiply,
        cards: TorchCards,
        on_sample: "Callable[[int], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        self._command, self._cards = command, cards
        self._on_sample, self._checkpoint = on_sample, checkpoint
        size, kind = command.size, _DTYPES[command.kind]
        self._left, self._right, self._product = (
            cards.take(command.device, command.matrix_bytes).view(kind).view(size, size)
            for _ in range(3)
        )
        self._known = KnownProduct(size)

    def measured_in_queue(self) -> Multiplied:
        """By the card's clock. The known product before, and after, when the card is hot."""
        wrong = self._wrong_values()
        self._fill_with_chance()
        cards, card = self._cards, self._command.device
        lane = Lane(cards, card, [cards.stream(card)], self._multiply, devices=(card,))
        lane.loops = loops_for(lane.warmed(self._checkpoint))
        loaded = self._kept_at_work(lane)
        sampler = Sampler(cards, [lane], self._checkpoint)
        sampler.close_gate()
        samples = [sampler.sample() for _ in self._rounds()]
        host, _ = lane.single_call()
        wrong += self._wrong_values()
        seconds = tuple(each.seconds[0] / lane.loops for each in samples)
        gated = all(each.gated for each in samples)
        return self._multiplied(seconds, host, lane.loops, gated, wrong, loaded)

    def measured_by_host(self) -> Multiplied:
        """The processor is asked and answers: its own clock, no gate."""
        cards, devices = self._cards, (self._command.device,)
        wrong = self._wrong_values()
        self._fill_with_chance()
        loops = host_loops_for(warmed(cards, self._multiply, devices, self._checkpoint))
        began = cards.now()
        while cards.now() - began < self._command.seconds:
            self._checkpoint()
            self._multiply()
        loaded = cards.now() - began
        samples = tuple(timed(cards, self._multiply, devices, loops)[0] for _ in self._rounds())
        host, _ = single_call(cards, self._multiply, devices)
        wrong += self._wrong_values()
        return self._multiplied(samples, host, loops, None, wrong, loaded)

    def _multiplied(
        self,
        samples: "tuple[float, ...]",
        host: float,
        loops: int,
        gated: "bool | None",
        wrong: int,
        loaded: float,
    ) -> Multiplied:
        number = self._command.id
        return Multiplied(number, samples, host, loops, gated, wrong == 0, wrong, loaded)

    def _rounds(self) -> "Iterator[None]":
        """One for each sample."""
        self._on_sample(0)
        for number in range(self._command.samples):
            self._checkpoint()
            yield
            self._on_sample(number + 1)

    def _kept_at_work(self, lane: Lane) -> float:
        """The card never waits: while one batch is multiplied, the next is asked for."""
        cards = self._cards
        began = cards.now()
        before: Any = None  # a mark of the cards' maker
        while cards.now() - began < self._command.seconds:
            self._checkpoint()
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

    def _multiply(self) -> None:
        self._cards.multiply(self._product, self._left, self._right)

    def _fill_with_chance(self) -> None:
        """The same each time: what a card draws depends on what it multiplies."""
        chance = torch.Generator(self._left.device).manual_seed(1)
        self._left.normal_(generator=chance)
        self._right.normal_(generator=chance)

    def _wrong_values(self) -> int:
        """Of the known product, which takes the place of what was there."""
        self._known.fill(self._left, self._right)
        self._product.zero_()
        self._multiply()
        self._cards.synchronize(self._command.device)
        return self._known.wrong_values(self._product)


def _explained(error: RuntimeError, command: Multiply, cards: TorchCards) -> Exception:
    device = command.device
    if any(each in str(error) for each in ("NOT_SUPPORTED", "ARCH_MISMATCH")):
        return Trouble(
            "{device} cannot multiply matrices of {kind}.",
            "Measure another kind of number.",
            device=device,
            kind=command.kind,
        )
    no_kernels = Trouble(
        "This PyTorch has no kernels for the card, and a product needs one.",
        "Take a PyTorch that was built for the card.",
    )
    broke = Message("A card broke off while {device} multiplied.", device=device)
    return explained(error, cards, (device,), device, broke, no_kernels)


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
        for begin in range(0, self._rows, _CHECKED_ROWS):
            part = product[begin : begin + _CHECKED_ROWS]
            expected = down[begin : begin + _CHECKED_ROWS, None] * across[None, :]
            off = (part - expected).abs() > expected.abs() * _OFF.get(kind, 0.0)
            found += int((off | part.isnan()).sum())
        return found


def _whole(count: int, chance: "torch.Generator") -> Any:
    """From 1 to the most, up or down: a value that was left out shows."""
    numbers = torch.randint(1, _MOST + 1, (count,), generator=chance)
    return numbers * (torch.randint(0, 2, (count,), generator=chance) * 2 - 1)
