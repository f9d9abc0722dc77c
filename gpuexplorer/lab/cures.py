"""Cures: what may help where a cell failed, by what it failed of, as changes of its text."""

import ast
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from gpuexplorer.core.words import Message
from gpuexplorer.lab.card_cures import (
    device_for_context,
    elsewhere,
    other_places,
    out_of_the_card,
)
from gpuexplorer.lab.cell_source import Edit, dotted
from gpuexplorer.lab.cure import Cure, changed, moved, moving
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.failing import Operand, Site, sites
from gpuexplorer.lab.ledger import Cell, Ledger

_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps)\b")
_WANTED = re.compile(r"[Tt]ried to allocate ([\d.]+) (bytes|KiB|MiB|GiB)")
_ALLOWED = re.compile(r"([\d.]+) (bytes|KiB|MiB|GiB) allowed")
_MORE_THAN_ANY = "more than 1EB"
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
# What pip calls it, where that is not the module's own name.
_PACKAGES = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
_MOST_DELETIONS, _MOST_DELETED, _MOST_NAMES = 3, 6, 3
_OF_DEFAULT_DEVICE = frozenset(
    f"torch.{each}"
    for each in (
        *("arange", "empty", "eye", "full", "linspace", "normal", "ones", "rand", "randint"),
        *("randn", "randperm", "tensor", "zeros"),
    )
)
_OF_DEFAULT_TYPE = frozenset(
    f"torch.{each}" for each in ("empty", "ones", "rand", "randn", "zeros")
)


def cures(
    failed: Failed, cell: Cell, ledger: Ledger, free: "Mapping[str, int] | None" = None
) -> "list[Cure]":
    """The cheapest first; none where only other code helps. `free`: bytes by device, where the
    worker does not say it, as of the host.
    """
    if failed.missing:
        return [_install(failed.missing, cell)]
    room: dict[str, float] = {**(free or {})}
    for each in (*ledger.memory.values(), *failed.memory):
        if each.free_bytes is not None:
            room[each.device] = each.free_bytes
    simulated = ledger.hello is not None and ledger.hello.simulated
    # What lies on simulated cards lies in the computer's memory.
    most = room.get("cpu", math.inf) if simulated else math.inf
    room = {device: min(size, most) for device, size in room.items()}
    calls = sites(failed.frames, cell, ledger)
    if failed.cause == "devices differ":
        return _where_known(calls, failed, cell, room)
    if failed.cause == "out of memory":
        here = min(_room(failed), most)
        less = _take_less(failed, cell, calls, here, room, ledger)
        return [*_make_room(failed, cell, here, ledger), *less]
    for site in calls:
        found = other_places(failed, site, cell, ledger)
        found = found or out_of_the_card(failed, site, cell)
        found = found or device_for_context(failed, site, cell, ledger)
        if found:
            return found
    return []


def _install(module: str, cell: Cell) -> Cure:
    package = _PACKAGES.get(module, module)
    line = "!pip install " + package
    label = Message(
        "Install {package} into the lab's Python, which asks first; then the same cell",
        package=package,
    )
    return Cure((line, cell.code), (line,), label)


def _where_known(
    calls: "Sequence[Site]", failed: Failed, cell: Cell, room: "Mapping[str, float]"
) -> "list[Cure]":
    """Where the error arose, or at the call nearest to it whose names are on the shelf."""
    for site in calls:
        found = _bring_together(site, failed, cell, room)
        if found:
            return found
    return [_to_the_other(calls[0], cell)] if calls and _two_names(calls[0]) else []


def _bring_together(
    site: Site, failed: Failed, cell: Cell, room: "Mapping[str, float]"
) -> "list[Cure]":
    known = [each for each in site.operands if each.device and "," not in each.device]
    said = _DEVICE.findall(failed.message)
    targets = dict.fromkeys([*(each.device for each in known), *said, "cpu"])
    made = _made_by_default(site)
    strangers = set(said) - {each.device for each in known} - ({"cpu"} if made else set())
    found = []
    for target in targets:
        if strangers - {target}:
            continue  # what is not known would stay where it is
        apart = {each.name: each for each in known if each.device != target}
        asked = [] if target == "cpu" else made
        if not _fits(apart.values(), target, room) or not (apart or asked):
            continue
        if isinstance(site.node, ast.AugAssign) and ast.unparse(site.node.target) in apart:
            continue  # what is changed in place stays where it is
        models = [each for each in known if each.kind == "model" and each.device == target]
        after = next((each for each in models if each.name in site.rounds), None)
        edits = [moving(site, each, target, after) for each in known if each.name in apart]
        edits += [_with_argument(site, call, f"device={target!r}") for call in asked]
        found += changed(site, edits, cell, copies=moved(apart.values(), target))
    found += _assigned(site, known, cell)
    # A way by which both leave their cards is the last resort, however few the bytes; and a
    # model is better left where it is.
    found.sort(
        key=lambda cure: (
            len(cure.copies),
            any(each.stays for each in cure.copies),
            cure.copied_bytes,
        )
    )
    return found


