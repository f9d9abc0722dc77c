"""Cell source: a cell as text that can stand in a file, or be changed a little; the names that
it speaks of, and where it names a card. Nothing is run for that.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

# Lines end here only: what else Unicode calls a line's end is a letter to Python.
_ENDS = re.compile(r"\r\n?")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# `!ls`, `%matplotlib inline`, `files = !ls`, `help?`
_NOT_PYTHON = re.compile(r"^\s*(?:[!%?]|[\w.,\s]+=\s*[!%])|\?\s*$")
_TIMED = re.compile(r"^(\s*)%time\s+(?=\S)")
# What `compile` raises for text that is no program.
NO_PROGRAM = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


@dataclass(frozen=True)
class Edit:
    """Letters from `begin` to `end` of a cell's text become others."""

    begin: int
    end: int
    text: str


class Source:
    """A cell's text. Places in it are letters from its beginning; `ast` counts bytes."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.lines = code.split("\n")
        self.begins = [0, *accumulate(len(each) + 1 for each in self.lines)]

    def span(self, node: "ast.expr | ast.stmt") -> "tuple[int, int]":
        last = node.end_lineno or node.lineno
        end = node.end_col_offset or node.col_offset
        return self._place(node.lineno, node.col_offset), self._place(last, end)

    def text(self, node: "ast.expr | ast.stmt") -> str:
        begin, end = self.span(node)
        return self.code[begin:end]

    def changed(self, edits: "Iterable[Edit]") -> str:
        """All else stays, remarks too. No edit may lie in another."""
        text = self.code
        for edit in sorted(edits, key=lambda each: each.begin, reverse=True):
            text = text[: edit.begin] + edit.text + text[edit.end :]
        return text

    def _place(self, line: int, column: int) -> int:
        letters = self.lines[line - 1].encode()[:column].decode(errors="ignore")
        return self.begins[line - 1] + len(letters)


def plain(code: str) -> str:
    """The same code with plain line ends; what UTF-8 cannot write is replaced."""
    writable = code.removeprefix("\ufeff").encode("utf-8", "replace").decode()
    return _ENDS.sub("\n", writable)


def lines_of(text: str) -> "list[str]":
    """Joined they are the text again: a line ends with its newline and nowhere else."""
    return _LINE.findall(plain(text))


def compiles(code: str) -> bool:
    """As a file. What Python warns of is not for the window."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "<cell>", "exec", dont_inherit=True)
        except NO_PROGRAM:
            return False
    return True


def in_a_file(code: str, number: int) -> "tuple[tuple[str, ...], str]":
    """The names that it imports from `__future__`, and the rest of it."""
    without = without_magics(plain(code))
    futures, text = _without_futures(without)
    beginning = f"from __future__ import {', '.join(futures)}\n" if futures else ""
    return (futures, text) if compiles(beginning + text) else ((), as_string(without, number))


def as_string(code: str, number: int) -> str:
    """A cell that only runs as a cell: with `await`, say, or with `global` after a use."""
    quoted = "\n".join(f"    {line!a}" for line in lines_of(code)) or "    ''"
    return (
        "# This cell runs in the lab, but cannot stand in a file as it is.\n"
        f"_cell = (\n{quoted}\n)\n"
        '_await = __import__("ast").PyCF_ALLOW_TOP_LEVEL_AWAIT\n'
        f'_awaited = eval(compile(_cell, "<cell {number}>", "exec", _await))\n'
        "if _awaited is not None:\n"
        '    __import__("asyncio").run(_awaited)'
    )


