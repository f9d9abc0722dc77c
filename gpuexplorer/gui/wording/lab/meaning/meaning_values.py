"""Errors about taking values out of a tensor, and about files."""

import re

from gpuexplorer.gui.wording.lab.amounts import shape_words
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure

_SCALAR = re.compile(r"Tensor with (\d+) elements cannot be converted to Scalar")


def values_meaning(about: AboutFailure) -> str:
    message = about.message
    one = _SCALAR.search(message)
    if one is not None:
        return (
            f"{about.subject()} holds {one[1]} values, and item() hands out exactly one. Take "
            "one with an index, or all of them with tolist()."
        )
    if "only one element tensors can be converted" in message:
        return f"{_shape(about)}One Python number can only be made of a single value."
    if "can't convert cuda" in message and "numpy" in message:
        return (
            f"{about.subject()} lies on a card, and NumPy only knows the host's memory. "
            ".cpu() copies it there first, which is never done unasked."
        )
    if "numpy() on Tensor that requires grad" in message:
        return (
            "NumPy knows nothing of gradients. .detach() hands out the same values without "
            "their history."
        )
    if "Boolean value of Tensor" in message:
        return (
            f"{_shape(about)}Whether several values are true is not one question: .any() or "
            ".all() makes it one."
        )
    if "Weights only load failed" in message or "weights_only" in message:
        return (
            "This file holds more than tensors. Reading it would run code that somebody else "
            "wrote, so the lab loads weights only and refused."
        )
    if about.failed.error in ("FileNotFoundError",) or "No such file" in message:
        return "There is no file of that name. Mind the folder and the case of the letters."
    if "Missing key(s) in state_dict" in message or "size mismatch for" in message:
        return (
            "The file's parameters are not those of this model: their names or shapes differ. "
            "Make the same model first, then load them."
        )
    return ""


def _shape(about: AboutFailure) -> str:
    if len(about.tensors) != 1:
        return ""
    name, tensor = next(iter(about.tensors.items()))
    return f"{name} is {shape_words(tensor.shape or ())}. "
