"""A saved notebook: cells as they were, with what became of each, as nbformat 4.5 has it."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Began, Failed, Frame, Pictured, Printed
from gpuexplorer.lab.ledger import IMPORTS, Ledger
from gpuexplorer.lab.session_files import notebook
from gpuexplorer.lab.wire import Run
from tests.lab.told_cells import Told

OUTPUTS = {
    "stream": {"output_type", "name", "text"},
    "execute_result": {"output_type", "execution_count", "data", "metadata"},
    "display_data": {"output_type", "data", "metadata"},
    "error": {"output_type", "ename", "evalue", "traceback"},
}


# JSON, as it comes.
def written(ledger: Ledger) -> list[dict]:  # type: ignore[type-arg]
    """The cells, checked by the rules of nbformat 4.5."""
    content = json.loads(notebook(ledger))
    assert set(content) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    assert {"name", "display_name"} <= set(content["metadata"]["kernelspec"])
    cells: list[dict] = content["cells"]  # type: ignore[type-arg]
    keys = {"cell_type", "execution_count", "id", "metadata", "outputs", "source"}
    for cell in cells:
        assert set(cell) == keys
        assert re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", cell["id"])
        assert cell["execution_count"] >= 0
        assert is_text(cell["source"])
        for output in cell["outputs"]:
            assert set(output) == OUTPUTS[output["output_type"]]
            assert output.get("name", "stdout") in ("stdout", "stderr")
            assert is_text(output.get("text", []))
            assert all(isinstance(each, str) for each in output.get("traceback", []))
    assert len({cell["id"] for cell in cells}) == len(cells)
    return cells


def is_text(lines: list[str]) -> bool:
    """Only the last line may have no end, and no line has two."""
    return all(each.endswith("\n") for each in lines[:-1]) and all(
        each.rstrip("\n").count("\n") == 0 for each in lines
    )


def test_each_cell_is_a_cell_as_it_was() -> None:
    cells = written(Told("X = 1  # mine\n\n\nX", "%timeit X").ledger)
    sources = ["".join(each["source"]) for each in cells]
    assert sources == [IMPORTS, "X = 1  # mine\n\n\nX", "%timeit X"]
    assert [each["execution_count"] for each in cells] == [0, 1, 2]


def test_what_a_cell_printed_and_drew_stands_under_it() -> None:
    told = Told()
    told.run(
        "…",
        Printed(1, "one\ntwo\n"),
        Printed(1, "careful", "warning", 1, 1),
        Printed(1, "The rest was left out.", "note"),
        Pictured(1, "iVBORw0KGgo="),
        Printed(1, "tensor(3)", "value"),
    )
    assert written(told.ledger)[1]["outputs"] == [
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
        {"output_type": "stream", "name": "stderr", "text": ["careful\n"]},
        {"output_type": "stream", "name": "stderr", "text": ["The rest was left out.\n"]},
        {
            "output_type": "display_data",
            "data": {"image/png": "iVBORw0KGgo=", "text/plain": ["<Figure>"]},
            "metadata": {},
        },
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "data": {"text/plain": ["tensor(3)"]},
            "metadata": {},
        },
    ]


def test_a_failed_cell_is_kept_with_its_explanation_and_stops_no_other() -> None:
    told = Told()
    told.ledger.sent(Run(1, "def f(): X + Y\nf()", 1))
    told.ledger.apply(Began(1))
    told.ledger.apply(
        Failed(
            1,
            "devices differ",
            "RuntimeError",
            "Expected all tensors to be on the same device",
            Message("X is on cuda:0, and Y on cuda:1."),
            Message("Copy one of them."),
            frames=(Frame(1, 2), Frame(1, 1, "f")),
        )
    )
    (_, cell) = written(told.ledger)
    assert "raises-exception" in cell["metadata"]["tags"]
    (error,) = cell["outputs"]
    assert (error["ename"], error["evalue"][:12]) == ("RuntimeError", "Expected all")
    assert error["traceback"] == [
        "  cell 1, line 2",
        "  cell 1, line 1, in f",
        "RuntimeError: Expected all tensors to be on the same device",
        "X is on cuda:0, and Y on cuda:1. Copy one of them.",
    ]


def test_a_stopped_cell_is_kept_and_marked() -> None:
    told = Told()
    told.run("while True: pass", Printed(1, "…\n"), failing="cancelled")
    (_, cell) = written(told.ledger)
    assert cell["metadata"]["tags"] == ["cancelled", "raises-exception"]
    assert cell["outputs"][-1]["output_type"] == "error"
    assert cell["outputs"][-1]["traceback"][-1].startswith("This cell was stopped")


def test_a_cell_that_did_not_run_to_its_end_yet_is_not_in_it() -> None:
    told = Told()
    told.ledger.sent(Run(1, "1 + 1", 1))
    assert len(written(told.ledger)) == 1


@given(st.lists(st.text("a'\"\\\n\r\x0c\x85\u2028\ufeff\x00\ud800é"), max_size=4))
def test_a_notebook_can_be_saved_whatever_its_cells_hold(texts: list[str]) -> None:
    told = Told()
    for number, each in enumerate(texts, 1):
        told.run(each, Printed(number, each), Printed(number, each, "value"), failing="error")
    cells = written(told.ledger)
    assert len(cells) == 1 + len(texts)
    json.dumps(cells, ensure_ascii=False).encode()
