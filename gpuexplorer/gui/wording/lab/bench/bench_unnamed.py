"""Cause: the line after which a device held more than the shelf has names for."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.core.words import tr


@dataclass(frozen=True, slots=True)
class Cause:
    """By the number of its command, and as it is said."""

    command: int
    remark: str


class Causes:
    """Told of each line when it is done."""

    def __init__(self) -> None:
        self._before: Mapping[str, int] = {}
        self._found: dict[str, Cause] = {}

    def note(self, command: int, line: int, unnamed: Mapping[str, int]) -> None:
        """`unnamed`: the bytes without a name after it, by device."""
        for device, size in unnamed.items():
            if not size:
                self._found.pop(device, None)
            elif size > self._before.get(device, 0):
                self._found[device] = Cause(command, tr("since line {line}", line=line))
        self._before = dict(unnamed)

    def of(self, device: str) -> Cause | None:
        return self._found.get(device)
