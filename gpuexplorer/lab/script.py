"""The session as a program: a script that runs wherever there is PyTorch, and a notebook."""

import ast
import json
from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.card_words import (
    card_number,
    device_arguments,
    is_cuda_method,
    is_helper,
    is_of_cuda,
    whole,
)
from gpuexplorer.lab.grammar import dotted
from gpuexplorer.lab.ledger import Entry, Ledger
from gpuexplorer.lab.wire import Run

_MODELS = Path(__file__).parents[1] / "worker" / "models"
_IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F"
_HELPERS = {
    "cpu": 'def cpu():\n    return torch.device("cpu")',
    "gpu": 'def gpu(i=0):\n    return torch.device(f"cuda:{i}")',
    "num_gpus": "def num_gpus():\n    return torch.cuda.device_count()",
    "try_gpu": (
        "def try_gpu(i=0):\n"
        '    """The i-th card, or the processor where there is none."""\n'
        '    return torch.device(f"cuda:{i}" if torch.cuda.device_count() > i else "cpu")'
    ),
    "try_all_gpus": (
        "def try_all_gpus():\n"
        '    return [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())]'
    ),
    "log_placement": (
        "class PlacementLog(TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n"
        "        made = func(*args, **(kwargs or {}))\n"
        "        if isinstance(made, torch.Tensor) and not func.is_view:\n"
        '            print(f"{func.overloadpacket.__name__}: {made.device}")\n'
        "        return made\n\n\n"
        "placement_logs = []\n\n\n"
        "def log_placement(on):\n"
        '    """Print where each operation runs, or no longer."""\n'
        "    if on and not placement_logs:\n"
        "        placement_logs.append(PlacementLog())\n"
        "        placement_logs[0].__enter__()\n"
        "    elif placement_logs and not on:\n"
        "        placement_logs.pop().__exit__(None, None, None)"
    ),
}
# What a helper needs beside the usual.
_IMPORTS_OF = {
    "log_placement": "from torch.utils._python_dispatch import TorchDispatchMode",
}
# These answer without a card as well.
_ANYWHERE = frozenset({"torch.cuda.device_count", "torch.cuda.is_available"})


def script(ledger: Ledger) -> str:
    """Runs on real cards, and on the processor where there are none; failed lines are out."""
    blocks = _blocks(ledger, show=True)
    return "\n\n".join(blocks[:-1]) + f"\n\n\n{blocks[-1]}\n"


def notebook(ledger: Ledger) -> str:
    """The same, a cell for each line; in nbformat 4.5."""
    *head, _ = _blocks(ledger, show=False)
    shown = [_anywhere(each, show=False) for each in _kept(ledger)]
    cells = ["\n\n".join(head), ledger.first_line, *_guarded(_kept(ledger), shown)]
    content = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": None,
                "id": f"line-{number}",
                "metadata": {},
                "outputs": [],
                "source": cell.splitlines(keepends=True),
            }
            for number, cell in enumerate(cells)
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def _blocks(ledger: Ledger, *, show: bool) -> "list[str]":
    """The head, the functions that are used, and the lines."""
    kept = _kept(ledger)
    lines = [_anywhere(each, show=show) for each in kept]
    used = {
        node.id
        for line in lines
        for node in ast.walk(ast.parse(line))
        if isinstance(node, ast.Name)
    }
    simulated = ledger.hello is not None and ledger.hello.simulated
    told = " The cards of that session were simulated." if simulated else ""
    body = "\n".join((ledger.first_line, *_guarded(kept, lines)))
    return [
        f'"""A session of GPU Explorer\'s lab.{told}"""',
        "\n".join((_IMPORTS, *(text for name, text in _IMPORTS_OF.items() if name in used))),
        *(text for name, text in _HELPERS.items() if name in used),
        *_model_sources(sorted(used & vocabulary.MODELS)),
        body,
    ]


def _kept(ledger: Ledger) -> "list[Entry]":
    return ledger.done()


