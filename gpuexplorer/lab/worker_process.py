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
from collections.abc import Callable, Iterable
from functools import partial
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
from gpuexplorer.lab.printed import Flow
from gpuexplorer.lab.start import PIPE, PROGRAM, SIGN_EVERY, Program, Start
from gpuexplorer.lab.wire import Answer, Cancel, Command, event_of, line_of

_ENDING_PATIENCE, _KILLING_PATIENCE = 1.0, 1.0
_FAR_ENDING_PATIENCE = 5.0  # what it says and its end come by ways of their own
_LINES_KEPT = 40  # of what it wrote on standard error
_SHELLS = 128  # and the number of the signal: how one process tells of another's end
_READ, _FULL = 1 << 16, 8_000
_PAUSE = 0.05  # seconds between two outputs of a program that are not full
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way for both
# By its exit status, before it said hello. What it said last says more.
CANNOT_START = {
    3: mark("PyTorch cannot be loaded by this Python: {said}."),
    4: mark("This PyTorch lacks what the lab needs: {said}."),
}
_PIPE_CLOSED = mark("Code in the worker closed its pipe to the window.")
_KILLED = {
    9: mark("{what} was killed by somebody, or by the system for want of memory (SIGKILL)."),
    11: mark("{what} was killed by a memory fault of its own (SIGSEGV)."),
}
# As Python's fault handler writes where it broke off.
_FRAME = re.compile(r'\s*File "<cell (\d+)>", line (\d+) in (.+)')


