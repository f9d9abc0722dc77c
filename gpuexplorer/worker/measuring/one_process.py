"""A card that lets in one process alone, and whose one is another."""

from gpuexplorer.core.words import Message
from gpuexplorer.worker.failures import Spoiled

_BUSY = "busy or unavailable"  # the driver's words


def is_held_by_another(words: str) -> bool:
    return _BUSY in words


def held_by_another(what: str, words: str) -> Spoiled:
    """`what` was to be measured. The driver does not say who holds it, nor on which card."""
    return Spoiled(
        Message(
            "{what} could not be measured: the card lets in one process at a time, and another "
            "has it.",
            what=what,
        ),
        Message(
            "Release the cards in the lab, or end the other program; or let in more than one: "
            "nvidia-smi -c DEFAULT."
        ),
        words,
    )
