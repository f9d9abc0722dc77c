"""Errors about shapes, types of number, and places within a tensor."""

import math
import re
from itertools import pairwise

from gpuexplorer.core.words import Message, listed
from gpuexplorer.gui.wording.lab.amounts import shape_words
from gpuexplorer.gui.wording.lab.meaning.about_failure import NOTHING_CHANGED, AboutFailure

_PRODUCT = re.compile(r"\((\d+)x(\d+) and (\d+)x(\d+)\)")
_BROADCAST = re.compile(
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) "
    r"at non-singleton dimension (\d+)"
)
_RESHAPE = re.compile(r"shape '\[([\d, -]*)\]' is invalid for input of size (\d+)")
_JOINED = re.compile(r"except in dimension (\d+). Expected size (\d+) but got size (\d+)")
_BEYOND = re.compile(r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)")
_NO_DIMENSION = re.compile(r"expected to be in range of \[(-?\d+), (\d+)\], but got (-?\d+)")
_NEGATIVE = re.compile(r"negative dimension (-\d+)")
_TARGET = re.compile(r"Target (-?\d+) is out of bounds")
_SAME_TYPE = re.compile(r"(?:same dtype|same type|found dtype|expected scalar type)")
_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_NUMBER = re.compile(r"(?:cuda[:(]|\bgpu\(|device=|\.to\()(\d+)")


def shapes_meaning(about: AboutFailure) -> list[Message]:
    for pattern, say in (
        (_PRODUCT, _product),
        (_BROADCAST, _broadcast),
        (_RESHAPE, _reshape),
        (_JOINED, _joined),
        (_BEYOND, _beyond),
        (_NO_DIMENSION, _no_dimension),
        (_NEGATIVE, _negative),
        (_TARGET, _target),
        (_SAME_TYPE, _same_type),
    ):
        found = pattern.search(about.message)
        if found is not None:
            return say(found, about)
    if "index out of range in self" in about.message:
        return [
            Message(
                "An embedding was asked for a row that it does not have: the largest index may "
                "be one less than the number of its rows."
            )
        ]
    if "could not infer output dtype" in about.message or (
        "must be either a floating point or complex dtype" in about.message
    ):
        return [
            Message("This needs numbers with a fraction, and these are whole."),
            *about.types(),
            Message(".float() makes them float32."),
        ]
    return []