def without_magics(code: str) -> str:
    """What only a notebook understands becomes a comment; in strings it is left alone.

    Python itself says in which line it stops understanding.
    """
    if code.lstrip().startswith("%%"):
        first, _, rest = code.lstrip().partition("\n")
        if first.split()[0] in ("%%time", "%%capture"):
            return f"# {first}\n{without_magics(rest)}"
        return "\n".join(f"# {line}" for line in code.split("\n"))
    lines = code.split("\n")
    for _ in lines:
        at = _not_understood("\n".join(lines))
        if at is None or not 0 < at <= len(lines):
            break
        line = lines[at - 1]
        timed = _TIMED.sub(r"\1", line)
        if timed != line:
            lines[at - 1] = timed
        elif _NOT_PYTHON.search(line):
            indent = line[: len(line) - len(line.lstrip())]
            why = "only a notebook runs this"
            lines[at - 1] = f"{indent}{'pass  ' if indent else ''}# {line.strip()}  # {why}"
        else:
            break
    return "\n".join(lines)


def _not_understood(code: str) -> "int | None":
    """The line; None where all is understood."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(code)
        except SyntaxError as error:
            return error.lineno
        except NO_PROGRAM:
            return None
    return None


def _without_futures(code: str) -> "tuple[tuple[str, ...], str]":
    """They have to be the first lines of a file."""
    if _not_understood(code) is not None:
        return (), code
    try:
        tree = ast.parse(code)
    except NO_PROGRAM:
        return (), code
    found = [
        each
        for each in tree.body
        if isinstance(each, ast.ImportFrom) and each.module == "__future__" and not each.level
    ]
    names = tuple(name.name for each in found for name in each.names if not name.asname)
    source = Source(code)
    return names, source.changed(Edit(*source.span(each), "pass") for each in found)


_LONGEST = 100_000  # letters; the window waits while a cell is read


@lru_cache(maxsize=512)
def tree_of(code: str) -> ast.Module:
    """Empty where it is no Python, or more than anybody wrote; magics are passed over."""
    if len(code) > _LONGEST:
        return ast.Module([], [])
    lines = [_without_magic(each) for each in code.splitlines()]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


@lru_cache(maxsize=512)
def names_read(code: str) -> frozenset[str]:
    return _names(code, ast.Load)


@lru_cache(maxsize=512)
def names_made(code: str) -> frozenset[str]:
    """What it assigns or defines, inside functions too."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    made = {each.name for each in ast.walk(tree_of(code)) if isinstance(each, defined)}
    return _names(code, ast.Store) | made


def _names(code: str, how: type[ast.expr_context]) -> frozenset[str]:
    nodes = ast.walk(tree_of(code))
    return frozenset(
        each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, how)
    )


def _without_magic(line: str) -> str:
    bare = line.lstrip()
    return line[: len(line) - len(bare)] + "pass" if bare.startswith(("!", "%")) else line


_CUDA = "torch.cuda."
_NO_DEVICE = frozenset(
    {
        "Event",
        "current_device",
        "device_count",
        "empty_cache",
        "is_available",
        "manual_seed",
        "manual_seed_all",
        "stream",
    }
)
_PLACES = {"can_device_access_peer": (0, 1), "set_per_process_memory_fraction": (1,)}
_HELPER = re.compile(r"(try_)?gpu")


@dataclass(frozen=True)
class CardWord:
    """`number` is the card's; `edit` says another device in its place, or that it cannot."""

    number: int
    edit: "Callable[[str], Edit | None]"
    owner: "ast.expr | None" = None  # what is moved there
    only_cards: bool = False  # the processor has no answer to it


def card_number(value: object) -> "int | None":
    """The number in "cuda:1"; "cuda" is the first."""
    if not isinstance(value, str):
        return None
    kind, _, number = value.partition(":")
    return int(number or 0) if kind == "cuda" and (number or "0").isdigit() else None


def card_words(source: Source, root: ast.AST) -> "Iterator[CardWord]":
    """The outermost of those that stand in each other."""
    if isinstance(root, ast.Call):
        found = _of_call(source, root)
        taken = [*root.args, *root.keywords]  # said anew with it; what is moved is not
        yield from found
        children: Sequence[ast.AST] = [
            each for each in ast.iter_child_nodes(root) if not (found and each in taken)
        ]
    elif isinstance(root, ast.JoinedStr):  # where its parts stand, not every Python says
        return
    else:
        children = list(ast.iter_child_nodes(root))
        number = card_number(root.value) if isinstance(root, ast.Constant) else None
        if number is not None and isinstance(root, ast.Constant):
            yield CardWord(number, _in_place(source, root))
    for each in children:
        yield from card_words(source, each)


