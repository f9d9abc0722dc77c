"""Keys that parts of screens take by themselves, for F1, whose sheet translates them."""

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
