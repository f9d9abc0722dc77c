"""EventList: one row an episode, the newest on top, and what stands in its columns."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import harmless
from gpuexplorer.core.words import tr, trn
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
CHIPS = 4  # of so many cards at once; of more it is said how many more
_MOST_HINTED = 16
# The cards of one round are read within this time.
_AT_ONCE = 1.5
# Rows that may have come in between: another round brings other things meanwhile.
_LOOKED_AT = 16
_CAPTIONS = (
    *("began", "ended", "lasted [s]", "simulated", "kind", "card", "card_id"),
    *("what_happened", "state"),
)


@dataclass(frozen=True, slots=True)
class EventChoice:
    """None and "" let everything through."""

    group: EventGroup | None = None
    card: CardId | None = None
    words: str = ""

    def finds(self, episode: Episode, numbers: Mapping[CardId, str]) -> bool:
        """Whatever its group. `numbers` is what people call the cards that are listed."""
        first = episode.first
        # What is about the driver is about each of its cards.
        if self.card is not None and first.card not in (self.card, None):
            return False
        if not self.words:
            return True
        card = tr("Driver")
        if first.card is not None:
            card = tr("Card {number}", number=numbers.get(first.card, first.card))
        ended = "" if episode.end is None else tr(episode.end.kind.value)
        said = f"{sentence(episode)} {tr(first.kind.value)} {ended} {card}".lower()
        return all(word in said for word in self.words.lower().split())


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
        self._every: list[EpisodeRow] = []  # the oldest first, as all but `rows`
        self._found: list[EpisodeRow] = []  # for the card and the words, of every group
        self.choice = EventChoice()
        self.rows: list[EpisodeRow] = []  # the newest first
        self.counts: Counter[EventGroup] = Counter()

    @property
    def total(self) -> int:
        return len(self._every)

    @property
    def found(self) -> int:
        """How many there are of all groups."""
        return len(self._found)

    def show_log(self, log: Sequence[Happening]) -> bool:
        """Takes in what is new; True if there was anything."""
        if log[-1:] == self._log[-1:]:
            return False
        added = self._book.take(log)
        if self._book.anew:
            # Another log: the playhead of a recording went back.
            self._every.clear()
            self._found.clear()
        elif self._log and self._log[0] is not log[0]:
            # The oldest make room for the newest, but what still goes on stays.
            for rows in (self._every, self._found):
                rows[:] = [row for row in rows if _stays(row, log[0].at)]
        self._log = log
        _gather(added, self._every)
        if self._found is not self._every:
            _gather(self._chosen_of(added), self._found)
        self._list()
        return True

    def choose(self, choice: EventChoice) -> None:
        self.choice = choice
        self._found = self._every
        if choice.card is not None or choice.words:
            self._found = []
            episodes = (each for row in self._every for each in row.episodes)
            _gather(self._chosen_of(episodes), self._found)
        self._list()

    def _list(self) -> None:
        group = self.choice.group
        self.counts = Counter(group_of(row.first.kind) for row in self._found)
        listed = self._found[::-1]
        if group is not None:
            listed = [row for row in listed if group_of(row.first.kind) is group]
        self.rows = listed

    def _chosen_of(self, episodes: Iterable[Episode]) -> list[Episode]:
        numbers = self._numbers()
        return [each for each in episodes if self.choice.finds(each, numbers)]

    def columns(self) -> list[Column[EpisodeRow]]:
        column = partial(Column[EpisodeRow], spoken=self._spoken)
        chips = round(chips_width(CHIPS))
        return [
            column(BEGAN, tr("Began"), self._began_cell, width=110),
            column("sign", "", self._sign_cell, width=32, copied=False),
            column(CARD, tr("Card"), self._card_cell, width=chips, kept=2),
            column(
                "sentence",
                tr("What happened"),
                self._sentence_cell,
                width=164,
                stretches=True,
                share=0.25,
            ),
            column(ENDED, tr("Ended"), self._ended_cell, width=186, kept=3, right=True),
            column(LASTED, tr("Lasted"), self._lasted_cell, width=96, kept=1, right=True),
        ]

    def _began_cell(self, row: EpisodeRow) -> Cell:
        began = next((each.began for each in row.episodes if each.began is not None), None)
        if began is None:
            return Cell(absent=(tr("not seen"), "–"), hint=tr("Nobody saw it begin."))
        goes_on = any(each.running for each in row.episodes)
        tone = Tone.TEXT if goes_on else Tone.QUIET
        return Cell(self._moment(began), tone=tone)

    def _sign_cell(self, row: EpisodeRow) -> Cell:
        icon, tone = sign(row.first)
        # What has ended no longer asks for attention.
        ended = all(each.end is not None for each in row.episodes)
        return Cell(
            icon=icon, tone=Tone.QUIET if ended else tone, hint=tr(row.first.kind.value)
        )

    def _card_cell(self, row: EpisodeRow) -> Cell:
        chips = []
        for each in row.episodes:
            card = each.first.card
            shown = self._machine.shown(card)
            if card is not None:
                chips.append(
                    Chip(card, None) if shown is None else Chip(shown.number, shown.colour)
                )
        return Cell(chips=tuple(chips), hint=self._hint(row))

    def _sentence_cell(self, row: EpisodeRow) -> Cell:
        return Cell(_sentence(row), hint=self._hint(row))

    def _ended_cell(self, row: EpisodeRow) -> Cell:
        return Cell(of_all(row.episodes, self._ended), tone=Tone.QUIET)

    def _lasted_cell(self, row: EpisodeRow) -> Cell:
        return Cell(of_all(row.episodes, _lasted), tone=Tone.QUIET)

    def _spoken(self, row: EpisodeRow) -> str:
        numbers = [chip.text for chip in self._card_cell(row).chips]
        began = self._began_cell(row).said
        said = tr("{time}: {sentence}", time=began, sentence=_sentence(row))
        if numbers:
            said = trn(
                "{time}, card {numbers}: {sentence}",
                "{time}, cards {numbers}: {sentence}",
                len(numbers),
                time=began,
                numbers=", ".join(numbers),
                sentence=_sentence(row),
            )
        ended = of_all(row.episodes, self._spoken_end)
        return f"{said}, {ended}" if ended else said

    def _hint(self, row: EpisodeRow) -> str:
        """Each of its episodes on a line of its own."""
        return "\n".join(self.told(each) for each in row.episodes[:_MOST_HINTED])

    def told(self, episode: Episode) -> str:
        """ "Card 1: The card is lost (ongoing)"."""
        text, ended = sentence(episode), self._spoken_end(episode)
        card = episode.first.card
        if card is not None:
            number = self._numbers().get(card, card)
            text = tr("Card {card}: {sentence}", card=number, sentence=text)
        return tr("{text} ({mark})", text=text, mark=ended) if ended else text

    def _ended(self, episode: Episode) -> str:
        """When, or how it stands where it has not."""
        state, since = self._book.state(episode)
        if state is EpisodeState.MOMENTARY:
            return ""
        if state is EpisodeState.ENDED and episode.ended is not None:
            return self._moment(episode.ended)
        return state_words(state, since, self._now())

    def _spoken_end(self, episode: Episode) -> str:
        state = self._book.state(episode)[0]
        if state is not EpisodeState.ENDED:
            return self._ended(episode)
        if episode.lasted is None:
            return tr("ended {moment}", moment=self._ended(episode))
        return tr(
            "ended {moment} after {time}",
            moment=self._ended(episode),
            time=span_words(episode.lasted),
        )

    def _moment(self, wall: float) -> str:
        return moment_words(wall, self._now())

    def _now(self) -> float:
        return self._machine.session.clock.wall()

    def _numbers(self) -> Mapping[CardId, str]:
        return {
            each.card.id: each.number
            for shown in self._machine.cards()
            for each in (shown, *shown.instances)
        }

    def as_csv(self) -> Callable[[], str]:
        """One line for each episode of each card that is listed, taken now and written by any
        thread: it may take long.
        """
        listed = [each for row in self.rows for each in reversed(row.episodes)]
        taken = [(e, e.ended, e.lasted, self._book.state(e)[0]) for e in listed]
        numbers = self._numbers()
        simulated = "yes" if self._machine.session.simulated else "no"

        def write() -> str:
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(_CAPTIONS)
            for episode, ended, lasted, state in taken:
                first = episode.first
                card = first.card or ""
                writer.writerow(
                    (
                        _iso(episode.began),
                        _iso(ended),
                        "" if lasted is None else f"{lasted:.6g}",
                        simulated,
                        first.kind.value,
                        numbers.get(CardId(card), card),
                        card,
                        harmless(first.sentence),
                        state.value,
                    )
                )
            return text.getvalue()

        return write


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
