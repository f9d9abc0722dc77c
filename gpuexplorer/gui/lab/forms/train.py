"""The form that trains a model, in a loop or one step, saves it or loads it."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lab.forms import form
from gpuexplorer.gui.lab.forms.form import Around, Field, LabForm, Offer, Plan, Values
from gpuexplorer.gui.widgets.controls.fields import Choice

NEW = ("SGD", "Adam", "AdamW", "RMSprop")  # optimisers that can be made on the way
LOSSES: Mapping[str, str] = {
    "mse_loss": mark("mean square"),
    "cross_entropy": mark("classes"),
    "nll_loss": mark("log-probabilities"),
}


class Task(NamedTuple):
    """Its meaning, what the button below says, and the code, which names what it is told."""

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
                 '{model}.load_state_dict(torch.load({file}, map_location="{device}", '
                 "weights_only=True))"),
}  # fmt: skip


def _of_kind(kind: str, *others: str) -> Offer:
    new = [Choice(each, each, tr("new"), typed=False) for each in others]
    return lambda values, around: form.things_offered(around, (kind,), new)


def _examples(values: Values, around: Around, but: str = "") -> str:
    """Not the loss that the loop before left on the shelf, nor what that field has."""
    there = [each for each in around.things.values() if each.kind == "tensor"]
    likely = [each.name for each in there if each.shape and not each.requires_grad]
    taken = values.get(but, "")
    names = likely or [each.name for each in there]
    return next((each for each in names if each != taken), taken)


def _read_rate(text: str) -> str:
    rate = form.literal(text)
    if not isinstance(rate, int | float) or rate <= 0:
        raise Trouble("Enter a number above 0.")
    return text.strip()


def _read_file(text: str) -> str:
    """As a string in Python."""
    if not text.strip():
        raise Trouble("The file needs a name.", "Such as: net.pt")
    return '"' + text.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write(said: Values, around: Around) -> Plan:
    optimiser, made = said["optimiser"], ""
    if optimiser in NEW:
        kind, optimiser = optimiser, form.next_numbered("opt", around.taken)
        parameters = f"{said['model']}.parameters(), lr={said['rate']}"
        made = f"{optimiser} = torch.optim.{kind}({parameters})\n"
    code = TASKS[said["task"]].code.format(**{**said, "optimiser": optimiser, "made": made})
    names = [said[each] for each in ("model", "inputs", "targets") if said[each]]
    warnings = list(form.apart(*(around.things[each] for each in names)))
    return Plan(code, warnings=warnings)


def _template(values: Values, around: Around) -> str:
    """Where an optimiser is made, the rate is told too."""
    code = TASKS[values["task"]].code
    return code + "{rate}" if "{made}" in code and values["optimiser"] in NEW else code


_choice = partial(Field, kind="choice")
TRAIN = LabForm(
    mark("Train"), mark("Train a model"),
    (
        Field("task", mark("Task"), "grid", "loop", shown=lambda values, around: True,
              offer=form.words_offered({word: each.meaning for word, each in TASKS.items()})),
        _choice("model", mark("Model"), offer=_of_kind("model"), thing=True,
                missing=mark("No models yet: create one first.")),
        _choice("inputs", mark("Inputs"), first=_examples, offer=_of_kind("tensor"),
                thing=True, missing=form.NO_TENSORS),
        _choice("targets", mark("Targets"), first=partial(_examples, but="inputs"), thing=True,
                offer=_of_kind("tensor"), missing=form.NO_TENSORS),
        Field("steps", mark("Steps"), first="100", read=form.whole(1)),
        Field("file", mark("File"), first="net.pt", read=_read_file),
        form.DEVICE,
        Field("batch", mark("Batch"), first="32", read=form.whole(1), folded=True),
        _choice("loss", mark("Loss"), folded=True, offer=form.words_offered(LOSSES)),
        _choice("optimiser", mark("Optimiser"), offer=_of_kind("optimiser", *NEW), thing=True,
                folded=True),
        Field("rate", mark("Learning rate"), first="0.1", read=_read_rate, folded=True),
    ),
    lambda values: tr(TASKS[values["task"]].button),
    _write,
    _template,
)  # fmt: skip
