"""What is said of a thing that is looked into: its facts, its values, the layers of a model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.lab.bench.blocks import BlockKind, text_of
from gpuexplorer.gui.lab.inside.model_layers import Drawn
from gpuexplorer.gui.lab.inside.values import bytes_text, count_of, grouped, rounded_text
from gpuexplorer.lab.cell_source import names_made, names_read
from gpuexplorer.lab.events import Finished, Peeked, Placed
from gpuexplorer.lab.ledger import Ledger

_MOST_CELLS = 4
_A_MODEL = mark("a model")
_KINDS = {
    "optimiser": mark("an optimiser"),
    "container": mark("a container"),
    "value": mark("a plain value"),
}


@dataclass(frozen=True, slots=True)
class ThingFact:
    """`device` names the device whose chip stands before the value."""

    label: str
    value: str
    code: bool = False
    device: str = ""
    named_as_code: bool = False  # the label is a word of PyTorch


def thing_facts(ledger: Ledger, thing: Placed) -> Sequence[ThingFact]:
    if thing.kind == "tensor" and thing.shape is not None:
        facts = [*_of_tensor(thing)]
    else:
        facts = [ThingFact(tr("Kind"), BlockKind(thing.kind).words)]
        if thing.bytes:
            facts.append(ThingFact(tr("Bytes"), bytes_text(thing.bytes)))
    return (*facts, *_of_cells(ledger, root_of(thing.name)))


def root_of(path: str) -> str:
    """The name that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def thing_called(ledger: Ledger, path: str) -> Placed | None:
    """By its name on the shelf, or by its path in a container: "nets[0]"."""
    if path in ledger.things:
        return ledger.things[path]
    for each in ledger.things.values():
        for part in each.elements if path.startswith(each.name) else ():
            if part.path == path:
                kind, place = part.kind, part.device
                return Placed(each.id, path, kind, place, part.text, bytes=part.bytes)
    return None


def cells_words(numbers: Sequence[int]) -> str:
    """Cell 3; cells 3, 4; the last few where they are many."""
    if not numbers:
        return tr("no cell yet")
    if len(numbers) == 1:
        return tr("cell {number}", number=numbers[0])
    if len(numbers) > _MOST_CELLS:
        last = ", ".join(str(each) for each in numbers[-_MOST_CELLS + 1 :])
        return tr("{count} cells, last {last}", count=len(numbers), last=last)
    return tr("cells {numbers}", numbers=", ".join(str(each) for each in numbers))


def thing_headline(thing: Placed) -> str:
    """Beside its name."""
    if thing.shape is None and thing.kind == "tensor":
        return tr("{text} on {device}", text=text_of(thing), device=thing.device)
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
        ThingFact(tr("Shape"), str(tuple(shape)), code=True),
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


def _of_cells(ledger: Ledger, name: str) -> Sequence[ThingFact]:
    things, done = ledger.things, [each for each in ledger.cells if each.state == "done"]
    made = [each for each in done if name in each.placed]
    named = [each for each in made if name in names_made(each.code)] or made
    since = named[-1].number if named else 0
    readers = [
        each.number for each in done if each.number > since and name in names_read(each.code)
    ]
    first = things[name].same_as or name if name in things else name
    same = [first, *(each for each, thing in things.items() if thing.same_as == first)]
    twins = [each for each in same if each != name]
    facts = [
        ThingFact(
            tr("Made by"), cells_words([since]) if named else tr("no cell of this session")
        ),
        ThingFact(tr("Read by"), cells_words(readers)),
    ]
    if twins:
        facts.append(ThingFact(tr("The same object as"), ", ".join(twins), code=True))
    return facts


def spread_heading(peeked: Peeked) -> str:
    whole = count_of(peeked.shape)
    if whole == 1:
        return tr("One value")
    if peeked.looked_at < whole:
        seen = grouped(peeked.looked_at)
        return tr("Spread of {seen} of {count} values", seen=seen, count=grouped(whole))
    return tr("Spread of {count} values", count=grouped(whole))


def partly(peeked: Peeked) -> str:
    """Empty where all values were looked at."""
    if peeked.looked_at >= count_of(peeked.shape):
        return ""
    return tr("Least and greatest are of all values; the rest is of evenly chosen ones.")


