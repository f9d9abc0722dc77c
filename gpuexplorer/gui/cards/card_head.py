"""The head of a card's screen: how it is and since when, and what it is besides."""

from dataclasses import replace

from gpuexplorer.core.cards import CardKind
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardBadge, CardFace
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.cards.reasons import Matter, StateMark

_SINCE = {
    Matter.LOST: mark("Lost since {moment}"),
    Matter.UNLISTED: mark("Not listed since {moment}"),
    Matter.REFUSED: mark("No access since {moment}"),
    Matter.ASLEEP: mark("Asleep since {moment}"),
    Matter.NO_DRIVER: mark("No driver since {moment}"),
    Matter.NO_CONNECTION: mark("No connection since {moment}"),
}


def head_mark(face: CardFace) -> StateMark | None:
    """ "Lost since 14:03:21"; of one that does not answer, for how long."""
    found = face.mark
    if found is None or not face.sentence:
        return found
    if found.matter is Matter.NO_ANSWER and face.silence is not None:
        word = tr("No answer for {seconds:.0f} s", seconds=face.silence)
    elif face.since and found.matter in _SINCE:
        word = tr(_SINCE[found.matter], moment=face.since)
    else:
        return found
    return replace(found, word=word, brief=found.word)


def face_of_now(face: CardFace) -> CardFace:
    """Beside a curve that shows an earlier time: state and figures are not of then."""
    found = face.mark
    if found is None:
        hint = tr("Figures and state are current. The curve shows an earlier time.")
        return replace(face, badges=(CardBadge(tr("now"), hint), *face.badges))
    word, brief = (
        tr("Now: {state}", state=each) if each else "" for each in (found.word, found.brief)
    )
    return replace(face, mark=replace(found, word=word, brief=brief))


def head_badges(
    face: CardFace, shown: Shown, parent: Shown | None, *, simulated: bool
) -> tuple[CardBadge, ...]:
    """That a card is simulated stands in the bar above already; the computer never is."""
    if shown.host and simulated:
        hint = tr(
            "These figures are the computer's own and real; only the cards are simulated."
        )
        return (CardBadge(tr("real, not simulated"), hint),)
    badges = tuple(badge for badge in face.badges if not badge.minor)
    if shown.card.kind is not CardKind.MIG:
        return badges
    hint = tr("A part of another card.")
    if parent is not None:
        hint = tr(
            "A part of card {number}, {name}.", number=parent.number, name=parent.card.name
        )
    return (CardBadge(tr("MIG instance"), hint), *badges)
