"""Completing: how what is being typed may go on, from the live objects.

Called from a thread of its own, while a cell may run: no code of the person's own runs for it,
and no card is touched.
"""

import ast
import builtins
import importlib.util
import inspect
import keyword
import pkgutil
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from gpuexplorer.lab.events import Completed
from gpuexplorer.lab.wire import Complete
from gpuexplorer.worker.shelf import (
    COLLECTION,
    MODEL,
    TENSOR,
    attributes_of,
    elements_of,
    kind_of,
    modules_in,
    tensors_in,
    text_of,
)

_MOST = 2000  # words, keys of a dictionary, files of a folder
_LONGEST = 300  # letters of a sentence
_TOKEN = re.compile(
    r"""
    (?P<remark>\#[^\n]*|\\\n) | (?P<mark>[()\[\]{}\n;])
    | (?P<prefix>(?:\b[rbufRBUF]{1,2})?)
        (?:(?P<thrice>\"{3}|'{3})(?:\\.|(?!(?P=thrice)).)*(?P<shut>(?P=thrice))?
        | (?P<once>["'])(?:\\.|(?!(?P=once))[^\n])*(?P<closed>(?P=once)|(?=\n))?)
    """,
    re.VERBOSE | re.DOTALL,
)
_BEGINNING = re.compile(r"""(?<![\w.])[^\W\d]|(?<!")"|[(\[{]""")
_VALUES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Dict)
_IMPORT = re.compile(r"\s*(from|import)\b\s*(.*?)\s*")
_NEW_NAME = re.compile(r"\b(?:def|class|as|for|lambda|global|nonlocal)\s+$")
_DEVICE = re.compile(r"\b(?:(?:device|map_location)\s*=|(?:to|device)\s*\()\s*$")
_FILE = re.compile(r"\b(?:open|load|save|Path|chdir|listdir|loadtxt|imread)\s*\(\s*$")


# Any: the namespace holds whatever a person made.
def complete(
    command: Complete, namespace: "Mapping[str, Any]", devices: "Sequence[str]" = ()
) -> Completed:
    """`devices`: the names of those that this PyTorch offers."""
    typed = _Typed(command.code[: command.at], namespace, devices)
    begun, words = typed.goes_on()
    hidden = begun.startswith("_")
    fitting = (
        each
        for each in dict.fromkeys(words)
        if each.startswith(begun) and each != begun and (hidden or each[0] != "_")
    )
    text, _, doc = typed.called()
    begin = command.at - len(begun)
    return Completed(command.id, begin, tuple(islice(fitting, _MOST)), text, doc)


