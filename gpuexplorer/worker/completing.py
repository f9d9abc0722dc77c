"""Completing: how what is being typed may go on, from the live objects.

Called from a thread of its own, while a cell may run: no code of the person's own runs for it,
and no card is touched.
"""

import ast
import builtins
import functools
import importlib.util
import inspect
import keyword
import pkgutil
import re
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpuexplorer.lab.events import Completed
from gpuexplorer.lab.wire import Complete
from gpuexplorer.worker.shelf import (
    COLLECTION,
    MODEL,
    attributes_of,
    kind_of,
    modules_in,
    tensors_in,
    text_of,
    values_in,
)

_MOST_WORDS = 2000
_MOST_FILES = 1000
_DEEPEST = 50
_LONGEST = 300  # letters of a sentence
_NEW_NAMES = {"def", "class", "as", "for", "lambda", "global", "nonlocal"}  # come after these
_DEVICE_NAMES = {"device", "map_location", "device_type"}  # take the name of a device
_DEVICE_CALLS = {"to", "device", "set_default_device", "to_empty", "move_to"}
_FILE_CALLS = {"open", "load", "save", "Path", "chdir", "listdir", "loadtxt", "imread"}
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


# Any: the namespace holds whatever a person made.
def complete(
    command: Complete, namespace: "Mapping[str, Any]", devices: "Sequence[str]" = ()
) -> Completed:
    """`devices`: the names of those that this PyTorch offers."""
    code = command.code[: command.at]
    begin, words, called = _Completion(code, namespace, devices).found()
    text, doc = ("", "") if called is None else (called.text, called.doc)
    kept = tuple(islice(dict.fromkeys(words), _MOST_WORDS))
    return Completed(command.id, command.at - (len(code) - begin), kept, text, doc)


class Token(NamedTuple):
    kind: str
    text: str
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


