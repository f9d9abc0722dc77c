"""The head of a card's screen: how it is and since when, and what it is besides."""

from dataclasses import replace

from gpuexplorer.core.cards import CardKind
from gpuexplorer.gui.wording.cards.card_face import Badge, CardFace, Mark
from gpuexplorer.gui.wording.cards.faces import Shown


def head_mark(face: CardFace, since: str) -> Mark | None:
    """ "Lost since 14:03:21"; of one that does not answer, for how long."""
    mark = face.mark
    if mark is None or not face.sentence:
        return mark
    if since:
        return replace(mark, word=f"{mark.word} {since}", brief=mark.word)
    if face.sentence.startswith(mark.word):
        return replace(mark, word=face.sentence.rstrip("."), brief=mark.word)
    return mark


def head_badges(face: CardFace, shown: Shown, parent: Shown | None) -> tuple[Badge, ...]:
    """That it is simulated stands in the bar above already."""
    badges = tuple(badge for badge in face.badges if badge.word != "simulated")
    if shown.card.kind is CardKind.MIG:
        of = "another card" if parent is None else f"card {parent.number}, {parent.card.name}"
        return (Badge("MIG instance", f"A part of {of}."), *badges)
    return badges