def _of_call(source: Source, call: ast.Call) -> "list[CardWord]":
    function, name = call.func, dotted(call.func)
    first = call.args[0] if call.args else None
    if isinstance(function, ast.Attribute) and not name:
        if function.attr == "cuda" and len(call.args) + len(call.keywords) < 2:
            asked = first or (call.keywords[0].value if call.keywords else ast.Constant(0))
            number = _number(asked)
            if number is None:
                return []
            return [CardWord(number, _method(source, call), function.value)]
        if function.attr == "to" and first is not None and _number(first) is not None:
            return [_argument(source, first, function.value)]
    if isinstance(function, ast.Name) and _HELPER.fullmatch(function.id):
        number = _number(first) if first is not None else 0
        return [] if number is None else [CardWord(number, _in_place(source, call))]
    if name == "torch.device":
        numbers = [_number(each) for each in reversed(call.args)]
        known = [each for each in numbers if each is not None]
        return [CardWord(known[0], _device(source, call))] if known else []
    if name.startswith(_CUDA):
        word = name.removeprefix(_CUDA)
        places = () if word in _NO_DEVICE else _PLACES.get(word, (0,))
        asked_of = [call.args[place] for place in places if place < len(call.args)]
        asked_of += [
            each.value for each in call.keywords if each.arg in ("device", "peer_device")
        ]
        return [_of_cuda(source, each) for each in asked_of if _number(each) is not None]
    device = next((each.value for each in call.keywords if each.arg == "device"), None)
    if device is not None and isinstance(device, ast.Constant) and _number(device) is not None:
        return [_argument(source, device, None)]
    return []


def _argument(source: Source, node: ast.expr, owner: "ast.expr | None") -> CardWord:
    number = _number(node)
    assert number is not None
    return CardWord(number, _in_place(source, node), owner)


def _of_cuda(source: Source, node: ast.expr) -> CardWord:
    begin, end = source.span(node)

    def edit(place: str) -> "Edit | None":
        number = card_number(place)
        if number is None:
            return None
        whole = isinstance(node, ast.Constant) and isinstance(node.value, int)
        return Edit(begin, end, str(number) if whole else repr(place))

    number = _number(node)
    assert number is not None
    return CardWord(number, edit, only_cards=True)


def _in_place(source: Source, node: ast.expr) -> "Callable[[str], Edit]":
    begin, end = source.span(node)
    return lambda place: Edit(begin, end, _said(place))


def _device(source: Source, call: ast.Call) -> "Callable[[str], Edit]":
    begin, end = source.span(call)
    return lambda place: Edit(
        begin, end, place if _is_code(place) else f"torch.device({place!r})"
    )


def _method(source: Source, call: ast.Call) -> "Callable[[str], Edit]":
    begin, end = source.span(call.func)[1] - len("cuda"), source.span(call)[1]

    def edit(place: str) -> Edit:
        number = card_number(place)
        if number is not None:
            return Edit(begin, end, f"cuda({number})")
        return Edit(begin, end, "cpu()" if place == "cpu" else f"to({_said(place)})")

    return edit


def _said(place: str) -> str:
    return place if _is_code(place) else repr(place)


def _is_code(place: str) -> bool:
    return place.endswith(")")


def _number(node: "ast.expr | None") -> "int | None":
    """A written number, or a card's name; True is none."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else card_number(value)


def dotted(node: ast.expr) -> str:
    """`torch.cuda.synchronize` by its full name; empty for what begins otherwise."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    root = _ROOTS.get(node.id) if isinstance(node, ast.Name) else None
    return ".".join((root, *reversed(parts))) if root else ""


_ROOTS = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional"}
