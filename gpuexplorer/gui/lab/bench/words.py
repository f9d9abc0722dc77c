"""What the bench says of devices, and of what lies on them."""

from collections.abc import Sequence
from typing import NamedTuple

from gpuexplorer.core.units import Quantity, Units, memory
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.gui.lab.bench.bench_question import DeviceQuestion
from gpuexplorer.gui.lab.bench.blocks import Block, BlockKind, one_line, text_of
from gpuexplorer.gui.lab.bench.memory_levels import Level, amount
from gpuexplorer.gui.lab.bench.peeks import Values
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage

_MODELLED = (mark("Cards: memory is modelled"), mark("Cards: modelled"))
_STAGES = {
    Stage.SEARCHING: mark("Looking for a Python with PyTorch."),
    Stage.STARTING: mark("PyTorch starts."),
    Stage.FAILED: mark("PyTorch could not be started."),
}
_MOST_LINES = 16  # of a model


class FootRow(NamedTuple):
    """One line at the foot of a device; `size` None: it is not known."""

    level: Level
    label: str
    short: str  # the label where it is narrow
    size: int | None


def title_of(device: BenchDevice) -> str:
    return device.name or tr("Card {number}", number=device.chip)


def label_of(device: BenchDevice) -> str:
    return device.label.removeprefix("NVIDIA ")


def no_free(device: BenchDevice) -> str:
    """In the place of what is free on it."""
    return "" if device.name == "meta" else tr("free memory is not known")


def foot_of(device: BenchDevice) -> Sequence[FootRow]:
    # What the driver keeps for itself is there on an idle card too.
    words = tr("Others") if device.is_host else tr("Driver, others")
    others = FootRow(Level.OTHERS, words, tr("Others"), device.others_bytes)
    tensors = device.tensor_bytes
    if device.name == "meta":
        return ()
    if device.is_host:
        return (FootRow(Level.TENSORS, tr("Tensors"), tr("Tensors"), tensors), others)
    if not device.usable:
        return (others,)
    return (
        FootRow(Level.CACHE, tr("Cache"), tr("Cache"), device.cache_bytes),
        FootRow(Level.TENSORS, tr("Tensors in it"), tr("Tensors"), tensors),
        FootRow(Level.CONTEXT, tr("Context"), tr("Context"), device.context_bytes),
        others,
    )


def foot_notes(devices: Sequence[BenchDevice]) -> tuple[str, ...]:
    """Below the host, at falling length."""
    modelled = any(each.modelled and each.usable for each in devices)
    return tuple(map(tr, _MODELLED)) if modelled else ()


def facts_of(device: BenchDevice, units: Units) -> Sequence[str]:
    """What it is, what is free on it, and what stands at its foot."""
    free = device.free_bytes
    said = [label_of(device), no_free(device)]
    if free is not None:
        said[1] = tr("{amount} free", amount=amount(free, device, units))
    for row in foot_of(device):
        known = tr("not known") if row.size is None else amount(row.size, device, units)
        said.append(f"{row.label} {known}")
    return [each for each in said if each]


def spoken_device(device: BenchDevice, units: Units) -> str:
    facts = ", ".join(facts_of(device, units))
    return paragraph([f"{facts}.", tr(device.reason), tr(device.way_out)])


def count_of_things(count: int) -> str:
    return trn("{count} thing", "{count} things", count)


def more_devices(count: int) -> str:
    return trn("{count} more, empty", "{count} more, empty", count)


def where_nothing_lies(
    device: BenchDevice, lab: Lab, *, first: bool, nothing: bool
) -> tuple[str, ...]:
    """At falling length. `nothing`: on no device at all."""
    if nothing:
        return (_stage_words(lab),) if first else ()
    there = tr("the host") if device.is_host else device.name
    long = tr("Nothing here. Drop a block to copy it to {device}.", device=there)
    return (long, tr("Nothing here"))


def _stage_words(lab: Lab) -> str:
    if lab.can_replay:
        return tr("What lay here went with the worker that ended.")
    if lab.stage is Stage.RESTING:
        if lab.ledger.cells:
            return tr("All was given back: the next cell starts PyTorch again.")
        return tr("Nothing has started yet: the first cell starts PyTorch.")
    return tr(_STAGES.get(lab.stage, mark("Nothing here yet.")))