class _Typed:
    """Code up to the cursor. `plain` is as long, with each string as a run of quotes, blanks in
    place of remarks, and one line for each statement.
    """

    def __init__(
        self, code: str, namespace: "Mapping[str, Any]", devices: "Sequence[str]"
    ) -> None:
        self._code, self._namespace, self._devices = code, namespace, devices
        self._open: list[int] = []  # brackets
        self._quoted: str | None = None  # what the string or remark has that the cursor is in
        self._plain = _TOKEN.sub(self._simplified, code)

    def _simplified(self, found: "re.Match[str]") -> str:
        text, last = found[0], found.end() == len(self._code)
        if found["remark"] is not None:
            self._quoted = text if last and text[0] == "#" else None
            return " " * len(text)
        if found["mark"] is not None:
            if text in "([{":
                self._open.append(found.start())
            elif text in ")]}":
                self._open = self._open[:-1]
            elif text == "\n" and self._open:
                return " "
            return text.replace(";", "\n")
        if last and not (found["shut"] or found["closed"]):
            brace = text.rfind("{") + 1
            if "f" in found["prefix"].lower() and brace > text.rfind("}") + 1:
                return '"' * brace + text[brace:]
            self._quoted = text.partition(found["thrice"] or found["once"])[2]
        return '"' * len(text)

    def goes_on(self) -> "tuple[str, Iterable[str]]":
        """What is begun, and the words that may take its place, and others."""
        if self._quoted is not None:
            return self._in_string(self._quoted)
        begun = re.search(r"\w*$", self._plain)[0]  # type: ignore[index]  # matches any text
        before = self._plain[: len(self._plain) - len(begun)]
        line = before.rpartition("\n")[2]
        if importing := _IMPORT.fullmatch(line):
            return begun, _importable(importing[1], importing[2])
        if line.rstrip().endswith("."):
            return begun, self._attributes(len(before.rstrip()) - 1)
        if begun[:1].isdigit() or _NEW_NAME.search(line):
            return begun, ()
        return begun, self._names(before, begun)

    def _attributes(self, end: int) -> "Iterable[str]":
        """Functions before classes and constants."""
        thing = self._value(end)
        if thing is not None:
            words = filter(str.isidentifier, _attributes_of(thing))
            return sorted(words, key=lambda name: (name[:1].isupper(), name))
        # Of one such as self: whatever this code says of it.
        name = re.search(r"[^\W\d]\w*$", self._plain[:end])
        return re.findall(rf"\b{name[0]}\.(\w+)\b(?!$)", self._plain) if name else ()

    def _names(self, before: str, begun: str) -> "Iterator[str]":
        """First what the call takes, then what the session has, then what Python has."""
        yield from self._keys(before)
        if before.rstrip()[-1:] in ("(", ","):
            yield from (f"{name}=" for name in self.called()[1])
        yield from sorted(self._namespace)
        yield from sorted(re.findall(r"[^\W\d]\w*", before))
        if begun:
            yield from keyword.kwlist
            yield from sorted(vars(builtins))

    def _in_string(self, quoted: str) -> "tuple[str, Iterable[str]]":
        before = self._plain.rstrip('"')
        if _FILE.search(before):
            folder, slash, part = quoted.rpartition("/")
            found = islice(Path(folder + slash).expanduser().glob("*"), _MOST)
            return part, sorted(f"{e.name}/" if e.is_dir() else e.name for e in found)
        if _DEVICE.search(before):
            return quoted, self._devices
        return quoted, [each[1:-1] for each in self._keys(before) if each[0] in "'\""]

    def _keys(self, before: str) -> "Iterable[str]":
        """As they are written, of the dictionary whose bracket was opened right before."""
        opened = self._open[-1:] if before.rstrip().endswith("[") else []
        thing = self._value(opened[0]) if opened else None
        if not issubclass(type(thing), dict):
            return ()
        return [way[1:-1] for way, _ in elements_of(thing, _MOST)]

    def called(self) -> "tuple[str, Sequence[str], str]":
        """What the innermost open bracket calls: as it would be defined, the names of what it
        takes, and a sentence.
        """
        for place in reversed(self._open):
            before = self._plain[:place]
            name = re.search(r"(\b(?:def|class)\s+)?([^\W\d]\w*)?\s*$", before)
            called = self._value(place) if self._plain[place] == "(" else None
            if called is not None and name is not None and not name[1]:
                return _signature(called, name[2] or "")
        return "", (), ""

    def _value(self, end: int) -> Any:
        """Of the expression that ends there. None: nobody knows. A call is not carried out: a
        stand-in tells what its result has.
        """
        line = self._plain.rfind("\n", 0, end) + 1
        opened = max((place + 1 for place in self._open if place < end), default=0)
        for found in _BEGINNING.finditer(self._plain, max(line, opened), end):
            try:
                tree = ast.parse(f"({self._code[found.start() : end]}\n)", mode="eval").body
            except (SyntaxError, ValueError):
                continue
            if isinstance(tree, _VALUES):
                return self._given(tree, self._plain[:line])
        return None

    def _given(self, node: ast.expr, before: str) -> Any:
        """`before`: the statements before the one that has it."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.List():
                return []
            case ast.Dict():
                return {}
            case ast.Name(id=name):
                return self._named(name, before)
            case ast.Attribute(value=inner, attr=name):
                found = _attributes_of(self._given(inner, before)).get(name)
                computed = type(found) in (property, types.GetSetDescriptorType)
                return None if computed else found
            case ast.Subscript(value=inner, slice=index):
                return _inside(self._given(inner, before), f"[{ast.unparse(index)}]")
            case ast.Call(func=inner):
                return _result(self._given(inner, before))
        return None

    def _named(self, name: str, before: str) -> Any:
        """By the namespace; else by what this very code says before."""
        for names in (self._namespace, vars(builtins)):
            if name in names:
                return names[name]
        if name in sys.modules and re.search(rf"\bimport\s+{name}\b", before):
            return sys.modules[name]
        found = [*re.finditer(rf"^[ \t]*{name}[ \t]*=(?!=).+$", before, re.MULTILINE)]
        return self._value(found[-1].end()) if found else None


def _importable(word: str, said: str) -> "Iterable[str]":
    """`said`: what stands between `from` or `import` and the cursor. Nothing is imported."""
    path, imports, _ = said.partition(" import")
    if word == "from" and imports:
        module = sys.modules.get(path.strip())
        return (*sorted(attributes_of(module)), *_modules(path.strip()))
    last = said.rpartition(",")[2].strip()
    return _modules(last[:-1]) if last[-1:] in ("", ".") else ()


def _modules(package: str) -> "Sequence[str]":
    """Those in a package; of all there are where it has no name."""
    if not package:
        found = {each.name for each in pkgutil.iter_modules()}
        return sorted(found | sys.stdlib_module_names)
    first, *rest = package.split(".")
    spec = importlib.util.find_spec(first) if first else None
    roots = spec.submodule_search_locations or () if spec is not None else ()
    where = [str(Path(root, *rest)) for root in roots]
    return sorted(each.name for each in pkgutil.iter_modules(where))


# Stands for each tensor that code computes; its attributes for those of each.
_TENSOR = torch.empty(0, 0)
_BOUND = (types.FunctionType, classmethod, staticmethod)
_OF_TENSORS = {
    **{
        name: getattr(_TENSOR, name) for name in ("T", "mT", "data", "shape", "device", "dtype")
    },
    "grad": _TENSOR,
}


# Any, here and below: whatever a person made.
def _attributes_of(thing: Any) -> "dict[str, Any]":
    """Without what a class answers by code of its own."""
    is_class = issubclass(type(thing), type)
    whole = thing if is_class else type(thing)
    found = {
        name: each.__get__(None if is_class else thing, whole) if type(each) in _BOUND else each
        for kind in reversed(type.mro(whole))
        for name, each in vars(kind).items()
    }
    if is_class:
        return found
    if kind_of(thing) == TENSOR:
        found |= _OF_TENSORS
    elif kind_of(thing) == MODEL:
        found |= tensors_in(thing) | modules_in(thing)
    return found | attributes_of(thing)


def _inside(thing: Any, index: str) -> Any:
    """At an index that is not known yet, the first."""
    its = kind_of(thing)
    if its == TENSOR:
        return _TENSOR
    found = dict(elements_of(thing, _MOST)) if its == COLLECTION else {}
    if its == MODEL:
        found = {f"[{name}]": each for name, each in modules_in(thing).items()}
    return found.get(index, next(iter(found.values()), None))


def _result(called: Any) -> Any:
    """PyTorch's documentation says what gives a tensor; nearly all models give one."""
    if not issubclass(type(called), type):
        gives = kind_of(called) == MODEL or _head(called).endswith("-> Tensor")
        return _TENSOR if gives else None
    if issubclass(called, torch.Tensor):
        return _TENSOR
    try:
        return object.__new__(called)
    except TypeError:  # it is written in C; the words of the class will do
        return called


