"""Loop: read a command, carry it out, say what happened; until the pipe is closed."""

import builtins
import os
import queue
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch

from gpuexplorer.core.words import Message, listed
from gpuexplorer.lab.events import (
    BROKEN,
    Began,
    Completed,
    Evaluated,
    Event,
    Failed,
    Finished,
    Hello,
    Memory,
    Pictured,
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
from gpuexplorer.worker.cells import Cells, Evaluating
from gpuexplorer.worker.completing import complete
from gpuexplorer.worker.engine import Engine, failed
from gpuexplorer.worker.engines.sight import PlacementLog
from gpuexplorer.worker.looking import look
from gpuexplorer.worker.magics import Asking, Magics, is_timing
from gpuexplorer.worker.shelf import Shelf
from gpuexplorer.worker.streams import (
    Figures,
    Pipe,
    Stop,
    Streams,
    WindowGone,
    children_end_here,
    png,
    tell_warnings,
)

_MOST_SHOWN = 20_000  # letters of one value
_FIGURE = 4_000  # letters that a figure counts: 50 fill a cell
_LAST_PATIENCE = 0.5  # for what still runs when the window is gone


class Loop:
    """Commands run in the main thread, so that a cancel can interrupt them there."""

    def __init__(
        self,
        pipe: Pipe,
        stop: Stop,
        streams: Streams,
        engine: Engine,
        hello: Hello,
        *,
        sampled: bool = False,
    ) -> None:
        """`sampled`: cells are those of a program, of which some steps may be left out, and
        what was seen of each is said at its end.
        """
        self._pipe = pipe
        self._stop = stop
        self._streams = streams
        self._engine = engine
        self._hello = hello
        self._sampled = sampled
        self._cells = Cells(self._show)
        self._shelf = Shelf(self._cells.names)
        self._asking = Asking(streams, self._memory, stop.asked)
        self._figures = Figures(self._picture)
        self._threads: set[threading.Thread] = set()  # that were there before the cell
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._typed: queue.SimpleQueue[Complete] = queue.SimpleQueue()
        self._ended = threading.Event()
        # The main thread's own.
        self._id = 0
        self._broken = False
        tell_warnings(streams)
        _seed(hello.seed)
        self._put_into_reach()

    def serve(self) -> None:
        self._stop.install()
        self._pipe.say(self._hello)
        threading.Thread(target=self._listen, name="commands", daemon=True).start()
        threading.Thread(target=self._complete, name="completions", daemon=True).start()
        while (command := self._commands.get()) is not None:
            self._answer(command)
        self._ended.set()

    def _put_into_reach(self) -> None:
        """For every cell, without standing on the shelf. `exit` must not close anything."""
        lab = Magics(
            self._cells,
            self._asking,
            self._engine,
            self._streams.note,
            simulated=self._hello.simulated,
        )
        vars(builtins).update(__lab__=lab, exit=sys.exit, quit=sys.exit)

    def _answer(self, command: Command) -> None:
        self._id = command.id
        self._stop.install()
        self._pipe.say(Began(command.id))
        if isinstance(command, Run):
            self._begin(command)
        outcome = self._outcome(command)
        told: list[Event] = []
        try:
            if isinstance(command, Run):
                self._end()
            if not self._broken:
                told = [*self._copied(), *self._shelf.changes(self._id)]
        except WindowGone:
            raise
        # A card may break at any time, and things may answer with whatever they like.
        except BaseException as error:
            outcome = self._failure(error)
        self._pipe.say(*told, outcome)

    def _begin(self, command: Run) -> None:
        self._streams.begin(command.id)
        self._asking.renew()
        self._threads = set(threading.enumerate())

    def _end(self) -> None:
        if self._cells.mended:
            gone = Message(
                "The cell took {names} from Python's own functions; that is put back.",
                names=listed(self._cells.mended),
            )
            self._streams.note(gone)
        left = len(set(threading.enumerate()) - self._threads)
        if left:
            self._streams.note(
                Message.counted(
                    "{count} thread that this cell started is still running.",
                    "{count} threads that this cell started are still running.",
                    left,
                )
            )
        self._streams.finish()

    def _outcome(self, command: Command) -> "Finished | Failed":
        began = time.perf_counter()
        try:
            try:
                self._stop.running = command.id
                self._stop.checkpoint()
                self._carry_out(command)
                took = time.perf_counter() - began
                self._engine.settle()
            finally:
                self._stop.over()
            own = self._cells.seconds if isinstance(command, Run) else took
            return replace(self._engine.times(command.id, own), memory=self._memory())
        except WindowGone:
            raise
        # A cell is a person's, and whatever it raises is an answer to that person.
        except BaseException as error:
            took = time.perf_counter() - began
            self._stop.over()
            self._engine.copies.leave_unchecked()
            own = self._cells.seconds if isinstance(command, Run) else took
            failure = self._failure(error)
            # A card that broke cannot be asked for its times; a simulated one always can.
            if self._hello.simulated:
                times = self._engine.times(command.id, own)
                own, modelled = times.host_seconds, times.modelled
                return replace(failure, host_seconds=own, modelled=modelled)
            return replace(failure, host_seconds=own)

    def _failure(self, error: BaseException) -> Failed:
        failure = failed(self._id, error, self._memory, self._engine.settle)
        self._broken = self._broken or failure.cause in BROKEN
        return failure

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, Run):
            self._engine.others_hold(command.others)
        if isinstance(command, (Run, Peek, Evaluate)):
            self._engine.cards_lost(command.lost)
        match command:
            case Run():
                self._run(command)
            case Peek():
                with self._engine.running(watched=False):
                    seen = look(command, self._cells.names)
                self._pipe.say(seen)
            case Evaluate():
                self._evaluate(command)
            case Measure() | Multiply():
                self._engine.measure(command, self._pipe.say, self._stop.checkpoint)

    def _evaluate(self, command: Evaluate) -> None:
        """What is worked out before it is cancelled is said."""
        usable = [each.name for each in self._hello.devices if each.usable]
        devices = [each for each in usable if each != "meta"]  # which holds no values
        expressions = Evaluating(command, self._cells.names, devices, self._stop)
        try:
            with self._engine.running(watched=False):
                expressions.work_out()
        finally:
            self._pipe.say(Evaluated(command.id, tuple(expressions.worths)))

    def _run(self, command: Run) -> None:
        watched = command.watched and not is_timing(command.code)
        placement = PlacementLog(self._placed) if command.placement else nullcontext()
        try:
            running = self._engine.running(watched=watched, sampled=self._sampled)
            with running, placement, children_end_here():
                self._cells.run(command.code, command.number)
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
            self._streams.note(
                Message("The cell asked Python to end. It ended the cell; the session goes on.")
            )
        finally:
            self._figures.show()

    def _copied(self) -> "Iterator[Event]":
        """What the cell copied, and what devices did meanwhile."""
        seen = self._engine.watched(self._id) if self._sampled else None
        transfers = tuple(self._engine.transfers(self._id))
        yield from transfers
        if seen is not None:
            yield replace(seen, copies=transfers, over=True)
        spans = tuple(self._engine.spans())
        if spans:
            yield Spans(self._id, spans, self._hello.simulated)

    def _memory(self) -> "tuple[Memory, ...]":
        return tuple(self._engine.memory())

    def _listen(self) -> None:
        """In a thread of its own. Where the window is gone, so is the worker, soon."""
        try:
            while (line := self._pipe.next_line()) is not None:
                match command := command_of(line):
                    case Cancel():
                        self._stop.cancel(command.id)
                    case Answer():
                        self._asking.answer(command)
                    case Complete():
                        self._typed.put(command)
                    case _:
                        self._commands.put(command)
        finally:
            self._commands.put(None)
            if not self._ended.wait(_LAST_PATIENCE):
                os._exit(0)

    def _complete(self) -> None:
        """In a thread of its own, since it answers while a cell runs."""
        devices = [each.name for each in self._hello.devices]
        while True:
            command = self._typed.get()
            try:
                answer = complete(command, self._cells.names, devices)
            except Exception:  # what is asked there may be a person's own
                answer = Completed(command.id, command.at, ())
            self._pipe.say(answer)

    # Any: whatever a cell gave.
    def _show(self, value: Any) -> None:
        if hasattr(type(value), "savefig") and hasattr(type(value), "get_size_inches"):
            return  # a figure, which is shown when the cell is over
        text = repr(value)
        if len(text) > _MOST_SHOWN:
            text = Message(
                "{begin} … ({letters} letters in all)",
                begin=text[:_MOST_SHOWN],
                letters=f"{len(text):,}",
            )
        self._streams.event(Printed(self._id, text, "value"))

    # Any: a figure is matplotlib's.
    def _picture(self, figure: Any) -> None:
        if self._streams.takes(_FIGURE):
            self._streams.event(Pictured(self._streams.command, png(figure)))

    def _placed(self, text: str) -> None:
        if self._streams.takes(len(text)):
            self._streams.event(Printed(self._id, text, "placement"))


def _seed(number: int) -> None:
    """Cards that are not used yet will begin so."""
    torch.manual_seed(number)
    random.seed(number)
    numpy = sys.modules.get("numpy")  # PyTorch loads it where it is installed
    if numpy is not None:
        numpy.random.seed(number % (1 << 32))
