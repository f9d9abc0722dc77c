"""The host's own limit: simulated cards keep their values in its memory. Linux tells it."""

from pathlib import Path

from gpuexplorer.core.trouble import Trouble

_LEFT_TO_OTHERS = 0.25  # of what is free
_LEAST_LEFT = 512 * 1024 * 1024


def refuse_what_the_host_cannot_hold(size: int, given_out: int = 0) -> None:
    """Raises Trouble that tells the host's limit from the card's. `given_out`: bytes on the
    cards so far, of which the system counts only those that were written.
    """
    free = free_bytes()
    if free is None:
        return
    written = _figure(Path("/proc/self/status"), "VmRSS:") or 0
    free = max(0, free - max(0, given_out - written))
    if size > free * (1 - _LEFT_TO_OTHERS) - _LEAST_LEFT:
        raise Trouble(
            "The simulated card would have room for {wanted:.1f} GiB, the computer has not: "
            "the values lie in the computer's own memory, of which {free:.1f} GiB are free.",
            "Take a smaller shape. On a real card only the card's memory would count.",
            wanted=size / 2**30,
            free=free / 2**30,
        )


def free_bytes() -> "int | None":
    """What this program can still take; None where it cannot be told."""
    told = _figure(Path("/proc/meminfo"), "MemAvailable:"), left_of_group()
    return min((each for each in told if each is not None), default=None)


def left_of_group(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> "int | None":
    """The least of this process's group and those around it. None: no limit. In a container the
    path may be the one outside, and then only the root is there.
    """
    path = own.read_text("ascii").strip().rpartition("0::/")[2] if own.exists() else ""
    found = []
    for folder in (root / path, *(root / path).parents):
        limit, used = _figure(folder / "memory.max"), _figure(folder / "memory.current")
        if limit is not None and used is not None:
            # These pages, of files that were read, are given up first: they count as free.
            pages = _figure(folder / "memory.stat", "inactive_file") or 0
            found.append(max(0, limit - used + pages))
        if folder == root:
            break
    return min(found, default=None)


def _figure(file: Path, name: str = "") -> "int | None":
    """The bytes that stand there, after that name. None: no such file, or no number."""
    try:
        lines = file.read_text("ascii", errors="replace").splitlines()
    except OSError:
        return None
    for words in map(str.split, lines):
        figure = words[-1] if not name else words[1] if words[0] == name else ""
        if figure.isdigit():
            return int(figure) * (1024 if words[-1] == "kB" else 1)
    return None
