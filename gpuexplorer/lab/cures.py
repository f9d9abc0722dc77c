"""Cures: what may help where a cell failed, as changes of its text, and what it would cost;
and the expression in which it failed.
"""

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.cell_source import (
    CardWord,
    Edit,
    Source,
    card_number,
    card_words,
    cards_renamed,
    dotted,
    names_read,
    tree_of,
)
from gpuexplorer.lab.events import BROKEN, Failed, Frame, Placed
from gpuexplorer.lab.ledger import Cell, Ledger

_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps)\b")
_SIZE = r"([\d.]+ (?:bytes|[KMGT]iB))"
# Out of memory, as PyTorch says it of a card; of the host it says what was wanted alone.
WANTED = re.compile(rf"[Tt]ried to allocate {_SIZE}")
CARD_FULL = re.compile(rf"GPU (\d+) has a total capacity of {_SIZE} of which {_SIZE} is free")
ALLOWED = re.compile(rf"{_SIZE} allowed")
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
# What pip calls it, where that is not the module's own name.
_PACKAGES = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
_MOST_CARDS = 3
# What makes a tensor of PyTorch's usual type; and what makes one at its usual place.
_TYPED = frozenset(f"torch.{each}" for each in ("empty", "ones", "rand", "randn", "zeros"))
_PLACED = _TYPED.union(
    f"torch.{each}"
    for each in ("arange", "eye", "full", "linspace", "normal", "randint", "randperm", "tensor")
)
_NO_SUCH_CARD = re.compile(
    "invalid device ordinal|Torch not compiled with CUDA enabled|No CUDA GPUs are available|"
    "Cannot access accelerator device when none is available|Found no NVIDIA driver"
)