def _anywhere(entry: Entry, *, show: bool) -> str:
    """A card that is named outright is taken where it is, else the processor."""
    if not isinstance(entry.command, Run):
        return entry.code
    tree = ast.parse(entry.code)
    text = entry.code
    if _names_a_card(tree):
        text = ast.unparse(_ToTryGpu().visit(ast.parse(entry.code)))
    statement = tree.body[0]
    if show and entry.printed and isinstance(statement, ast.Expr) and not _prints(statement):
        return f"print({text})"
    return text


def _guarded(entries: "Sequence[Entry]", lines: "Sequence[str]") -> "list[str]":
    """What only a real card can answer, and whatever is made from that."""
    only_there: dict[str, int] = {}  # with how many cards
    guarded = []
    for entry, line in zip(entries, lines, strict=True):
        effects = entry.effects
        used = [only_there[each] for each in effects.uses if each in only_there]
        needs = max(_cards_needed(ast.parse(entry.code)), *used, 0)
        if needs:
            only_there |= dict.fromkeys(effects.makes, needs)
            inner = "\n".join(f"    {each}" for each in line.splitlines())
            asked = f"device_count() > {needs - 1}" if needs > 1 else "is_available()"
            guarded.append(f"if torch.cuda.{asked}:\n{inner}")
        else:
            only_there = {k: v for k, v in only_there.items() if k not in effects.makes}
            guarded.append(line)
    return guarded


def _cards_needed(tree: ast.AST) -> int:
    """How many cards there must be for what only a real card can answer."""
    words = {_word(node) for node in ast.walk(tree)} - {None}
    if not any(str(each).startswith("torch.cuda.") for each in words - _ANYWHERE):
        return 0
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
    asked = [card for call in calls if is_of_cuda(call) for card in device_arguments(call)]
    asked += [each for call in calls if is_helper(call, "gpu", "try_gpu") for each in call.args]
    numbers = [whole(each) for each in asked]
    numbers += [
        card_number(each.value) for each in ast.walk(tree) if isinstance(each, ast.Constant)
    ]
    return 1 + max(each or 0 for each in (*numbers, 0))


def _word(node: ast.AST) -> "str | None":
    return dotted(node) if isinstance(node, ast.Attribute) else None


def _names_a_card(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and card_number(node.value) is not None:
            return True
        # The book's helper gpu() knows of no way out where a card is missing.
        if isinstance(node, ast.Call) and (is_cuda_method(node) or is_helper(node, "gpu")):
            return True
    return False


class _ToTryGpu(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if is_helper(node, "gpu"):
            return ast.Call(ast.Name("try_gpu", ast.Load()), node.args, node.keywords)
        if is_cuda_method(node):
            assert isinstance(node.func, ast.Attribute)
            where = node.args[0] if node.args else ast.Constant(0)
            if isinstance(where, ast.Constant):
                where = _try_gpu(where.value)
            return ast.Call(ast.Attribute(node.func.value, "to", ast.Load()), [where], [])
        if dotted(node.func) == "torch.device" and len(node.args) == 1:
            return node.args[0] if isinstance(node.args[0], ast.Call) else node
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        number = card_number(node.value)
        return node if number is None else _try_gpu(number)


def _try_gpu(number: object) -> ast.expr:
    assert isinstance(number, int)
    return ast.Call(ast.Name("try_gpu", ast.Load()), [ast.Constant(number)], [])


def _prints(statement: ast.Expr) -> bool:
    call = statement.value
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "print"


def _model_sources(names: "Sequence[str]") -> "list[str]":
    """The files that the worker itself makes its models from, without their heads."""
    wanted = list(names)
    if "tiny_gpt" in wanted and "transformer_block" not in wanted:
        wanted.insert(0, "transformer_block")
    wanted.sort(key=lambda name: name == "tiny_gpt")  # it is made of the other
    return [_without_head((_MODELS / f"{name}.py").read_text("utf-8")) for name in wanted]


def _without_head(source: str) -> str:
    lines = source.splitlines()
    first = next(
        node.lineno
        for node in ast.parse(source).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    )
    return "\n".join(lines[first - 1 :]).rstrip()
