"""The menu of a block: all that can be done with it, each a line of PyTorch."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.views.lab.bench.bench_actions import BenchActions
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockKind
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


def block_menu(
    block: Block, devices: Sequence[BenchDevice], actions: BenchActions, parent: QWidget
) -> QMenu:
    """Shown with `popup`; goes away by itself."""
    menu = QMenu(parent)
    menu.setFont(parent.window().font())  # the system has another for menus
    menu.setToolTipsVisible(True)
    if block.kind in (BlockKind.TENSOR, BlockKind.MODEL):
        menu.addAction(f"{tr('Look inside')}\tEnter", partial(actions.open, block))
        _add_targets(menu, block, devices, actions)
    menu.addAction(f"{tr('Copy name')}\tCtrl+C", partial(actions.copy_name, block))
    menu.addSeparator()
    menu.addAction(f"{tr('Delete')}\tDel", partial(actions.delete, block, block.names))
    if len(block.names) > 1:
        for name in block.names:
            words = tr("Delete the name {name}", name=name)
            menu.addAction(words, partial(actions.delete, block, (name,)))
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _add_targets(
    menu: QMenu, block: Block, devices: Sequence[BenchDevice], actions: BenchActions
) -> None:
    word = tr("Move to") if block.kind is BlockKind.MODEL else tr("Copy to")
    targets = menu.addMenu(word)
    targets.setToolTipsVisible(True)
    for device in devices:
        name = device.name or device.label
        label = name if name == device.label else f"{name}   {device.label}"
        action = QAction(label.strip(), targets)
        try:
            action.setToolTip(actions.line_to(block, device))
        except Trouble as trouble:
            action.setToolTip(trouble.told)
            action.setEnabled(False)
        action.triggered.connect(partial(actions.carry, block, device))
        targets.addAction(action)
