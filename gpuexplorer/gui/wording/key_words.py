"""Key words: keys that parts of screens take by themselves, and what they do, for F1."""

from collections.abc import Sequence

# A heading; below it keys, with a space between those that belong together, and what they do.
KeyGroup = tuple[str, Sequence[tuple[str, str]]]

PLOT_KEYS: KeyGroup = (
    "Plots",
    (
        ("Left Right", "Move the crosshair"),
        ("Shift+Left Shift+Right", "Move it further"),
        ("Up Down", "To the plot above or below"),
        ("+ -", "Zoom in or out"),
        ("PgUp PgDown", "Back or forward in time"),
        ("Home", "As far back as is kept"),
        ("End", "To now"),
        ("Enter", "This plot alone on the screen"),
        ("Esc", "No crosshair"),
    ),
)
TILE_KEYS: KeyGroup = (
    "Tiles",
    (
        ("Arrows Home End", "To another card"),
        ("Enter", "Open the card"),
        ("Ctrl+Shift+Arrow", "Move the tile"),
        ("Shift+F10", "What can be done with the card"),
    ),
)
CARD_KEYS: KeyGroup = (
    "Card",
    (
        ("Left Right", "To the card before, or the next"),
        ("Ctrl+F", "Search its facts"),
        ("Ctrl+C", "Copy the facts that are selected"),
    ),
)
TOPOLOGY_KEYS: KeyGroup = (
    "Topology",
    (
        ("Arrows", "To what is nearest in that direction"),
        ("Enter Space", "Tell what is known of it"),
        ("Esc", "Choose nothing"),
    ),
)
EVENT_KEYS: KeyGroup = (
    "Events",
    (("Enter", "Show the moment on the plots"),),
)
