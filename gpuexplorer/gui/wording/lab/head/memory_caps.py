"""Memory caps: which share of each card the lab's lines allow, and the lines that say so."""

import re
from collections.abc import Mapping, Sequence

from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

LEAST, MOST = 5, 100  # percent
_WORD = "set_per_process_memory_fraction"
_LINE = re.compile(
    r"torch\.cuda\.set_per_process_memory_fraction\(\s*([\d.]+)"
    r"""(?:\s*,\s*(?:device\s*=\s*)?(?:["']?cuda:)?(\d+)?["']?)?\s*\)"""
)


def cap_line(share: float, device: str) -> str:
    """`device`: such as "cuda:1"."""
    number = device.partition(":")[2]
    return f"torch.cuda.set_per_process_memory_fraction({share:g}, {number})"


def caps_in(lines: Sequence[str]) -> Mapping[str, float]:
    """By the device, as the lines were carried out; the last one holds. All of it is no cap."""
    caps: dict[str, float] = {}
    for line in lines:
        if _WORD not in line:  # of a thousand lines hardly one does
            continue
        for share, number in _LINE.findall(line):
            caps[f"cuda:{number or 0}"] = _share(share)
    return {device: share for device, share in caps.items() if share < 1.0}


def changed_caps(wanted: Mapping[str, float], now: Mapping[str, float]) -> Sequence[str]:
    """The lines that are needed to come from these caps to those."""
    return [
        cap_line(share, device)
        for device, share in wanted.items()
        if share != now.get(device, 1.0)
    ]


def capped(devices: Sequence[BenchDevice]) -> Sequence[BenchDevice]:
    """Those that a cap can be set for."""
    return [each for each in devices if each.usable and each.name.startswith("cuda:")]


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