def _product(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    rows, inner, other, columns = map(int, found.groups())
    if any(each.kind == "model" for each in about.used.values()):
        what = Message(
            "The input has {inner} values a row, and the layer takes {other}.",
            inner=inner,
            other=other,
        )
        return [*about.shapes(), what, NOTHING_CHANGED]
    what = Message(
        "Each of the {rows} rows of the left has {inner} values, each of the {columns} columns "
        "of the right has {other}: they are multiplied one by one, so these two numbers have "
        "to be equal.",
        rows=rows,
        inner=inner,
        columns=columns,
        other=other,
    )
    turned = [Message("The right one turned, .T, would fit.")] if inner == columns else []
    return [*about.shapes(), what, *turned, NOTHING_CHANGED]


def _broadcast(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    one, other, dimension = found.groups()
    what = Message(
        "In dimension {dimension} one has {one} and the other {other}. Sizes go together where "
        "they are equal or one of them is 1, which is then repeated.",
        dimension=dimension,
        one=one,
        other=other,
    )
    return [*about.shapes(), what, NOTHING_CHANGED]


def _reshape(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    sizes = [int(each) for each in found[1].split(",") if each.strip()]
    has = int(found[2])
    if -1 in sizes:
        return [
            Message(
                "{name} has {has} values, which cannot be shared out evenly in this shape.",
                name=about.subject(),
                has=has,
            )
        ]
    return [
        Message(
            "{name} has {has} values, and {shape} would need {needed}. Another shape keeps all "
            "values and adds none.",
            name=about.subject(),
            has=has,
            shape=shape_words(sizes),
            needed=math.prod(sizes),
        )
    ]


def _joined(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    dimension, expected, got = found.groups()
    what = Message(
        "Only dimension {dimension} may differ between what is joined; elsewhere one has "
        "{expected} and another {got}.",
        dimension=dimension,
        expected=expected,
        got=got,
    )
    return [*about.shapes(), what]


def _beyond(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    asked, dimension, size = map(int, found.groups())
    what = Message(
        "Dimension {dimension} has {size} places, counted from 0: the last is {last}, and "
        "{asked} was asked for.",
        dimension=dimension,
        size=size,
        last=size - 1,
        asked=asked,
    )
    return [*about.shapes(), what]


def _no_dimension(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    least, most, got = map(int, found.groups())
    what = Message(
        "Its dimensions are counted from 0 to {most}, or from the end from -1 to {least}: "
        "there is no dimension {got}.",
        most=most,
        least=least,
        got=got,
    )
    return [*about.shapes(), what]


def _negative(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    del about
    return [
        Message("A tensor cannot have {size} of something: sizes are 0 or more.", size=found[1])
    ]


def _target(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    del about
    return [
        Message(
            "A target names the right class by its number, counted from 0, and there is no "
            "class {number}: the input has one column for each class.",
            number=found[1],
        )
    ]


def _same_type(found: "re.Match[str]", about: AboutFailure) -> list[Message]:
    del found
    what = Message("Here PyTorch wants both in the same type and does not convert by itself.")
    if any(each.kind == "model" for each in about.used.values()):
        what = Message("A model wants its input in the type of its own parameters.")
    way_out = Message(".to(torch.float32) converts a tensor.")
    return [*about.types(), what, way_out, NOTHING_CHANGED]


def devices_meaning(about: AboutFailure) -> list[Message]:
    """Where each operand lies, and why that does not work."""
    lying = {name: each.device for name, each in about.used.items() if each.device}
    where = [
        Message("{name} lies on {device}.", name=name, device=device)
        for name, device in lying.items()
    ]
    known = set(lying.values())
    strangers = [each for each in _DEVICE.findall(about.message) if each not in known]
    where += [
        Message("What the line makes itself lies on {device}.", device=device)
        for device in dict.fromkeys(strangers)
    ]
    models = [name for name, each in about.used.items() if each.kind == "model"]
    why = Message(
        "{operation} runs on one device, and PyTorch will not choose for you: moving data "
        "costs time, so it wants to be asked.",
        operation=about.operation,
    )
    if models and about.operation in models:
        why = Message(
            "{model} computes where its parameters are, and what it is given has to be there "
            "too. PyTorch does not move it for you.",
            model=models[0],
        )
    return [*where, why, NOTHING_CHANGED]


def places_meaning(about: AboutFailure) -> list[Message]:
    message = about.message
    if "invalid device ordinal" in message:
        return _no_such_card(about)
    if "not compiled with CUDA" in message:
        return [
            Message(
                "The PyTorch of the lab is a build for the processor only: it cannot reach any "
                "card. A build with CUDA can be chosen as the Python of the lab."
            )
        ]
    if "No CUDA GPUs are available" in message or "no NVIDIA driver" in message:
        return [Message("PyTorch could reach CUDA, but finds no card that it may use.")]
    if "peer access" in message:
        return [Message("These two cards cannot read each other's memory directly.")]
    return []


def _no_such_card(about: AboutFailure) -> list[Message]:
    asked = _asked(about)
    said = Message("There is no card of that number.")
    if asked:
        said = Message("There is no {device}.", device=asked)
    falling_back = Message(
        "Cards are counted from 0. With try_gpu the line would fall back to the host where a "
        "card is missing."
    )
    return [said, _there(about), falling_back]


def _there(about: AboutFailure) -> Message:
    cards = [each.name for each in about.ledger.devices if each.name.startswith("cuda:")]
    numbers = [int(each.partition(":")[2]) for each in cards]
    if not cards:
        return Message("PyTorch has no card here.")
    if len(cards) > 2 and all(after - each == 1 for each, after in pairwise(numbers)):
        return Message("PyTorch has {first} to {last} here.", first=cards[0], last=cards[-1])
    return Message("PyTorch has {cards} here.", cards=listed(cards))


def _asked(about: AboutFailure) -> str:
    have = {each.name for each in about.ledger.devices}
    found = [f"cuda:{each}" for each in _NUMBER.findall(about.code)]
    return next((each for each in found if each not in have), "")
