"""Where code names a card, and how it is to be said of another one."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpuexplorer.lab.cell_source import Edit, Source
from gpuexplorer.lab.failing import dotted

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
