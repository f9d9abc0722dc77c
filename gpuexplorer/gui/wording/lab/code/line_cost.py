"""What a line cost, in one quiet sentence: bytes, context, cache, and copies."""

import ast
from collections.abc import Mapping, Sequence

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.wording.lab.amounts import bytes_words, listed
from gpuexplorer.lab.events import Placed, Transferred
from gpuexplorer.lab.ledger import Entry
from gpuexplorer.lab.wire import Train

_MOST_COPIES = 4
_READING = frozenset({"item", "tolist", "numpy"})
_DEVICE_CALLS = frozenset({"try_gpu", "gpu", "cpu", "device"})
# Of what nobody named, this much is no rounding of PyTorch's to whole blocks.
_WORTH_TELLING = 2 << 20


def cost_words(
    entry: Entry,
    placed: Sequence[Placed] = (),
    shares: Mapping[str, str] | None = None,
    units: Units = USUAL,
) -> str:
    """Of a line that is done. `placed` is what it put on the shelf; `shares` says by name
    with whom it shares its memory. Empty where it cost nothing that is worth a word.
    """
    if isinstance(entry.command, Train):
        return _training(entry)
    parts = [*_wrong(entry), *_copies(entry, units), *_held(entry, placed, shares or {}, units)]
    if not parts:
        parts = _nothing(entry)
    words = "; ".join(parts)
    # PyTorch's names of devices stay as they are.
    return words if words.startswith(tuple(entry.memory_after)) else _capital(words)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _training(entry: Entry) -> str:
    losses = entry.losses
    if not losses:
        return "No step was taken"
    steps = "1 step" if len(losses) == 1 else f"{len(losses)} steps"
    return f"{steps}; loss from {losses[0]:.4g} to {losses[-1]:.4g}"


def _wrong(entry: Entry) -> list[str]:
    wrong = [_called(each.target) for each in entry.transfers if each.intact is False]
    if not wrong:
        return []
    return [f"arrived WRONG on {listed(list(dict.fromkeys(wrong)))}, see Copies"]


def _copies(entry: Entry, units: Units) -> list[str]:
    copied = _real_copies(entry)
    to_host = [each for each in copied if each.target == "cpu"]
    reading = _reading(entry) if to_host else ""
    if reading:
        size = bytes_words(sum(each.bytes for each in to_host), units)
        others = [each for each in copied if each.target != "cpu"]
        said = f"{reading} copied {size} to the host and waited"
        return [*_moved(others, units), said]
    return _moved(copied, units)


def _real_copies(entry: Entry) -> list[Transferred]:
    return [each for each in entry.transfers if not each.already_there]


def _moved(transfers: Sequence[Transferred], units: Units) -> list[str]:
    if not transfers:
        return []
    sizes = [bytes_words(each.bytes, units) for each in transfers]
    ways = list(dict.fromkeys((each.source, each.target) for each in transfers))
    way = f" from {_called(ways[0][0])} to {_called(ways[0][1])}" if len(ways) == 1 else ""
    count = sum(each.copies for each in transfers)
    if count == 1:
        return [f"copied {sizes[0]}{way}"]
    if count == len(sizes) <= _MOST_COPIES:
        return [f"{len(sizes)} copies{way}: {', '.join(sizes)}"]
    total = bytes_words(sum(each.bytes for each in transfers), units)
    return [f"{count} copies{way}, {total} in all"]


def _called(device: str) -> str:
    return "the host" if device == "cpu" else device


def _reading(entry: Entry) -> str:
    """Why bytes went to the host where nobody wrote that they should."""
    tree = _tree(entry)
    if _methods(tree) & _READING:
        return "reading it"
    return "printing" if entry.printed and isinstance(tree, ast.Expr) else ""


