"""A training run of n steps: the loop that a saved script writes out."""

import time
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.events import Event, Progressed
from gpuexplorer.lab.wire import Train
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.shelf import is_model, is_tensor

_SECONDS_BETWEEN_REPORTS = 0.05


# Any throughout: models, tensors and optimisers are PyTorch's.
def train(
    command: Train,
    things: "MutableMapping[str, Any]",
    engine: Engine,
    say: "Callable[[Event], None]",
    checkpoint: "Callable[[], None]",
) -> None:
    """Losses stay on their device and are fetched together, at most twenty times a second.

    `checkpoint` raises where the run was given up.
    """
    model, inputs, targets, optimiser = _found(command, things)
    loss_of = engine.word(f"torch.nn.functional.{command.loss}")
    stack = engine.word("torch.stack")
    waiting: list[Any] = []
    began = last = time.monotonic()
    for step in range(command.steps):
        checkpoint()
        at = step * command.batch % len(inputs)
        optimiser.zero_grad()
        loss = loss_of(model(inputs[at : at + command.batch]), targets[at : at + command.batch])
        loss.backward()
        optimiser.step()
        things["loss"] = loss
        waiting.append(loss.detach())
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_REPORTS or step == command.steps - 1:
            last = now
            with engine.copies.caused_by("tolist", "loss"):
                losses = tuple(float(each) for each in stack(waiting).tolist())
            first = step + 1 - len(losses)
            say(Progressed(command.id, first, losses, command.steps, now - began))
            waiting.clear()


def _found(command: Train, things: "Mapping[str, Any]") -> "tuple[Any, Any, Any, Any]":
    names = (command.model, command.inputs, command.targets, command.optimiser)
    for name in names:
        if name not in things:
            raise Trouble("There is no {name} on the shelf.", "Make it first.", name=name)
    model, inputs, targets, optimiser = (things[name] for name in names)
    if not is_model(model):
        raise Trouble("{name} is no model.", name=command.model)
    if not hasattr(optimiser, "param_groups"):
        raise Trouble(
            "{name} is no optimiser.",
            "Such as: {name} = torch.optim.SGD({model}.parameters(), lr=0.1)",
            name=command.optimiser,
            model=command.model,
        )
    for name, tensor in ((command.inputs, inputs), (command.targets, targets)):
        if not is_tensor(tensor) or tensor.dim() == 0 or len(tensor) == 0:
            raise Trouble(
                "{name} holds no examples.", "Its first dimension counts them.", name=name
            )
    if len(inputs) != len(targets):
        raise Trouble(
            "{inputs} has {examples} examples and {targets} {answers}: each needs its target.",
            inputs=command.inputs,
            examples=len(inputs),
            targets=command.targets,
            answers=len(targets),
        )
    if command.loss not in vocabulary.TRAINING_LOSSES:
        raise Trouble(
            "{loss!r} is no loss the lab trains with.",
            "One of {losses}.",
            loss=command.loss,
            losses=", ".join(sorted(vocabulary.TRAINING_LOSSES)),
        )
    if command.steps < 1 or command.batch < 1:
        raise Trouble("A training run needs at least one step and one example a step.")
    return model, inputs, targets, optimiser
