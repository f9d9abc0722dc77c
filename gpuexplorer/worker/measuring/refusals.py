"""What cannot be measured, in a sentence with a way out; and what memory the rest needs."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import isfinite

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.copy_job import MODES, CopyJob, fitted
from gpuexplorer.lab.wire import Measure
from gpuexplorer.worker.measuring.plan import (
    PRODUCT_BYTES,
    READ_AT_ONCE,
    chunk_for,
    power_of_two,
)
from gpuexplorer.worker.measuring.words import size_in_words

_MOST_SAMPLES = 1000
_MOST_BYTES = 1 << 44
_MOST_PIECES = 100_000
_MOST_LATENCY_BYTES = 4096
_MOST_BESIDE = 64
_MOST_QUEUES = (
    32  # of one card: PyTorch hands out as many in turn, and CUDA runs no more at once
)
_FLOAT = 4  # bytes
_HOST = "cpu"


def refuse(command: Measure, names: "tuple[str, ...]") -> None:
    """Raises Trouble. `names`: the devices that are here."""
    _refuse_what_is_no_number(command)
    job = command.job
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

    made = replace(command, bytes=fitted(command.job, fits).bytes)
    if made.bytes == command.bytes:
        raise Trouble(why, "Measure fewer bytes, or end what holds the memory.")
    size = size_in_words(made.bytes)
    return made, told(Message("Only {size} were copied.", size=size), why)


def _too_much(command: Measure, free_bytes: "Callable[[str], int | None]") -> Message:
    """Empty where all sides have room."""
    for device, size in needs(command.job).items():
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


def needs(job: CopyJob) -> "dict[str, int]":
    """Bytes by device, with what is held to check what arrived."""
    found: dict[str, int] = {}

    def take(device: str, size: int) -> None:
        found[device] = found.get(device, 0) + size

    for source, target in _ways(job):
        doubled = 2 if job.mode == "strided" else 1
        for device, size in ((source, job.bytes * doubled), (target, job.bytes)):
            take(device, power_of_two(size) if device == _HOST and job.pinned else size)
        if job.mode == "strided" and source not in (_HOST, target):
            take(source, job.bytes)  # where its rows are brought together
        if source != _HOST or job.mode in ("strided", "converted"):
            take(_HOST, job.bytes)  # what was sent, to compare
        if target != _HOST:
            take(_HOST, 2 * min(job.bytes, READ_AT_ONCE))
    if job.mode == "staged":
        take(_HOST, 2 * power_of_two(chunk_for(job.bytes)))
    if job.mode in ("blocking", "overlap"):
        take(engine_of(job.source, job.target), PRODUCT_BYTES)
    return found


def engine_of(source: str, target: str) -> str:
    """The device whose queue PyTorch takes: the card's, and of two cards the source's."""
    return target if source == _HOST else source


def _ways(job: CopyJob) -> "list[tuple[str, str]]":
    back = [(job.target, job.source)] if job.both_ways else []
    return [(job.source, job.target), *back, *job.beside]


def _refuse_what_is_no_number(command: Measure) -> None:
    """A line of JSON may hold anything."""
    beside: object = command.beside
    ways = beside if isinstance(beside, tuple) else (None,)
    if not all(isinstance(each, tuple) and len(each) == 2 for each in ways):
        raise Trouble("Another copy beside it is a source and a target.")
    texts: list[object] = [command.source, command.target, command.mode, *sum(ways, ())]
    if not all(isinstance(each, str) for each in texts):
        raise Trouble("Devices and modes are names.", 'Such as "cpu" and "cuda:0".')
    _refuse_number("bytes", command.bytes, _MOST_BYTES)
    _refuse_number("pieces", command.pieces, min(command.bytes, _MOST_PIECES))
    _refuse_number("samples", command.samples, _MOST_SAMPLES)
    share: object = command.most_share
    if not isinstance(share, (int, float)) or not isfinite(share) or not 0 < share <= 1:
        raise Trouble("The share of the free memory must be more than 0 and at most 1.")


def _refuse_number(what: str, number: object, most: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool):
        raise Trouble("`{what}` must be a whole number.", what=what)
    if not 1 <= number <= most:
        raise Trouble(
            "`{what}` must be from 1 to {most}, and is {number}.",
            what=what,
            most=most,
            number=number,
        )


def _not_here(device: str) -> Message:
    kind = device.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        return Message("Copies from and to {device} are not measured.", device=device)
    return Message("There is no {device} here.", device=device)


def _refuse_what_this_mode_cannot(job: CopyJob) -> None:
    cards = [each for each in (job.source, job.target) if each != _HOST]
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
        if source == target == _HOST:
            raise Trouble(
                "Copies within the host are measured alone: the processor makes all of them.",
                "Choose a card on one side.",
            )
        if _HOST in (source, target) and not job.pinned:
            raise Trouble(
                "A copy of memory that is not pinned keeps the host waiting, so no other can "
                "run at the same time.",
                "Choose pinned memory.",
            )
    if job.both_ways and job.local:
        raise Trouble("A card's copy to itself has only one way.", "Choose one direction.")


def _refuse_shared_queues(job: CopyJob) -> None:
    """Copies in one queue would run one after the other and be called simultaneous."""
    touched = Counter(end for way in _ways(job) for end in set(way) if end != _HOST)
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
