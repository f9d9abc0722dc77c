"""Rank: hears orders, carries them out one by one, and always answers a knock."""

import os
import platform
import queue
import threading
from typing import Any

from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.words import Message, mark
from gpuexplorer.ranks.wire import (
    Alive,
    Begin,
    Begun,
    Failed,
    Here,
    Knock,
    Meet,
    Meeting,
    Reach,
    Reached,
    Take,
    Told,
    line_of,
    said_in,
)
from gpuexplorer.worker.rank import network

_LONGEST_REASON = 300
_NO_TORCH = mark("PyTorch cannot be used on {host}: {why}")
_REFUSED = mark("PyTorch gave up on {host}: {why}")


class Rank:
    def __init__(self) -> None:
        # Libraries print what they like.
        self._out = os.dup(1)
        os.dup2(2, 1)
        self._lock = threading.Lock()
        # Any: orders, each of a class of its own.
        self._orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def serve(self) -> None:
        door = network.Door()
        try:
            from gpuexplorer.worker.rank.exchange import Exchange, nccl_version  # noqa: PLC0415

            exchange = Exchange(self.say)
        except (ImportError, OSError, AttributeError) as error:
            self._fail(_NO_TORCH, error)
            return
        self.say(
            Here(
                platform.python_version(),
                exchange.version,
                platform.node(),
                nccl_version(),
                exchange.cards(),
                network.addresses(),
                network.called(),
                door.port,
                door.word,
            )
        )
        while True:
            order = self._orders.get()
            if isinstance(order, Begin):  # all have been reached by then
                door.close()
            try:
                self._carry_out(exchange, order)
            except (RuntimeError, OSError, ValueError) as error:  # a DistError is the first
                self._fail(_REFUSED, error)

    def _carry_out(self, exchange: "Any", order: "Any") -> None:
        # Any: the class that needs torch, and an order.
        match order:
            case Reach(others):
                self.say(Reached(network.reached(others)))
            case Meet(address):
                self.say(Meeting(exchange.open(address)))
            case Begin():
                exchange.join(order)
                self.say(Begun())
            case Take():
                self.say(exchange.take(order))

    def say(self, told: Told) -> None:
        """From any thread. After whatever else may have been written there."""
        line = memoryview(b"\n" + line_of(told))
        try:
            with self._lock:
                while line:
                    line = line[os.write(self._out, line) :]
        except OSError:
            os._exit(0)

    def _fail(self, template: str, error: Exception) -> None:
        """Which host we are is known better where it is read."""
        self.say(Failed(Message(template, host=platform.node(), why=_short(error))))

    def _listen(self) -> None:
        with os.fdopen(os.dup(0), "rb") as orders:
            for line in orders:
                try:
                    order = said_in(line)
                except UnreadableError:
                    continue
                if isinstance(order, Knock):
                    self.say(Alive())
                else:
                    self._orders.put(order)
        os._exit(0)


def _short(error: Exception) -> str:
    """PyTorch's reasons may have a whole stack below them."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:_LONGEST_REASON]
