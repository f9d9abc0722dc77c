"""ProgramPipes: the parent's ends of a program's streams, and of the pipe beside them."""

import codecs
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Printed
from gpuexplorer.lab.offspring import HANDED_ON
from gpuexplorer.lab.printed import Flow

PIPE = "GPUEXPLORER_PIPE"  # the variable with the number of the child's end
PROGRAM = 1  # the number of the command that a program is
_READ = 1 << 16
_FULL = 8_000
_PAUSE = 0.05  # seconds between two outputs that are not full
_JOINING = 1.0


class ProgramPipes:
    """What the worker says comes by a pipe of its own. The program's streams are its own, or
    pipes whose output is said here, as far as it can be shown.
    """

    def __init__(self, on_printed: "Callable[[Printed], None]", *, own_streams: bool) -> None:
        self._on_printed = on_printed
        self._own = own_streams
        self._began = threading.Event()
        self._lock = threading.Lock()
        self._flows = {"out": Flow(), "err": Flow()}  # a traceback comes through a flood
        self._over = False
        self._readers: Sequence[threading.Thread] = ()
        out, self._childs = os.pipe()
        self.events: IO[str] = os.fdopen(out, encoding="utf-8", errors="replace")

    # Any: whatever Popen takes.
    @property
    def options(self) -> "dict[str, Any]":
        """For Popen. A program with streams of its own belongs to the terminal as we do."""
        streams = None if self._own else subprocess.PIPE
        found: dict[str, Any] = {"stdin": streams, "stdout": streams, "stderr": streams}
        found.update(bufsize=0, start_new_session=not self._own)
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - Windows alone

            handle = msvcrt.get_osfhandle(self._childs)
            os.set_handle_inheritable(handle, True)  # noqa: FBT003 - Python's own
            found["startupinfo"] = subprocess.STARTUPINFO(
                lpAttributeList={"handle_list": [handle]}
            )
            found["creationflags"] = 0 if self._own else subprocess.CREATE_NO_WINDOW
        else:
            found["pass_fds"] = (self._childs,)
        return found

    @property
    def variables(self) -> "dict[str, str]":
        """Also the signals that are held back here, which the program is to let come."""
        number, held_back = self._childs, set()
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - Windows alone

            number = msvcrt.get_osfhandle(number)
        else:
            held_back = signal.pthread_sigmask(signal.SIG_BLOCK, ()) & HANDED_ON
        return {PIPE: " ".join(str(int(each)) for each in (number, *held_back))}

    # Any: bytes here, text elsewhere.
    def begin(self, process: "subprocess.Popen[Any]") -> None:
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
            each.join(_JOINING)
        with self._lock:
            for name, flow in self._flows.items():
                self._say(flow.finish(), name)
            self._over = True

    def _read(self, stream: "IO[bytes]", name: str) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._began.wait()
        with contextlib.suppress(OSError), stream:
            while data := stream.read(_READ):
                self._take(decoder.decode(data), name)
                if len(data) < _FULL:
                    time.sleep(_PAUSE)

    def _take(self, text: str, name: str) -> None:
        with self._lock:
            if not self._over:
                self._say(self._flows[name].take(text), name)

    def _say(self, texts: "Sequence[str]", name: str) -> None:
        for each in texts:
            stream = "note" if isinstance(each, Message) else name
            self._on_printed(Printed(PROGRAM, each, stream))
