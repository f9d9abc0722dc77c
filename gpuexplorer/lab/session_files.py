"""A session as a notebook or a program, and a file as cells. Nothing runs by being opened."""

import ast
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.cell_source import in_a_file, lines_of, plain, tree_of
from gpuexplorer.lab.events import Failed, Pictured, Printed
from gpuexplorer.lab.ledger import Cell, Ledger

# `# %%` of editors, and what Jupyter writes when it exports a notebook.
_MARKER = re.compile(r"^(# ?(?:%%.*|In\[[ \d]*\]:\s*))$\n?", re.MULTILINE)
_REMARKS = re.compile(r"(\s*(#.*)?\n)*\s*(#.*)?")
_LEFT_OUT = {
    "failed": "It failed in the lab, and is left out.",
    "cancelled": "It was stopped in the lab, and is left out.",
}
# Any: JSON, as nbformat 4.5 has it.
Json = dict[str, Any]


def notebook(ledger: Ledger) -> str:
    """In nbformat 4.5. Failed and stopped cells are marked, and stop no other cell."""
    over = [each for each in ledger.cells if each.state in ("done", *_LEFT_OUT)]
    content: Json = {
        "cells": [_code_cell(each) for each in over],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "file_extension": ".py"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def _code_cell(cell: Cell) -> Json:
    failed = cell.failed if cell.state != "done" else None
    return {
        "cell_type": "code",
        "execution_count": cell.number,
        "id": f"cell-{cell.number}",
        "metadata": {"tags": [cell.state, "raises-exception"]} if failed else {},
        "outputs": [_output(each, cell) for each in cell.outputs]
        + ([_error(failed)] if failed else []),
        "source": lines_of(cell.code),
    }


def _output(output: "Printed | Pictured", cell: Cell) -> Json:
    if isinstance(output, Pictured):
        data: Json = {"image/png": output.png, "text/plain": ["<Figure>"]}
        return {"output_type": "display_data", "data": data, "metadata": {}}
    if output.stream == "value":
        return {
            "output_type": "execute_result",
            "execution_count": cell.number,
            "data": {"text/plain": lines_of(output.text)},
            "metadata": {},
        }
    # All other streams are about what went on.
    name = "stdout" if output.stream in ("out", "placement") else "stderr"
    end = "" if output.stream in ("out", "err") or output.text.endswith("\n") else "\n"
    return {"output_type": "stream", "name": name, "text": lines_of(output.text + end)}


def _error(failed: Failed) -> Json:
    """With the person's own calls, and what the lab says of it."""
    calls = [
        f"  cell {each.cell}, line {each.line}" + (f", in {each.name}" if each.name else "")
        for each in failed.frames
    ]
    name = failed.error or ("KeyboardInterrupt" if failed.cause == "cancelled" else "Error")
    raised = f"{name}: {failed.message}" if failed.message else name
    return {
        "output_type": "error",
        "ename": plain(name),
        "evalue": plain(failed.message),
        "traceback": [plain(each) for each in (*calls, raised, failed.told) if each],
    }


def script(ledger: Ledger) -> str:
    """Each cell begins with `# %%`, by which editors and the lab know cells.

    Nothing is added to what a cell does: what its last line displayed is not printed.
    """
    cells = ledger.cells[ledger.first :]
    if ledger.first and ledger.cells[0].state == "done":
        cells = [ledger.cells[0], *cells]
    futures: dict[str, None] = {}
    blocks = []
    for cell in cells:
        if cell.state in _LEFT_OUT:
            blocks.append(f"# %% {cell.number}\n# {_LEFT_OUT[cell.state]}")
        if cell.state != "done":
            continue
        imported, text = in_a_file(cell.code)
        futures |= dict.fromkeys(imported)
        text = text.rstrip("\n")
        if cell.number == 0:
            seed = ledger.hello.seed if ledger.hello else 0
            text += f"\n\ntorch.manual_seed({seed})  # with which the lab began"
        blocks.append(f"# %% {cell.number}\n{text}")
    used = {device for each in cells if each.state == "done" for device in each.devices}
    cards = ", ".join(sorted(used - {"cpu", "meta"}))
    head = [
        "# A session of GPU Explorer's lab, as a program.",
        "# What a cell's last line displayed in the lab is not printed here.",
    ]
    if hello := ledger.hello:
        simulated = ", with simulated cards" if cards and hello.simulated else ""
        head.append(f"# It ran on PyTorch {hello.torch}, {hello.build}{simulated}.")
    if cards:
        head.append(f"# Cells that name one of these cards need it: {cards}.")
    if futures:
        head.append(f"from __future__ import {', '.join(futures)}")
    return "\n\n".join(("\n".join(head), *blocks)) + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class OpenedCell:
    """One that stands there and has not run."""

    code: str
    path: str


def opened(path: Path) -> "list[str]":
    """The cells in their order; Trouble where there are none."""
    text = _text(path)
    cells = _of_program(text) if path.suffix.lower() == ".py" else _of_notebook(text, path.name)
    cells = [each.strip("\n") for each in cells if not _REMARKS.fullmatch(each)]
    if not cells:
        raise Trouble("There is no code in {file}.", "Choose another file.", file=path.name)
    return cells


def program(path: Path) -> str:
    """The text of a program that is to run whole; Trouble where it is none."""
    if path.suffix.lower() == ".ipynb":
        raise Trouble(
            "{file} is a notebook: each of its cells is watched when it runs.",
            "Open it with “Open…”, and run its cells.",
            file=path.name,
        )
    return _text(path)


def _text(path: Path) -> str:
    """Of a program in the encoding that it says."""
    suffix = path.suffix.lower()
    if suffix not in (".py", ".ipynb"):
        raise Trouble(
            "{file} is neither a Python program nor a notebook.",
            "Choose a file whose name ends in .py or .ipynb.",
            file=path.name,
        )
    try:
        with (
            tokenize.open(path) if suffix == ".py" else path.open(encoding="utf-8-sig") as file
        ):
            return plain(file.read())
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        known = isinstance(error, OSError) and error.strerror
        raise Trouble(
            "{file} cannot be read: {why}.",
            "Choose another file, or save it as UTF-8.",
            file=path.name,
            why=known or Message("it is not text in the encoding that it should have"),
        ) from None


def _of_notebook(text: str, name: str) -> "list[str]":
    """The cells with code. What else stands in it is left out."""
    try:
        # Any: JSON holds whatever it holds; what is not as it should be ends in an error.
        cells: Any = json.loads(text)["cells"]
        sources = [each["source"] for each in cells if each["cell_type"] == "code"]
        return [plain("".join(each)) for each in sources]
    except (ValueError, LookupError, TypeError):
        raise Trouble(
            "{file} is not a notebook that the lab can read.",
            "It reads whole notebooks of format 4, as Jupyter saves them.",
            file=name,
        ) from None


def _of_program(code: str) -> "list[str]":
    first, *marked = _MARKER.split(code)
    if not marked:
        return list(_grouped(code))
    # Text that is meant to be read is left out.
    pairs = zip(marked[::2], marked[1::2], strict=True)
    return [first, *(text for marker, text in pairs if "[markdown]" not in marker)]


def _grouped(code: str) -> "Iterator[str]":
    """Imports together; else what no empty line parts. Remarks go with what follows them."""
    lines, begin, end = code.split("\n"), 0, 0
    imports, before = (ast.Import, ast.ImportFrom), None
    for each in tree_of(code).body:
        decorators = getattr(each, "decorator_list", ())
        first = min((each.lineno, *(one.lineno for one in decorators)))
        apart = any(not line.strip() for line in lines[end : first - 1])
        together = isinstance(before, imports) and isinstance(each, imports)
        if before is not None and apart and not together:
            yield "\n".join(lines[begin:end])
            begin = end
        before, end = each, each.end_lineno or each.lineno
    yield "\n".join(lines[begin:])
