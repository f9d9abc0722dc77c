"""From an exception to what a person reads: its cause, PyTorch's own words, and a way out."""

import re
from collections.abc import Callable

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Failed, Memory

_DEVICES = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_HOST_IS_FULL = ("DefaultCPUAllocator", "can't allocate memory")
_OURS = re.compile(r"\b(?:gpuexplorer\.worker\.engines\.virtual\.tensor\.)?OnCard\b")
_BROKEN = (
    "device-side assert",
    "illegal memory access",
    "unspecified launch failure",
    "misaligned address",
    "an illegal instruction",
    "uncorrectable ECC",
)


class Cancelled(BaseException):
    """The person gave the command up. Nothing between here and the loop may catch it."""


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
) -> Failed:
    """The sentence says what it means here; `message` keeps PyTorch's own words."""
    kind = type(error).__name__
    message = _OURS.sub("Tensor", str(error).strip())  # what PyTorch would call it
    if isinstance(error, Trouble):
        return Failed(command, "bad request", "Trouble", "", error.sentence, error.hint)
    if isinstance(error, Spoiled):
        return Failed(command, "device broken", kind, message, error.sentence, error.hint)
    if isinstance(error, Cancelled):
        return Failed(command, "cancelled", kind, "", Message("Cancelled."))
    if isinstance(error.__cause__, CardLost):
        return _lost(command, error.__cause__, kind, message)
    if isinstance(error, RecursionError):
        nested = Message("This is nested too deeply.")
        return Failed(command, "bad request", kind, message, nested)
    if any(text in message for text in _BROKEN):
        return Failed(
            command,
            "device broken",
            kind,
            message,
            Message(
                "The card broke off. Everything this process holds on it is lost, and every "
                "further call will fail the same way."
            ),
            Message("Start the worker again; what was made from a recipe can be made anew."),
        )
    if any(text in message for text in _HOST_IS_FULL):
        return Failed(
            command,
            "out of memory",
            kind,
            message,
            Message("It does not fit into the computer's own memory."),
            Message("Delete something, or take a smaller shape or a smaller dtype."),
            memory(),
        )
    if kind == "OutOfMemoryError" or isinstance(error, MemoryError):
        return Failed(
            command,
            "out of memory",
            kind,
            message,
            Message("It does not fit into the memory that is free."),
            Message(
                "Delete something, take a smaller shape or a smaller dtype, or another device."
            ),
            memory(),
        )
    if "same device" in message or "expected device" in message:
        hint = Message("Copy one to the other.")
        return Failed(command, "devices differ", kind, message, _differ(message), hint)
    return Failed(command, "refused by PyTorch", kind, message)


def _lost(command: int, lost: CardLost, kind: str, message: str) -> Failed:
    if not lost.used:
        return Failed(
            command,
            "device lost",
            kind,
            message,
            Message(
                "{card} is lost: the card does not answer any more, so nothing can be made on "
                "it or copied to it.",
                card=lost.card,
            ),
            Message("What is on the shelf is as it was. Use another card, or the processor."),
            lost=(lost.card,),
        )
    return Failed(
        command,
        "device broken",
        kind,
        message,
        Message(
            "{card} is lost: the card does not answer any more, and what was on it is gone. "
            "CUDA breaks with it in the whole process.",
            card=lost.card,
        ),
        Message("A new worker begins. What was elsewhere can be made again by its lines."),
        lost=(lost.card,),
    )


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
