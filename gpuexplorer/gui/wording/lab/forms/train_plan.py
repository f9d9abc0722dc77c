"""The lines that train a model, save its parameters, or bring them back."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.wording.lab.forms import reading
from gpuexplorer.gui.wording.lab.forms.names import (
    device_word,
    name_problem,
    next_numbered,
    replaced,
)
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings, Training
from gpuexplorer.lab.loops import loop_of
from gpuexplorer.lab.wire import Train

NO_MODEL = mark("No model is on the shelf yet: create one first.")
NEW = ("SGD", "Adam", "AdamW", "RMSprop")  # optimisers that can be made on the way
LOSSES: Mapping[str, str] = {
    "mse_loss": mark("mean square"),
    "cross_entropy": mark("classes"),
    "nll_loss": mark("log-probabilities"),
}


class Task(StrEnum):
    """What can be done with a model."""

    RUN = "run"
    STEP = "step"
    FORWARD = "forward"
    BACKWARD = "backward"
    SAVE = "save"
    LOAD = "load"


TASKS: Mapping[Task, str] = {
    Task.RUN: mark("run"),
    Task.STEP: mark("step"),
    Task.FORWARD: mark("forward"),
    Task.BACKWARD: mark("backward"),
    Task.SAVE: mark("save"),
    Task.LOAD: mark("load"),
}
MEANINGS: Mapping[Task, str] = {
    Task.RUN: mark("Many steps, with the loss as it goes"),
    Task.STEP: mark("One training step, line by line"),
    Task.FORWARD: mark("What the model says"),
    Task.BACKWARD: mark("Gradients of a loss"),
    Task.SAVE: mark("Write the parameters to a file"),
    Task.LOAD: mark("Read the parameters from a file"),
}


@dataclass(frozen=True, slots=True)
class TrainWish:
    """`optimiser` is a name of the shelf, or a word of NEW, which is made first."""

    task: Task = Task.RUN
    model: str = ""
    inputs: str = ""
    targets: str = ""
    optimiser: str = "SGD"
    rate: str = "0.1"
    loss: str = "mse_loss"
    steps: str = "100"
    batch: str = "32"
    result: str = "out"
    of: str = ""  # the loss that backward begins at
    file: str = "net.pt"
    device: str = "cpu"


def train_plan(wish: TrainWish, around: Surroundings) -> Plan:
    if wish.task is Task.BACKWARD:
        return _backward(wish, around)
    if not wish.model:
        return Plan(tr(_BUTTONS[wish.task]), problems={"model": tr(NO_MODEL)})
    match wish.task:
        case Task.FORWARD:
            return _forward(wish, around)
        case Task.SAVE | Task.LOAD:
            return _file(wish, around)
        case _:
            return _training(wish, around)


_BUTTONS: Mapping[Task, str] = {
    Task.RUN: mark("Train"),
    Task.STEP: mark("Run one step"),
    Task.FORWARD: mark("Run forward"),
    Task.BACKWARD: mark("Run backward"),
    Task.SAVE: mark("Save parameters"),
    Task.LOAD: mark("Load parameters"),
}


def _training(wish: TrainWish, around: Surroundings) -> Plan:
    problems = {
        key: tr("Choose a tensor: create one first.")
        for key, name in (("inputs", wish.inputs), ("targets", wish.targets))
        if not name
    }
    optimiser, making = _optimiser(wish, around, problems)
    steps = batch = 1
    if wish.task is Task.RUN:
        steps = _whole(wish.steps, Message("The number of steps"), "steps", problems)
        batch = _whole(wish.batch, Message("The batch"), "batch", problems)
    button = tr(_BUTTONS[wish.task])
    if problems:
        return Plan(button, problems=problems)
    warnings = _expectations(wish, around)
    if wish.task is Task.STEP:
        lines = (
            *making,
            f"{optimiser}.zero_grad()",
            f"loss = F.{wish.loss}({wish.model}({wish.inputs}), {wish.targets})",
            "loss.backward()",
            f"{optimiser}.step()",
        )
        return Plan(button, lines, warnings=warnings)
    training = Training(
        wish.model, wish.inputs, wish.targets, optimiser, wish.loss, steps, batch
    )
    loop = loop_of(
        Train(0, wish.model, wish.inputs, wish.targets, optimiser, wish.loss, steps, batch)
    )
    shown = "\n".join((*making, loop))
    return Plan(button, making, shown, warnings=warnings, training=training)


def _optimiser(
    wish: TrainWish, around: Surroundings, problems: dict[str, str]
) -> tuple[str, tuple[str, ...]]:
    if wish.optimiser not in NEW:
        return wish.optimiser, ()
    try:
        rate = reading.read_number(wish.rate, Message("The learning rate"))
    except Trouble as trouble:
        problems["rate"] = trouble.told
        return "", ()
    if isinstance(rate, bool | complex) or rate <= 0:
        problems["rate"] = tr("The learning rate has to be above 0.")
        return "", ()
    name = next_numbered("opt", around.taken)
    made = f"{name} = torch.optim.{wish.optimiser}({wish.model}.parameters(), lr={rate})"
    return name, (made,)


def _whole(text: str, what: Message, key: str, problems: dict[str, str]) -> int:
    try:
        return reading.read_whole(text, what, 1)
    except Trouble as trouble:
        problems[key] = trouble.told
        return 1


def _expectations(wish: TrainWish, around: Surroundings) -> list[str]:
    names = [wish.model, wish.inputs]
    if wish.task in (Task.RUN, Task.STEP):
        names.append(wish.targets)
    found = [around.things[name] for name in names if name in around.things]
    places = sorted({each.device for each in found if each.device})
    said = []
    if len(places) > 1:
        said.append(tr("On different devices: {devices}", devices=", ".join(places)))
    inputs, targets = around.things.get(wish.inputs), around.things.get(wish.targets)
    if wish.task is Task.RUN and inputs is not None and targets is not None:
        counts = [each.shape[0] for each in (inputs, targets) if each.shape]
        if len(counts) < 2:
            said.append(tr("The first dimension has to count the examples"))
        elif counts[0] != counts[1]:
            said.append(
                tr(
                    "{inputs} inputs and {targets} targets: each needs its target",
                    inputs=counts[0],
                    targets=counts[1],
                )
            )
    classes = wish.loss in ("cross_entropy", "nll_loss")
    if wish.task in (Task.RUN, Task.STEP) and classes and targets is not None:
        whole = targets.dtype == "int64"
        if not whole and not (wish.loss == "cross_entropy" and len(targets.shape or ()) > 1):
            said.append(
                tr(
                    "Classes are counted in int64; {name} is {dtype}",
                    name=targets.name,
                    dtype=targets.dtype,
                )
            )
    return said


def _forward(wish: TrainWish, around: Surroundings) -> Plan:
    problems = {}
    if not wish.inputs:
        problems["inputs"] = tr("Choose a tensor: create one first.")
    if wish.result and (problem := name_problem(wish.result)):
        problems["result"] = problem
    button = tr(_BUTTONS[Task.FORWARD])
    if problems:
        return Plan(button, problems=problems)
    call = f"{wish.model}({wish.inputs})"
    line = f"{wish.result} = {call}" if wish.result else call
    warnings = [*_expectations(wish, around), *replaced(wish.result, around.taken)]
    return Plan(button, (line,), warnings=warnings)


def _backward(wish: TrainWish, around: Surroundings) -> Plan:
    button = tr(_BUTTONS[Task.BACKWARD])
    if not wish.of:
        return Plan(button, problems={"of": tr("No tensor with a gradient is on the shelf.")})
    thing = around.things.get(wish.of)
    warnings = []
    if thing is not None and not thing.requires_grad:
        warnings.append(tr("{name} needs no gradient: PyTorch will refuse", name=wish.of))
    elif thing is not None and thing.shape:
        warnings.append(tr("backward begins at one value; {name} has several", name=wish.of))
    return Plan(button, (f"{wish.of}.backward()",), warnings=warnings)


def _file(wish: TrainWish, around: Surroundings) -> Plan:
    button = tr(_BUTTONS[wish.task])
    name = wish.file.strip()
    if problem := _file_problem(name):
        return Plan(button, problems={"file": problem})
    if wish.task is Task.SAVE:
        return Plan(button, (f"torch.save({wish.model}.state_dict(), {_quoted(name)})",))
    device = around.device(wish.device)
    if device is None or not device.usable:
        return Plan(button, problems={"device": tr("Choose a device that can be used.")})
    where = device_word(wish.device, fall_back=around.fall_back)
    read = f"torch.load({_quoted(name)}, map_location={where}, weights_only=True)"
    return Plan(button, (f"{wish.model}.load_state_dict({read})",))


def _file_problem(name: str) -> str:
    if not name:
        return tr("The file needs a name. Such as: net.pt")
    if any(ord(letter) < 32 for letter in name) or len(name) > 1000:
        return tr("A file cannot have this name.")
    return ""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
