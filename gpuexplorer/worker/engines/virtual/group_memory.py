"""What Linux lets a container, a service or a job of a cluster still take of the memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class _Names:
    """Of the files in which a group's memory is told: there are two generations of them."""

    limit: str
    used: str
    pages: str  # that are given up first, of files that were read: they count as free


_FIRST = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_SECOND = _Names("memory.max", "memory.current", "inactive_file")


def left_of_group(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> "int | None":
    """Of this process's group and those around it, the one with least. None: no limit."""
    found = [_left(folder, names) for folder, names in _groups(root, own)]
    return min((each for each in found if each is not None), default=None)


def _groups(root: Path, own: Path) -> "Iterator[tuple[Path, _Names]]":
    for line in (_read(own) or "").splitlines():
        _, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if kinds and "memory" not in kinds.split(","):
            continue
        base, names = (root / "memory", _FIRST) if kinds else (root, _SECOND)
        folder = base / path.strip("/")
        # In a container the path may be the one outside, and then only the base is there.
        for each in (folder, *folder.parents):
            yield each, names
            if each == base:
                break


def _left(folder: Path, names: _Names) -> "int | None":
    limit, used = _read(folder / names.limit), _read(folder / names.used)
    if limit is None or used is None or not limit.isdigit() or not used.isdigit():
        return None
    pages = 0
    for line in (_read(folder / "memory.stat") or "").splitlines():
        name, _, size = line.partition(" ")
        if name == names.pages and size.isdigit():
            pages = int(size)
    return max(0, int(limit) - int(used) + pages)


def _read(path: Path) -> "str | None":
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
