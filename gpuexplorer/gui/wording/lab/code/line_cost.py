"""What a line cost, in a few quiet words: bytes, context, cache, and copies."""

import ast
from collections.abc import Mapping, Sequence

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.wording.lab.amounts import bytes_words
from gpuexplorer.lab.events import Placed, Transferred
from gpuexplorer.lab.ledger import Entry
from gpuexplorer.lab.wire import Train

_MOST_COPIES = 4
_READING = frozenset({"item", "tolist", "numpy"})
_DEVICE_CALLS = frozenset({"try_gpu", "gpu", "cpu", "device"})
# So much that nobody named is no rounding of PyTorch's to whole blocks.
_WORTH_TELLING = 2 << 20


def cost_words(
    entry: Entry,
    placed: Sequence[Placed] = (),
    shares: Mapping[str, str] | None = None,
    units: Units = USUAL,
) -> str:
    """What a line cost that is done. `placed` is what it put on the shelf; `shares` says by
    name with whom it shares its memory. Empty where it cost nothing that is worth a word.
    """
    if isinstance(entry.command, Train):
        return tr(_training(entry))
    parts = [*_wrong(entry), *_copies(entry, units), *_held(entry, placed, shares or {}, units)]
    return paragraph(parts or _nothing(entry))


def _training(entry: Entry) -> Message:
    losses = entry.losses
    if not losses:
        return Message("No step was taken.")
    return Message.counted(
        "{count} step; loss from {first:.4g} to {last:.4g}.",
        "{count} steps; loss from {first:.4g} to {last:.4g}.",
        len(losses),
        first=losses[0],
        last=losses[-1],
    )


def _wrong(entry: Entry) -> list[Message]:
    targets = dict.fromkeys(each.target for each in entry.transfers if each.intact is False)
    return [
        Message("Arrived WRONG on {device}, see Copies.", device=_called(each))
        for each in targets
    ]


def _copies(entry: Entry, units: Units) -> list[Message]:
    copied = _real_copies(entry)
    to_host = [each for each in copied if each.target == "cpu"]
    template = _reading(entry) if to_host else ""
    if template:
        size = bytes_words(sum(each.bytes for each in to_host), units)
        others = [each for each in copied if each.target != "cpu"]
        return [*_moved(others, units), Message(template, size=size)]
    return _moved(copied, units)


def _real_copies(entry: Entry) -> list[Transferred]:
    return [each for each in entry.transfers if not each.already_there]


def _moved(transfers: Sequence[Transferred], units: Units) -> list[Message]:
    if not transfers:
        return []
    sizes = [bytes_words(each.bytes, units) for each in transfers]
    count = sum(each.copies for each in transfers)
    few = count == len(sizes) <= _MOST_COPIES
    size = ", ".join(sizes) if few else bytes_words(sum(e.bytes for e in transfers), units)
    ways = list(dict.fromkeys((each.source, each.target) for each in transfers))
    if len(ways) > 1:
        return [_on_several_ways(count, size, few=few)]
    source, target = map(_called, ways[0])
    if count == 1:
        return [
            Message(
                "Copied {size} from {source} to {target}.",
                size=size,
                source=source,
                target=target,
            )
        ]
    if few:
        return [
            Message(
                "{count} copies from {source} to {target}: {size}.",
                count=count,
                source=source,
                target=target,
                size=size,
            )
        ]
    return [
        Message(
            "{count} copies from {source} to {target}, {size} in all.",
            count=count,
            source=source,
            target=target,
            size=size,
        )
    ]


def _on_several_ways(count: int, size: str, *, few: bool) -> Message:
    if few:
        return Message("{count} copies: {size}.", count=count, size=size)
    return Message("{count} copies, {size} in all.", count=count, size=size)


def _called(device: str) -> str:
    return Message("the host") if device == "cpu" else device


def _reading(entry: Entry) -> str:
    """The template where bytes went to the host and nobody wrote that they should."""
    tree = _tree(entry)
    if _methods(tree) & _READING:
        return mark("Reading it copied {size} to the host and waited.")
    if entry.printed and isinstance(tree, ast.Expr):
        return mark("Printing copied {size} to the host and waited.")
    return ""


