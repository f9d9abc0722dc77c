"""What the drawing of a machine shows of each of its parts. Equal faces look the same.

All words are translated.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import HOST_ID, CardId, CardKind, CardState
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace, short_name
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.cards.reasons import Matter
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.wiring import Wiring
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.topology import MachineShape, Topology

# Texts are given at falling length: the first that fits is drawn.
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TileFace:
    """A card."""

    card: CardFace
    small: tuple[Texts, ...]  # what else it says where there is room

    @property
    def name(self) -> str:
        return self.card.title

    @property
    def spoken(self) -> str:
        return self.card.summary

    @property
    def hint(self) -> str:
        return f"{self.name}\n{self.spoken}"

    @property
    def lost(self) -> bool:
        """Drawn in dashes, since nothing comes from it any more."""
        mark = self.card.mark
        return mark is not None and mark.matter in (Matter.LOST, Matter.UNLISTED)

    @property
    def model(self) -> Texts:
        if self.card.instances:
            count = len(self.card.instances)
            return trn("{count} MIG instance", "{count} MIG instances", count), tr("MIG")
        name = self.card.name
        short = short_name(name)
        return name.removeprefix("NVIDIA "), short, short.removeprefix("RTX ")

    @property
    def word(self) -> Texts:
        """In the place of how busy it is."""
        return self.card.busy.absent if self.card.answers else (self.card.word,)

    @property
    def memory(self) -> Texts:
        amount = self.card.memory.figure
        if not self.card.answers:
            return ()
        return (amount.value, amount.shorter.value) if amount.known else amount.absent


@dataclass(frozen=True, slots=True)
class BoxFace:
    """Anything else with a name on it."""

    name: str
    spoken: str
    title: Texts
    remark: Texts = ()

    @property
    def hint(self) -> str:
        return f"{self.name}\n{self.spoken}"


@dataclass(frozen=True, slots=True)
class LaneFace:
    """One direction of a wire."""

    word: str = ""  # "in", "0 to 1"
    figure: str = ""  # GB/s; empty where it is not known
    lit: float = 0.0  # 0 to 1: of what it could carry
    colour: int | None = None  # of the card that sends; None: the host, or several cards

    @property
    def spoken(self) -> str:
        """Empty where nothing is known of its traffic."""
        if not self.figure:
            return ""
        return tr("Now {direction}: {figure} GB/s.", direction=self.word, figure=self.figure)


IDLE = LaneFace()


@dataclass(frozen=True, slots=True)
class WireFace:
    """What joins two parts. Lanes lead forth, from the card up, and back."""

    name: str
    kind: Texts = ()
    rate: Texts = ()
    forth: LaneFace = IDLE
    back: LaneFace = IDLE
    absent: Texts = ()  # why there are no figures of its traffic
    tone: Tone = Tone.QUIET
    dark: bool = False  # a card at its end is lost
    lead: str = ""  # a sentence before all that is drawn
    remark: str = ""  # and one after it

    @property
    def spoken(self) -> str:
        said = [self.lead or (f"{self.kind[0]}." if self.kind else "")]
        if self.rate:
            said.append(tr("{rate} each way in theory.", rate=self.rate[0]))
        said += [self.back.spoken, self.forth.spoken]
        if self.absent and not (self.back.spoken or self.forth.spoken):
            said.append(tr("Traffic: {reason}.", reason=self.absent[0]))
        return " ".join(each for each in (*said, self.remark) if each)

    @property
    def hint(self) -> str:
        return f"{self.name}\n{self.spoken}"


Face = TileFace | BoxFace | WireFace


@dataclass(frozen=True, slots=True)
class MachineNow:
    """Every card of the shape is in each of the mappings."""

    shape: MachineShape
    topology: Topology
    listed: object  # the same as long as the same cards are listed
    cards: Mapping[CardId, Shown]
    faces: Mapping[CardId, CardFace]
    host: CardFace
    units: Units

    def number(self, card: CardId) -> str:
        return tr("host") if card == HOST_ID else self.cards[card].number

    def colour(self, card: CardId) -> int | None:
        return self.cards[card].colour

    def reading(self, card: CardId) -> Reading:
        return self.faces[card].reading

    def lost(self, card: CardId) -> bool:
        """Whether nothing comes from it any more: it fell off the bus, or is not listed."""
        return self.reading(card).state is CardState.LOST or self.unlisted(card)

    def unlisted(self, card: CardId) -> bool:
        return self.reading(card).state is CardState.UNLISTED

    def named(self, cards: Collection[CardId]) -> str:
        """ "card 3", "cards 0 to 7", "cards 0, 2 and 5 to 7"."""
        numbers = [self.number(card) for card in cards]
        parts = [part for run in _runs(numbers) for part in _words(run)]
        return trn("card {numbers}", "cards {numbers}", len(numbers), numbers=listed(parts))


def _runs(numbers: Sequence[str]) -> list[list[str]]:
    """Numbers that follow each other stand together."""
    runs: list[list[str]] = []
    for number in sorted(numbers, key=lambda each: (len(each), each)):
        before = runs[-1][-1] if runs else ""
        both = before.isdigit() and number.isdigit()
        if both and int(number) == int(before) + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _words(run: Sequence[str]) -> Sequence[str]:
    return [tr("{first} to {last}", first=run[0], last=run[-1])] if len(run) > 2 else run


def machine_now(machine: MachineState, wiring: Wiring) -> MachineNow | None:
    """As it is now; None while nothing is known of how the cards that are listed are wired."""
    shape, topology = wiring.shape, wiring.topology
    cards = {
        shown.card.id: shown for shown in machine.cards() if shown.card.kind is CardKind.GPU
    }
    if shape is None or topology is None:
        return None
    if not set(cards) >= {*shape.home, *shape.loose} or not shape.home:
        return None
    return MachineNow(
        shape,
        topology,
        machine.cards(),
        cards,
        {card: machine.face(shown) for card, shown in cards.items()},
        machine.host_face(),
        machine.settings.choices.units,
    )
