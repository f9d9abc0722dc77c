"""Keys that parts of the datasheet take by themselves, for F1."""

from collections.abc import Sequence

from gpuexplorer.core.words import mark
from gpuexplorer.gui.wording.key_words import KeyGroup

DATASHEET_KEYS: Sequence[KeyGroup] = (
    (
        mark("Figures of a card"),
        (
            ("Up Down Home End", mark("To another figure, and all that is known of it")),
            ("Enter Space", mark("All that is known of this one")),
        ),
    ),
    (
        mark("Table of other cards"),
        (
            ("Up Down PgUp PgDown", mark("To another card")),
            ("Enter Space", mark("Lay it beside, or take it away")),
        ),
    ),
)
