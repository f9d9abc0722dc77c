"""Engines, and ways to run cells on them without a process. Needs torch."""

import contextlib
import io
import linecache
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import pytest
import torch

from gpuexplorer.worker.cells import Cells
from gpuexplorer.worker.engines.sight import PlacementLog
from gpuexplorer.worker.engines.torch_engine import TorchEngine
from gpuexplorer.worker.engines.virtual.engine import VirtualEngine, leave
from tests.lab.processes import CARD

LINKS: Sequence[Mapping[str, object]] = (
    {"one": 0, "other": 1, "bytes_per_second": 50e9, "latency": 8e-6, "peer": True},
    *(
        {
            "one": -1,
            "other": card,
            "bytes_per_second": 12e9,
            "pageable_bytes_per_second": 6e9,
            "latency": 1e-5,
            "peer": False,
        }
        for card in (0, 1)
    ),
)


_FIRST = """
import torch
from torch import nn
from torch.nn import functional as F

def cpu(): return torch.device("cpu")
def gpu(i=0): return torch.device(f"cuda:{i}")
"""


class Bench:
    """Cells, on one engine. `{0}` and `{1}` in a cell stand for its two devices."""

    def __init__(self, engine: TorchEngine | VirtualEngine, devices: tuple[str, str]) -> None:
        self.engine = engine
        self.devices = devices
        self.printed: list[str] = []
        self.logged = False  # whether `placement` is told where operations run
        self.placement: list[str] = []
        self._shown: list[Any] = []  # Any: whatever PyTorch makes
        self._cells = Cells(self._show)
        self._number = 0
        self.run(_FIRST)

    @property
    def things(self) -> dict[str, Any]:
        return self._cells.names

    def run(self, *cells: str) -> Any:
        """The value of the last cell, as of its last expression."""
        for cell in cells:
            self._shown.clear()
            self._number += 1
            text = cell.replace("{0}", self.devices[0]).replace("{1}", self.devices[1])
            said = io.StringIO()
            log = (
                PlacementLog(self.placement.append) if self.logged else contextlib.nullcontext()
            )
            with contextlib.redirect_stdout(said), self.engine.running(), log:
                self._cells.run(text, self._number)
            self.engine.settle()
            self.printed += said.getvalue().splitlines()
        return self._shown[-1] if self._shown else None

    def values(self, name: str) -> Any:
        """As plain numbers on the processor."""
        with self.engine.running():
            return self.things[name].detach().cpu()

    def _show(self, value: Any) -> None:
        self._shown.append(value)
        self.printed += repr(value).splitlines()


def virtual_bench(links: Sequence[Mapping[str, object]] = LINKS, **changes: object) -> Bench:
    cards = [{**CARD, **changes, "uuid": f"SIM-{number}"} for number in (0, 1)]
    return Bench(VirtualEngine(cards, links), ("cuda:0", "cuda:1"))


def cpu_bench() -> Bench:
    leave()
    return Bench(TorchEngine(), ("cpu", "cpu"))


def real_bench() -> Bench:
    """The first and the last card that this PyTorch has kernels for."""
    leave()
    engine = TorchEngine()
    cards = [each.name for each in engine.devices() if each.name[:4] == "cuda" and each.usable]
    if not cards:
        pytest.skip("no card that PyTorch can use")
    return Bench(engine, (cards[0], cards[-1]))


BENCHES: Mapping[str, Callable[[], Bench]] = {
    "virtual": virtual_bench,
    "cpu": cpu_bench,
    "real": real_bench,
}


def start_anew() -> None:
    """PyTorch is as it was, and random numbers begin where they began for the test before."""
    leave()
    torch.manual_seed(0)


# Any: whatever a cell's names stand for.
def run_cell(
    text: str, names: "MutableMapping[str, Any] | Mapping[str, Any]", number: int = 1
) -> None:
    name = f"<cell {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), names if isinstance(names, dict) else dict(names))


def raised(text: str, number: int = 2, **names: Any) -> BaseException:
    with pytest.raises(BaseException) as found:  # noqa: PT011 - whichever it is
        run_cell(text, names, number)
    return found.value
