"""HeldMemory: which memory the names of the shelf hold, each stretch counted once."""

from collections.abc import Iterable, Sequence

from gpuexplorer.lab.events import Held, Placed

_Stretch = tuple[str, int]  # the device, and PyTorch's number of the storage


class HeldMemory:
    """Told of each change, so that asking does not grow with what lies on the shelf."""

    def __init__(self) -> None:
        self._stretches: dict[str, Sequence[_Stretch]] = {}
        self._names: dict[_Stretch, dict[str, None]] = {}
        self._sizes: dict[_Stretch, int] = {}
        self._bytes: dict[str, int] = {}

    def placed(self, name: str, holds: Sequence[Held]) -> None:
        """Whatever the name held before."""
        self.freed(name)
        found = {(each.device, each.storage): each.bytes for each in holds}
        self._stretches[name] = tuple(found)
        for stretch, size in found.items():
            self._names.setdefault(stretch, {})[name] = None
            self._resize(stretch, size)

    def freed(self, name: str) -> None:
        for stretch in self._stretches.pop(name, ()):
            names = self._names[stretch]
            del names[name]
            if not names:
                del self._names[stretch]
                self._resize(stretch, 0)

    def clear(self) -> None:
        for each in (self._stretches, self._names, self._sizes, self._bytes):
            each.clear()

    def bytes_on(self, device: str) -> int:
        return self._bytes.get(device, 0)

    def first_beside(self, name: str) -> str:
        """Who held memory of this name's before it did; empty where nobody shares it."""
        for stretch in self._stretches.get(name, ()):
            first = next(iter(self._names[stretch]))
            if stretch[1] and first != name:
                return first
        return ""

    def _resize(self, stretch: _Stretch, size: int) -> None:
        before = self._sizes.pop(stretch, 0)
        if size:
            self._sizes[stretch] = size
        self._bytes[stretch[0]] = self._bytes.get(stretch[0], 0) + size - before


def values_bytes(things: "Iterable[Placed]") -> int:
    """Counts the values, not the blocks they lie in; a view has none of its own."""
    counted_already: set[tuple[str, int]] = set()
    total = 0
    for thing in sorted(things, key=lambda each: -each.bytes):
        if len(thing.holds) == 1:  # nearly all are such
            [part] = thing.holds
            place = (part.device, part.storage)
            if part.device != "meta" and place not in counted_already:
                counted_already.add(place)
                own = part.what == "values" and thing.bytes
                total += min(thing.bytes, part.bytes) if own else part.bytes
            continue
        parts = {
            (part.device, part.storage): part
            for part in thing.holds
            if part.device != "meta" and (part.device, part.storage) not in counted_already
        }
        counted_already |= parts.keys()
        values = [part.bytes for part in parts.values() if part.what == "values"]
        others = [part.bytes for part in parts.values() if part.what != "values"]
        total += (min(thing.bytes, sum(values)) if thing.bytes else sum(values)) + sum(others)
    return total
