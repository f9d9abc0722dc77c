"""EventList: one row an episode, the newest on top, and what stands in its columns."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import csv_of, harmless
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import (
    EventGroup,
    group_of,
    moment_words,
    of_all,
    sentence,
    sign,
    span_words,
    state_words,
    stem,
)
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
        here = (
            each
            for each in episodes
            if self.card in (None, each.first.card) or not each.first.card
        )
        return [each for each in here if self._says(each)]

    def _says(self, episode: Episode) -> bool:
        kinds = [each.kind for each in (episode.first, episode.end) if each is not None]
        words = " ".join([self._named(episode), *(tr(kind.value) for kind in kinds)]).lower()
        return all(word in words for word in self.words.lower().split())

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
        chips = (self._chip(each) for each in row.episodes if each.first.card)
        return Cell(chips=tuple(chips), hint=self._hint(row))

    def _spoken(self, row: EpisodeRow) -> str:
        began = self._began_cell(row).said
        return tr("{time}: {sentence}", time=began, sentence=self._hint(row))

    def _hint(self, row: EpisodeRow) -> str:
        """Each of its episodes on a line: "Card 1: The card is lost (ongoing)"."""
        lines = []
        for each in row.episodes[:_MOST_HINTED]:
            text, ended, lasted = self._named(each), self._ended(each), _lasted(each)
            if self._book.state(each)[0] is EpisodeState.ENDED:
                ended = tr("ended {moment}", moment=ended)
            if lasted:
                ended = tr("{ended} after {time}", ended=ended, time=lasted)
            lines.append(tr("{text} ({mark})", text=text, mark=ended) if ended else text)
        return "\n".join(lines)

    def _named(self, episode: Episode) -> str:
        """ "Card 1: The card is lost"."""
        number, text = self._chip(episode).text, sentence(episode)
        return tr("Card {card}: {sentence}", card=number, sentence=text) if number else text

    def _chip(self, episode: Episode) -> Chip:
        shown = self._machine.shown(episode.first.card)
        if shown is None:
            return Chip(episode.first.card or "", None)
        return Chip(shown.number, shown.colour)

    def _ended(self, episode: Episode) -> str:
        """When, or how it stands where it has not."""
        state, since = self._book.state(episode)
        if state is EpisodeState.MOMENTARY:
            return ""
        if state is EpisodeState.ENDED and episode.ended is not None:
            return self._moment(episode.ended)
        return state_words(state, since, self._machine.session.clock.wall())

    def _moment(self, wall: float) -> str:
        return moment_words(wall, self._machine.session.clock.wall())

    def as_csv(self) -> str:
        """One line for each episode of each card that is listed."""
        simulated = self._machine.session.simulated

        def line(each: Episode) -> Mapping[str, object]:
            first = each.first
            lasted = "" if each.lasted is None else f"{each.lasted:.6g}"
            facts = (
                *(_iso(each.began), _iso(each.ended), lasted, simulated, first.kind.value),
                *(self._chip(each).text, first.card or "", harmless(first.sentence)),
                self._book.state(each)[0].value,
            )
            return dict(zip(_CAPTIONS, facts, strict=True))

        listed = (each for row in self.rows for each in reversed(row.episodes))
        return csv_of(_CAPTIONS, map(line, listed))


def _sentence(row: EpisodeRow) -> str:
    if len(row.episodes) == 1:
        return sentence(row.episodes[0])
    return of_all(row.episodes, stem)


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
