"""The forms that make a tensor or a model: what it takes is told before it is made."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import grouped, memory
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.lab.bench.blocks import amount
from gpuexplorer.gui.lab.forms import form
from gpuexplorer.gui.lab.forms.form import Around, Field, LabForm, Plan, Values
from gpuexplorer.gui.widgets.controls.fields import Choice


def _creation(
    code: str,
    needed: int,
    said: Values,
    around: Around,
    counted: tuple[str, str, int],
    *more: str,
) -> Plan:
    """`needed` bytes; `counted`: one, many, count."""
    if said["seed"]:
        code = f"torch.manual_seed({said['seed']})\n{code}"
    one, several, count = counted
    amounts = trn(one, several, count, digits=grouped(count)), *more
    facts, short = fit(needed, said["device"], around)
    unusable = {tr(each.reason) for each in around.devices if not each.usable}
    warnings = [*form.replaced(said["name"], around.taken), *short]
    return Plan(code, [*amounts, *facts, *sorted(unusable)], warnings)


def fit(needed: int, name: str, around: Around) -> tuple[Sequence[str], Sequence[str]]:
    """Facts, and a warning where it does not fit, with the context of a card's first use."""
    device, host = around.device(name), around.device("cpu")
    if device is None:
        return [str(memory(needed, around.units))], []
    shown = partial(amount, device=device, units=around.units)
    size = shown(needed)
    facts = [tr(device.reason)] * bool(device.reason)
    free = device.free_bytes
    if name == "meta":
        return [tr("{size} with values; meta keeps only the shape", size=size)], []
    if free is None:
        unknown = mark("{size}; what is free on {device} is not known")
        return [tr(unknown, size=size, device=name), *facts], []
    used, total, context = device.tensor_bytes or 0, device.total_bytes, 0
    # What PyTorch keeps for later can hold it as well.
    room = free + max(0, (device.cache_bytes or 0) - used)
    if device.is_card and not device.context_bytes:
        context = around.contexts.get(name, 0)
        first = tr("First use adds the context, {size}", size=shown(context))
        facts = [first if context else tr("First use adds the context"), *facts]
    limits = [
        (room, free, mark("Does not fit: {size} of {free} free")),
        (room - context, free, mark("Does not fit with the context: {size} of {free} free")),
    ]
    if around.memory_share is not None and device.is_card and total is not None:
        left = max(0, round(around.memory_share * total) - used)
        limits.append((left, left, mark("Does not fit under the cap: {size} of {free} left")))
    for most, there, short in limits:
        if needed > most:
            return facts, [tr(short, size=size, free=shown(there))]
    facts = [tr("{size} of {free} free: it fits", size=size, free=shown(free)), *facts]
    if device.modelled and host and host.free_bytes is not None and needed > host.free_bytes:
        # The values of a simulated card lie in the computer's own memory.
        lies = mark(
            "It fits on the card, but its values need the computer's memory: {free} free"
        )
        return facts, [tr(lies, free=amount(host.free_bytes, host, around.units))]
    return facts, []


class Dtype(NamedTuple):
    """`kind` is NumPy's letter, `remark` tells it from its neighbours, in marked words."""

    bytes: int
    kind: str
    remark: str


DTYPES: Mapping[str, Dtype] = {
    "float32": Dtype(4, "f", mark("4 B, the usual")),
    "float64": Dtype(8, "f", mark("8 B, exact and slow")),
    "float16": Dtype(2, "f", mark("2 B, up to 65504")),
    "bfloat16": Dtype(2, "f", mark("2 B, wide range")),
    "int64": Dtype(8, "i", "8 B"),
    "int32": Dtype(4, "i", "4 B"),
    "uint8": Dtype(1, "i", mark("1 B, 0 to 255")),
    "bool": Dtype(1, "b", "1 B"),
}
# What PyTorch takes where a line does not say; the later ones prevail.
_USUAL = {"b": "bool", "i": "int64", "f": "float32"}


class Fill(NamedTuple):
    """`kinds` of elements it can make, what stands in the brackets, and what is told first."""

    remark: str
    kinds: str = "bif"
    code: str = "{shape}"
    label: str = ""
    first: str = ""


FILLS: Mapping[str, Fill] = {
    "ones": Fill(mark("all 1")),
    "zeros": Fill(mark("all 0")),
    "full": Fill(mark("all the same"), "bif", "{tuple}, {told}", mark("Value"), "7.0"),
    "rand": Fill(mark("uniform, 0 to 1"), "f"),
    "randn": Fill(mark("normal, mean 0"), "f"),
    "randint": Fill(
        mark("whole numbers"), "bif", "{told}, {tuple}", mark("From, below"), "0, 10"
    ),
    "arange": Fill(mark("in steps"), "if", "{told}", mark("From, below, step"), "0, 12, 1"),
    "tensor": Fill(mark("typed-in values"), "bif", "{told}", mark("Values"), "[1.5, 2.5]"),
}
_SHAPED = [word for word, each in FILLS.items() if each.code != "{told}"]