class _Completion:
    def __init__(
        self, code: str, namespace: "Mapping[str, Any]", devices: "Sequence[str]"
    ) -> None:
        self._code = code
        self._namespace = namespace
        self._devices = devices
        self._end = len(code)
        self._read: list[Token] = []
        self._brackets: list[int] = []  # the tokens that opened and are not closed
        self._in_comment = self._formatted = False
        self._quoted: str | None = None  # the string the cursor is in, from its quote on
        self._take_tokens()
        self._tokens = list(self._read)
        self._begun = ""  # the word that the cursor stands in
        last = self._tokens[-1] if self._tokens else None
        if last is not None and last.kind == "name" and last.end == self._end:
            self._begun = last.text
            self._tokens.pop()
        self._texts = [each.text for each in self._tokens]

    def found(self) -> "tuple[int, Iterable[str], Signature | None]":
        """Where the words begin, the words, and the call that the cursor is in."""
        if self._in_comment:
            return self._end, (), None
        called = self._called()
        last = self._read[-1] if self._read else None
        if last is not None and last.kind == "number" and last.end == self._end:
            return self._end, (), called  # no name goes on there, and its point is its own
        if self._quoted is not None:
            return (*self._in_string(self._quoted), called)
        return self._end - len(self._begun), self._words(called), called

    def _take_tokens(self) -> None:
        """Whether or not the code parses."""
        for match in _TOKEN.finditer(self._code):
            kind, last = str(match.lastgroup), match.end() == self._end
            text, before = match.group(), self._read
            if match["comment"] is not None:
                self._in_comment = last
            elif match["string"] is not None:
                if last and not (match["shut"] or match["closed"]):
                    quote = match["thrice"] or match["once"]
                    self._quoted = text[len(match["prefix"]) + len(quote) :]
                    self._formatted = "f" in match["prefix"].lower()
                    return
                before.append(Token("string", text, match.start()))
            elif match["joined"] is None:
                if kind == "end" and self._brackets and text == "\n":
                    continue
                if kind == "mark" and text in "([{":
                    self._brackets.append(len(before))
                elif self._brackets and before[self._brackets[-1]].text == _OPENING.get(text):
                    self._brackets.pop()
                before.append(Token(kind, text, match.start()))

    def _words(self, called: "Signature | None") -> "Iterable[str]":
        """What begins with _ is offered to whoever types that."""
        before = self._texts[-1] if self._texts else ""
        imported = self._importable()
        if imported is not None:
            words: Iterable[str] = imported
        elif before == ".":  # functions before classes and constants
            words = sorted(self._attributes(), key=lambda name: (name[:1].isupper(), name))
        else:
            words = () if before in _NEW_NAMES else self._names(called, before)
        begun = self._begun
        hidden = begun.startswith("_")
        return (
            each
            for each in words
            if each.startswith(begun) and each != begun and (hidden or each[:1] != "_")
        )

    def _attributes(self) -> "Iterable[str]":
        reached = self._reach(self._tokens[:-1])
        if reached is not None:
            return [each for each in reached.attributes() if str.isidentifier(each)]
        name = self._texts[-2] if len(self._texts) > 1 else ""
        return [  # of one such as self: whatever this code says of it
            word
            for outer, dot, word in zip(self._texts, self._texts[1:], self._texts[2:])  # noqa: B905 - they differ by one
            if (outer, dot) == (name, ".") and word.isidentifier()
        ]

    def _names(self, called: "Signature | None", before: str) -> "Iterable[str]":
        """First what the call takes, then what the session has, then what Python has."""
        yield from self._keys()
        if called is not None and before in ("(", ","):
            yield from (f"{name}=" for name in called.names)
        yield from sorted(name for name in list(self._namespace) if type(name) is str)
        yield from sorted({each.text for each in self._tokens if each.kind == "name"})
        if self._begun:
            yield from keyword.kwlist
            yield from sorted(vars(builtins))

    def _in_string(self, quoted: str) -> "tuple[int, Iterable[str]]":
        brace = quoted.rfind("{")
        if self._formatted and brace > quoted.rfind("}"):
            inner = _Completion(quoted[brace + 1 :], self._namespace, self._devices)
            begin, words, _ = inner.found()
            return self._end - len(quoted) + brace + 1 + begin, words
        offered = [each[1:-1] for each in self._keys() if each[0] in "'\""]
        before = self._texts[-2:]
        opened = [each for each in self._brackets if self._read[each].text == "("]
        call = self._read[opened[-1] - 1].text if opened and opened[-1] else ""
        if (before[-1:] == ["="] and before[0] in _DEVICE_NAMES) or (
            before[-1:] == ["("] and call in _DEVICE_CALLS
        ):
            offered += self._devices
        elif before[-1:] in (["("], ["="]) and call in _FILE_CALLS:
            folder, _, part = quoted.rpartition("/")
            names = _files_in(f"{folder}/" if "/" in quoted else "")
            return self._end - len(part), [each for each in names if each.startswith(part)]
        words = [each for each in offered if each.startswith(quoted) and each != quoted]
        return self._end - len(quoted), words

    def _keys(self) -> "Iterable[str]":
        """As they are written, of the dictionary whose bracket was opened right before."""
        reached = self._reach(self._tokens[:-1]) if self._texts[-1:] == ["["] else None
        if reached is None or reached.thing is None or not issubclass(reached.kind, dict):
            return []
        keys = list(islice(dict.keys(reached.thing), _MOST_WORDS))
        return [text_of(key, 1) for key in keys]

    def _called(self) -> "Signature | None":
        """What the innermost open bracket calls."""
        for place in reversed(self._brackets):
            before = self._read[:place]
            if self._read[place].text != "(" or not _ends_value(before):
                continue
            if len(before) > 1 and before[-2].text in _NEW_NAMES:
                continue
            reached = self._reach(before)
            if reached is None or reached.thing is None:
                return None
            return signature_of(reached.thing, before[-1].text, method=reached.method)
        return None

    def _importable(self) -> "Iterable[str] | None":
        """Names of modules, or of what is in one. None: this line imports nothing."""
        ends = [place for place, each in enumerate(self._tokens) if each.kind == "end"]
        texts = self._texts[ends[-1] + 1 :] if ends else self._texts
        if texts[:1] == ["import"]:
            last = texts[len(texts) - texts[::-1].index(",") :] if "," in texts else texts[1:]
            return _modules(last)
        if texts[:1] != ["from"]:
            return None
        if "import" not in texts:
            path = texts[1:]
            return ["import"] if path and path[-1] != "." else _modules(path)
        path = texts[1 : texts.index("import")]
        module = sys.modules.get("".join(path))
        own = () if module is None else sorted(Reached(type(module), module).own())
        return (*own, *_modules([*path, "."]))

    def _reach(self, tokens: "Sequence[Token]", depth: int = 0) -> "Reached | None":
        """What the expression at the end of these tokens gives. None: nobody knows."""
        first = _first_of_value(tokens)
        if first is None or depth > _DEEPEST:
            return None
        text = self._code[tokens[first].begin : tokens[-1].end]
        try:
            tree = ast.parse(f"({text}\n)", mode="eval").body
            return self._given(tree, tokens, depth)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None

    def _given(self, node: ast.expr, tokens: "Sequence[Token]", depth: int) -> "Reached | None":
        match node:
            case ast.Constant(value=value):
                return Reached(type(value))
            case ast.List() | ast.ListComp():
                return Reached(list)
            case ast.Dict() | ast.DictComp():
                return Reached(dict)
            case ast.JoinedStr():
                return Reached(str)
            case ast.Name(id=name):
                return self._named(name, tokens, depth)
            case ast.Attribute() | ast.Call() | ast.Subscript():
                inner = node.func if isinstance(node, ast.Call) else node.value
                outer = self._given(inner, tokens, depth)
                if outer is None:
                    return None
                if isinstance(node, ast.Attribute):
                    return _attribute(outer, node.attr)
                return (
                    _result(outer) if isinstance(node, ast.Call) else _item(outer, node.slice)
                )
        return None

    def _named(self, name: str, tokens: "Sequence[Token]", depth: int) -> "Reached | None":
        """By the namespace; else by what this very code says before."""
        for names in (self._namespace, vars(builtins)):
            if name in names:
                return Reached(type(names[name]), names[name])
        texts = [each.text for each in tokens]
        for place in range(len(tokens) - 2, -1, -1):
            if texts[place] != name:
                continue
            before = texts[place - 1] if place else "\n"
            if before == "import" and name in sys.modules:
                return Reached(types.ModuleType, sys.modules[name])
            after = texts[place + 1 : place + 3]
            if before in ("\n", ";", ":") and after[:1] == ["="] and after[1:] != ["="]:
                ends = (at for at in range(place, len(tokens)) if tokens[at].kind == "end")
                return self._reach(tokens[: next(ends, len(tokens))], depth + 1)
        return None


