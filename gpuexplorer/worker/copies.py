"""Copies: what a line copied between devices, each with the word of the line that caused it."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from gpuexplorer.lab.events import Transferred

LARGEST_CHECKED = 256 << 20  # bytes, of one copy and of all of a line
_MOST_SINGLE = 200  # of one line that are told singly
_MOST_CHECKED = 1000
# Words that a person writes in order to copy.
_ASKING = frozenset({"to", "cuda", "cpu", "copy_", "type"})


@dataclass(frozen=True)
class Cause:
    """The part of a line that is carried out just now."""

    number: int = 0  # counts them; the same number: the same call
    how: str = ""
    what: str = ""
    of_model: bool = False
    checked: bool = True

    @property
    def asked(self) -> bool:
        return self.how in _ASKING


class Check(Protocol):
    """Compares what arrived with what was sent, when the line is over."""

    def intact(self) -> "bool | None":
        """None: either is gone by now, or was changed since."""
        ...


class Copies:
    """Those of one line; made of one call, or beyond the first of a kind, they are folded."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A new line."""
        self.cause = Cause()
        self._calls = 0
        self._noted = -1
        self._last: _Row | None = None
        self._single: list[_Row] = []
        self._folded: dict[tuple[object, ...], _Row] = {}
        self._checks = 0
        self._checked_bytes = 0

    @contextlib.contextmanager
    def caused_by(
        self, how: str, what: str = "", *, of_model: bool = False, checked: bool = True
    ) -> "Iterator[int]":
        """Around a call; gives its number. `checked`: nothing can change afterwards what a
        model's parameters hold.
        """
        self._calls += 1
        before, self.cause = self.cause, Cause(self._calls, how, what, of_model, checked)
        try:
            yield self._calls
        finally:
            self.cause = before

    def note(self) -> Cause:
        """Something is being copied; why. It is added once its times are known."""
        self._noted = self.cause.number
        return self.cause

    def copied_by(self, call: int) -> bool:
        """Whether the call, or one within it, copied something; to be asked when it is over."""
        return self._noted >= call

    def wants_check(self, size: int) -> bool:
        """Whether the copy of so many bytes is to be checked; counts those that are."""
        more = self._checked_bytes + size
        room = more <= LARGEST_CHECKED and self._checks < _MOST_CHECKED
        wanted = self.cause.asked and self.cause.checked and room
        if wanted:
            self._checks += 1
            self._checked_bytes = more
        return wanted

    def add(self, copy: Transferred, cause: Cause, check: "Check | None" = None) -> None:
        """In the order in which they were asked for. Its cause is filled in here."""
        how = cause.how or copy.how
        way = copy.source, copy.target, copy.pinned, copy.blocking, copy.direct
        kind = (*way, how, cause.what, cause.asked)
        last = self._last
        if last is not None and last.call == cause.number > 0 and last.kind == kind:
            last.take(copy, check)
            return
        row = self._folded.get(kind)
        if row is not None:
            row.take(copy, check)
            row.call = cause.number
        else:
            whole = replace(copy, how=how, what=cause.what, asked=cause.asked)
            row = _Row(whole, kind, cause.number, check)
            if len(self._single) < _MOST_SINGLE:
                self._single.append(row)
            else:
                self._folded[kind] = row
        self._last = row

    def leave_unchecked(self) -> None:
        """The line failed: nobody knows what its devices hold, or whether they answer."""
        for row in (*self._single, *self._folded.values()):
            row.leave_unchecked()

    def told(self, command: int) -> Sequence[Transferred]:
        """Once the line is over and what it copied can be compared."""
        rows = (*self._single, *self._folded.values())
        return [replace(row.told(), id=command) for row in rows]


class _Row:
    """One copy, or several of a kind."""

    def __init__(
        self, copy: Transferred, kind: "tuple[object, ...]", call: int, check: "Check | None"
    ) -> None:
        self.kind = kind
        self.call = call
        self._first = copy
        self._bytes, self._copies, self._end = copy.bytes, copy.copies, copy.end
        self._seconds, self._host_seconds = copy.seconds, copy.host_seconds
        self._checks = [] if check is None else [check]
        self._all_checked = check is not None
        self._intact: bool | None = None

    def take(self, copy: Transferred, check: "Check | None") -> None:
        self._bytes += copy.bytes
        self._copies += copy.copies
        self._seconds = _sum(self._seconds, copy.seconds)
        self._host_seconds = _sum(self._host_seconds, copy.host_seconds)
        self._end = self._end if copy.end is None else copy.end
        if check is None:
            self._all_checked = False
        else:
            self._checks.append(check)

    def leave_unchecked(self) -> None:
        self._checks = []

    def told(self) -> Transferred:
        """The first time, what is held to be compared is let go of."""
        if self._checks:
            verdicts = [each.intact() for each in self._checks]
            unsure = None in verdicts or not self._all_checked
            self._intact = False if False in verdicts else None if unsure else True
            self._checks = []
        return replace(
            self._first,
            bytes=self._bytes,
            copies=self._copies,
            seconds=self._seconds,
            host_seconds=self._host_seconds,
            end=self._end,
            intact=self._intact,
        )


def _sum(one: "float | None", other: "float | None") -> "float | None":
    return None if one is None or other is None else one + other
