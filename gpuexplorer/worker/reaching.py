"""Reaching: code up to the cursor as words and marks, whether or not it parses; what an
expression at its end gives, and how that is called, as far as it is known without running it.
"""

import ast
import builtins
import inspect
import keyword
import re
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from gpuexplorer.worker import things

NAME, STRING, NUMBER, MARK, END = "name", "string", "number", "mark", "end"
_OPENING = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*) | (?P<joined>\\\n)
    | (?P<string>(?P<prefix>[rbufRBUF]{0,2})
        (?:(?P<thrice>\"{3}|'{3})(?:\\.|(?!(?P=thrice)).)*(?P<shut>(?P=thrice)|\Z)
        | (?P<once>["'])(?:\\.|(?!(?P=once))[^\n])*(?P<closed>(?P=once)|(?=\n)|\Z)))
    | (?P<name>[^\W\d]\w*) | (?P<number>\d[\w.]*) | (?P<end>[\n;]) | (?P<mark>\S)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


@dataclass(frozen=True)
class HalfTyped:
    """What stands before the cursor. `brackets`: the tokens that opened and are not closed."""

    tokens: Sequence[Token]
    brackets: Sequence[int]
    in_comment: bool = False
    quoted: "str | None" = None  # the string the cursor is in, from its quote on
    formatted: bool = False  # that string may hold code in braces


def read(code: str) -> HalfTyped:
    tokens: list[Token] = []
    brackets: list[int] = []
    for match in _TOKEN.finditer(code):
        kind, last = str(match.lastgroup), match.end() == len(code)
        text = match.group()
        if match["comment"] is not None:
            if last:
                return HalfTyped(tokens, brackets, in_comment=True)
        elif match["string"] is not None:
            if last and not (match["shut"] or match["closed"]):
                quote = match["thrice"] or match["once"]
                inside = text[len(match["prefix"]) + len(quote) :]
                formatted = "f" in match["prefix"].lower()
                return HalfTyped(tokens, brackets, quoted=inside, formatted=formatted)
            tokens.append(Token(STRING, text, match.start()))
        elif match["joined"] is None:
            if kind == END and brackets and text == "\n":
                continue
            if kind == MARK and text in "([{":
                brackets.append(len(tokens))
            elif brackets and tokens[brackets[-1]].text == _OPENING.get(text):
                brackets.pop()
            tokens.append(Token(kind, text, match.start()))
    return HalfTyped(tokens, brackets)


def opened_at(tokens: "Sequence[Token]", end: int) -> "int | None":
    """The token that opened the bracket which tokens[end - 1] closes."""
    depth = 0
    for place in range(end - 1, -1, -1):
        token = tokens[place]
        if token.kind == MARK:
            depth += (token.text in ")]}") - (token.text in "([{")
            if depth == 0:
                return place
    return None


_LONGEST = 300  # letters of a sentence
_ROLE = re.compile(r":[\w:]+:`~?([^`<]*)[^`]*`|``([^`]*)``|`([^`]*)`")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_HEAD = re.compile(r"([\w.]+)\((.*)\)(?:\s*->\s*(.+))?$")
_NAMES = re.compile(r"(?:^|,)\s*([a-z]\w*)")  # without those that take any number
_FUNCTIONS = (types.FunctionType, types.MethodType)
_BUILT_IN = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
)


@dataclass(frozen=True)
class Signature:
    text: str  # "Linear(in_features, out_features, bias=True, device=None, dtype=None)"
    names: Sequence[str] = ()  # of what can be handed over by name
    doc: str = ""  # one sentence
    result: str = ""  # the type that its documentation names, such as "Tensor"


# Any: whatever stands before a bracket.
def signature_of(called: Any, name: str, *, method: bool = False) -> "Signature | None":
    """`name` is how it is called, which a function need not know. `method`: the thing before
    the dot is its first argument.
    """
    doc = _doc_of(called)
    written = _HEAD.match(doc.partition("\n")[0].strip())
    said = _sentence(doc)
    function, bound = _function_of(called)
    if function is not None:
        parameters = _parameters(function, bound or method)
        if parameters is not None:
            names = [each.name for each in parameters if each.kind in _BY_NAME]
            shown = ", ".join(_shown(parameters))
            return Signature(f"{name}({shown})", names, said)
    if written is None:
        return Signature(f"{name}(…)", (), said) if said else None
    inside, result = written[2], written[3] or ""
    return Signature(f"{name}({inside})", _NAMES.findall(inside), said, result)


_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _function_of(called: Any) -> "tuple[Any, bool]":
    """What knows the parameters, and whether its first is handed over by itself."""
    kind = type(called)
    if kind in _FUNCTIONS or kind in _BUILT_IN:
        return called, False
    if issubclass(kind, type):
        for name in ("__init__", "__new__"):
            made = inspect.getattr_static(called, name, None)
            made = made.__func__ if type(made) is staticmethod else made
            if type(made) is types.FunctionType:
                return made, True
        return (called, False) if kind is type else (None, False)
    name = "forward" if things.kind_of(called) == things.MODEL else "__call__"
    method = inspect.getattr_static(kind, name, None)
    return (method, True) if type(method) is types.FunctionType else (None, False)


def _parameters(function: Any, bound: bool) -> "list[inspect.Parameter] | None":
    try:
        found = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):  # it keeps them for itself, as most of PyTorch does
        return None
    return found[1:] if bound else found


def _shown(parameters: "Sequence[inspect.Parameter]") -> "list[str]":
    shown: list[str] = []
    kinds = [each.kind for each in parameters]
    for place, each in enumerate(parameters):
        if each.kind == each.KEYWORD_ONLY and not {each.KEYWORD_ONLY, each.VAR_POSITIONAL} & {
            *kinds[:place]
        }:
            shown.append("*")
        several = each.kind == each.VAR_POSITIONAL
        mark = "*" if several else "**" if each.kind == each.VAR_KEYWORD else ""
        given = "" if each.default is each.empty else f"={things.text_of(each.default, 1)}"
        shown.append(f"{mark}{each.name}{given}")
        if each.kind == each.POSITIONAL_ONLY and kinds[place + 1 : place + 2] != [each.kind]:
            shown.append("/")
    return shown


def _doc_of(called: Any) -> str:
    """As it was written; what a class of the person's own would make up is not asked for."""
    if type(called) in _FUNCTIONS or type(called) in _BUILT_IN:
        doc = called.__doc__
    else:
        kind = called if issubclass(type(called), type) else type(called)
        doc = vars(kind).get("__doc__")
    return inspect.cleandoc(doc) if type(doc) is str else ""


def _sentence(doc: str) -> str:
    """The first, without the marks of reStructuredText."""
    for paragraph in doc.strip().split("\n\n"):
        lines = [each for each in paragraph.splitlines() if not _HEAD.match(each.strip())]
        plain = _ROLE.sub(lambda match: match[1] or match[2] or match[3] or "", " ".join(lines))
        if plain.strip() and not plain.startswith(".."):
            return _SENTENCE.split(" ".join(plain.split()))[0][:_LONGEST]
    return ""


_DEEPEST = 50
_OF_TENSORS = {
    **dict.fromkeys(("T", "mT", "H", "mH", "data", "grad", "real", "imag"), torch.Tensor),
    "shape": torch.Size,
    "device": torch.device,
    "dtype": torch.dtype,
}
_RESULTS = {"Tensor": torch.Tensor, "str": str, "int": int, "float": float, "bool": bool}


class Reached(NamedTuple):
    """A thing; None where only its type is known."""

    kind: type
    thing: "Any | None" = None
    method: bool = False  # what stands before the dot is handed over by itself

    def attributes(self) -> "dict[str, Any]":
        """Without what a class answers by code of its own."""
        found: dict[str, Any] = {}
        for kind in reversed(type.mro(self.kind)):
            found.update(vars(kind))
        if issubclass(self.kind, type) and self.thing is not None:
            for kind in reversed(type.mro(self.thing)):
                found.update(vars(kind))
        return found | self.own()

    def own(self) -> "dict[str, Any]":
        """Those that are not its class's."""
        if self.thing is None or issubclass(self.kind, type):
            return {}
        found = things.attributes_of(self.thing)
        if things.kind_of(self.thing) == things.MODEL:
            found |= things.tensors_in(self.thing) | things.modules_in(self.thing)
        return found


# Any: whatever a person made.
def known(thing: Any, *, method: bool = False) -> Reached:
    return Reached(type(thing), thing, method)


def reach(
    tokens: "Sequence[Token]", namespace: "Mapping[str, Any]", depth: int = 0
) -> "Reached | None":
    """What the expression at the end of these tokens gives. None: nobody knows."""
    if not ends_value(tokens) or depth > _DEEPEST:
        return None
    last = tokens[-1]
    if last.kind == STRING:
        return Reached(str)
    if last.kind == NAME:
        if len(tokens) > 1 and tokens[-2].text == ".":
            outer = reach(tokens[:-2], namespace, depth + 1)
            return None if outer is None else _attribute(outer, last.text)
        return _named(tokens, namespace, depth)
    begin = opened_at(tokens, len(tokens))
    if last.text == "}" or begin is None:
        return Reached(dict) if begin is not None else None
    before = tokens[:begin]
    if not ends_value(before):
        return Reached(list) if last.text == "]" else None
    outer = reach(before, namespace, depth + 1)
    if outer is None:
        return None
    return _result(outer) if last.text == ")" else _item(outer, tokens[begin + 1 : -1])


def ends_value(tokens: "Sequence[Token]") -> bool:
    """Whether a bracket or a dot after these belongs to a value before it."""
    if not tokens:
        return False
    last = tokens[-1]
    named = last.kind == NAME and not keyword.iskeyword(last.text)
    return named or last.kind == STRING or last.text in (")", "]", "}")


def _named(
    tokens: "Sequence[Token]", namespace: "Mapping[str, Any]", depth: int
) -> "Reached | None":
    """By the namespace; else by what this very code says before."""
    name = tokens[-1].text
    for names in (namespace, vars(builtins)):
        if name in names:
            return known(names[name])
    for place in range(len(tokens) - 2, -1, -1):
        if tokens[place].text != name:
            continue
        before = tokens[place - 1].text if place else "\n"
        after = [each.text for each in tokens[place + 1 : place + 3]]
        if before == "import" and name in sys.modules:
            return known(sys.modules[name])
        if before in ("\n", ";", ":") and after[:1] == ["="] and after[1:] != ["="]:
            ends = (at for at in range(place, len(tokens)) if tokens[at].kind == END)
            return reach(tokens[: next(ends, len(tokens))], namespace, depth + 1)
    return None


def _attribute(outer: Reached, name: str) -> "Reached | None":
    if issubclass(outer.kind, torch.Tensor) and name in _OF_TENSORS:
        return Reached(_OF_TENSORS[name])
    own = outer.own()
    if name in own:
        return known(own[name])
    if issubclass(outer.kind, types.ModuleType) and outer.thing is not None:
        inner = sys.modules.get(f"{own.get('__name__')}.{name}")
        return None if inner is None else known(inner)
    found: Any = outer.attributes().get(name)
    kind = type(found)
    if kind in (staticmethod, classmethod):
        return known(found.__func__, method=kind is classmethod)
    if found is None or kind in (property, types.GetSetDescriptorType):
        return None
    of_class = issubclass(outer.kind, type) or issubclass(kind, type)
    return known(found, method=not of_class)


def _result(called: Reached) -> "Reached | None":
    if called.thing is None:
        return None
    if issubclass(called.kind, type):
        return Reached(called.thing)
    if things.kind_of(called.thing) == things.MODEL:
        return Reached(torch.Tensor)  # as nearly all do
    if called.kind is types.FunctionType:
        given = called.thing.__annotations__.get("return")
        if isinstance(given, type):
            return Reached(given)
    signature = signature_of(called.thing, "")
    result = _RESULTS.get("" if signature is None else signature.result)
    return None if result is None else Reached(result)


def _item(outer: Reached, index: "Sequence[Token]") -> "Reached | None":
    """At an index that is not known yet, the first."""
    if issubclass(outer.kind, torch.Tensor):
        return Reached(torch.Tensor)
    kind = None if outer.thing is None else things.kind_of(outer.thing)
    try:
        at = ast.literal_eval("".join(each.text for each in index))
    except (ValueError, SyntaxError):
        at = None
    inside: Any = outer.thing
    if kind == things.MODEL:
        layers = things.modules_in(inside)
        inside = layers if at in layers else list(layers.values())
    elif kind != things.COLLECTION:
        return None
    found = things.values_in(inside, 1)
    try:
        if issubclass(type(inside), dict):
            found = [dict.get(inside, at, *found)]
        elif issubclass(type(inside), (list, tuple)):
            found = [
                (list if issubclass(type(inside), list) else tuple).__getitem__(inside, at)
            ]
    except (LookupError, TypeError):
        pass
    return known(found[0]) if found else None
