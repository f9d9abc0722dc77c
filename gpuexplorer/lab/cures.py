"""Cures: what may help where a cell failed, as changes of its text; and what it would cost."""

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.cell_source import (
    CardWord,
    Edit,
    card_number,
    card_words,
    cards_renamed,
    dotted,
    names_read,
    tree_of,
)
from gpuexplorer.lab.events import Failed, Frame, Placed
from gpuexplorer.lab.failing import Operand, Site, sites
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
_MOST_DELETIONS, _MOST_DELETED, _MOST_NAMES, _MOST_CARDS = 3, 6, 3, 3
_OF_DEFAULT_TYPE = frozenset(
    f"torch.{each}" for each in ("empty", "ones", "rand", "randn", "zeros")
)
_OF_DEFAULT_DEVICE = _OF_DEFAULT_TYPE.union(
    f"torch.{each}"
    for each in ("arange", "eye", "full", "linspace", "normal", "randint", "randperm", "tensor")
)
_NO_SUCH_CARD = (
    "invalid device ordinal",
    "Torch not compiled with CUDA enabled",
    "Cannot access accelerator device when none is available",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
)
# As errors call the object of torch.cuda.device, where torch.device was meant.
_NO_PLACE = ("got (device)", "must be torch.device, not device", "exchangeDevice")


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
    halves: bool = False  # it takes half the bytes for each number
    anew: bool = False  # what the cells before made is gone: they run again first
    waits: bool = False  # in a worker that waits for each kernel

    @property
    def copied_bytes(self) -> int:
        return sum(each.bytes for each in self.copies)


def cures(
    failed: Failed, cell: Cell, ledger: Ledger, free: "Mapping[str, int] | None" = None
) -> "list[Cure]":
    """The cheapest first; none where only other code helps. `free`: bytes by device, where the
    worker does not say it, as of the host.
    """
    if failed.missing:
        return [_install(failed.missing, cell)]
    if failed.cause == "device assert":
        return _after_assert(failed, cell, ledger)
    room: dict[str, float] = {**(free or {})}
    for each in (*ledger.memory.values(), *failed.memory):
        if each.free_bytes is not None:
            room[each.device] = each.free_bytes
    # What lies on simulated cards lies in the computer's memory.
    simulated = ledger.hello is not None and ledger.hello.simulated
    most = room.get("cpu", math.inf) if simulated else math.inf
    room = {device: min(size, most) for device, size in room.items()}
    calls = sites(failed.frames, cell, ledger)
    if failed.cause == "devices differ":
        # Where the error arose, or at the call nearest to it whose names are on the shelf.
        found = next(filter(None, (_bring_together(e, failed, room) for e in calls)), [])
        return found or (_to_the_other(calls[0]) if calls else [])
    if failed.cause == "out of memory":
        found_size = WANTED.search(failed.message)
        if found_size is None:  # more than any device has
            return []
        wanted, here = _bytes(found_size[1]), min(_room(failed), most)
        less = _take_less(failed, calls, wanted, here, room)
        return [*_make_room(failed, cell, wanted, here, ledger), *less]
    for site in calls:
        found = _other_places(failed, site) or _out_of_the_card(failed, site)
        if found := found or _device_for_context(failed, site):
            return found
    return []


def context_for_place(failed: Failed) -> bool:
    return any(each in failed.message for each in _NO_PLACE)


def _install(module: str, cell: Cell) -> Cure:
    package = _PACKAGES.get(module, module)
    line = "!pip install " + package
    label = Message(
        "Install {package} into the lab's Python, which asks first; then the same cell",
        package=package,
    )
    return Cure((line, cell.code), (line,), label)


def _changed(
    site: Site,
    edits: "Sequence[Edit]",
    *,
    label: Message = NOTHING,
    copies: "tuple[Copying, ...]" = (),
    halves: bool = False,
) -> "list[Cure]":
    """One, or none where the text would be no Python. A function of an earlier cell is made
    anew before the cell that failed runs again.
    """
    text = site.changed(edits)
    if not tree_of(text).body:
        return []
    before, after = site.code.split("\n"), text.split("\n")
    shown = tuple(new.strip() for old, new in zip(before, after, strict=True) if old != new)
    cells = (text,) if site.cell is site.failing else (text, site.failing.code)
    again = site.again and bool(copies)
    return [Cure(cells, shown, label, copies, again, halves=halves)] if shown else []


def _moved(operands: "Iterable[Operand]", target: str) -> "tuple[Copying, ...]":
    return tuple(
        Copying(each.name, each.device, target, each.bytes, stays=each.kind == "model")
        for each in operands
    )


# Devices differ.