_ABOUT_ONLY = frozenset({"device", "dtype", "ndim", "shape", "size", "dim", "numel"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert)


@dataclass(frozen=True)
class Copying:
    """Bytes that a cure would move."""

    name: str
    source: str
    target: str
    bytes: int
    stays: bool = False  # a model moves as a whole, and is there afterwards too


@dataclass(frozen=True)
class Cure:
    """Cells to run in place of, or before, the one that failed."""

    cells: "tuple[str, ...]"
    shown: "tuple[str, ...]"  # the lines of them that are other than before
    label: Message = NOTHING  # what it changes; empty where copies or memory say it
    copies: "tuple[Copying, ...]" = ()
    again: bool = False  # the copies are made each time that line runs
    frees_bytes: int = 0
    anew: bool = False  # what the cells before made is gone: they run again first
    waits: bool = False  # in a worker that waits for each kernel

    @property
    def copied_bytes(self) -> int:
        return sum(each.bytes for each in self.copies)


@dataclass(frozen=True)
class Operand:
    """A tensor or a model of the shelf, by the words that stand for it in the code."""

    node: ast.expr
    name: str  # "X", "nets[0]"
    kind: str
    device: str
    bytes: int
    requires_grad: bool = False


class Site(Source):
    """One of the person's calls on the way to an error: the innermost is where it arose."""

    def __init__(self, home: Cell, frame: Frame, failing: Cell, ledger: Ledger) -> None:
        """`home`: the cell in which the call stands; `failing`: the one that ran it."""
        super().__init__(home.code)
        self.cell, self.frame, self.failing, self.ledger = home, frame, failing, ledger
        self.module = tree_of(home.code)
        self.node = self._find()
        self._around = [
            each
            for each in ast.walk(self.module)
            if each is not self.node and any(inner is self.node for inner in ast.walk(each))
        ]

    @property
    def again(self) -> bool:
        """It may run more than once in one run of the cell."""
        loops = (ast.For, ast.AsyncFor, ast.While, *_SCOPES)
        return any(isinstance(each, loops) for each in self._around)

    @property
    def alone(self) -> bool:
        """The cell is nothing but this one statement."""
        body = self.module.body
        return len(body) == 1 and isinstance(body[0], _SIMPLE) and not self.frame.name

    @property
    def calls(self) -> "Sequence[ast.Call]":
        return [each for each in ast.walk(self.node) if isinstance(each, ast.Call)]

    @cached_property
    def operands(self) -> "Sequence[Operand]":
        """What the expression uses of the shelf, in the order in which it is read."""
        found = list(self._operands(self.node))
        return sorted(found, key=lambda each: (each.node.lineno, each.node.col_offset))

    def _operands(self, node: ast.AST) -> "Iterator[Operand]":
        match node:
            case ast.Attribute(attr=about) if about in _ABOUT_ONLY:
                return
            case ast.Call(func=ast.Attribute(value=value, attr=way)) if node is not self.node:
                # What is copied within the expression is where it is copied to.
                words = [each for each in card_words(self, node) if each.owner is value]
                copied = self.known(value) if words or way == "cpu" else None
                if copied is not None:
                    place = f"cuda:{words[0].number}" if words else "cpu"
                    yield replace(copied, node=node, name=ast.unparse(node), device=place)
                    return
            case ast.Name(ctx=ctx) | ast.Attribute(ctx=ctx) | ast.Subscript(ctx=ctx):
                known = self.known(node)
                if known is not None:
                    if isinstance(ctx, ast.Load) or isinstance(self.node, ast.AugAssign):
                        yield known
                    return
        for child in ast.iter_child_nodes(node):
            yield from self._operands(child)

    def known(self, node: ast.expr) -> "Operand | None":
        """What these words stand for, where that is on the shelf."""
        root = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self._local:
            return None
        thing, path = self.ledger.things.get(root.id), ast.unparse(node)
        if thing is None:
            return None
        if root is node and thing.kind in ("tensor", "model"):
            grad = thing.requires_grad
            return Operand(node, path, thing.kind, thing.device, thing.bytes, grad)
        for each in thing.elements:
            if each.path == path and each.kind in ("tensor", "model"):
                return Operand(node, path, each.kind, each.device, each.bytes)
        return None

    @cached_property
    def _local(self) -> "frozenset[str]":
        """Names that are not the session's here, but of the function around."""
        bound, shared = set(), set()
        scopes = [each for each in self._around if isinstance(each, _SCOPES)]
        for each in (inner for scope in scopes for inner in ast.walk(scope)):
            match each:
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                    bound.add(name)
                case ast.Global(names=names):
                    shared.update(names)
        return frozenset(bound - shared)

    def _find(self) -> "ast.expr | ast.stmt":
        """Python 3.10 tells the line alone: then the statement. Raises LookupError."""
        line, begin = self.frame.line, self.begins[self.frame.line - 1]
        stop = begin + len(self.lines[line - 1].rstrip())
        told = (begin + self.frame.begin, begin + self.frame.end)
        covering = [
            each
            for each in ast.walk(self.module)
            if isinstance(each, (ast.expr, ast.stmt))
            and each.lineno <= line <= (each.end_lineno or each.lineno)
        ]
        exact = []  # a statement stands before its expression
        for each in covering:
            first, end = self.span(each)
            exact += [each] if told == (first, min(end, stop)) else []
        return (exact or [each for each in covering if isinstance(each, _SIMPLE)])[-1]


def sites(frames: Sequence[Frame], cell: Cell, ledger: Ledger) -> "list[Site]":
    """The innermost first; without those that are not Python, or are no cell any more."""
    found = []
    for frame in reversed(frames):
        home = cell if frame.cell == cell.number else ledger.by_number(frame.cell)
        if home is None or not frame.cell:
            continue
        try:
            found.append(Site(home, frame, cell, ledger))
        except LookupError:
            continue
    return found


def cures(
    failed: Failed, cell: Cell, ledger: Ledger, free: "Mapping[str, int] | None" = None
) -> "list[Cure]":
    """The cheapest first; none where only other code helps. `free`: bytes by device, where the
    worker does not say it, as of the host.
    """
    if failed.missing:
        package = _PACKAGES.get(failed.missing, failed.missing)
        line = "!pip install " + package
        label = Message(
            "Install {package} into the lab's Python, which asks first; then the same cell",
            package=package,
        )
        return [Cure((line, cell.code), (line,), label)]
    if failed.cause == "device assert":
        return _after_assert(failed, cell, ledger)
    if failed.cause in BROKEN:
        return []
    room = {**(free or {})}
    for each in (*ledger.memory.values(), *failed.memory):
        if each.free_bytes is not None:
            room[each.device] = each.free_bytes
    if ledger.hello is not None and ledger.hello.simulated and "cpu" in room:
        # What lies on simulated cards lies in the computer's memory.
        room = {device: min(size, room["cpu"]) for device, size in room.items()}
    calls = sites(failed.frames, cell, ledger)
    if failed.cause == "devices differ":
        # Where the error arose, or at the call nearest to it whose names are on the shelf.
        together = (_bring_together(each, failed, room) for each in calls)
        return next(filter(None, together), [])
    if failed.cause == "out of memory":
        return _make_room(failed, cell, calls, room)
    for site in calls:
        if found := _other_places(failed, site) or _out_of_the_card(failed, site):
            return found
    return []


def _changed(
    site: Site,
    edits: "Iterable[Edit]",
    label: Message = NOTHING,
    moved: "Iterable[Operand]" = (),
    target: str = "",
) -> "list[Cure]":
    """One, or none where the text would be no Python. A function of an earlier cell is made
    anew before the cell that failed runs again.
    """
    text = site.changed(edits)
    shown = _new_lines(site.code, text)
    if not (tree_of(text).body and shown):
        return []
    copies = tuple(
        Copying(each.name, each.device, target, each.bytes, stays=each.kind == "model")
        for each in {each.name: each for each in moved}.values()
    )
    cells = (text,) if site.cell is site.failing else (text, site.failing.code)
    return [Cure(cells, shown, label, copies, again=site.again and bool(copies))]


def _new_lines(before: str, after: str) -> "tuple[str, ...]":
    lines = zip(before.split("\n"), after.split("\n"), strict=True)
    return tuple(new.strip() for old, new in lines if old != new)


# Devices differ.


def _bring_together(site: Site, failed: Failed, room: "Mapping[str, int]") -> "list[Cure]":
    known = [each for each in site.operands if each.device and "," not in each.device]
    said = _DEVICE.findall(failed.message)
    # What the expression makes itself, without a word of where.
    made = _made(site, _PLACED, without="device")
    strangers = set(said) - {each.device for each in known} - ({"cpu"} if made else set())
    found = []
    for target in dict.fromkeys([*(each.device for each in known), *said, "cpu"]):
        apart = [each for each in known if each.device != target]
        asked = [] if target == "cpu" else made
        size = sum({each.name: each.bytes for each in apart}.values())
        if strangers - {target} or size > room.get(target, math.inf):
            continue  # what is not known would stay where it is, or it does not fit
        kind, _, number = target.partition(":")
        move = f".to({target!r})" if kind not in ("cpu", "cuda") else f".{kind}({number})"
        ends = [site.span(each.node)[1] for each in apart]
        edits = [Edit(end, end, move) for end in ends]
        edits += [_with_argument(site, call, f"device={target!r}") for call in asked]
        found += _changed(site, edits, moved=apart, target=target)
    found += _assigned(site, {each.name for each in known if each.kind == "tensor"})

    # A way by which both leave their cards is the last resort, however few the bytes; and a
    # model is better left where it is.
    def price(cure: Cure) -> "tuple[int, bool, int]":
        return len(cure.copies), any(e.stays for e in cure.copies), cure.copied_bytes

    return sorted(found, key=price)


def _assigned(site: Site, tensors: "set[str]") -> "list[Cure]":
    """`X.to(device)` by itself moves no tensor: what it gives was thrown away."""
    for each in ast.walk(site.module):
        match each:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=owner, attr="to" | "cuda" | "cpu"))
            ) if each.value is not site.node and ast.unparse(owner) in tensors:
                begin, name = site.span(each)[0], ast.unparse(owner)
                label = Message("{name} is then what was copied.", name=name)
                return _changed(site, [Edit(begin, begin, f"{name} = ")], label)
    return []


