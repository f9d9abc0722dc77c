"""WorkerProcess: starts the other process, hands it commands and its events to us, ends it."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab import packaged
from gpuexplorer.lab.events import VERSION, Event, Failed, Finished, Hello
from gpuexplorer.lab.packed import NAME, packed
from gpuexplorer.lab.wire import Cancel, Command, event_of, line_of

# By its exit status. What it wrote last on standard error says more.
CANNOT_START = {
    3: mark("The lab needs Python 3.10 or newer; this is {said}."),
    4: mark("PyTorch cannot be loaded by this Python: {said}."),
    5: mark("The lab needs PyTorch 2.4 or newer; this is {said}."),
    6: mark("This PyTorch lacks what the lab needs: {said}."),
}
_ENDING_PATIENCE = 1.0
_KILLING_PATIENCE = 1.0
_LAST_WORDS = 40
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way for both
_PACKAGE = Path(__file__).parents[1]
# Of ours, the other Python shall find this one package and nothing that lies beside it: a numpy
# made for another Python would break its torch. Nor what happens to lie in the folder it is in.
_BOOTSTRAP = """
import sys
sys.path[:] = [each for each in sys.path if each]
import importlib.util, os, runpy
home = sys.argv[1]
spec = importlib.util.spec_from_file_location(
    "gpuexplorer", os.path.join(home, "__init__.py"), submodule_search_locations=[home]
)
sys.modules["gpuexplorer"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["gpuexplorer"])
runpy.run_module("gpuexplorer.worker", run_name="__main__")
"""


@dataclass(frozen=True)
class Start:
    """Which Python is started, and what it is told before PyTorch is imported."""

    python: Path = Path(sys.executable)
    visible: "Sequence[str] | None" = None  # UUIDs or numbers of the real cards, in order
    allocator: str = ""  # PYTORCH_CUDA_ALLOC_CONF
    environment: "Mapping[str, str]" = field(default_factory=dict)
    folder: "Path | None" = None  # where files without a folder are
    seed: int = 0
    cards: "Sequence[Mapping[str, object]]" = ()  # simulated ones; none: the real devices
    links: "Sequence[Mapping[str, object]]" = ()

    @property
    def command(self) -> "list[str]":
        if packaged.is_this_program(self.python):
            return [str(packaged.program_for_worker(self.python)), packaged.ROLE]
        # The system's packager does not know of files that root leaves in our folder.
        options = ["-B"] if packaged.folder() is not None else []
        return [str(self.python), *options, "-c", _BOOTSTRAP, str(_PACKAGE)]

    @property
    def variables(self) -> "dict[str, str]":
        variables = dict(os.environ)
        if self.visible is not None:
            variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
            variables["CUDA_VISIBLE_DEVICES"] = ",".join(self.visible)
        if self.allocator:
            variables["PYTORCH_CUDA_ALLOC_CONF"] = self.allocator
        # Queues of one card beyond its connections share one, and wait for each other there:
        # eight if nothing is said, and with eight cards more are used at a time.
        variables.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
        variables.update(self.environment)
        variables["PYTHONUNBUFFERED"] = "1"
        settings = {"cards": list(self.cards), "links": list(self.links), "seed": self.seed}
        variables[NAME] = packed(settings)
        return variables


class WorkerProcess:
    """One process, from its start to its end; a new one is another object.

    `on_event` is called from the reader's thread, for every event in its order. When the
    process is gone, every command that was not answered has failed, and `on_end` is told why;
    what is sent after that fails at once, in the thread that sent it.
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
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)
        self._asked_to_end = False
        self._because = NOTHING  # it was killed by us
        self._ended = False
        self._why = NOTHING
        try:
            self._process = subprocess.Popen(
                start.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=start.variables,
                cwd=start.folder,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,  # to be ended with all that it started
            )
        except OSError as error:
            raise Trouble(
                "This Python cannot be started: {python} ({why}).",
                "Choose another Python for the lab.",
                python=str(start.python),
                why=error.strerror,
            ) from None
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._writer = self._thread("worker writer", self._write)
        self._stderr_reader = self._thread("worker stderr", self._read_stderr)
        self._reader = self._thread("worker reader", self._read)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def send(self, command: Command) -> None:
        """Never waits: one that is stopped, or still importing PyTorch, does not read."""
        with self._lock:
            ended = self._ended
            if not isinstance(command, Cancel) and not ended:
                self._unanswered[command.id] = command
            self._outgoing.put(line_of(command))
        if ended:
            self._on_event(self._lost(command.id))

    def cancel(self, command: int) -> None:
        """What runs in PyTorch's own code is interrupted when it returns."""
        self.send(Cancel(command))

    def stop(self, patience: float = _ENDING_PATIENCE) -> None:
        """Close its pipe; then ask it to end; then end it. Gives all memory back."""
        self._asked_to_end = True
        self._outgoing.put(None)
        for harder in (None, signal.SIGTERM, _SIGKILL):
            if harder is not None:
                self._end(harder)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
                break
        self._writer.join(_KILLING_PATIENCE)
        self._reader.join(_KILLING_PATIENCE)
        self._stderr_reader.join(_KILLING_PATIENCE)

    def kill(self, why: Message = NOTHING) -> None:
        """At once, for what hangs. The reader then tells the end as ever, and why."""
        self._because = self._because or why
        self._end(_SIGKILL)

    def _end(self, how: int) -> None:
        """With all that it started: the chosen Python may be a script that starts another."""
        if not hasattr(os, "killpg"):
            self._process.send_signal(how)
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, how)

    @property
    def _pipe_in(self) -> "IO[str]":
        assert self._process.stdin is not None
        return self._process.stdin

    def _thread(self, name: str, run: "Callable[[], None]") -> threading.Thread:
        thread = threading.Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread

    def _write(self) -> None:
        # Where it is gone, the reader notices, and says so for every command.
        with contextlib.suppress(OSError), self._pipe_in as pipe:
            while (line := self._outgoing.get()) is not None:
                pipe.write(line)
                pipe.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        greeted = False
        with self._process.stdout as lines:
            for line in lines:
                try:
                    event = event_of(line)
                except Trouble as trouble:
                    self.kill(trouble.sentence)
                    break
                if not greeted and not self._is_welcome(event):
                    break
                greeted = True
                if isinstance(event, (Finished, Failed)):
                    with self._lock:
                        self._unanswered.pop(event.id, None)
                self._on_event(event)
        self._process.wait()
        self._stderr_reader.join(_KILLING_PATIENCE)
        self._tell_end()

    def _is_welcome(self, event: Event) -> bool:
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
        with self._process.stderr as lines:
            for line in lines:
                self._last_words.append(line.rstrip())

    def _tell_end(self) -> None:
        self._why = self._because or self._why_it_ended()
        with self._lock:
            self._ended = True
            lost = list(self._unanswered)
            self._unanswered.clear()
        self._outgoing.put(None)
        for command in lost:
            self._on_event(self._lost(command))
        self._on_end(self._why)

    def _lost(self, command: int) -> Failed:
        return Failed(
            command,
            "worker lost",
            "",
            "\n".join(self._last_words),
            self._why,
            Message("What was on the shelf is gone with it; recipes can be made anew."),
        )

    def _why_it_ended(self) -> Message:
        status = self._process.returncode
        said = self._last_words[-1] if self._last_words else ""
        if self._asked_to_end:
            return Message("The worker was ended.")
        if said and status in CANNOT_START:
            return Message(CANNOT_START[status], said=said)
        if -status in _SIGNALS:
            return Message(_SIGNALS[-status])
        if status < 0:
            return Message("The worker was killed by signal {number}.", number=-status)
        if not said:
            return Message("The worker ended by itself with status {status}.", status=status)
        return Message(
            "The worker ended by itself with status {status}: {said}.",
            status=status,
            said=said.rstrip("."),
        )


_SIGNALS = {
    4: mark("The worker was killed by an illegal instruction."),
    6: mark("The worker was killed by an abort in its own code."),
    7: mark("The worker was killed by a memory error (SIGBUS)."),
    8: mark("The worker was killed by an arithmetic fault."),
    9: mark(
        "The worker was killed by somebody, or by the system for want of memory (SIGKILL)."
    ),
    11: mark("The worker was killed by a memory fault of its own (SIGSEGV)."),
    15: mark("The worker was killed by somebody who asked it to end (SIGTERM)."),
}
