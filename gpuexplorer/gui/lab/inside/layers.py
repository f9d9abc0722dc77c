"""LayerTable: a model's layers, what each holds, and where copies are needed between them."""

import math
from collections.abc import Callable, Mapping, Sequence

from gpuexplorer.core.units import grouped
from gpuexplorer.core.words import Message, paragraph, tr, trn
from gpuexplorer.gui.lab.inside.values import bytes_text, shape_text
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.lab.events import Layer, Opened, Part

# Kept beside the parameters, and never trained.
_BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked"})
_MOST_ROWS = 8  # the others are scrolled to


class LayerTable(Table[Layer]):
    """Of those that do something; what only holds others is not shown."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.layers: Sequence[Layer] = ()
        self._copied: Mapping[str, tuple[str, str]] = {}
        super().__init__(tr("Layers"), TableModel(self._columns(), lambda each: each.path))
        self.setSelectionMode(Table.SelectionMode.SingleSelection)

    def show_model(self, opened: Opened) -> None:
        """The layer that was chosen stays so; else it is the first that holds something."""
        self.layers = shown_layers(opened)
        self._copied = copies_between(self.layers)
        self.show_rows(self.layers)
        self.show_all_rows(_MOST_ROWS)
        if not self.picked():
            self.pick(next((each for each in self.layers if each.parts), self.layers[0]).path)

    def forget(self) -> None:
        self.layers = ()
        self.pick(None)

    def _columns(self) -> list[Column[Layer]]:
        def held(said: Callable[[Layer], Cell]) -> Callable[[Layer], Cell]:
            return lambda layer: said(layer) if layer.parts else Cell("–", tone=Tone.FAINT)

        def kind(layer: Layer) -> Cell:
            return Cell(layer.kind, mono=True, hint=layer.text)

        def size(layer: Layer) -> Cell:
            share = _held(layer) / (sum(map(_held, self.layers)) or 1)
            colours = {each.name: each.colour for each in self._lab.devices()}
            gauge = Gauge(share, colours.get(layer.parts[0].device))
            return Cell(bytes_text(_held(layer)), gauge=gauge)

        def device(layer: Layer) -> Cell:
            """What has to be copied there first stands beside it."""
            words, more = self._copied.get(layer.path, ("", ""))
            devices = ", ".join(dict.fromkeys(part.device for part in layer.parts))
            return Cell(devices, mark=words, hint=more)

        path, weight, count = tr("Layer"), tr("Weight"), tr("Parameters")
        return [
            Column("path", path, lambda each: Cell(each.path or each.kind, mono=True),
                   width=150, spoken=_spoken),
            Column("kind", tr("Kind"), kind, width=130, kept=3),
            Column("passes", tr("In and out"), _passes, width=130, kept=1),
            Column("weight", weight, held(lambda each: Cell(shape_text(each.parts[0].shape))),
                   width=120, kept=2),
            Column("count", count, held(lambda each: Cell(grouped(parameters(each)))),
                   width=110, right=True, kept=4),
            Column("bytes", tr("Bytes"), held(size), width=190, right=True),
            Column("device", tr("Device"), held(device), width=160, stretches=True),
        ]  # fmt: skip


def _passes(layer: Layer) -> Cell:
    """What goes in and what comes out, as far as the shape of its weight says."""
    said = ""
    match layer.kind, layer.parts[0].shape if layer.parts else ():
        case "Linear", (given, taken):
            said = f"{taken} \N{RIGHTWARDS ARROW} {given}"
        case "Embedding", (rows, _):
            said = tr("{count} rows", count=grouped(rows))
        case kind, (given, _, *kernel) if kind.startswith("Conv") and kernel:
            said = tr("{kernel}, {count} out", kernel=shape_text(kernel), count=given)
    return Cell(said, tone=Tone.QUIET)


def _spoken(layer: Layer) -> str:
    told = tr("no parameters")
    if layer.parts:
        count, size = grouped(parameters(layer)), bytes_text(_held(layer))
        told = tr("{parameters} parameters, {size}", parameters=count, size=size)
    return f"{layer.path} {layer.text}: {told}".strip()


def _held(layer: Layer) -> int:
    return sum(part.bytes for part in layer.parts)


def parameters(layer: Layer) -> int:
    return sum(math.prod(part.shape) for part in layer.parts if part.name not in _BUFFERS)


def shown_layers(opened: Opened) -> Sequence[Layer]:
    holders = {path for each in opened.layers if (path := each.path.rpartition(".")[0])}
    holders |= {""} if len(opened.layers) > 1 else set()
    return [each for each in opened.layers if each.parts or each.path not in holders]


def copies_between(layers: Sequence[Layer]) -> Mapping[str, tuple[str, str]]:
    """In brief and in full, by the path of the layer that works on another device than those
    before it. How much goes over is known where a linear layer takes it in. A layer that holds
    nothing works where the one before it does.
    """
    found, before, place = {}, layers[0], ""
    for layer in layers:
        device = layer.parts[0].device if layer.parts else place
        if place and device != place:
            more = tr(
                "Each pass copies what {layer} gives from {source} to {target}.",
                layer=before.path.rpartition(".")[2] or before.kind,
                source=place,
                target=device,
            )
            words, weight = tr("a copy per pass"), layer.parts[0]
            if layer.kind == "Linear":
                each = weight.shape[-1] * (weight.bytes // max(1, math.prod(weight.shape)))
                words = tr("copies {size} a row", size=bytes_text(each))
            found[layer.path] = words, more
        place, before = device, layer
    return found


def part_line(model: str, layer: Layer, part: Part) -> str:
    """The expression for this parameter, as a person would write it."""
    steps = [*(each for each in layer.path.split(".") if each), part.name]
    return model + "".join(f"[{each}]" if each.isdigit() else f".{each}" for each in steps)


def model_headline(layers: Sequence[Layer]) -> str:
    devices = sorted({part.device for each in layers for part in each.parts})
    return trn(
        "{count} layer, {parameters} parameters on {devices}",
        "{count} layers, {parameters} parameters on {devices}",
        len(layers),
        parameters=grouped(sum(map(parameters, layers))),
        devices=", ".join(devices) or tr("no device"),
    )


def held_words(layers: Sequence[Layer]) -> str:
    """What training takes is told by what is known of SGD and Adam: not measured."""
    if not (held := sum(map(_held, layers))):
        return tr("It holds no parameters.")
    largest = max(layers, key=_held)
    share = Message(
        "{size} of parameters; {layer} holds {share:.0f} % of them.",
        size=bytes_text(held),
        layer=tr("layer {path}", path=largest.path) if largest.path else largest.kind,
        share=_held(largest) / held * 100,
    )
    trained = sum(part.bytes for each in layers for part in each.parts if part.trained)
    training = Message(
        "Computed: with gradients {gradients}, with Adam {adam}.",
        gradients=bytes_text(held + trained),
        adam=bytes_text(held + 3 * trained),
    )
    return paragraph([share, training if trained else Message("None of them is trained.")])
