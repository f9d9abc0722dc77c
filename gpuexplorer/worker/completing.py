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
import threading
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpuexplorer.lab.events import Completed
from gpuexplorer.lab.wire import Complete
from gpuexplorer.worker import shelf

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
    name = "forward" if shelf.kind_of(called) == shelf.MODEL else "__call__"
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
        given = "" if each.default is each.empty else f"={shelf.text_of(each.default, 1)}"
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
        found = shelf.attributes_of(self.thing)
        if shelf.kind_of(self.thing) == shelf.MODEL:
            found |= shelf.tensors_in(self.thing) | shelf.modules_in(self.thing)
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
    if shelf.kind_of(called.thing) == shelf.MODEL:
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
    kind = None if outer.thing is None else shelf.kind_of(outer.thing)
    try:
        at = ast.literal_eval("".join(each.text for each in index))
    except (ValueError, SyntaxError):
        at = None
    inside: Any = outer.thing
    if kind == shelf.MODEL:
        layers = shelf.modules_in(inside)
        inside = layers if at in layers else list(layers.values())
    elif kind != shelf.COLLECTION:
        return None
    found = shelf.values_in(inside, 1)
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


_MOST_WORDS = 2000
_MOST_FILES = 1000
_PATIENCE = 0.3  # seconds
_NEW_NAMES = {"def", "class", "as", "for", "lambda", "global", "nonlocal"}  # come after these
_DEVICE_NAMES = {"device", "map_location", "device_type"}  # take the name of a device
_DEVICE_CALLS = {"to", "device", "set_default_device", "to_empty", "move_to"}
_FILE_CALLS = {"open", "load", "save", "Path", "chdir", "listdir", "loadtxt", "imread"}


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


class _Completion:
    def __init__(
        self, code: str, namespace: "Mapping[str, Any]", devices: "Sequence[str]"
    ) -> None:
        self._namespace = namespace
        self._devices = devices
        self._end = len(code)
        self._typed: HalfTyped = read(code)
        self._tokens = list(self._typed.tokens)
        self._begun = ""  # the word that the cursor stands in
        last = self._tokens[-1] if self._tokens else None
        if last is not None and last.kind == NAME and last.end == self._end:
            self._begun = last.text
            self._tokens.pop()

    def found(self) -> "tuple[int, Iterable[str], Signature | None]":
        """Where the words begin, the words, and the call that the cursor is in."""
        typed = self._typed
        called = None if typed.in_comment else self._called()
        if typed.in_comment or self._after_number():
            return self._end, (), called
        if typed.quoted is not None:
            return (*self._in_string(typed.quoted), called)
        return self._end - len(self._begun), self._words(called), called

    def _words(self, called: "Signature | None") -> "Iterable[str]":
        before = self._tokens[-1].text if self._tokens else ""
        imported = self._importable()
        if imported is not None:
            return self._begun_so(imported)
        if before == ".":
            return self._begun_so(sorted(self._attributes(), key=_lower_first))
        if before in _NEW_NAMES:
            return ()
        return self._begun_so(self._names(called))

    def _attributes(self) -> "Iterable[str]":
        tokens = self._tokens[:-1]
        reached = reach(tokens, self._namespace)
        if reached is not None:
            return [each for each in reached.attributes() if str.isidentifier(each)]
        if not tokens:
            return ()
        name = tokens[-1].text  # such as self: whatever this code says of it
        texts = [each.text for each in self._tokens]
        return [
            word
            for outer, dot, word in zip(texts, texts[1:], texts[2:], strict=False)
            if (outer, dot) == (name, ".") and word.isidentifier()
        ]

    def _names(self, called: "Signature | None") -> "Iterable[str]":
        """First what the call takes, then what the session has, then what Python has."""
        yield from self._keys()
        before = self._tokens[-1].text if self._tokens else ""
        if called is not None and before in ("(", ","):
            yield from (f"{name}=" for name in called.names)
        yield from sorted(name for name in list(self._namespace) if type(name) is str)
        yield from sorted({each.text for each in self._tokens if each.kind == NAME})
        if self._begun:
            yield from keyword.kwlist
            yield from sorted(vars(builtins))

    def _begun_so(self, words: "Iterable[str]") -> "Iterable[str]":
        """What begins with _ is offered to whoever types that."""
        begun = self._begun
        hidden = begun.startswith("_")
        return (
            each
            for each in words
            if each.startswith(begun) and each != begun and (hidden or each[:1] != "_")
        )

    def _in_string(self, quoted: str) -> "tuple[int, Iterable[str]]":
        brace = quoted.rfind("{")
        if self._typed.formatted and brace > quoted.rfind("}"):
            inner = _Completion(quoted[brace + 1 :], self._namespace, self._devices)
            begin, words, _ = inner.found()
            return self._end - len(quoted) + brace + 1 + begin, words
        begin = self._end - len(quoted)
        offered = [each[1:-1] for each in self._keys(strings_alone=True)]
        before = [each.text for each in self._tokens[-2:]]
        call = self._called_name()
        if (before[-1:] == ["="] and before[0] in _DEVICE_NAMES) or (
            before[-1:] == ["("] and call in _DEVICE_CALLS
        ):
            offered += self._devices
        elif before[-1:] in (["("], ["="]) and call in _FILE_CALLS:
            folder, _, part = quoted.rpartition("/")
            root = f"{folder}/" if "/" in quoted else ""
            names = _in_a_moment(lambda: _files_in(root), ())
            return self._end - len(part), [each for each in names if each.startswith(part)]
        return begin, [each for each in offered if each.startswith(quoted) and each != quoted]

    def _keys(self, *, strings_alone: bool = False) -> "Iterable[str]":
        """As they are written, of the dictionary whose bracket was opened right before."""
        tokens = self._tokens
        if not tokens or tokens[-1].text != "[" or not ends_value(tokens[:-1]):
            return
        reached = reach(tokens[:-1], self._namespace)
        if reached is None or reached.thing is None or not issubclass(reached.kind, dict):
            return
        for key in list(islice(dict.keys(reached.thing), _MOST_WORDS)):
            if type(key) is str or not strings_alone:
                yield shelf.text_of(key, 1)

    def _called(self) -> "Signature | None":
        """What the innermost open bracket calls."""
        tokens = self._typed.tokens
        for place in reversed(self._typed.brackets):
            if tokens[place].text != "(":
                continue
            before = tokens[:place]
            if not ends_value(before) or (len(before) > 1 and before[-2].text in _NEW_NAMES):
                continue
            reached = reach(before, self._namespace)
            if reached is None or reached.thing is None:
                return None
            return signature_of(reached.thing, before[-1].text, method=reached.method)
        return None

    def _called_name(self) -> str:
        places = [each for each in self._typed.brackets if self._typed.tokens[each].text == "("]
        return self._typed.tokens[places[-1] - 1].text if places and places[-1] else ""

    def _after_number(self) -> bool:
        """Behind a number no name goes on, and its point is not that of an attribute."""
        last = self._typed.tokens[-1] if self._typed.tokens else None
        return last is not None and last.kind == "number" and last.end == self._end

    def _importable(self) -> "Iterable[str] | None":
        """Names of modules, or of what is in one. None: this line imports nothing."""
        line = self._tokens
        ends = [place for place, each in enumerate(line) if each.kind == END]
        texts = [each.text for each in (line[ends[-1] + 1 :] if ends else line)]
        if texts[:1] == ["import"]:
            last = texts[len(texts) - texts[::-1].index(",") :] if "," in texts else texts[1:]
            return _modules(last)
        if texts[:1] != ["from"]:
            return None
        if "import" not in texts:
            path = texts[1:]
            return ["import"] if path and path[-1] != "." else _modules(path)
        path = texts[1 : texts.index("import")]
        return (*_module_names(path), *_modules([*path, "."]))


