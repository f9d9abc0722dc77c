"""Engine: the devices, real or simulated; and what the worker says of whatever was raised: its
cause, PyTorch's own words, and a way out.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.lab import packaged
from gpuexplorer.lab.events import Failed, Memory
from gpuexplorer.worker.places import frames_of

if TYPE_CHECKING:
    from gpuexplorer.worker.engines.torch_engine import TorchEngine
    from gpuexplorer.worker.engines.virtual.engine import VirtualEngine

    Engine: TypeAlias = TorchEngine | VirtualEngine


# Any: the settings are JSON.
def engine_for(settings: "Mapping[str, Any]") -> "Engine":
    """One per process, by what the worker is told of cards."""
    if settings.get("cards"):
        from gpuexplorer.worker.engines.virtual.engine import VirtualEngine  # noqa: PLC0415

        return VirtualEngine(settings["cards"], settings.get("links", []))
    from gpuexplorer.worker.engines.torch_engine import TorchEngine  # noqa: PLC0415

    return TorchEngine()


_DEVICES = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_OF_CARD = re.compile(r"\b(CUDA|HIP|cuDNN|CUBLAS|cuBLAS|NCCL)\b")
_OURS = re.compile(r"\b(?:gpuexplorer\.worker\.engines\.virtual\.tensor\.)?OnCard\b")
_HOST_IS_FULL = ("DefaultCPUAllocator", "can't allocate memory")
_CARD_IS_FULL = "CUDA error: out of memory"  # when its context is made
_ASSERT = "device-side assert"
_BROKEN = (
    _ASSERT,
    "illegal memory access",
    "unspecified launch failure",
    "misaligned address",
    "an illegal instruction",
    "uncorrectable ECC",
)
_MOST_WORDS = 20_000  # letters of what an exception says


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
    kind, words = type(error).__name__, _said(error)
    found = Failed(command, "raised", kind, words, frames=frames_of(error))
    lost = error.__cause__ if isinstance(error.__cause__, CardLost) else None
    try:
        settle()
    except RuntimeError as later:
        if lost is None:
            if kind != "AcceleratorError" and not _OF_CARD.search(words):
                found = replace(found, error=type(later).__name__, message=_said(later))
            return _broken(found)
    if lost is not None:
        return _lost(found, lost)
    match error:
        case Trouble(sentence=sentence, hint=hint):
            return replace(found, cause="bad request", message="", sentence=sentence, hint=hint)
        case Spoiled(sentence=sentence, hint=hint):
            return replace(found, cause="device broken", sentence=sentence, hint=hint)
        case KeyboardInterrupt():
            return replace(found, cause="cancelled", message="", sentence=Message("Cancelled."))
        case ModuleNotFoundError(name=str(name)) if _is_package(name):
            return _missing(found, name)
    if any(text in words for text in _BROKEN):
        return _broken(found)
    of_host = any(text in words for text in _HOST_IS_FULL)
    if of_host or kind in ("OutOfMemoryError", "MemoryError") or _CARD_IS_FULL in words:
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
    if "same device" in words or "expected device" in words:
        devices = [*dict.fromkeys(_DEVICES.findall(words))]
        sentence = Message(
            "The operands are on different devices: PyTorch will not choose for you."
        )
        if len(devices) > 1:
            sentence = Message(
                "One is on {one}, another on {other}: PyTorch will not choose for you.",
                one=devices[0],
                other=devices[1],
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


def _said(error: BaseException) -> str:
    """In words that PyTorch would use of the tensors it knows."""
    try:
        return _OURS.sub("Tensor", str(error)[:_MOST_WORDS].strip())
    except Exception:  # it is a person's own
        return ""


def _broken(found: Failed) -> Failed:
    if _ASSERT not in found.message:
        sentence = Message(
            "The card broke off. Everything this process holds on it is lost, and every "
            "further call will fail the same way."
        )
        hint = Message("Start the worker again, and run the session again.")
        return replace(found, cause="device broken", sentence=sentence, hint=hint)
    waited = os.environ.get("CUDA_LAUNCH_BLOCKING") == "1"
    met = Message(
        "A kernel met a value that it cannot take, mostly an index, a row of an embedding or a "
        "class in a loss that does not exist, and stopped the card."
    )
    where = Message(
        "A card tells that late, at the next wait: the line that is shown may be innocent, and "
        "the fault in one before it."
    )
    if waited:
        where = Message("Each kernel was waited for, so it is the line that is shown.")
    sentence = told(met, where)
    hint = Message("Everything on the card is lost: it takes a new process.")
    return replace(found, cause="device assert", sentence=sentence, hint=hint, waited=waited)


def _lost(found: Failed, lost: CardLost) -> Failed:
    cause = "device broken" if lost.used else "device lost"
    sentence = Message(
        "{card} is lost: the card does not answer any more, so nothing can be made on it or "
        "copied to it.",
        card=lost.card,
    )
    hint = Message("What is on the shelf is as it was. Use another card, or the processor.")
    if lost.used:
        sentence = Message(
            "{card} is lost: the card does not answer any more, and what was on it is gone. "
            "CUDA breaks with it in the whole process.",
            card=lost.card,
        )
        hint = Message("A new worker begins. Run the session again to make what was elsewhere.")
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
