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
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.cell_source import cards_renamed, in_a_file, lines_of, plain, tree_of
from gpuexplorer.lab.events import Failed, Pictured, Printed
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.printed import error_words

# `# %%` of editors, and what Jupyter writes when it exports a notebook.
_MARKER = re.compile(r"^(# ?(?:%%.*|In\[[ \d]*\]:\s*))$\n?", re.MULTILINE)
_REMARKS = re.compile(r"(\s*(#.*)?\n)*\s*(#.*)?")
_STOPPED = Message("This cell was stopped in the lab before it was done.")
_TRY_GPU = (
    "def try_gpu(i=0):\n"
    '    """The i-th card, or the processor where there is none."""\n'
    '    return torch.device(f"cuda:{i}" if torch.cuda.device_count() > i else "cpu")'
)
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
        "cells": [one for each in over for one in _notebook_cells(each)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "file_extension": ".py"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def _notebook_cells(cell: Cell) -> "Iterator[Json]":
    if cell.prose:
        name, source = f"prose-{cell.number}", lines_of(cell.prose)
        yield {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}
    failed = cell.failed if cell.state != "done" else None
    yield {
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
        data = {"text/plain": lines_of(output.text)}
        result = {"output_type": "execute_result", "execution_count": cell.number}
        return {**result, "data": data, "metadata": {}}
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
    stopped = failed.cause == "cancelled"
    name = failed.error or ("KeyboardInterrupt" if stopped else "Error")
    said = told(_STOPPED if stopped and not failed.sentence else NOTHING, failed.told)
    raised = f"{name}: {failed.message}" if failed.message else name
    return {
        "output_type": "error",
        "ename": plain(name),
        "evalue": plain(failed.message),
        "traceback": [plain(each) for each in (*calls, raised, said) if each],
    }


def script(ledger: Ledger) -> str:
    """Each cell begins with `# %%`, by which editors and the lab know cells. Nothing is added
    to what a cell does: what its last line displayed is not printed.
    """
    cells = ledger.cells[ledger.first :]
    if ledger.first and ledger.cells[0].state == "done":
        cells = [ledger.cells[0], *cells]
    blocks = []
    for cell in cells:
        if cell.prose and cell.state in ("done", *_LEFT_OUT):
            blocks.append(f"# %% [markdown]\n{_as_remark(cell.prose)}")
        if said := _LEFT_OUT.get(cell.state, ""):
            if cell.failed is not None and cell.state == "failed":
                said += f" {error_words(cell.failed)}".rstrip().split("\n")[0]
            blocks.append(f"# %% {cell.number}\n" + _as_remark(f"{said}\n{cell.code}"))
        if cell.state != "done":
            continue
        text = in_a_file(_as_form(cell.code) if cell.by_form else cell.code).rstrip("\n")
        if cell.number == 0:
            seed = ledger.hello.seed if ledger.hello is not None else 0
            text += f"\n\ntorch.manual_seed({seed})  # with which the lab began"
        blocks.append(f"# %% {cell.number}\n{text}")
    if any("try_gpu(" in _as_form(each.code) for each in cells if each.by_form):
        blocks.insert(1, f"# %%\n{_TRY_GPU}")
    used = {device for each in cells if each.state == "done" for device in each.devices}
    cards = ", ".join(sorted(used - {"cpu", "meta"}))
    head = [
        "# A session of GPU Explorer's lab, as a program.",
        "# What a cell's last line displayed in the lab is not printed here.",
    ]
    if hello := ledger.hello:
        build = "with simulated cards" if hello.simulated else hello.build
        head.append(f"# It ran on PyTorch {hello.torch}, {build}.")
    if cards:
        head.append(f"# Cells that name one of these cards need it: {cards}.")
    return "\n\n".join(("\n".join(head), *blocks)) + "\n"


def _as_remark(text: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in plain(text).split("\n"))


def _as_form(code: str) -> str:
    """It names cards outright; here it takes those there are. What only a card can do is done
    where there is one.
    """
    text, words = cards_renamed(plain(code), lambda each: f"try_gpu({each.number})")
    if not any(each.form == "card" for each in words):
        return text
    inner = "\n".join(f"    {line}" if line else line for line in text.split("\n"))
    return f"if torch.cuda.device_count() > {max(each.number for each in words)}:\n{inner}"


@dataclass(frozen=True, slots=True, eq=False)
class OpenedCell:
    """One that stands there and has not run."""

    code: str
    path: str
    prose: str = ""  # a notebook's own words before it


def opened(path: Path) -> "list[OpenedCell]":
    """The cells in their order; Trouble where there are none."""
    text, is_notebook = _text(path), path.suffix.lower() == ".ipynb"
    cells = _of_notebook(text, path.name) if is_notebook else _of_program(text)
    found, prose = list[OpenedCell](), ""
    for text, is_code in cells:
        if not is_code:
            prose = "\n\n".join(each for each in (prose, text.strip()) if each)
        elif not _REMARKS.fullmatch(text):
            found.append(OpenedCell(text.strip("\n"), str(path), prose))
            prose = ""
    if not found:
        raise Trouble("There is no code in {file}.", "Choose another file.", file=path.name)
    if prose:  # at the end of the file
        found.append(OpenedCell(_as_remark(prose), str(path)))
    return found


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
    if path.suffix.lower() not in (".ipynb", ".py"):
        raise Trouble(
            "{file} is neither a Python program nor a notebook.",
            "Choose a file whose name ends in .py or .ipynb.",
            file=path.name,
        )
    try:
        if path.suffix.lower() == ".ipynb":
            return path.read_text("utf-8-sig")
        with tokenize.open(path) as file:
            return plain(file.read())
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
        known = isinstance(error, OSError) and error.strerror
        raise Trouble(
            "{file} cannot be read: {why}.",
            "Choose another file, or save it as UTF-8.",
            file=path.name,
            why=known or Message("it is not text in the encoding that it should have"),
        ) from None


def _of_notebook(text: str, name: str) -> "list[tuple[str, bool]]":
    """Its cells, and whether they are code."""
    try:
        # Any: JSON holds whatever it holds; what is not as it should be ends in an error.
        cells: Any = json.loads(text)["cells"]
        kinds = {"code": True, "markdown": False}
        known = [each for each in cells if each["cell_type"] in kinds]
        return [(plain("".join(e["source"])), kinds[e["cell_type"]]) for e in known]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Trouble(
            "{file} is not a notebook that the lab can read.",
            "It reads whole notebooks of format 4, as Jupyter saves them.",
            file=name,
        ) from None


def _of_program(code: str) -> "list[tuple[str, bool]]":
    first, *marked = _MARKER.split(code)
    if not marked:
        return [(each, True) for each in _grouped(code)]
    cells = [(first, True)]
    for marker, text in zip(marked[::2], marked[1::2], strict=True):
        read = "[markdown]" in marker
        cells.append((re.sub("^# ?", "", text, flags=re.MULTILINE) if read else text, not read))
    return cells


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
