"""Engine: what the worker needs to know of the devices, real or simulated; and what it says of
whatever was raised: its cause, PyTorch's own words, and a way out.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab import packaged
from gpuexplorer.lab.events import (
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Memory,
    Span,
    Transferred,
    Watched,
)
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.places import Copies, frames_of


class Engine(Protocol):
    """One per process. Its methods are called from the thread that runs the cells."""

    def hello(self) -> Hello:
        """What this PyTorch is, and which devices it offers."""
        ...

    def devices(self) -> Sequence[Device]: ...

    def running(
        self, *, watched: bool = True, program: bool = False, sampled: bool = False
    ) -> AbstractContextManager[object]:
        """Around a cell, and whoever times it is within: entering and leaving take long.
        Unwatched, its copies are not seen and its times are Python's own. A program may run for
        days: what it copies is not held to be compared. Sampled, steps may be left out, so that
        watching takes little time.
        """
        ...

    def others_hold(self, held: "Sequence[tuple[str, int]]") -> None:
        """Bytes of other programs, by device. Real cards know by themselves."""
        ...

    def cards_lost(self, names: "Sequence[str]") -> None:
        """These do not answer from now on, all others do. Real cards know by themselves."""
        ...

    def measure(
        self,
        command: "Measure | Multiply",
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """Says Sampled, then Measured or Multiplied. `checkpoint` raises to give it up."""
        ...

    def settle(self) -> None:
        """Wait until all devices have done what they were asked."""
        ...

    def times(self, command: int = 0, own: float = 0.0) -> Finished:
        """What the last cell took, after `settle`: `own` seconds of the host, unless its time
        is modelled too.
        """
        ...

    @property
    def copies(self) -> Copies:
        """Where they are noted, each with the place in the cell that caused it."""
        ...

    def transfers(self, command: int) -> Sequence[Transferred]:
        """The copies between devices that the last cell made, compared with what was sent."""
        ...

    def spans(self) -> Sequence[Span]:
        """When devices computed in the last cell, and who waited for whom."""
        ...

    def watched(self, command: int) -> Watched:
        """What was seen of the cell or program that runs or ran last, without the rows that are
        as they were when this was last asked. From any thread; `over` is whoever asks to say.
        """
        ...

    def memory(self) -> Sequence[Memory]:
        """On every device that was used. Does not make a context where there is none."""
        ...


# Any: the settings are JSON.
def engine_for(settings: "Mapping[str, Any]") -> Engine:
    """By what the worker is told of cards."""
    if settings.get("cards"):
        from gpuexplorer.worker.engines.virtual.engine import VirtualEngine  # noqa: PLC0415

        return VirtualEngine(settings["cards"], settings.get("links", []))
    from gpuexplorer.worker.engines.torch_engine import TorchEngine  # noqa: PLC0415

    return TorchEngine()


_DEVICES = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_HOST_IS_FULL = ("DefaultCPUAllocator", "can't allocate memory")
_CARD_IS_FULL = "CUDA error: out of memory"  # when its context is made
_OF_CARD = re.compile(r"\b(CUDA|HIP|cuDNN|CUBLAS|cuBLAS|NCCL)\b")
_MOST_NAME = 200
_MOST_WORDS = 20_000  # letters of what an exception says
_OURS = re.compile(r"\b(?:gpuexplorer\.worker\.engines\.virtual\.tensor\.)?OnCard\b")
_ASSERT = "device-side assert"
_BROKEN = (
    _ASSERT,
    "illegal memory access",
    "unspecified launch failure",
    "misaligned address",
    "an illegal instruction",
    "uncorrectable ECC",
)


_OF_LATE = mark(
    "A kernel met a value that it cannot take, mostly an index, a row of an embedding or a "
    "class in a loss that does not exist, and stopped the card. A card tells that late, at the "
    "next wait: the line that is shown may be innocent, and the fault in one before it."
)
_OF_ITS_LINE = mark(
    "A kernel met a value that it cannot take, mostly an index, a row of an embedding or a "
    "class in a loss that does not exist, and stopped the card. Each kernel was waited for, so "
    "it is the line that is shown."
)


class Spoiled(Exception):  # noqa: N818 - it is the driver's fault, not an error of ours
    """The card or the driver will not be itself again in this process."""

    def __init__(self, sentence: Message, hint: Message, words: str) -> None:
        super().__init__(words)
        self.sentence = sentence
        self.hint = hint


class CardLost(RuntimeError):  # noqa: N818 - the engine makes PyTorch's own error of it
    """A card does not answer any more. Why PyTorch said what it said, where that is known."""

    def __init__(self, card: str, *, used: bool) -> None:
        super().__init__(f"{card} is lost")
        self.card = card
        self.used = used  # by this process, which then is of no use any more


def failed(
    command: int,
    error: BaseException,
    memory: "Callable[[], tuple[Memory, ...]]" = tuple,
    settle: "Callable[[], object]" = tuple,
) -> Failed:
    """The sentence says what it means here; `message` keeps PyTorch's own words. `settle` waits
    for the cards that were used: what an error has broken answers that with an error.
    """
    frames = frames_of(error)
    try:
        settle()
    except RuntimeError as later:
        if not isinstance(error.__cause__, CardLost):
            of_card = type(error).__name__ == "AcceleratorError" or _OF_CARD.search(
                _said(error)
            )
            told = error if of_card else later
            return replace(_broken(_raised(command, told)), frames=frames)
    return replace(_failed(_raised(command, error), error, memory), frames=frames)


def _raised(command: int, error: BaseException) -> Failed:
    """In words that PyTorch would use of the tensors it knows."""
    words = _OURS.sub("Tensor", _said(error).strip())
    return Failed(command, "raised", type(error).__name__[:_MOST_NAME], words)


def _said(error: BaseException) -> str:
    """An exception of a person's own may not even have words."""
    try:
        text = str(error)
    except BaseException:
        return ""
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]} …"


