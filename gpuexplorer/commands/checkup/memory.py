"""Memory: how much the computer has, and whether there is any swap behind it."""

import re

from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict
from gpuexplorer.commands.checkup.probe import Probe

_TITLE = "Memory"
_GIB = 2**30


def memory(probe: Probe) -> Topic:
    said = probe.read("/proc/meminfo") if probe.platform == "linux" else None
    if said is None:
        return Topic(_TITLE, Verdict.FINE, "The system manages memory and swap by itself.")
    sizes = {
        name: int(kibibytes) * 1024
        for name, kibibytes in re.findall(r"^(\w+):\s+(\d+) kB", said, re.MULTILINE)
    }
    total, available = sizes.get("MemTotal", 0), sizes.get("MemAvailable", 0)
    swap, limit = sizes.get("SwapTotal", 0), _limit(probe)
    facts: dict[str, Fact] = {
        "total_bytes": total,
        "available_bytes": available,
        "swap_bytes": swap,
        "limit_bytes": limit,
    }
    details = []
    if limit is not None and limit < total:
        details.append(f"The container may use {limit / _GIB:.1f} GiB of it.")
    amount = f"{total / _GIB:.1f} GiB of memory, {available / _GIB:.1f} GiB of it free"
    if swap == 0:
        return Topic(
            _TITLE,
            Verdict.LOOK,
            f"{amount}, and no swap. If memory runs out, Linux ends the largest program at"
            " once: most likely a training run.",
            "If this is your own computer, add a swap file of a few GiB.",
            details,
            facts,
        )
    sentence = f"{amount}, and {swap / _GIB:.1f} GiB of swap."
    return Topic(_TITLE, Verdict.FINE, sentence, "", details, facts)


def _limit(probe: Probe) -> int | None:
    """What a container or service may use at most; None for as much as there is."""
    for path in (
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ):
        said = (probe.read(path) or "").strip()
        if said.isdigit():
            return int(said)
    return None
