"""Pages of steps for tests: played on a lab that ends cells as the test says."""

from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.lessons.step_page import StepPage
from gpuexplorer.lessons.lesson import Code, Part, Step
from gpuexplorer.lessons.player import Player
from tests.gui.hands import texts
from tests.lessons.fake_rig import FakeRig, played, step


def page_of(
    qtbot: QtBot, *parts: Part, folder: Path = Path(), **more: bool
) -> tuple[StepPage, Player, FakeRig]:
    return page_of_steps(qtbot, step(*parts), folder=folder, **more)


def page_of_steps(
    qtbot: QtBot,
    *steps: Step,
    folder: Path = Path(),
    outside: bool = False,
    brief: bool = False,
) -> tuple[StepPage, Player, FakeRig]:
    player, rig = played(*steps, folder=folder, outside=outside)
    page = StepPage(player, StepAsks(), brief=brief)
    qtbot.addWidget(page)
    player.changed = page.show_step
    page.resize(360, 800)
    page.show()
    return page, player, rig


def said(page: QWidget) -> str:
    return "\n".join(texts(page))


def printing(line: int) -> Code:
    return Code(line, "X = torch.ones(2, 3)\nprint(X)")