def _ends_value(tokens: "Sequence[Token]") -> bool:
    """Whether a bracket or a dot after these belongs to a value before it."""
    if not tokens:
        return False
    last = tokens[-1]
    named = last.kind == "name" and not keyword.iskeyword(last.text)
    return named or last.kind == "string" or last.text in (")", "]", "}")


def _first_of_value(tokens: "Sequence[Token]") -> "int | None":
    """The token with which the value begins that ends with the last."""
    at = len(tokens)
    while _ends_value(tokens[:at]):
        if tokens[at - 1].text not in _OPENING:
            at -= 1
            if not at or tokens[at - 1].text != ".":
                return at
            at -= 1
            continue
        depth = 0
        for place in range(at - 1, -1, -1):
            token = tokens[place]
            if token.kind == "mark":
                depth += (token.text in ")]}") - (token.text in "([{")
                if depth == 0:
                    break
        else:
            return None
        closed, at = tokens[at - 1].text, place
        if closed == "}" or not _ends_value(tokens[:at]):
            return at
    return None


@functools.lru_cache(maxsize=1)
def _installed(folders: "tuple[tuple[str, float], ...]") -> "Sequence[str]":
    found = {each.name for each in pkgutil.iter_modules([folder for folder, _ in folders])}
    return sorted(found | sys.stdlib_module_names)


def _stamp(folder: str) -> "tuple[str, float]":
    """Another one when something was installed there."""
    try:
        return folder, Path(folder or ".").stat().st_mtime
    except OSError:
        return folder, 0.0


def _modules(path: "Sequence[str]") -> "Sequence[str]":
    """`path`: what stands before the cursor, such as torch and a dot. Nothing is imported."""
    if not path:
        return _installed(tuple(map(_stamp, sys.path)))
    if path[-1] != ".":
        return ()
    first, *rest = "".join(path[:-1]).split(".")
    module = sys.modules.get(".".join((first, *rest)))
    where = list(getattr(module, "__path__", []))
    if module is None:
        spec = importlib.util.find_spec(first)
        roots = [] if spec is None else list(spec.submodule_search_locations or [])
        where = [str(Path(root, *rest)) for root in roots]
    return sorted(each.name for each in pkgutil.iter_modules(where))