def _dtypes(values: Values, around: Around) -> Sequence[Choice]:
    fill = values["fill"]
    no, kinds = tr("not with {fill}", fill=fill), FILLS[fill].kinds
    return [
        Choice(name, name, tr(each.remark), refused="" if each.kind in kinds else no)
        for name, each in DTYPES.items()
    ]


def _usual(values: Values, around: Around) -> str:
    """The type that PyTorch takes by itself for these values."""
    fill = values["fill"]
    try:
        return _USUAL[_numbers(values.get(fill, "0.0")).dtype.kind]
    except Trouble:
        return "float32"


def _numbers(text: str) -> "np.ndarray[Any, np.dtype[Any]]":  # of any type
    """A number, or lists of numbers that are equally long."""
    try:
        array = np.array(form.literal(text))
    except ValueError:
        raise Trouble("The rows are not equally long.", "Such as: [[1, 2], [3, 4]]") from None
    if array.dtype.kind not in _USUAL:
        raise Trouble("These are not numbers.", "Such as: [1.5, 2.5]")
    return array


def _sizes(fill: str, said: Values) -> Sequence[int]:
    """Raises Trouble where it cannot be filled with what it is told."""
    sizes = form.sizes_of(said["shape"])
    match (fill, form.literal(said[fill]) if fill in said else None):
        case ("ones" | "zeros" | "rand" | "randn", _) | ("full", int() | float()):
            return sizes
        case "tensor", _:
            return tuple(_numbers(said[fill]).shape)
        case "randint", (int(low), int(high)):
            if high <= low:
                raise Trouble("{high} is not above {low}.", high=high, low=low)
            return sizes
        case "arange", (_, _, _) if _numbers(said[fill]).dtype.kind in "if":
            start, end, step = _numbers(said[fill]).tolist()
            if step == 0:
                raise Trouble("With a step of 0 it would never end.")
            try:
                steps = (end - start) / step
                if steps >= 0:
                    return (math.ceil(steps),)
            except OverflowError:
                raise Trouble("These are more values than PyTorch can count.") from None
            away = mark("Steps of {step} do not lead from {start} to {end}.")
            raise Trouble(away, step=step, start=start, end=end)
    raise Trouble("Enter numbers such as {first}.", first=FILLS[fill].first)


def _cannot_pin(values: Values, around: Around) -> str:
    if values["device"] != "cpu":
        return tr("cpu only")
    cards = any(each.is_card and each.usable for each in around.devices)
    return "" if cards else tr("needs a card")


def _write_tensor(said: Values, around: Around) -> Plan:
    fill, dtype, device = said["fill"], said["dtype"], said["device"]
    told = fill if FILLS[fill].label else "shape"
    try:
        sizes = _sizes(fill, said)
    except Trouble as trouble:
        return Plan(problems={told: trouble.told})
    shape = {"shape": said["shape"] or "()", "tuple": tuple(sizes)}
    options = {
        f"dtype=torch.{dtype}": dtype != _usual(said, around),
        f'device="{device}"': device != "cpu",
        "requires_grad=True": said["grad"],
        "pin_memory=True": said["pinned"],
    }
    values = FILLS[fill].code.format(**shape, told=said.get(fill))
    words = ", ".join([values, *(word for word, wanted in options.items() if wanted)])
    count = math.prod(sizes)
    return _creation(
        f"{said['name']} = torch.{fill}({words})",
        count * DTYPES[dtype].bytes,
        said,
        around,
        (mark("{digits} element"), mark("{digits} elements"), count),
    )


def _create_on(values: Values) -> str:
    return tr("Create on {device}", device=values["device"])


TENSOR = LabForm(
    mark("Tensor"), mark("Create a tensor"),
    (
        Field("name", mark("Name"), "name",
              lambda _, around: form.next_letter(around.taken), form.read_name),
        Field("shape", mark("Shape"), first="2, 3", read=form.read_sizes,
              placeholder=mark("a single value"), shown=form.where("fill", *_SHAPED)),
        form.DEVICE,
        Field("fill", mark("Fill"), "choice", "ones", folded=True,
              offer=form.words_offered({word: each.remark for word, each in FILLS.items()})),
        *(
            Field(word, each.label, first=each.first, folded=True,
                  shown=form.where("fill", word))
            for word, each in FILLS.items()
            if each.label
        ),
        Field("dtype", mark("Type"), "choice", _usual, offer=_dtypes, folded=True),
        Field("seed", mark("Seed"), read=form.read_seed, folded=True,
              placeholder=mark("random"), shown=form.where("fill", "rand", "randn", "randint")),
        Field("grad", "requires_grad", "tick", folded=True, refused=lambda values, around:
              "" if DTYPES[values["dtype"]].kind in "f" else tr("floating point only")),
        Field("pinned", mark("pinned"), "tick", refused=_cannot_pin, folded=True),
    ),
    _create_on,
    _write_tensor,
)  # fmt: skip


class Model(NamedTuple):
    """`code` has its sizes in braces, and all of the model, as a person would write it."""

    title: str
    remark: str
    takes: str
    sizes: Mapping[str, int]  # by their labels, which in small letters stand in the code
    parameters: Callable[..., int]  # by its sizes
    code: str


