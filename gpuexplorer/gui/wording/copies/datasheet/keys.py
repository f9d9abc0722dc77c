"""Keys that parts of the datasheet take by themselves, for F1."""

from collections.abc import Sequence

from gpuexplorer.gui.wording.key_words import KeyGroup

DATASHEET_KEYS: Sequence[KeyGroup] = (
    (
        "Figures of a card",
        (
            ("Up Down Home End", "To another figure, and all that is known of it"),
            ("Enter Space", "All that is known of this one"),
        ),
    ),
    (
        "Table of other cards",
        (
            ("Up Down PgUp PgDown", "To another card"),
            ("Enter Space", "Lay it beside, or take it away"),
        ),
    ),
)
