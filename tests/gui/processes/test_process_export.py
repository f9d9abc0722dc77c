"""Rows taken along: what they say, and that they say when they are made up."""

import csv
import io

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.gui.processes.model import as_csv
from gpuexplorer.telemetry.process_book import Standing
from tests.gui.fakes import GIB
from tests.gui.processes.programs import A, named, row, using

# Only the screen without a screen says so.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_file_has_figures_to_compute_with_and_a_reason_for_each_blank() -> None:
    rows = [
        row(named(using(A, 1, 2 * GIB, 0.5), "train, fast", cpu=1.5, container="box")),
        row(named(using(A, 2, None, None, Absence.WINDOWS_KEEPS_IT)), Standing.ENDED),
    ]
    text = as_csv(rows, {}, "2026-11-21T14:03:12+01:00", simulated=False)
    first, second = csv.DictReader(io.StringIO(text))
    assert first["memory [B]"] == "2147483648"
    assert first["sm [ratio]"] == "0.5"
    assert first["cpu [cores]"] == "1.5"
    assert first["command"] == "train, fast"
    assert first["container"] == "box"
    assert first["simulated"] == "no"
    assert second["memory [B]"] == ""
    assert f"memory: {Absence.WINDOWS_KEEPS_IT.sentence}" in second["missing"]
    assert second["standing"] == "has ended"


def test_no_command_is_taken_for_a_formula() -> None:
    text = as_csv([row(named(using(A, 1), "=1+1"))], {}, "now", simulated=True)
    [told] = csv.DictReader(io.StringIO(text))
    assert told["command"] == "'=1+1"
    assert told["simulated"] == "yes"
    assert "'@x" in tabbed(["Command"], [["@x"]], "")
