"""What can be measured between some devices, as it is asked for: typed, planned, or refused."""

import difflib
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation, Overflow
from enum import StrEnum

from gpuexplorer.core.trouble import Trouble, did_you_mean
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.wire import LATENCY_BYTES, CopyJob

HOST = "cpu"
USUAL_BYTES = 256 << 20
MOST_BYTES = 1 << 40
_STEP = 4  # of a range of sizes that is typed
_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", 1):
    _UNITS |= {_letter: 1024**_power, f"{_letter}ib": 1024**_power}
    _UNITS |= {f"{_letter}b": 1000**_power}
_SIZE = re.compile(r"([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)", re.IGNORECASE)
_SIZES = Message("Sizes are written 64M, 4 KiB, 1e9 or 4B-1G, with commas between them.")


class Kind(StrEnum):
    """What is asked, by the word it is asked with. Host memory is pinned if nothing is said."""

    ONE_WAY = "one-way"
    BOTH_WAYS = "both-ways"
    LATENCY = "latency"
    PAGEABLE = "pageable"
    STAGED = "staged"
    BLOCKING = "blocking"
    OVERLAP = "overlap"

    @property
    def words(self) -> Message:
        return Message(_WORDS[self], bytes=LATENCY_BYTES)


TYPED = tuple(Kind)
_WORDS = {
    Kind.ONE_WAY: mark("One way, alone"),
    Kind.BOTH_WAYS: mark("Both ways at once, each direction"),
    Kind.LATENCY: mark("Latency, of {bytes} bytes"),
    Kind.PAGEABLE: mark("From and to memory that is not pinned"),
    Kind.STAGED: mark("Staged through pinned memory of the host"),
    Kind.BLOCKING: mark("Beside a computation, each copy keeps the host waiting"),
    Kind.OVERLAP: mark("Beside a computation, none keeps the host waiting"),
}


def index_of(device: str) -> int | None:
    """ "cuda:2" is 2, and "cpu" is -1; None for anything else."""
    if device == HOST:
        return -1
    match = re.fullmatch(r"[a-z]+:([0-9]{1,4})", device)
    return None if match is None else int(match[1])


def job_of(
    kind: Kind, source: str, target: str, size: int = USUAL_BYTES, *, fit: bool = False
) -> CopyJob | None:
    """None where the question makes no sense between these two. `fit`: fewer bytes will do
    where so many do not fit.
    """
    with_host = (source == HOST) != (target == HOST)
    if kind is Kind.PAGEABLE and not with_host:
        return None
    plain = kind in (Kind.ONE_WAY, Kind.BOTH_WAYS, Kind.PAGEABLE)
    pinned = with_host and kind is not Kind.PAGEABLE if HOST in (source, target) else None
    job = CopyJob(
        source,
        target,
        LATENCY_BYTES if kind is Kind.LATENCY else size,
        "copy" if plain else kind.value,
        pinned,
        both_ways=kind is Kind.BOTH_WAYS,
        fit=fit,
    )
    return None if refusal(job) else job


def kind_of(job: CopyJob) -> Kind:
    if job.mode != "copy":
        return Kind(job.mode)
    if job.both_ways:
        return Kind.BOTH_WAYS
    with_host = (job.source == HOST) != (job.target == HOST)
    return Kind.PAGEABLE if with_host and job.pinned is False else Kind.ONE_WAY


def matrix(
    devices: Sequence[str], kind: Kind, size: int = USUAL_BYTES, *, fit: bool = False
) -> list[CopyJob]:
    """Every ordered pair, and each device with itself."""
    jobs = (job_of(kind, one, other, size, fit=fit) for one in devices for other in devices)
    return [job for job in jobs if job is not None]


def all_asked(
    devices: Sequence[str], sizes: Sequence[int], kinds: Iterable[Kind]
) -> list[CopyJob]:
    """Small sizes first, so that something is seen soon; nothing is measured twice. Of the
    usual size alone, fewer bytes will do.
    """
    fit = tuple(sizes) == (USUAL_BYTES,)
    jobs = [
        job
        for kind in kinds
        for size in (sizes if kind is not Kind.LATENCY else sizes[:1])
        for job in matrix(devices, kind, size, fit=fit)
    ]
    return list(dict.fromkeys(jobs))


