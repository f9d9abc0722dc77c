"""The form that makes a model."""

from collections.abc import Sequence

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.lab.forms import reading
from gpuexplorer.gui.lab.forms.creating import CREATE, DEVICE, create_on, creation
from gpuexplorer.gui.lab.forms.form import (
    Around,
    Control,
    Entered,
    Field,
    LabForm,
    Plan,
    Values,
    where,
)
from gpuexplorer.gui.lab.forms.models import MODELS, model_code
from gpuexplorer.gui.lab.forms.reading import next_numbered, parameters, read_name
from gpuexplorer.gui.widgets.controls.fields import Choice

_IN_A_ROW = 3


def _models(values: Values, around: Around) -> Sequence[Choice]:
    return [
        Choice(each.key, tr(each.title), tr(each.remark), typed=False)
        for each in MODELS.values()
    ]


def _sizes() -> Sequence[Field]:
    """Each model has its own, so that what was typed for one is no surprise in another."""
    return [
        Field(
            f"{model.key} {size.key}",
            size.label,
            first=str(size.first),
            read=reading.whole(Message(size.what), 1),
            shown=where("model", model.key),
            beside=position % _IN_A_ROW > 0,
        )
        for model in MODELS.values()
        for position, size in enumerate(model.sizes)
    ]


def _takes(values: Values, around: Around) -> str:
    return tr(MODELS[values["model"]].takes)


def _write(entered: Entered, around: Around) -> Plan:
    model = MODELS[entered["model"]]
    sizes = {each.key: entered.whole(f"{model.key} {each.key}") for each in model.sizes}
    width, heads = sizes.get("width", 1), sizes.get("heads", 1)
    if width % heads:
        said = tr("{width} cannot be shared by {heads} heads.", width=width, heads=heads)
        return Plan(problems={f"{model.key} heads": said})
    count = model.parameters(sizes)
    if 4 * count > reading.MOST_BYTES:
        large = tr("These are more bytes than PyTorch can count.")
        return Plan(problems={f"{model.key} {model.sizes[0].key}": large})
    words = parameters(count)
    if model.buffers_bytes:
        running = memory(model.buffers_bytes, around.units)
        words = tr(
            "{parameters}, and {size} of running figures", parameters=words, size=running
        )
    code = model_code(model.key, entered["name"], sizes, entered["device"])
    return creation(code, 4 * count + model.buffers_bytes, entered, around, [words])


MODEL = LabForm(
    CREATE, mark("Model"), mark("Create a model"),
    (
        Field("name", mark("Name"), Control.NAME,
              lambda _, around: next_numbered("net", around.taken), read_name),
        Field("model", mark("Model"), Control.CHOICE, "linear", offer=_models, beside=True),
        *_sizes(),
        Field("input", mark("Input"), Control.NOTE, remark=_takes),
        DEVICE,
        Field("seed", mark("Seed"), read=reading.read_seed, placeholder=mark("none"),
              hint=mark("The same seed draws the same parameters again."),
              remark=lambda _, around: tr("parameters begin at random")),
    ),
    create_on,
    _write,
)  # fmt: skip
