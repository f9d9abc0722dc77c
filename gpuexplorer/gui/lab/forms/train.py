"""The form that trains a model, in a loop or one step, saves it or loads it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lab.forms import form
from gpuexplorer.gui.lab.forms.form import Around, Control, Field, LabForm, Plan, Values
from gpuexplorer.gui.widgets.controls.fields import Choice

NEW = ("SGD", "Adam", "AdamW", "RMSprop")  # optimisers that can be made on the way
LOSSES: Mapping[str, str] = {
    "mse_loss": mark("mean square"),
    "cross_entropy": mark("classes"),
    "nll_loss": mark("log-probabilities"),
}


class Task(NamedTuple):
    """What can be done with a model: its meaning, what the button below says, and the code."""

    meaning: str
    button: str
    code: str


TASKS: Mapping[str, Task] = {
    "loop": Task(mark("Many steps, with the loss as it goes"), mark("Train"), """\
{made}losses = []
for step in range({steps}):
    at = step * {batch} % len({inputs})
    loss = F.{loss}({model}({inputs}[at:at + {batch}]), {targets}[at:at + {batch}])
    {optimiser}.zero_grad()
    loss.backward()
    {optimiser}.step()
    losses.append(loss.detach())"""),
    "step": Task(mark("One training step"), mark("Run one step"), """\
{made}loss = F.{loss}({model}({inputs}), {targets})
{optimiser}.zero_grad()
loss.backward()
{optimiser}.step()
loss"""),
    "save": Task(mark("Write the parameters to a file"), mark("Save parameters"),
                 "torch.save({model}.state_dict(), {file})"),
    "load": Task(mark("Read the parameters from a file"), mark("Load parameters"),
                 "{model}.load_state_dict(torch.load({file}, map_location=\"{device}\", "
                 "weights_only=True))"),
}  # fmt: skip
_learns = form.where("task", "loop", "step")


def _tasks(values: Values, around: Around) -> Sequence[Choice]:
    return [Choice(word, word, tr(each.meaning)) for word, each in TASKS.items()]


def _tensors(values: Values, around: Around) -> Sequence[Choice]:
    return form.things_offered(around, lambda each: each.kind == "tensor")


def _inputs(values: Values, around: Around, key: str = "") -> str:
    """Not the loss that the loop before left on the shelf, nor what stands in that field."""
    there = [each for each in around.things.values() if each.kind == "tensor"]
    likely = [each.name for each in there if each.shape and not each.requires_grad]
    names = likely or [each.name for each in there]
    taken = values.get(key, "")
    return next((each for each in names if each != taken), taken)


def _optimisers(values: Values, around: Around) -> Sequence[Choice]:
    new = [Choice(each, each, tr("new"), typed=False) for each in NEW]
    return form.things_offered(around, lambda each: each.kind == "optimiser", new)


def _losses(values: Values, around: Around) -> Sequence[Choice]:
    return [Choice(word, word, tr(meaning)) for word, meaning in LOSSES.items()]


def _read_file(text: str) -> str:
    """As a string in Python."""
    name = text.strip()
    if not name:
        raise Trouble("The file needs a name.", "Such as: net.pt")
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _read_rate(text: str) -> str:
    try:
        above = float(text) > 0
    except ValueError:
        above = False
    if not above:
        raise Trouble("Enter a number above 0.")
    return text.strip()


def _write(said: Values, around: Around) -> Plan:
    optimiser, made = said["optimiser"], ""
    if optimiser in NEW:
        kind, optimiser = optimiser, form.next_numbered("opt", around.taken)
        parameters = f"{said['model']}.parameters(), lr={said['rate']}"
        made = f"{optimiser} = torch.optim.{kind}({parameters})\n"
    code = TASKS[said["task"]].code.format(**{**said, "optimiser": optimiser, "made": made})
    names = [said[each] for each in ("model", "inputs", "targets") if said[each]]
    warnings = list(form.apart(*(around.things[each] for each in names)))
    if said["targets"]:
        inputs, targets = around.things[said["inputs"]], around.things[said["targets"]]
        counts = [each.shape[0] for each in (inputs, targets) if each.shape]
        if said["task"] == "loop" and len(counts) < 2:
            warnings.append(tr("The first dimension has to count the examples"))
        elif said["task"] == "loop" and counts[0] != counts[1]:
            unequal = mark("{inputs} inputs and {targets} targets: each needs its target")
            warnings.append(tr(unequal, inputs=counts[0], targets=counts[1]))
        shares = said["loss"] == "cross_entropy" and len(targets.shape or ()) > 1
        if said["loss"] != "mse_loss" and targets.dtype != "int64" and not shares:
            other = mark("Classes are counted in int64; {name} is {dtype}")
            warnings.append(tr(other, name=targets.name, dtype=targets.dtype))
    return Plan(code, warnings=warnings)


_thing = partial(Field, kind=Control.CHOICE, placeholder=mark("nothing yet"), thing=True)
_NO_TENSOR = mark("No tensors yet: create one first.")
TRAIN = LabForm(
    mark("Train"), mark("Train a model"),
    (
        Field("task", mark("Task"), Control.GRID, "loop", offer=_tasks),
        _thing("model", mark("Model"), missing=mark("No models yet: create one first."),
               offer=lambda _, around: form.things_offered(
                   around, lambda each: each.kind == "model")),
        _thing("inputs", mark("Inputs"), first=_inputs, offer=_tensors, missing=_NO_TENSOR,
               shown=_learns),
        _thing("targets", mark("Targets"), first=partial(_inputs, key="inputs"),
               offer=_tensors, missing=_NO_TENSOR, shown=_learns),
        Field("steps", mark("Steps"), first="100", read=form.whole(1),
              shown=form.where("task", "loop")),
        Field("file", mark("File"), first="net.pt", read=_read_file,
              shown=form.where("task", "save", "load")),
        Field("device", mark("Onto"), Control.CHOICE, form.first_card,
              offer=lambda _, around: form.devices_offered(around),
              missing=mark("Choose a device that can be used."),
              shown=form.where("task", "load")),
        Field("batch", mark("Batch"), first="32", read=form.whole(1), folded=True,
              shown=form.where("task", "loop")),
        Field("loss", mark("Loss"), Control.CHOICE, "mse_loss", offer=_losses, folded=True,
              shown=_learns),
        _thing("optimiser", mark("Optimiser"), offer=_optimisers, folded=True, shown=_learns),
        Field("rate", mark("Learning rate"), first="0.1", read=_read_rate, folded=True,
              shown=lambda values, _: values["task"] in ("loop", "step")
              and values["optimiser"] in NEW),
    ),
    lambda values: tr(TASKS[values["task"]].button),
    _write,
)  # fmt: skip
