"""The session as a program: the cells that succeeded, as they were."""

import ast
from collections.abc import Sequence

from gpuexplorer.lab.cell_source import (
    NO_PROGRAM,
    Source,
    as_string,
    card_words,
    compiles,
    in_a_file,
    plain,
)
from gpuexplorer.lab.ledger import Cell, Ledger

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
    text = _program(ledger, cells, strings=False)
    return text if compiles(text) else _program(ledger, cells, strings=True)


def _program(ledger: Ledger, cells: "Sequence[Cell]", *, strings: bool) -> str:
    """`strings`: cells that only stand by themselves are run from their text."""
    futures: dict[str, None] = {}
    blocks = []
    for cell in cells:
        if cell.state in _LEFT_OUT:
            blocks.append(f"# %% {cell.number}\n# {_LEFT_OUT[cell.state]}")
        if cell.state != "done":
            continue
        code = _as_form(cell.code) if cell.by_form else cell.code
        if strings and _minds_others(code):
            text = as_string(code, cell.number)
        else:
            imported, text = in_a_file(code, cell.number)
            futures |= dict.fromkeys(imported)
        text = text.rstrip("\n")
        blocks.append(f"# %% {cell.number}\n{text}")
        if cell.number == 0:
            blocks[-1] += f"\n\n{_seed(ledger)}"
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
        lines.append(
            f"These cards were used, and cells that name one need it: {', '.join(cards)}."
        )
    if ledger.hello is not None and ledger.hello.simulated and cards:
        lines.append("They were simulated.")
    lines.append("What a cell's last line displayed in the lab is not printed here.")
    return "\n".join(f"# {each}" for each in lines)


def _seed(ledger: Ledger) -> str:
    seed = ledger.hello.seed if ledger.hello is not None else 0
    return f"torch.manual_seed({seed})  # with which the lab began"


def _as_form(code: str) -> str:
    try:
        return _with_any_card(plain(code))
    except NO_PROGRAM:
        return code


def _with_any_card(code: str) -> str:
    """It names cards outright; here it takes those there are. What only a card can do is done
    where there is one.
    """
    source = Source(code)
    words = list(card_words(source, ast.parse(code)))
    edits = [each.edit(f"try_gpu({each.number})") for each in words]
    text = source.changed(each for each in edits if each is not None)
    if not any(each.only_cards for each in words):
        return text
    inner = "\n".join(f"    {line}" if line else line for line in text.split("\n"))
    return f"if torch.cuda.device_count() > {max(each.number for each in words)}:\n{inner}"


def _minds_others(code: str) -> bool:
    """It stands by itself, and may not where others stand before it."""
    try:
        tree = ast.parse(plain(code))
    except NO_PROGRAM:
        return True
    kinds = (ast.Global, ast.Nonlocal)
    future = (each for each in tree.body if isinstance(each, ast.ImportFrom))
    return any(isinstance(each, kinds) for each in ast.walk(tree)) or any(
        each.module == "__future__" for each in future
    )
