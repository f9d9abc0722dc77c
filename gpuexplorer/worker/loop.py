"""Loop: read a command, carry it out, say what happened; until the pipe is closed."""

import builtins
import os
import queue
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    BROKEN,
    Began,
    Completed,
    Evaluated,
    Event,
    Failed,
    Finished,
    Hello,
    Printed,
    Spans,
)
from gpuexplorer.lab.wire import (
    Answer,
    Cancel,
    Command,
    Complete,
    Evaluate,
    Measure,
    Multiply,
    Peek,
    Run,
    command_of,
)
from gpuexplorer.worker.cells import Cells, worths_of
from gpuexplorer.worker.completing import complete
from gpuexplorer.worker.engine import failed
from gpuexplorer.worker.engines.sight import PlacementLog
from gpuexplorer.worker.magics import Magics
from gpuexplorer.worker.shelf import Shelf, look
from gpuexplorer.worker.streams import Pipe, Stop, Streams, WindowGone

if TYPE_CHECKING:
    from gpuexplorer.worker.engine import Engine

_MOST_SHOWN = 20_000  # letters of one value
_LAST_PATIENCE = 0.5  # for what still runs when the window is gone
T = TypeVar("T")


class Loop:
    """Commands run in the main thread, so that a cancel can interrupt them there."""

    def __init__(
        self,
        pipe: Pipe,
        stop: Stop,
        streams: Streams,
        engine: "Engine",
        hello: Hello,
        *,
        sampled: bool = False,
    ) -> None:
        """`sampled`: cells are those of a program, of which some steps may be left out, and
        what was seen of each is said at its end.
        """
        self._pipe, self._stop, self._streams = pipe, stop, streams
        self._engine, self._hello, self._sampled = engine, hello, sampled
        self._cells = Cells(self._show)
        self._shelf = Shelf(self._cells.names)
        self._lab = Magics(self._cells, engine, streams, stop, simulated=hello.simulated)
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._id = 0
        self._broken = False
        torch.manual_seed(hello.seed)  # cards that are not used yet will begin so
        random.seed(hello.seed)
        if "numpy" in sys.modules:  # PyTorch loads it where it is installed
            sys.modules["numpy"].random.seed(hello.seed % (1 << 32))
        # For every cell, without standing on the shelf. `exit` must not close anything.
        vars(builtins).update(__lab__=self._lab, exit=sys.exit, quit=sys.exit)

    def serve(self) -> None:
        self._pipe.say(self._hello)
        threading.Thread(target=self._listen, name="commands", daemon=True).start()
        while (command := self._commands.get()) is not None:
            self._answer(command)

    def _answer(self, command: Command) -> None:
        is_cell, self._id = isinstance(command, Run), command.id
        self._pipe.say(Began(command.id))
        if is_cell:
            self._streams.begin(command.id)
        outcome = self._tried(lambda: self._finished(command))
        if isinstance(outcome, Failed):
            self._engine.copies.leave_unchecked()
            # A card that broke cannot be asked for its times; a simulated one always can.
            if is_cell and (self._hello.simulated or not self._broken):
                times = self._engine.times(command.id, self._cells.seconds)
                own, modelled = times.host_seconds, times.modelled
                outcome = replace(outcome, host_seconds=own, modelled=modelled)
        if is_cell:
            self._streams.finish()
        told: list[Event] | Failed = []
        if not self._broken:
            # A card may break at any time, and things may answer with whatever they like.
            told = self._tried(lambda: [*self._copied(), *self._shelf.changes(command.id)])
        if isinstance(told, Failed):
            self._pipe.say(told)
        else:
            self._pipe.say(*told, outcome)

    def _tried(self, run: "Callable[[], T]") -> "T | Failed":
        """A cell is a person's, and whatever it raises is an answer to that person."""
        try:
            return run()
        except WindowGone:
            raise
        except BaseException as error:
            self._stop.over()
            engine = self._engine
            failure = failed(self._id, error, lambda: (*engine.memory(),), engine.settle)
            self._broken = self._broken or failure.cause in BROKEN
            return failure

    def _finished(self, command: Command) -> Finished:
        began = time.perf_counter()
        try:
            self._stop.begin(command.id)
            self._carry_out(command)
            took = time.perf_counter() - began
            self._engine.settle()
        finally:
            self._stop.over()
        own = self._cells.seconds if isinstance(command, Run) else took
        memory = tuple(self._engine.memory())
        return replace(self._engine.times(command.id, own), memory=memory)

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, (Run, Peek, Evaluate)):
            held = command.others if isinstance(command, Run) else ()
            self._engine.told(command.lost, held)
        match command:
            case Run():
                self._run(command)
            case Peek():
                with self._engine.running(watched=False):
                    seen = look(command, self._cells.names)
                self._pipe.say(seen)
            case Evaluate():
                usable = [each.name for each in self._hello.devices if each.usable]
                devices = [each for each in usable if each != "meta"]  # which holds no values
                with self._engine.running(watched=False):
                    found = tuple(worths_of(command, self._cells.names, devices, self._stop))
                self._pipe.say(Evaluated(command.id, found))
            case Measure() | Multiply():
                from gpuexplorer.worker.engines.measuring.measure import carry_out  # noqa: PLC0415

                with self._engine.running(watched=False):
                    carry_out(command, self._hello, self._pipe.say, self._stop.checkpoint)

    def _run(self, command: Run) -> None:
        # A cell that only times something is not watched: that would be in the times.
        timing = re.fullmatch(r"\s*(%%time.*|%time[^\n]*)", command.code, re.DOTALL)
        watched = command.watched and not timing
        placed = PlacementLog(self._placed) if command.placement else nullcontext()
        try:
            with self._engine.running(watched=watched, sampled=self._sampled), placed:
                self._cells.run(command.code, command.number)
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
            self._streams.note(
                Message("The cell asked Python to end. It ended the cell; the session goes on.")
            )
        finally:
            if self._streams.forked:  # a child that a cell forked never serves commands
                os._exit(int(sys.exc_info()[0] is not None))
            self._streams.show_figures()

    def _copied(self) -> "Iterator[Event]":
        """What the cell copied, and what devices did meanwhile."""
        seen = self._engine.watched(self._id) if self._sampled else None
        transfers = tuple(self._engine.transfers(self._id))
        yield from transfers
        if seen is not None:
            yield replace(seen, copies=transfers, over=True)
        if spans := tuple(self._engine.spans()):
            yield Spans(self._id, spans, self._hello.simulated)

    def _listen(self) -> None:
        """In a thread of its own. Where the window is gone, so is the worker, soon."""
        try:
            while (line := self._pipe.next_line()) is not None:
                if line.isspace():  # somebody is there
                    continue
                match command := command_of(line):
                    case Cancel():
                        self._stop.cancel(command.id)
                    case Answer():
                        self._lab.answer(command)
                    case Complete():
                        self._complete(command)
                    case _:
                        self._commands.put(command)
        finally:
            self._commands.put(None)
            time.sleep(_LAST_PATIENCE)
            os._exit(0)

    def _complete(self, command: Complete) -> None:
        """At once, though a cell runs."""
        devices = [each.name for each in self._hello.devices]
        try:
            answer = complete(command, self._cells.names, devices)
        except Exception:  # what is asked there may be a person's own
            answer = Completed(command.id, command.at, ())
        self._pipe.say(answer)

    # Any: whatever a cell gave.
    def _show(self, value: Any) -> None:
        if hasattr(type(value), "savefig"):
            return  # a figure, which is shown when the cell is over
        text = repr(value)
        text = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} …"
        self._streams.event(Printed(self._id, text, "value"))

    def _placed(self, text: str) -> None:
        self._streams.event(Printed(self._id, text, "placement"), len(text))
