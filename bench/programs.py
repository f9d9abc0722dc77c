"""Whole programs on the stand-in with eight cards: ours beside nvitop, in turns."""

from collections.abc import Iterator

from bench.child import OURS, peer, run, stub
from bench.table import Figure, at_most, beside, in_turns

_ROUNDS = 9
_LOOP_SECONDS = 20


def figures() -> Iterator[Figure]:
    more = {"TERM": "xterm", **stub(8)}
    ours, theirs = [*OURS, "snapshot", "--json"], [peer("nvitop"), "-1"]
    turns = in_turns(
        lambda: run(ours, more).seconds, lambda: run(theirs, more).seconds, _ROUNDS
    )
    yield beside("`snapshot --json` / `nvitop -1`, whole program", turns, "s", 1)
    loop = [*OURS, "snapshot", "--loop", "1", "--count"]
    once = run([*loop, "1"], more).cpu
    used = run([*loop, str(_LOOP_SECONDS + 1)], more).cpu - once
    minute = used / _LOOP_SECONDS * 60
    yield at_most("`snapshot --loop 1`, processor a minute", minute, 1.1, "s")
