"""Key words: keys that parts of screens take by themselves, and what they do, for F1.

The words are marked; the list of shortcuts translates them.
"""

from collections.abc import Sequence

from gpuexplorer.core.words import mark

# A heading; below it keys, with a space between those that belong together, and what they do.
KeyGroup = tuple[str, Sequence[tuple[str, str]]]

PLOT_KEYS: KeyGroup = (
    mark("Plots"),
    (
        ("Left Right", mark("Move the crosshair")),
        ("Shift+Left Shift+Right", mark("Move it further")),
        ("Up Down", mark("To the plot above or below")),
        ("+ -", mark("Zoom in or out")),
        ("PgUp PgDown", mark("Back or forward in time")),
        ("Home", mark("As far back as is kept")),
        ("End", mark("To now")),
        ("Enter", mark("This plot alone on the screen")),
        ("Esc", mark("No crosshair")),
    ),
)
TILE_KEYS: KeyGroup = (
    mark("Tiles"),
    (
        ("Arrows Home End", mark("To another card")),
        ("Enter", mark("Open the card")),
        ("Ctrl+Shift+Arrow", mark("Move the tile")),
        ("Shift+F10", mark("What can be done with the card")),
    ),
)
CARD_KEYS: KeyGroup = (
    mark("Card"),
    (
        ("Left Right", mark("To the card before, or the next")),
        ("Ctrl+F", mark("Search its facts")),
        ("Ctrl+C", mark("Copy the facts that are selected")),
    ),
)
TOPOLOGY_KEYS: KeyGroup = (
    mark("Topology"),
    (
        ("Arrows", mark("In the list of parts: show what is known about the next")),
        ("Enter", mark("Open the card, or the computer")),
        ("Esc", mark("Choose nothing")),
    ),
)
EVENT_KEYS: KeyGroup = (
    mark("Events"),
    (("Enter", mark("Show the moment on the plots, marked")),),
)
LESSON_KEYS: KeyGroup = (
    mark("Lessons"),
    (("Enter", mark("Begin the lesson, or go on with it")),),
)
