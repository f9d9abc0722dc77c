"""What the lab has made, in one line: how many things, where, and what holding them costs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import USUAL, Units, duration, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Placed

_HOST = "cpu"
_META = "meta"
# Shorter than this a line is over before anybody could read that it runs.
_WORTH_TELLING = 0.3


class LabSummary:
    """Counts again only what lies on the shelf when that changed."""

    def __init__(self) -> None:
        self._told_of = -1
        self._bytes = 0
        self._where = ""

    def words(
        self,
        things: Mapping[str, Placed],
        shelf: int,
        devices: Sequence[BenchDevice],
        units: Units = USUAL,
    ) -> str:
        """ "4 things on 2 cards: 88 B, and 1.81 GiB taken to hold them".

        `shelf`: another number where the things are others.
        """
        extra = sum(
            (each.context_bytes or 0)
            + max(0, (each.cache_bytes or 0) - (each.tensor_bytes or 0))
            for each in devices
            if each.is_card
        )
        taken = memory(extra, units) if extra else None
        if not things:
            if taken:
                return tr("Nothing made yet; {taken} taken all the same", taken=taken)
            return tr("Nothing made yet")
        if shelf != self._told_of:
            self._told_of = shelf
            self._bytes, self._where = _bytes(things.values()), _where(things)
        amount = memory(self._bytes, units)
        count, where = len(things), self._where
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


def _bytes(things: Iterable[Placed]) -> int:
    """Counts the values, not the blocks they lie in; a view has none of its own."""
    counted_already: set[tuple[str, int]] = set()
    total = 0
    for thing in sorted(things, key=lambda each: -each.bytes):
        if len(thing.holds) == 1:  # nearly all are such
            [part] = thing.holds
            place = (part.device, part.storage)
            if part.device != _META and place not in counted_already:
                counted_already.add(place)
                own = part.what == "values" and thing.bytes
                total += min(thing.bytes, part.bytes) if own else part.bytes
            continue
        parts = {
            (part.device, part.storage): part
            for part in thing.holds
            if part.device != _META and (part.device, part.storage) not in counted_already
        }
        counted_already |= parts.keys()
        values = [part.bytes for part in parts.values() if part.what == "values"]
        others = [part.bytes for part in parts.values() if part.what != "values"]
        total += (min(thing.bytes, sum(values)) if thing.bytes else sum(values)) + sum(others)
    return total


def _where(things: Mapping[str, Placed]) -> str:
    held = {part.device for thing in things.values() for part in thing.holds}
    places = held or {thing.device for thing in things.values()}
    cards = len(places - {_HOST, _META, ""})
    words = [trn("{count} card", "{count} cards", cards)] if cards else []
    if _HOST in places or not words:
        words.append(tr("the host"))
    return listed(words)


@dataclass(frozen=True, slots=True)
class StageWords:
    """`lit`: it holds what it holds, and answers. Else the dot is an outline."""

    words: str
    sentence: str
    tone: Tone = Tone.QUIET
    lit: bool = True


# In a word, and in a sentence.
_STILL = {
    "resting": (mark("Resting"), mark("No worker runs: it starts with the first line.")),
    "searching": (
        mark("Looking for a Python"),
        mark("A Python with PyTorch is looked for."),
    ),
    "starting": (mark("Starting"), mark("The worker starts and imports PyTorch.")),
    "ready": (mark("Ready"), mark("The worker waits for the next line.")),
}


def stage_words(stage: str, sentence: str = "", running: float | None = None) -> StageWords:
    """`running`: for how many seconds the line that runs has been doing so."""
    match stage:
        case "busy":
            words = tr("Busy")
            if running is not None and running >= _WORTH_TELLING:
                words = tr("Busy, {time}", time=_elapsed(running))
            return StageWords(words, tr("The worker carries out a line."), Tone.TEXT)
        case "hanging":
            return StageWords(
                tr("Does not come back"),
                tr(
                    "The line was asked to stop and has not. Restart the worker; what was on "
                    "the shelf can be rebuilt."
                ),
                Tone.WARN,
            )
        case "failed":
            return StageWords(
                tr("Cannot be started"),
                sentence or tr("The worker cannot be started."),
                Tone.BAD,
                lit=False,
            )
        case _:
            words, meaning = _STILL[stage]
            return StageWords(tr(words), sentence or tr(meaning), lit=stage == "ready")


def _elapsed(seconds: float) -> str:
    if seconds >= 60:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} min"
    return f"{seconds:.1f} s" if seconds < 10 else str(duration(int(seconds)))
