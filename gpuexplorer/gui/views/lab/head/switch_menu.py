"""What stands in the menu behind the switches, and the switches themselves where they fold."""

from typing import Protocol

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.switches import Switches
from gpuexplorer.gui.views.lab.head.switch_actions import SwitchActions
from gpuexplorer.gui.wording.lab.head.switch_words import (
    FALL_BACK,
    GROWTH,
    MEMORY_CAP,
    PLACEMENT,
    VISIBLE,
    SwitchWords,
)


class Opener(Protocol):
    """Whoever opens the sheets."""

    def open_caps(self) -> None: ...

    def open_visible(self) -> None: ...

    def explain(self) -> None: ...


def fill_menu(
    menu: QMenu, switches: Switches, actions: SwitchActions, opener: Opener, *, folded: bool
) -> None:
    """`folded`: there is no room for the switches beside the menu."""
    menu.setToolTipsVisible(True)
    if folded:
        turned = _turn(menu, FALL_BACK, on=switches.fall_back)
        turned.toggled.connect(actions.fall_back)
        turned = _turn(menu, PLACEMENT, on=switches.placement)
        turned.toggled.connect(actions.print_placement)
        caps = menu.addAction(tr("Memory cap…"))
        caps.setToolTip(_lines(MEMORY_CAP))
        caps.setCheckable(True)
        caps.setChecked(bool(actions.caps()))
        caps.triggered.connect(opener.open_caps)
        menu.addSeparator()
    turned = _turn(menu, GROWTH, on=switches.growing)
    turned.toggled.connect(actions.grow)
    visible = menu.addAction(tr("Visible cards and their order…"))
    visible.setToolTip(_lines(VISIBLE))
    visible.triggered.connect(opener.open_visible)
    menu.addSeparator()
    explain = menu.addAction(tr("What the switches are in PyTorch and TensorFlow…"))
    explain.triggered.connect(opener.explain)


def _turn(menu: QMenu, words: SwitchWords, *, on: bool) -> QAction:
    action = menu.addAction(tr(words.title))
    action.setCheckable(True)
    action.setChecked(on)
    action.setToolTip(_lines(words))
    return action


def _lines(words: SwitchWords) -> str:
    return "\n".join((words.torch, tr("TensorFlow: {names}", names=words.tensorflow)))
