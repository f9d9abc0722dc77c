"""Keys that parts of the lab take by themselves, and what they do, for F1."""

from collections.abc import Sequence

from gpuexplorer.core.words import mark
from gpuexplorer.gui.wording.key_words import KeyGroup

LAB_KEYS: Sequence[KeyGroup] = (
    (
        mark("Code field"),
        (
            ("Enter", mark("Run the line")),
            ("Tab Ctrl+Space", mark("Complete the word")),
            ("Up Down", mark("The line typed before, or after")),
        ),
    ),
    (
        mark("Code lines"),
        (
            ("Up Down PgUp PgDown Home End", mark("To another line")),
            ("Space Left Right", mark("Show or hide what it printed")),
            ("Ctrl+C", mark("Copy the line")),
            ("Shift+F10", mark("What can be done with the line")),
            ("Esc", mark("Choose none, and type on")),
        ),
    ),
    (
        mark("Bench"),
        (
            ("Up Down PgUp PgDown Home End", mark("To another block of the device")),
            ("Left Right", mark("To the device beside it")),
            ("Space", mark("Select the block, and the line that made it")),
            ("Enter", mark("Look inside")),
            ("Ctrl+Left Ctrl+Right", mark("Copy to the device beside it; a model moves")),
            ("Del", mark("Delete it")),
            ("Ctrl+C", mark("Copy its name")),
            ("Shift+F10", mark("What can be done with the block")),
        ),
    ),
    (
        mark("Forms"),
        (
            ("Ctrl+Enter", mark("Run the form, from an empty line of code too")),
            ("Arrows", mark("To another operation, while one has the keyboard")),
        ),
    ),
    (
        mark("Looking inside"),
        (
            ("Arrows PgUp PgDown Home End", mark("To another value; with Ctrl to the edge")),
            ("Left Right Home End", mark("To another layer of a model")),
            ("Del", mark("Close the tab")),
            ("Esc", mark("Back to the bench")),
        ),
    ),
    (
        mark("Errors and cards"),
        (
            ("Up Down", mark("To another cure")),
            ("Enter Space", mark("Apply the cure")),
            ("Left Right", mark("To the flag before or after, below a card")),
        ),
    ),
)
