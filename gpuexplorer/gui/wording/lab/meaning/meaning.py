"""What an error means here: plain words, with the names and devices of the very line."""

import re

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message, listed, paragraph
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure, about_failure
from gpuexplorer.gui.wording.lab.meaning.meaning_room import room_meaning
from gpuexplorer.gui.wording.lab.meaning.meaning_shapes import (
    devices_meaning,
    places_meaning,
    shapes_meaning,
)
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.ledger import Ledger

_SHAPE_CHANGED = re.compile(r"modified by an inplace operation")
_SCALAR = re.compile(r"Tensor with (\d+) elements cannot be converted to Scalar")


def values_meaning(about: AboutFailure) -> list[Message]:
    message = about.message
    one = _SCALAR.search(message)
    if one is not None:
        return [
            Message(
                "{name} holds {count} values, and item() hands out exactly one. Take one with "
                "an index, or all of them with tolist().",
                name=about.subject(),
                count=one[1],
            )
        ]
    if "only one element tensors can be converted" in message:
        single = Message("One Python number can only be made of a single value.")
        return [*_shape(about), single]
    if "can't convert cuda" in message and "numpy" in message:
        return [
            Message(
                "{name} lies on a card, and NumPy only knows the host's memory. .cpu() copies "
                "it there first, which is never done unasked.",
                name=about.subject(),
            )
        ]
    if "numpy() on Tensor that requires grad" in message:
        return [
            Message(
                "NumPy knows nothing of gradients. .detach() hands out the same values without "
                "their history."
            )
        ]
    if "Boolean value of Tensor" in message:
        several = Message(
            "Whether several values are true is not one question: .any() or .all() makes it "
            "one."
        )
        return [*_shape(about), several]
    if "Weights only load failed" in message or "weights_only" in message:
        return [
            Message(
                "This file holds more than tensors. Reading it would run code that somebody "
                "else wrote, so the lab loads weights only and refused."
            )
        ]
    if about.failed.error == "FileNotFoundError" or "No such file" in message:
        return [
            Message(
                "There is no file of that name. Mind the folder and the case of the letters."
            )
        ]
    if "Missing key(s) in state_dict" in message or "size mismatch for" in message:
        return [
            Message(
                "The file's parameters are not those of this model: their names or shapes "
                "differ. Make the same model first, then load them."
            )
        ]
    return []


def _shape(about: AboutFailure) -> list[Message]:
    return about.shapes() if len(about.tensors) == 1 else []


def gradients_meaning(about: AboutFailure) -> list[Message]:
    message = about.message
    if "grad can be implicitly created only for scalar outputs" in message:
        several = Message(
            "backward() begins at one number, the loss, and here there are several. .sum() or "
            ".mean() makes one number of them."
        )
        return [*about.shapes(), several]
    if "does not require grad and does not have a grad_fn" in message:
        no_graph = Message(
            "Nothing that this was computed from asked for gradients, so there is no graph to "
            "go back through."
        )
        return [no_graph, _asking(about)]
    if "backward through the graph a second time" in message:
        return [
            Message(
                "Going back through a graph uses it up: PyTorch gives its memory back at once. "
                "Compute the result again, or call backward(retain_graph=True) the first time."
            )
        ]
    if "leaf Variable that requires grad" in message:
        names = [key for key, each in about.used.items() if each.requires_grad]
        return [
            Message(
                "{name} asks for gradients, and PyTorch keeps its history from the beginning: "
                "changing it in place would lose that. “with torch.no_grad(): …” does it "
                "without history, as an optimiser would.",
                name=names[0] if names else Message("It"),
            )
        ]
    if _SHAPE_CHANGED.search(message):
        return [
            Message(
                "Something that backward() still needs was changed in place in the meantime. "
                "Write “Y = Y + 1” in place of “Y += 1”, and both values are kept."
            )
        ]
    if "can require gradients" in message:
        return [
            Message(
                "Gradients are slopes, and slopes need numbers with a fraction: only floating "
                "point and complex tensors have them."
            )
        ]
    return []


def _asking(about: AboutFailure) -> Message:
    silent = [name for name, each in about.tensors.items() if not each.requires_grad]
    if not silent:
        return Message("requires_grad=True asks for them.")
    return Message(
        "{names} did not: requires_grad=True, when it is made, asks for them.",
        names=listed(silent),
    )


_RULES = (places_meaning, shapes_meaning, gradients_meaning, values_meaning)


def meaning(failed: Failed, code: str, ledger: Ledger, units: Units = USUAL) -> str:
    """Empty where nothing certain can be said: then PyTorch's own words stand alone."""
    about = about_failure(failed, code, ledger, units)
    match failed.cause:
        case "devices differ":
            said = devices_meaning(about)
        case "out of memory":
            said = room_meaning(about)
        case "cancelled":
            said = [
                Message(
                    "You gave this line up. What was on the shelf before it is still there."
                )
            ]
        case "refused by PyTorch":
            said = _refused(about)
        case _:
            said = [failed.told]
    return paragraph(said)


def _refused(about: AboutFailure) -> list[Message]:
    if "DefaultCPUAllocator" in about.message:
        return room_meaning(about)
    for rule in _RULES:
        said = rule(about)
        if said:
            return said
    return [about.failed.told]
