"""From an exception to what a person reads: its cause, PyTorch's own words, and a way out."""

import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab import packaged
from gpuexplorer.lab.events import Failed, Memory
from gpuexplorer.worker.places import frames_of

_DEVICES = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_HOST_IS_FULL = ("DefaultCPUAllocator", "can't allocate memory")
_CARD_IS_FULL = "CUDA error: out of memory"  # when its context is made
_OF_CARD = re.compile(r"\b(CUDA|HIP|cuDNN|CUBLAS|cuBLAS|NCCL)\b")
_MOST_NAME = 200
_MOST_WORDS = 20_000  # letters of what an exception says
_OURS = re.compile(r"\b(?:gpuexplorer\.worker\.engines\.virtual\.tensor\.)?OnCard\b")
_ASSERTED = "device-side assert"
_BROKEN = (
    _ASSERTED,
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
            return replace(_broken(command, told), frames=frames)
    return replace(_failed(command, error, memory), frames=frames)


def _failed(
    command: int, error: BaseException, memory: "Callable[[], tuple[Memory, ...]]"
) -> Failed:
    kind, message = type(error).__name__[:_MOST_NAME], _words(error)
    found = Failed(command, "raised", kind, message)
    match error:
        case Trouble():
            return Failed(command, "bad request", "Trouble", "", error.sentence, error.hint)
        case Spoiled():
            sentence, hint = error.sentence, error.hint
            return replace(found, cause="device broken", sentence=sentence, hint=hint)
        case KeyboardInterrupt():
            return Failed(command, "cancelled", kind, "", Message("Cancelled."))
        case ModuleNotFoundError(name=name) if _is_package(name):
            return _missing(found, str(name))
    if isinstance(error.__cause__, CardLost):
        return _lost(found, error.__cause__)
    if any(text in message for text in _BROKEN):
        return _broken(command, error)
    if any(text in message for text in _HOST_IS_FULL):
        return replace(
            found,
            cause="out of memory",
            sentence=Message("It does not fit into the computer's own memory."),
            hint=Message("Delete something, or take a smaller shape or a smaller dtype."),
            memory=memory(),
        )
    if kind == "OutOfMemoryError" or isinstance(error, MemoryError) or _CARD_IS_FULL in message:
        return replace(
            found,
            cause="out of memory",
            sentence=Message("It does not fit into the memory that is free."),
            hint=Message(
                "Delete something, take a smaller shape or a smaller dtype, or another device."
            ),
            memory=memory(),
        )
    if "same device" in message or "expected device" in message:
        hint = Message("Copy one to the other.")
        return replace(found, cause="devices differ", sentence=_differ(message), hint=hint)
    return replace(found, cause="refused by PyTorch") if _is_of_torch(error) else found


def _words(error: BaseException) -> str:
    """As PyTorch would say them of the tensors it knows."""
    return _OURS.sub("Tensor", _said(error).strip())


def _said(error: BaseException) -> str:
    """An exception of a person's own may not even have words."""
    try:
        text = str(error)
    except BaseException:
        return ""
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]} …"


def _is_of_torch(error: BaseException) -> bool:
    """What C++ refuses is a RuntimeError, and seems to arise in the line that called it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__"))
    called = isinstance(error, RuntimeError) and not isinstance(error, RecursionError)
    return called or module.partition(".")[0] == "torch"


def _broken(command: int, error: BaseException) -> Failed:
    kind, words = type(error).__name__, _words(error)
    if _ASSERTED in words:
        waited = os.environ.get("CUDA_LAUNCH_BLOCKING") == "1"
        said = Message(_OF_LATE if not waited else _OF_ITS_LINE)
        hint = Message("Everything on the card is lost: it takes a new process.")
        return Failed(command, "device assert", kind, words, said, hint, waited=waited)
    return Failed(
        command,
        "device broken",
        kind,
        words,
        Message(
            "The card broke off. Everything this process holds on it is lost, and every "
            "further call will fail the same way."
        ),
        Message("Start the worker again, and run the session again."),
    )


def _lost(found: Failed, lost: CardLost) -> Failed:
    if not lost.used:
        return replace(
            found,
            cause="device lost",
            sentence=Message(
                "{card} is lost: the card does not answer any more, so nothing can be made on "
                "it or copied to it.",
                card=lost.card,
            ),
            hint=Message(
                "What is on the shelf is as it was. Use another card, or the processor."
            ),
            lost=(lost.card,),
        )
    return replace(
        found,
        cause="device broken",
        sentence=Message(
            "{card} is lost: the card does not answer any more, and what was on it is gone. "
            "CUDA breaks with it in the whole process.",
            card=lost.card,
        ),
        hint=Message("A new worker begins. Run the session again to make what was elsewhere."),
        lost=(lost.card,),
    )


def _is_package(name: object) -> bool:
    """Neither a module inside one that is there, nor one of Python's own."""
    return (
        isinstance(name, str)
        and name.isidentifier()
        and name not in sys.modules
        and name not in sys.stdlib_module_names
    )


def _missing(found: Failed, name: str) -> Failed:
    sentence = Message("The lab's Python has no module {name}.", name=name)
    if packaged.folder() is not None:
        hint = Message("Choose a Python of your own for the lab, and install it there.")
        return replace(found, sentence=sentence, hint=hint)
    hint = Message("Install it. If it is a file of your own, add its folder to sys.path.")
    return replace(found, sentence=sentence, hint=hint, missing=name)


def _differ(message: str) -> Message:
    found = list(dict.fromkeys(_DEVICES.findall(message)))
    if len(found) < 2:
        return Message(
            "The operands are on different devices: PyTorch will not choose for you."
        )
    return Message(
        "One is on {one}, another on {other}: PyTorch will not choose for you.",
        one=found[0],
        other=found[1],
    )
