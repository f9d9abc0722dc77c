"""What comes before the first window."""

import locale
import os
import subprocess
import sys

import pytest

from gpuexplorer.gui.desk import VIEWS

_OPEN = "from gpuexplorer.app import create_application; create_application([])"


@pytest.mark.skipif(sys.platform != "linux", reason="Qt looks at the locale on Linux only")
@pytest.mark.parametrize("variable", ["LC_ALL", "LC_CTYPE"])
def test_the_c_locale_is_no_reason_to_complain(variable: str) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    environment = {**plain, "QT_QPA_PLATFORM": "offscreen", variable: "C", "LANG": "C"}
    ended = subprocess.run(
        [sys.executable, "-c", _OPEN],
        env=environment,
        capture_output=True,
        encoding=locale.getencoding(),
        timeout=30,
        check=True,
    )
    assert ended.stderr == ""


def test_who_only_looks_at_cards_waits_for_no_other_screen_and_no_measuring_of_copies() -> None:
    words = (
        "import sys, gpuexplorer.app; print(*(m for m in sys.modules if 'gpuexplorer' in m))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", words],
        capture_output=True,
        encoding=locale.getencoding(),
        timeout=60,
        check=True,
    )
    came = ended.stdout.split()
    screens = {f"gpuexplorer.gui.{entry.name}.view" for entry in VIEWS}
    assert not screens.intersection(came)
    assert "gpuexplorer.gui.settings.dialog" not in came
    # What a copy says is among the values that a recording has of a lab, or of a program.
    values = {"", ".result", ".routes", ".copy_book", ".jobs"}
    assert {name for name in came if ".copies" in name} <= {
        f"gpuexplorer.copies{each}" for each in values
    }
