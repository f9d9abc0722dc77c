"""TorchEngine: real devices."""

import contextlib
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from typing import Union

import torch

from gpuexplorer.core.doctor import doctor
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import (
    Device,
    Event,
    Finished,
    Hello,
    Memory,
    Span,
    Transferred,
    Watched,
)
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.engines.measuring.measure import measure
from gpuexplorer.worker.engines.measuring.products import multiply
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards
from gpuexplorer.worker.engines.watch import Watch
from gpuexplorer.worker.places import Copies

_DOCTOR = Message("`{doctor}` looks for the cause.", doctor=doctor())
# What PyTorch says where it finds no card, what that means, and what to do.
_WHY = (
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
        "driver initialization failed",
        mark("CUDA cannot be started: the driver fails to initialize."),
        _DOCTOR,
    ),
    (
        "system not yet initialized",
        mark("CUDA waits for the NVSwitches of the computer to be set up (error 802)."),
        mark("Start NVIDIA's Fabric Manager: `sudo systemctl start nvidia-fabricmanager`."),
    ),
    (
        "unsupported display driver",
        mark("The driver's library and its kernel module are of two versions (error 803)."),
        mark("Restart the computer, so that the kernel module of the new driver is loaded."),
    ),
    (
        "forward compatibility was attempted",
        mark("CUDA's compatibility library does not work with these cards (error 804)."),
        mark("Take its folder out of LD_LIBRARY_PATH, and update the driver instead."),
    ),
)


