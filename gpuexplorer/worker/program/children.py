"""Children: the processes that a program starts, which are not watched; counted by kind."""

import functools
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

LOADER, POOL, FORK, OTHER = "loader", "multiprocessing", "fork", "other program"
_OTHERS = frozenset(
    {"subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "pty.spawn"}
)


class Children:
    """`before` is called before a fork, `after` in its parent, `leave` in its child."""

    def __init__(
        self,
        before: "Callable[[], object]",
        after: "Callable[[], object]",
        leave: "Callable[[], object]",
    ) -> None:
        self.counted: Counter[str] = Counter()
        self._owner = os.getpid()
        self._before = before
        self._starting = threading.local()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._forking, after_in_parent=after, after_in_child=leave
            )
        setattr(BaseProcess, "start", self._counting(BaseProcess.start))  # noqa: B010 - mypy
        sys.addaudithook(self._hear)

    @property
    def by_kind(self) -> "tuple[tuple[str, int], ...]":
        return tuple(sorted(self.counted.items()))

    # Any: a process of multiprocessing's, of whichever kind.
    def _counting(self, original: "Callable[[Any], None]") -> "Callable[[Any], None]":
        @functools.wraps(original)
        def start(process: Any) -> None:
            self._count(LOADER if _is_in_loader(sys._getframe(1)) else POOL)
            self._starting.now = True
            try:
                original(process)
            finally:
                self._starting.now = False

        return start

    def _forking(self) -> None:
        if not getattr(self._starting, "now", False):
            self._count(FORK)
        self._before()

    def _hear(self, event: str, _: object) -> None:
        if event in _OTHERS:
            self._count(OTHER)

    def _count(self, kind: str) -> None:
        if os.getpid() == self._owner:
            self.counted[kind] += 1


def _is_in_loader(frame: "FrameType | None") -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith("torch.utils.data"):
            return True
        frame = frame.f_back
    return False
