"""WorkerProcess: starts the other process, hands it commands and its events to us, ends it, and
says in a sentence why it ended.
"""

import codecs
import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.events import (
    Began,
    Completed,
    Event,
    Failed,
    Finished,
    Frame,
    Hello,
    Printed,
)
from gpuexplorer.lab.offspring import HANDED_ON
from gpuexplorer.lab.printed import Flow
from gpuexplorer.lab.start import PIPE, PROGRAM, SIGN_EVERY, Begun, Start
from gpuexplorer.lab.wire import Answer, Cancel, Command, event_of, line_of

_ENDING_PATIENCE, _KILLING_PATIENCE = 1.0, 1.0
_FAR_ENDING_PATIENCE = 5.0  # what it says and its end come by ways of their own
_LINES_KEPT = 40  # of what it wrote on standard error
_SHELLS = 128  # and the number of the signal: how one process tells of another's end
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way for both
_SERVING: "dict[str, Any]" = {
    "stdin": subprocess.PIPE,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.PIPE,
    "creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0),
    "start_new_session": True,  # to be ended with all that it started
}
# By its exit status, before it said hello. What it said last says more.
CANNOT_START = {
    3: mark("The lab needs Python 3.10 or newer; this is {said}."),
    4: mark("PyTorch cannot be loaded by this Python: {said}."),
    5: mark("The lab needs PyTorch 2.4 or newer; this is {said}."),
    6: mark("This PyTorch lacks what the lab needs: {said}."),
}
_PIPE_CLOSED = mark("Code in the worker closed its pipe to the window.")  # status 7
_KILLED = {
    2: mark("{what} was interrupted."),
    4: mark("{what} was killed by an illegal instruction."),
    6: mark("{what} was killed by an abort in its own code."),
    7: mark("{what} was killed by a memory error (SIGBUS)."),
    8: mark("{what} was killed by an arithmetic fault."),
    9: mark("{what} was killed by somebody, or by the system for want of memory (SIGKILL)."),
    11: mark("{what} was killed by a memory fault of its own (SIGSEGV)."),
    15: mark("{what} was killed by somebody who asked it to end (SIGTERM)."),
}
# As Python's fault handler writes where it broke off.
_FRAME = re.compile(r'\s*File "<cell (\d+)>", line (\d+) in (.+)')


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
        self._last_words: deque[str] = deque(maxlen=_LINES_KEPT)
        self._warned: int | None = None  # the command during which something was left out
        self._asked_to_end = False
        self._because = NOTHING  # it was killed by us
        self._ended = False
        self._why = NOTHING
        self._greeted = False
        self._own_streams = start.program is not None and start.program.own_streams
        self._pipes: ProgramPipes | None = None
        self._outcome: Finished | Failed | None = None  # of a program, as it says itself
        self._far_pid = 0
        self._far: Begun | None = start.elsewhere.begin(start) if start.elsewhere else None
        command, folder, variables = start.command, start.folder, start.variables
        options = _SERVING
        if self._far is not None:
            command, folder = self._far.command, None
            variables = {**os.environ, **self._far.variables}
        elif start.program is not None:
            self._pipes = ProgramPipes(on_event, own_streams=self._own_streams)
            options, variables = self._pipes.options, {**variables, **self._pipes.variables}
        try:
            self._process = subprocess.Popen(command, env=variables, cwd=folder, **options)
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
        return self._process.poll()

    def send(self, command: Command) -> None:
        """Never waits: one that is stopped, or still importing PyTorch, does not read."""
        if self._pipes is not None:
            if isinstance(command, Answer):
                self._outgoing.put(None if command.text is None else f"{command.text}\n")
            else:
                self.hand_on(signal.SIGINT)
            return
        with self._lock:
            ended = self._ended
            answered = not isinstance(command, Answer | Cancel)
            if answered and not ended:
                self._unanswered[command.id] = command
            self._outgoing.put(line_of(command))
        if answered and ended:
            self._on_event(self._unanswered_by(command.id))

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
        elif self._own_streams:
            self._process.send_signal(number)
        else:
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
        # Another computer hears now and then that somebody is there.
        patience = None if self._far is None else SIGN_EVERY
        # Where it is gone, the reader notices, and says so for every command.
        with contextlib.suppress(OSError), pipe:
            if self._far is not None:
                pipe.write(self._far.preamble)
                pipe.flush()
            while True:
                line: str | None = "\n"
                with contextlib.suppress(queue.Empty):
                    line = self._outgoing.get(timeout=patience)
                if line is None:
                    return
                pipe.write(line.encode())
                pipe.flush()

    def _read(self) -> None:
        said = self._process.stdout if self._pipes is None else self._pipes.events
        assert said is not None
        with said:
            for line in _text(said) if self._far is None else self._far.lines(said):
                if line.strip() and not self._hear(line):
                    break
        if self._pipes is None:
            far = self._far is not None
            try:
                self._process.wait(_FAR_ENDING_PATIENCE if far else _ENDING_PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill(Message(_PIPE_CLOSED))
                self._process.wait()
            if hasattr(os, "killpg"):  # what it leaves behind
                with contextlib.suppress(OSError):
                    os.killpg(self._process.pid, _SIGKILL)
            self._stderr_reader.join(_KILLING_PATIENCE)
            self._tell_end(self._why_it_ended())

    def _hear(self, line: str) -> bool:
        """Whether to go on: what begins otherwise than a worker does is none."""
        try:
            event = event_of(line)
        except Trouble as trouble:
            if not self._greeted:
                self.kill(trouble.sentence)
                return False
            # A cell's code may write into a pipe that it found. Said once a command.
            with self._lock:
                running = next(iter(self._unanswered), None if self._pipes is None else PROGRAM)
            if running is not None and running != self._warned:
                self._warned = running
                self._on_event(Printed(running, trouble.sentence, "note"))
            return True
        if not self._greeted:
            if isinstance(event, Failed) and self._pipes is not None:
                self._last_words.append(event.message)  # and its status says why
                return False
            if not isinstance(event, Hello):
                self.kill(
                    Message(
                        "The other process did not introduce itself as a worker of the lab."
                    )
                )
                return False
            self._greeted, self._far_pid = True, event.pid
            self._last_words.clear()  # what was said while it started
        if isinstance(event, Finished | Failed) and self._pipes is not None:
            self._outcome = event
            return True
        if isinstance(event, Finished | Failed | Completed):
            with self._lock:
                self._unanswered.pop(event.id, None)
        self._on_event(event)
        if self._pipes is not None and isinstance(event, Began):
            self._pipes.began()
        return True

    def _await_program(self) -> None:
        """What it started may hold on to its pipes for longer."""
        assert self._pipes is not None
        status = self._process.wait()
        took = time.monotonic() - self._began
        self._reader.join(_KILLING_PATIENCE)
        self._pipes.finish()
        begun = self._greeted or status < 0
        why = self._because or (_of_program(status) if begun else self._why_it_ended())
        said = self._outcome
        if isinstance(said, Failed):
            outcome: Finished | Failed = said
        elif status == 0 and self._greeted:
            outcome = said or Finished(PROGRAM, took)
        else:
            cause = "ended" if self._greeted else "cannot start"
            cause = "cancelled" if status == -signal.SIGINT else cause
            seconds = took if said is None else said.host_seconds
            outcome = Failed(PROGRAM, cause, "", "", why, host_seconds=seconds)
        self._on_event(outcome)
        self._tell_end(why)

    def _read_stderr(self) -> None:
        said = self._process.stderr
        assert said is not None
        with said:
            for line in _text(said) if self._far is None else self._far.complaints(said):
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
            self._on_event(self._unanswered_by(command))
        self._on_end(self._why)

    def _why_it_ended(self) -> Message:
        if self._asked_to_end:
            return Message("The worker was ended.")
        status = self._process.returncode
        if self._far is not None:
            if why := self._far.why(status):
                return why
            status = status if status <= _SHELLS else _SHELLS - status
        said = "".join([*self._last_words][-1:])
        if said and status in CANNOT_START:
            return Message(CANNOT_START[status], said=said)
        if status == 7:
            return Message(_PIPE_CLOSED)
        if status < 0:
            return _killed(Message("The worker"), -status)
        if not said:
            return Message("The worker ended by itself with status {status}.", status=status)
        return Message(
            "The worker ended by itself with status {status}: {said}.",
            status=status,
            said=said.rstrip("."),
        )

    def _unanswered_by(self, command: int) -> Failed:
        """What becomes of a command of a worker that is gone, by its last lines."""
        found = filter(None, map(_FRAME.fullmatch, reversed(self._last_words)))
        frames = [
            Frame(int(cell), int(line), "" if name == "<module>" else name)
            for cell, line, name in (each.groups() for each in found)
        ]
        hint = Message("What was on the shelf is gone with it. The session can be run again.")
        words = "\n".join(self._last_words)
        cause = "worker lost"
        return Failed(command, cause, "", words, self._why, hint, frames=tuple(frames))


def _text(said: "IO[bytes]") -> "Iterator[str]":
    return (line.decode("utf-8", "replace") for line in said)


class ProgramPipes:
    """The parent's ends of a program's streams, and of the pipe beside them. What the worker
    says comes by that one. The program's streams are its own, or pipes whose output is said
    here, as far as it can be shown.
    """

    _READ, _FULL = 1 << 16, 8_000
    _PAUSE = 0.05  # seconds between two outputs that are not full

    def __init__(self, on_printed: "Callable[[Printed], None]", *, own_streams: bool) -> None:
        self._on_printed = on_printed
        self._own = own_streams
        self._began = threading.Event()
        self._lock = threading.Lock()
        self._flows = {"out": Flow(), "err": Flow()}  # a traceback comes through a flood
        self._over = False
        self._readers: Sequence[threading.Thread] = ()
        out, self._childs = os.pipe()
        self.events: IO[bytes] = os.fdopen(out, "rb")

    # Any: whatever Popen takes.
    @property
    def options(self) -> "dict[str, Any]":
        """For Popen. A program with streams of its own belongs to the terminal as we do."""
        streams = None if self._own else subprocess.PIPE
        found: dict[str, Any] = {"stdin": streams, "stdout": streams, "stderr": streams}
        found.update(bufsize=0, start_new_session=not self._own)
        if sys.platform == "win32":
            handle = self._childs_number()
            os.set_handle_inheritable(handle, True)  # noqa: FBT003 - Python's own
            handles = {"handle_list": [handle]}
            found["startupinfo"] = subprocess.STARTUPINFO(lpAttributeList=handles)
            found["creationflags"] = 0 if self._own else subprocess.CREATE_NO_WINDOW
        else:
            found["pass_fds"] = (self._childs,)
        return found

    @property
    def variables(self) -> "dict[str, str]":
        """Also the signals that are held back here, which the program is to let come."""
        held_back: set[int] = set()
        if sys.platform != "win32":
            held_back = {*signal.pthread_sigmask(signal.SIG_BLOCK, ())} & HANDED_ON
        return {PIPE: " ".join(str(int(each)) for each in (self._childs_number(), *held_back))}

    def _childs_number(self) -> int:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - Windows alone

            return msvcrt.get_osfhandle(self._childs)
        return self._childs

    def begin(self, process: "subprocess.Popen[bytes]") -> None:
        """It was started."""
        os.close(self._childs)
        pairs = ((process.stdout, "out"), (process.stderr, "err"))
        self._readers = [
            threading.Thread(target=self._read, args=each, name="program output", daemon=True)
            for each in pairs
            if each[0] is not None
        ]
        for each in self._readers:
            each.start()

    def not_begun(self) -> None:
        os.close(self._childs)
        self.events.close()

    def began(self) -> None:
        """It said so, or never will: what it prints may be said."""
        self._began.set()

    def finish(self) -> None:
        """It has ended, and all it printed is said. What it left behind may print on."""
        self.began()
        for each in self._readers:
            each.join(_KILLING_PATIENCE)
        with self._lock:
            for name, flow in self._flows.items():
                self._say(flow.finish(), name)
            self._over = True

    def _read(self, stream: "IO[bytes]", name: str) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._began.wait()
        with contextlib.suppress(OSError), stream:
            while data := stream.read(self._READ):
                with self._lock:
                    if not self._over:
                        self._say(self._flows[name].take(decoder.decode(data)), name)
                if len(data) < self._FULL:
                    time.sleep(self._PAUSE)

    def _say(self, texts: "Iterable[str]", name: str) -> None:
        for each in texts:
            stream = "note" if isinstance(each, Message) else name
            self._on_printed(Printed(PROGRAM, each, stream))


def _of_program(status: int) -> Message:
    if status < 0:
        return _killed(Message("The program"), -status)
    if status:
        return Message("The program ended with status {status}.", status=status)
    return Message("The program ended.")


def _killed(what: Message, number: int) -> Message:
    if number in _KILLED:
        return Message(_KILLED[number], what=what)
    return Message("{what} was killed by signal {number}.", what=what, number=number)
