"""WorkerProcess: starts the other process, hands it commands and its events to us, ends it."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab import endings
from gpuexplorer.lab.events import (
    VERSION,
    Began,
    Completed,
    Event,
    Failed,
    Finished,
    Hello,
    Printed,
)
from gpuexplorer.lab.program_pipes import PROGRAM, ProgramPipes
from gpuexplorer.lab.start import SIGN_EVERY, Begun, Start
from gpuexplorer.lab.wire import Answer, Cancel, Command, Garbled, event_of, line_of

_ENDING_PATIENCE = 1.0
_FAR_ENDING_PATIENCE = 5.0  # what it says and its end come by ways of their own
_KILLING_PATIENCE = 1.0
_SHELLS = 128  # and the number of the signal: how one process tells of another's end
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way for both
_SERVING: "dict[str, Any]" = {
    "stdin": subprocess.PIPE,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.PIPE,
    "creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0),
    "encoding": "utf-8",
    "errors": "replace",
    "bufsize": 1,
    "start_new_session": True,  # to be ended with all that it started
}

_LETTERS = ("encoding", "errors", "bufsize")
# What another computer says first may be no text.
_FAR_SERVING = {name: each for name, each in _SERVING.items() if name not in _LETTERS}


class WorkerProcess:
    """One process, from its start to its end; a new one is another object.

    `on_event` is called from a reader's thread, for every event in its order. When the
    process is gone, every command that was not answered has failed, and `on_end` is told why;
    what is sent after that fails at once, in the thread that sent it.

    A program answers to Cancel, which is Ctrl+C, and to Answer. It has failed or finished
    when its process has ended: its status says more than it can itself.
    """

    def __init__(
        self,
        start: Start,
        on_event: "Callable[[Event], None]",
        on_end: "Callable[[Message], None]",
    ) -> None:
        self._on_event = on_event
        self._on_end = on_end
        self._lock = threading.Lock()
        self._unanswered: dict[int, Command] = {}
        self._last_words: deque[str] = deque(maxlen=endings.LINES_KEPT)
        self._warned: int | None = None  # the command during which something was left out
        self._asked_to_end = False
        self._because = NOTHING  # it was killed by us
        self._ended = False
        self._why = NOTHING
        self._greeted = False
        self._own_streams = False
        self._pipes: ProgramPipes | None = None
        self._outcome: Finished | Failed | None = None  # of a program, as it says itself
        self._far: Begun | None = None
        self._far_pid = 0
        if start.elsewhere is not None:
            self._far = start.elsewhere.begin(start)
        options, variables = _SERVING, start.variables
        if self._far is not None:
            options, variables = _FAR_SERVING, {**os.environ, **self._far.variables}
        elif start.program is not None:
            self._own_streams = start.program.own_streams
            self._pipes = ProgramPipes(on_event, own_streams=self._own_streams)
            options, variables = self._pipes.options, {**variables, **self._pipes.variables}
        try:
            self._process: subprocess.Popen[Any] = subprocess.Popen(
                start.command if self._far is None else self._far.command,
                env=variables,
                cwd=start.folder if self._far is None else None,
                **options,
            )
        except OSError as error:
            if self._pipes is not None:
                self._pipes.not_begun()
            if self._far is not None:
                self._far.close()
            raise Trouble(
                "This Python cannot be started: {python} ({why}).",
                "Choose another Python for the lab.",
                python=str(start.python),
                why=error.strerror,
            ) from None
        self._began = time.monotonic()
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads = [self._thread("worker writer", self._write)]
        if self._pipes is None:  # first, since the reader waits for it when all is over
            self._stderr_reader = self._thread("worker stderr", self._read_stderr)
            self._threads.append(self._stderr_reader)
        self._reader = self._thread("worker reader", self._read)
        self._threads.append(self._reader)
        if self._pipes is not None:
            self._pipes.begin(self._process)
            self._threads.append(self._thread("program's end", self._await_program))

    @property
    def pid(self) -> int:
        """As the driver of its computer names it; of another one, once it has said so."""
        return self._process.pid if self._far is None else self._far_pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def status(self) -> "int | None":
        """With which it ended, as Python has it: of a signal less than 0. None: it runs."""
        status: int | None = self._process.poll()
        return status

    def send(self, command: Command) -> None:
        """Never waits: one that is stopped, or still importing PyTorch, does not read."""
        if self._pipes is not None:
            self._send_to_program(command)
            return
        with self._lock:
            ended = self._ended
            answered = not isinstance(command, (Answer, Cancel))
            if answered and not ended:
                self._unanswered[command.id] = command
            self._outgoing.put(line_of(command))
        if answered and ended:
            self._on_event(endings.unanswered(command.id, self._last_words, self._why))

    def _send_to_program(self, command: Command) -> None:
        match command:
            case Cancel():
                self.hand_on(signal.SIGINT)
            case Answer(text=None):
                self._outgoing.put(None)
            case Answer(text=text):
                self._outgoing.put(f"{text}\n")
            case _:
                raise ValueError("A program carries out no commands.")

    def cancel(self, command: int) -> None:
        """What runs in PyTorch's own code is interrupted when it returns."""
        self.send(Cancel(command))

    def stop(self, patience: float = _ENDING_PATIENCE) -> None:
        """Close its pipe; then ask it to end; then end it. Gives all memory back."""
        self._asked_to_end = True
        self._outgoing.put(None)
        for harder in (None, signal.SIGTERM, _SIGKILL):
            if harder is not None:
                self.hand_on(harder)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
                break
        for each in self._threads:
            each.join(_KILLING_PATIENCE)

    def kill(self, why: Message = NOTHING) -> None:
        """At once, for what hangs. The reader then tells the end as ever, and why."""
        self._because = self._because or why
        self.hand_on(_SIGKILL)

    def hand_on(self, number: int) -> None:
        """A signal, also to all that it started: the chosen Python may be a script that starts
        another. A program with our terminal gets it alone.
        """
        if sys.platform == "win32":  # it has one way for all of them
            self._process.terminate()
            return
        if self._own_streams:
            self._process.send_signal(number)
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    def _thread(self, name: str, run: "Callable[[], None]") -> threading.Thread:
        thread = threading.Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread

    def _write(self) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        pipe_takes_text = self._pipes is None and self._far is None
        # Where it is gone, the reader notices, and says so for every command.
        with contextlib.suppress(OSError), pipe:
            if self._far is not None:
                pipe.write(self._far.preamble)
                pipe.flush()
            while (line := self._next_line()) is not None:
                pipe.write(line if pipe_takes_text else line.encode())
                pipe.flush()

    def _next_line(self) -> "str | None":
        """Another computer hears now and then that somebody is there."""
        try:
            return self._outgoing.get(timeout=None if self._far is None else SIGN_EVERY)
        except queue.Empty:
            return "\n"

    def _read(self) -> None:
        # Any: text; of another computer, bytes.
        said: Any = self._process.stdout if self._pipes is None else self._pipes.events
        assert said is not None
        with said:
            self._hear(said if self._far is None else self._far.lines(said))
        if self._pipes is None:
            self._wait_for_its_end()
            self._stderr_reader.join(_KILLING_PATIENCE)
            self._tell_end(self._why_it_ended())

    def _hear(self, lines: "Iterable[str]") -> None:
        for line in lines:
            if not line.strip():
                continue
            try:
                event = event_of(line)
            except Trouble as trouble:
                if self._greeted and not self._is_its_own(trouble):
                    self._leave_out(trouble.sentence)
                    continue
                self.kill(trouble.sentence)
                return
            if not self._greeted and not self._is_welcome(event):
                return
            if not self._greeted:
                self._last_words.clear()  # what was said while it started
            self._greeted = True
            if isinstance(event, Hello):
                self._far_pid = event.pid
            if self._pipes is not None:
                self._hear_program(event)
                continue
            if isinstance(event, (Completed, Finished, Failed)):
                with self._lock:
                    self._unanswered.pop(event.id, None)
            self._on_event(event)

    def _hear_program(self, event: Event) -> None:
        assert self._pipes is not None
        if isinstance(event, (Finished, Failed)):
            self._outcome = event
            return
        self._on_event(event)
        if isinstance(event, Began):
            self._pipes.began()

    def _await_program(self) -> None:
        """What it started may hold on to its pipes for longer."""
        assert self._pipes is not None
        status = self._process.wait()
        took = time.monotonic() - self._began
        self._reader.join(_KILLING_PATIENCE)
        self._pipes.finish()
        begun = self._greeted or status < 0
        why = endings.of_program(status) if begun else self._why_it_ended()
        why = self._because or why
        said = self._outcome
        self._on_event(endings.outcome(said, status, took, why, greeted=self._greeted))
        self._tell_end(why)

    def _is_its_own(self, trouble: Trouble) -> bool:
        """A worker that garbles its messages is of no use; a program is its person's."""
        return self._pipes is None and isinstance(trouble, Garbled)

    def _leave_out(self, sentence: Message) -> None:
        """A cell's code may write into a pipe that it found. Said once a command."""
        with self._lock:
            running = next(iter(self._unanswered), None if self._pipes is None else PROGRAM)
        if running is not None and running != self._warned:
            self._warned = running
            self._on_event(Printed(running, sentence, "note"))

    def _wait_for_its_end(self) -> None:
        """And end what it leaves behind."""
        try:
            self._process.wait(_ENDING_PATIENCE if self._far is None else _FAR_ENDING_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill(Message(endings.PIPE_CLOSED))
            self._process.wait()
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, _SIGKILL)

    def _is_welcome(self, event: Event) -> bool:
        if self._pipes is not None and isinstance(event, Failed):
            self._last_words.append(event.message)  # it cannot start, and its status says why
            return False
        if not isinstance(event, Hello):
            self.kill(
                Message("The other process did not introduce itself as a worker of the lab.")
            )
            return False
        if event.version != VERSION:
            self.kill(
                Message(
                    "The worker speaks version {theirs} of the lab's language, and this window "
                    "version {ours}.",
                    theirs=event.version,
                    ours=VERSION,
                )
            )
            return False
        return True

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as said:
            lines: Iterable[str] = said
            if self._far is not None:
                lines = self._far.complaints(said)
            for line in lines:
                self._last_words.append(line.rstrip())

    def _tell_end(self, why: Message) -> None:
        self._why = self._because or why
        with self._lock:
            self._ended = True
            lost = list(self._unanswered)
            self._unanswered.clear()
        self._outgoing.put(None)
        if self._far is not None:
            self._far.close()
        for command in lost:
            self._on_event(endings.unanswered(command, self._last_words, self._why))
        self._on_end(self._why)

    def _why_it_ended(self) -> Message:
        if self._asked_to_end:
            return Message("The worker was ended.")
        status = self._process.returncode
        if self._far is not None:
            if why := self._far.why(status):
                return why
            status = status if status <= _SHELLS else _SHELLS - status
        return endings.of_worker(status, "".join([*self._last_words][-1:]))
