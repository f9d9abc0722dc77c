"""Errors about taking values out of a tensor, and about files."""

import re

from gpuexplorer.core.words import Message
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure

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
