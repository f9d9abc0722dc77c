"""Nobody words: why no process stands in the list, and what is to be known of those that do."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.processes.process_words import PID_HOST, cards_named, counted
from gpuexplorer.gui.wording.reasons import as_sentence
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.process_names import ELSEWHERE
from gpuexplorer.telemetry.remembering import RememberingSession

_MOST_NAMED = 8
CLEAR = "Clear the filter"


@dataclass(frozen=True, slots=True)
class Nobody:
    """What stands in the place of the rows."""

    heading: str
    more: str = ""
    way_on: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above the rows."""

    sentence: str
    icon: Icon = Icon.NOTE
    tone: Tone = Tone.QUIET


def nobody(session: RememberingSession, cards: Sequence[Shown]) -> Nobody:
    """Where there is no row at all."""
    real = [shown for shown in cards if shown.card.kind is CardKind.GPU]
    if not real:
        return Nobody("There is no card that anybody could use.")
    unknown = set(session.processes_unknown())
    if all(_state(session, shown.card.id) is CardState.NO_DRIVER for shown in real):
        return Nobody(
            "The driver is gone.",
            "Without it nobody can tell who uses the cards. It is looked for again and again; "
            "when it is back, processes stand here.",
        )
    if unknown.issuperset(shown.card.id for shown in real):
        reasons = "\n".join(_reasons(session, real))
        return Nobody("Who uses the cards cannot be told just now.", reasons)
    if all(session.process_book.looked_at(shown.card.id) is None for shown in real):
        return Nobody("The driver is asked who uses the cards…")
    which = "the card" if len(real) == 1 else f"one of the {len(real)} cards"
    more = f"As soon as a program uses {which}, it stands here."
    if session.process_book.elsewhere and not session.simulated:
        more += (
            "\nThis program runs in a container; started without --pid=host, some drivers "
            "leave out the processes of others."
        )
    return Nobody("Nobody uses a card.", more)


def filtered(hidden: int, words: str, card: str) -> Nobody:
    """Where a filter hides all rows there are."""
    on = f" on card {card}" if card else ""
    like = f" like “{words}”" if words else ""
    rest = counted(hidden, "process is hidden", "processes are hidden")
    return Nobody(f"No process{like}{on}.", f"{rest} by the filter.", CLEAR)


def notices(
    session: RememberingSession, cards: Sequence[Shown], rows: Sequence[BookRow]
) -> Sequence[Notice]:
    """What is to be known beside the rows; nothing where there are none."""
    if not rows:
        return ()
    found = []
    if any(row.named.reason == ELSEWHERE for row in rows):
        found.append(Notice(PID_HOST))
    unknown = set(session.processes_unknown())
    without = [shown for shown in cards if shown.card.id in unknown]
    if without:
        found.append(Notice(_untold(session, without), Icon.WARNING, Tone.WARN))
    return found


def _untold(session: RememberingSession, cards: Sequence[Shown]) -> str:
    if len(cards) > _MOST_NAMED:
        return f"Who uses {len(cards)} of the cards cannot be told just now."
    who = f"Who uses {cards_named([shown.number for shown in cards])}"
    reasons = {session.state_sentence(shown.card.id) for shown in cards}
    reason = f" ({reasons.pop()})" if len(reasons) == 1 else ""
    return f"{who} cannot be told just now{'' if reason == ' (working)' else reason}."


def _reasons(session: RememberingSession, cards: Sequence[Shown]) -> list[str]:
    return [
        f"Card {shown.number}: {as_sentence(session.state_sentence(shown.card.id))}"
        for shown in cards[:_MOST_NAMED]
    ]


def _state(session: RememberingSession, card: CardId) -> CardState | None:
    reading = session.reading(card)
    return None if reading is None else reading.state
