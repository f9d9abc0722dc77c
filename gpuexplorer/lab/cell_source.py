"""Cell source: a cell as text that can stand in a file, or be changed a little; the names that
it speaks of, and where it names a card. Nothing is run for that.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

# Lines end here only: what else Unicode calls a line's end is a letter to Python.
_ENDS = re.compile(r"\r\n?")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# `!ls`, `%matplotlib inline`, `files = !ls`, `help?`
_NOT_PYTHON = re.compile(r"^\s*(?:[!%?]|[\w.,\s]+=\s*[!%])|\?\s*$")
_SHELLS_LINE = re.compile(r"^([ \t]*)[!%].*", re.MULTILINE)
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


def in_a_file(code: str) -> "tuple[tuple[str, ...], str]":
    """The names that it imports from `__future__`, which have to be the first lines of a file;
    and the rest of it, as a remark where it only runs as a cell, such as with `await`.
    """
    without = without_magics(plain(code))
    if _not_understood(without) is None:
        source = Source(without)
        found = [
            each
            for each in ast.parse(without).body
            if isinstance(each, ast.ImportFrom) and each.module == "__future__"
        ]
        names = tuple(name.name for each in found for name in each.names if not name.asname)
        text = source.changed(Edit(*source.span(each), "pass") for each in found)
        futures = f"from __future__ import {', '.join(names)}\n" if names else ""
        if _not_understood(futures + text, as_file=True) is None:
            return names, text
    lines = without.replace("\0", "").split("\n")
    return (), "\n".join(["# This cell only runs in a notebook.", *(f"# {e}" for e in lines)])


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


def _not_understood(code: str, *, as_file: bool = False) -> "int | None":
    """The line, or 0 where no line is to blame; None where all is understood. What Python warns
    of is not for the window. Only a cell may await and return outside a function.
    """
    flags = 0 if as_file else ast.PyCF_ONLY_AST
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "<cell>", "exec", flags, dont_inherit=True)
        except SyntaxError as error:
            return error.lineno or 0
        except NO_PROGRAM:
            return 0
    return None


@lru_cache(maxsize=512)
def tree_of(code: str) -> ast.Module:
    """Empty where it is no Python; lines for the shell and magics are passed over."""
    try:
        return ast.parse(_SHELLS_LINE.sub(r"\1pass", code))
    except NO_PROGRAM:
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


_CUDA = "torch.cuda."
# Functions of it that take no device first, and which of their places take one.
_NO_DEVICE = frozenset(
    (
        *("Event", "current_device", "device_count", "empty_cache", "is_available"),
        *("manual_seed", "manual_seed_all", "stream"),
    )
)
_PLACES = {"can_device_access_peer": (0, 1), "set_per_process_memory_fraction": (1,)}
_HELPER = re.compile(r"(try_)?gpu")
_ROOTS = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional"}


@dataclass(frozen=True)
class CardWord:
    """Letters that name a card, and how another device is said in their place."""

    number: int
    begin: int
    end: int
    form: str = "place"  # "device": torch.device(…); "method": cuda(…); "index", "name": below
    owner: "ast.expr | None" = None  # what is moved there

    @property
    def only_cards(self) -> bool:
        """It stands in a function of torch.cuda: the processor has no answer to it."""
        return self.form in ("index", "name")

    def edit(self, place: str) -> "Edit | None":
        """`place`: "cpu", "cuda:1", or code that gives one. None: it cannot be said there."""
        number, is_code = card_number(place), place.endswith(")")
        said = place if is_code else repr(place)
        if self.only_cards and number is None:
            return None
        if self.form == "index":
            said = str(number)
        elif self.form == "device" and not is_code:
            said = f"torch.device({said})"
        elif self.form == "method" and place == "cpu":
            said = "cpu()"
        elif self.form == "method":
            said = f"to({said})" if number is None else f"cuda({number})"
        return Edit(self.begin, self.end, said)


def card_number(value: object) -> "int | None":
    """The number in "cuda:1"; "cuda" is the first."""
    if not isinstance(value, str):
        return None
    kind, _, number = value.partition(":")
    return int(number or 0) if kind == "cuda" and (number or "0").isdigit() else None


def card_words(source: Source, root: ast.AST) -> "Iterator[CardWord]":
    """The outermost of those that stand in each other."""
    if isinstance(root, ast.JoinedStr):  # where its parts stand, not every Python says
        return
    children = list(ast.iter_child_nodes(root))
    if isinstance(root, ast.Call) and (found := _of_call(source, root)):
        yield from found
        said_anew = [*root.args, *root.keywords]  # what is moved is not
        children = [each for each in children if each not in said_anew]
    elif isinstance(root, ast.Constant) and (number := card_number(root.value)) is not None:
        yield CardWord(number, *source.span(root))
    for each in children:
        yield from card_words(source, each)


def cards_renamed(
    code: str, place: "Callable[[CardWord], str]"
) -> "tuple[str, list[CardWord]]":
    """The code with another place said for each card, where one can be; and those cards."""
    source = Source(code)
    words = list(card_words(source, tree_of(code)))
    edits = [each.edit(place(each)) for each in words]
    return source.changed(each for each in edits if each is not None), words


def _of_call(source: Source, call: ast.Call) -> "list[CardWord]":
    function, name = call.func, dotted(call.func)
    first = call.args[0] if call.args else None
    device = next((each.value for each in call.keywords if each.arg == "device"), None)
    whole = source.span(call)
    if isinstance(function, ast.Attribute) and not name:
        if function.attr == "cuda" and len(call.args) + len(call.keywords) < 2:
            begin = source.span(function)[1] - len("cuda")
            asked = first or (device if call.keywords else ast.Constant(0))
            return _words((begin, whole[1]), asked, "method", function.value)
        if function.attr == "to" and first is not None and _number(first) is not None:
            return _words(source.span(first), first, owner=function.value)
    if isinstance(function, ast.Name) and _HELPER.fullmatch(function.id):
        return _words(whole, first or ast.Constant(0))
    if name == "torch.device":
        known = [each for each in reversed(call.args) if _number(each) is not None]
        return _words(whole, known[0], "device") if known else []
    if name.startswith(_CUDA):
        word = name.removeprefix(_CUDA)
        places = () if word in _NO_DEVICE else _PLACES.get(word, (0,))
        asked_of = [call.args[place] for place in places if place < len(call.args)]
        named = [e.value for e in call.keywords if e.arg in ("device", "peer_device")]
        found = []
        for each in (*asked_of, *named):
            index = isinstance(each, ast.Constant) and type(each.value) is int
            found += _words(source.span(each), each, "index" if index else "name")
        return found
    return _words(source.span(device), device) if isinstance(device, ast.Constant) else []


def _words(
    span: "tuple[int, int]",
    node: "ast.expr | None",
    form: str = "place",
    owner: "ast.expr | None" = None,
) -> "list[CardWord]":
    number = _number(node)
    return [] if number is None else [CardWord(number, *span, form, owner)]


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