class WorkerProcess:
    """One process, from its start to its end; a new one is another object. `on_event` is called
    from a reader's thread, for every event in its order. When the process is gone, every
    command that was not answered has failed, and `on_end` is told why; what is sent after that
    fails at once, in the thread that sent it. A program answers to Cancel, which is Ctrl+C, and
    to Answer. It has failed or finished when its process has ended: its status says more than
    it can itself.
    """

    def __init__(
        self,
        start: Start,
        on_event: "Callable[[Event], None]",
        on_end: "Callable[[Message], None]",
    ) -> None:
        self._on_event, self._on_end = on_event, on_end
        self._program = start.program
        self._lock = threading.Lock()
        self._unanswered: dict[int, Command] = {}
        self._last_words: deque[str] = deque(maxlen=_LINES_KEPT)
        self._why = NOTHING  # why it ended, or is about to
        self._ended = False
        self._hello: Hello | None = None
        self._may_print = threading.Event()  # a program, which has begun
        self._outcome: Finished | Failed | None = None  # of a program, as it says itself
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._way = start.begin()
        pipe = os.pipe() if self._program is not None else None
        options, variables = _options(self._program, None if pipe is None else pipe[1])
        try:
            self._process = subprocess.Popen(
                self._way.command,
                env={**self._way.variables, **variables},
                cwd=self._way.folder,
                **options,
            )
        except OSError as error:
            self._way.close()
            if pipe is not None:
                os.close(pipe[0])
            raise Trouble(
                "This Python cannot be started: {python} ({why}).",
                "Choose another Python for the lab.",
                python=str(start.python),
                why=error.strerror,
            ) from None
        finally:
            if pipe is not None:
                os.close(pipe[1])
        self._began = time.monotonic()
        out, err = self._process.stdout, self._process.stderr
        streams: list[tuple[Callable[[IO[bytes]], None], IO[bytes] | None]] = [
            (self._hear, out if pipe is None else os.fdopen(pipe[0], "rb")),
            (self._note_words, err if pipe is None else None),
            (partial(self._show, "out"), None if pipe is None else out),
            (partial(self._show, "err"), None if pipe is None else err),
        ]
        self._readers = [_thread(read, stream) for read, stream in streams if stream]
        self._threads = [_thread(self._write), _thread(self._await_end)]

    @property
    def pid(self) -> int:
        """As the driver of its computer names it; of another one, once it has said so."""
        if self._way.is_far:
            return self._hello.pid if self._hello is not None else 0
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def status(self) -> "int | None":
        """With which it ended, as Python has it: of a signal less than 0. None: it runs."""
        return self._process.poll()

    def send(self, command: Command) -> None:
        """Never waits: one that is stopped, or still importing PyTorch, does not read."""
        if self._program is not None:
            if isinstance(command, Answer):
                self._outgoing.put(None if command.text is None else f"{command.text}\n")
            else:
                self.hand_on(signal.SIGINT)
            return
        with self._lock:
            late = self._ended and not isinstance(command, Answer | Cancel)
            if not isinstance(command, Answer | Cancel):
                self._unanswered[command.id] = command
            self._outgoing.put(line_of(command))
        if late:
            self._fail_unanswered()

    def cancel(self, command: int) -> None:
        """What runs in PyTorch's own code is interrupted when it returns."""
        self.send(Cancel(command))

    def stop(self, patience: float = _ENDING_PATIENCE) -> None:
        """Close its pipe; then ask it to end; then end it. Gives all memory back."""
        if self._program is None:
            self._why = self._why or Message("The worker was ended.")
        self._outgoing.put(None)
        for harder in (None, signal.SIGTERM, _SIGKILL):
            if harder is not None:
                self.hand_on(harder)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
                break
        for each in (*self._readers, *self._threads):
            each.join(_KILLING_PATIENCE)

    def kill(self, why: Message = NOTHING) -> None:
        """At once, for what hangs. Its end is told as ever, and why."""
        self._why = self._why or why
        self.hand_on(_SIGKILL)

    def hand_on(self, number: int) -> None:
        """A signal, also to all that it started: the chosen Python may be a script that starts
        another. A program with our terminal gets it alone.
        """
        if sys.platform == "win32":  # it has one way for all of them
            self._process.terminate()
        elif self._program is not None and self._program.own_streams:
            self._process.send_signal(number)
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _write(self) -> None:
        pipe, is_far = self._process.stdin, self._way.is_far
        if pipe is None:
            return
        # Where it is gone, the reader notices, and says so for every command.
        with contextlib.suppress(OSError), pipe:
            pipe.write(self._way.preamble)
            while True:
                pipe.flush()
                line: str | None = "\n"  # another computer hears that somebody is there
                with contextlib.suppress(queue.Empty):
                    line = self._outgoing.get(timeout=SIGN_EVERY if is_far else None)
                if line is None:
                    return
                pipe.write(line.encode())

    def _hear(self, stream: "IO[bytes]") -> None:
        with stream:
            for line in self._way.lines(stream):
                try:
                    if line.strip():
                        self._take(event_of(line))
                except Trouble as trouble:
                    self.kill(trouble.sentence)
                    return

    def _take(self, event: Event) -> None:
        match event:
            case Hello():
                self._hello = event
                self._last_words.clear()  # what was said while it started
            case Failed() if self._hello is None:  # a program's Python is of no use
                self._last_words.append(event.message)
                return
            case Finished() | Failed() if self._program is not None:
                self._outcome = event
                return
            case Finished() | Failed() | Completed():
                with self._lock:
                    self._unanswered.pop(event.id, None)
            case _:
                pass
        self._on_event(event)
        if isinstance(event, Began):
            self._may_print.set()

    def _note_words(self, stream: "IO[bytes]") -> None:
        with stream:
            self._last_words.extend(line.rstrip() for line in self._way.complaints(stream))

    def _show(self, name: str, stream: "IO[bytes]") -> None:
        """What the program prints, as far as it can be shown."""
        flow, decoder = Flow(), codecs.getincrementaldecoder("utf-8")("replace")

        def show(texts: "Iterable[str]") -> None:
            for each in texts if not self._ended else ():
                kind = "note" if isinstance(each, Message) else name
                self._on_event(Printed(PROGRAM, each, kind))

        self._may_print.wait()
        with contextlib.suppress(OSError), stream:
            while data := stream.read(_READ):
                show(flow.take(decoder.decode(data)))
                if len(data) < _FULL:
                    time.sleep(_PAUSE)
        show(flow.finish())

    def _await_end(self) -> None:
        """What it started may hold on to its pipes for longer."""
        if self._program is None:
            self._readers[0].join()
            patience = _FAR_ENDING_PATIENCE if self._way.is_far else _ENDING_PATIENCE
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                self.kill(Message(_PIPE_CLOSED))
        status = self._process.wait()
        took = time.monotonic() - self._began
        if self._program is None and hasattr(os, "killpg"):  # what it leaves behind
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, _SIGKILL)
        self._readers[0].join(_KILLING_PATIENCE)
        self._may_print.set()
        for each in self._readers:
            each.join(_KILLING_PATIENCE)
        self._why = self._why or self._why_it_ended(status)
        if self._program is not None:
            self._on_event(self._outcome_by(status, took))
        self._ended = True
        self._outgoing.put(None)
        self._way.close()
        self._fail_unanswered()
        self._on_end(self._why)

    def _outcome_by(self, status: int, took: float) -> "Finished | Failed":
        said = self._outcome
        if isinstance(said, Failed):
            return said
        if status == 0 and self._hello is not None:
            return said or Finished(PROGRAM, took)
        cause = "cannot start" if self._hello is None else "ended"
        cause = "cancelled" if status == -signal.SIGINT else cause
        seconds = took if said is None else said.host_seconds
        return Failed(PROGRAM, cause, "", "", self._why, host_seconds=seconds)

    def _why_it_ended(self, status: int) -> Message:
        if why := self._way.why(status):
            return why
        if self._way.is_far and status > _SHELLS:
            status = _SHELLS - status
        said = "".join([*self._last_words][-1:])
        if said and status in CANNOT_START:
            return Message(CANNOT_START[status], said=said)
        what = Message("The worker") if self._program is None else Message("The program")
        if status < 0:
            names = {each.value: each.name for each in signal.Signals}
            killed = _KILLED.get(-status, mark("{what} was killed by {signal}."))
            return Message(killed, what=what, signal=names.get(-status, -status))
        if self._program is not None and not status:
            return Message("The program ended.")
        ended = mark("{what} ended with status {status}: {said}.")
        if not said:
            ended = mark("{what} ended with status {status}.")
        return Message(ended, what=what, status=status, said=said.rstrip("."))

    def _fail_unanswered(self) -> None:
        """What becomes of commands of a worker that is gone, by its last lines."""
        with self._lock:
            lost, self._unanswered = [*self._unanswered], {}
        found = filter(None, map(_FRAME.fullmatch, reversed(self._last_words)))
        frames = tuple(
            Frame(int(cell), int(line), "" if name == "<module>" else name)
            for cell, line, name in (each.groups() for each in found)
        )
        hint = Message("What was on the shelf is gone with it. The session can be run again.")
        words, cause = "\n".join(self._last_words), "worker lost"
        for command in lost:
            self._on_event(Failed(command, cause, "", words, self._why, hint, frames=frames))


