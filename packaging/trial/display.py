"""An X server without a screen, which asks who comes, as the one at a desk does."""

import os
import secrets
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trial.refusal import CannotTryError
from trial.report import StepError
from trial.root import HOME, Inside, Root
from trial.xwd import Shown, shown_in

_SOCKETS = "/tmp/.X11-unix"
_WIDE, _HIGH = 1600, 1000
_ANY_HOST = 0xFFFF
_PERMISSION = b"MIT-MAGIC-COOKIE-1"
_SECRET_BYTES = 16
_FIRST_PORT = 6000
_PATIENCE = 60.0  # of one that has started: what else runs may keep it from answering
GLANCE = 0.2
_LOOKS_ALIKE = 5  # one after another: what fades in is then there


@dataclass(frozen=True)
class Display:
    """`remote`: reached through the network alone, as an X server on another computer is."""

    number: int
    remote: bool
    cookies: Path
    memory: Path

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.number}" if self.remote else f":{self.number}"

    def open_to(self, root: Root, **more: str) -> Inside:
        """For programs that show their window there."""
        cookies = root.at(f"{HOME}/.Xauthority")
        shutil.copyfile(self.cookies, cookies)
        facts = root.at(HOME).stat()
        os.chown(cookies, facts.st_uid, facts.st_gid)
        cookies.chmod(0o600)
        environment = {"DISPLAY": self.name, "XAUTHORITY": f"{HOME}/.Xauthority", **more}
        if self.remote:
            return Inside(environment, own_memory=True)
        return Inside(environment, shown={Path(_SOCKETS): _SOCKETS})

    def shows(self) -> Shown:
        return shown_in(self.memory)

    def drawn(self, patience: float, ended: Callable[[], bool]) -> Shown:
        """As soon as there is a window that stands still, or the last that was seen of one.

        `ended`: whether the program is gone that was to show it. Raises StepError.
        """
        until = time.monotonic() + patience
        last, alike = self.shows(), 0
        while alike < _LOOKS_ALIKE and time.monotonic() < until and not ended():
            time.sleep(GLANCE)
            now = self.shows()
            if now.drawn:
                alike = alike + 1 if now.is_like(last) else 0
                last = now
        if not last.drawn:
            why = "The program ended" if ended() else f"{patience:g} s passed"
            raise StepError(f"{why} before anything was drawn on the display.")
        return last

    def wait_until_it_answers(self, patience: float) -> None:
        """It says its number before it lets anybody in. Raises CannotTryError."""
        until = time.monotonic() + patience
        while not self.answers():
            if time.monotonic() > until:
                raise CannotTryError(f"Xvfb lets nobody in after {patience:g} s.")
            time.sleep(GLANCE)

    def answers(self) -> bool:
        """Whether a program that asks to come in, with the cookie, is let in."""
        reached = socket.socket(socket.AF_INET if self.remote else socket.AF_UNIX)
        with reached:
            reached.settimeout(_PATIENCE)
            try:
                if self.remote:
                    reached.connect(("127.0.0.1", _FIRST_PORT + self.number))
                else:
                    reached.connect(f"{_SOCKETS}/X{self.number}")
                reached.sendall(greeting(self.cookies.read_bytes()[-_SECRET_BYTES:]))
                return reached.recv(1) == b"\1"
            except OSError:
                return False


@contextmanager
def display(*, remote: bool = False) -> Iterator[Display]:
    """Raises CannotTryError where there is no such server."""
    if shutil.which("Xvfb") is None:
        raise CannotTryError("There is no Xvfb. Type: apt-get install xvfb")
    with tempfile.TemporaryDirectory(prefix="gpuexplorer-display-") as folder:
        cookies = Path(folder) / "cookies"
        cookies.write_bytes(cookie(secrets.token_bytes(_SECRET_BYTES)))
        told, tells = os.pipe()
        server = subprocess.Popen(
            [
                *("Xvfb", "-displayfd", str(tells), "-screen", "0", f"{_WIDE}x{_HIGH}x24"),
                # Else it starts anew, and lets nobody in, when the last window closes.
                *("-noreset", "-fbdir", folder, "-auth", str(cookies)),
                *(("-listen" if remote else "-nolisten"), "tcp"),
            ],
            pass_fds=[tells],
            stderr=subprocess.DEVNULL,
        )
        os.close(tells)
        try:
            with os.fdopen(told) as pipe:
                number = pipe.readline().strip()
            if not number:
                raise CannotTryError("Xvfb does not start here.")
            ready = Display(int(number), remote, cookies, Path(folder) / "Xvfb_screen0")
            ready.wait_until_it_answers(_PATIENCE)
            yield ready
        finally:
            server.terminate()
            server.wait()


def cookie(secret: bytes) -> bytes:
    """An entry of the file that ~/.Xauthority is, for whichever display it is shown to."""
    fields = (b"", b"", _PERMISSION, secret)
    counted = (struct.pack(">H", len(each)) + each for each in fields)
    return struct.pack(">H", _ANY_HOST) + b"".join(counted)


def greeting(secret: bytes) -> bytes:
    """What a program says to an X server first; the lengths are of what is then filled up to
    whole words of four bytes.
    """
    said = struct.pack("<BxHHHH2x", ord("l"), 11, 0, len(_PERMISSION), len(secret))
    return said + b"".join(each + bytes(-len(each) % 4) for each in (_PERMISSION, secret))
