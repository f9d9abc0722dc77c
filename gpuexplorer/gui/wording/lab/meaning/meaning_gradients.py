"""Errors about gradients: what backward needs, and what may not be changed in place."""

import re

from gpuexplorer.gui.wording.lab.amounts import listed
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure

_SHAPE_CHANGED = re.compile(r"modified by an inplace operation")


def gradients_meaning(about: AboutFailure) -> str:
    message = about.message
    if "grad can be implicitly created only for scalar outputs" in message:
        return (
            f"{_shapes(about)}backward() begins at one number, the loss, and here there are "
            "several. .sum() or .mean() makes one number of them."
        )
    if "does not require grad and does not have a grad_fn" in message:
        return (
            "Nothing that this was computed from asked for gradients, so there is no graph to "
            f"go back through. {_asking(about)}"
        )
    if "backward through the graph a second time" in message:
        return (
            "Going back through a graph uses it up: PyTorch gives its memory back at once. "
            "Compute the result again, or call backward(retain_graph=True) the first time."
        )
    if "leaf Variable that requires grad" in message:
        name = next((key for key, each in about.used.items() if each.requires_grad), "It")
        return (
            f"{name} asks for gradients, and PyTorch keeps its history from the beginning: "
            "changing it in place would lose that. “with torch.no_grad(): …” does it without "
            "history, as an optimiser would."
        )
    if _SHAPE_CHANGED.search(message):
        return (
            "Something that backward() still needs was changed in place in the meantime. "
            "Write “Y = Y + 1” in place of “Y += 1”, and both values are kept."
        )
    if "can require gradients" in message:
        return (
            "Gradients are slopes, and slopes need numbers with a fraction: only floating "
            "point and complex tensors have them."
        )
    return ""


def _shapes(about: AboutFailure) -> str:
    words = about.shapes()
    return f"{words} " if words else ""


def _asking(about: AboutFailure) -> str:
    silent = [name for name, each in about.tensors.items() if not each.requires_grad]
    if not silent:
        return "requires_grad=True asks for them."
    return f"{listed(silent)} did not: requires_grad=True, when it is made, asks for them."
