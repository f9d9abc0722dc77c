"""TorchEngine: real devices."""

import contextlib
import platform
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from gpuexplorer.lab.events import VERSION, Device, Hello, Memory, Transferred
from gpuexplorer.worker.engines.words import word


class TorchEngine:
    """Whatever this PyTorch offers. Makes no context on a card before a line does."""

    def hello(self) -> Hello:
        return Hello(
            VERSION,
            platform.python_version(),
            torch.__version__,
            build(),
            simulated=False,
            devices=tuple(self.devices()),
        )

    def devices(self) -> Sequence[Device]:
        found = [Device("cpu", platform.processor() or platform.machine())]
        if torch.cuda.is_available():
            found += [_cuda(index) for index in range(torch.cuda.device_count())]
        xpu = getattr(torch, "xpu", None)
        if xpu is not None and xpu.is_available():
            found += [
                Device(f"xpu:{index}", xpu.get_device_name(index))
                for index in range(xpu.device_count())
            ]
        if torch.backends.mps.is_available():
            found.append(Device("mps", "Apple GPU"))
        return [*found, Device("meta", "shapes without values")]

    def running(self) -> AbstractContextManager[object]:
        return contextlib.nullcontext()

    def word(self, name: str) -> Any:  # noqa: ANN401 - PyTorch's own
        return word(name)

    def settle(self) -> None:
        if torch.cuda.is_initialized():
            for index in range(torch.cuda.device_count()):
                torch.cuda.synchronize(index)

    def device_seconds(self) -> "tuple[float | None, bool]":
        return None, False

    def transfers(self, command: int) -> Sequence[Transferred]:
        return ()

    def memory(self) -> Sequence[Memory]:
        if not torch.cuda.is_initialized():
            return ()
        return [_memory(index) for index in range(torch.cuda.device_count())]


def build() -> str:
    """What this PyTorch was made for."""
    if torch.version.hip:
        return f"ROCm {torch.version.hip}"
    if torch.version.cuda:
        return f"CUDA {torch.version.cuda}"
    return "CPU"


def _cuda(index: int) -> Device:
    properties = torch.cuda.get_device_properties(index)
    capability = (properties.major, properties.minor)
    made_for = torch.cuda.get_arch_list()
    usable = torch.version.hip is not None or _has_kernels(capability, made_for)
    return Device(
        f"cuda:{index}",
        properties.name,
        str(getattr(properties, "uuid", "")),
        properties.total_memory,
        capability,
        usable,
        ""
        if usable
        else (
            f"compute capability {capability[0]}.{capability[1]} has no kernels in this PyTorch: "
            "copies work, computing does not"
        ),
    )


def _has_kernels(capability: "tuple[int, int]", made_for: Sequence[str]) -> bool:
    """A kernel for 8.0 also runs on 8.6; machine code of another generation does not."""
    major, minor = capability
    for arch in made_for:
        number = arch.rpartition("_")[2].rstrip("af")
        if not number.isdigit():
            continue
        its_major, its_minor = int(number[:-1]), int(number[-1])
        if arch.startswith("compute_") and (its_major, its_minor) <= capability:
            return True
        if its_major == major and its_minor <= minor:
            return True
    return False


def _memory(index: int) -> Memory:
    free, total = torch.cuda.mem_get_info(index)
    return Memory(
        f"cuda:{index}",
        torch.cuda.memory_allocated(index),
        torch.cuda.memory_reserved(index),
        free,
        total,
    )