def _bring_together(site: Site, failed: Failed, room: "Mapping[str, float]") -> "list[Cure]":
    known = [each for each in site.operands if each.device and "," not in each.device]
    said = _DEVICE.findall(failed.message)
    targets = dict.fromkeys([*(each.device for each in known), *said, "cpu"])
    # What the expression makes itself, without a word of where.
    made = _made(site, _OF_DEFAULT_DEVICE, without="device")
    strangers = set(said) - {each.device for each in known} - ({"cpu"} if made else set())
    found = []
    for target in targets:
        if strangers - {target}:
            continue  # what is not known would stay where it is
        apart = {each.name: each for each in known if each.device != target}
        asked = [] if target == "cpu" else made
        fits = sum(each.bytes for each in apart.values()) <= room.get(target, math.inf)
        if not fits or not (apart or asked):
            continue
        if isinstance(site.node, ast.AugAssign) and ast.unparse(site.node.target) in apart:
            continue  # what is changed in place stays where it is
        models = [each for each in known if each.kind == "model" and each.device == target]
        after = next((each for each in models if each.name in site.rounds), None)
        edits = [_moving(site, each, target, after) for each in known if each.name in apart]
        edits += [_with_argument(site, call, f"device={target!r}") for call in asked]
        found += _changed(site, edits, copies=_moved(apart.values(), target))
    found += _assigned(site, known)

    # A way by which both leave their cards is the last resort, however few the bytes; and a
    # model is better left where it is.
    def price(cure: Cure) -> "tuple[int, bool, int]":
        return len(cure.copies), any(e.stays for e in cure.copies), cure.copied_bytes

    return sorted(found, key=price)


def _moving(site: Site, operand: Operand, target: str, after: "Operand | None") -> Edit:
    """Behind the words that stand for it. `after`: a model that is another in each round."""
    _, end = site.span(operand.node)
    kind, _, number = target.partition(":")
    text = f".cuda({number})" if kind == "cuda" else f".to({target!r})"
    if after is not None:
        text = f".to(next({after.name}.parameters()).device)"
    elif kind == "cpu":
        text = ".cpu()"
    return Edit(end, end, text)


def _assigned(site: Site, known: "Sequence[Operand]") -> "list[Cure]":
    """`X.to(device)` by itself moves no tensor: what it gives was thrown away."""
    tensors = {each.name for each in known if each.kind == "tensor"}
    for each in ast.walk(site.module):
        call = each.value if isinstance(each, ast.Expr) else None
        function = call.func if isinstance(call, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr in ("to", "cuda", "cpu"):
            name = ast.unparse(function.value)
            if name in tensors and call is not site.node and isinstance(each, ast.Expr):
                begin, _ = site.span(each)
                label = Message("{name} is then what was copied.", name=name)
                return _changed(site, [Edit(begin, begin, f"{name} = ")], label=label)
    return []


def _to_the_other(site: Site) -> "list[Cure]":
    """Inside a function that gets its tensors from somewhere: the right follows the left."""
    node, names = site.node, ast.Name | ast.Attribute
    if not isinstance(node, ast.BinOp) or not isinstance(node.right, names):
        return []
    right, end = site.text(node.right), site.span(node.right)[1]
    left = site.text(node.left)
    left = left if isinstance(node.left, names) else f"({left})"
    label = Message("{name} is copied to where {other} is.", name=right, other=left)
    return _changed(site, [Edit(end, end, f".to({left}.device)")], label=label)


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
    failed: Failed, cell: Cell, wanted: int, room: float, ledger: Ledger
) -> "list[Cure]":
    """PyTorch has given its cache back by then, so only what is held can make room."""
    device = _failing_device(failed)
    if not math.isfinite(room):
        return []
    used = {each for site in sites(failed.frames, cell, ledger) for each in site.names()}
    spare = [each for each in _freed_with(ledger, device) if not used & set(each[0])]
    enough = [each for each in spare[:_MOST_DELETIONS] if room + each[1] >= wanted]
    if not enough:  # several together, as few as will do
        names: list[str] = []
        size = 0
        for more, bytes_more in spare[:_MOST_DELETED]:
            names, size = [*names, *more], size + bytes_more
            if room + size >= wanted:
                enough = [(names, size)]
                break
    lines = [(f"del {', '.join(names)}", size) for names, size in enough]
    return [Cure((line, cell.code), (line,), frees_bytes=size) for line, size in lines]


def _freed_with(ledger: Ledger, device: str) -> "list[tuple[list[str], int]]":
    """Names that have to go together, since they share memory; the largest first."""
    stretches: dict[int | str, tuple[set[str], int]] = {}
    for name, thing in ledger.things.items():
        for each in thing.holds:
            if each.device == device:
                stretch = each.storage or name
                holders, _ = stretches.get(stretch, (set(), 0))
                stretches[stretch] = (holders | {name}, each.bytes)
    groups: list[tuple[set[str], int]] = []
    for names, size in stretches.values():
        apart = [each for each in groups if not each[0] & names]
        joined = [each for each in groups if each[0] & names]
        together = names.union(*(each[0] for each in joined))
        groups = [*apart, (together, size + sum(each[1] for each in joined))]
    few = [(sorted(names), size) for names, size in groups if len(names) <= _MOST_NAMES]
    return sorted(few, key=lambda each: -each[1])