def _made(site: Site, names: "frozenset[str]", without: str) -> "list[ast.Call]":
    """Calls that make a tensor, and say nothing of `without`."""
    return [
        each
        for each in site.calls
        if dotted(each.func) in names and without not in {word.arg for word in each.keywords}
    ]


def _with_argument(site: Site, call: ast.Call, text: str) -> Edit:
    end = site.span(call)[1] - 1
    before = site.code[:end].rstrip()
    return Edit(end, end, text if before.endswith((",", "(")) else f", {text}")


# Out of memory.


def _make_room(
    failed: Failed, cell: Cell, calls: "Sequence[Site]", room: "Mapping[str, int]"
) -> "list[Cure]":
    """PyTorch has given its cache back by then, so only what is held can make room. Else half
    of the bytes, or another device.
    """
    said, card = WANTED.search(failed.message), CARD_FULL.search(failed.message)
    if said is None:  # more than any device has
        return []
    wanted, device = bytes_of(said[1]), f"cuda:{card[1]}" if card else "cpu"
    here = math.inf  # nobody says it of the host
    memory = next((each for each in failed.memory if each.device == device), None)
    if memory is not None and device in room:
        tensors = memory.tensors_bytes or 0
        here = room[device] + (memory.reserved_bytes or 0) - tensors
        if allowed := ALLOWED.search(failed.message):
            here = min(here, bytes_of(allowed[1]) - tensors)
    found = _deleted(cell, calls, device, wanted - here)
    for site in calls:
        less = []
        plain = _made(site, _TYPED, without="dtype")
        if wanted / 2 <= here and plain:
            label = Message("Half the bytes, and about three digits in place of seven")
            less = _changed(
                site, [_with_argument(site, plain[0], "dtype=torch.float16")], label
            )
        for each in site.ledger.devices:
            other = each.usable and each.name not in ("meta", device)
            if other and wanted <= room.get(each.name, each.total_bytes or 0):
                words = list(card_words(site, site.node))
                label = Message("The same on {place}", place=each.name)
                less += _said_anew(site, words, each.name, label)
        if less:
            return [*found, *less]
    return found


