"""Roster: who tells a Prometheus of graphics cards, and which cards these are."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.answers import Labels
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.identity import KEYS, WANTED, Chosen, FleetCard, identified
from gpuexplorer.fleet.names import Exporter, exporters
from gpuexplorer.fleet.refusals import PrometheusError, plain
from gpuexplorer.fleet.selector import grouped

_HALF_AN_HOUR = 1800.0
_BACK, _HOUR = "1h", 3600.0  # so long after its last word a card is still listed
_MOST_CARDS = 200_000


class Roster:
    """One thread at a time asks. --match is in all questions."""

    def __init__(
        self, server: Prometheus, match: str, chosen: Chosen, wall: Callable[[], float]
    ) -> None:
        """`match` as `selector.match` gave it."""
        self.server = server
        self.match = match
        self.chosen = chosen
        self.exporters: Sequence[Exporter] = ()
        self._wall = wall
        self._labels: Collection[str] = ()  # of all their cards
        self._cards: Mapping[CardId, FleetCard] = {}
        self._told_at: dict[CardId, float] = {}  # its last word, or when it was found

    def look_for_cards(self) -> None:
        """Raises Trouble where nobody tells of any."""
        since = self._wall() - _HALF_AN_HOUR
        there = exporters(self.server.names(since))
        if not there:
            raise PrometheusError(
                "Nobody tells this Prometheus of graphics cards.",
                "It knows no metric of the DCGM exporter, nvidia_gpu_exporter, nvitop-exporter"
                " or `gpuexplorer serve`: let one run on each host, and Prometheus read it.",
            )
        labels: set[str] = set()
        known = []
        for each in there:
            labels.update(theirs := self.server.labels(each.series(self.match), since))
            if keys := [label for label in KEYS if label in theirs]:
                known.append(each._replace(keys=keys))
        self.exporters, self._labels = known, labels
        # Who fell silent stays among the others, with the reason.
        self._know({**self._lately_told(), **self._found()})
        if not self._cards:
            raise PrometheusError(
                "No card is to be seen in this Prometheus just now.",
                "Its exporters may have stopped, their labels may have no UUID, or --match fits"
                " none of them.",
            )

    def look_back(self) -> None:
        """For cards of which nobody has told for some minutes."""
        self._know({**self._found(_BACK), **self._cards})

    def _found(self, back: str = "") -> Mapping[CardId, FleetCard]:
        rows = ((each.title, row) for each in self.exporters for row in self._rows(each, back))
        found = identified(rows, self.chosen)
        if len(found) > _MOST_CARDS:
            raise PrometheusError(
                "This Prometheus tells of {count} cards, and at most {most} can be shown.",
                "Ask for fewer with --match.",
                count=len(found),
                most=_MOST_CARDS,
            )
        for card in found:
            self._told_at.setdefault(card, self._wall())
        return found

    def _rows(self, of: Exporter, back: str) -> Iterator[Labels]:
        asked = of.series(self.match)
        if back:
            asked = f"last_over_time({asked}[{back}])"
        wanted = dict.fromkeys((*WANTED, *filter(None, self.chosen)))
        by = [label for label in wanted if label in self._labels]
        return self.server.table(grouped("count", by, asked)).rows()

    def _lately_told(self) -> Mapping[CardId, FleetCard]:
        """Of those that are known. Where others come all the time, none of the earlier."""
        since = self._wall() - _HOUR
        cards = self._cards if len(self._cards) <= _MOST_CARDS else {}
        stay = {id_: each for id_, each in cards.items() if self._told_at.get(id_, 0) >= since}
        self._told_at = {card: self._told_at[card] for card in stay}
        return stay

    def _know(self, cards: Mapping[CardId, FleetCard]) -> None:
        """Where nothing is new the very same stay, and so does what was made of them."""
        if cards != self._cards:
            self._cards = cards


def shown_twice(cards: Iterable[FleetCard]) -> Sequence[Message]:
    """What is to be known of cards of which several tell."""
    notes, seen = [], [each for each in cards if len(each.targets) > 1]
    # One job reads a card at one place.
    if alike := [card for card in seen if len(card.targets) > len(card.jobs)]:
        one, other, *_ = sorted(plain(instance) for _, instance in alike[0].targets)
        notes.append(
            Message.counted(
                "The UUID {uuid} is told of at two places, {one} and {other}: of these"
                " cards only one is shown.",
                "{count} UUIDs, such as {uuid}, are told of at two places, such as {one}"
                " and {other}: of these cards only one each is shown.",
                len(alike),
                uuid=plain(alike[0].uuid),
                one=one,
                other=other,
            )
        )
    if twice := sum(len(card.jobs) > 1 for card in seen):
        notes.append(
            Message.counted(
                "{count} card is shown by more than one job, and counted once.",
                "{count} cards are shown by more than one job, and each is counted once.",
                twice,
            )
        )
    return notes