def _take_less(
    failed: Failed,
    calls: "Sequence[Site]",
    wanted: int,
    here: float,
    room: "Mapping[str, float]",
) -> "list[Cure]":
    for site in calls:
        found = []
        plain = _made(site, _OF_DEFAULT_TYPE, without="dtype")
        if wanted / 2 <= here and plain:
            edit = _with_argument(site, plain[0], "dtype=torch.float16")
            found += _changed(site, [edit], halves=True)
        for each in site.ledger.devices:
            other = each.usable and each.name not in ("meta", _failing_device(failed))
            if other and wanted <= room.get(each.name, each.total_bytes or 0):
                found += _elsewhere(site, each.name)
        if found:
            return found
    return []


def _elsewhere(site: Site, place: str) -> "list[Cure]":
    """The same on another device than the card that is named."""
    label = Message("The same on {place}", place=place)
    words = [each for each in card_words(site, site.node) if f"cuda:{each.number}" != place]
    if words:
        return _said_anew(site, words, place, label)
    named = [
        each.value
        for call in site.calls
        for each in call.keywords
        if each.arg == "device" and isinstance(each.value, ast.Name)
    ]
    edits = [Edit(*site.span(each), repr(place)) for each in named]
    return _changed(site, edits, label=label) if edits else []


def _failing_device(failed: Failed) -> str:
    found = CARD_FULL.search(failed.message)
    return f"cuda:{found[1]}" if found else "cpu"


def _room(failed: Failed) -> float:
    """Bytes that one more tensor may take there at the most; nobody says it of the host."""
    device = _failing_device(failed)
    memory = next((each for each in failed.memory if each.device == device), None)
    if memory is None or memory.free_bytes is None:
        return math.inf
    tensors = memory.tensors_bytes or 0
    room = memory.free_bytes + (memory.reserved_bytes or 0) - tensors
    allowed = ALLOWED.search(failed.message)
    return min(room, _bytes(allowed[1]) - tensors) if allowed else room


def _bytes(size: str) -> int:
    number, unit = size.split()
    return int(float(number) * _UNITS[unit])


# A card that is not there, values that have to leave theirs, and what is no place.


def _other_places(failed: Failed, site: Site) -> "list[Cure]":
    """In place of a card that is not there, or is lost: the others, and the processor."""
    lost = {card_number(each) for each in failed.lost}
    if not lost and not any(each in failed.message for each in _NO_SUCH_CARD):
        return []
    usable = {each.name: card_number(each.name) for each in site.ledger.devices if each.usable}
    there = {name: number for name, number in usable.items() if number is not None}

    def gone(number: int) -> bool:
        return number in lost if lost else number not in there.values()

    places = [name for name, number in there.items() if not gone(number)][:_MOST_CARDS]
    for home, root in _where_it_may_stand(site):
        words = [each for each in card_words(home, root) if gone(each.number)]
        if not words or not _all_there(home, root):
            continue
        found = [] if lost else _falling_back(home, words)
        for place in [*places, *(["cpu"] if lost else [])]:
            label = Message("The same on {place}", place=place)
            found += _said_anew(home, words, place, label)
        return found
    return []


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
    functions = [each.func for each in site.calls if isinstance(each.func, ast.Attribute)]
    owners = [each for each in functions if each.attr == "numpy"]
    known = {id(each.node): each for each in site.operands}
    ends, copied = [], []
    for owner in owners:
        operand = known.get(id(owner.value))
        if operand is None or operand.device != "cpu" or step == ".detach()":
            ends.append(site.span(owner)[1] - len(".numpy"))
            copied += [operand] if operand is not None else []
    if not owners:
        copied = [each for each in site.operands if each.device != "cpu" or history]
        ends = [site.span(each.node)[1] for each in copied]
    leaving = {each.name: each for each in copied if "cpu" in step and each.device != "cpu"}
    edits = [Edit(end, end, step) for end in ends]
    return _changed(site, edits, label=label, copies=_moved(leaving.values(), "cpu"))


def _device_for_context(failed: Failed, site: Site) -> "list[Cure]":
    """`torch.cuda.device` makes a card the current one for a while; it is no place."""
    if not context_for_place(failed):
        return []
    label = Message("The same with torch.device, which names a place")
    for home, root in _where_it_may_stand(site):
        edits = [
            Edit(*home.span(each.func), "torch.device")
            for each in ast.walk(root)
            if isinstance(each, ast.Call) and dotted(each.func) == "torch.cuda.device"
        ]
        if edits:
            return _changed(home, edits, label=label)
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


