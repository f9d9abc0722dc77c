"""What can be asked of a pair of devices, and the sentence where something cannot."""

import re

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.wire import MODES, CopyJob

HOST = "cpu"
_PLAIN = ("copy", "raw")
_MOST_LATENCY_BYTES = 4096
_FLOAT = 4  # bytes


def index_of(device: str) -> int | None:
    """ "cuda:2" is 2, and "cpu" is -1; None for anything else."""
    if device == HOST:
        return -1
    match = re.fullmatch(r"[a-z]+:([0-9]{1,4})", device)
    return None if match is None else int(match[1])


def refusal(job: CopyJob) -> Message:
    """Why nobody needs to try; empty for what is worth it. The worker refuses the same."""
    if job.mode not in MODES:
        return Message("There is no way of copying called '{mode}'.", mode=job.mode)
    if job.bytes < 1:
        return Message("There is nothing to copy: the size is 0.")
    if job.pieces < 1 or job.pieces > job.bytes:
        return Message(
            "{bytes} bytes cannot be cut into {pieces} pieces.",
            bytes=job.bytes,
            pieces=job.pieces,
        )
    if job.pieces > 1 and job.mode not in _PLAIN:
        return Message("In pieces only plain copies are measured.")
    return _of_mode(job) or _of_company(job)


def _of_mode(job: CopyJob) -> Message:
    cards = {each for each in (job.source, job.target) if each != HOST}
    ends = {"source": job.source, "target": job.target}
    match job.mode:
        case "staged" if len(cards) < 2:
            return Message(
                "Only copies from one card to another can be staged, and {source} to {target} "
                "is none.",
                **ends,
            )
        case "fresh" if not job.touches_host:
            return Message(
                "Fresh memory is the host's, and {source} to {target} does not touch it.",
                **ends,
            )
        case "fresh" if job.pinned:
            return Message("Pinned memory is never fresh: pinning it has touched it.")
        case "latency" if job.bytes > _MOST_LATENCY_BYTES:
            return Message(
                "Latency shows with few bytes only: at most {most}.", most=_MOST_LATENCY_BYTES
            )
        case "blocking" | "overlap" if not cards:
            return Message(
                "Nothing can be computed beside {source} to {target}: the processor makes "
                "these copies.",
                **ends,
            )
        case "overlap" if job.touches_host and not job.pinned:
            return Message(
                "A copy of memory that is not pinned keeps the host waiting: none overlaps."
            )
        case "converted" if job.bytes % _FLOAT:
            return Message("A float32 takes 4 bytes, so their number must be a multiple of 4.")
        case "strided" if job.bytes % 2:
            return Message("Every other row needs an even number of bytes.")
    if job.pinned and not job.touches_host:
        return Message(
            "Only the host's memory can be pinned, and {source} to {target} does not touch it.",
            **ends,
        )
    if job.pinned and not cards:
        return Message("Pinned memory makes no difference within the host.")
    return NOTHING


def _of_company(job: CopyJob) -> Message:
    if not job.both_ways and not job.beside:
        return NOTHING
    if job.mode not in _PLAIN:
        return Message("Several copies at once are measured as plain copies only.")
    if job.both_ways and job.local:
        return Message("A copy within one device has only one way.")
    for source, target in ((job.source, job.target), *job.beside):
        if source == target == HOST:
            return Message(
                "Copies within the host are measured alone: the processor makes them all."
            )
        if HOST in (source, target) and not job.pinned:
            return Message(
                "A copy of memory that is not pinned keeps the host waiting: it goes alone."
            )
    return NOTHING
