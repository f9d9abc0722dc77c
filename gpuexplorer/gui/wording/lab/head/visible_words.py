"""Visible cards: which of them the lab sees, in which order, and how that is written down."""

import json
from collections.abc import Sequence

from gpuexplorer.gui.wording.cards.faces import Shown

Visible = tuple[int, ...] | None


def visible_line(visible: Sequence[int]) -> str:
    return f"CUDA_VISIBLE_DEVICES={','.join(map(str, visible))}"


def as_choice(visible: Sequence[int], every: Sequence[int]) -> Visible:
    """All of them in their own order need not be said."""
    return None if list(visible) == list(every) else tuple(visible)


def usual_order(cards: Sequence[Shown]) -> Sequence[int]:
    """The cards' indices as CUDA numbers them; those without a number come last."""
    ordered = sorted(
        cards,
        key=lambda each: (
            each.card.cuda_index is None,
            each.card.cuda_index if each.card.cuda_index is not None else each.card.index,
        ),
    )
    return [each.card.index for each in ordered]


def remembered_visible(visible: Visible, cards: Sequence[Shown]) -> str:
    """Holds for these cards only: on another computer the numbers mean others."""
    ids = [str(each.card.id) for each in cards]
    return json.dumps({"cards": ids, "visible": visible})


def visible_in(text: str | None, cards: Sequence[Shown]) -> Visible:
    """What was remembered; all of them where that was of other cards."""
    try:
        said = json.loads(text or "{}")
        ids, visible = said["cards"], said["visible"]
    except (ValueError, KeyError, TypeError):
        return None
    indices = {each.card.index for each in cards}
    if ids != [str(each.card.id) for each in cards] or not isinstance(visible, list):
        return None
    return tuple(visible) if visible and set(visible) <= indices else None
