"""Pages of steps for tests: played on a lab that ends cells as the test says."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lessons.step_page import StepPage
from gpuexplorer.lessons.lesson import Code, Part, Step
from gpuexplorer.lessons.player import Player
from tests.gui.hands import texts
from tests.lessons.fake_rig import FakeRig, played, step


class Host:
    """Keeps what a step wants of others, and runs its cells."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.wanted: list[str] = []
        self.open_lesson = self.show_control = self.edit = self.wanted.append

    def run(self, cells: Sequence[Code]) -> bool:
        self._player.run(*cells)
        return True


def page_of(
    qtbot: QtBot, *parts: Part | Step, folder: Path = Path()
) -> tuple[StepPage, Player, FakeRig]:
    """Of the steps, or of one with these parts."""
    steps = [each for each in parts if isinstance(each, Step)]
    steps = steps or [step(*(each for each in parts if not isinstance(each, Step)))]
    player, rig = played(*steps, folder=folder)
    page = StepPage(player, Host(player))
    qtbot.addWidget(page)
    player.changed = page.show_step
    page.resize(360, 800)
    page.show()
    return page, player, rig


def said(page: QWidget) -> str:
    return "\n".join(texts(page))
