"""Tracebacks as Python would print them if nobody watched: without our frames."""

import builtins
import itertools
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

_OURS = str(Path(__file__).parents[2])
_IMPORT = "<frozen importlib."
# Python's own, whatever an exception of the person's has in their place.
_TRACE, _CAUSE, _CONTEXT = (
    vars(BaseException)[each] for each in ("__traceback__", "__cause__", "__context__")
)
_GROUPS: "tuple[Any, ...]" = tuple(
    vars(builtins)[each] for each in ("BaseExceptionGroup",) if each in vars(builtins)
)
# By which an operation goes on that was seen.
_BEHIND = ("/torch/_ops.py", "\\torch\\_ops.py")


def print_without_ours() -> None:
    """Python's own hooks; one that the program sets is its own affair."""
    original = sys.excepthook

    def excepthook(
        kind: "type[BaseException]", error: BaseException, trace: "TracebackType | None"
    ) -> None:
        strip(error)
        original(kind, error, error.__traceback__)

    sys.excepthook = sys.__excepthook__ = excepthook
    in_threads = threading.excepthook

    # Any: what threading hands on is a tuple of its own.
    def threads_excepthook(args: Any) -> None:
        error = args.exc_value
        if error is not None:
            strip(error)
            args = type(args)((args.exc_type, error, error.__traceback__, args.thread))
        in_threads(args)

    threading.excepthook = threading.__excepthook__ = threads_excepthook


def strip(error: BaseException) -> None:
    """From the error, and from those that led to it."""
    left: list[BaseException | None] = [error]
    seen: set[int] = set()
    while left:
        each = left.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        _TRACE.__set__(each, _stripped(_TRACE.__get__(each)))
        left += [_CAUSE.__get__(each), _CONTEXT.__get__(each)]
        if isinstance(each, _GROUPS):
            left += each.exceptions


def _stripped(trace: "TracebackType | None") -> "TracebackType | None":
    entries = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    files = [each.tb_frame.f_code.co_filename for each in entries]
    ours = [each.startswith(_OURS) for each in files]
    for place, file in enumerate(files):
        beside = place and ours[place - 1]
        ours[place] = ours[place] or bool(beside and file.endswith(_BEHIND))
    # Python leaves out its own steps of an import, unless there are others between them.
    for places in (range(len(files)), reversed(range(len(files)))):
        beside = False
        for place in places:
            beside = ours[place] = ours[place] or (beside and files[place].startswith(_IMPORT))
    kept = [each for each, left_out in zip(entries, ours, strict=True) if not left_out]
    for one, following in itertools.pairwise(kept):
        one.tb_next = following
    if not kept:
        return None
    kept[-1].tb_next = None
    return kept[0]