def _files_in(folder: str) -> "Sequence[str]":
    try:
        found = list(islice(Path(folder).expanduser().iterdir(), _MOST_FILES))
        return sorted(f"{each.name}/" if each.is_dir() else each.name for each in found)
    except (OSError, RuntimeError):  # nobody may look there, or ~ is nobody's
        return ()


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
    said = _sentence(doc)
    function, bound = _function_of(called)
    try:
        known = inspect.signature(function)
    except (ValueError, TypeError):  # it keeps them for itself, as most of PyTorch does
        written = _HEAD.match(doc.partition("\n")[0].strip())
        if written is None:
            return Signature(f"{name}(…)", (), said) if said else None
        inside, result = written[2], written[3] or ""
        return Signature(f"{name}({inside})", _NAMES.findall(inside), said, result)
    shown = [
        each.replace(annotation=each.empty)
        if each.default is each.empty
        else each.replace(annotation=each.empty, default=_Shown(each.default))
        for each in list(known.parameters.values())[bound or method :]
    ]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [each.name for each in shown if each.kind in by_name]
    return Signature(f"{name}{inspect.Signature(shown)}", names, said)


class _Shown:
    """A default value, of whose class no code runs."""

    def __init__(self, value: Any) -> None:
        self._text = text_of(value, 1)

    def __repr__(self) -> str:
        return self._text


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
    name = "forward" if kind_of(called) == MODEL else "__call__"
    method = inspect.getattr_static(kind, name, None)
    return (method, True) if type(method) is types.FunctionType else (None, False)


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
        of_class = issubclass(self.kind, type) and self.thing is not None
        for kind in (self.kind, self.thing) if of_class else (self.kind,):
            for each in reversed(type.mro(kind)):  # type: ignore[arg-type]  # a class
                found.update(vars(each))
        return found | self.own()

    def own(self) -> "dict[str, Any]":
        """Those that are not its class's."""
        if self.thing is None or issubclass(self.kind, type):
            return {}
        found = attributes_of(self.thing)
        if kind_of(self.thing) == MODEL:
            found |= tensors_in(self.thing) | modules_in(self.thing)
        return found


def _attribute(outer: Reached, name: str) -> "Reached | None":
    if issubclass(outer.kind, torch.Tensor) and name in _OF_TENSORS:
        return Reached(_OF_TENSORS[name])
    own = outer.own()
    if name in own:
        return Reached(type(own[name]), own[name])
    if issubclass(outer.kind, types.ModuleType) and outer.thing is not None:
        inner = sys.modules.get(f"{own.get('__name__')}.{name}")
        return None if inner is None else Reached(type(inner), inner)
    found: Any = outer.attributes().get(name)
    kind = type(found)
    if kind in (staticmethod, classmethod):
        return Reached(types.FunctionType, found.__func__, kind is classmethod)
    if found is None or kind in (property, types.GetSetDescriptorType):
        return None
    of_class = issubclass(outer.kind, type) or issubclass(kind, type)
    return Reached(kind, found, not of_class)


def _result(called: Reached) -> "Reached | None":
    if called.thing is None:
        return None
    if issubclass(called.kind, type):
        return Reached(called.thing)
    if kind_of(called.thing) == MODEL:
        return Reached(torch.Tensor)  # as nearly all do
    if called.kind is types.FunctionType:
        given = called.thing.__annotations__.get("return")
        if isinstance(given, type):
            return Reached(given)
    signature = signature_of(called.thing, "")
    result = _RESULTS.get("" if signature is None else signature.result)
    return None if result is None else Reached(result)


def _item(outer: Reached, index: ast.expr) -> "Reached | None":
    """At an index that is not known yet, the first."""
    if issubclass(outer.kind, torch.Tensor):
        return Reached(torch.Tensor)
    kind = None if outer.thing is None else kind_of(outer.thing)
    try:
        at = ast.literal_eval(index)
    except (ValueError, TypeError):
        at = None
    inside: Any = outer.thing
    if kind == MODEL:
        layers = modules_in(inside)
        inside = layers if at in layers else list(layers.values())
    elif kind != COLLECTION:
        return None
    found = values_in(inside, 1)
    of = next((each for each in (dict, list, tuple) if issubclass(type(inside), each)), None)
    try:
        if of is dict:
            found = [dict.get(inside, at, *found)]
        elif of is not None:
            found = [of.__getitem__(inside, at)]
    except (LookupError, TypeError):
        pass
    return Reached(type(found[0]), found[0]) if found else None
