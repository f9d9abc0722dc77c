"""The line that makes a model, and how many parameters it will have."""

import ast
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.wording.lab.forms import reading
from gpuexplorer.gui.wording.lab.forms.fills import Blank
from gpuexplorer.gui.wording.lab.forms.layer_counts import (
    LAYER_COUNTS,
    Count,
    embedding,
    layer_norm,
    linear,
    lstm,
    together,
)
from gpuexplorer.gui.wording.lab.forms.names import (
    device_word,
    name_problem,
    parameters,
    replaced,
)
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings, fit
from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.grammar import dotted, read_line

TYPED = "typed"
_SUCH_AS = Message("Such as: nn.Sequential(nn.Linear(3, 1))")


@dataclass(frozen=True, slots=True)
class ModelKind:
    """`word` is what the line calls; `takes` what its input looks like.

    Title, `remark` and `takes` are marked words.
    """

    word: str
    title: str
    remark: str
    takes: str
    blanks: tuple[Blank, ...]
    count: Callable[..., Count]


def _mlp(inputs: int, hidden: int, outputs: int) -> Count:
    return linear(inputs, hidden) + linear(hidden, outputs)


def _lenet(outputs: int) -> Count:
    return Count(156 + 2416) + linear(400, 120) + linear(120, 84) + linear(84, outputs)


def _small_cnn(colours: int, outputs: int) -> Count:
    norms = Count(2 * 16 + 2 * 32, 2 * (16 + 32) * 4 + 2 * 8)
    return Count(16 * (9 * colours + 1) + 32 * (9 * 16 + 1)) + norms + linear(32, outputs)


def _block(width: int, heads: int) -> Count:
    del heads
    return together(
        (
            *(layer_norm(width), linear(width, 3 * width), linear(width, width)),
            *(layer_norm(width), linear(width, 4 * width), linear(4 * width, width)),
        )
    )


def _lstm(inputs: int, hidden: int, outputs: int) -> Count:
    return lstm(inputs, hidden) + linear(hidden, outputs)


def _tiny_gpt(letters: int, width: int, heads: int, blocks: int, longest: int) -> Count:
    ends = together(
        (
            *(embedding(letters, width), embedding(longest, width)),
            *(layer_norm(width), linear(width, letters)),
        )
    )
    return ends + _block(width, heads).times(blocks)


_IN, _HIDDEN, _OUT = (
    Blank("inputs", mark("Inputs"), "784"),
    Blank("hidden", mark("Hidden"), "256"),
    Blank("outputs", mark("Outputs"), "10"),
)
_WIDTH, _HEADS = Blank("width", mark("Width"), "32"), Blank("heads", mark("Heads"), "4")

_ALL = (
    ModelKind(
        "nn.Linear",
        mark("Linear"),
        mark("one layer"),
        mark("batch × inputs"),
        (Blank("inputs", mark("Inputs"), "3"), Blank("outputs", mark("Outputs"), "1")),
        linear,
    ),
    ModelKind(
        "mlp",
        mark("MLP"),
        mark("two layers"),
        mark("batch × inputs"),
        (_IN, _HIDDEN, _OUT),
        _mlp,
    ),
    ModelKind(
        "lenet",
        mark("LeNet"),
        mark("pictures, grey"),
        mark("batch × 1 × 28 × 28"),
        (_OUT,),
        _lenet,
    ),
    ModelKind(
        "small_cnn",
        mark("Small CNN"),
        mark("pictures, any size"),
        mark("batch × colours × height × width"),
        (Blank("colours", mark("Colours"), "3"), _OUT),
        _small_cnn,
    ),
    ModelKind(
        "transformer_block",
        mark("Transformer"),
        mark("one block"),
        mark("batch × time × width"),
        (_WIDTH, _HEADS),
        _block,
    ),
    ModelKind(
        "lstm",
        mark("LSTM"),
        mark("sequences"),
        mark("batch × time × inputs"),
        (
            Blank("inputs", mark("Inputs"), "8"),
            Blank("hidden", mark("Hidden"), "32"),
            Blank("outputs", mark("Outputs"), "2"),
        ),
        _lstm,
    ),
    ModelKind(
        "tiny_gpt",
        mark("Tiny GPT"),
        mark("letters"),
        mark("batch × time, whole numbers"),
        (
            Blank("letters", mark("Letters"), "27"),
            _WIDTH,
            _HEADS,
            Blank("blocks", mark("Blocks"), "2"),
            Blank("longest", mark("Longest"), "64"),
        ),
        _tiny_gpt,
    ),
)
# Each blank, as the subject of a sentence.
_MEANT: Mapping[str, Message] = {
    "inputs": Message("The number of inputs"),
    "hidden": Message("The number of hidden values"),
    "outputs": Message("The number of outputs"),
    "colours": Message("The number of colours"),
    "width": Message("The width"),
    "heads": Message("The number of heads"),
    "letters": Message("The number of letters"),
    "blocks": Message("The number of blocks"),
    "longest": Message("The longest text"),
}
MODEL_KINDS: Mapping[str, ModelKind] = {each.word: each for each in _ALL}


@dataclass(frozen=True, slots=True)
class ModelWish:
    """`kind` is a word of MODEL_KINDS, or TYPED with the `text` as it was typed."""

    name: str
    kind: str = "nn.Linear"
    blanks: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    device: str = "cpu"
    seed: str = ""


