"""Keys that parts of the screen of copies take by themselves, and what they do, for F1."""

from collections.abc import Sequence

from gpuexplorer.gui.wording.key_words import KeyGroup

MOVING_KEYS: Sequence[KeyGroup] = (
    (
        "Table of copies",
        (
            ("Up Down PgUp PgDown", "To another copy"),
            ("Esc", "Choose none, and follow the newest"),
        ),
    ),
    (
        "Timeline of copies",
        (
            ("Left Right", "Move the moment"),
            ("Ctrl+Left Ctrl+Right", "Move what is seen"),
            ("+ -", "Zoom in or out"),
            ("Home End", "To the beginning, or the end"),
        ),
    ),
)
MATRIX_KEYS: Sequence[KeyGroup] = (
    (
        "Cells of the matrix",
        (
            ("Arrows", "To another cell"),
            ("PgUp PgDown", "Eight rows on"),
            ("Home End", "To the ends of the row"),
            ("Enter Space", "To the button that measures it"),
            ("Esc", "Choose none"),
        ),
    ),
)
SWEEP_KEYS: Sequence[KeyGroup] = (
    (
        "Rates over size",
        (
            ("Left Right Home End", "To another size"),
            ("Up Down", "To another way"),
            ("Esc", "No size"),
        ),
    ),
    (
        "Table of ways",
        (("Up Down Home End", "To another way"), ("Del", "Take the way away")),
    ),
    (
        "Slider of the guess",
        (
            ("Arrows PgUp PgDown Home End", "Another size"),
            ("Enter Space", "Measure it"),
        ),
    ),
)