def _assigned(site: Site, known: "Sequence[Operand]", cell: Cell) -> "list[Cure]":
    """`X.to(device)` by itself moves no tensor: what it gives was thrown away."""
    tensors = {each.name: each for each in known if each.kind == "tensor"}
    for each in ast.walk(site.module):
        if not isinstance(each, ast.Expr) or not isinstance(each.value, ast.Call):
            continue
        function = each.value.func
        if isinstance(function, ast.Attribute) and function.attr in ("to", "cuda", "cpu"):
            name = ast.unparse(function.value)
            if name in tensors and each.value is not site.node:
                begin, _ = site.span(each)
                label = Message("{name} is then what was copied.", name=name)
                return changed(site, [Edit(begin, begin, f"{name} = ")], cell, label=label)
    return []


def _two_names(site: Site) -> bool:
    node = site.node
    return isinstance(node, ast.BinOp) and isinstance(node.right, ast.Name | ast.Attribute)


def _to_the_other(site: Site, cell: Cell) -> Cure:
    """Inside a function that gets its tensors from somewhere: the right follows the left."""
    assert isinstance(site.node, ast.BinOp)
    right, end = site.text(site.node.right), site.span(site.node.right)[1]
    left = site.text(site.node.left)
    left = left if isinstance(site.node.left, ast.Name | ast.Attribute) else f"({left})"
    label = Message("{name} is copied to where {other} is.", name=right, other=left)
    return changed(site, [Edit(end, end, f".to({left}.device)")], cell, label=label)[0]


def _make_room(failed: Failed, cell: Cell, room: float, ledger: Ledger) -> "list[Cure]":
    """PyTorch has given its cache back by then, so only what is held can make room."""
    device, wanted = _failing_device(failed), _wanted_bytes(failed.message)
    if wanted is None or not math.isfinite(room):
        return []
    used = {each for site in sites(failed.frames, cell, ledger) for each in site.names()}
    spare = [each for each in _freed_with(ledger, device) if not used & set(each[0])]
    found = []
    for names, size in spare[:_MOST_DELETIONS]:
        if room + size >= wanted:
            found.append(_deleting(names, size, cell))
    if not found:
        names, size = [], 0
        for more, bytes_more in spare[:_MOST_DELETED]:
            names, size = [*names, *more], size + bytes_more
            if room + size >= wanted:
                return [_deleting(names, size, cell)]
    return found


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


def _deleting(names: "Sequence[str]", size: int, cell: Cell) -> Cure:
    line = f"del {', '.join(names)}"
    return Cure((line, cell.code), (line,), frees_bytes=size)


def _take_less(
    failed: Failed,
    cell: Cell,
    calls: "Sequence[Site]",
    here: float,
    room: "Mapping[str, float]",
    ledger: Ledger,
) -> "list[Cure]":
    wanted = _wanted_bytes(failed.message) or 0
    others = [
        each.name
        for each in ledger.devices
        if each.usable
        and each.name not in ("meta", _failing_device(failed))
        and wanted <= room.get(each.name, each.total_bytes or 0)
    ]
    for site in calls:
        found = []
        made = [each for each in site.calls if dotted(each.func) in _OF_DEFAULT_TYPE]
        plain = [each for each in made if not _keyword(each, "dtype")]
        if wanted / 2 <= here and plain:
            edit = _with_argument(site, plain[0], "dtype=torch.float16")
            found += changed(site, [edit], cell, halves=True)
        for place in others:
            found += elsewhere(site, place, cell)
        if found:
            return found
    return []


def _made_by_default(site: Site) -> "list[ast.Call]":
    """What the expression makes itself, without a word of where."""
    return [
        each
        for each in site.calls
        if dotted(each.func) in _OF_DEFAULT_DEVICE and not _keyword(each, "device")
    ]


def _keyword(call: ast.Call, name: str) -> bool:
    return any(each.arg == name for each in call.keywords)


def _with_argument(site: Site, call: ast.Call, text: str) -> Edit:
    end = site.span(call)[1] - 1
    before = site.code[:end].rstrip()
    return Edit(end, end, text if before.endswith((",", "(")) else f", {text}")


def _fits(operands: "Iterable[Operand]", target: str, room: "Mapping[str, float]") -> bool:
    return sum(each.bytes for each in operands) <= room.get(target, math.inf)


def _failing_device(failed: Failed) -> str:
    found = re.search(r"GPU (\d+) has a total", failed.message)
    return f"cuda:{found[1]}" if found else "cpu"


def _room(failed: Failed) -> float:
    """Bytes that one more tensor may take there at the most; nobody says it of the host."""
    device = _failing_device(failed)
    memory = next((each for each in failed.memory if each.device == device), None)
    if memory is None or memory.free_bytes is None:
        return math.inf
    tensors = memory.tensors_bytes or 0
    room = memory.free_bytes + (memory.reserved_bytes or 0) - tensors
    allowed = _ALLOWED.search(failed.message)
    return min(room, _bytes(allowed) - tensors) if allowed else room


def _wanted_bytes(message: str) -> "int | None":
    if _MORE_THAN_ANY in message:
        return 1 << 60
    found = _WANTED.search(message)
    return _bytes(found) if found else None


def _bytes(found: "re.Match[str]") -> int:
    return int(float(found[1]) * _UNITS[found[2]])