def model_plan(wish: ModelWish, around: Surroundings) -> Plan:
    problems: dict[str, str] = {}
    device = around.device(wish.device)
    button = tr("Create on {device}", device=wish.device) if wish.device else tr("Create")
    if problem := name_problem(wish.name):
        problems["name"] = problem
    if device is None or not device.usable:
        problems["device"] = tr("Choose a device that can be used.")
    seed = None
    try:
        seed = reading.read_seed(wish.seed)
    except Trouble as trouble:
        problems["seed"] = trouble.told
    made, count = _typed(wish, problems) if wish.kind == TYPED else _known(wish, problems)
    if problems:
        return Plan(button, problems=problems)
    lines = [] if seed is None else [f"torch.manual_seed({seed})"]
    if wish.device != "cpu":
        made += f".to({device_word(wish.device, fall_back=around.fall_back)})"
    lines.append(f"{wish.name} = {made}")
    warnings = [*replaced(wish.name, around.taken)]
    if count is None:
        facts = [tr("How many parameters it has is known when it is made")]
    elif count.bytes > reading.MOST_BYTES:
        large = tr("These are more bytes than PyTorch can count.")
        return Plan(button, problems={_largest(wish): large})
    else:
        fits = fit(count.bytes, device, around)
        facts = [_parameters(count, around), *fits.facts]
        warnings += [fits.warning] if fits.warning else []
    return Plan(button, lines, facts=facts, warnings=warnings)


def _largest(wish: ModelWish) -> str:
    """The field to mend where a model is too large."""
    return "text" if wish.kind == TYPED else MODEL_KINDS[wish.kind].blanks[0].key


def _parameters(count: Count, around: Surroundings) -> str:
    words = parameters(count.parameters)
    if not count.buffer_bytes:
        return words
    size = memory(count.buffer_bytes, around.units)
    return tr("{parameters}, and {size} of running figures", parameters=words, size=size)


def _typed(wish: ModelWish, problems: dict[str, str]) -> tuple[str, Count | None]:
    try:
        line = read_model(wish.text)
    except Trouble as trouble:
        problems["text"] = trouble.told
        return "", None
    return line, count_model(line)


def _known(wish: ModelWish, problems: dict[str, str]) -> tuple[str, Count | None]:
    kind = MODEL_KINDS[wish.kind]
    sizes = {}
    for blank in kind.blanks:
        what = _MEANT[blank.key]
        try:
            sizes[blank.key] = reading.read_whole(wish.blanks.get(blank.key, ""), what, 1)
        except Trouble as trouble:
            problems[blank.key] = trouble.told
    if "heads" in sizes and "width" in sizes and sizes["width"] % sizes["heads"]:
        problems["heads"] = tr(
            "{width} cannot be shared by {heads} heads.",
            width=sizes["width"],
            heads=sizes["heads"],
        )
    if problems:
        return "", None
    if kind.word == "nn.Linear":
        arguments = ", ".join(str(each) for each in sizes.values())
    else:
        arguments = ", ".join(f"{key}={size}" for key, size in sizes.items())
    return f"{kind.word}({arguments})", kind.count(**sizes)


def read_model(text: str) -> str:
    """The same on one line. Raises Trouble at the first thing that is no layer."""
    line = " ".join(text.split()).replace("( ", "(").replace(" )", ")")
    if not line:
        raise Trouble("The model is missing.", _SUCH_AS)
    _check(_expression(line))
    return line


def count_model(line: str) -> Count | None:
    """For what `read_model` let through; None where arithmetic alone cannot tell."""
    count = _count(_expression(line))
    return None if count is None or count.parameters < 0 else count


def _expression(line: str) -> ast.expr:
    tree = read_line(f"model = {line}").tree
    if not isinstance(tree, ast.Assign):  # `a = b` typed into the field reads as something else
        raise Trouble("A model is one layer, or nn.Sequential of several.", _SUCH_AS)
    return tree.value


def _check(node: ast.expr) -> None:
    if not isinstance(node, ast.Call):
        raise Trouble("{code} is no layer.", _SUCH_AS, code=_shown(node))
    name = dotted(node.func) or ""
    short = name.removeprefix("torch.nn.")
    if not name.startswith("torch.nn.") or short not in vocabulary.LAYERS:
        near = difflib.get_close_matches(short, vocabulary.LAYERS, n=1)
        hint = Message("Did you mean nn.{layer}?", layer=near[0]) if near else _SUCH_AS
        raise Trouble("{code} is no layer of torch.nn.", hint, code=_shown(node.func))
    arguments = [*node.args, *(word.value for word in node.keywords)]
    for each in arguments:
        if short == "Sequential":
            _check(each)
        else:
            _check_literal(each)


def _check_literal(node: ast.expr) -> None:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        raise Trouble(
            "{code} is no number.",
            "A layer takes numbers, not calculations or names.",
            code=_shown(node),
        ) from None


def _count(node: ast.expr) -> Count | None:
    if not isinstance(node, ast.Call):
        return None
    short = (dotted(node.func) or "").removeprefix("torch.nn.")
    if short == "Sequential":
        parts = [_count(each) for each in node.args]
        known = [each for each in parts if each is not None]
        return together(known) if len(known) == len(parts) else None
    count: Callable[..., Count] | None = LAYER_COUNTS.get(short)
    if count is None:  # lazy layers, which learn their sizes at the first input
        return None
    given = [ast.literal_eval(each) for each in node.args]
    named = {word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg}
    try:
        return count(*given, **named)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _shown(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 24 else f"{text[:23]}…"
