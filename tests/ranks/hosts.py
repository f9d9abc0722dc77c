"""Hosts that are this computer: each a real rank, started by a shell as ssh would do it."""

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence

import psutil

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.ranks.measuring import Asked, Company, Member, Met, RankResult, measure
from gpuexplorer.ranks.wire import Order, Told, Way
from gpuexplorer.remote.ssh import HostName, host_name

PATIENCE = 60.0
_NAMED = "TESTED_HOST"


def member(name: str, python: str = sys.executable) -> Member:
    def launch(_host: HostName, command: str) -> Sequence[str]:
        return ["env", f"{_NAMED}={name}", "sh", "-c", command]

    return Member(name, host_name(name), launch, python)


def rank_on(name: str) -> psutil.Process:
    """The process that moves the bytes, behind its keeper."""
    below = psutil.Process().children(recursive=True)
    (found,) = [each for each in below if _host_of(each) == name and not each.children()]
    return found


def left_of(*names: str) -> list[psutil.Process]:
    return [each for each in psutil.process_iter() if _host_of(each) in names]


def _host_of(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error):
        return process.environ().get(_NAMED, "")
    return ""


class Course:
    """What came of a measurement; `meanwhile` may do something to it."""

    def __init__(self) -> None:
        self.met: list[Met] = []
        self.results: list[RankResult] = []

    def run(
        self,
        *members: Member,
        ways: Sequence[Way] = (Way.ONE_WAY,),
        sizes: Sequence[int] = (1 << 10,),
        silent: float = 30.0,
        meanwhile: Callable[[Message], None] = lambda _: None,
    ) -> Trouble | None:
        """Nothing is left of it afterwards."""
        try:
            with Company(members, silent) as company:
                asked = Asked(ways, sizes)
                measure(company, asked, self.met.append, self.results.append, meanwhile)
        except Trouble as trouble:
            return trouble
        finally:
            _, alive = psutil.wait_procs(left_of(*(each.name for each in members)), PATIENCE)
            assert not alive
        return None


class Played(Company):
    """No process: the answers are there before anybody asks."""

    def __init__(self, names: Sequence[str], *answers: Mapping[int, Told]) -> None:
        super().__init__([member(each) for each in names])
        self.orders: list[tuple[int, Order]] = []
        self._played = list(answers)

    def tell(self, rank: int, order: Order) -> None:
        self.orders.append((rank, order))

    # Any: as Company has it, whatever is asked for.
    def answers(self, *_: object, **__: object) -> Mapping[int, Told]:  # type: ignore[override]
        return self._played.pop(0)
