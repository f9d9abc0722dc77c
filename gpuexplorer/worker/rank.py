"""The rank of copies between machines, behind a keeper: carries out orders one by one, and says
all the while that it is there. A Python without PyTorch names one that has it.
"""

import contextlib
import importlib.util
import os
import platform
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from gpuexplorer.core.harmless import line_of, record_in
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.pythons import OLDEST_TORCH, ask, candidates, torch_too_old
from gpuexplorer.ranks.wire import (
    BEAT,
    ORDERS,
    Address,
    Alive,
    Begin,
    Begun,
    Elsewhere,
    Failed,
    Here,
    Reach,
    Reached,
    Take,
    Told,
)
from gpuexplorer.worker.kept import keep

_NO_TORCH = mark("PyTorch cannot be used on {host}: {why}.")
_REFUSED = mark("PyTorch gave up on {host}: {why}.")
_ASK_ADDRESS = 0x8915  # SIOCGIFADDR


def main() -> None:
    keep()
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # libraries print what they like
    lock = threading.Lock()

    def say(told: Told) -> None:
        """From any thread. After whatever else may have been written there."""
        try:
            with lock:
                out.write(b"\n" + line_of(told))
        except OSError:
            os._exit(0)

    if importlib.util.find_spec("torch") is None:
        say(_elsewhere())
    else:
        serve(say)
    sys.stdin.buffer.read()  # who asked hangs up
    os._exit(0)


def _elsewhere() -> "Elsewhere | Failed":
    for path in candidates(dict(os.environ), Path.home()):
        if ask(path).usable:
            return Elsewhere(str(path))
    return Failed(
        Message(
            "No Python on {host} has PyTorch {oldest} or newer.",
            host=platform.node(),
            oldest=".".join(map(str, OLDEST_TORCH)),
        ),
        Message("Install it there: `{python} -m pip install -U torch`.", python=sys.executable),
    )


def serve(say: "Callable[[Told], None]") -> None:
    """Until nobody gives orders any more."""

    def beat() -> None:
        while True:
            time.sleep(BEAT)
            say(Alive())

    def fail(template: str, error: Exception) -> None:
        """PyTorch's reasons may have a whole stack below them."""
        why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        say(Failed(Message(template, host=platform.node(), why=why.rstrip("."))))

    try:
        from gpuexplorer.worker import exchange as ours  # noqa: PLC0415 - takes long

        exchange, (nccl, cards) = ours.Exchange(say), ours.nccl()
    except (ImportError, OSError, AttributeError, RuntimeError) as error:
        fail(_NO_TORCH, error)
        return
    torch = str(sys.modules["torch"].__version__)
    if torch_too_old(torch):
        say(_elsewhere())
        return
    # By ssh: the address at which it reached this computer, and the one it came from.
    words = os.environ.get("SSH_CONNECTION", "").split()
    called = [words[2], words[0]] if len(words) == 4 else []
    say(Here(torch, nccl, cards, addresses(), called, exchange.port, exchange.word))
    threading.Thread(target=beat, daemon=True).start()
    for line in sys.stdin.buffer:
        if line.isspace():  # somebody is there
            continue
        try:
            match record_in(line, ORDERS):
                case Reach(others):
                    say(Reached(ours.reached(others)))
                case Begin() as order:
                    exchange.join(order)
                    say(Begun())
                case Take() as order:
                    say(exchange.take(order))
        except (RuntimeError, OSError, ValueError) as error:  # a DistError is the first
            fail(_REFUSED, error)


def addresses() -> "list[Address]":
    """Those of networks first, the loopback last. Elsewhere than on Linux, ssh's will do."""
    if sys.platform != "linux":
        return [Address("127.0.0.1")]
    import fcntl  # noqa: PLC0415 - not on Windows

    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # it has none
                room = struct.pack("256s", name.encode())
                said = fcntl.ioctl(asked.fileno(), _ASK_ADDRESS, room)
                text = socket.inet_ntoa(said[20:24])
                found.append(Address(text, name, promised(name)))
    return sorted(found, key=lambda each: each.text.startswith("127."))


def promised(interface: str, networks: Path = Path("/sys/class/net")) -> "float | None":
    """Bytes per second. What virtual interfaces say of themselves is made up."""
    place = networks / interface
    with contextlib.suppress(OSError, ValueError):
        kind = (place / "uevent").read_text()
        if (place / "device").exists() or "DEVTYPE=bond" in kind or "DEVTYPE=vlan" in kind:
            megabits = int((place / "speed").read_text())
            return megabits * 125_000.0 if 0 < megabits < 0xFFFFFFFF else None
    return None


if __name__ == "__main__":
    main()
