"""Cures where a card is not there, and where values have to leave it first."""

import ast
import re
from collections.abc import Callable, Mapping

from gpuexplorer.core.words import Message
from gpuexplorer.lab.card_words import (
    card_number,
    device_arguments,
    is_cuda_method,
    is_helper,
    is_of_cuda,
    whole,
)
from gpuexplorer.lab.cure import Copying, Cure
from gpuexplorer.lab.events import Failed, Placed
from gpuexplorer.lab.grammar import dotted
from gpuexplorer.lab.ledger import Ledger

_MOST_CARDS = 3
_NO_CARD_AT_ALL = (
    "Torch not compiled with CUDA enabled",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
)
_ON_CARD = "device type tensor to numpy"
_HAS_HISTORY = "numpy() on Tensor that requires grad"


def card_is_missing(failed: Failed) -> bool:
    there_is_none = any(each in failed.message for each in _NO_CARD_AT_ALL)
    return there_is_none or "invalid device ordinal" in failed.message


def other_places(
    failed: Failed, tree: ast.stmt, used: "Mapping[str, Placed]", ledger: Ledger
) -> "list[Cure]":
    """In place of a card that is not there, or is lost: the others, and the processor."""
    cards = [each for each in ledger.devices if each.name.startswith("cuda:") and each.usable]
    there = {card_number(each.name) for each in cards}
    lost = {card_number(each) for each in failed.lost}
    if not lost and not card_is_missing(failed):
        return []

    def gone(number: "int | None") -> bool:
        return number is not None and (number in lost if lost else number not in there)

    places = [each.name for each in cards if not gone(card_number(each.name))][:_MOST_CARDS]
    if lost:
        places.append("cpu")
    found = [] if lost else _falling_back(tree, used, gone)
    for place in places:
        text = _instead(tree, gone, lambda _, place=place: place)  # type: ignore[misc]  # mypy cannot infer this default
        if text:
            label = Message("The same on {place}", place=place)
            found.append(Cure((text,), label, _copies(tree, used, gone, place)))
    return found


def out_of_the_card(
    failed: Failed, tree: ast.stmt, used: "Mapping[str, Placed]"
) -> "list[Cure]":
    """NumPy knows the host's memory, and nothing of gradients."""
    history = any(each.requires_grad for each in used.values())
    if _ON_CARD in failed.message:
        steps = ("detach", "cpu") if history else ("cpu",)
        label = Message("The same after a copy to the host")
    elif _HAS_HISTORY in failed.message:
        steps, label = ("detach",), Message("The same without its history")
    else:
        return []
    change = _BeforeNumpy(steps, used)
    text = ast.unparse(change.visit(copied(tree)))
    copies = tuple(
        Copying(name, used[name].device, "cpu", used[name].bytes)
        for name in change.brought
        if "cpu" in steps
    )
    return [Cure((text,), label, copies)] if change.changed else []


def copied(tree: ast.stmt) -> ast.stmt:
    return ast.parse(ast.unparse(tree)).body[0]


def _falling_back(
    tree: ast.stmt, used: "Mapping[str, Placed]", gone: "Callable[[int | None], bool]"
) -> "list[Cure]":
    if any(isinstance(each, ast.Call) and is_of_cuda(each) for each in ast.walk(tree)):
        return []  # the processor has no answer to it
    text = _instead(tree, gone, lambda number: f"try_gpu({number})")
    if not text:
        return []
    number = re.search(r"try_gpu\((\d+)\)", text)
    label = Message(
        "The same on the processor, and on {card} where there is one",
        card=f"cuda:{number[1] if number else 0}",
    )
    return [Cure((text,), label, _copies(tree, used, gone, "cpu"))]