_ROLE = re.compile(r":[\w:]+:`~?([^`<]*)[^`]*`|``([^`]*)``|`([^`]*)`")


def _signature(called: Any, name: str) -> "tuple[str, Sequence[str], str]":
    """`name` is how it is called, which a function need not know."""
    head, doc = _head(called), _doc(called)
    text = doc.removeprefix(head).strip().partition("\n\n")[0]
    plain = " ".join(_ROLE.sub(r"\1\2\3", text).split())
    said = re.split(r"(?<=[.!?])\s", plain)[0][:_LONGEST]
    function = called
    if kind_of(called) == MODEL:
        function = types.MethodType(type(called).forward, called)
    elif not inspect.isroutine(called) and not inspect.isclass(called):
        return "", (), said
    try:
        known = inspect.signature(function)
    except (ValueError, TypeError):  # it keeps them for itself, as most of PyTorch does
        inside = head[head.find("(") + 1 : head.rfind(")")] or "…"
        names = re.findall(r"(?:^|,)\s*([a-z]\w*)", inside)
        return f"{name}({inside})" if doc else "", names, said
    shown = []
    for each in known.parameters.values():
        default = each.default
        if default is not each.empty:
            default = _Shown(text_of(default, 1))
        shown.append(each.replace(annotation=each.empty, default=default))
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [each.name for each in shown if each.kind in by_name]
    return f"{name}{inspect.Signature(shown)}", names, said


class _Shown(str):
    """A default value, of whose class no code runs."""

    __repr__ = str.__str__


def _doc(called: Any) -> str:
    of = called if inspect.isroutine(called) or inspect.isclass(called) else type(called)
    return inspect.cleandoc(of.__doc__ or "")


def _head(called: Any) -> str:
    """With which the documentation begins: "ones(*size, out=None) -> Tensor"."""
    line = _doc(called).partition("\n")[0].strip()
    return line if re.match(r"[\w.]+\(.*\)", line) else ""
