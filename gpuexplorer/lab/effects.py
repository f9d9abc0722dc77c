"""Effects: what a line makes, uses and may change, so that it is known what rebuilds a name."""

import ast
from dataclasses import dataclass
from functools import lru_cache

from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.grammar import dotted, read_line
from gpuexplorer.lab.wire import Command, Run, Train

_CHANGING_METHODS = frozenset(
    {
        "backward",
        "eval",
        "load_state_dict",
        "record",
        "retain_grad",
        "step",
        "train",
        "zero_grad",
    }
)
# These move a model where it is, and give a tensor anew.
_MOVING_METHODS = frozenset({"bfloat16", "cpu", "cuda", "double", "float", "half", "to"})
_SEEDING = frozenset(
    {"torch.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all"}
)
_LASTING = frozenset(
    {
        "log_placement",
        "torch.cuda.set_device",
        "torch.cuda.set_per_process_memory_fraction",
        "torch.set_num_threads",
    }
)


@dataclass(frozen=True)
class Effects:
    """By the names on the shelf."""

    makes: "frozenset[str]" = frozenset()
    uses: "frozenset[str]" = frozenset()
    changes: "frozenset[str]" = frozenset()
    deletes: "frozenset[str]" = frozenset()
    moves: "frozenset[str]" = frozenset()  # changed if they are models
    calls: "frozenset[str]" = frozenset()  # models that may count what they see
    seeds: bool = False
    lasts: bool = False  # it changes something that has no name, such as the current card

    def touched(self, models: "frozenset[str]") -> "frozenset[str]":
        """What may be another afterwards; errs to the side of too many."""
        return self.changes | self.calls | (self.moves & models)

    def only_looks(self, models: "frozenset[str]") -> bool:
        lasting = self.lasts or self.seeds
        return not (self.makes or self.touched(models) or self.deletes or lasting)


# A recipe asks for those of all lines, again and again.
@lru_cache(maxsize=4096)
def effects_of(command: Command) -> Effects:
    """Of a line that was carried out, so it can be read."""
    if isinstance(command, Train):
        names = (command.model, command.inputs, command.targets, command.optimiser)
        changed = frozenset({command.model, command.optimiser})
        return Effects(frozenset({"loss"}), frozenset(names), changed)
    if not isinstance(command, Run):
        return Effects()
    line = read_line(command.line)
    walk = _Walk()
    walk.visit(line.tree)
    return Effects(
        frozenset(line.makes),
        line.uses,
        frozenset(walk.changes),
        frozenset(line.deletes),
        frozenset(walk.moves),
        frozenset(walk.calls),
        bool(walk.words & _SEEDING),
        bool(walk.words & _LASTING),
    )


class _Walk(ast.NodeVisitor):
    def __init__(self) -> None:
        self.changes: set[str] = set()
        self.moves: set[str] = set()
        self.calls: set[str] = set()
        self.words: set[str] = set()

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        name = dotted(function)
        if name is not None:
            self.words.add(name)
        elif isinstance(function, ast.Attribute):
            if function.attr.endswith("_") or function.attr in _CHANGING_METHODS:
                self.changes |= _names(node)
            elif function.attr in _MOVING_METHODS:
                self.moves |= _names(function)
        elif isinstance(function, ast.Name) and function.id in vocabulary.HELPERS:
            self.words.add(function.id)
        else:
            self.calls |= _names(function)
        for word in node.keywords:
            if word.arg == "out":
                self.changes |= _names(word.value)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.changes |= _names(target)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.changes |= _names(node.target)
        self.generic_visit(node)


def _names(node: ast.AST) -> "set[str]":
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found - vocabulary.TAKEN
