"""An X server without a screen, which asks who comes, as the one at a desk does."""

import os
import secrets
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
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
_GLANCE = 0.2
_SETTLING = 2.0  # what fades in is then there


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

    def drawn(self, patience: float) -> Shown:
        """As soon as there is a window with something in it. Raises StepError."""
        until = time.monotonic() + patience
        while not self.shows().drawn:
            if time.monotonic() > until:
                raise StepError(f"After {patience:g} s nothing was drawn on the display.")
            time.sleep(_GLANCE)
        time.sleep(_SETTLING)
        return self.shows()


@contextmanager
def display(*, remote: bool = False) -> Iterator[Display]:
    """Raises CannotTryError where there is no such server."""
    if shutil.which("Xvfb") is None:
        raise CannotTryError("There is no Xvfb. Type: apt-get install xvfb")
    with tempfile.TemporaryDirectory(prefix="gpuexplorer-display-") as folder:
        cookies = Path(folder) / "cookies"
        cookies.write_bytes(cookie(secrets.token_bytes(16)))
        told, tells = os.pipe()
        server = subprocess.Popen(
            [
                *("Xvfb", "-displayfd", str(tells), "-screen", "0", f"{_WIDE}x{_HIGH}x24"),
                *("-fbdir", folder, "-auth", str(cookies)),
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
            yield Display(int(number), remote, cookies, Path(folder) / "Xvfb_screen0")
        finally:
            server.terminate()
            server.wait()


def cookie(secret: bytes) -> bytes:
    """An entry of the file that ~/.Xauthority is, for whichever display it is shown to."""
    fields = (b"", b"", b"MIT-MAGIC-COOKIE-1", secret)
    counted = (struct.pack(">H", len(each)) + each for each in fields)
    return struct.pack(">H", _ANY_HOST) + b"".join(counted)
