"""The models a form can make, written out as a person would: the cell carries all of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuexplorer.core.words import mark

Sizes = Mapping[str, int]


class Size(NamedTuple):
    """A number that a model is made with: its marked label, and the subject of a sentence."""

    key: str
    label: str
    first: int
    what: str


@dataclass(frozen=True, slots=True)
class Model:
    """Title, `remark` and `takes` are marked. `code` has its sizes as {outputs} in it; what is
    made stands in its last lines.
    """

    key: str
    title: str
    remark: str
    takes: str
    sizes: Sequence[Size]
    code: str
    parameters: Callable[[Sizes], int]
    buffers_bytes: int = 0  # running means and the like, which are no parameters


_OUTPUTS = Size("outputs", mark("Outputs"), 10, mark("The number of outputs"))
_WIDTH = Size("width", mark("Width"), 32, mark("The width"))
_HEADS = Size("heads", mark("Heads"), 4, mark("The number of heads"))
_BLOCK = '''\
class TransformerBlock(nn.Module):
    """Every position looks at every other, then works by itself: batch × time × width."""

    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.before_attention = nn.LayerNorm(width)
        self.projections = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.before_work = nn.LayerNorm(width)
        self.work = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        batch, time, width = x.shape
        parts = self.projections(self.before_attention(x)).split(width, dim=2)
        query, key, value = (
            part.view(batch, time, self.heads, width // self.heads).transpose(1, 2)
            for part in parts
        )
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        x = x + self.mix(seen.transpose(1, 2).reshape(batch, time, width))
        return x + self.work(self.before_work(x))

'''
_GPT = '''\
class TinyGPT(nn.Module):
    """Letters in, a guess at each next letter out: batch × time to batch × letters × time."""

    def __init__(self, letters, width, heads, blocks, longest):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(longest, width)
        self.blocks = nn.Sequential(
            *(TransformerBlock(width, heads, causal=True) for _ in range(blocks))
        )
        self.last = nn.LayerNorm(width)
        self.guess = nn.Linear(width, letters)

    def forward(self, text):
        places = torch.arange(text.shape[1], device=text.device)
        x = self.letters(text) + self.places(places)
        return self.guess(self.last(self.blocks(x))).transpose(1, 2)

'''


def _linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


def _block(size: Sizes) -> int:
    width = size["width"]
    attention = _linear(width, 3 * width) + _linear(width, width)
    return attention + _linear(width, 4 * width) + _linear(4 * width, width) + 4 * width


def _mlp(size: Sizes) -> int:
    return _linear(size["inputs"], size["hidden"]) + _linear(size["hidden"], size["outputs"])


def _lstm(size: Sizes) -> int:
    hidden = size["hidden"]
    return 4 * hidden * (size["inputs"] + hidden + 2) + _linear(hidden, size["outputs"])


def _tiny_gpt(size: Sizes) -> int:
    letters, width = size["letters"], size["width"]
    ends = (letters + size["longest"]) * width + 2 * width + _linear(width, letters)
    return ends + size["blocks"] * _block(size)


_ALL = (
    Model(
        "linear", mark("Linear"), mark("one layer"), mark("batch × inputs"),
        (
            Size("inputs", mark("Inputs"), 3, mark("The number of inputs")),
            Size("outputs", mark("Outputs"), 1, mark("The number of outputs")),
        ),
        "{name} = nn.Sequential(nn.Linear({inputs}, {outputs}))",
        lambda size: _linear(size["inputs"], size["outputs"]),
    ),
    Model(
        "mlp", mark("MLP"), mark("two layers"), mark("batch × inputs"),
        (
            Size("inputs", mark("Inputs"), 784, mark("The number of inputs")),
            Size("hidden", mark("Hidden"), 256, mark("The number of hidden values")),
            _OUTPUTS,
        ),
        """\
{name} = nn.Sequential(
    nn.Flatten(),
    nn.Linear({inputs}, {hidden}), nn.ReLU(),
    nn.Linear({hidden}, {outputs}),
)""",
        _mlp,
    ),
    Model(
        "lenet", mark("LeNet"), mark("pictures, grey"), mark("batch × 1 × 28 × 28"),
        (_OUTPUTS,),
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
        lambda size: 156 + 2416 + _linear(400, 120) + _linear(120, 84) + 85 * size["outputs"],
    ),
    Model(
        "small_cnn", mark("Small CNN"), mark("pictures, any size"),
        mark("batch × colours × height × width"),
        (Size("colours", mark("Colours"), 3, mark("The number of colours")), _OUTPUTS),
        """\
{name} = nn.Sequential(
    nn.Conv2d({colours}, 16, kernel_size=3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, kernel_size=3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(32, {outputs}),
)""",
        lambda size: (
            16 * (9 * size["colours"] + 1) + 32 * 145 + 96 + _linear(32, size["outputs"])
        ),
        buffers_bytes=2 * (16 + 32) * 4 + 2 * 8,
    ),
    Model(
        "transformer", mark("Transformer"), mark("one block"), mark("batch × time × width"),
        (_WIDTH, _HEADS),
        f"{_BLOCK}\n{{name}} = TransformerBlock(width={{width}}, heads={{heads}})",
        _block,
    ),
    Model(
        "lstm", mark("LSTM"), mark("sequences"), mark("batch × time × inputs"),
        (
            Size("inputs", mark("Inputs"), 8, mark("The number of inputs")),
            Size("hidden", mark("Hidden"), 32, mark("The number of hidden values")),
            Size("outputs", mark("Outputs"), 2, mark("The number of outputs")),
        ),
        '''\
class LastStep(nn.Module):
    """An LSTM that reads a sequence and answers once, at its end."""

    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden, batch_first=True)
        self.answer = nn.Linear(hidden, outputs)

    def forward(self, sequence):
        steps, _ = self.lstm(sequence)
        return self.answer(steps[:, -1])


{name} = LastStep(inputs={inputs}, hidden={hidden}, outputs={outputs})''',
        _lstm,
    ),
    Model(
        "tiny_gpt", mark("Tiny GPT"), mark("letters"), mark("batch × time, whole numbers"),
        (
            Size("letters", mark("Letters"), 27, mark("The number of letters")),
            _WIDTH,
            _HEADS,
            Size("blocks", mark("Blocks"), 2, mark("The number of blocks")),
            Size("longest", mark("Longest"), 64, mark("The longest text")),
        ),
        f"{_BLOCK}\n{_GPT}\n"
        "{name} = TinyGPT(\n    letters={letters}, width={width}, heads={heads}, "
        "blocks={blocks}, longest={longest}\n)",
        _tiny_gpt,
    ),
)  # fmt: skip
MODELS: Mapping[str, Model] = {each.key: each for each in _ALL}


def model_code(key: str, name: str, sizes: Sizes | None = None, device: str = "cpu") -> str:
    """The whole cell; sizes that are not given are the usual ones."""
    model = MODELS[key]
    usual = {each.key: each.first for each in model.sizes}
    code = model.code.format(name=name, **{**usual, **(sizes or {})})
    return code if device == "cpu" else f'{code}.to("{device}")'
