"""A program that a stand-in worker runs, and what it says of it."""

from dataclasses import replace
from pathlib import Path

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Chosen, ProgramState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import (
    Began,
    Event,
    Failed,
    Finished,
    Frame,
    Idle,
    Loader,
    Printed,
    Transferred,
    Watched,
    Why,
)
from tests.gui.lab.conftest import KnownPython, ScriptedWorker

FILE = "/home/me/resnet/train.py"
TEXT = """import torch
for x, y in loader:
    x = x.to(device)
    loss = F.cross_entropy(net(x), y)
    total += loss.item()"""
CHOSEN = Chosen(Path(FILE), TEXT, ("--epochs", "3"))


def program_lab(machine: MachineState, worker: ScriptedWorker) -> Lab:
    """Its session is nobody's here; programs are run by `worker`."""
    session = ScriptedWorker()
    python = KnownPython(machine.settings, machine)
    return Lab(machine, python, session.start, start_program=worker.starting)


class Told:
    """What a worker says of a program, one thing after another."""

    def __init__(self, state: ProgramState, worker: ScriptedWorker) -> None:
        self.state, self.worker = state, worker

    def begin(self, chosen: Chosen = CHOSEN) -> None:
        self.state.start(chosen)
        self.worker.say(Began(1))

    def say(self, *events: Event) -> None:
        self.worker.say(*events)

    def print(self, text: str, stream: str = "out") -> None:
        self.worker.say(Printed(1, text, stream))

    def end(self, status: int = 0) -> None:
        """By itself; with a status that is not 0, as the pipe's other end has it."""
        why = Message("The program ended with status {status}.", status=status)
        self.worker.ended_with = status
        ended = Failed(1, "ended", "", "", why, host_seconds=41.0)
        self.worker.say(ended if status else Finished(1, 41.0))
        self.worker.end(why)

    def fail(self, error: str, message: str, line: int = 4) -> None:
        frames = (Frame(1, line, file=FILE),)
        self.worker.ended_with = 1
        self.worker.say(Failed(1, "raised", error, message, frames=frames, host_seconds=41.0))
        self.worker.end("The program ended with status 1.")


def copied(row: int, line: int, what: str, **fields: object) -> Transferred:
    """Pageable and blocking, 12 000 times, unless it says otherwise."""
    usual = Transferred(
        1, "cpu", "cuda:0", 12_000 * 786_432, 2.6, modelled=True, copies=12_000, what=what,
        line=line, file=FILE, how="to", pinned=False, blocking=True, host_seconds=2.7, row=row,
        bursts=12_000,
    )  # fmt: skip
    return replace(usual, **fields)  # type: ignore[arg-type]  # by name


def read(row: int, line: int, what: str, **fields: object) -> Transferred:
    usual = copied(row, line, what, source="cuda:0", target="cpu", bytes=48_000, seconds=0.02)
    item = replace(usual, asked=False, how="item", host_seconds=3.0)
    return replace(item, **fields)  # type: ignore[arg-type]  # by name


def idled(row: int, line: int, what: str, seconds: float, why: Why = Why.READ) -> Idle:
    return Idle(row, "cuda:0", why, seconds, 12_000, seconds / 600, FILE, 0, line, what)


def seen(**fields: object) -> Watched:
    """12 000 steps of 41 s: a loss that is read each time, a loader that is slow."""
    loop = "for x, y in loader:"
    usual = Watched(
        1, seconds=41.0, seen_seconds=41.0, steps=12_000, seen_steps=12_000, step="optimizer",
        cost_seconds=0.5, modelled=True,
        copies=(copied(1, 3, "x.to(device)"), read(2, 5, "loss.item()")),
        idle=(idled(1, 5, "loss.item()", 3.1), idled(2, 2, loop, 9.4, Why.LOADER)),
        loaders=(Loader(1, 12_000, 9.6, 0, pins=False, file=FILE, line=2, what=loop),),
        busy=(("cuda:0", 22.0),),
    )  # fmt: skip
    return replace(usual, **fields)  # type: ignore[arg-type]  # by name
