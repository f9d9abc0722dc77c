"""A far machine for tests: our own agent on this computer, started as ssh would start it."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName
from tests.remote.waiting import becomes

PATIENCE = 30.0
HERE = HostName("here")
SPEC = "2xH100+nvlink"


class Cable:
    """The way to it: may be pulled, and stays so until it is put in again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self.pulled = False

    def launch(self, host: HostName, command: str) -> Sequence[str]:
        if self.pulled:
            said = f"ssh: connect to host {host.text} port 22: No route to host"
            return ["sh", "-c", f"echo '{said}' >&2; exit 255"]
        self._count += 1
        return ["sh", "-c", f"echo $$ > {self._pid_file}; exec {command}"]

    def pull(self) -> None:
        self.pulled = True
        os.kill(self._pid, signal.SIGKILL)

    def put_in(self) -> None:
        self.pulled = False

    def freeze(self) -> None:
        """Nothing comes any more, and nobody says so."""
        os.kill(self._pid, signal.SIGSTOP)

    @property
    def _pid(self) -> int:
        return int(self._pid_file.read_text("ascii"))

    @property
    def _pid_file(self) -> Path:
        return self._folder / f"pid-{self._count}"


def wait(true: Callable[[], bool]) -> None:
    assert becomes(true, PATIENCE)


@contextmanager
def machine(
    cable: Cable, *, simulate: str = SPEC, faults: str = "", patience: float = 10.0
) -> Iterator[FarMachine]:
    far = FarMachine(
        HERE, simulate=simulate, faults=faults, seed=7, launch=cable.launch, patience=patience
    )
    far.connect()
    try:
        far.wait_until_up(PATIENCE)
        yield far
    finally:
        assert far.stop(PATIENCE)
