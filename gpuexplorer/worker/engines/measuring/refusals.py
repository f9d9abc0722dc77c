"""What cannot be measured, in a sentence with a way out: a copy that makes no sense or finds no
room; and CUDA's errors, as what they mean for a measurement, which gives all memory back.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.wire import MODES, CopyJob, Measure, fitted
from gpuexplorer.worker.engine import Spoiled
from gpuexplorer.worker.engines.measuring.plan import (
    PRODUCT_BYTES,
    READ_AT_ONCE,
    chunk_for,
    power_of_two,
)

if TYPE_CHECKING:
    from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

T = TypeVar("T")
HOST = "cpu"
_SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
MOST_SAMPLES = 1000
_MOST_BYTES = 1 << 44
_MOST_PIECES = 100_000
_MOST_LATENCY_BYTES = 4096
_MOST_BESIDE = 64
_MOST_QUEUES = 32  # of one card: PyTorch hands out as many in turn, and CUDA runs no more
_FLOAT = 4  # bytes
_OF_CARD = ("CUDA", "HIP", "CUBLAS", "cuBLAS")
_FULL = ("out of memory", "ALLOC_FAILED")
NO_KERNELS = "no kernel image"
# The driver's words, and the names that its own calls give.
_BUSY = ("busy or unavailable", "cudaErrorDevicesUnavailable")
# What the others mean, what to do, and whether only the end of this process helps.
_MEANINGS = (
    (  # the driver says neither who holds the card, nor which card it is
        _BUSY,
        mark(
            "{what} could not be measured: the card lets in one process at a time, and another "
            "has it."
        ),
        mark(
            "Release the cards in the lab, or end the other program; or let in more than one: "
            "nvidia-smi -c DEFAULT."
        ),
        True,
    ),
    (  # PyTorch never closes such a connection
        ("peer mapping resources exhausted", "cudaErrorTooManyPeers"),
        mark(
            "{what} could not be measured: a card can be connected directly to at most 8 "
            "others, and all connections of one of these are in use."
        ),
        mark(
            "Measure it again: a new worker begins, and the connections of this one are closed."
            " Other programs may hold some too."
        ),
        True,
    ),
    (
        ("operation not supported", "cudaErrorNotSupported"),
        mark(
            "{what} could not be measured: the driver does not support a call that this needs."
        ),
        mark("Virtual cards, MIG instances and WSL lack some calls. Measure in another way."),
        False,
    ),
    (
        ("invalid argument", "cudaErrorInvalidValue"),
        mark("{what} could not be measured: the driver refused a call as invalid."),
        mark("Take a smaller size, or measure in another way."),
        False,
    ),
    (
        ("",),
        mark("{what} could not be measured. PyTorch says: {said}"),
        mark("The card still answers. Try again, or measure in another way."),
        False,
    ),
)


def size_in_words(size: int) -> str:
    for unit, name in _SIZES:
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} B"


def engine_of(source: str, target: str) -> str:
    """The device whose queue PyTorch takes: the card's, and of two cards the source's."""
    return target if source == HOST else source


def refuse_copy(command: Measure, names: "Sequence[str]") -> None:
    """Raises Trouble. `names`: the devices that are here."""
    refuse_number("bytes", command.bytes, 1, _MOST_BYTES)
    refuse_number("pieces", command.pieces, 1, min(command.bytes, _MOST_PIECES))
    refuse_number("samples", command.samples, 1, MOST_SAMPLES)
    refuse_share(command.most_share)
    job = command
    for device in dict.fromkeys(sum(_ways(job), ())):
        if device not in names:
            hint = Message("This PyTorch has: {names}.", names=", ".join(names))
            raise Trouble(_not_here(device), hint)
    if job.mode not in MODES:
        raise Trouble(
            "{mode!r} is no way to copy that can be measured.",
            "One of {modes}.",
            mode=job.mode,
            modes=", ".join(sorted(MODES)),
        )
    _refuse_what_this_mode_cannot(job)
    if job.both_ways or job.beside:
        _refuse_company(job)
    if job.pieces > 1 and job.mode not in ("copy", "raw"):
        raise Trouble("In pieces only plain copies are measured.", "Take one piece.")


def made_to_fit(
    command: Measure, free_bytes: "Callable[[str], int | None]"
) -> "tuple[Measure, Message]":
    """With fewer bytes where they have to be, and why. Raises Trouble where a side would have
    to give up more than its share.
    """
    why = _too_much(command, free_bytes)
    if not why:
        return command, NOTHING

    def fits(job: CopyJob) -> bool:
        return not _too_much(replace(command, bytes=job.bytes), free_bytes)

    made = replace(command, bytes=fitted(command, fits).bytes)
    if made.bytes == command.bytes:
        raise Trouble(why, "Measure fewer bytes, or end what holds the memory.")
    size = size_in_words(made.bytes)
    return made, told(Message("Only {size} were copied.", size=size), why)


def copy_needs(job: CopyJob) -> "dict[str, int]":
    """Bytes by device, with what is held to check what arrived."""
    found: Counter[str] = Counter()
    for source, target in _ways(job):
        doubled = 2 if job.mode == "strided" else 1
        for device, size in ((source, job.bytes * doubled), (target, job.bytes)):
            found[device] += power_of_two(size) if device == HOST and job.pinned else size
        if job.mode == "strided" and source not in (HOST, target):
            found[source] += job.bytes  # where its rows are brought together
        if source != HOST or job.mode in ("strided", "converted"):
            found[HOST] += job.bytes  # what was sent, to compare
        if target != HOST:
            found[HOST] += 2 * min(job.bytes, READ_AT_ONCE)
    if job.mode == "staged":
        found[HOST] += 2 * power_of_two(chunk_for(job.bytes))
    if job.mode in ("blocking", "overlap"):
        found[engine_of(job.source, job.target)] += PRODUCT_BYTES
    return dict(found)


def refuse_number(what: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise Trouble(
            "`{what}` must be from {least} to {most}, and is {number}.",
            what=what,
            least=least,
            most=most,
            number=number,
        )


def refuse_share(share: float) -> None:
    if not 0 < share <= 1:  # nor what is no number
        raise Trouble("The share of the free memory must be more than 0 and at most 1.")


def _too_much(command: Measure, free_bytes: "Callable[[str], int | None]") -> Message:
    """Empty where all sides have room."""
    for device, size in copy_needs(command).items():
        free = free_bytes(device)
        if free is not None and size > free * command.most_share:
            return Message(
                "Measuring {bytes} takes {need} on {device}, more than {share:.4g} % of the "
                "{free} that are free there.",
                bytes=size_in_words(command.bytes),
                need=size_in_words(size),
                device=device,
                share=command.most_share * 100,
                free=size_in_words(free),
            )
    return NOTHING


def _ways(job: CopyJob) -> "list[tuple[str, str]]":
    back = [(job.target, job.source)] if job.both_ways else []
    return [(job.source, job.target), *back, *job.beside]


def _not_here(device: str) -> Message:
    kind = device.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        return Message("Copies from and to {device} are not measured.", device=device)
    return Message("There is no {device} here.", device=device)


def _refuse_what_this_mode_cannot(job: CopyJob) -> None:
    cards = [each for each in (job.source, job.target) if each != HOST]
    match job.mode:
        case "staged" if len(set(cards)) < 2:
            raise Trouble(
                "Only a copy from one card to another can be staged through the host.",
                "Choose two cards.",
            )
        case "fresh" if not job.touches_host:
            raise Trouble(
                "Fresh memory makes a difference on the host only.", "Choose cpu on one side."
            )
        case "fresh" if job.pinned:
            raise Trouble(
                "Pinned memory is never fresh: pinning it has touched it.",
                "Choose memory that is not pinned.",
            )
        case "latency" if job.bytes > _MOST_LATENCY_BYTES:
            raise Trouble(
                "Latency shows with few bytes only, not with {size}.",
                "Take at most {most}.",
                size=size_in_words(job.bytes),
                most=size_in_words(_MOST_LATENCY_BYTES),
            )
        case "blocking" | "overlap" if not cards:
            raise Trouble(
                "Copies within the host are made by the processor itself: nothing can be "
                "computed beside them.",
                "Choose a card on one side.",
            )
        case "overlap" if job.touches_host and not job.pinned:
            raise Trouble(
                "A copy of memory that is not pinned keeps the host waiting: nothing overlaps.",
                "Choose pinned memory.",
            )
        case "converted" if job.bytes % _FLOAT:
            raise Trouble(
                "A float32 takes 4 bytes, so their number must be a multiple of 4.",
                "Take {bytes} bytes.",
                bytes=job.bytes // _FLOAT * _FLOAT or _FLOAT,
            )
        case "strided" if job.bytes % 2:
            raise Trouble("Every other row needs an even number of bytes.")
    if job.pinned and job.touches_host and not cards:
        raise Trouble(
            "Pinned memory makes no difference within the host.",
            "Choose memory that is not pinned, or a card on one side.",
        )


def _refuse_company(job: CopyJob) -> None:
    if job.mode not in ("copy", "raw"):
        raise Trouble(
            "Several copies at once are measured as plain copies only.",
            "Choose one direction and no other copies.",
        )
    if len(job.beside) > _MOST_BESIDE:
        raise Trouble("At most {most} copies beside it are measured.", most=_MOST_BESIDE)
    _refuse_shared_queues(job)
    for source, target in _ways(job):
        if source == target == HOST:
            raise Trouble(
                "Copies within the host are measured alone: the processor makes all of them.",
                "Choose a card on one side.",
            )
        if HOST in (source, target) and not job.pinned:
            raise Trouble(
                "A copy of memory that is not pinned keeps the host waiting, so no other can "
                "run at the same time.",
                "Choose pinned memory.",
            )
    if job.both_ways and job.local:
        raise Trouble("A card's copy to itself has only one way.", "Choose one direction.")


def _refuse_shared_queues(job: CopyJob) -> None:
    """Copies in one queue would run one after the other and be called simultaneous."""
    touched = Counter(end for way in _ways(job) for end in set(way) if end != HOST)
    for card, copies in touched.items():
        if copies > _MOST_QUEUES:
            raise Trouble(
                "{copies} copies from or to {card} cannot run at the same time: a card has "
                "{most} queues, and each copy needs its own.",
                "Take at most {most} copies of one card.",
                copies=copies,
                card=card,
                most=_MOST_QUEUES,
            )


def given_back(cards: "TorchCards", work: "Callable[[], T]") -> T:
    """What `work` comes to, or the error that ended it, when nothing holds memory any more."""
    outcome = _outcome(work)
    cards.give_back()
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _outcome(work: "Callable[[], T]") -> Union[T, BaseException]:  # noqa: UP007 - Python 3.10
    try:
        return work()
    # Raised again at once, when nothing holds the memory any more.
    except BaseException as error:
        return _let_go(error)


def _let_go(error: BaseException) -> BaseException:
    """Without what it came through, which holds on to all the memory that was taken there."""
    each: BaseException | None = error
    while each is not None:
        traceback.clear_frames(each.__traceback__)
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
    return error


def explained(
    error: RuntimeError,
    cards: "TorchCards",
    devices: Sequence[str],
    what: str,
    broke: Message,
    no_kernels: Trouble,
) -> Exception:
    """What PyTorch says of a card, as what it means for the measurement. `what` was to be
    measured on the devices; `broke` says that a card broke off then.
    """
    words = str(error)
    if not _has(words, _OF_CARD):
        return error
    if _has(words, _FULL):
        return error if type(error).__name__ == "OutOfMemoryError" else MemoryError(words)
    if NO_KERNELS in words:
        return no_kernels
    if not _has(words, _BUSY) and not _still_answer(cards, devices):
        hint = Message(
            "The driver may have lost it: look at its events. A new worker is needed to go on."
        )
        return Spoiled(broke, hint, words)
    _, sentence, way_out, spoils = next(each for each in _MEANINGS if _has(words, each[0]))
    told = Message(sentence, what=what, said=words.partition("\n")[0])
    return Spoiled(told, Message(way_out), words) if spoils else Trouble(told, way_out)


def _still_answer(cards: "TorchCards", devices: Sequence[str]) -> bool:
    """A context that an error has broken answers every further call with that error."""
    try:
        cards.synchronize(*devices)
    except RuntimeError:
        return False
    return True


def _has(words: str, texts: Sequence[str]) -> bool:
    return any(each in words for each in texts)
