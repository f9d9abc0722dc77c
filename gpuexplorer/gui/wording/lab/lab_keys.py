"""Keys that parts of the lab take by themselves, and what they do, for F1."""

from collections.abc import Sequence

from gpuexplorer.gui.wording.key_words import KeyGroup

LAB_KEYS: Sequence[KeyGroup] = (
    (
        "Code field",
        (
            ("Enter", "Run the line"),
            ("Tab Ctrl+Space", "Complete the word"),
            ("Up Down", "The line typed before, or after"),
        ),
    ),
    (
        "Code lines",
        (
            ("Up Down PgUp PgDown Home End", "To another line"),
            ("Space Left Right", "Show or hide what it printed"),
            ("Ctrl+C", "Copy the line"),
            ("Shift+F10", "What can be done with the line"),
            ("Esc", "Choose none, and type on"),
        ),
    ),
    (
        "Bench",
        (
            ("Up Down PgUp PgDown Home End", "To another block of the device"),
            ("Left Right", "To the device beside it"),
            ("Space", "Select the block, and the line that made it"),
            ("Enter", "Look inside"),
            ("Ctrl+Left Ctrl+Right", "Copy to the device beside it; a model moves"),
            ("Del", "Delete it"),
            ("Ctrl+C", "Copy its name"),
            ("Shift+F10", "What can be done with the block"),
        ),
    ),
    (
        "Forms",
        (
            ("Ctrl+Enter", "Run the form, from an empty line of code too"),
            ("Arrows", "To another operation, while one has the keyboard"),
        ),
    ),
    (
        "Looking inside",
        (
            ("Arrows PgUp PgDown Home End", "To another value; with Ctrl to the edge"),
            ("Left Right Home End", "To another layer of a model"),
            ("Del", "Close the tab"),
            ("Esc", "Back to the bench"),
        ),
    ),
    (
        "Errors and cards",
        (
            ("Up Down", "To another cure"),
            ("Enter Space", "Apply the cure"),
            ("Left Right", "To the flag before or after, below a card"),
        ),
    ),
)
