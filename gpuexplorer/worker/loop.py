"""Loop: read a command, carry it out, say what happened; until the pipe is closed."""

import _thread
import os
import queue
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Began, Event, Failed, Finished, Memory, Printed, Spans
from gpuexplorer.lab.grammar import read_line
from gpuexplorer.lab.wire import (
    Cancel,
    Command,
    Forget,
    Measure,
    Multiply,
    Peek,
    Run,
    Train,
    command_of,
)
from gpuexplorer.worker.causes import shown_by
from gpuexplorer.worker.engine import Engine, Times
from gpuexplorer.worker.failures import Cancelled, failed
from gpuexplorer.worker.helpers import helpers
from gpuexplorer.worker.interpreter import Interpreter
from gpuexplorer.worker.looking import look
from gpuexplorer.worker.pipe import Pipe
from gpuexplorer.worker.shelf import Shelf
from gpuexplorer.worker.staying import stays_on_host
from gpuexplorer.worker.training import train

_MOST_PRINTED = 20_000  # letters of one text
_MOST_TEXTS = 1000  # of one line
_LAST_PATIENCE = 0.5  # for what still runs when the window is gone
# Meant for who uses PyTorch; others are for those who write it.
_TOLD = (UserWarning, RuntimeWarning, FutureWarning)
_WHERE = re.compile(r"\s*\(Triggered internally at .*\)$")


