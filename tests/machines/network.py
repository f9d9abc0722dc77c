"""Machines on wires of their own: namespaces of the network, shaped, cut, or far away."""

import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from tests.machines.ground import end, run, wait_for

_RELAY = Path(__file__).with_name("far_wire.py")


class Wire:
    """A namespace, reached over one wire; gone with `close`.

    `address` is its own, and `here` is our end of the wire.
    """

    _numbers = count(1)

    def __init__(self) -> None:
        number = next(self._numbers)
        self.name = f"gx{os.getpid()}-wire{number}"
        # Of another trial, ten thousand processes later, there is nothing left.
        net = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 16 * 16 + number % 16}"
        self.address, self.ours = f"{net}.2", f"{net}.1"
        self.here, self._there = (f"gx{os.getpid()}{side}{number}" for side in "ht")
        self._relay: subprocess.Popen[bytes] | None = None
        run("ip", "netns", "add", self.name)
        self._inside("ip", "link", "set", "lo", "up")

    @property
    def inside(self) -> Sequence[str]:
        """Before a command that is to run there."""
        return ("ip", "netns", "exec", self.name)

    def pull(self) -> None:
        """A plain wire."""
        run("ip", "link", "add", self.here, "type", "veth", "peer", "name", self._there)
        self._use()

    def pull_far(self, seconds: float, loss: float) -> None:
        """A wire on which packets take so long one way, and of which that part gets lost."""
        self._relay = subprocess.Popen(
            [sys.executable, str(_RELAY), self.here, self._there, str(seconds), str(loss)]
        )
        for name in (self.here, self._there):
            wait_for(Path("/sys/class/net", name).exists)
        self._use()

    def _use(self) -> None:
        run("ip", "link", "set", self._there, "netns", self.name)
        run("ip", "address", "add", f"{self.ours}/24", "dev", self.here)
        run("ip", "link", "set", self.here, "up")
        self._inside("ip", "address", "add", f"{self.address}/24", "dev", self._there)
        self._inside("ip", "link", "set", self._there, "up")

    def shape(self, rate: str, burst: str = "64kb") -> None:
        """Both ways, such as "1gbit"."""
        words = ("root", "tbf", "rate", rate, "burst", burst, "latency", "200ms")
        run("tc", "qdisc", "replace", "dev", self.here, *words)
        self._inside("tc", "qdisc", "replace", "dev", self._there, *words)

    def cut(self) -> None:
        run("ip", "link", "set", self.here, "down")

    def mend(self) -> None:
        run("ip", "link", "set", self.here, "up")

    def close(self) -> None:
        if self._relay is not None:
            end(self._relay)
        run("ip", "link", "delete", self.here, check=False)
        run("ip", "netns", "delete", self.name, check=False)

    def _inside(self, *command: str) -> None:
        run(*self.inside, *command)