# Any: whatever Popen takes.
def _options(
    program: "Program | None", pipe: "int | None"
) -> "tuple[dict[str, Any], dict[str, str]]":
    """For Popen, and variables of the process. A program's streams are our terminal's, to which
    it belongs then as we do, or pipes whose output is said here. Its events come by a pipe
    beside them.
    """
    own = program is not None and program.own_streams
    streams = None if own else subprocess.PIPE
    options: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), streams)
    options["start_new_session"] = not own  # to be ended with all that it started
    options["creationflags"] = 0 if own else getattr(subprocess, "CREATE_NO_WINDOW", 0)
    if pipe is None:
        return options, {}
    options["bufsize"] = 0
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - Windows alone

        pipe = msvcrt.get_osfhandle(pipe)
        os.set_handle_inheritable(pipe, True)  # noqa: FBT003 - Python's own
        handles = {"handle_list": [pipe]}
        options["startupinfo"] = subprocess.STARTUPINFO(lpAttributeList=handles)
    else:
        options["pass_fds"] = (pipe,)
    return options, {PIPE: str(pipe)}


# Any: what it is called with.
def _thread(run: "Callable[..., None]", *words: Any) -> threading.Thread:
    thread = threading.Thread(target=run, args=words, name="worker", daemon=True)
    thread.start()
    return thread
