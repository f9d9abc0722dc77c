"""Keys that parts of the lab take by themselves, and what they do, for F1."""

from collections.abc import Sequence

from gpuexplorer.core.words import mark
from gpuexplorer.gui.widgets.live_view import KeyGroup

LAB_KEYS: Sequence[KeyGroup] = (
    (
        mark("Cell editor"),
        (
            ("Enter", mark("Run the cell, or add a line while a block is open")),
            ("Shift+Enter", mark("Add a line; the settings swap the two")),
            ("Ctrl+Enter", mark("Run the cell; run the form where nothing is typed")),
            ("Tab Ctrl+Space", mark("Complete the word; indent what is selected")),
            ("Shift+Tab", mark("Take the indentation back")),
            ("Esc", mark("Close the list; then Tab leaves the editor")),
            ("Up Down", mark("From the first or last line: the cell before, or after")),
        ),
    ),
    (
        mark("Cells"),
        (
            ("Up Down Home End", mark("To another cell")),
            ("Space", mark("Show all it printed, or its beginning and end")),
            ("Ctrl+C", mark("Copy what is selected, or the cell")),
            ("Shift+F10", mark("What can be done with the cell")),
            ("Esc", mark("Choose none, and type on")),
        ),
    ),
    (
        mark("Bench"),
        (
            ("Up Down PgUp PgDown Home End", mark("To another block of the device")),
            ("Left Right", mark("To the device beside it")),
            ("Space", mark("Select the block, and the cell that made it")),
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
            ("Ctrl+Enter", mark("Run the form, from an empty editor too")),
            ("Arrows", mark("To another operation, while one has the keyboard")),
        ),
    ),
    (
        mark("Looking inside"),
        (
            ("Arrows PgUp PgDown Home End", mark("To another value; with Ctrl to the edge")),
            ("Up Down Home End", mark("To another layer of a model")),
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