def spread_rows(peeked: Peeked) -> Sequence[tuple[str, str]]:
    dtype = peeked.dtype
    return (
        (tr("Least"), rounded_text(peeked.least, dtype)),
        (tr("Greatest"), rounded_text(peeked.most, dtype)),
        (tr("Mean"), rounded_text(peeked.mean)),
        (tr("Deviation"), rounded_text(peeked.deviation)),
        (tr("Not finite"), grouped(peeked.not_finite)),
    )


def no_spread(peeked: Peeked) -> str:
    """Why there is no spread to draw; empty where there is one."""
    if not count_of(peeked.shape):
        return tr("A tensor without values has no spread.")
    if peeked.least is None:
        return tr("None of its values is a finite number.")
    if peeked.least == peeked.most:
        alike = rounded_text(peeked.least, peeked.dtype)
        if count_of(peeked.shape) == 1:
            return tr("It is {value}.", value=alike)
        return tr("All are {value}.", value=alike)
    return ""


def looked(peeked: Peeked, cost: Finished | None) -> str:
    """Looking is not free where the values lie on a card."""
    if not peeked.moved_bytes:
        return tr("Looking copied nothing: the values are on the host.")
    size = bytes_text(peeked.moved_bytes)
    if cost is None:
        return tr("Looking copied {size} to the host.", size=size)
    time = duration(cost.host_seconds)
    if cost.modelled:
        return tr("Looking copied {size} to the host: {time}, modelled.", size=size, time=time)
    return tr("Looking copied {size} to the host: {time}.", size=size, time=time)


def passes(layer: Drawn) -> str:
    """What goes in and what comes out, as far as the shape of its weight says."""
    shape = layer.parts[0].shape if layer.parts else ()
    if layer.kind.startswith("Conv") and len(shape) > 2:
        kernel = "×".join(str(size) for size in shape[2:])
        return tr("{kernel}, {count} out", kernel=kernel, count=shape[0])
    if layer.kind == "Linear" and len(shape) == 2:
        return f"{shape[1]} \N{RIGHTWARDS ARROW} {shape[0]}"
    if layer.kind == "Embedding" and len(shape) == 2:
        return tr("{count} rows", count=grouped(shape[0]))
    return ""


def spoken_layer(layer: Drawn) -> str:
    told = tr("no parameters")
    if layer.parts:
        told = tr(
            "{parameters} parameters, {size}",
            parameters=grouped(layer.parameters),
            size=bytes_text(layer.bytes),
        )
    return f"{layer.path} {layer.text}: {told}".strip()


def model_headline(layers: Sequence[Drawn]) -> str:
    count = sum(each.parameters for each in layers)
    devices = sorted({device for each in layers for device in each.devices})
    digits = grouped(count)
    if not devices:
        return trn(
            "{count} layer, {parameters} parameters",
            "{count} layers, {parameters} parameters",
            len(layers),
            parameters=digits,
        )
    if len(devices) > 1:
        return trn(
            "{count} layer, {parameters} parameters on {devices} devices",
            "{count} layers, {parameters} parameters on {devices} devices",
            len(layers),
            parameters=digits,
            devices=len(devices),
        )
    return trn(
        "{count} layer, {parameters} parameters on {device}",
        "{count} layers, {parameters} parameters on {device}",
        len(layers),
        parameters=digits,
        device=devices[0],
    )


def held_words(layers: Sequence[Drawn]) -> str:
    total = sum(each.bytes for each in layers)
    if not total:
        return tr("It holds no parameters.")
    largest = max(layers, key=lambda each: each.bytes)
    size = bytes_text(total)
    if len(layers) == 1:
        return tr("{size} of parameters", size=size)
    return tr(
        "{size} of parameters; {layer} holds {share:.0f} % of them",
        size=size,
        layer=tr("layer {path}", path=largest.path) if largest.path else largest.kind,
        share=largest.bytes / total * 100,
    )


def training_words(layers: Sequence[Drawn]) -> str:
    """What it will take to train it, by what is known of SGD and Adam: not measured."""
    held = sum(each.bytes for each in layers)
    trained = sum(part.bytes for each in layers for part in each.parts if part.trained)
    if not trained:
        return tr("None of them is trained.")
    with_gradients = bytes_text(held + trained)
    with_adam = bytes_text(held + 3 * trained)
    return tr(
        "Computed: with gradients {gradients}, with Adam {adam}",
        gradients=with_gradients,
        adam=with_adam,
    )
