"""What products cannot be measured, in a sentence with a way out; and what the others need."""

from collections.abc import Callable
from math import isfinite

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.product_job import BYTES_OF, KINDS, ProductJob
from gpuexplorer.lab.wire import Multiply
from gpuexplorer.worker.measuring.words import size_in_words

HOST = "cpu"
CHECKED_ROWS = 512  # of the known product, at once
_MOST_SAMPLES = 1000
_LEAST_SIZE, _MOST_SIZE = 16, 32768
_MOST_SECONDS = 60.0
NO_BF16 = mark("The tensor cores of this card know no BF16: other parts of it multiply.")
_TENSOR_CORES_KNOW = (8, 0)  # compute capability from which TF32 and BF16 are theirs


def refuse(command: Multiply, names: "tuple[str, ...]") -> None:
    """Raises Trouble. `names`: the devices that are here."""
    _refuse_what_is_no_number(command)
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


def refuse_what_the_card_cannot(job: ProductJob, capability: "tuple[int, int] | None") -> None:
    """Raises Trouble. A card without TF32 would go on in FP32, under the other's name."""
    if job.kind != "tf32" or job.device == HOST:
        return
    if capability is None:
        raise Trouble(
            "It is not known whether {device} has TF32.",
            "Measure fp32 or bf16 there.",
            device=job.device,
        )
    if capability < _TENSOR_CORES_KNOW:
        raise Trouble(
            "{device} has no TF32: it came with compute capability 8.0, and this card has "
            "{capability}.",
            "Measure fp32 or bf16 there.",
            device=job.device,
            capability="{}.{}".format(*capability),
        )


def refuse_what_does_not_fit(
    command: Multiply, free_bytes: "Callable[[str], int | None]"
) -> None:
    """Raises Trouble where the device would have to give up more than its share."""
    need, free = needs(command.job), free_bytes(command.device)
    if free is not None and need > free * command.most_share:
        raise Trouble(
            "Multiplying {size} x {size} takes {need} on {device}, more than {share:.4g} of "
            "the {free} that are free there.",
            "Take smaller matrices, or end what holds the memory.",
            size=command.size,
            need=size_in_words(need),
            device=command.device,
            share=command.most_share,
            free=size_in_words(free),
        )


def needs(job: ProductJob) -> int:
    """Two matrices, their product, and the rows with which the known one is compared."""
    rows = min(CHECKED_ROWS, job.size)
    return 3 * job.matrix_bytes + 3 * rows * job.size * BYTES_OF[job.kind]


def notes_on(job: ProductJob, capability: "tuple[int, int] | None") -> "list[Message]":
    """What is true of it before it is measured."""
    if job.kind != "bf16" or job.device == HOST or capability is None:
        return []
    if capability < _TENSOR_CORES_KNOW:
        return [Message(NO_BF16)]
    return []


def _refuse_what_is_no_number(command: Multiply) -> None:
    """A line of JSON may hold anything."""
    texts: list[object] = [command.device, command.kind]
    if not all(isinstance(each, str) for each in texts):
        raise Trouble("Devices and kinds are names.", 'Such as "cuda:0" and "bf16".')
    _refuse_number("size", command.size, _LEAST_SIZE, _MOST_SIZE)
    _refuse_number("samples", command.samples, 1, _MOST_SAMPLES)
    share: object = command.most_share
    if not isinstance(share, (int, float)) or not isfinite(share) or not 0 < share <= 1:
        raise Trouble("The share of the free memory must be more than 0 and at most 1.")
    seconds: object = command.seconds
    if not isinstance(seconds, (int, float)) or not 0 <= seconds <= _MOST_SECONDS:
        raise Trouble("The seconds at work must be from 0 to {most:.0f}.", most=_MOST_SECONDS)


def _refuse_number(what: str, number: object, least: int, most: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool):
        raise Trouble("`{what}` must be a whole number.", what=what)
    if not least <= number <= most:
        raise Trouble(
            "`{what}` must be from {least} to {most}, and is {number}.",
            what=what,
            least=least,
            most=most,
            number=number,
        )
