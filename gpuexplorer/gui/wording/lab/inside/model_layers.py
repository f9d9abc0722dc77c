"""A model as it is drawn: its layers in order, what each holds, and where copies are needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gpuexplorer.core.words import Message, paragraph, tr, trn
from gpuexplorer.gui.wording.lab.inside.values import bytes_text, grouped
from gpuexplorer.lab.effects import effects_of
from gpuexplorer.lab.events import Layer, Opened, Part, Placed
from gpuexplorer.lab.ledger import Entry, Ledger
from gpuexplorer.lab.wire import Train

# Kept beside the parameters, and never trained.
_BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked"})


@dataclass(frozen=True, slots=True)
class Drawn:
    """One layer that does something; what only holds others is not drawn."""

    path: str
    kind: str
    text: str
    parts: tuple[Part, ...]
    device: str  # where it works: its own, else that of the layer before it

    @property
    def weight(self) -> Part | None:
        """The first that is shown when it is opened."""
        return self.parts[0] if self.parts else None

    @property
    def parameters(self) -> int:
        return sum(_count(part) for part in self.parts if part.name not in _BUFFERS)

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)

    @property
    def devices(self) -> Sequence[str]:
        return tuple(dict.fromkeys(part.device for part in self.parts))

    @property
    def name(self) -> str:
        """The last of its path: what stands before it is where it lies."""
        return self.path.rpartition(".")[2] or self.kind


@dataclass(frozen=True, slots=True)
class Crossing:
    """Before the layer of this number, what the one before gives has to be copied."""

    before: int
    source: str
    target: str
    words: str
    more: str


def drawn_layers(opened: Opened) -> Sequence[Drawn]:
    holders = {path for each in opened.layers if (path := each.path.rpartition(".")[0])}
    holders |= {""} if len(opened.layers) > 1 else set()
    shown = [each for each in opened.layers if each.parts or each.path not in holders]
    devices = _devices(shown)
    return [
        Drawn(each.path, each.kind, each.text, each.parts, device)
        for each, device in zip(shown, devices, strict=True)
    ]


def groups(layers: Sequence[Drawn]) -> Sequence[tuple[str, int, int]]:
    """Device, first and last layer of each run of layers that work on the same one."""
    found: list[tuple[str, int, int]] = []
    for number, layer in enumerate(layers):
        if found and found[-1][0] == layer.device:
            found[-1] = (layer.device, found[-1][1], number)
        else:
            found.append((layer.device, number, number))
    return found


def crossings(layers: Sequence[Drawn], batch: int | None) -> Sequence[Crossing]:
    """Where the next layer works on another device. How much goes over is known where a
    linear layer takes it in, and a batch was seen.
    """
    found = []
    for (source, _, last), (target, first, _) in pairwise(groups(layers)):
        taken = next((each for each in layers[first:] if each.parts), None)
        weight = None if taken is None else taken.weight
        words = tr("a copy per pass")
        more = [
            Message(
                "Each pass copies what {layer} gives from {source} to {target}.",
                layer=layers[last].name,
                source=source,
                target=target,
            )
        ]
        if taken is not None and weight is not None and taken.kind == "Linear":
            each = weight.shape[-1] * _size(weight)
            more.append(Message("A row of it is {size}.", size=bytes_text(each)))
            if batch is not None:
                words = tr("{size} a pass", size=bytes_text(each * batch))
                more.append(Message("The batch seen last had {rows} rows.", rows=batch))
        found.append(Crossing(first, source, target, words, paragraph(more)))
    return found


def batch_seen(ledger: Ledger, model: str) -> int | None:
    """How many rows went through it the last time, where that can still be told."""
    for entry in reversed(ledger.done()):
        if isinstance(entry.command, Train):
            if entry.command.model == model:
                return entry.command.batch
        elif model in effects_of(entry.command).calls:
            rows = _rows(entry, model, ledger.things)
            if rows is not None:
                return rows
    return None


def headline(layers: Sequence[Drawn]) -> str:
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
        layer=_called(largest),
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


def part_line(model: str, layer: Drawn, part: Part) -> str:
    """The line that stands for this parameter, in words that the lab understands."""
    steps = [each for each in layer.path.split(".") if each]
    if part.name in ("weight", "bias") and all(each.isdigit() for each in steps):
        return f"{model}{''.join(f'[{each}]' for each in steps)}.{part.name}"
    return f'{model}.state_dict()["{".".join((*steps, part.name))}"]'


def _called(layer: Drawn) -> str:
    return tr("layer {path}", path=layer.path) if layer.path else layer.kind


def _devices(shown: Sequence[Layer]) -> Sequence[str]:
    own = [each.parts[0].device if each.parts else "" for each in shown]
    before = next((device for device in own if device), "")
    found = []
    for device in own:
        before = device or before
        found.append(before)
    return found


def _rows(entry: Entry, model: str, things: Mapping[str, Placed]) -> int | None:
    for name in sorted(entry.effects.uses - {model}):
        thing = things.get(name)
        if thing is not None and thing.kind == "tensor" and len(thing.shape or ()) > 1:
            return (thing.shape or (0,))[0]
    return None


def _count(part: Part) -> int:
    count = 1
    for size in part.shape:
        count *= size
    return count


def _size(part: Part) -> int:
    return part.bytes // max(1, _count(part))
