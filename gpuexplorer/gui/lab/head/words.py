"""What the lab has made, in one line; what each of its switches does, its PyTorch line, and
what TensorFlow calls the same.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Placed

Visible = tuple[int, ...] | None
LEAST, MOST = 5, 100  # percent
_WORD = "set_per_process_memory_fraction"
_LINE = re.compile(
    r"torch\.cuda\.set_per_process_memory_fraction\(\s*([\d.]+)"
    r"""(?:\s*,\s*(?:device\s*=\s*)?(?:["']?cuda:)?(\d+)?["']?)?\s*\)"""
)


@dataclass(frozen=True, slots=True)
class SwitchWords:
    """Every course explains these by TensorFlow's names; the lab writes PyTorch.

    Title, sentence and what `differs` are marked: whoever shows them translates them.
    """

    title: str
    sentence: str
    torch: str
    tensorflow: str
    differs: str = ""

    def tooltip(self, family: str, mono: str) -> str:
        """In these letters, and `mono` for code."""
        code = f"<code style=\"font-family:'{mono}'\">"
        rows = (
            f"<b>{escape(tr(self.title))}</b>",
            escape(tr(self.sentence)),
            f"<br>PyTorch: {code}{escape(self.torch)}</code>",
            f"TensorFlow: {code}{escape(self.tensorflow)}</code>",
            escape(tr(self.differs)),
        )
        body = "<br>".join(row for row in rows if row)
        return (
            f"<div style=\"width:340px; font-family:'{family}'; font-size:13px\">{body}</div>"
        )


FALL_BACK = SwitchWords(
    mark("Fall back to cpu"),
    mark(
        "A saved script also runs where a card is missing: what forms and drags wrote names "
        "try_gpu(1) in it in place of cuda:1, which is then the host."
    ),
    "X = torch.ones(2, 3, device=try_gpu(1))",
    "allow_soft_placement=True",
    mark("In PyTorch it is a function of three lines that courses write themselves."),
)
PLACEMENT = SwitchWords(
    mark("Print placement"),
    mark("Every operation says on which device it ran, below its cell."),
    "class PlacementLog(TorchDispatchMode): …",
    "log_device_placement=True",
    mark("PyTorch has no such option: the lab watches each operation while a cell runs."),
)
MEMORY_CAP = SwitchWords(
    mark("Memory cap"),
    mark(
        "At most this share of a card's memory for the lab: the safe way to meet an out-of-"
        "memory error."
    ),
    "torch.cuda.set_per_process_memory_fraction(0.4, 0)",
    "per_process_gpu_memory_fraction=0.4",
)
GROWTH = SwitchWords(
    mark("Growing segments"),
    mark(
        "Stretches of memory grow where they are, which leaves fewer holes. Told to the worker "
        "when it starts."
    ),
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    "allow_growth=True",
    mark(
        "TensorFlow takes nearly all memory at its start unless it is told this. PyTorch "
        "always takes memory as it is needed; this only changes how."
    ),
)
WAITING = SwitchWords(
    mark("Wait for each kernel"),
    mark(
        "Each operation waits until its card has done it, so that an error of the card names "
        "the line that caused it. All takes longer. Told to the worker when it starts."
    ),
    "CUDA_LAUNCH_BLOCKING=1",
    "CUDA_LAUNCH_BLOCKING=1",
    mark("CUDA itself reads it, so it is one and the same."),
)
VISIBLE = SwitchWords(
    mark("Visible cards"),
    mark(
        "Which cards the worker sees, and in which order it numbers them from 0. Told to it "
        "when it starts."
    ),
    "CUDA_VISIBLE_DEVICES=1,0",
    "tf.config.set_visible_devices(gpus, 'GPU')",
)
PLACE = SwitchWords(
    mark("One device for a stretch of code"),
    mark("What is created in the block lies on that device where nothing else is said."),
    'with torch.device("cpu"):',
    "with tf.device('/cpu:0'):",
)
ALL_SWITCHES: Sequence[SwitchWords] = (
    *(FALL_BACK, PLACEMENT, MEMORY_CAP, GROWTH, WAITING, VISIBLE, PLACE),
)


def visible_line(visible: Sequence[int]) -> str:
    return f"CUDA_VISIBLE_DEVICES={','.join(map(str, visible))}"


def as_choice(visible: Sequence[int], every: Sequence[int]) -> Visible:
    """All of them in their own order need not be said."""
    return None if list(visible) == list(every) else tuple(visible)


def usual_order(cards: Sequence[Shown]) -> Sequence[int]:
    """The cards' indices as CUDA numbers them; those without a number come last."""
    ordered = sorted(
        cards,
        key=lambda each: (
            each.card.cuda_index is None,
            each.card.cuda_index if each.card.cuda_index is not None else each.card.index,
        ),
    )
    return [each.card.index for each in ordered]


def remembered_visible(visible: Visible, cards: Sequence[Shown]) -> str:
    """Holds for these cards only: on another computer the numbers mean others."""
    ids = [str(each.card.id) for each in cards]
    return json.dumps({"cards": ids, "visible": visible})


def visible_in(text: str | None, cards: Sequence[Shown]) -> Visible:
    """What was remembered; all of them where that was of other cards."""
    try:
        said = json.loads(text or "{}")
        ids, visible = said["cards"], said["visible"]
    except (ValueError, KeyError, TypeError):
        return None
    indices = {each.card.index for each in cards}
    if ids != [str(each.card.id) for each in cards] or not isinstance(visible, list):
        return None
    return tuple(visible) if visible and set(visible) <= indices else None


def cap_line(share: float, device: str) -> str:
    """`device`: such as "cuda:1"."""
    number = device.partition(":")[2]
    return f"torch.cuda.set_per_process_memory_fraction({share:g}, {number})"


def caps_in(lines: Sequence[str]) -> Mapping[str, float]:
    """By the device, as the cells were run; the last one holds. All of it is no cap."""
    caps: dict[str, float] = {}
    for line in lines:
        if _WORD not in line:  # of a thousand lines hardly one does
            continue
        for share, number in _LINE.findall(line):
            caps[f"cuda:{number or 0}"] = _share(share)
    return {device: share for device, share in caps.items() if share < 1.0}


def changed_caps(wanted: Mapping[str, float], now: Mapping[str, float]) -> Sequence[str]:
    """The code that is needed to come from these caps to those."""
    return [
        cap_line(share, device)
        for device, share in wanted.items()
        if share != now.get(device, 1.0)
    ]


def capped(devices: Sequence[BenchDevice]) -> Sequence[BenchDevice]:
    """Those that a cap can be set for."""
    return [each for each in devices if each.usable and each.name.startswith("cuda:")]


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0


def summary_words(
    things: Mapping[str, Placed], devices: Sequence[BenchDevice], units: Units = USUAL
) -> str:
    """ "4 things on 2 cards: 88 B, and 1.81 GiB taken to hold them"."""
    extra = sum(
        (each.context_bytes or 0) + max(0, (each.cache_bytes or 0) - (each.tensor_bytes or 0))
        for each in devices
        if each.is_card
    )
    taken = memory(extra, units) if extra else None
    if not things:
        if taken:
            return tr("Nothing made yet; {taken} taken all the same", taken=taken)
        return tr("Nothing made yet")
    amount = memory(_values_bytes(things.values()), units)
    count, where = len(things), _where(things)
    if not taken:
        return trn(
            "{count} thing on {places}: {amount}",
            "{count} things on {places}: {amount}",
            count,
            places=where,
            amount=amount,
        )
    return trn(
        "{count} thing on {places}: {amount}, and {taken} taken to hold it",
        "{count} things on {places}: {amount}, and {taken} taken to hold them",
        count,
        places=where,
        amount=amount,
        taken=taken,
    )


def _values_bytes(things: Iterable[Placed]) -> int:
    """Counts the values, not the blocks they lie in; a view has none of its own."""
    counted: set[tuple[str, int]] = set()
    total = 0
    for thing in sorted(things, key=lambda each: -each.bytes):
        parts = {(each.device, each.storage): each for each in thing.holds}
        new = [part for place, part in parts.items() if place not in counted]
        new = [part for part in new if part.device != "meta"]
        counted |= parts.keys()
        values = sum(part.bytes for part in new if part.what == "values")
        total += min(thing.bytes, values) if thing.bytes else values
        total += sum(part.bytes for part in new if part.what != "values")
    return total


def _where(things: Mapping[str, Placed]) -> str:
    held = {part.device for thing in things.values() for part in thing.holds}
    places = held or {thing.device for thing in things.values()}
    cards = len(places - {"cpu", "meta", ""})
    words = [trn("{count} card", "{count} cards", cards)] if cards else []
    if "cpu" in places or not words:
        words.append(tr("the host"))
    return listed(words)
