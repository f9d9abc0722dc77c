"""TorchEngine: real devices."""

import contextlib
import os
import platform
from collections.abc import Iterator, Sequence

import torch

from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.events import Device, Finished, Hello, Memory, Watched
from gpuexplorer.worker.engines.watch import Watch

_DOCTOR = mark("`{doctor}` looks for the cause.")
_NONE = "No CUDA GPUs are available"
# What PyTorch says where it finds no card, what that means, and what to do.
_WHY = (
    (
        _NONE,
        mark("CUDA finds no card that this program may use."),
        mark(
            "Look at the rights to /dev/nvidia* (groups `video` and `render`), or at the "
            "container's `--gpus`. `{doctor}` looks for the cause."
        ),
    ),
    (
        "is too old",
        mark("The NVIDIA driver is too old for this PyTorch, which is built for CUDA {cuda}."),
        mark(
            "Update the driver, or take a PyTorch built for an older CUDA: `{doctor}` says"
            " which."
        ),
    ),
    (
        "no NVIDIA driver",
        mark("PyTorch finds no CUDA library of an NVIDIA driver (libcuda)."),
        mark(
            "Install the driver. A container has to be started with its cards and with the "
            "driver capability “compute”. `{doctor}` looks for the cause."
        ),
    ),
    (
        "unknown error",
        mark(
            "CUDA cannot be started: the driver reports an unknown error (999), as it often "
            "does after the computer was suspended."
        ),
        mark(
            "Reload the kernel module: `sudo modprobe -r nvidia_uvm && sudo modprobe "
            "nvidia_uvm`, or restart the computer. Then release the cards in the lab, or run"
            " the command again."
        ),
    ),
    (
        "unsupported display driver",
        mark("The driver's library and its kernel module are of two versions (error 803)."),
        mark("Restart the computer, so that the kernel module of the new driver is loaded."),
    ),
    ("", mark("PyTorch finds no card. It says: {said}"), _DOCTOR),
)


class TorchEngine(Watch):
    """Whatever this PyTorch offers. Makes no context on a card before a line does."""

    def __init__(self) -> None:
        super().__init__()
        self._watched = False
        # Where there is no other device, nothing can be copied, and watching would take time.
        # Asked if it is available, CUDA would begin: a program may not want that yet.
        self._others = torch.cuda.device_count() > 0 or torch.backends.mps.is_available()
        if self._others:
            self.install()

    def hello(self) -> Hello:
        made_for = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU"
        build = f"ROCm {torch.version.hip}" if torch.version.hip else made_for
        versions = 0, platform.python_version(), torch.__version__, build
        return Hello(*versions, simulated=False, devices=tuple(self.devices()))

    def devices(self) -> Sequence[Device]:
        found = [Device("cpu", platform.machine())]
        if torch.cuda.is_available():
            found += [_cuda(index) for index in range(torch.cuda.device_count())]
        else:
            why = _why_none()
            none = "cuda:0", Message("no card of this PyTorch")
            found.append(Device(*none, usable=False, reason=why.sentence, way_out=why.hint))
        if torch.backends.mps.is_available():
            found.append(Device("mps", "Apple GPU"))
        return [*found, Device("meta", Message("shapes without values"))]

    @contextlib.contextmanager
    def running(
        self, *, watched: bool = True, program: bool = False, sampled: bool = False
    ) -> "Iterator[None]":
        self._watched = watched
        self.begin(program=program, sampled=sampled)
        watching = self.watching(program=program, sampled=sampled)
        with watching if watched and self._others else contextlib.nullcontext():
            yield

    def told(self, lost: "Sequence[str]", held: "Sequence[tuple[str, int]]" = ()) -> None:
        """The driver knows it."""

    def settle(self) -> None:
        self.end()
        for index in _used():
            torch.cuda.synchronize(index)

    def times(self, command: int = 0, own: float = 0.0) -> Finished:
        busy = tuple(self.spanned())
        return Finished(
            command,
            own,
            max((seconds for _, seconds in busy), default=None),
            watched=self._watched,
            watch_seconds=self.seconds() if self._watched else None,
            busy=busy,
        )

    def watched(self, command: int) -> Watched:
        self.read_moments(all_of_them=False)  # what has come since is counted in
        memory = () if self.capturing else self.memory()
        return self.seen.changed(command, busy=self.busy(), memory=memory)

    def memory(self) -> Sequence[Memory]:
        return [
            Memory(
                f"cuda:{index}",
                torch.cuda.memory_allocated(index),
                torch.cuda.memory_reserved(index),
                *torch.cuda.mem_get_info(index),
            )
            for index in _used()
        ]


def _used() -> Sequence[int]:
    """Cards with a context. To ask another for its memory would make one there."""
    count = torch.cuda.device_count() if torch.cuda.is_initialized() else 0
    return [index for index in range(count) if torch._C._cuda_hasPrimaryContext(index)]


def _cuda(index: int) -> Device:
    properties = torch.cuda.get_device_properties(index)
    capability = (properties.major, properties.minor)
    usable = torch.version.hip is not None or any(
        _runs(capability, arch) for arch in torch.cuda.get_arch_list()
    )
    reason = Message(
        "This PyTorch has no kernels for compute capability {capability}: copies work, "
        "computing does not.",
        capability="{}.{}".format(*capability),
    )
    return Device(
        f"cuda:{index}",
        properties.name,
        str(getattr(properties, "uuid", "")),
        properties.total_memory,
        capability,
        usable,
        NOTHING if usable else reason,
    )


def _runs(capability: "tuple[int, int]", arch: str) -> bool:
    """A kernel for 8.0 also runs on 8.6; machine code of another generation does not."""
    number = arch.rpartition("_")[2].rstrip("af")
    made_for = (int(number[:-1]), int(number[-1])) if number.isdigit() else (99, 0)
    same = arch.startswith("compute_") or made_for[0] == capability[0]
    return same and made_for <= capability


def _why_none() -> Trouble:
    """PyTorch tells when it has to begin; where it finds no card, that makes no context."""
    cuda, visible = torch.version.cuda, os.environ.get("CUDA_VISIBLE_DEVICES")
    if cuda is None and torch.version.hip is None:
        return Trouble("This PyTorch is a build for the processor only.")
    said = _NONE
    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:
        said = str(error)
    sentence, hint = next((means, cure) for words, means, cure in _WHY if words in said)
    if cuda is None:
        sentence, hint = mark("This PyTorch finds none of its cards: {said}"), _DOCTOR
    elif _NONE in said and visible is not None:
        sentence = mark("Under CUDA_VISIBLE_DEVICES=“{visible}” CUDA finds no card.")
        hint = mark(
            "Unset it where GPU Explorer is started, or choose other visible cards in the lab. "
            "If that does not help, `{doctor}` looks for the cause."
        )
    first = said.strip().partition("\n")[0]
    return Trouble(sentence, hint, said=first, cuda=cuda, visible=visible, doctor=doctor())