def _all_there(site: Site, root: ast.AST) -> bool:
    """Nothing that it needs went with a worker that was lost."""
    names = {each.id for each in ast.walk(root) if isinstance(each, ast.Name)}
    ledger = site.ledger
    went = {name for each in ledger.cells if ledger.gone(each) for name in each.placed}
    return not (names & went) - ledger.things.keys() - site.local


def _falling_back(site: Site, words: "Sequence[CardWord]") -> "list[Cure]":
    if any(each.only_cards for each in words):
        return []
    number = words[0].number
    card = f"cuda:{number}"
    place = f"torch.device({card!r} if torch.cuda.device_count() > {number} else 'cpu')"
    if any("def try_gpu(" in each.code for each in site.ledger.done()):
        place = f"try_gpu({number})"
    label = Message("The same on the processor, and on {card} where there is one", card=card)
    return _said_anew(site, words, place, label, falls_to="cpu")


def _said_anew(
    site: Site,
    words: "Sequence[CardWord]",
    place: str,
    label: Message,
    falls_to: str = "",
) -> "list[Cure]":
    edits = [each.edit(place) for each in words]
    whole = [each for each in edits if each is not None]
    if len(whole) < len(edits):
        return []
    # What is on the shelf and was to be moved to the card.
    target = falls_to or place
    owners = [site.known(each.owner) for each in words if each.owner is not None]
    known = {e.name: e for e in owners if e is not None and e.device not in ("", target)}
    copies = _moved(known.values(), target)
    return _changed(site, whole, label=label, copies=copies)


# A check on the card failed: it was told late, and all that was on the card is gone.


def _after_assert(failed: Failed, cell: Cell, ledger: Ledger) -> "list[Cure]":
    found = []
    if not failed.waited:
        label = Message(
            "In a worker that waits for each kernel: the error then names its own line, and "
            "all takes longer"
        )
        blocking = ("CUDA_LAUNCH_BLOCKING=1",)
        found.append(Cure((cell.code,), blocking, label, anew=True, waits=True))
    return [*found, *_on_host(failed, cell, ledger)]


def _on_host(failed: Failed, cell: Cell, ledger: Ledger) -> "list[Cure]":
    """There Python's own error names the line and the value. What the cell and the functions
    of the session that it calls use is brought to the host first, and stays there.
    """
    done = [each for each in ledger.done() if each.number < cell.number]
    called = [ledger.by_number(frame.cell) for frame in failed.frames if frame.cell]
    homes = {each.number: each for each in (*called, cell) if each is not None}
    names = {name for each in homes.values() for name in names_read(each.code)}
    for each in reversed(done):
        if names & _defined(each.code):
            names |= names_read(each.code)
    there = {name: thing for each in done for name, thing in each.placed.items()}
    used = [there[each] for each in there if each in names & cell.names_before]
    lines = [_line_to_host(each) for each in used]
    if None in lines:
        return []
    before = [line for line in lines if line]
    cells, shown = ["\n".join(before)] if before else [], [*before]
    for home in (*(each for each in homes.values() if each is not cell), cell):
        text, _ = cards_renamed(home.code, lambda _: "cpu")
        old, new = home.code.split("\n"), text.split("\n")
        shown += [one.strip() for one, other in zip(new, old, strict=True) if one != other]
        if text != home.code or home is cell:
            cells.append(text)
    moved = (each for each, line in zip(used, lines, strict=True) if line and each.bytes)
    copies = tuple(
        Copying(each.name, each.device, "cpu", each.bytes, stays=True) for each in moved
    )
    label = Message("The same on the processor, where the error names the value")
    return [Cure(tuple(cells), tuple(shown), label, copies, anew=True)] if shown else []


def _defined(code: str) -> "set[str]":
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {each.name for each in tree_of(code).body if isinstance(each, kinds)}


def _line_to_host(thing: Placed) -> "str | None":
    """Empty where it is there, or nowhere; None where no short line brings it there."""
    name = thing.name
    if thing.kind == "value":
        if thing.text.startswith("device(type='cuda'"):
            return f"{name} = torch.device('cpu')"
        return "" if card_number(thing.text.strip("'")) is None else f"{name} = 'cpu'"
    if "cuda" not in thing.device:
        return ""
    if thing.kind == "model":
        return f"{name}.cpu()"
    if thing.kind == "optimiser":  # it takes its state to where the parameters are by then
        return f"{name}.load_state_dict({name}.state_dict())"
    if thing.kind == "tensor":
        grad = thing.requires_grad
        return f"{name} = {name}{'.detach().cpu().requires_grad_()' if grad else '.cpu()'}"
    listed = thing.text.startswith("[") and not any(
        e.kind == "container" for e in thing.elements
    )
    return f"{name} = [each.cpu() for each in {name}]" if listed else None
