"""The rank, behind a keeper: carries out orders one by one, and says all the while that it is
there. A Python without PyTorch names one that has it.
"""

import importlib.util
import os
import platform
import sys
import threading
import time
from pathlib import Path

from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.tagged import line_of, record_in
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.oldest import OLDEST_TORCH, torch_too_old
from gpuexplorer.lab.pythons import ask, candidates
from gpuexplorer.ranks.wire import (
    BEAT,
    ORDERS,
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
from gpuexplorer.worker.rank import network

_LONGEST_REASON = 300
_NO_TORCH = mark("PyTorch cannot be used on {host}: {why}.")
_REFUSED = mark("PyTorch gave up on {host}: {why}.")


def main() -> None:
    keep()
    rank = Rank()
    if importlib.util.find_spec("torch") is None:
        rank.say(_elsewhere())
    else:
        rank.serve()
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


class Rank:
    def __init__(self) -> None:
        # Libraries print what they like.
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        self._lock = threading.Lock()

    def serve(self) -> None:
        """Until nobody gives orders any more."""
        try:
            from gpuexplorer.worker.rank import exchange as ours  # noqa: PLC0415 - takes long

            exchange = ours.Exchange(self.say)
            cards, nccl = ours.cards(), ours.nccl_version()
        except (ImportError, OSError, AttributeError, RuntimeError) as error:
            self._fail(_NO_TORCH, error)
            return
        if torch_too_old(exchange.version):
            self.say(_elsewhere())
            return
        addresses, called = network.addresses(), network.called()
        at = exchange.port, exchange.word
        self.say(Here(exchange.version, nccl, cards, addresses, called, *at))
        threading.Thread(target=self._beat, daemon=True).start()
        for line in sys.stdin.buffer:
            try:
                match record_in(line, ORDERS):
                    case Reach(others):
                        self.say(Reached(exchange.reached(others)))
                    case Begin() as order:
                        exchange.join(order)
                        self.say(Begun())
                    case Take() as order:
                        self.say(exchange.take(order))
            except UnreadableError:
                continue
            except (RuntimeError, OSError, ValueError) as error:  # a DistError is the first
                self._fail(_REFUSED, error)

    def say(self, told: Told) -> None:
        """From any thread. After whatever else may have been written there."""
        try:
            with self._lock:
                self._out.write(b"\n" + line_of(told))
                self._out.flush()
        except OSError:
            os._exit(0)

    def _beat(self) -> None:
        while True:
            time.sleep(BEAT)
            self.say(Alive())

    def _fail(self, template: str, error: Exception) -> None:
        """Which host we are is known better where it is read. PyTorch's reasons may have a
        whole stack below them.
        """
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:_LONGEST_REASON]
        self.say(Failed(Message(template, host=platform.node(), why=why.rstrip("."))))


if __name__ == "__main__":
    main()