def _held(
    entry: Entry, placed: Sequence[Placed], shares: Mapping[str, str], units: Units
) -> list[Message]:
    parts: list[Message] = []
    on_host = [each for each in placed if each.device == "cpu" and each.bytes]
    new = [each for each in on_host if not each.same_as and each.name not in shares]
    new = [each for each in new if each.name not in entry.effects.changes]
    if new and not _real_copies(entry):
        size = bytes_words(sum(each.bytes for each in new), units)
        parts.append(Message("{size} on the host.", size=size))
    devices = list(entry.memory_after)
    for device in devices:
        said = _on_card(entry, placed, device, units)
        if said and len(devices) > 1 and _several(entry):
            said[0] = Message("{device}: {said}", device=device, said=said[0])
        parts += said
    for each in placed:
        if each.same_as:
            parts.append(Message("The very same object as {name}.", name=each.same_as))
        elif each.name in shares:
            parts.append(
                Message(
                    "No new memory: {name} shares that of {owner}.",
                    name=each.name,
                    owner=shares[each.name],
                )
            )
    return parts


def _several(entry: Entry) -> bool:
    return sum(1 for each in entry.memory_after if entry.allocated_bytes(each)) > 1


def _on_card(
    entry: Entry, placed: Sequence[Placed], device: str, units: Units
) -> list[Message]:
    """As the courses count it: tensors, then the cache, then the context."""
    before, after = entry.memory_before.get(device), entry.memory_after[device]
    came = entry.allocated_bytes(device)
    cache = (after.reserved_bytes or 0) - ((before and before.reserved_bytes) or 0)
    context = (after.context_bytes or 0) - ((before and before.context_bytes) or 0)
    if came < 0:
        return [_gone(-came, -cache, units)]
    parts = []
    copied = any(each.target == device for each in _real_copies(entry))
    if came > 0 and not copied:
        parts.append(_allocated(entry, placed, device, came, units))
    size = bytes_words(abs(cache), units)
    if context > 0:
        of_context = bytes_words(context, units)
        along = Message("The context of {context} came with it.", context=of_context)
        if cache > 0:
            along = Message(
                "The context of {context} and a cache of {cache} came with it.",
                context=of_context,
                cache=size,
            )
        parts.append(along)
    elif cache > 0:
        parts.append(Message("The cache grew by {size}.", size=size))
    elif came > 0 and not copied:
        parts.append(Message("It came out of the cache."))
    if cache < 0:
        parts.append(Message("The cache gave {size} back to the card.", size=size))
    return parts


def _gone(freed: int, left: int, units: Units) -> Message:
    """`left`: so many bytes left the cache, if it is more than 0."""
    size = bytes_words(freed, units)
    if left <= 0:
        return Message("{size} went back to PyTorch's cache.", size=size)
    return Message(
        "{size} went back to PyTorch's cache; {left} left it for the card.",
        size=size,
        left=bytes_words(left, units),
    )


def _allocated(
    entry: Entry, placed: Sequence[Placed], device: str, came: int, units: Units
) -> Message:
    """PyTorch hands out whole blocks; what is shown is what the tensors themselves take."""
    here = [each for each in placed if each.device == device]
    rounded = sum(part.bytes for each in here for part in each.holds if part.device == device)
    named = sum(each.bytes for each in here if each.name not in entry.effects.changes)
    gradients = sum(
        part.bytes for each in here for part in each.holds if part.what == "gradients"
    )
    size = bytes_words(came, units)
    if "backward" in _methods(_tree(entry)):
        if gradients:
            return Message("{size} of gradients.", size=size)
        return Message("A graph was walked.")
    if not named:
        return Message("{size} under no name.", size=size)
    size, rest = bytes_words(named, units), came - rounded
    if rest <= _WORTH_TELLING:
        return Message("{size} allocated.", size=size)
    return Message(
        "{size}, and {rest} under no name.", size=size, rest=bytes_words(rest, units)
    )


def _nothing(entry: Entry) -> list[Message]:
    if _asks_to_move(_tree(entry)):
        return [Message("Already there: nothing was copied.")]
    if entry.effects.deletes and entry.memory_after:
        names = ", ".join(sorted(entry.effects.deletes))
        return [Message("Deleted: {names}. Nothing changed on the cards.", names=names)]
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
