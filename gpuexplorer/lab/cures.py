"""Cures: the lines that may help where one failed, by what it failed of."""

import ast
import math
import re
from collections.abc import Mapping

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.card_cures import card_is_missing, copied, other_places, out_of_the_card
from gpuexplorer.lab.cure import Copying, Cure
from gpuexplorer.lab.events import Failed, Placed
from gpuexplorer.lab.grammar import dotted, read_line
from gpuexplorer.lab.ledger import Ledger

_DEVICE = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps)\b")
_WANTED = re.compile(r"Tried to allocate ([\d.]+) (bytes|KiB|MiB|GiB)")
_ALLOWED = re.compile(r"([\d.]+) (bytes|KiB|MiB|GiB) allowed")
_MORE_THAN_ANY = "more than 1EB"
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_MOST_DELETIONS = 3


def cures(failed: Failed, line: str, ledger: Ledger) -> "list[Cure]":
    """The cheapest first; none where nothing but another line helps."""
    try:
        tree, uses = read_line(line).tree, read_line(line).uses
    except Trouble:
        return []
    used = {name: ledger.things[name] for name in sorted(uses) if name in ledger.things}
    if failed.cause == "devices differ":
        return _bring_together(failed, tree, used)
    if failed.cause == "out of memory":
        return [*_make_room(failed, line, ledger), *_take_less(failed, tree, ledger)]
    if failed.cause in ("device lost", "device broken") or card_is_missing(failed):
        there = len(used) == len(uses)
        return other_places(failed, tree, used, ledger) if there else []
    return out_of_the_card(failed, tree, used)


def _bring_together(
    failed: Failed, tree: ast.stmt, used: "Mapping[str, Placed]"
) -> "list[Cure]":
    movable = {name: each for name, each in used.items() if each.kind in ("tensor", "model")}
    involved = [each.device for each in movable.values()] + _DEVICE.findall(failed.message)
    targets = list(dict.fromkeys(each for each in involved if each and "," not in each))
    if "cpu" not in targets:
        targets.append("cpu")
    found = []
    for target in targets:
        moved = {name: each for name, each in movable.items() if each.device != target}
        if not moved:
            continue
        text = ast.unparse(_Move(target, frozenset(moved)).visit(copied(tree)))
        copies = tuple(
            Copying(name, each.device, target, each.bytes) for name, each in moved.items()
        )
        found.append(Cure((text,), copies=copies))
    # A way by which both leave their cards is the last resort, however few the bytes.
    found.sort(key=lambda cure: (len(cure.copies), cure.copied_bytes))
    return found


def _make_room(failed: Failed, line: str, ledger: Ledger) -> "list[Cure]":
    """PyTorch has given its cache back by then, so only what is held can make room."""
    found = []
    wanted = _wanted_bytes(failed.message)
    device = _failing_device(failed)
    largest = sorted(
        (each for each in ledger.things.values() if each.device == device and each.bytes),
        key=lambda each: -each.bytes,
    )
    uses = read_line(line).uses
    spare = [each for each in largest if each.name not in uses]
    for each in spare[:_MOST_DELETIONS]:
        enough = wanted is None or each.bytes >= wanted
        lines = (f"del {each.name}", line)
        found.append(Cure(lines, frees_bytes=each.bytes, enough=enough))
    return found


def _take_less(failed: Failed, tree: ast.stmt, ledger: Ledger) -> "list[Cure]":
    found = []
    wanted = _wanted_bytes(failed.message) or 0
    smaller = copied(tree)
    if wanted / 2 <= _room(failed) and _halve(smaller):
        found.append(Cure((ast.unparse(smaller),), halves=True))
    for device in ledger.devices:
        if not device.usable or device.name == "meta":
            continue
        if device.total_bytes is not None and wanted > device.total_bytes:
            continue
        elsewhere = _Elsewhere(device.name)
        text = ast.unparse(elsewhere.visit(copied(tree)))
        if elsewhere.changed:
            found.append(Cure((text,), Message("The same on {place}", place=device.name)))
    return found


class _Move(ast.NodeTransformer):
    def __init__(self, target: str, names: "frozenset[str]") -> None:
        self._target = target
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._names or not isinstance(node.ctx, ast.Load):
            return node
        moved = ast.parse(f"{node.id}{_moving(self._target)}").body[0]
        assert isinstance(moved, ast.Expr)
        return moved.value


class _Elsewhere(ast.NodeTransformer):
    """Another device in place of the one that is named in the line."""

    def __init__(self, target: str) -> None:
        self._target = target
        self.changed = False

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = node.value
        named = isinstance(value, str) and (value == "cuda" or _DEVICE.fullmatch(value))
        if not named or value == self._target or (value, self._target) == ("cuda", "cuda:0"):
            return node
        self.changed = True
        return ast.Constant(self._target)


def _halve(tree: ast.stmt) -> bool:
    """Whether something is created in it that could be had in half precision."""
    for node in ast.walk(tree):
        name = dotted(node.func) if isinstance(node, ast.Call) else None
        if name is None or name.removeprefix("torch.") not in vocabulary.CREATORS:
            continue
        assert isinstance(node, ast.Call)
        if any(word.arg == "dtype" for word in node.keywords):
            continue
        half = ast.parse("torch.float16", mode="eval").body
        node.keywords.append(ast.keyword("dtype", half))
        return True
    return False


def _moving(target: str) -> str:
    kind, _, number = target.partition(":")
    if kind == "cpu":
        return ".cpu()"
    return f".cuda({number})" if kind == "cuda" else f".to({target!r})"


def _failing_device(failed: Failed) -> str:
    found = re.search(r"GPU (\d+) has a total", failed.message)
    return f"cuda:{found[1]}" if found else "cpu"


def _room(failed: Failed) -> float:
    """Bytes that one more tensor may take there at the most; nobody tells it of the host."""
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
