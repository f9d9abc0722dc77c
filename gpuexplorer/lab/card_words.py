"""Which part of a line names a card, and its number."""

import ast

from gpuexplorer.lab.grammar import dotted

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


def card_number(value: object) -> "int | None":
    """The number in "cuda:1"; "cuda" is the first."""
    if not isinstance(value, str):
        return None
    kind, _, number = value.partition(":")
    return int(number or 0) if kind == "cuda" and (number or "0").isdigit() else None


def whole(node: "ast.expr | None") -> "int | None":
    """A written number; True is none."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def is_of_cuda(call: ast.Call) -> bool:
    """`torch.cuda.synchronize(1)`."""
    return (dotted(call.func) or "").startswith(_CUDA)


def device_arguments(call: ast.Call) -> "list[ast.expr]":
    """Of a call of `torch.cuda`: those in which a bare number is a card's."""
    word = (dotted(call.func) or "").removeprefix(_CUDA)
    found = [each.value for each in call.keywords if each.arg in ("device", "peer_device")]
    places = () if word in _NO_DEVICE else _PLACES.get(word, (0,))
    return [*(call.args[place] for place in places if place < len(call.args)), *found]


def is_cuda_method(call: ast.Call) -> bool:
    """`X.cuda(1)`."""
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "cuda"
        and dotted(function) is None
    )


def is_helper(call: ast.Call, *names: str) -> bool:
    """`gpu(1)`, the book's."""
    return isinstance(call.func, ast.Name) and call.func.id in names
