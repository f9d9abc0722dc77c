"""Listening: hands everything that a session is told to a recorder."""

from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.told import Machine
from gpuexplorer.telemetry.facts import Fact, Users
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session


class Listening:
    """From when it is made until `stop`; of these cards, or of all. Asks for the wiring too, in
    a thread that may hang.
    """

    def __init__(
        self, session: Session, recorder: Recorder, only: frozenset[CardId] | None = None
    ) -> None:
        self._session, self._recorder, self._only = session, recorder, only
        self._listed: Sequence[Card] | None = None
        self._wiring: Asked[None] | None = None
        self._wired: Sequence[Card] | None = None
        self._look_at_cards()
        session.attach(self._take)

    def stop(self) -> None:
        self._session.detach(self._take)

    def wiring_told(self, seconds: float) -> bool:
        """Whether that thread has its answer, or gets it within so many seconds."""
        return self._wiring is not None and self._wiring.answered_within(seconds)

    def _take(self, fact: Fact) -> None:
        match fact:
            case Sample(card=card):
                self._look_at_cards()
                if self._concerns(card):
                    self._recorder.put(fact)
            case Users(card=card, processes=named) if self._concerns(card):
                self._recorder.put_processes(card, named)
            case Happening(card=card) if card is None or self._concerns(card):
                self._recorder.put_happening(fact)

    def _concerns(self, card: CardId) -> bool:
        return self._only is None or card in self._only or card == HOST_ID

    def _look_at_cards(self) -> None:
        cards = self._session.cards()
        if cards is not self._listed:
            self._listed = cards
            self._recorder.put_cards([card for card in cards if self._concerns(card.id)])
        if cards is not self._wired and (self._wiring is None or self._wiring.answered):
            self._wired = cards
            self._wiring = Asked(self._ask_for_wiring)

    def _ask_for_wiring(self) -> None:
        told = self._session.stream.wiring()
        links = [
            each for each in told.links if self._concerns(each.a) and self._concerns(each.b)
        ]
        cards = [card for card in told.cards if self._concerns(card)]
        self._recorder.put_topology(replace(told, cards=cards, links=links))


def machine_of(session: Session, *, anonymous: bool) -> Machine:
    """Where it is recorded; asks the host."""
    return Machine(
        "" if anonymous else session.computer,
        session.source,
        session.interval,
        session.host,
        () if anonymous else tuple(session.notes()),
    )
