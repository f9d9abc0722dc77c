"""What CUDA's errors mean for a measurement, and whether the cards still answer after one."""

from collections.abc import Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.worker.failures import Spoiled
from gpuexplorer.worker.measuring.cards import Cards

# The driver's words, and the names that its own calls give.
_BUSY = ("busy or unavailable", "cudaErrorDevicesUnavailable")
_TOO_MANY_PEERS = ("peer mapping resources exhausted", "cudaErrorTooManyPeers")
_NOT_SUPPORTED = ("operation not supported", "cudaErrorNotSupported")
_INVALID = ("invalid argument", "cudaErrorInvalidValue")


def of_card(
    words: str, cards: Cards, devices: Sequence[str], what: str, broke: Message
) -> Exception:
    """`what` was to be measured on the devices; `broke` says that a card broke off then."""
    if _has(words, _BUSY):
        return _held_by_another(what, words)
    if not _still_answer(cards, devices):
        return Spoiled(
            broke,
            Message(
                "The driver may have lost it: look at its events. A new worker is needed to go "
                "on."
            ),
            words,
        )
    if _has(words, _TOO_MANY_PEERS):
        return _too_many_peers(what, words)
    if _has(words, _NOT_SUPPORTED):
        return Trouble(
            "{what} could not be measured: the driver does not support a call that this needs.",
            "Virtual cards, MIG instances and WSL lack some calls. Measure in another way.",
            what=what,
        )
    if _has(words, _INVALID):
        return Trouble(
            "{what} could not be measured: the driver refused a call as invalid.",
            "Take a smaller size, or measure in another way.",
            what=what,
        )
    return Trouble(
        "{what} could not be measured. PyTorch says: {said}",
        "The card still answers. Try again, or measure in another way.",
        what=what,
        said=words.partition("\n")[0],
    )


def _still_answer(cards: Cards, devices: Sequence[str]) -> bool:
    """A context that an error has broken answers every further call with that error."""
    try:
        cards.synchronize(*devices)
    except RuntimeError:
        return False
    return True


def _held_by_another(what: str, words: str) -> Spoiled:
    """The driver does not say who holds the card, nor which card it is."""
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


def _too_many_peers(what: str, words: str) -> Spoiled:
    """PyTorch never closes such a connection, so only the end of its process does."""
    return Spoiled(
        Message(
            "{what} could not be measured: a card can be connected directly to at most 8 "
            "others, and all connections of one of these are in use.",
            what=what,
        ),
        Message(
            "Measure it again: a new worker begins, and the connections of this one are closed."
            " Other programs may hold some too."
        ),
        words,
    )


def _has(words: str, texts: Sequence[str]) -> bool:
    return any(each in words for each in texts)
