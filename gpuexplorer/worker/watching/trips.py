"""What the host waited for DataLoaders, by the line that takes their batches; and Trips: what
left a card and came back to it, itself or computed from it on the host.
"""

import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gpuexplorer.lab.events import Loader, Trip
from gpuexplorer.worker.places import Spot

_MOST = 10_000  # things that are followed at a time


@dataclass(frozen=True)
class _Left:
    device: str  # the card
    row: int  # of the copy by which it left
    changed: bool = False
    gone: "weakref.ref[Any] | None" = None


# Any throughout: things are PyTorch's; all that is asked of them is who they are.
class Trips:
    """Things are what tensors lie in: `tensor.untyped_storage()`, which its views share, and
    which stays the same object while one of them is there. They are known by weak references.

    The engine says `left` for what a copy from a card made elsewhere, `derived` for what an
    operation on the host, or a copy there, made of what it was given, and `came` when something
    is copied to a card.
    """

    def __init__(self, lock: "threading.RLock") -> None:
        self._lock = lock
        self._followed: dict[int, _Left] = {}
        self._rows: dict[tuple[int, int], Trip] = {}
        self._changed: set[tuple[int, int]] = set()

    @property
    def none(self) -> bool:
        """Nothing is followed, so that `derived` need not be said."""
        return not self._followed

    def left(self, made: Any, device: str, row: int) -> None:
        """`row`: of the copy, by `Copies.numbered`."""
        self._follow(made, _Left(device, row))

    def derived(self, made: "Iterable[Any]", given: "Iterable[Any]", *, changed: bool) -> None:
        """`changed`: a copy of it is not."""
        for each in given:
            left = self._followed.get(id(each))
            if left is not None:
                for one in made:
                    self._follow(one, replace(left, changed=left.changed or changed))
                return

    def came(self, thing: Any, device: str, size: int, row: int) -> None:
        """It is copied to a card; `row`: of this copy."""
        left = self._followed.get(id(thing))
        if left is None or left.device != device:
            return
        with self._lock:
            key = left.row, row
            trip = self._rows.get(key) or Trip(row, left.row, device, 0, 0, left.changed)
            self._rows[key] = replace(
                trip,
                times=trip.times + 1,
                bytes=trip.bytes + size,
                changed=trip.changed or left.changed,
            )
            self._changed.add(key)

    def changed(self) -> "tuple[Trip, ...]":
        """Those that are not as they were last said."""
        with self._lock:
            said = tuple(trip for key, trip in self._rows.items() if key in self._changed)
            self._changed.clear()
            return said

    def _follow(self, thing: Any, left: _Left) -> None:
        if len(self._followed) >= _MOST:
            return
        number = id(thing)
        gone = weakref.ref(thing, lambda _: self._followed.pop(number, None))
        self._followed[number] = replace(left, gone=gone)


class Loading:
    """`Seen` says each batch, from the thread that took it."""

    def __init__(self, lock: "threading.RLock") -> None:
        self._lock = lock
        self._rows: dict[tuple[int, int, bool], Loader] = {}
        self._kept: list[Spot] = []  # known by their identity
        self._changed: set[tuple[int, int, bool]] = set()

    def took(self, seconds: float, workers: int, spot: Spot, *, pins: bool) -> int:
        """The number of the row."""
        with self._lock:
            key = id(spot), workers, pins
            row = self._rows.get(key)
            if row is None:
                self._kept.append(spot)
                frame = spot.frame
                row = Loader(
                    len(self._rows) + 1, 0, 0.0, workers, pins,
                    frame.file, frame.cell, frame.line, spot.what,
                )  # fmt: skip
            self._rows[key] = replace(
                row, batches=row.batches + 1, seconds=row.seconds + seconds
            )
            self._changed.add(key)
            return self._rows[key].row

    def changed(self) -> "tuple[Loader, ...]":
        """Rows that are not as they were last said."""
        with self._lock:
            said = tuple(row for key, row in self._rows.items() if key in self._changed)
            self._changed.clear()
            return said
