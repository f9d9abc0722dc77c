"""EventList: one row an episode, the newest on top, and what stands in its columns."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import csv_of, harmless
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.event_words import (
    EventGroup,
    group_of,
    of_all,
    sentence,
    sign,
    state_words,
    stem,
)
from gpuexplorer.gui.cards.moments import moment_words, span_words
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import Cell, Chip, Column, chips_width
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.happenings import Episode, EpisodeState, EventBook, Happening

BEGAN, ENDED, CARD, LASTED = "began", "ended", "card", "lasted"
_CHIPS = 4  # of so many cards at once; of more it is said how many more
_MOST_HINTED = 16
_AT_ONCE = 1.5  # seconds: the cards of one round are read within them
_LOOKED_AT = 16  # rows that may have come in between
_CAPTIONS = (
    *("began", "ended", "lasted [s]", "simulated", "kind", "card", "card_id"),
    *("what_happened", "state"),
)


@dataclass(eq=False, slots=True)
class EpisodeRow:
    """The oldest first. All of one kind, about the same, and each of another card."""

    episodes: list[Episode]

    @property
    def first(self) -> Happening:
        return self.episodes[0].first

    def take(self, episode: Episode) -> bool:
        """True if it belongs here, and then it is here."""
        first, new = self.first, episode.first
        belongs = (
            new.kind is first.kind
            and new.card is not None
            and new.at - first.at <= _AT_ONCE
            and all(new.card != each.first.card for each in self.episodes)
            and stem(episode) == stem(self.episodes[0])
        )
        if belongs:
            self.episodes.append(episode)
        return belongs


class EventList:
    """`rows` are those that are chosen. What a row says is made only when it is seen."""

    def __init__(self, machine: MachineState) -> None:
        self._machine = machine
        self._book = EventBook()
        self._log: Sequence[Happening] = ()
        self.every: list[EpisodeRow] = []  # the oldest first, as all but `rows`
        self.found: list[EpisodeRow] = []  # for the card and the words, of every group
        # What is chosen; None and "" let everything through.
        self.group: EventGroup | None = None
        self.card: CardId | None = None
        self.words = ""
        self.rows: list[EpisodeRow] = []  # the newest first
        self.counts: Counter[EventGroup] = Counter()

    def show_log(self, log: Sequence[Happening]) -> bool:
        """Takes in what is new; True if there was anything."""
        if log[-1:] == self._log[-1:]:
            return False
        added = self._book.take(log)
        # Of another log, as when the playhead of a recording goes back, nothing is kept. Else
        # the oldest make room for the newest, but what still goes on stays.
        oldest = float("inf") if self._book.anew else log[0].at
        if self._book.anew or (self._log and self._log[0] is not log[0]):
            for rows in (self.every, self.found):
                rows[:] = [row for row in rows if not self._book.anew and _stays(row, oldest)]
        self._log = log
        _gather(added, self.every)
        if self.found is not self.every:
            _gather(self._chosen_of(added), self.found)
        self._list()
        return True

    @property
    def narrowed(self) -> bool:
        return bool(self.group or self.card or self.words)

    def choose(
        self, group: EventGroup | None = None, card: CardId | None = None, words: str = ""
    ) -> None:
        self.group, self.card, self.words, self.found = group, card, words, self.every
        if card is not None or words:
            self.found = []
            episodes = (each for row in self.every for each in row.episodes)
            _gather(self._chosen_of(episodes), self.found)
        self._list()

    def _list(self) -> None:
        groups = [group_of(row.first.kind) for row in self.found]
        self.counts = Counter(groups)
        pairs = zip(self.found, groups, strict=True)
        self.rows = [row for row, group in pairs if self.group in (None, group)][::-1]

    def _chosen_of(self, episodes: Iterable[Episode]) -> list[Episode]:
        """Whatever their group. What is about the driver is about each of its cards."""
        numbers, words, found = self._numbers(), self.words.lower().split(), []
        for each in episodes:
            card = tr("Driver")
            if each.first.card is not None:
                number = numbers.get(each.first.card, each.first.card)
                card = tr("Card {number}", number=number)
            ended = "" if each.end is None else tr(each.end.kind.value)
            said = f"{sentence(each)} {tr(each.first.kind.value)} {ended} {card}".lower()
            here = self.card is None or each.first.card in (self.card, None)
            if here and all(word in said for word in words):
                found.append(each)
        return found

    def columns(self) -> list[Column[EpisodeRow]]:
        def sign_cell(row: EpisodeRow) -> Cell:
            icon, tone = sign(row.first)
            # What has ended no longer asks for attention.
            tone = Tone.QUIET if all(each.end is not None for each in row.episodes) else tone
            return Cell(icon=icon, tone=tone, hint=tr(row.first.kind.value))

        def both(said: Callable[[Episode], str], row: EpisodeRow) -> Cell:
            return Cell(of_all(row.episodes, said), tone=Tone.QUIET)

        ended, lasted = partial(both, self._ended), partial(both, _lasted)
        column = partial(Column[EpisodeRow], spoken=self._spoken)
        chips = round(chips_width(_CHIPS))
        wide = partial(column, width=164, stretches=True, share=0.25)
        return [
            column(BEGAN, tr("Began"), self._began_cell, width=110),
            column("sign", "", sign_cell, width=32, copied=False),
            column(CARD, tr("Card"), self._card_cell, width=chips, kept=2),
            wide("sentence", tr("What happened"), self._sentence_cell),
            column(ENDED, tr("Ended"), ended, width=186, kept=3, right=True),
            column(LASTED, tr("Lasted"), lasted, width=96, kept=1, right=True),
        ]

    def _sentence_cell(self, row: EpisodeRow) -> Cell:
        return Cell(_sentence(row), hint=self._hint(row))

    def _began_cell(self, row: EpisodeRow) -> Cell:
        began = next((each.began for each in row.episodes if each.began is not None), None)
        if began is None:
            return Cell(absent=(tr("not seen"), "–"), hint=tr("Nobody saw it begin."))
        goes_on = any(each.running for each in row.episodes)
        return Cell(self._moment(began), tone=Tone.TEXT if goes_on else Tone.QUIET)

    def _card_cell(self, row: EpisodeRow) -> Cell:
        cards = [each.first.card for each in row.episodes if each.first.card is not None]
        found = [(card, self._machine.shown(card)) for card in cards]
        chips = (Chip(s.number, s.colour) if s else Chip(card, None) for card, s in found)
        return Cell(chips=tuple(chips), hint=self._hint(row))

    def _spoken(self, row: EpisodeRow) -> str:
        numbers = [chip.text for chip in self._card_cell(row).chips]
        began, what = self._began_cell(row).said, _sentence(row)
        said = tr("{time}: {sentence}", time=began, sentence=what)
        if numbers:
            said = trn(
                "{time}, card {numbers}: {sentence}",
                "{time}, cards {numbers}: {sentence}",
                len(numbers),
                time=began,
                numbers=", ".join(numbers),
                sentence=what,
            )
        ended = of_all(row.episodes, self._spoken_end)
        return f"{said}, {ended}" if ended else said

    def _hint(self, row: EpisodeRow) -> str:
        """Each of its episodes on a line: "Card 1: The card is lost (ongoing)"."""
        numbers, lines = self._numbers(), []
        for each in row.episodes[:_MOST_HINTED]:
            text, ended, card = sentence(each), self._spoken_end(each), each.first.card
            if card is not None:
                number = numbers.get(card, card)
                text = tr("Card {card}: {sentence}", card=number, sentence=text)
            lines.append(tr("{text} ({mark})", text=text, mark=ended) if ended else text)
        return "\n".join(lines)

    def _ended(self, episode: Episode) -> str:
        """When, or how it stands where it has not."""
        state, since = self._book.state(episode)
        if state is EpisodeState.MOMENTARY:
            return ""
        if state is EpisodeState.ENDED and episode.ended is not None:
            return self._moment(episode.ended)
        return state_words(state, since, self._machine.session.clock.wall())

    def _spoken_end(self, episode: Episode) -> str:
        moment, lasted = self._ended(episode), _lasted(episode)
        if self._book.state(episode)[0] is not EpisodeState.ENDED:
            return moment
        if not lasted:
            return tr("ended {moment}", moment=moment)
        return tr("ended {moment} after {time}", moment=moment, time=lasted)

    def _moment(self, wall: float) -> str:
        return moment_words(wall, self._machine.session.clock.wall())

    def _numbers(self) -> Mapping[CardId, str]:
        return {
            each.card.id: each.number
            for shown in self._machine.cards()
            for each in (shown, *shown.instances)
        }

    def as_csv(self) -> str:
        """One line for each episode of each card that is listed."""
        numbers, simulated = self._numbers(), self._machine.session.simulated

        def line(each: Episode) -> Mapping[str, object]:
            first, card = each.first, each.first.card or ""
            lasted = "" if each.lasted is None else f"{each.lasted:.6g}"
            facts = (
                *(_iso(each.began), _iso(each.ended), lasted, simulated, first.kind.value),
                *(numbers.get(CardId(card), card), card, harmless(first.sentence)),
                self._book.state(each)[0].value,
            )
            return dict(zip(_CAPTIONS, facts, strict=True))

        listed = (each for row in self.rows for each in reversed(row.episodes))
        return csv_of(_CAPTIONS, map(line, listed))


def _sentence(row: EpisodeRow) -> str:
    if len(row.episodes) == 1:
        return sentence(row.episodes[0])
    return of_all(row.episodes, lambda each: tr(stem(each)))


def _lasted(episode: Episode) -> str:
    return "" if episode.lasted is None else span_words(episode.lasted)


def _iso(wall: float | None) -> str:
    """With its zone."""
    if wall is None:
        return ""
    return datetime.fromtimestamp(wall).astimezone().isoformat(timespec="milliseconds")


def _stays(row: EpisodeRow, oldest: float) -> bool:
    return any(each.running or each.first.at >= oldest for each in row.episodes)


def _gather(episodes: Iterable[Episode], rows: list[EpisodeRow]) -> None:
    """Each goes to the row of what began at once with it, or is a new one."""
    for episode in episodes:
        if not any(row.take(episode) for row in reversed(rows[-_LOOKED_AT:])):
            rows.append(EpisodeRow([episode]))