def _deleted(cell: Cell, calls: "Sequence[Site]", device: str, needed: float) -> "list[Cure]":
    """The largest that the cell does not use, as few as will do. Names that share memory have
    to go together.
    """
    used = {each.id for s in calls for each in ast.walk(s.module) if isinstance(each, ast.Name)}
    things = calls[0].ledger.things if calls else {}
    groups: dict[frozenset[int | str], tuple[list[str], int]] = {}
    for name, thing in sorted(things.items()):
        held = {
            each.storage or name: each.bytes for each in thing.holds if each.device == device
        }
        names, _ = groups.get(frozenset(held), ([], 0))
        groups[frozenset(held)] = [*names, name], sum(held.values())
    names, freed = [], 0
    for more, size in sorted(groups.values(), key=lambda each: -each[1]):
        if size and freed < needed and not used & {*more}:
            names, freed = [*names, *more], freed + size
    if not names or freed < needed:
        return []
    line = f"del {', '.join(names)}"
    return [Cure((line, cell.code), (line,), frees_bytes=freed)]


def bytes_of(size: str) -> int:
    """Of "24.00 GiB"."""
    number, unit = size.split()
    return int(float(number) * _UNITS[unit])


# A card that is not there, and values that have to leave theirs.


def _other_places(failed: Failed, site: Site) -> "list[Cure]":
    """In place of a card that is not there, or is lost: the others, and the processor."""
    lost = {card_number(each) for each in failed.lost}
    if not lost and not _NO_SUCH_CARD.search(failed.message):
        return []
    usable = [each.name for each in site.ledger.devices if each.usable]
    there = {
        card_number(each): each for each in usable if card_number(each) not in (None, *lost)
    }
    for home, root in _where_it_may_stand(site):
        words = [each for each in card_words(home, root) if each.number not in there]
        if not words:
            continue
        places = [*there.values()][:_MOST_CARDS]
        found = []
        if lost:
            places.append("cpu")
        elif not any(each.form == "card" for each in words):
            number = words[0].number
            card = f"cuda:{number}"
            place = f"torch.device({card!r} if torch.cuda.device_count() > {number} else 'cpu')"
            label = Message(
                "The same on the processor, and on {card} where there is one", card=card
            )
            found = _said_anew(home, words, place, label, falls_to="cpu")
        for place in places:
            label = Message("The same on {place}", place=place)
            found += _said_anew(home, words, place, label)
        return found
    return []


