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
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import nn

from gpuexplorer.lab.events import Completed
from gpuexplorer.lab.wire import Complete
from gpuexplorer.worker.shelf import (
    COLLECTION,
    MODEL,
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
_DISPLAYS: "dict[type, type]" = {
    **dict.fromkeys((ast.List, ast.ListComp), list),
    **dict.fromkeys((ast.Dict, ast.DictComp), dict),
    ast.JoinedStr: str,
}
_VALUES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, *_DISPLAYS)
_IMPORT = re.compile(r"\s*(from|import)\b\s*(.*?)\s*")
_NEW_NAME = re.compile(r"\b(?:def|class|as|for|lambda|global|nonlocal)\s+$")
_DEVICE = re.compile(
    r"\b(?:(?:device|map_location|device_type)\s*="
    r"|(?:to|device|set_default_device|to_empty)\s*\()\s*$"
)
_FILE = re.compile(r"\b(?:open|load|save|Path|chdir|listdir|loadtxt|imread)\s*\(\s*$")


# Any: the namespace holds whatever a person made.
def complete(
    command: Complete, namespace: "Mapping[str, Any]", devices: "Sequence[str]" = ()
) -> Completed:
    """`devices`: the names of those that this PyTorch offers."""
    typed = _Typed(command.code[: command.at], namespace, devices)
    begin, words = typed.goes_on()
    text, _, doc = typed.called()
    kept = tuple(islice(dict.fromkeys(words), _MOST))
    return Completed(command.id, begin, kept, text, doc)


@dataclass(frozen=True)
class _Reached:
    """What an expression gives; of a call and of what PyTorch computes only the type."""

    kind: type
    thing: "Any | None" = None


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

    def goes_on(self) -> "tuple[int, Iterable[str]]":
        """Where the words begin that may take the place of what is begun, and these."""
        begun, words = self._in_code() if self._quoted is None else self._in_string()
        fitting = (each for each in words if each.startswith(begun) and each != begun)
        hidden = begun.startswith("_")
        begin = len(self._code) - len(begun)
        return begin, (each for each in fitting if hidden or each[0] != "_")

    def _in_code(self) -> "tuple[str, Iterable[str]]":
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
        reached = self._value(end)
        if reached is not None:
            words = filter(str.isidentifier, _attributes_of(reached))
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

    def _in_string(self) -> "tuple[str, Iterable[str]]":
        before, quoted = self._plain.rstrip('"'), self._quoted or ""
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
        reached = self._value(opened[0]) if opened else None
        if reached is None or not issubclass(type(reached.thing), dict):
            return ()
        return [way[1:-1] for way, _ in elements_of(reached.thing, _MOST)]

    def called(self) -> "tuple[str, Sequence[str], str]":
        """What the innermost open bracket calls: as it would be defined, the names of what it
        takes, and a sentence.
        """
        for place in reversed(self._open):
            before = self._plain[:place]
            name = re.search(r"(\b(?:def|class)\s+)?([^\W\d]\w*)?\s*$", before)
            if self._plain[place] == "(" and name is not None and not name[1]:
                reached = self._value(place)
                if reached is not None:
                    return _signature(reached.thing, name[2] or "")
        return "", (), ""

    def _value(self, end: int) -> "_Reached | None":
        """Of the expression that ends there. None: nobody knows."""
        line = self._plain.rfind("\n", 0, end) + 1
        opened = max((place + 1 for place in self._open if place < end), default=0)
        for found in _BEGINNING.finditer(self._plain, max(line, opened), end):
            try:
                tree = ast.parse(f"({self._code[found.start() : end]}\n)", mode="eval").body
            except (SyntaxError, ValueError):
                continue
            if isinstance(tree, _VALUES):
                return self._given(tree, line)
        return None

    def _given(self, node: ast.expr, line: int) -> "_Reached | None":
        """`line`: where the statement begins that has it."""
        match node:
            case ast.Constant(value=value):
                return _Reached(type(value))
            case ast.Name(id=name):
                return self._named(name, self._plain[:line])
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                outer = self._given(inner, line)
                return None if outer is None else _step(outer, node)
        kind = _DISPLAYS.get(type(node))
        return None if kind is None else _Reached(kind)

    def _named(self, name: str, before: str) -> "_Reached | None":
        """By the namespace; else by what this very code says before."""
        for names in (self._namespace, vars(builtins)):
            if name in names:
                return _Reached(type(names[name]), names[name])
        if name in sys.modules and re.search(rf"\bimport\s+{name}\b", before):
            return _Reached(types.ModuleType, sys.modules[name])
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


