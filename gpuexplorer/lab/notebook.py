"""The session as a notebook: cells as they were, and what became of each."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.cell_source import lines_of, plain
from gpuexplorer.lab.events import Failed, Pictured, Printed
from gpuexplorer.lab.ledger import Cell, Ledger

UNFINISHED = ("waiting", "running")
_OF_STDOUT = ("out", "placement")  # all other streams are about what went on
_STOPPED = Message("This cell was stopped in the lab before it was done.")
# Any: JSON, as nbformat 4.5 has it.
Json = dict[str, Any]


def notebook(ledger: Ledger) -> str:
    """In nbformat 4.5. Failed and stopped cells are marked, and stop no other cell."""
    cells = [code_cell(each) for each in ledger.cells if each.state not in UNFINISHED]
    return notebook_of(cells)


def notebook_of(cells: Sequence[Json]) -> str:
    content: Json = {
        "cells": [*cells],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "file_extension": ".py"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def code_cell(cell: Cell) -> Json:
    tags = [] if cell.state == "done" else [cell.state, "raises-exception"]
    outputs = [_output(each, cell) for each in cell.outputs]
    if cell.failed is not None and cell.state != "done":
        outputs.append(_error(cell.failed))
    return code(cell.code, cell.number, tags, outputs)


def code(
    source: str,
    number: int | None = None,
    tags: Sequence[str] = (),
    outputs: Sequence[Json] = (),
) -> Json:
    """`number`: None for what did not run."""
    return {
        "cell_type": "code",
        "execution_count": number,
        "id": f"cell-{number}",
        "metadata": {"tags": tags} if tags else {},
        "outputs": outputs,
        "source": lines_of(source),
    }


def _output(output: "Printed | Pictured", cell: Cell) -> Json:
    if isinstance(output, Pictured):
        data: Mapping[str, object] = {"image/png": output.png, "text/plain": ["<Figure>"]}
        return {"output_type": "display_data", "data": data, "metadata": {}}
    if output.stream == "value":
        return {
            "output_type": "execute_result",
            "execution_count": cell.number,
            "data": {"text/plain": lines_of(output.text)},
            "metadata": {},
        }
    text = output.text
    if output.stream not in ("out", "err") and not text.endswith("\n"):
        text += "\n"
    name = "stdout" if output.stream in _OF_STDOUT else "stderr"
    return {"output_type": "stream", "name": name, "text": lines_of(text)}


def _error(failed: Failed) -> Json:
    """With the person's own calls, and what the lab says of it."""
    stopped = failed.cause == "cancelled"
    calls = [
        f"  cell {each.cell}, line {each.line}" + (f", in {each.name}" if each.name else "")
        for each in failed.frames
    ]
    name = failed.error or ("KeyboardInterrupt" if stopped else "Error")
    said = told(_STOPPED if stopped and not failed.sentence else NOTHING, failed.told)
    raised = f"{name}: {failed.message}" if failed.message else name
    return {
        "output_type": "error",
        "ename": plain(name),
        "evalue": plain(failed.message),
        "traceback": [plain(each) for each in (*calls, raised, said) if each],
    }
