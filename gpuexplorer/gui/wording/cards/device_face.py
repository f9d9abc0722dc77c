"""DeviceFace: what the rail shows of a card or of the computer, in one line and a bar."""

import re
from dataclasses import dataclass

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import CardFace

_MAKERS = ("NVIDIA ", "GeForce ", "Quadro ", "Tesla ")
_SIZE = re.compile(r"[ -]\d+ ?[GT]B$")
_LESS_TELLING = re.compile(r"[ -](?:HBM\w*|PCIe|PCIE|SXM\d?|NVL|Edition|GPU)$")


@dataclass(frozen=True, slots=True)
class DeviceFace:
    """`word` stands in the place of the number where there is none."""

    chip: str
    colour: int | None
    name: str
    title: str
    said: str  # in short, for whoever cannot see the bar
    number: str
    unit: str
    share: float | None
    word: str
    tone: Tone
    warning: Icon | None
    answers: bool
    card: CardFace | None = None  # None: the computer, whose bar has no colour of its own

    @property
    def told(self) -> str:
        """All of it, line by line, for whoever asks by pointing."""
        said = self.said if self.card is None else self.card.lines
        return f"{self.title}\n{said}"


def card_device(face: CardFace) -> DeviceFace:
    mark = face.mark
    worrying = mark is not None and mark.tone in (Tone.WARN, Tone.BAD)
    word = face.word
    if not face.sentence and not face.busy.known:
        word = face.busy.absent[-1]
    said = face.sentence or f"{face.busy.spoken}."
    return DeviceFace(
        chip=face.number,
        colour=face.colour,
        name=short_name(face.name) or tr("Card {number}", number=face.number),
        title=face.title,
        said=said if mark is None else f"{mark.word}. {said}",
        number="" if face.sentence else face.busy.number,
        unit=face.busy.unit,
        share=None if face.sentence else face.busy_share,
        word=word,
        tone=mark.tone if face.sentence and worrying and mark is not None else Tone.FAINT,
        warning=mark.icon if worrying and mark is not None and not face.sentence else None,
        answers=not face.sentence,
        card=face,
    )


def host_device(face: CardFace) -> DeviceFace:
    known = face.busy.known
    return DeviceFace(
        chip=face.number,
        colour=None,
        name=tr("Host"),
        title=face.title,
        said=face.spoken,
        number=face.busy.number,
        unit=face.busy.unit,
        share=face.busy_share,
        word="" if known else face.busy.absent[-1],
        tone=Tone.FAINT,
        warning=None,
        answers=True,
    )


def short_name(name: str) -> str:
    """ "NVIDIA H100 80GB HBM3" becomes "H100": the model, without its maker and its memory."""
    short = name.strip()
    for maker in _MAKERS:
        short = short.removeprefix(maker)
    while True:
        shorter = _SIZE.sub("", _LESS_TELLING.sub("", short))
        if shorter == short or not shorter:
            return short or name
        short = shorter