def _copies(
    tree: ast.stmt,
    used: "Mapping[str, Placed]",
    gone: "Callable[[int | None], bool]",
    target: str,
) -> "tuple[Copying, ...]":
    """Of what is on the shelf and was to be moved to the card."""
    names = [
        each.func.value.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and isinstance(each.func.value, ast.Name)
        and each.func.attr in ("cuda", "to")
        and _instead(ast.Expr(each), gone, lambda _: target)
    ]
    return tuple(
        Copying(name, used[name].device, target, used[name].bytes)
        for name in dict.fromkeys(names)
        if name in used and used[name].device not in ("", target)
    )


def _instead(
    tree: ast.stmt,
    gone: "Callable[[int | None], bool]",
    put: "Callable[[int], str]",
) -> str:
    """The line with another device in place of the one that is gone; empty if it has none."""
    change = _Instead(gone, put)
    text = ast.unparse(change.visit(copied(tree)))
    return text if change.changed else ""


class _Instead(ast.NodeTransformer):
    def __init__(
        self, gone: "Callable[[int | None], bool]", put: "Callable[[int], str]"
    ) -> None:
        self._gone = gone
        self._put = put
        self.changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if is_cuda_method(node):
            return self._move(node)
        if is_helper(node, "gpu", "try_gpu"):
            number = whole(node.args[0]) if node.args else 0
            return self._place(number) if self._gone(number) else node
        if dotted(node.func) == "torch.device":
            return self._device(node)
        if is_of_cuda(node):
            for each in device_arguments(node):
                if isinstance(each, ast.Constant) and self._gone(whole(each)):
                    self.changed = True
                    place = self._put(whole(each) or 0)
                    each.value = card_number(place) if card_number(place) is not None else place
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "to" and node.args:
            node.args[0] = self._number(node.args[0])
        for word in node.keywords:
            if word.arg == "device":
                word.value = self._number(word.value)
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        number = card_number(node.value)
        return self._place(number) if self._gone(number) else node

    def _number(self, node: ast.expr) -> ast.expr:
        return self._place(whole(node)) if self._gone(whole(node)) else node

    def _device(self, node: ast.Call) -> ast.AST:
        numbers = [whole(each) for each in node.args]
        numbers += [card_number(getattr(each, "value", None)) for each in node.args]
        number = next((each for each in numbers if each is not None), None)
        if not self._gone(number):
            return node
        place = self._place(number)
        if isinstance(place, ast.Call):
            return place
        return ast.Call(node.func, [place], [])

    def _move(self, node: ast.Call) -> ast.AST:
        assert isinstance(node.func, ast.Attribute)
        owner = self.visit(node.func.value)
        asked = node.args[0] if node.args else ast.Constant(0)
        number = whole(asked)
        if number is None:
            number = card_number(getattr(asked, "value", None))
        if not self._gone(number):
            node.func.value = owner
            return self.generic_visit(node)
        place = self._place(number)
        known = card_number(getattr(place, "value", None))
        if known is not None:
            return ast.Call(ast.Attribute(owner, "cuda", ast.Load()), [ast.Constant(known)], [])
        if isinstance(place, ast.Constant):
            return ast.Call(ast.Attribute(owner, "cpu", ast.Load()), [], [])
        return ast.Call(ast.Attribute(owner, "to", ast.Load()), [place], [])

    def _place(self, number: "int | None") -> ast.expr:
        self.changed = True
        text = self._put(number or 0)
        is_call = text.endswith(")")
        return ast.parse(text, mode="eval").body if is_call else ast.Constant(text)


class _BeforeNumpy(ast.NodeTransformer):
    def __init__(self, steps: "tuple[str, ...]", used: "Mapping[str, Placed]") -> None:
        self._steps = steps
        self._used = used
        self.brought: list[str] = []
        self.changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr != "numpy":
            return node
        owner = function.value
        if isinstance(owner, ast.Name):
            thing = self._used.get(owner.id)
            if thing is None or (thing.device == "cpu" and "cpu" in self._steps):
                return node
            self.brought.append(owner.id)
        for step in self._steps:
            owner = ast.Call(ast.Attribute(owner, step, ast.Load()), [], [])
        self.changed = True
        function.value = owner
        return node
