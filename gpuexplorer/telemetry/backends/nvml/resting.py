"""Letting cards sleep: not waking those that do, and leaving alone those that could."""

from gpuexplorer.core.cards import Card, CardId, CardKind, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.pci_bus import PciBus

# A card that did nothing for this long is left alone, so that the kernel can switch it off.
_IDLE_BEFORE_REST = 30.0
# If it has not fallen asleep by then, somebody else keeps it awake, and reading does no harm.
_REST = 20.0


# Begins the id of a card that slept from the start, and so was never asked for its UUID.
SLEEPER = "PCI-"


class _Nap:
    def __init__(self) -> None:
        self.idle_since: float | None = None
        self.resting_since: float | None = None
        self.users = 0


class Resting:
    """Who sleeps, who may sleep, and who is left alone. Asks the kernel only, never NVML."""

    def __init__(self, bus: PciBus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock
        self._naps: dict[CardId, _Nap] = {}
        self._may_sleep: dict[str, bool] = {}
        self._known: dict[str, Card] = {}

    def all_asleep(self) -> bool:
        cards = self._bus.cards()
        return bool(cards) and all(card.asleep for card in cards)

    def awake_bus_ids(self) -> list[str] | None:
        """None when no card sleeps: then all may be asked for."""
        cards = self._bus.cards()
        if not any(card.asleep for card in cards):
            return None
        return [card.bus_id for card in cards if not card.asleep]

    def sleepers(self) -> list[Card]:
        """Cards that sleep and were not asked, as far as the kernel knows them."""
        return [
            self._known.get(card.bus_id)
            or Card(
                id=CardId(f"{SLEEPER}{card.bus_id}"),
                index=position,
                name=Message("NVIDIA card {device:04x}, asleep", device=card.device),
                memory_bytes=None,
                bus_id=card.bus_id,
                cuda_reason=Message("the card is asleep and was not asked"),
            )
            for position, card in enumerate(self._bus.cards())
            if card.asleep
        ]

    def learn(self, cards: list[Card]) -> None:
        """Remember whose bus address is whose, and which cards the kernel may switch off."""
        self._may_sleep = {card.bus_id: card.may_sleep for card in self._bus.cards()}
        for card in cards:
            if card.bus_id is not None and card.kind is CardKind.GPU:
                self._known[card.bus_id] = card

    def note(self, card: Card, sample: Sample) -> None:
        """See how long a card that may sleep has done nothing."""
        if not self._may_sleep.get(card.bus_id or ""):
            return
        busy = sample.values.get(GPU_UTILIZATION)
        if busy is None:
            return
        nap = self._naps.setdefault(card.id, _Nap())
        idle_since = nap.idle_since
        if busy > 0 or nap.users:
            nap.idle_since = None
        elif idle_since is None:
            nap.idle_since = sample.at
        elif sample.at - idle_since >= _IDLE_BEFORE_REST:
            nap.resting_since = sample.at

    def note_users(self, card: CardId, users: int) -> None:
        self._naps.setdefault(card, _Nap()).users = users

    def all_resting(self, cards: list[Card]) -> bool:
        """Only an ended connection lets a card sleep, and it can end only for all at once."""
        return bool(cards) and all(self._left_alone(card) for card in cards)

    def resting(self, card: Card) -> bool:
        """Whether the card is to be left alone now."""
        if card.id.startswith(SLEEPER):
            return self._is_asleep(card.bus_id or "")
        nap = self._naps.get(card.id)
        since = None if nap is None else nap.resting_since  # another round may clear it
        if nap is None or since is None:
            return False
        if self._is_asleep(card.bus_id or ""):
            return True
        if self._clock.now() - since < _REST:
            return True
        # It woke, or never slept: look at it again, and at once let it rest if it still idles.
        nap.resting_since = None
        nap.idle_since = self._clock.now()
        return False

    def notes(self) -> list[Message]:
        sleeping = [card.bus_id for card in self._bus.cards() if card.asleep]
        if not sleeping:
            return []
        return [
            Message(
                "Asleep, and not woken to be read: {cards}. A program that uses it wakes it.",
                cards=", ".join(sleeping),
            )
        ]

    def _left_alone(self, card: Card) -> bool:
        nap = self._naps.get(card.id)
        return nap is not None and nap.resting_since is not None

    def _is_asleep(self, bus_id: str) -> bool:
        return self._bus.asleep(bus_id)
