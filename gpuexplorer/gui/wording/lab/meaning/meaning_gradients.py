"""Errors about gradients: what backward needs, and what may not be changed in place."""

import re

from gpuexplorer.core.words import Message, listed
from gpuexplorer.gui.wording.lab.meaning.about_failure import AboutFailure

_SHAPE_CHANGED = re.compile(r"modified by an inplace operation")


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