MODELS: Mapping[str, Model] = {
    "linear": Model(
        mark("Linear"), mark("one layer"), mark("batch × inputs"),
        {mark("Inputs"): 3, mark("Outputs"): 1}, lambda inputs, outputs: (inputs + 1) * outputs,
        "{name} = nn.Sequential(nn.Linear({inputs}, {outputs}))",
    ),
    "mlp": Model(
        mark("MLP"), mark("two layers"), mark("batch × inputs"),
        {mark("Inputs"): 784, mark("Hidden"): 256, mark("Outputs"): 10},
        lambda inputs, hidden, outputs: (inputs + 1) * hidden + (hidden + 1) * outputs,
        """\
{name} = nn.Sequential(
    nn.Flatten(),
    nn.Linear({inputs}, {hidden}), nn.ReLU(),
    nn.Linear({hidden}, {outputs}),
)""",
    ),
    "lenet": Model(
        mark("LeNet"), mark("greyscale images"), mark("batch × 1 × 28 × 28"),
        {mark("Outputs"): 10}, lambda outputs: 60_856 + 85 * outputs,
        """\
{name} = nn.Sequential(
    nn.Conv2d(1, 6, kernel_size=5, padding=2), nn.Sigmoid(),
    nn.AvgPool2d(kernel_size=2, stride=2),
    nn.Conv2d(6, 16, kernel_size=5), nn.Sigmoid(),
    nn.AvgPool2d(kernel_size=2, stride=2),
    nn.Flatten(),
    nn.Linear(16 * 5 * 5, 120), nn.Sigmoid(),
    nn.Linear(120, 84), nn.Sigmoid(),
    nn.Linear(84, {outputs}),
)""",
    ),
    "transformer": Model(
        mark("Transformer"), mark("one block"), mark("batch × time × width"),
        {mark("Width"): 32, mark("Heads"): 4},
        lambda width, heads: 12 * width * width + 13 * width,
        """\
{name} = nn.TransformerEncoderLayer(
    {width}, {heads}, 4 * {width}, 0, F.gelu, batch_first=True, norm_first=True
)""",
    ),
    "tiny_gpt": Model(
        mark("Tiny GPT"), mark("letters"), mark("batch × time, whole numbers"),
        {mark("Letters"): 27, mark("Width"): 32, mark("Heads"): 4, mark("Blocks"): 2,
         mark("Longest"): 64},
        lambda letters, width, heads, blocks, longest: (
            (2 * letters + longest + 2) * width
            + letters
            + blocks * (12 * width * width + 13 * width)
        ),
        '''\
class TinyGPT(nn.Module):
    """Letters in, a guess at each next letter out: batch × time to batch × letters × time."""

    def __init__(self, letters, width, heads, blocks, longest):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, heads, 4 * width, 0, F.gelu, batch_first=True, norm_first=True
            )
            for _ in range(blocks)
        )
        self.last = nn.LayerNorm(width)
        self.guess = nn.Linear(width, letters)

    def forward(self, text):
        time = text.shape[1]
        x = self.letters(text) + self.places(torch.arange(time, device=text.device))
        earlier = nn.Transformer.generate_square_subsequent_mask(time, text.device)
        for block in self.blocks:
            x = block(x, earlier, is_causal=True)
        return self.guess(self.last(x)).transpose(1, 2)


{name} = TinyGPT(
    letters={letters}, width={width}, heads={heads}, blocks={blocks}, longest={longest}
)''',
    ),
}  # fmt: skip


def _write_model(said: Values, around: Around) -> Plan:
    key, device = said["model"], said["device"]
    model = MODELS[key]
    sizes = {each.lower(): int(said[f"{key} {each.lower()}"]) for each in model.sizes}
    width, heads = sizes.get("width", 1), sizes.get("heads", 1)
    if width % heads:
        uneven = tr("{width} cannot be shared by {heads} heads.", width=width, heads=heads)
        return Plan(problems={f"{key} heads": uneven})
    count = model.parameters(**sizes)
    counted = mark("{digits} parameter"), mark("{digits} parameters"), count
    takes = tr("Takes {shape}", shape=tr(model.takes))
    code = model.code.format(name=said["name"], **sizes)
    code += "" if device == "cpu" else f'.to("{device}")'
    return _creation(code, 4 * count, said, around, counted, takes)


MODEL = LabForm(
    mark("Model"), mark("Create a model"),
    (
        Field("name", mark("Name"), "name",
              lambda _, around: form.next_numbered("net", around.taken), form.read_name),
        Field("model", mark("Model"), "choice", "linear", offer=lambda values, around: [
            Choice(key, tr(each.title), tr(each.remark), typed=False)
            for key, each in MODELS.items()]),
        # Each has sizes of its own, so that what was typed for one is no surprise in another.
        *(
            Field(f"{key} {label.lower()}", label, first=str(first), read=form.whole(1),
                  shown=form.where("model", key))
            for key, model in MODELS.items()
            for label, first in model.sizes.items()
        ),
        form.DEVICE,
        Field("seed", mark("Seed"), read=form.read_seed, placeholder=mark("random"),
              folded=True),
    ),
    _create_on,
    _write_model,
)  # fmt: skip
