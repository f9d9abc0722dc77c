"""Engine: the devices, real or simulated; and what the worker says of whatever was raised: its
cause, PyTorch's own words, and a way out.
"""

import os
import re
import sys
import traceback
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


_OF_CARD = re.compile(r"\b(CUDA|HIP|cuDNN|CUBLAS|cuBLAS|NCCL)\b")
_OURS = re.compile(r"\b(?:gpuexplorer\.worker\.engines\.virtual\.\w+\.)?OnCard\b")
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
        self.sentence, self.hint = sentence, hint


class CardLost(RuntimeError):  # noqa: N818 - the engine makes PyTorch's own error of it
    """A card does not answer any more. Why PyTorch said what it said, where that is known."""

    def __init__(self, card: str, *, used: bool) -> None:
        """`used`: by this process, which then is of no use any more."""
        super().__init__(f"{card} is lost")
        self.card, self.used = card, used


def failed(
    command: int,
    error: BaseException,
    memory: "Callable[[], tuple[Memory, ...]]" = tuple,
    settle: "Callable[[], object]" = tuple,
) -> Failed:
    """The sentence says what it means here; `message` keeps PyTorch's own words. `settle` waits
    for the cards that were used: what an error has broken answers that with an error.
    """
    kind, words, broke = type(error).__name__, _said(error), False
    try:
        settle()
    except RuntimeError as later:
        broke = True
        if kind != "AcceleratorError" and not _OF_CARD.search(words):
            kind, words = type(later).__name__, _said(later)
    found = Failed(command, "raised", kind, words, frames=frames_of(error))
    if isinstance(lost := error.__cause__, CardLost):
        sentence = Message(
            "{card} is lost: the card does not answer any more, and nothing can be made on it "
            "or copied to it.",
            card=lost.card,
        )
        cause = "device lost"
        hint = Message("What is on the shelf is as it was. Use another card, or the processor.")
        if lost.used:
            cause = "device broken"
            hint = Message(
                "A new worker begins. Run the session again to make what was elsewhere."
            )
        return replace(found, cause=cause, sentence=sentence, hint=hint, lost=(lost.card,))
    if broke:
        return _broken(found)
    match error:
        case Trouble(sentence=sentence, hint=hint):
            return replace(found, cause="bad request", message="", sentence=sentence, hint=hint)
        case Spoiled(sentence=sentence, hint=hint):
            return replace(found, cause="device broken", sentence=sentence, hint=hint)
        case KeyboardInterrupt():
            return replace(found, cause="cancelled", message="", sentence=Message("Cancelled."))
        case ModuleNotFoundError(name=str(name)):
            # Neither a module inside one that is there, nor one of Python's own.
            if name.isidentifier() and name not in sys.stdlib_module_names:
                return _missing(found, name)
    if any(text in words for text in _BROKEN):
        return _broken(found)
    of_host = any(text in words for text in _HOST_IS_FULL)
    if of_host or kind in ("OutOfMemoryError", "MemoryError") or _CARD_IS_FULL in words:
        sentence = Message("It does not fit into the memory that is free.")
        if of_host:
            sentence = Message("It does not fit into the computer's own memory.")
        hint = Message("Delete something, or take a smaller shape or a smaller dtype.")
        return replace(
            found, cause="out of memory", sentence=sentence, hint=hint, memory=memory()
        )
    if "same device" in words or "expected device" in words:
        sentence = Message(
            "The operands are on different devices: PyTorch will not choose for you."
        )
        hint = Message("Copy one to the other.")
        return replace(found, cause="devices differ", sentence=sentence, hint=hint)
    # What C++ refuses is a RuntimeError, and seems to arise in the line that called it.
    names = [
        str(frame.f_globals.get("__name__"))
        for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    called = isinstance(error, RuntimeError) and not isinstance(error, RecursionError)
    of_torch = called or (names and names[-1].partition(".")[0] == "torch")
    return replace(found, cause="refused by PyTorch") if of_torch else found


def _said(error: BaseException) -> str:
    """In words that PyTorch would use of the tensors it knows."""
    return _OURS.sub("Tensor", str(error)[:_MOST_WORDS].strip())


def _broken(found: Failed) -> Failed:
    if _ASSERT not in found.message:
        sentence = Message(
            "The card broke off. Everything this process holds on it is lost, and every "
            "further call will fail the same way."
        )
        hint = Message("Start the worker again, and run the session again.")
        return replace(found, cause="device broken", sentence=sentence, hint=hint)
    waited = os.environ.get("CUDA_LAUNCH_BLOCKING") == "1"
    where = Message(
        "A card tells that late, at the next wait: the line that is shown may be innocent, and "
        "the fault in one before it."
    )
    if waited:
        where = Message("Each kernel was waited for, so it is the line that is shown.")
    sentence = told(
        Message(
            "A kernel met a value that it cannot take, mostly an index, a row of an embedding "
            "or a class in a loss that does not exist, and stopped the card."
        ),
        where,
    )
    hint = Message("Everything on the card is lost: it takes a new process.")
    return replace(found, cause="device assert", sentence=sentence, hint=hint, waited=waited)


def _missing(found: Failed, name: str) -> Failed:
    sentence = Message("The lab's Python has no module {name}.", name=name)
    hint = Message("Install it. If it is a file of your own, add its folder to sys.path.")
    if packaged.folder() is not None:
        name = ""
        hint = Message("Choose a Python of your own for the lab, and install it there.")
    return replace(found, sentence=sentence, hint=hint, missing=name)