def _where_it_may_stand(site: Site) -> "Iterator[tuple[Site, ast.AST]]":
    """In the expression that failed; where its names were made; anywhere in its cell."""
    yield site, site.node
    names = {each.id for each in ast.walk(site.node) if isinstance(each, ast.Name)}
    done = [each for each in reversed(site.ledger.done()) if each is not site.cell]
    for home in [site.cell, *done]:
        for each in reversed(tree_of(home.code).body):
            if isinstance(each, ast.Assign) and names & {ast.unparse(t) for t in each.targets}:
                made = Site(home, Frame(home.number, each.lineno), site.failing, site.ledger)
                yield made, made.node
    yield site, site.module


def _said_anew(
    site: Site, words: "Sequence[CardWord]", place: str, label: Message, falls_to: str = ""
) -> "list[Cure]":
    edits = [edit for each in words if (edit := each.edit(place)) is not None]
    if len(edits) < len(words):
        return []
    # What is on the shelf and was to be moved to the card.
    target = falls_to or place
    owners = [site.known(each.owner) for each in words if each.owner is not None]
    moved = [each for each in owners if each is not None and each.device not in ("", target)]
    return _changed(site, edits, label, moved, target)


def _out_of_the_card(failed: Failed, site: Site) -> "list[Cure]":
    """NumPy knows the host's memory, and nothing of gradients."""
    history = any(each.requires_grad for each in site.operands)
    if "device type tensor to numpy" in failed.message:
        step = ".detach().cpu()" if history else ".cpu()"
        label = Message("The same after a copy to the host")
    elif "numpy() on Tensor that requires grad" in failed.message:
        step, label = ".detach()", Message("The same without its history")
    else:
        return []
    away = [each for each in site.operands if each.device != "cpu"]
    functions = [each.func for each in site.calls if isinstance(each.func, ast.Attribute)]
    ends = [site.span(e)[1] - len(".numpy") for e in functions if e.attr == "numpy"]
    ends = ends or [site.span(each.node)[1] for each in away or site.operands]
    edits = [Edit(end, end, step) for end in ends]
    return _changed(site, edits, label, away if "cpu" in step else (), "cpu")


# A check on the card failed: it was told late, and all that was on the card is gone.


def _after_assert(failed: Failed, cell: Cell, ledger: Ledger) -> "list[Cure]":
    """On the processor Python's own error names the line and the value. What the cell and the
    functions of the session that it calls use is brought to the host first, and stays there.
    """
    found = []
    if not failed.waited:
        label = Message(
            "In a worker that waits for each kernel: the error then names its own line, and "
            "all takes longer"
        )
        blocking = ("CUDA_LAUNCH_BLOCKING=1",)
        found.append(Cure((cell.code,), blocking, label, anew=True, waits=True))
    done = [each for each in ledger.done() if each.number < cell.number]
    names = names_read(cell.code)
    for each in reversed(done):
        body = tree_of(each.code).body
        if names & {e.name for e in body if isinstance(e, ast.FunctionDef | ast.ClassDef)}:
            names |= names_read(each.code)
    there = {name: thing for each in done for name, thing in each.placed.items()}
    used = [there[each] for each in there if each in names & cell.names_before]
    lines = {each: line for each in used if (line := _line_to_host(each))}
    text, _ = cards_renamed(cell.code, lambda _: "cpu")
    shown = (*lines.values(), *_new_lines(cell.code, text))
    cells = ("\n".join(lines.values()), text) if lines else (text,)
    moved = (Copying(e.name, e.device, "cpu", e.bytes, stays=True) for e in lines if e.bytes)
    label = Message("The same on the processor, where the error names the value")
    host = Cure(cells, shown, label, tuple(moved), anew=True)
    return [*found, host] if shown else found


def _line_to_host(thing: Placed) -> str:
    """Empty where it is there, or no short line brings it there."""
    name = thing.name
    if thing.text.startswith("device(type='cuda'"):
        return f"{name} = torch.device('cpu')"
    if card_number(thing.text.strip("'")) is not None:
        return f"{name} = 'cpu'"
    if "cuda" not in thing.device or thing.kind not in ("tensor", "model"):
        return ""
    if thing.kind == "model":
        return f"{name}.cpu()"
    leaf = ".detach().cpu().requires_grad_()" if thing.requires_grad else ".cpu()"
    return f"{name} = {name}{leaf}"
