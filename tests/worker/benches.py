"""Engines, and a way to carry lines out on them without a process. Needs torch."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch

from gpuexplorer.lab.grammar import read_line
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.engines.torch_engine import TorchEngine
from gpuexplorer.worker.engines.virtual.engine import VirtualEngine
from gpuexplorer.worker.helpers import helpers
from gpuexplorer.worker.interpreter import Interpreter

TITAN: Mapping[str, object] = {
    "name": "NVIDIA TITAN RTX",
    "uuid": "SIM-0",
    "memory_bytes": 24 << 30,
    "context_bytes": 334 << 20,
    "elsewhere_bytes": 356 << 20,
    "capability": [7, 5],
    "multiprocessors": 72,
    "flops": 16.31e12,
    "half_flops": 32.6e12,
    "double_flops": 0.51e12,
    "bytes_per_second": 672e9,
}
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


class Bench:
    """Lines, on one engine. `{0}` and `{1}` in a line stand for its two devices."""

    def __init__(self, engine: Engine, devices: tuple[str, str]) -> None:
        self.engine = engine
        self.devices = devices
        self.things: dict[str, Any] = {}  # Any: whatever PyTorch makes
        self.printed: list[str] = []
        self.placement: list[str] = []
        words = helpers(engine, self.printed.append, self.placement.append)
        self._interpreter = Interpreter(engine, self.things, words)

    def run(self, *lines: str) -> Any:
        """The value of the last line."""
        value = None
        for line in lines:
            text = line.replace("{0}", self.devices[0]).replace("{1}", self.devices[1])
            with self.engine.running():
                value = self._interpreter.carry_out(read_line(text))
            self.engine.settle()
        return value

    def values(self, name: str) -> Any:
        """As plain numbers on the processor."""
        with self.engine.running():
            return self.things[name].detach().cpu()


def virtual_bench(**changes: object) -> Bench:
    cards = [{**TITAN, **changes, "uuid": f"SIM-{number}"} for number in (0, 1)]
    return Bench(VirtualEngine(cards, LINKS), ("cuda:0", "cuda:1"))


def cpu_bench() -> Bench:
    return Bench(TorchEngine(), ("cpu", "cpu"))


def real_bench() -> Bench:
    """The first and the last card that this PyTorch has kernels for."""
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
    """Random numbers begin where they began for the test before."""
    torch.manual_seed(0)
