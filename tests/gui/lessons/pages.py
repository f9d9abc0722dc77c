"""Pages of steps for tests: played on a lab that ends cells as the test says."""

from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lessons.step_page import StepAsks, StepPage
from gpuexplorer.lessons.lesson import Part, Step
from gpuexplorer.lessons.player import Player
from tests.gui.hands import texts
from tests.lessons.fake_rig import FakeRig, played, step


def page_of(
    qtbot: QtBot, *parts: Part | Step, folder: Path = Path()
) -> tuple[StepPage, Player, FakeRig]:
    """Of the steps, or of one with these parts."""
    steps = [each for each in parts if isinstance(each, Step)]
    steps = steps or [step(*(each for each in parts if not isinstance(each, Step)))]
    player, rig = played(*steps, folder=folder)
    page = StepPage(player, StepAsks())
    qtbot.addWidget(page)
    player.changed = page.show_step
    page.resize(360, 800)
    page.show()
    return page, player, rig


def said(page: QWidget) -> str:
    return "\n".join(texts(page))