_OF_TENSORS = {
    **dict.fromkeys(("T", "mT", "data", "grad", "real", "imag"), torch.Tensor),
    "shape": torch.Size,
    "device": torch.device,
    "dtype": torch.dtype,
}


def _attributes_of(reached: _Reached) -> "dict[str, Any]":
    """Without what a class answers by code of its own."""
    kind, thing = reached.kind, reached.thing
    is_class = issubclass(kind, type) and thing is not None
    whole: Any = thing if is_class else kind
    found: dict[str, Any] = {}
    for each in reversed(type.mro(whole)):
        found.update(vars(each))
    for name, each in found.items():
        inner = each.__func__ if type(each) in (staticmethod, classmethod) else each
        bound = type(each) is types.FunctionType and not is_class
        if type(each) is classmethod or bound:
            inner = types.MethodType(inner, whole)  # which hands the first argument over
        found[name] = inner
    if not is_class:
        found |= attributes_of(thing)
    if kind_of(thing) == MODEL:
        found |= tensors_in(thing) | modules_in(thing)
    return found


def _step(
    outer: _Reached, node: "ast.Attribute | ast.Subscript | ast.Call"
) -> "_Reached | None":
    """From what stands before the dot or the bracket to what stands behind."""
    is_tensor = issubclass(outer.kind, torch.Tensor)
    if isinstance(node, ast.Attribute):
        if is_tensor and node.attr in _OF_TENSORS:
            return _Reached(_OF_TENSORS[node.attr])
        found = _attributes_of(outer).get(node.attr)
        computed = found is None or type(found) in (property, types.GetSetDescriptorType)
        return None if computed else _Reached(type(found), found)
    if isinstance(node, ast.Subscript):
        if is_tensor:
            return _Reached(torch.Tensor)
        inside: dict[str, Any] = {}
        if issubclass(outer.kind, nn.Module):
            inside = {f"[{name}]": each for name, each in modules_in(outer.thing).items()}
        elif kind_of(outer.thing) == COLLECTION:
            inside = dict(elements_of(outer.thing, _MOST))
        # At an index that is not known yet, the first.
        index = f"[{ast.unparse(node.slice)}]"
        found = inside.get(index, next(iter(inside.values()), None))
        return _Reached(type(found), found) if inside else None
    if issubclass(outer.kind, type):
        return None if outer.thing is None else _Reached(outer.thing)
    head = _HEAD.match(_doc_of(outer.thing))
    # Nearly all models give one.
    gives = issubclass(outer.kind, nn.Module) or (head is not None and head[2] == "Tensor")
    return _Reached(torch.Tensor) if gives else None


_ROLE = re.compile(r":[\w:]+:`~?([^`<]*)[^`]*`|``([^`]*)``|`([^`]*)`")
# "ones(*size, out=None) -> Tensor", with which the documentation of PyTorch's own begins.
_HEAD = re.compile(r"\s*[\w.]+\((.*)\)(?:\s*->\s*(\w+).*)?$", re.MULTILINE)


# Any: whatever stands before a bracket.
def _signature(called: Any, name: str) -> "tuple[str, Sequence[str], str]":
    """`name` is how it is called, which a function need not know."""
    doc = _doc_of(called)
    said = _sentence(doc)
    function = called
    if kind_of(called) == MODEL:
        function = types.MethodType(type(called).forward, called)
    try:
        if function is called and not inspect.isroutine(called) and not inspect.isclass(called):
            raise TypeError(called)
        known = inspect.signature(function)
    except (ValueError, TypeError):  # it keeps them for itself, as most of PyTorch does
        head = _HEAD.match(doc)
        inside = head[1] if head else "…"
        names = re.findall(r"(?:^|,)\s*([a-z]\w*)", inside)
        return f"{name}({inside})" if head or said else "", names, said
    shown = [
        each.replace(annotation=each.empty)
        if each.default is each.empty
        else each.replace(annotation=each.empty, default=_Shown(text_of(each.default, 1)))
        for each in known.parameters.values()
    ]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [each.name for each in shown if each.kind in by_name]
    return f"{name}{inspect.Signature(shown)}", names, said


class _Shown(str):
    """A default value, of whose class no code runs."""

    __repr__ = str.__str__


def _doc_of(called: Any) -> str:
    of = called if inspect.isroutine(called) or inspect.isclass(called) else type(called)
    return inspect.cleandoc(of.__doc__ or "")


def _sentence(doc: str) -> str:
    """The first, without the marks of reStructuredText."""
    for paragraph in _HEAD.sub("", doc).split("\n\n"):
        plain = " ".join(_ROLE.sub(r"\1\2\3", paragraph).split())
        if plain and not plain.startswith(".."):
            return re.split(r"(?<=[.!?])\s", plain)[0][:_LONGEST]
    return ""
