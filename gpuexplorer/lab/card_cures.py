"""Cures where a card is not there, is full, and where values have to leave it first."""

import ast
from collections.abc import Iterator, Sequence

from gpuexplorer.core.words import Message
from gpuexplorer.lab.cell_source import CardWord, Edit, card_number, card_words, dotted
from gpuexplorer.lab.cure import Copying, Cure, changed, moved
from gpuexplorer.lab.events import Failed, Frame
from gpuexplorer.lab.failing import Site
from gpuexplorer.lab.ledger import Cell, Ledger

_MOST_CARDS = 3
_NO_CARD_AT_ALL = (
    "Torch not compiled with CUDA enabled",
    "Cannot access accelerator device when none is available",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
)
_ON_CARD = "device type tensor to numpy"
_HAS_HISTORY = "numpy() on Tensor that requires grad"
_CONTEXT = "torch.cuda.device"
# As errors call the object of torch.cuda.device, where torch.device was meant.
_NO_PLACE = ("got (device)", "must be torch.device, not device", "exchangeDevice")


def card_is_missing(failed: Failed) -> bool:
    there_is_none = any(each in failed.message for each in _NO_CARD_AT_ALL)
    return there_is_none or "invalid device ordinal" in failed.message


def context_for_place(failed: Failed) -> bool:
    return any(each in failed.message for each in _NO_PLACE)


def other_places(failed: Failed, site: Site, cell: Cell, ledger: Ledger) -> "list[Cure]":
    """In place of a card that is not there, or is lost: the others, and the processor."""
    cards = [each for each in ledger.devices if each.name.startswith("cuda:") and each.usable]
    there = {card_number(each.name) for each in cards}
    lost = {card_number(each) for each in failed.lost}
    if not lost and not card_is_missing(failed):
        return []

    def gone(number: int) -> bool:
        return number in lost if lost else number not in there

    places = [each.name for each in cards if not gone(card_number(each.name) or 0)]
    for home, root in _where_it_may_stand(site, ledger):
        words = [each for each in card_words(home, root) if gone(each.number)]
        if not words or not _all_there(home, root, ledger):
            continue
        found = [] if lost else _falling_back(home, words, cell, ledger)
        for place in [*places[:_MOST_CARDS], *(["cpu"] if lost else [])]:
            label = Message("The same on {place}", place=place)
            found += _said_anew(home, words, place, cell, label)
        return found
    return []


def elsewhere(site: Site, place: str, cell: Cell) -> "list[Cure]":
    """The same on another device than the card that is named."""
    label = Message("The same on {place}", place=place)
    words = [each for each in card_words(site, site.node) if f"cuda:{each.number}" != place]
    if words:
        return _said_anew(site, words, place, cell, label)
    named = [
        each.value
        for call in site.calls
        for each in call.keywords
        if each.arg == "device" and isinstance(each.value, ast.Name)
    ]
    edits = [Edit(*site.span(each), repr(place)) for each in named]
    return changed(site, edits, cell, label=label) if edits else []


def out_of_the_card(failed: Failed, site: Site, cell: Cell) -> "list[Cure]":
    """NumPy knows the host's memory, and nothing of gradients."""
    history = any(each.requires_grad for each in site.operands)
    if _ON_CARD in failed.message:
        step = ".detach().cpu()" if history else ".cpu()"
        label = Message("The same after a copy to the host")
    elif _HAS_HISTORY in failed.message:
        step, label = ".detach()", Message("The same without its history")
    else:
        return []
    owners = [
        each.func
        for each in site.calls
        if isinstance(each.func, ast.Attribute) and each.func.attr == "numpy"
    ]
    known = {id(each.node): each for each in site.operands}
    edits, copied = [], []
    for owner in owners:
        operand = known.get(id(owner.value))
        if operand is None or operand.device != "cpu" or step == ".detach()":
            place = site.span(owner)[1] - len(".numpy")
            edits.append(Edit(place, place, step))
            copied += [operand] if operand is not None else []
    if not owners:
        copied = [each for each in site.operands if each.device != "cpu" or history]
        edits = [
            Edit(site.span(each.node)[1], site.span(each.node)[1], step) for each in copied
        ]
    leaving = {each.name: each for each in copied if "cpu" in step and each.device != "cpu"}
    return changed(site, edits, cell, label=label, copies=moved(leaving.values(), "cpu"))


def device_for_context(failed: Failed, site: Site, cell: Cell, ledger: Ledger) -> "list[Cure]":
    """`torch.cuda.device` makes a card the current one for a while; it is no place."""
    if not context_for_place(failed):
        return []
    label = Message("The same with torch.device, which names a place")
    for home, root in _where_it_may_stand(site, ledger):
        edits = [
            Edit(*home.span(each.func), "torch.device")
            for each in ast.walk(root)
            if isinstance(each, ast.Call) and dotted(each.func) == _CONTEXT
        ]
        if edits:
            return changed(home, edits, cell, label=label)
    return []


def _where_it_may_stand(site: Site, ledger: Ledger) -> "Iterator[tuple[Site, ast.AST]]":
    """In the expression that failed; where its names were made; anywhere in its cell."""
    yield site, site.node
    names = {each.id for each in ast.walk(site.node) if isinstance(each, ast.Name)}
    done = [each for each in reversed(ledger.done()) if each is not site.cell]
    for home in [site.cell, *done]:
        try:
            body = ast.parse(home.code).body
        except (SyntaxError, ValueError):
            continue
        for each in reversed(body):
            if isinstance(each, ast.Assign) and names & {ast.unparse(t) for t in each.targets}:
                made = Site(home, Frame(home.number, each.lineno), ledger)
                yield made, made.node
    yield site, site.module


def _all_there(site: Site, root: ast.AST, ledger: Ledger) -> bool:
    """Nothing that it needs went with a worker that was lost."""
    names = {each.id for each in ast.walk(root) if isinstance(each, ast.Name)}
    went = {name for each in ledger.cells if ledger.gone(each) for name in each.placed}
    return not (names & went) - ledger.things.keys() - site.local


def _falling_back(
    site: Site, words: "Sequence[CardWord]", cell: Cell, ledger: Ledger
) -> "list[Cure]":
    if any(each.only_cards for each in words):
        return []
    number = words[0].number
    has_helper = any("def try_gpu(" in each.code for each in ledger.done())
    card = f"cuda:{number}"
    there = f"torch.device({card!r} if torch.cuda.device_count() > {number} else 'cpu')"
    label = Message("The same on the processor, and on {card} where there is one", card=card)
    place = f"try_gpu({number})" if has_helper else there
    return _said_anew(site, words, place, cell, label, falls_to="cpu")


def _said_anew(
    site: Site,
    words: "Sequence[CardWord]",
    place: str,
    cell: Cell,
    label: Message,
    falls_to: str = "",
) -> "list[Cure]":
    edits = [each.edit(place) for each in words]
    whole = [each for each in edits if each is not None]
    if len(whole) < len(edits):
        return []
    return changed(
        site, whole, cell, label=label, copies=_copies(site, words, falls_to or place)
    )


def _copies(site: Site, words: "Sequence[CardWord]", target: str) -> "tuple[Copying, ...]":
    """What is on the shelf and was to be moved to the card."""
    owners = [site.known(each.owner) for each in words if each.owner is not None]
    known = {each.name: each for each in owners if each is not None}
    return moved((each for each in known.values() if each.device not in ("", target)), target)
