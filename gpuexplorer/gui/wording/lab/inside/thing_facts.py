"""What a thing on the shelf is: its facts, which lines made and read it, and its recipe."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.wording.lab.bench.bench_blocks import BlockKind
from gpuexplorer.gui.wording.lab.inside.values import bytes_text, count_of, grouped
from gpuexplorer.lab.events import Placed
from gpuexplorer.lab.ledger import Entry, Ledger

_MOST_LINES = 4
_A_MODEL = mark("a model")
_KINDS = {"optimiser": mark("an optimiser"), "value": mark("a plain value")}


@dataclass(frozen=True, slots=True)
class ThingFact:
    """`device` names the device whose chip stands before the value."""

    label: str
    value: str
    code: bool = False
    device: str = ""
    named_as_code: bool = False  # the label is a word of PyTorch


def thing_facts(ledger: Ledger, thing: Placed) -> Sequence[ThingFact]:
    if thing.kind == "tensor":
        facts = [*_of_tensor(thing)]
    else:
        facts = [ThingFact(tr("Kind"), BlockKind(thing.kind).words)]
        if thing.bytes:
            facts.append(ThingFact(tr("Bytes"), bytes_text(thing.bytes)))
    return (*facts, *_of_lines(ledger, thing.name))


def made_by(ledger: Ledger, name: str) -> int | None:
    """The number of the line that made this name stand for what it does."""
    lines = [number for number, each in _lines(ledger) if name in each.effects.makes]
    return lines[-1] if lines else None


def read_by(ledger: Ledger, name: str) -> Sequence[int]:
    """The numbers of the lines that used it since."""
    since = made_by(ledger, name) or 0
    return [
        number
        for number, each in _lines(ledger)
        if name in each.effects.uses and number > since
    ]


def recipe(ledger: Ledger, name: str) -> str:
    """The lines that make it again, bit for bit; empty where none of this session did."""
    try:
        return "\n".join(ledger.recipe_code(name))
    except Trouble:
        return ""


def lines_words(numbers: Sequence[int]) -> str:
    """Line 3; lines 3, 4; the last few where they are many."""
    if not numbers:
        return tr("no line yet")
    if len(numbers) == 1:
        return tr("line {number}", number=numbers[0])
    if len(numbers) > _MOST_LINES:
        last = ", ".join(str(each) for each in numbers[-_MOST_LINES + 1 :])
        return tr("{lines} lines, last {last}", lines=len(numbers), last=last)
    return tr("lines {numbers}", numbers=", ".join(str(each) for each in numbers))


def headline(thing: Placed, ledger: Ledger) -> str:
    """Beside its name."""
    if thing.kind == "tensor":
        shape = " × ".join(str(size) for size in thing.shape or ())
        if not shape:
            return tr("One number, {dtype} on {device}", dtype=thing.dtype, device=thing.device)
        return tr(
            "{shape} {dtype} on {device}", shape=shape, dtype=thing.dtype, device=thing.device
        )
    return tr(_KINDS.get(thing.kind, _A_MODEL))


def _of_tensor(thing: Placed) -> Sequence[ThingFact]:
    shape = thing.shape or ()
    count = count_of(shape)
    dtype = thing.dtype
    if count and thing.bytes:
        each = thing.bytes // count
        dtype = tr("{dtype}, {bytes} B each", dtype=dtype, bytes=each)
    facts = [
        ThingFact(tr("Device"), thing.device, device=thing.device),
        ThingFact(tr("Type"), dtype),
        ThingFact(tr("Shape"), _tuple(shape), code=True),
        ThingFact(tr("Values"), grouped(count)),
        ThingFact(tr("Bytes"), bytes_text(thing.bytes)),
        ThingFact("requires_grad", str(thing.requires_grad), code=True, named_as_code=True),
    ]
    if thing.requires_grad:
        there = any(part.what == "gradients" for part in thing.holds)
        held = bytes_text(thing.bytes) if there else tr("none yet")
        facts.insert(5, ThingFact(tr("Gradient"), held))
    cached = [part.bytes for part in thing.holds if part.device.startswith("cuda")]
    if cached:
        words = " + ".join(bytes_text(each) for each in cached)
        facts.insert(5, ThingFact(tr("In the card's cache"), words))
    return facts


def _of_lines(ledger: Ledger, name: str) -> Sequence[ThingFact]:
    maker = made_by(ledger, name)
    twins = ledger.twins(name) if name in ledger.things else []
    facts = [
        ThingFact(
            tr("Made by"), lines_words([maker]) if maker else tr("no line of this session")
        ),
        ThingFact(tr("Read by"), lines_words(read_by(ledger, name))),
    ]
    if twins:
        facts.append(ThingFact(tr("The same object as"), ", ".join(twins), code=True))
    return facts


def _lines(ledger: Ledger) -> Sequence[tuple[int, Entry]]:
    """Those that were carried out, as they are numbered."""
    return [
        (number, each)
        for number, each in enumerate(ledger.entries, 1)
        if each.state == "done" and number > ledger.first
    ]


def _tuple(shape: Sequence[int]) -> str:
    inside = ", ".join(str(size) for size in shape)
    return f"({inside},)" if len(shape) == 1 else f"({inside})"
