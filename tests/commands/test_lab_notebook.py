"""gpuexplorer lab runs a notebook's cells one by one, and shows what they show."""

import re
import sys
from pathlib import Path

import pytest

from gpuexplorer.commands.lab_worker import Paper
from gpuexplorer.lab.events import Failed, Frame, Pictured, Printed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from tests.commands.runs import CARDS, lab, notebook
from tests.lab.processes import needs_torch
from tests.trace_reader import of, opened, whole_trace


@needs_torch
def test_cells_run_in_their_order_up_to_the_first_that_fails(tmp_path: Path) -> None:
    name = notebook(
        tmp_path / "lesson.ipynb",
        "import torch\nprint('begun', end='')\ntorch.ones(2)",
        "name = input('Who? ')\nprint('hello', name)",
        "X = torch.ones(1000, device='cuda:0')\nfor _ in range(5):\n    s = X.sum().item()",
        "!pip install nonesuch",
        "print('never')",
    )
    ran = lab(tmp_path, *CARDS, "--trace", "trace.json", name, typed="Ada\n")
    assert ran.status == 1
    assert ran.out == "begun\ntensor([1., 1.])\nhello Ada\n"
    assert ran.err.startswith("Who? Nobody can be asked whether to run pip install nonesuch.")
    assert re.search(
        r"^Traceback \(most recent call last\):\n"
        r'  File "Cell 4", line 1, in <module>\n'
        r"    !pip install nonesuch\n"
        r"(?:    \^+\n)?"  # since Python 3.11
        r"It was not allowed, so nothing was installed\.\n",
        ran.err,
        re.MULTILINE,
    )
    assert "cell 3:3" in ran.err  # seen, and told by line
    assert "4 cells were watched" in ran.err
    assert "meta" not in ran.err
    whole = whole_trace((tmp_path / "trace.json").read_bytes())
    assert opened(whole["traceEvents"])[0] == []
    assert any("item()" in each["name"] for each in of(whole["traceEvents"], "X"))
    assert whole["otherData"]["modelled"] is True


@needs_torch
def test_as_json_there_is_a_cell_each_and_the_output_goes_elsewhere(tmp_path: Path) -> None:
    name = notebook(tmp_path / "n.ipynb", "print(1)\n2", "1 / 0", "3")
    ran = lab(tmp_path, *CARDS, "--json", name)
    assert ran.status == 1
    assert "1\n2\n" in ran.err
    cells = [(each["number"], each["text"]) for each in ran.told["cells"]]
    assert cells == [(1, "print(1)\n2"), (2, "1 / 0")]
    assert ran.told["cells"][1]["error"]["type"] == "ZeroDivisionError"
    assert ran.told["modelled"] is True


Out = pytest.CaptureFixture[str]


def test_figures_values_and_sentences_stand_on_lines_of_their_own(capsys: Out) -> None:
    paper = Paper(Ledger(), sys.stdout, sys.stderr)
    for event in (
        Printed(1, "a line that goes", "out"),
        Pictured(1, "iVBORw0KGgo="),
        Printed(1, "42", "value"),
        Printed(1, "\rhalf way", "err"),
        Printed(1, "careful", "warning"),
    ):
        paper.show(event)
    shown = capsys.readouterr()
    assert shown.out == "a line that goes\n[figure]\n42\n"
    assert shown.err == "\rhalf way\ncareful\n"


def test_an_error_shows_the_persons_own_calls_with_the_very_expression(capsys: Out) -> None:
    frames = (
        Frame(2, 1, "", 0, 4),
        Frame(1, 2, "f", 11, 15),
        Frame(0, 7, "g", file="/nowhere/own.py"),
    )
    failed = Failed(2, "raised", "ValueError", "too large", frames=frames)
    ledger = Ledger()
    for number, code in enumerate(["def f(x):\n    return g(x)", "f(1) + 2"], 1):
        ledger.sent(Run(number, code, number))
    Paper(ledger, sys.stdout, sys.stderr).show(failed)
    said = [line for line in capsys.readouterr().err.splitlines() if "^" not in line]
    assert said == [
        "Traceback (most recent call last):",
        '  File "Cell 2", line 1, in <module>',
        "    f(1) + 2",
        '  File "Cell 1", line 2, in f',
        "    return g(x)",
        '  File "/nowhere/own.py", line 7, in g',
        "ValueError: too large",
    ]
