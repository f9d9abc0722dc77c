"""Loop: read a command, carry it out, say what happened; until the pipe is closed."""

import _thread
import queue
import threading
import time
from typing import Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Began, Event, Finished, Printed
from gpuexplorer.lab.grammar import read_line
from gpuexplorer.lab.wire import Cancel, Command, Forget, Run, command_of
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.failures import failed
from gpuexplorer.worker.helpers import helpers
from gpuexplorer.worker.interpreter import Interpreter
from gpuexplorer.worker.pipe import Pipe
from gpuexplorer.worker.shelf import Shelf

_MOST_PRINTED = 20_000


class Loop:
    """Lines run in the main thread, so that a cancel can interrupt them there."""

    def __init__(self, pipe: Pipe, engine: Engine) -> None:
        self._pipe = pipe
        self._engine = engine
        self._shelf = Shelf()
        self._id = 0
        self._interpreter = Interpreter(
            engine, self._shelf.things, helpers(engine, self._on_printed)
        )
        self._commands: queue.SimpleQueue[Union[Command, Trouble, None]] = queue.SimpleQueue()  # noqa: UP007 - Python 3.10
        self._running_lock = threading.Lock()
        self._running: int | None = None

    def serve(self) -> None:
        self._pipe.say(self._engine.hello())
        threading.Thread(target=self._listen, name="commands", daemon=True).start()
        while True:
            command = self._commands.get()
            if command is None:
                return
            if isinstance(command, Trouble):
                self._pipe.say(failed(0, command))
            else:
                self._answer(command)

    def _answer(self, command: Command) -> None:
        self._id = command.id
        said: list[Event] = []
        try:
            # Cancelling is possible from here on, and no longer when the outcome is known.
            with self._running_lock:
                self._running = command.id
            self._pipe.say(Began(command.id))
            began = time.perf_counter()
            self._carry_out(command)
            host = time.perf_counter() - began
            self._engine.settle()
            self._over()
            seconds, modelled = self._engine.device_seconds()
            said = [Finished(command.id, host, seconds, modelled, tuple(self._engine.memory()))]
        except BrokenPipeError:
            raise
        # A line is a person's, and whatever it raises is an answer to that person.
        except (Exception, KeyboardInterrupt) as error:
            self._over()
            said = [failed(command.id, error)]
        for event in (*self._engine.transfers(command.id), *self._shelf.changes(command.id)):
            self._pipe.say(event)
        for event in said:
            self._pipe.say(event)

    def _carry_out(self, command: Command) -> None:
        match command:
            case Run(line=text):
                line = read_line(text)
                with self._engine.running():
                    value = self._interpreter.carry_out(line)
                    if value is not None:
                        self._on_printed(repr(value))
            case Forget(names=names):
                for name in names or tuple(self._shelf.things):
                    self._shelf.things.pop(name, None)
            case Cancel():
                pass  # what it meant is over already

    def _over(self) -> None:
        with self._running_lock:
            self._running = None

    def _listen(self) -> None:
        while (line := self._pipe.next_line()) is not None:
            try:
                command = command_of(line)
            except Trouble as trouble:
                self._commands.put(trouble)
                continue
            if isinstance(command, Cancel):
                with self._running_lock:
                    if self._running == command.id:
                        _thread.interrupt_main()
            else:
                self._commands.put(command)
        self._commands.put(None)

    def _on_printed(self, text: str) -> None:
        if len(text) > _MOST_PRINTED:
            text = f"{text[:_MOST_PRINTED]} … ({len(text)} letters in all)"
        self._pipe.say(Printed(self._id, text))
