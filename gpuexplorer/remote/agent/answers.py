"""Answers to what is asked once: each may take long, and none keeps another."""

import os
from functools import partial
from pathlib import Path

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.pythons import LabPython, PythonPlace, ask, candidates
from gpuexplorer.remote import wire
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.ending import end
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.process_names import ProcessNames
from gpuexplorer.telemetry.processes import CardProcess, ProcessUse

# The system counts in hundredths of a second when a process began.
_SAME_TIME = 0.02
# Each Python is given less than that.
_PYTHON_PATIENCE = 15.0
_WIRING_PATIENCE = 3.0


def end_process(order: wire.End) -> wire.Done:
    """With the rights of this login. Only the very process that began at that time."""
    named = ProcessNames().one(CardProcess(HOST_ID, order.pid, ProcessUse.COMPUTE))
    try:
        if named.started_at is not None and not _same_time(named.started_at, order.started_at):
            raise Trouble("It has ended already.")  # another one has its number by now
        end(named, order.way)
    except Trouble as trouble:
        return wire.Done(order.id, trouble.sentence, trouble.hint)
    return wire.Done(order.id)


def running(order: wire.AskRunning) -> wire.Running:
    named = ProcessNames().one(CardProcess(HOST_ID, order.pid, ProcessUse.COMPUTE))
    same = named.started_at is not None and _same_time(named.started_at, order.started_at)
    return wire.Running(order.id, running=same and not named.ended)


def wiring(order: wire.AskWiring, backend: Backend) -> "wire.Wired | wire.Done":
    asked = Asked(backend.topology)
    if asked.answered_within(_WIRING_PATIENCE):
        return wire.Wired(order.id, asked.result())
    return wire.Done(
        order.id,
        Message(
            "The driver over there did not report the wiring within {seconds:.0f} seconds.",
            seconds=_WIRING_PATIENCE,
        ),
    )


def pythons(order: wire.AskPythons) -> wire.Pythons:
    if order.named:
        return wire.Pythons(order.id, [_named(order.named)])
    asked = [Asked(partial(ask, path)) for path in candidates(dict(os.environ), _whole("~"))]
    found = [each.result() for each in asked if each.answered_within(_PYTHON_PATIENCE)]
    return wire.Pythons(order.id, found)


def _same_time(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME_TIME


def _whole(path: str) -> Path:
    return Path(os.path.expanduser(path))  # noqa: PTH111 - where there is no home, "~" stays


def _named(path: str) -> LabPython:
    try:
        return PythonPlace().picked(_whole(path))
    except Trouble as trouble:
        return LabPython(Path(path), trouble=trouble.sentence)
