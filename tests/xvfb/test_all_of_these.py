"""Runs the tests of this folder on an X server of their own: `make test` has no screen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.xvfb.display import x_server

pytestmark = pytest.mark.long

HERE = Path(__file__).parent


def test_the_window_is_a_good_neighbour_on_a_real_screen() -> None:
    with x_server() as display:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-m", "xvfb", "-p", "no:cacheprovider", str(HERE)],
            env=os.environ | display,
            cwd=HERE.parents[1],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