class TorchEngine:
    """Whatever this PyTorch offers. Makes no context on a card before a line does."""

    def __init__(self) -> None:
        self._watch = Watch()
        self._watched = False
        # Where there is no other device, nothing can be copied, and watching would take time.
        self._others = _any_others()
        if self._others:
            self._watch.install()

    @property
    def copies(self) -> Copies:
        return self._watch.copies

    def hello(self) -> Hello:
        version, devices = platform.python_version(), tuple(self.devices())
        return Hello(0, version, torch.__version__, build(), simulated=False, devices=devices)

    def devices(self) -> Sequence[Device]:
        found = [Device("cpu", platform.machine())]
        if torch.cuda.is_available():
            found += [_cuda(index) for index in range(torch.cuda.device_count())]
        else:
            why = _why_none()
            none = Message("no card of this PyTorch")
            found.append(
                Device("cuda:0", none, usable=False, reason=why.sentence, way_out=why.hint)
            )
        xpu = getattr(torch, "xpu", None)
        if xpu is not None and xpu.is_available():
            found += [
                Device(f"xpu:{index}", xpu.get_device_name(index))
                for index in range(xpu.device_count())
            ]
        if torch.backends.mps.is_available():
            found.append(Device("mps", "Apple GPU"))
        return [*found, Device("meta", Message("shapes without values"))]

    @contextlib.contextmanager
    def running(
        self, *, watched: bool = True, program: bool = False, sampled: bool = False
    ) -> "Iterator[None]":
        self._watched = watched
        self._watch.begin(program=program, sampled=sampled)
        way: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if watched and self._others:
            way = self._watch.watching(program=program, sampled=sampled)
        elif program:
            self._watch.install_hooks()
            way = self._watch.counting()
        with way:
            yield

    def others_hold(self, held: "Sequence[tuple[str, int]]") -> None:
        """Nothing has to be told: the driver knows."""

    def cards_lost(self, names: "Sequence[str]") -> None:
        """Nothing has to be told: the driver knows."""

    def measure(
        self,
        command: Union[Measure, Multiply],  # noqa: UP007 - Python 3.10
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """Nothing watches meanwhile: watching takes time."""
        self._watch.begin()
        match command:
            case Measure():
                _refuse_where_none(command.source, command.target)
                measure(command, TorchCards(), say, checkpoint)
            case Multiply():
                _refuse_where_none(command.device)
                multiply(command, TorchCards(), say, checkpoint)

    def settle(self) -> None:
        self._watch.cards.end()
        if torch.cuda.is_initialized():
            for index in range(torch.cuda.device_count()):
                if has_context(index):
                    torch.cuda.synchronize(index)

    def times(self, command: int = 0, own: float = 0.0) -> Finished:
        busy = self._watch.cards.spanned()
        return Finished(
            command,
            own,
            max(busy.values(), default=None),
            watched=self._watched,
            watch_seconds=self._watch.seconds if self._watched else None,
            busy=tuple(sorted(busy.items())),
        )

    def transfers(self, command: int) -> Sequence[Transferred]:
        return self._watch.transfers(command)

    def spans(self) -> Sequence[Span]:
        return self._watch.cards.spans()

    def watched(self, command: int) -> Watched:
        watch, cards = self._watch, self._watch.cards
        cards.read_moments(all_of_them=False)  # what has come since is counted in
        return watch.seen.changed(
            command,
            busy=cards.busy(),
            memory=() if cards.capturing else self.memory(),
            profiled=watch.profiling.times,
        )

    def memory(self) -> Sequence[Memory]:
        if not torch.cuda.is_initialized():
            return ()
        used = [index for index in range(torch.cuda.device_count()) if has_context(index)]
        return [
            Memory(
                f"cuda:{index}",
                torch.cuda.memory_allocated(index),
                torch.cuda.memory_reserved(index),
                *torch.cuda.mem_get_info(index),
            )
            for index in used
        ]


def _any_others() -> bool:
    """Whether there is a device beside the processor."""
    xpu = getattr(torch, "xpu", None)
    # Asked if it is available, CUDA would begin: a program may not want that yet, or not here.
    others = torch.cuda.device_count() > 0, torch.backends.mps.is_available()
    return any(others) or (xpu is not None and bool(xpu.is_available()))


def _refuse_where_none(*devices: object) -> None:
    """Raises Trouble where a card is asked for and PyTorch finds none."""
    asked = [each for each in devices if str(each).startswith("cuda")]
    if asked and not torch.cuda.is_available():
        why = _why_none()
        missing = Message("There is no {device} here.", device=asked[0])
        raise Trouble(missing, told(why.sentence, why.hint))


def _why_none() -> Trouble:
    """PyTorch tells when it has to begin; where it finds no card, that makes no context."""
    if torch.version.cuda is None and torch.version.hip is None:
        return Trouble("This PyTorch is a build for the processor only.")
    said = "No CUDA GPUs are available"
    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:
        said = str(error)
    return why_no_card(said, torch.version.cuda, os.environ.get("CUDA_VISIBLE_DEVICES"))


def build() -> str:
    """What this PyTorch was made for."""
    if torch.version.hip:
        return f"ROCm {torch.version.hip}"
    if torch.version.cuda:
        return f"CUDA {torch.version.cuda}"
    return "CPU"


def has_context(index: int) -> bool:
    """Asking a card for its memory would make a context there."""
    return bool(torch._C._cuda_hasPrimaryContext(index))


def _cuda(index: int) -> Device:
    properties = torch.cuda.get_device_properties(index)
    capability = (properties.major, properties.minor)
    made_for = torch.cuda.get_arch_list()
    usable = torch.version.hip is not None or _has_kernels(capability, made_for)
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


def why_no_card(said: str, cuda: "str | None", visible: "str | None") -> Trouble:
    """`said`: by PyTorch when it was asked to begin. `cuda`: for which it is built, None where
    it is for cards of another maker. `visible`: CUDA_VISIBLE_DEVICES, where it is set.
    """
    values = {
        "said": said.strip().partition("\n")[0],
        "cuda": cuda,
        "visible": visible,
        "doctor": doctor(),
    }
    if cuda is None:
        return Trouble("This PyTorch finds none of its cards: {said}", _DOCTOR, **values)
    if "No CUDA GPUs are available" in said and visible is not None:
        return Trouble(
            "Under CUDA_VISIBLE_DEVICES=“{visible}” CUDA finds no card.",
            "Unset it where GPU Explorer is started, or choose other visible cards in the lab. "
            "If that does not help, `{doctor}` looks for the cause.",
            **values,
        )
    if "No CUDA GPUs are available" in said:
        return Trouble(
            "CUDA finds no card that this program may use.",
            "Look at the rights to /dev/nvidia* (groups `video` and `render`), or at the "
            "container's `--gpus`. `{doctor}` looks for the cause.",
            **values,
        )
    for words, sentence, hint in _WHY:
        if words in said:
            return Trouble(sentence, hint, **values)
    return Trouble("PyTorch finds no card. It says: {said}", _DOCTOR, **values)
