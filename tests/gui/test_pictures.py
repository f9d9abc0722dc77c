"""`--screenshot`: a picture of each screen in each theme, with or without a display."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from gpuexplorer.commands.window_arguments import SCREENS
from gpuexplorer.gui.theme.palette import Scheme, load_theme
from tests.gui.pixels import colours_of

pytestmark = pytest.mark.long

WIDE, HIGH = 1000, 700
STEP = 5
NO_CARD = {"GPUEXPLORER_NVML": "/nowhere/libnvidia-ml.so"}


def take(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "--screenshot", str(folder), *words],
        env=bare | more,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, QImage]:
    """All of them, by their name."""
    folder = tmp_path_factory.mktemp("pictures")
    words = ("--simulate", "2xTitanRTX", "--fault", "lost:1@30s", "--after", "60")
    done = take(folder, *words, "--size", f"{WIDE}x{HIGH}", **NO_CARD)
    assert (done.returncode, done.stderr) == (0, "")
    assert {Path(line).name for line in done.stdout.splitlines()} == {
        path.name for path in folder.iterdir()
    }
    return {path.stem: QImage(str(path)) for path in sorted(folder.iterdir())}


def test_there_is_one_of_each_screen_and_of_the_settings(
    pictures: Mapping[str, QImage],
) -> None:
    assert set(pictures) == {
        f"{name}-{scheme}"
        for name in (*SCREENS, "settings")
        for scheme in (Scheme.DARK, Scheme.LIGHT)
    }


def test_none_is_blank_and_each_stands_on_its_theme(pictures: Mapping[str, QImage]) -> None:
    for name, image in pictures.items():
        met = colours_of(image, STEP)
        theme = load_theme(Scheme(name.rpartition("-")[2]))
        assert len(met) > 12, f"{name} is blank"
        most = sorted(met, key=lambda colour: -met[colour])[:3]
        grounds = {each.name() for each in (theme.ground, theme.surface, theme.raised)}
        assert grounds & set(most), f"{name} stands on {most}"


def test_a_fault_of_the_past_is_drawn(pictures: Mapping[str, QImage]) -> None:
    bad = load_theme(Scheme.DARK).bad.name()
    assert colours_of(pictures["overview-dark"])[bad] > 20


def test_one_screen_in_one_theme_is_one_picture_finer_on_a_scaled_screen(
    tmp_path: Path,
) -> None:
    words = ("--simulate", "1xT4", "--view", "events", "--theme", "light", "--after", "5")
    done = take(tmp_path, *words, "--size", "600x420", QT_SCALE_FACTOR="2")
    assert done.returncode == 0
    [picture] = tmp_path.iterdir()
    assert (picture.name, QImage(str(picture)).width()) == ("events-light.png", 1200)


def test_without_a_card_the_picture_is_of_the_empty_machine(tmp_path: Path) -> None:
    done = take(tmp_path, "--theme", "dark", **NO_CARD)
    assert done.returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"empty-dark.png", "settings-dark.png"}
