"""What stands on the shelf of lessons, also where one of them cannot be read."""

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.lessons.shelf import Shelf
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lessons import reading

TWO_STEPS = Path(__file__).parents[2] / "lessons" / "two-steps"


def test_a_broken_lesson_says_why_and_hides_no_other(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("01-broken", "02-sound"):
        shutil.copytree(TWO_STEPS, tmp_path / name)
    (tmp_path / "01-broken" / "lesson.md").write_text("# Nothing more\n", "utf-8")
    monkeypatch.setattr(reading, "_folder", lambda: tmp_path)
    found = Shelf(Settings())
    with qtbot.waitSignal(found.changed):
        found.look()
    broken, sound = found.lessons
    assert broken.file.name == "01-broken"
    assert broken.trouble is not None
    assert "line 2: " in broken.trouble.told
    assert sound.lesson is not None
    assert sound.lesson.name == "02-sound"
