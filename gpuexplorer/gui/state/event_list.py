"""EventList: one row an episode, the newest on top, and what stands in its columns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import csv_of, harmless
from gpuexplorer.core.units import span_words
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import of_all, sign, state_words, stem
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import Cell, Chip, Column, chips_width
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.happenings import (
    Episode,
    EpisodeState,
    EventBook,
    EventGroup,
    Happening,
    group_of,
)
from gpuexplorer.telemetry.trace import iso

# All of one kind, about the same, begun at once, and each of another card; the oldest first.
EpisodeRow = Sequence[Episode]
BEGAN, ENDED, CARD, LASTED = "began", "ended", "card", "lasted"
_CARDS_WIDTH = round(chips_width(2))  # of more cards at once it is said how many more
_MOST_HINTED = 16
_AT_ONCE = 1.5  # seconds: the cards of one round are read within them
_LOOKED_AT = 16  # rows that may have come in between


class EventList:
    """`rows` are those that are chosen. What a row says is made only when it is seen."""

    def __init__(self, machine: MachineState) -> None:
        self._machine, self._book = machine, EventBook()
        self._newest: Sequence[Happening] = ()
        self.every: list[list[Episode]] = []  # the oldest first, as all but `rows`
        self.found: Sequence[EpisodeRow] = ()  # for the card and the words, of every group
        # What is chosen; None and "" let everything through.
        self.group: EventGroup | None = None
        self._card: CardId | None = None
        self._words: Sequence[str] = ()
        self.rows: Sequence[EpisodeRow] = ()  # the newest first
        self.counts: Counter[EventGroup] = Counter()

    def show_log(self, log: Sequence[Happening]) -> bool:
        """Takes in what is new; True if there was anything."""
        if log[-1:] == self._newest:
            return False
        self._newest, added = log[-1:], self._book.take(log)
        # Of another log, as when the playhead of a recording goes back, nothing is kept. Else
        # the oldest make room for the newest, but what still goes on stays.
        self.every = [
            row
            for row in ([] if self._book.anew else self.every)
            if any(each.running or each.first.at >= log[0].at - _AT_ONCE for each in row)
        ]
        for each in added:
            self._gather(each)
        self._list()
        return True

    def choose(self, group: EventGroup | None, card: CardId | None, words: str) -> None:
        self.group, self._card, self._words = group, card, words.lower().split()
        self._list()

    def _gather(self, new: Episode) -> None:
        """It goes to the row of what began at once with it, or is a new one."""
        for row in reversed(self.every[-_LOOKED_AT:]):
            if (
                new.first.kind is row[0].first.kind
                and new.first.at - row[0].first.at <= _AT_ONCE
                and new.first.card not in (None, *(one.first.card for one in row))
                and stem(new) == stem(row[0])
            ):
                row.append(new)
                return
        self.every.append([new])

    def _list(self) -> None:
        self.found = self.every
        if self._card or self._words:
            fitting = ([*filter(self._fits, row)] for row in self.every)
            self.found = [*filter(None, fitting)]
        groups = [group_of(row[0].first.kind) for row in self.found]
        self.counts = Counter(groups)
        pairs = zip(self.found, groups, strict=True)
        self.rows = [row for row, group in pairs if self.group in (None, group)][::-1]

    def _fits(self, episode: Episode) -> bool:
        """Whatever its group. What is about the driver is about each of its cards."""
        if self._card not in (None, episode.first.card) and episode.first.card:
            return False
        kinds = [tr(each.kind.value) for each in (episode.first, episode.end) if each]
        said = " ".join([self._named(episode), *kinds]).lower()
        return all(word in said for word in self._words)

    def columns(self) -> list[Column[EpisodeRow]]:
        def sign_cell(row: EpisodeRow) -> Cell:
            icon, tone = sign(row[0].first)
            # What has ended no longer asks for attention.
            tone = Tone.QUIET if all(each.end is not None for each in row) else tone
            return Cell(icon=icon, tone=tone, hint=tr(row[0].first.kind.value))

        def card_cell(row: EpisodeRow) -> Cell:
            chips = tuple(self._chip(each) for each in row if each.first.card)
            return Cell(chips=chips, hint=self._hint(row))

        def sentence_cell(row: EpisodeRow) -> Cell:
            said = tr(row[0].sentence()) if len(row) == 1 else of_all(row, stem)
            return Cell(said, hint=self._hint(row))

        def each(said: Callable[[Episode], str], row: EpisodeRow) -> Cell:
            return Cell(of_all(row, said), tone=Tone.QUIET)

        def spoken(row: EpisodeRow) -> str:
            began = self._began_cell(row).said
            return tr("{time}: {sentence}", time=began, sentence=self._hint(row))

        ended, lasted = partial(each, self._ended), partial(each, _lasted)
        column = partial(Column[EpisodeRow], spoken=spoken)
        wide = partial(column, width=164, stretches=True, share=0.25)
        return [
            column(BEGAN, tr("Began"), self._began_cell, width=156),
            column("sign", "", sign_cell, width=32, copied=False),
            column(CARD, tr("Card"), card_cell, width=_CARDS_WIDTH, kept=2),
            wide("sentence", tr("What happened"), sentence_cell),
            column(ENDED, tr("Ended"), ended, width=186, kept=3, right=True),
            column(LASTED, tr("Lasted"), lasted, width=96, kept=1, right=True),
        ]

    def _began_cell(self, row: EpisodeRow) -> Cell:
        began = next((each.began for each in row if each.began is not None), None)
        if began is None:
            return Cell(absent=(tr("not seen"),), hint=tr("Nobody saw it begin."))
        goes_on = any(each.running for each in row)
        return Cell(self._moment(began), tone=Tone.TEXT if goes_on else Tone.QUIET)

    def _hint(self, row: EpisodeRow) -> str:
        """Each of its episodes on a line: "Card 1: The card is lost (ongoing)"."""
        lines = []
        for each in row[:_MOST_HINTED]:
            text, ended, lasted = self._named(each), self._ended(each), _lasted(each)
            if self._book.state(each)[0] is EpisodeState.ENDED:
                ended = tr("ended {moment}", moment=ended)
            if lasted:
                ended = tr("{ended} after {time}", ended=ended, time=lasted)
            lines.append(tr("{text} ({mark})", text=text, mark=ended) if ended else text)
        return "\n".join(lines)

    def _named(self, episode: Episode) -> str:
        """ "Card 1: The card is lost"."""
        number, text = self._chip(episode).text, tr(episode.sentence())
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
        return moment_word(wall, self._machine.session.clock.wall())

    def as_csv(self) -> str:
        """One line for each episode of each card that is listed."""
        lines: list[Mapping[str, object]] = [
            {
                "began": _iso(each.began),
                "ended": _iso(each.ended),
                "lasted [s]": "" if each.lasted is None else f"{each.lasted:.6g}",
                "simulated": self._machine.session.simulated,
                "kind": each.first.kind.value,
                "card": self._chip(each).text,
                "card_id": each.first.card,
                "what_happened": harmless(each.first.sentence),
                "state": self._book.state(each)[0].value,
            }
            for row in self.rows
            for each in reversed(row)
        ]
        return csv_of([*lines[0]], lines)


def _lasted(episode: Episode) -> str:
    return "" if episode.lasted is None else span_words(episode.lasted)


def _iso(wall: float | None) -> str:
    return "" if wall is None else iso(wall)
