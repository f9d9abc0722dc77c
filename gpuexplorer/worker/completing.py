"""Completing: how what is being typed may go on, from the live objects.

Called from the thread that listens, while a cell may run: no code of the person's own runs for
it, no card is touched, and what lies on a disk is waited for a moment only.
"""

import builtins
import functools
import importlib.util
import keyword
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from gpuexplorer.lab.events import Completed
from gpuexplorer.lab.wire import Complete
from gpuexplorer.worker import things
from gpuexplorer.worker.reaching import (
    END,
    NAME,
    HalfTyped,
    Signature,
    ends_value,
    known,
    reach,
    read,
    signature_of,
)

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
                yield things.text_of(key, 1)

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