def sweep_sizes(least: int = 4, most: int = 1 << 30, factor: int = 2) -> tuple[int, ...]:
    """From the least on, each so many times the one before, and the largest itself."""
    sizes = [least]
    while sizes[-1] * factor < most:
        sizes.append(sizes[-1] * factor)
    return (*sizes, most) if least < most else (most,)


def refusal(job: CopyJob) -> Message:
    """Why nobody needs to try; empty for what is worth it."""
    cards, why = {job.source, job.target} - {HOST}, ""
    if job.mode == "staged" and len(cards) < 2:
        why = mark(
            "Only copies from one card to another can be staged, and {source} to {target} is "
            "none."
        )
    elif job.mode in ("blocking", "overlap") and not cards:
        why = mark(
            "Nothing can be computed beside {source} to {target}: the processor makes these "
            "copies."
        )
    elif job.both_ways and job.local:
        why = mark("A copy within one device has only one way.")
    return Message(why, source=job.source, target=job.target) if why else NOTHING


def size_of(text: str) -> int:
    """ "64M", "4 KiB", "1e9". Letters alone are binary, as in memory; MB is a million."""
    match = _SIZE.fullmatch(text.strip())
    try:
        size = Decimal(match[1]) * _UNITS[match[2].lower()] if match else Decimal("nan")
    except Overflow:
        size = Decimal(MOST_BYTES + 1)
    except (InvalidOperation, KeyError):
        size = Decimal("nan")
    if size.is_nan():
        raise Trouble("{text!r} is not a size.", _SIZES, text=text)
    if size <= 0:
        raise Trouble("{text!r} is nothing to copy.", "The smallest copy is 1 B.", text=text)
    if size > MOST_BYTES:
        most = mark("Up to 1T can be asked for.")
        raise Trouble("{text!r} is more than any card holds.", most, text=text)
    if size != int(size):
        raise Trouble("{text!r} is not a whole number of bytes.", _SIZES, text=text)
    return int(size)


def sizes_of(text: str) -> tuple[int, ...]:
    """Several, or a range such as 4B-1G, or "sweep" for the whole of it; in order."""
    found: list[int] = []
    if not text.strip():
        raise Trouble("No size is named.", _SIZES)
    for part in (part.strip() for part in text.split(",")):
        if not part:
            raise Trouble("{text!r} has a comma with no size beside it.", _SIZES, text=text)
        ends = re.split(r"(?<![eE])\s*-\s*", part) if not part.startswith("-") else [part]
        if part.lower() == "sweep":
            found += sweep_sizes(factor=_STEP)
        elif len(ends) == 2:
            least, most = map(size_of, ends)
            if least > most:
                raise Trouble("{part!r} ends before it begins.", _SIZES, part=part)
            found += sweep_sizes(least, most, _STEP)
        else:
            found.append(size_of(part))
    return tuple(sorted(set(found)))


def devices_of(text: str, offered: Sequence[str]) -> tuple[str, ...]:
    """ "cpu,cuda:0,1" or "0-3"; of those that are there, in the order in which they are."""
    found: set[str] = set()
    for word in (part.strip().lower() for part in text.split(",")):
        match = re.fullmatch(r"(?:cuda:)?([0-9]{1,4})(?:-(?:cuda:)?([0-9]{1,4}))?", word)
        names = offered if word == "all" else [HOST] if word in (HOST, "host") else [word]
        if match is not None:
            first, last = int(match[1]), int(match[2] or match[1])
            names = [f"cuda:{number}" for number in range(first, last + 1)]
        missing = [name for name in names if name not in offered]
        if missing or not names:
            there = Message("There are: {devices}.", devices=", ".join(offered))
            none = mark("--devices names {word!r}, and no device here is called so.")
            raise Trouble(none, there, word=(*missing, word)[0])
        found |= set(names)
    return tuple(each for each in offered if each in found)


def kinds_of(text: str) -> tuple[Kind, ...]:
    known = {"copy": (Kind.ONE_WAY,), "all": TYPED}
    for each in TYPED:
        known |= {each.value: (each,), each.value.replace("-", ""): (each,)}
    found: list[Kind] = []
    for word in (part.strip().lower() for part in text.split(",")):
        if word not in known:
            there = Message("There are: {modes}.", modes=", ".join(TYPED))
            hint = did_you_mean(difflib.get_close_matches(word, TYPED, n=1), there)
            raise Trouble("--mode names {word!r}, which is not known.", hint, word=word)
        found += known[word]
    return tuple(dict.fromkeys(found))
