"""DeviceQuestion: which two blocks a failed cell wanted to bring together, and how."""

import ast
from collections.abc import Mapping
from typing import NamedTuple

from gpuexplorer.gui.lab.bench.blocks import Key, first_name
from gpuexplorer.lab.cures import sites
from gpuexplorer.lab.ledger import Cell, Ledger

_CAUSE = "devices differ"
_SIGNS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "−",
    ast.Mult: "×",
    ast.Div: "÷",
    ast.MatMult: "@",
}


class DeviceQuestion(NamedTuple):
    """PyTorch does not choose a device by itself: on which of the two?"""

    left: Key
    right: Key
    sign: str


def question_of(ledger: Ledger, selected: int | None) -> DeviceQuestion | None:
    """About the failed cell that is selected, else the newest; None once it is cured."""
    cell = None if selected is None else ledger.cell(selected)
    if cell is None or not _asks(cell):
        cell = ledger.cells[-1] if ledger.cells else None
    if cell is None or cell.failed is None or not _asks(cell):
        return None
    for site in sites(cell.failed.frames, cell, ledger):
        places = [
            Key(each.device, first_name(ledger.things, each.name))
            for each in site.operands
            if each.name in ledger.things and each.device and "," not in each.device
        ]
        right = next((each for each in places if each.device != places[0].device), None)
        if right is not None:
            return DeviceQuestion(places[0], right, _sign(site.node))
    return None


def _asks(cell: Cell) -> bool:
    failed = cell.failed
    return failed is not None and failed.cause == _CAUSE and cell.cured_by is None


def _sign(tree: ast.AST) -> str:
    """The sign of the operation, or the first letters of its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            return _SIGNS.get(type(node.op), "?")
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else ast.unparse(called)
            return name if len(name) <= 3 else f"{name[:2]}…"
    return "?"
