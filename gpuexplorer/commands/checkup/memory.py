"""Memory: how much the computer has, and whether there is any swap behind it."""

import re

from gpuexplorer.commands.checkup.finding import Fact, Subject, Topic
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import Message

_GIB = 2**30


def memory(probe: Probe) -> Topic:
    said = probe.read("/proc/meminfo") if probe.platform == "linux" else None
    if said is None:
        return Topic(Subject.MEMORY).fine(
            Message("The system manages memory and swap by itself.")
        )
    sizes = {
        name: int(kibibytes) * 1024
        for name, kibibytes in re.findall(r"^(\w+):\s+(\d+) kB", said, re.MULTILINE)
    }
    total, available = sizes.get("MemTotal", 0), sizes.get("MemAvailable", 0)
    swap, limit = sizes.get("SwapTotal", 0), _limit(probe, total)
    facts: dict[str, Fact] = {
        "total_bytes": total,
        "available_bytes": available,
        "swap_bytes": swap,
        "limit_bytes": limit,
    }
    details = []
    if limit is not None:
        details.append(
            Message("The container may use {size:.1f} GiB of it.", size=limit / _GIB)
        )
    topic = Topic(Subject.MEMORY, details, facts)
    if swap == 0:
        return topic.look(
            Message(
                "{total:.1f} GiB of memory, {free:.1f} GiB of it free, and no swap. If"
                " memory runs out, Linux ends the largest program at once: most"
                " likely a training run.",
                total=total / _GIB,
                free=available / _GIB,
            ),
            Message("If this is your own computer, add a swap file of a few GiB."),
        )
    return topic.fine(
        Message(
            "{total:.1f} GiB of memory, {free:.1f} GiB of it free, and {swap:.1f} GiB of swap.",
            total=total / _GIB,
            free=available / _GIB,
            swap=swap / _GIB,
        )
    )


def _limit(probe: Probe, total: int) -> int | None:
    """What a container or service may use at most; None for as much as there is, which some
    kernels call "max" and others a number that is larger.
    """
    for path in (
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ):
        said = (probe.read(path) or "").strip()
        if said.isdigit():
            return int(said) if int(said) < total else None
    return None