def title_of_block(block: Block) -> str:
    return ", ".join(block.names) or BlockKind.UNNAMED.words


def shape_of(block: Block) -> str:
    """ "2×3"; of a model or a value what it is, in one line."""
    thing = block.placed
    if thing is None:
        return ""
    match block.kind:
        case BlockKind.TENSOR:
            return "×".join(map(str, thing.shape or ())) or tr("one number")
        case BlockKind.OPTIMISER:
            return thing.text.partition("(")[0].strip() or BlockKind.OPTIMISER.words
        case _:
            return one_line(text_of(thing))


def amount_of(block: Block, device: BenchDevice, units: Units) -> Quantity | None:
    """None: it takes nothing that could be told."""
    if block.kind is BlockKind.OPTIMISER and not block.size:
        return None
    return amount(block.size, device, units)


def remark_of(block: Block, units: Units) -> str:
    match block.kind:
        case BlockKind.OPTIMISER:
            return tr("its state") if block.size else tr("no state yet")
        case BlockKind.UNNAMED if block.cause is not None:
            return tr("since cell {number}", number=block.cause.number)
        case BlockKind.UNNAMED:
            return tr("nobody named it")
    said = []
    if block.owner:
        said.append(tr("same memory as {name}", name=block.owner))
    if block.others:
        said.append(tr("rest on {devices}", devices=listed(block.others)))
    if block.gradients:
        size = memory(block.gradients, units)
        tensor = block.kind is BlockKind.TENSOR
        said.append(
            tr("with .grad, {size}", size=size) if tensor else tr("gradients {size}", size=size)
        )
    return "; ".join(said)


def spoken_block(block: Block, device: BenchDevice, units: Units) -> str:
    taken = amount_of(block, device, units)
    said = (
        title_of_block(block),
        block.kind.words,
        shape_of(block),
        "" if taken is None else str(taken),
        "requires_grad" if block.placed is not None and block.placed.requires_grad else "",
        remark_of(block, units),
    )
    return ", ".join(dict.fromkeys(each for each in said if each))


def hint_of(block: Block, units: Units, values: Values | None) -> str:
    thing = block.placed
    if thing is None:
        return tr(
            "Memory that PyTorch holds for no name: results that were only printed, graphs "
            "for backward, the workspace of a library."
        )
    if block.kind is not BlockKind.TENSOR:
        lines = thing.text.splitlines()
        return "\n".join([*lines[:_MOST_LINES], "…"] if len(lines) > _MOST_LINES else lines)
    said = [
        tr(
            "{names}: {text} on {device}.",
            names=", ".join(block.names),
            text=text_of(thing),
            device=thing.device,
        )
    ]
    taken = sum(each.bytes for each in thing.holds if each.what == "values")
    if block.owner:
        said.append(tr("It looks at the same memory as {name}.", name=block.owner))
    elif taken > thing.bytes:
        said.append(tr("It takes {size} there.", size=memory(taken, units)))
    if thing.requires_grad:
        said.append(tr("∇: requires_grad, so backward computes its gradient."))
    if block.gradients:
        said.append(tr("Its gradient takes {size} more.", size=memory(block.gradients, units)))
    if len(block.names) > 1:
        said.append(tr("Two names for the same object: nothing was copied."))
    lines = [paragraph(said)]
    if values is not None:
        lines += rows_of(values)
        if values.moved_bytes:
            copied = tr(
                "Showing the values copied {bytes} B to the host.", bytes=values.moved_bytes
            )
            lines.append(copied)
    return "\n".join(lines)


def rows_of(values: Values) -> Sequence[str]:
    return [" ".join(text for text, _ in row) for row in values.rows]


def asked_of(question: DeviceQuestion) -> str:
    host = "cpu" in (question.left.device, question.right.device)
    return tr("On which device?") if host else tr("On which card?")


def spoken_question(question: DeviceQuestion) -> str:
    return tr(
        "{left} on {device}, {right} on {other}. {question}",
        left=question.left.name,
        device=question.left.device,
        right=question.right.name,
        other=question.right.device,
        question=asked_of(question),
    )