def _module_names(path: "Sequence[str]") -> "Sequence[str]":
    module = sys.modules.get("".join(path))
    return () if module is None else sorted(known(module).own())


def _modules(path: "Sequence[str]") -> "Sequence[str]":
    """`path`: what stands before the cursor, such as torch and a dot. Nothing is imported."""
    if not path:
        loaded = {each.partition(".")[0] for each in list(sys.modules)}
        here = sorted(loaded | sys.stdlib_module_names)
        return _in_a_moment(lambda: _installed(tuple(map(_stamp, sys.path))), here)
    if path[-1] != ".":
        return ()
    return _in_a_moment(lambda: _modules_in("".join(path[:-1])), ())


def _stamp(folder: str) -> "tuple[str, float]":
    """Another one when something was installed there."""
    try:
        return folder, Path(folder or ".").stat().st_mtime
    except OSError:
        return folder, 0.0


@functools.lru_cache(maxsize=1)
def _installed(folders: "tuple[tuple[str, float], ...]") -> "Sequence[str]":
    found = {each.name for each in pkgutil.iter_modules([folder for folder, _ in folders])}
    return sorted(found | sys.stdlib_module_names)


def _modules_in(package: str) -> "Sequence[str]":
    first, *rest = package.split(".")
    module = sys.modules.get(package)
    if module is not None:
        where = list(getattr(module, "__path__", []))
    else:
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


def _lower_first(name: str) -> "tuple[bool, str]":
    """Functions before classes and constants."""
    return name[:1].isupper(), name


def _in_a_moment(
    work: "Callable[[], Sequence[str]]", otherwise: "Sequence[str]"
) -> "Sequence[str]":
    """A disk far away may take its time, and the window's other commands must not wait."""
    found: list[Sequence[str]] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the person's own threads left no room
        return otherwise
    thread.join(_PATIENCE)
    return found[0] if found else otherwise
