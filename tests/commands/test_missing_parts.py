"""What a person is told where a part that draws the window is missing or broken."""

import os
import subprocess
import sys

import pytest

_WITHOUT = """
import sys
from gpuexplorer.__main__ import main
sys.modules[sys.argv[1]] = None
raise SystemExit(main(["--simulate", "1xH100", "--quit-after", "0.1"]))
"""


@pytest.mark.parametrize("part", ["pyqtgraph", "PySide6.QtWidgets", "numpy"])
def test_a_window_that_lacks_a_part_names_it_and_who_says_more(part: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, part],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "What draws the window cannot be loaded here: " in done.stderr
    assert part in done.stderr
    assert "`gpuexplorer doctor` says more." in done.stderr