def _failed(
    found: Failed, error: BaseException, memory: "Callable[[], tuple[Memory, ...]]"
) -> Failed:
    message = found.message
    match error:
        case Trouble(sentence=sentence, hint=hint):
            return Failed(found.id, "bad request", "Trouble", "", sentence, hint)
        case Spoiled(sentence=sentence, hint=hint):
            return replace(found, cause="device broken", sentence=sentence, hint=hint)
        case KeyboardInterrupt():
            return replace(found, cause="cancelled", message="", sentence=Message("Cancelled."))
        case ModuleNotFoundError(name=str(name)) if _is_package(name):
            return _missing(found, name)
    if isinstance(error.__cause__, CardLost):
        return _lost(found, error.__cause__)
    if any(text in message for text in _BROKEN):
        return _broken(found)
    of_host = any(text in message for text in _HOST_IS_FULL)
    if (
        of_host
        or found.error == "OutOfMemoryError"
        or isinstance(error, MemoryError)
        or _CARD_IS_FULL in message
    ):
        sentence = Message("It does not fit into the memory that is free.")
        hint = Message(
            "Delete something, take a smaller shape or a smaller dtype, or another device."
        )
        if of_host:
            sentence = Message("It does not fit into the computer's own memory.")
            hint = Message("Delete something, or take a smaller shape or a smaller dtype.")
        return replace(
            found, cause="out of memory", sentence=sentence, hint=hint, memory=memory()
        )
    if "same device" in message or "expected device" in message:
        one, other, *_ = [*dict.fromkeys(_DEVICES.findall(message)), "", ""]
        sentence = Message(
            "The operands are on different devices: PyTorch will not choose for you."
        )
        if other:
            sentence = Message(
                "One is on {one}, another on {other}: PyTorch will not choose for you.",
                one=one,
                other=other,
            )
        hint = Message("Copy one to the other.")
        return replace(found, cause="devices differ", sentence=sentence, hint=hint)
    # What C++ refuses is a RuntimeError, and seems to arise in the line that called it.
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__"))
    called = isinstance(error, RuntimeError) and not isinstance(error, RecursionError)
    of_torch = called or module.partition(".")[0] == "torch"
    return replace(found, cause="refused by PyTorch") if of_torch else found


def _broken(found: Failed) -> Failed:
    if _ASSERT in found.message:
        waited = os.environ.get("CUDA_LAUNCH_BLOCKING") == "1"
        said = Message(_OF_LATE if not waited else _OF_ITS_LINE)
        hint = Message("Everything on the card is lost: it takes a new process.")
        return replace(found, cause="device assert", sentence=said, hint=hint, waited=waited)
    sentence = Message(
        "The card broke off. Everything this process holds on it is lost, and every "
        "further call will fail the same way."
    )
    hint = Message("Start the worker again, and run the session again.")
    return replace(found, cause="device broken", sentence=sentence, hint=hint)


def _lost(found: Failed, lost: CardLost) -> Failed:
    cause = "device broken" if lost.used else "device lost"
    if lost.used:
        sentence = Message(
            "{card} is lost: the card does not answer any more, and what was on it is gone. "
            "CUDA breaks with it in the whole process.",
            card=lost.card,
        )
        hint = Message("A new worker begins. Run the session again to make what was elsewhere.")
    else:
        sentence = Message(
            "{card} is lost: the card does not answer any more, so nothing can be made on "
            "it or copied to it.",
            card=lost.card,
        )
        hint = Message("What is on the shelf is as it was. Use another card, or the processor.")
    return replace(found, cause=cause, sentence=sentence, hint=hint, lost=(lost.card,))


def _is_package(name: str) -> bool:
    """Neither a module inside one that is there, nor one of Python's own."""
    known = name in sys.modules or name in sys.stdlib_module_names
    return name.isidentifier() and not known


def _missing(found: Failed, name: str) -> Failed:
    sentence = Message("The lab's Python has no module {name}.", name=name)
    if packaged.folder() is not None:
        hint = Message("Choose a Python of your own for the lab, and install it there.")
        return replace(found, sentence=sentence, hint=hint)
    hint = Message("Install it. If it is a file of your own, add its folder to sys.path.")
    return replace(found, sentence=sentence, hint=hint, missing=name)
