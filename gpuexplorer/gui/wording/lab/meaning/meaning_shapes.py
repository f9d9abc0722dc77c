"""Errors about shapes, types of number, and places within a tensor."""

import re

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


def shapes_meaning(about: AboutFailure) -> str:
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
        return (
            "An embedding was asked for a row that it does not have: the largest index may be "
            "one less than the number of its rows."
        )
    if "could not infer output dtype" in about.message or (
        "must be either a floating point or complex dtype" in about.message
    ):
        return (
            "This needs numbers with a fraction, and these are whole. "
            f"{about.types()} .float() makes them float32."
        ).replace("  ", " ")
    return ""


def _product(found: "re.Match[str]", about: AboutFailure) -> str:
    rows, inner, other, columns = map(int, found.groups())
    called = any(each.kind == "model" for each in about.used.values())
    what = (
        f"The input has {inner} values a row, and the layer takes {other}."
        if called
        else f"Each of the {rows} rows of the left has {inner} values, each of the {columns} "
        f"columns of the right has {other}: they are multiplied one by one, so these two "
        "numbers have to be equal."
    )
    turned = "" if called or inner != columns else " The right one turned, .T, would fit."
    return f"{_with_space(about.shapes())}{what}{turned} {NOTHING_CHANGED}"


def _broadcast(found: "re.Match[str]", about: AboutFailure) -> str:
    one, other, dimension = found.groups()
    return (
        f"{_with_space(about.shapes())}In dimension {dimension} one has {one} and the other "
        f"{other}. Sizes go together where they are equal or one of them is 1, which is then "
        f"repeated. {NOTHING_CHANGED}"
    )


def _reshape(found: "re.Match[str]", about: AboutFailure) -> str:
    sizes = [int(each) for each in found[1].split(",") if each.strip()]
    has = int(found[2])
    subject = about.subject()
    if -1 in sizes:
        return f"{subject} has {has} values, which cannot be shared out evenly in this shape."
    needed = 1
    for each in sizes:
        needed *= each
    return (
        f"{subject} has {has} values, and {shape_words(sizes)} would need {needed}. Another "
        "shape keeps all values and adds none."
    )


def _joined(found: "re.Match[str]", about: AboutFailure) -> str:
    dimension, expected, got = found.groups()
    return (
        f"{_with_space(about.shapes())}Only dimension {dimension} may differ between what is "
        f"joined; elsewhere one has {expected} and another {got}."
    )


def _beyond(found: "re.Match[str]", about: AboutFailure) -> str:
    asked, dimension, size = map(int, found.groups())
    return (
        f"{_with_space(about.shapes())}Dimension {dimension} has {size} places, counted from "
        f"0: the last is {size - 1}, and {asked} was asked for."
    )


def _no_dimension(found: "re.Match[str]", about: AboutFailure) -> str:
    least, most, got = map(int, found.groups())
    return (
        f"{_with_space(about.shapes())}Its dimensions are counted from 0 to {most}, or from "
        f"the end from -1 to {least}: there is no dimension {got}."
    )


def _negative(found: "re.Match[str]", about: AboutFailure) -> str:
    del about
    return f"A tensor cannot have {found[1]} of something: sizes are 0 or more."


def _target(found: "re.Match[str]", about: AboutFailure) -> str:
    del about
    return (
        f"A target names the right class by its number, counted from 0, and there is no class "
        f"{found[1]}: the input has one column for each class."
    )


def _same_type(found: "re.Match[str]", about: AboutFailure) -> str:
    del found
    model = any(each.kind == "model" for each in about.used.values())
    what = (
        "A model wants its input in the type of its own parameters."
        if model
        else "Here PyTorch wants both in the same type and does not convert by itself."
    )
    return (
        f"{_with_space(about.types())}{what} .to(torch.float32) converts a tensor. "
        f"{NOTHING_CHANGED}"
    )


def _with_space(words: str) -> str:
    return f"{words} " if words else ""
