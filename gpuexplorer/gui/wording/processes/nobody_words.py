"""Nobody words: why no process stands in the list, and what is to be known of those that do.

All words are translated.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.processes.process_words import PID_HOST, cards_named
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.process_names import ELSEWHERE
from gpuexplorer.telemetry.remembering import RememberingSession

_MOST_NAMED = 8
CLEAR = mark("Clear the filter")


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
        return Nobody(tr("There is no card that a program could use."))
    unknown = set(session.processes_unknown())
    if all(_state(session, shown.card.id) is CardState.NO_DRIVER for shown in real):
        return Nobody(
            tr("The driver is gone."),
            tr(
                "Without it nobody knows which programs use the cards. It is looked for again "
                "and again; when it is back, processes stand here."
            ),
        )
    if unknown.issuperset(shown.card.id for shown in real):
        reasons = "\n".join(_reasons(session, real))
        return Nobody(tr("Which programs use the cards is not known just now."), reasons)
    if all(session.process_book.looked_at(shown.card.id) is None for shown in real):
        return Nobody(tr("Asking the driver which programs use the cards…"))
    more = trn(
        "As soon as a program uses the card, it stands here.",
        "As soon as a program uses one of the {count} cards, it stands here.",
        len(real),
    )
    if session.process_book.elsewhere and not session.simulated:
        container = tr(
            "This program runs in a container; started without --pid=host, some drivers "
            "leave out the processes of others."
        )
        more = f"{more}\n{container}"
    return Nobody(tr("No program uses a card."), more)


def filtered(hidden: int, words: str, card: str) -> Nobody:
    """Where a filter hides all rows there are."""
    if words and card:
        heading = tr("No process like “{words}” on card {card}.", words=words, card=card)
    elif words:
        heading = tr("No process like “{words}”.", words=words)
    else:
        heading = tr("No process on card {card}.", card=card) if card else tr("No process.")
    rest = trn(
        "{count} process is hidden by the filter.",
        "{count} processes are hidden by the filter.",
        hidden,
    )
    return Nobody(heading, rest, tr(CLEAR))


def notices(
    session: RememberingSession, cards: Sequence[Shown], rows: Sequence[BookRow]
) -> Sequence[Notice]:
    """What is to be known beside the rows; nothing where there are none."""
    if not rows:
        return ()
    found = []
    if any(row.named.reason == ELSEWHERE for row in rows):
        found.append(Notice(tr(PID_HOST)))
    unknown = set(session.processes_unknown())
    without = [shown for shown in cards if shown.card.id in unknown]
    if without:
        found.append(Notice(_untold(session, without), Icon.WARNING, Tone.WARN))
    return found


def _untold(session: RememberingSession, cards: Sequence[Shown]) -> str:
    count = len(cards)
    if count > _MOST_NAMED:
        return tr("Which programs use {count} of the cards is not known just now.", count=count)
    named = cards_named([shown.number for shown in cards])
    reasons = {session.state_sentence(shown.card.id) for shown in cards}
    if len(reasons) > 1 or _works(session, cards[0].card.id):
        return tr("Which programs use {cards} is not known just now.", cards=named)
    return tr(
        "Which programs use {cards} is not known just now: {reason}.",
        cards=named,
        reason=tr(reasons.pop()),
    )


def _reasons(session: RememberingSession, cards: Sequence[Shown]) -> list[str]:
    return [
        tr(
            "Card {number}: {reason}.",
            number=shown.number,
            reason=tr(session.state_sentence(shown.card.id)),
        )
        for shown in cards[:_MOST_NAMED]
    ]


def _works(session: RememberingSession, card: CardId) -> bool:
    return session.sampler.silence(card) is None and _state(session, card) is CardState.WORKING


def _state(session: RememberingSession, card: CardId) -> CardState | None:
    reading = session.reading(card)
    return None if reading is None else reading.state
