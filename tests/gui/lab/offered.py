"""A PyTorch that could be fetched, and is not: what was asked for is counted."""

from pathlib import Path

from PySide6.QtCore import QObject

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.pythons import PyTorchFetch, Step
from gpuexplorer.lab.get_pytorch import Plan
from gpuexplorer.lab.pythons import TorchBuild

PLAN = Plan(
    Path("/home/me/pytorch/bin/python"),
    Path("/home/me/pytorch"),
    made=True,
    build=TorchBuild("2.13.0+cpu", None),
    why=Message("No NVIDIA driver answers here, so the processor does the work."),
    urls=(),
    size_bytes=219_000_000,
)


class OfferedFetch(PyTorchFetch):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.step, self.plan = Step.OFFERED, PLAN
        self.got = 0

    def get(self) -> None:
        self.got += 1