class Loop:
    """Commands run in the main thread, so that a cancel can interrupt them there."""

    def __init__(self, pipe: Pipe, engine: Engine, seed: int = 0) -> None:
        self._pipe = pipe
        self._seed = seed
        self._engine = engine
        self._shelf = Shelf()
        self._interpreter = Interpreter(
            engine, self._shelf.things, helpers(engine, self._on_printed, self._on_placed)
        )
        self._commands: queue.SimpleQueue[Union[Command, Trouble, None]] = queue.SimpleQueue()  # noqa: UP007 - Python 3.10
        self._ended = threading.Event()
        # Written by the thread that listens, read by the main thread.
        self._cancelled: set[int] = set()
        # The main thread's own.
        self._id = 0
        self._texts = 0
        self._interruptible = False
        self._broken = False
        self._simulated = False

    def serve(self) -> None:
        signal.signal(signal.SIGINT, self._on_interrupt)
        self._engine.seed(self._seed)
        hello = self._engine.hello()
        self._simulated = hello.simulated
        self._pipe.say(replace(hello, seed=self._seed))
        threading.Thread(target=self._listen, name="commands", daemon=True).start()
        while (command := self._commands.get()) is not None:
            if isinstance(command, Trouble):
                self._pipe.say(failed(0, command))
            else:
                self._answer(command)
        self._ended.set()

    def _answer(self, command: Command) -> None:
        self._id, self._texts = command.id, 0
        self._pipe.say(Began(command.id))
        outcome = self._outcome(command)
        if self._texts > _MOST_TEXTS:
            more = self._texts - _MOST_TEXTS
            said = Message("and {more} more, which are not shown", more=more)
            self._pipe.say(Printed(command.id, said))
        for event in (*self._copied(), *self._shelf.changes(command.id), outcome):
            self._pipe.say(event)
        self._cancelled.discard(command.id)

    def _outcome(self, command: Command) -> Union[Finished, Failed]:  # noqa: UP007 - Python 3.10
        """A line that failed leaves the random numbers as they were."""
        before = None if self._broken else self._engine.random_state()
        try:
            with warned(self._on_printed):
                self._interruptible = True
                self._checkpoint()
                began = time.perf_counter()
                self._carry_out(command)
                host = time.perf_counter() - began
                self._engine.settle()
                self._interruptible = False
        except BrokenPipeError:
            raise
        # A line is a person's, and whatever it raises is an answer to that person.
        except (Exception, Cancelled) as error:
            self._interruptible = False
            self._engine.copies.leave_unchecked()
            failure = failed(command.id, error, self._memory)
            self._broken = self._broken or failure.cause == "device broken"
            if not self._broken and before is not None:
                self._engine.set_random_state(before)
            return failure
        times = self._engine.times()
        drew = self._engine.random_state() != before
        return _finished(command.id, host, times, self._memory(), drew=drew)

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, (Run, Train)) and command.others:
            self._engine.others_hold(command.others)
        if isinstance(command, (Run, Peek, Train)):
            self._engine.cards_lost(command.lost)
        match command:
            case Run(line=text):
                line = read_line(text)
                with self._engine.running(lambda: stays_on_host(line, self._shelf.things)):
                    value = self._interpreter.carry_out(line)
                    if value is not None:
                        with self._engine.copies.caused_by("print", shown_by(line)):
                            self._on_printed(repr(value))
            case Peek():
                with self._engine.running():
                    seen = look(command, self._interpreter, self._engine)
                self._pipe.say(seen)
            case Train():
                with self._engine.running(lambda: stays_on_host(command, self._shelf.things)):
                    train(
                        command,
                        self._shelf.things,
                        self._engine,
                        self._pipe.say,
                        self._checkpoint,
                    )
            case Measure():
                self._engine.measure(command, self._pipe.say, self._checkpoint)
            case Multiply():
                self._engine.multiply(command, self._pipe.say, self._checkpoint)
            case Forget(names=names):
                for name in names or tuple(self._shelf.things):
                    self._shelf.things.pop(name, None)
            case Cancel():
                pass  # what it meant is over already

    def _copied(self) -> "Iterator[Event]":
        """What the line copied, and what devices did meanwhile."""
        if self._broken:
            return
        yield from self._engine.transfers(self._id)
        spans = tuple(self._engine.spans())
        if spans:
            yield Spans(self._id, spans, self._simulated)

    def _memory(self) -> "tuple[Memory, ...]":
        return () if self._broken else tuple(self._engine.memory())

    def _listen(self) -> None:
        """In a thread of its own. Where the window is gone, so is the worker, soon."""
        while (line := self._pipe.next_line()) is not None:
            try:
                command = command_of(line)
            except Trouble as trouble:
                self._commands.put(trouble)
                continue
            if isinstance(command, Cancel):
                self._cancelled.add(command.id)
                _thread.interrupt_main()
            else:
                self._commands.put(command)
        self._commands.put(None)
        if not self._ended.wait(_LAST_PATIENCE):
            os._exit(0)

    def _checkpoint(self) -> None:
        """An interrupt that falls into a destructor is lost; this is not."""
        if self._id in self._cancelled:
            raise Cancelled

    def _on_interrupt(self, *_: object) -> None:
        """In the main thread, between two steps of Python."""
        if self._interruptible and self._id in self._cancelled:
            self._interruptible = False
            raise Cancelled

    def _on_placed(self, text: str) -> None:
        self._pipe.say(Printed(self._id, text, placement=True))

    def _on_printed(self, text: str) -> None:
        self._texts += 1
        if self._texts > _MOST_TEXTS:
            return
        if len(text) > _MOST_PRINTED:
            text = Message(
                "{begin} … ({letters} letters in all)",
                begin=text[:_MOST_PRINTED],
                letters=len(text),
            )
        self._pipe.say(Printed(self._id, text))


def _finished(
    command: int, host: float, times: Times, memory: "tuple[Memory, ...]", *, drew: bool
) -> Finished:
    return Finished(
        command,
        host if times.host_seconds is None else times.host_seconds,
        times.device_seconds,
        times.modelled,
        memory,
        drew,
        host,
        times.busy,
    )


@contextmanager
def warned(say: "Callable[[str], object]") -> "Iterator[None]":
    """Each line is warned anew, whatever lines before it were told."""
    seen: set[str] = set()

    def show(
        message: "Warning | str", category: "type[Warning]", *where: Any, **more: Any
    ) -> None:
        del where, more
        text = f"{category.__name__}: {_WHERE.sub('', str(message).strip())}"
        if text not in seen:
            seen.add(text)
            say(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in _TOLD:
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        yield
