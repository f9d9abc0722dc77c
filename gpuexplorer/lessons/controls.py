"""CONTROLS: what a lesson can point at in the window, by the names its file uses."""

from gpuexplorer.core.words import mark

# Read aloud after "Show me". Where each stands, the window knows.
CONTROLS = {
    "rail": mark("the screens at the left"),
}
