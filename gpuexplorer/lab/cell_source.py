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
from typing import Any

# What only a notebook understands: `!ls`, `%matplotlib inline`, `files = !ls`, `help?`.
_MAGIC = re.compile(
    r"^([ \t]*)(?:%time[ \t]+(?=\S)|((?:[\w., \t]+=[ \t]*)?[!%?].*|[^#\n]*\?[ \t]*)$)",
    re.MULTILINE,
)
_OTHER_LANGUAGE = re.compile(r"\s*%%(?!time\b|capture\b)")
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
        # Lines end here only: what else Unicode calls a line's end is a letter to Python.
        self.lines = code.split("\n")
        self.begins = [0, *accumulate(len(each) + 1 for each in self.lines)]

    def span(self, node: "ast.expr | ast.stmt") -> "tuple[int, int]":
        last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
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
    return writable.replace("\r\n", "\n").replace("\r", "\n")


def lines_of(text: str) -> "list[str]":
    """Joined they are the text again: a line ends with its newline and nowhere else."""
    return re.findall(r"[^\n]*\n|[^\n]+", plain(text))


def in_a_file(code: str) -> str:
    """As a remark where it only runs as a cell, such as with `await`."""
    text = without_magics(plain(code))
    if _understood(text, 0) is not None:
        return text
    return "# This cell only runs in a notebook.\n# " + text.replace("\n", "\n# ")


def without_magics(code: str) -> str:
    """What only a notebook understands becomes a remark, in as many lines."""
    if _understood(code) is not None:
        return code
    if _OTHER_LANGUAGE.match(code):
        return "# " + code.replace("\n", "\n# ")

    def remark(found: "re.Match[str]") -> str:
        said = f"pass  # {found[2]}  # only a notebook runs this" if found[2] else ""
        return found[1] + said

    return _MAGIC.sub(remark, code)


# Any: a tree, or with no flags the code that would run.
def _understood(code: str, flags: int = ast.PyCF_ONLY_AST) -> Any:
    """None where it is no program; only a tree may await and return outside a function."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return compile(code, "<cell>", "exec", flags)
        except NO_PROGRAM:
            return None


@lru_cache(maxsize=512)
def tree_of(code: str) -> ast.Module:
    """Empty where it is no Python; lines for the shell and magics are passed over."""
    return _understood(without_magics(code)) or ast.Module([], [])


@lru_cache(maxsize=512)
def names_read(code: str) -> frozenset[str]:
    names = [each for each in ast.walk(tree_of(code)) if isinstance(each, ast.Name)]
    return frozenset(each.id for each in names if isinstance(each.ctx, ast.Load))


@lru_cache(maxsize=512)
def names_made(code: str) -> frozenset[str]:
    """What it assigns or defines, inside functions too."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [*ast.walk(tree_of(code))]
    made = [
        each.id
        for each in nodes
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    return frozenset(made + [each.name for each in nodes if isinstance(each, defined)])


_CUDA = "torch.cuda."
# Functions of it that take a number first which is no device.
_NO_DEVICE = {f"{_CUDA}{name}" for name in ("manual_seed", "manual_seed_all", "_sleep")}
_HELPER = re.compile(r"(try_)?gpu")
_ROOTS = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional"}


@dataclass(frozen=True)
class CardWord:
    """Letters that name a card, and how another device is said in their place."""

    number: int
    begin: int
    end: int
    # "device": torch.device(…); "method": cuda(…); "card": in a function of torch.cuda, where
    # the processor cannot be said.
    form: str = "place"
    owner: "ast.expr | None" = None  # what is moved there

    def edit(self, place: str) -> "Edit | None":
        """`place`: "cpu", "cuda:1", or code that gives one. None: it cannot be said there."""
        number, is_code = card_number(place), place.endswith(")")
        said = place if is_code else repr(place)
        match self.form:
            case "card":
                said = "" if number is None else str(number)
            case "device" if not is_code:
                said = f"torch.device({said})"
            case "method" if is_code:
                said = f"to({said})"
            case "method":
                said = "cpu()" if number is None else f"cuda({number})"
        return Edit(self.begin, self.end, said) if said else None


def card_number(value: object) -> "int | None":
    """The number in "cuda:1"; "cuda" is the first."""
    found = re.fullmatch(r"cuda(?::(\d+))?", value) if isinstance(value, str) else None
    return int(found[1] or 0) if found else None


def card_words(source: Source, root: ast.AST) -> "Iterator[CardWord]":
    """The outermost of those that stand in each other."""
    if isinstance(root, ast.JoinedStr):  # where its parts stand, not every Python says
        return
    children = list(ast.iter_child_nodes(root))
    if isinstance(root, ast.Call):
        for node, span, form, owner in _devices_of(source, root):
            if (number := _number(node)) is not None:
                yield CardWord(number, *span, form, owner)
                children = [root.func]  # what is moved is not said anew
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


def _devices_of(
    source: Source, call: ast.Call
) -> "Iterator[tuple[ast.expr, tuple[int, int], str, ast.expr | None]]":
    """Whatever may be a device that a call is given: what it is, the letters that say it, in
    what form, and what goes there.
    """
    function, name, whole = call.func, dotted(call.func), source.span(call)
    first = call.args[0] if call.args else None
    device = next((each.value for each in call.keywords if each.arg == "device"), None)
    if name == "torch.device" and call.args:
        yield call.args[-1], whole, "device", None
    elif name.startswith(_CUDA):
        for each in (first, device):
            if each is not None and name not in _NO_DEVICE:
                yield each, source.span(each), "card", None
    elif isinstance(function, ast.Name) and _HELPER.fullmatch(function.id):
        yield first or ast.Constant(0), whole, "place", None
    elif isinstance(function, ast.Attribute) and function.attr == "cuda":
        begin = source.span(function)[1] - len("cuda")
        if not call.keywords:
            yield first or ast.Constant(0), (begin, whole[1]), "method", function.value
    elif isinstance(function, ast.Attribute) and function.attr == "to" and first is not None:
        yield first, source.span(first), "place", function.value
    elif device is not None:
        yield device, source.span(device), "place", None


def _number(node: ast.expr) -> "int | None":
    """A written number, or a card's name; True is none."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else card_number(value)


def dotted(node: ast.expr) -> str:
    """`torch.cuda.synchronize` by its full name; empty for what begins otherwise."""
    found = re.fullmatch(r"(torch|nn|F)((?:\.\w+)+)", ast.unparse(node))
    return _ROOTS[found[1]] + found[2] if found else ""
