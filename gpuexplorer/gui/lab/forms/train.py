"""The form that trains a model, step by step or in a loop, saves it or loads it."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.lab.forms import reading
from gpuexplorer.gui.lab.forms.form import (
    Around,
    Control,
    Entered,
    Field,
    LabForm,
    Offer,
    Plan,
    Values,
    devices_offered,
    first_card,
    replaced,
    things_offered,
    where,
)
from gpuexplorer.gui.lab.forms.reading import next_numbered, read_result
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.lab.events import Placed

NEW = ("SGD", "Adam", "AdamW", "RMSprop")  # optimisers that can be made on the way
LOSSES: Mapping[str, str] = {
    "mse_loss": mark("mean square"),
    "cross_entropy": mark("classes"),
    "nll_loss": mark("log-probabilities"),
}


class Task(StrEnum):
    """What can be done with a model."""

    LOOP = "loop"
    STEP = "step"
    FORWARD = "forward"
    BACKWARD = "backward"
    SAVE = "save"
    LOAD = "load"


# What its button in the form says, what it means, and what the button below says.
_WORDS: Mapping[Task, tuple[str, str, str]] = {
    Task.LOOP: (mark("loop"), mark("Many steps, with the loss as it goes"), mark("Train")),
    Task.STEP: (mark("step"), mark("One training step"), mark("Run one step")),
    Task.FORWARD: (mark("forward"), mark("What the model gives"), mark("Run forward")),
    Task.BACKWARD: (mark("backward"), mark("Gradients of a loss"), mark("Run backward")),
    Task.SAVE: (mark("save"), mark("Write the parameters to a file"), mark("Save parameters")),
    Task.LOAD: (mark("load"), mark("Read the parameters from a file"), mark("Load parameters")),
}
_LEARNS = (Task.LOOP, Task.STEP)
_for = partial(where, "task")


def _tasks(values: Values, around: Around) -> Sequence[Choice]:
    return [
        Choice(task.value, tr(word), tr(meaning)) for task, (word, meaning, _) in _WORDS.items()
    ]


def _makes_optimiser(values: Values, around: Around) -> bool:
    return values["task"] in _LEARNS and values["optimiser"] in NEW


def _of_kind(kind: str) -> Offer:
    return lambda values, around: things_offered(around, lambda each: each.kind == kind)


def _examples(around: Around) -> Sequence[str]:
    """Not the loss that the loop before left on the shelf."""
    there = [each for each in around.things.values() if each.kind == "tensor"]
    likely = [each for each in there if each.shape and not each.requires_grad]
    return [each.name for each in likely or there]


def _inputs(values: Values, around: Around) -> str:
    return next(iter(_examples(around)), "")


def _targets(values: Values, around: Around) -> str:
    there = [each for each in _examples(around) if each != values["inputs"]]
    return next(iter(there), values["inputs"])


def _optimisers(values: Values, around: Around) -> Sequence[Choice]:
    new = [Choice(each, each, tr("new"), typed=False) for each in NEW]
    return things_offered(around, lambda each: each.kind == "optimiser", new)


def _losses(values: Values, around: Around) -> Sequence[Choice]:
    return [Choice(word, word, tr(meaning)) for word, meaning in LOSSES.items()]


def _with_history(values: Values, around: Around) -> Sequence[Choice]:
    return things_offered(around, lambda each: each.kind == "tensor" and each.requires_grad)


def read_file(text: str) -> str:
    name = text.strip()
    if not name:
        raise Trouble("The file needs a name.", "Such as: net.pt")
    if not name.isprintable() or len(name) > 1000:
        raise Trouble("A file cannot have this name.")
    return name


def _write(entered: Entered, around: Around) -> Plan:
    task, model = Task(entered["task"]), entered["model"]
    loss, inputs, targets = entered["loss"], entered["inputs"], entered["targets"]
    optimiser, made = entered["optimiser"], ""
    if optimiser in NEW:
        kind, optimiser = optimiser, next_numbered("opt", around.taken)
        rate = entered.read["rate"]
        made = f"{optimiser} = torch.optim.{kind}({model}.parameters(), lr={rate})\n"
    learn = f"{optimiser}.zero_grad()\nloss.backward()\n{optimiser}.step()"
    where, result = entered["device"], entered["result"]
    file = '"' + entered["file"].replace("\\", "\\\\").replace('"', '\\"') + '"'
    match task:
        case Task.LOOP:
            batch = entered.whole("batch")
            code = _LOOP.format(
                made=made,
                steps=entered.whole("steps"),
                batch=batch,
                loss=loss,
                model=model,
                inputs=inputs,
                targets=targets,
                learn=learn.replace("\n", "\n    "),
            )
        case Task.STEP:
            code = f"{made}loss = F.{loss}({model}({inputs}), {targets})\n{learn}\nloss"
        case Task.FORWARD:
            code = f"{result} = {model}({inputs})" if result else f"{model}({inputs})"
        case Task.BACKWARD:
            code = f"{entered['of']}.backward()"
        case Task.SAVE:
            code = f"torch.save({model}.state_dict(), {file})"
        case Task.LOAD:
            read = f'torch.load({file}, map_location="{where}", weights_only=True)'
            code = f"{model}.load_state_dict({read})"
    warnings = [*_expectations(entered, task, around), *replaced(result, around.taken)]
    return Plan(code, warnings=warnings)


_LOOP = """\
{made}losses = []
for step in range({steps}):
    at = step * {batch} % len({inputs})
    loss = F.{loss}({model}({inputs}[at:at + {batch}]), {targets}[at:at + {batch}])
    {learn}
    losses.append(loss.detach())"""


def _expectations(entered: Entered, task: Task, around: Around) -> list[str]:
    names = [entered[each] for each in ("model", "inputs", "targets")]
    places = {around.things[each].device for each in names if each in around.things} - {""}
    said = []
    if len(places) > 1:
        devices = ", ".join(sorted(places))
        said.append(tr("On different devices: {devices}", devices=devices))
    inputs, targets = (around.things.get(entered[each]) for each in ("inputs", "targets"))
    if inputs is not None and targets is not None:
        said += _of_loop(inputs, targets) if task is Task.LOOP else []
        said += _of_classes(entered["loss"], targets)
    of = around.things.get(entered["of"])
    if of is not None and of.shape:
        said.append(tr("backward begins at one value; {name} has several", name=of.name))
    return said


def _of_loop(inputs: Placed, targets: Placed) -> list[str]:
    counts = [each.shape[0] for each in (inputs, targets) if each.shape]
    if len(counts) < 2:
        return [tr("The first dimension has to count the examples")]
    if counts[0] == counts[1]:
        return []
    return [
        tr(
            "{inputs} inputs and {targets} targets: each needs its target",
            inputs=counts[0],
            targets=counts[1],
        )
    ]


def _of_classes(loss: str, targets: Placed) -> list[str]:
    shares = loss == "cross_entropy" and len(targets.shape or ()) > 1
    if loss not in ("cross_entropy", "nll_loss") or targets.dtype == "int64" or shares:
        return []
    return [
        tr(
            "Classes are counted in int64; {name} is {dtype}",
            name=targets.name,
            dtype=targets.dtype,
        )
    ]


_thing = partial(Field, kind=Control.CHOICE, placeholder=mark("nothing yet"), thing=True)
_NO_TENSOR = mark("Choose a tensor: create one first.")
TRAIN = LabForm(
    mark("Train"), "", mark("Train a model"),
    (
        Field("task", mark("What to do"), Control.GRID, Task.LOOP.value, offer=_tasks),
        _thing("model", mark("Model"), offer=_of_kind("model"),
               missing=mark("No model is on the shelf yet: create one first."),
               shown=_for(*(each for each in Task if each is not Task.BACKWARD))),
        _thing("inputs", mark("Inputs"), first=_inputs, offer=_of_kind("tensor"),
               missing=_NO_TENSOR, shown=_for(*_LEARNS, Task.FORWARD)),
        _thing("targets", mark("Targets"), first=_targets, offer=_of_kind("tensor"),
               missing=_NO_TENSOR, shown=_for(*_LEARNS)),
        _thing("optimiser", mark("Optimiser"), offer=_optimisers, shown=_for(*_LEARNS)),
        Field("rate", mark("Learning rate"), first="0.1",
              read=reading.real(Message("The learning rate"), 0),
              shown=_makes_optimiser,
              beside=True),
        Field("loss", mark("Loss"), Control.CHOICE, "mse_loss", offer=_losses,
              shown=_for(*_LEARNS)),
        Field("steps", mark("Steps"), first="100",
              read=reading.whole(Message("The number of steps"), 1), shown=_for(Task.LOOP)),
        Field("batch", mark("Batch"), first="32", read=reading.whole(Message("The batch"), 1),
              shown=_for(Task.LOOP), beside=True),
        Field("result", mark("Result"), Control.NAME,
              lambda _, around: next_numbered("out", around.taken), read_result,
              placeholder=mark("shown, not kept"), shown=_for(Task.FORWARD)),
        _thing("of", mark("Loss"), offer=_with_history,
               missing=mark("No tensor with a gradient is on the shelf."),
               shown=_for(Task.BACKWARD)),
        Field("file", mark("File"), first="net.pt", read=read_file,
              shown=_for(Task.SAVE, Task.LOAD)),
        Field("device", mark("Onto"), Control.CHOICE, first_card,
              offer=lambda _, around: devices_offered(around),
              missing=mark("Choose a device that can be used."), shown=_for(Task.LOAD)),
    ),
    lambda values: tr(_WORDS[Task(values["task"])][2]),
    _write,
)  # fmt: skip
