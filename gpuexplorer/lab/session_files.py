"""A session as a notebook or a program, and a file as cells. Nothing runs by being opened."""

import ast
import io
import json
import re
import stat
import tokenize
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.cell_source import (
    NO_PROGRAM,
    cards_renamed,
    in_a_file,
    lines_of,
    plain,
)
from gpuexplorer.lab.events import Failed, Pictured, Printed
from gpuexplorer.lab.ledger import Cell, Ledger

_MOST_BYTES = 64 << 20  # notebooks hold pictures
# `# %%` of editors, and what Jupyter writes when it exports a notebook.
_MARKER = re.compile(r"^# ?(?:%%.*|In\[[ \d]*\]:\s*)$")
_UNFINISHED = ("waiting", "running")
_OF_STDOUT = ("out", "placement")  # all other streams are about what went on
_STOPPED = Message("This cell was stopped in the lab before it was done.")
# Any: JSON, as nbformat 4.5 has it.
Json = dict[str, Any]


def notebook(ledger: Ledger) -> str:
    """In nbformat 4.5. Failed and stopped cells are marked, and stop no other cell."""
    content: Json = {
        "cells": [_code_cell(each) for each in ledger.cells if each.state not in _UNFINISHED],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "file_extension": ".py"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def _code_cell(cell: Cell) -> Json:
    done = cell.state == "done"
    outputs = [_output(each, cell) for each in cell.outputs]
    if cell.failed is not None and not done:
        outputs.append(_error(cell.failed))
    return {
        "cell_type": "code",
        "execution_count": cell.number,
        "id": f"cell-{cell.number}",
        "metadata": {} if done else {"tags": [cell.state, "raises-exception"]},
        "outputs": outputs,
        "source": lines_of(cell.code),
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


_TRY_GPU = (
    "def try_gpu(i=0):\n"
    '    """The i-th card, or the processor where there is none."""\n'
    '    return torch.device(f"cuda:{i}" if torch.cuda.device_count() > i else "cpu")'
)
_LEFT_OUT = {
    "failed": "It failed in the lab, and is left out.",
    "cancelled": "It was stopped in the lab, and is left out.",
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
        imported, text = in_a_file(_as_form(cell.code) if cell.by_form else cell.code)
        futures |= dict.fromkeys(imported)
        text = text.rstrip("\n")
        blocks.append(f"# %% {cell.number}\n{text}")
        if cell.number == 0:
            seed = ledger.hello.seed if ledger.hello is not None else 0
            blocks[-1] += f"\n\ntorch.manual_seed({seed})  # with which the lab began"
            if any("try_gpu(" in _as_form(each.code) for each in cells if each.by_form):
                blocks.append(f"# %%\n{_TRY_GPU}")
    head = _head(ledger, cells)
    if futures:
        head += f"\nfrom __future__ import {', '.join(futures)}"
    return "\n\n".join((head, *blocks)) + "\n"


def _head(ledger: Ledger, cells: "Sequence[Cell]") -> str:
    used = {device for each in cells if each.state == "done" for device in each.devices}
    cards = [
        f"{each.name} ({' '.join(each.label.split())})"
        for each in ledger.devices
        if each.name in used and each.name not in ("cpu", "meta")
    ]
    lines = ["A session of GPU Explorer's lab, as a program."]
    if ledger.hello is not None:
        lines.append(f"It ran on PyTorch {ledger.hello.torch}, {ledger.hello.build}.")
    if cards:
        named = ", ".join(cards)
        lines.append(f"These cards were used, and cells that name one need it: {named}.")
    if ledger.hello is not None and ledger.hello.simulated and cards:
        lines.append("They were simulated.")
    lines.append("What a cell's last line displayed in the lab is not printed here.")
    return "\n".join(f"# {each}" for each in lines)


def _as_form(code: str) -> str:
    """It names cards outright; here it takes those there are. What only a card can do is done
    where there is one.
    """
    text, words = cards_renamed(plain(code), lambda each: f"try_gpu({each.number})")
    if not any(each.only_cards for each in words):
        return text
    inner = "\n".join(f"    {line}" if line else line for line in text.split("\n"))
    return f"if torch.cuda.device_count() > {max(each.number for each in words)}:\n{inner}"


@dataclass(frozen=True, slots=True, eq=False)
class OpenedCell:
    """One that stands there and has not run."""

    code: str
    path: str


def opened(path: Path) -> "list[str]":
    """The cells in their order; Trouble where there are none."""
    content = _content(path)
    match path.suffix.lower():
        case ".ipynb":
            cells = _of_notebook(content, path.name)
        case ".py":
            cells = _of_program(_text(content, path))
        case _:
            raise Trouble(
                "{file} is neither a Python program nor a notebook.",
                "The lab opens files whose names end in .py or .ipynb.",
                file=path.name,
            )
    if not cells:
        raise Trouble("There is no code in {file}.", "Choose another file.", file=path.name)
    return cells


def program(path: Path) -> str:
    """The text of a program that is to run whole; Trouble where it is none."""
    content = _content(path)
    match path.suffix.lower():
        case ".py":
            return _text(content, path)
        case ".ipynb":
            raise Trouble(
                "{file} is a notebook: each of its cells is watched when it runs.",
                "Open it with “Open…”, and run its cells.",
                file=path.name,
            )
    raise Trouble(
        "{file} is no Python program.",
        "Choose a file whose name ends in .py.",
        file=path.name,
    )


def _content(path: Path) -> bytes:
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or path.is_dir()):  # it may have no end
            raise Trouble("{file} is no ordinary file.", "Choose another file.", file=path.name)
        if found.st_size > _MOST_BYTES:
            raise Trouble(
                "{file} has {size} MiB, and the lab opens files of up to {most} MiB.",
                "Clear the outputs of the notebook and save it again, or split the program.",
                file=path.name,
                size=found.st_size >> 20,
                most=_MOST_BYTES >> 20,
            )
        return path.read_bytes()
    except OSError as error:
        raise Trouble(
            "{file} cannot be read: {why}.",
            "Choose another file, or ask for the right to read this one.",
            file=path.name,
            why=error.strerror,
        ) from None


def _of_notebook(content: bytes, name: str) -> "list[str]":
    """The cells with code. What else stands in it is left out."""
    try:
        # Any: JSON holds whatever it holds; what is not as it should be ends in an error.
        notebook: Any = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise Trouble(
            "{file} is not a whole notebook: it cannot be read as JSON.",
            "Save it again with the program it comes from.",
            file=name,
        ) from None
    try:
        about = notebook["metadata"]
        language = about.get("kernelspec", {}).get("language")
        language = language or about.get("language_info", {}).get("name") or "python"
        if language.lower() != "python":
            raise Trouble(
                "{file} is a notebook in {language}, and the lab runs Python.",
                "Choose another file.",
                file=name,
                language=language.lower(),
            )
        sheets = notebook["worksheets"] if notebook["nbformat"] == 3 else [notebook]
        found = [each for sheet in sheets for each in sheet["cells"]]
        sources = [
            each["source"] if "source" in each else each["input"]
            for each in found
            if each["cell_type"] == "code"
        ]
        codes = [plain(each if isinstance(each, str) else "".join(each)) for each in sources]
    except (LookupError, TypeError, AttributeError):
        raise Trouble(
            "{file} is JSON, but not a notebook that the lab can read.",
            "It reads notebooks of the formats 3 and 4, as Jupyter saves them.",
            file=name,
        ) from None
    return [each.strip("\n") for each in codes if each.strip()]


def _text(content: bytes, path: Path) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return plain(content.decode(encoding))
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise Trouble(
            "{file} is not text in the encoding that it should have, usually UTF-8.",
            "Save it as UTF-8, or say its encoding in its first line.",
            file=path.name,
        ) from None


def _of_program(code: str) -> "list[str]":
    lines = code.split("\n")
    markers = [at for at, line in enumerate(lines) if _MARKER.match(line)]
    cuts = _marked(lines, markers) if markers else _grouped(code, lines)
    cells = ("\n".join(lines[begin:end]).strip("\n") for begin, end in cuts)
    bare = re.compile(r"\s*(#.*)?")
    return [e for e in cells if not all(map(bare.fullmatch, e.split("\n")))]


def _marked(lines: "Sequence[str]", markers: "Sequence[int]") -> "Iterator[tuple[int, int]]":
    """From one marker to the next; text that is meant to be read is left out."""
    yield 0, markers[0]
    for begin, end in zip(markers, [*markers[1:], len(lines)], strict=True):
        if "[markdown]" not in lines[begin]:
            yield begin + 1, end


def _grouped(code: str, lines: "Sequence[str]") -> "Iterator[tuple[int, int]]":
    """Imports together; else what no empty line parts. Remarks go with what follows them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(code).body
    except NO_PROGRAM:
        statements = []
    begin = end = 0
    before: ast.stmt | None = None
    imports = (ast.Import, ast.ImportFrom)
    for each in statements:
        decorators = getattr(each, "decorator_list", ())
        first = min((each.lineno, *(one.lineno for one in decorators)))
        apart = any(not line.strip() for line in lines[end : first - 1])
        together = isinstance(before, imports) and isinstance(each, imports)
        if before is not None and apart and not together:
            yield begin, end
            begin = end
        before, end = each, each.end_lineno or each.lineno
    yield begin, len(lines)