def _held(
    entry: Entry, placed: Sequence[Placed], shares: Mapping[str, str], units: Units
) -> list[str]:
    parts: list[str] = []
    on_host = [each for each in placed if each.device == "cpu" and each.bytes]
    new = [each for each in on_host if not each.same_as and each.name not in shares]
    new = [each for each in new if each.name not in entry.effects.changes]
    if new and not _real_copies(entry):
        parts.append(f"{bytes_words(sum(each.bytes for each in new), units)} on the host")
    devices = list(entry.memory_after)
    for device in devices:
        said = _on_card(entry, placed, device, units)
        if said:
            parts.append(f"{device}: {said}" if len(devices) > 1 and _several(entry) else said)
    for each in placed:
        if each.same_as:
            parts.append(f"the very same object as {each.same_as}")
        elif each.name in shares:
            parts.append(f"no new memory: {each.name} shares that of {shares[each.name]}")
    return parts


def _several(entry: Entry) -> bool:
    return sum(1 for each in entry.memory_after if entry.allocated_bytes(each)) > 1


def _on_card(entry: Entry, placed: Sequence[Placed], device: str, units: Units) -> str:
    """As the courses count it: tensors, then the cache, then the context."""
    before, after = entry.memory_before.get(device), entry.memory_after[device]
    came = entry.allocated_bytes(device)
    cache = (after.reserved_bytes or 0) - ((before and before.reserved_bytes) or 0)
    context = (after.context_bytes or 0) - ((before and before.context_bytes) or 0)
    if came < 0:
        back = f"; {bytes_words(-cache, units)} left it for the card" if cache < 0 else ""
        return f"{bytes_words(-came, units)} went back to PyTorch's cache{back}"
    parts = []
    copied = any(each.target == device for each in _real_copies(entry))
    if came > 0 and not copied:
        parts.append(_allocated(entry, placed, device, came, units))
    along = []
    if context > 0:
        along.append(f"the context of {bytes_words(context, units)}")
    if cache > 0:
        along.append(f"a cache of {bytes_words(cache, units)}")
    if along and context > 0:
        parts.append(f"with it came {listed(along)}")
    elif cache > 0:
        parts.append(f"the cache grew by {bytes_words(cache, units)}")
    elif came > 0 and not copied:
        parts.append("out of the cache")
    if cache < 0:
        parts.append(f"the cache gave {bytes_words(-cache, units)} back to the card")
    return "; ".join(parts)


def _allocated(
    entry: Entry, placed: Sequence[Placed], device: str, came: int, units: Units
) -> str:
    """PyTorch gives out whole blocks; what is told is what the tensors themselves take."""
    here = [each for each in placed if each.device == device]
    rounded = sum(part.bytes for each in here for part in each.holds if part.device == device)
    named = sum(each.bytes for each in here if each.name not in entry.effects.changes)
    gradients = sum(
        part.bytes for each in here for part in each.holds if part.what == "gradients"
    )
    if "backward" in _methods(_tree(entry)):
        return f"{bytes_words(came, units)} of gradients" if gradients else "a graph was walked"
    if not named:
        return f"{bytes_words(came, units)} under no name"
    rest = came - rounded
    unnamed = f", and {bytes_words(rest, units)} under no name" if rest > _WORTH_TELLING else ""
    return f"{bytes_words(named, units)}{unnamed}"


def _nothing(entry: Entry) -> list[str]:
    if _asks_to_move(_tree(entry)):
        return ["Already there: nothing was copied"]
    if entry.effects.deletes:
        names = listed(sorted(entry.effects.deletes))
        gone = f"The name {names} is gone; on the cards nothing changed"
        return [gone] if entry.memory_after else []
    return []


def _asks_to_move(tree: ast.AST) -> bool:
    """Whether a device is asked for by name: `.cuda(1)`, `.to("cpu")`, `.to(try_gpu())`."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in ("cuda", "cpu"):
            return True
        if node.func.attr == "to":
            given = [*node.args, *(word.value for word in node.keywords)]
            if any(_is_device(each) for each in given):
                return True
    return False


def _is_device(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else ""
    name = function.id if isinstance(function, ast.Name) else name
    return name in _DEVICE_CALLS


def _methods(tree: ast.AST) -> frozenset[str]:
    return frozenset(
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )


def _tree(entry: Entry) -> ast.stmt:
    """It was carried out, so it can be read."""
    return ast.parse(entry.code).body[0]
