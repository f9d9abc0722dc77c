"""The lines that cure a line which copies behind one's back: its own code, changed."""

import ast

_READING = frozenset({"item", "tolist", "cpu", "numpy"})
_CASTING = frozenset({"float", "int", "bool"})
_MOVING = frozenset({"to", "cuda"})


def cure_code(code: str, how: str, what: str, *, asked: bool) -> tuple[str, ...]:
    """Empty where no line of code says it."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ()
    if asked:
        return _pinned(tree, what)
    if how in _READING | _CASTING:
        return _read_once(tree)
    return ()


def code_by_host(code: str, what: str) -> tuple[str, ...]:
    """The line, through the host's memory; empty where it moves in another way."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ()
    moving = _Detour(what.partition(".")[0])
    changed = ast.fix_missing_locations(moving.visit(tree))
    return (ast.unparse(changed),) if moving.changed else ()


def _read_once(tree: ast.Module) -> tuple[str, ...]:
    """In a loop that keeps what it read: keep it on the card, and read all at the end."""
    (loop,) = tree.body if len(tree.body) == 1 else (None,)
    if not isinstance(loop, ast.For):
        return ()
    keeping = _Keeping()
    changed = ast.fix_missing_locations(keeping.visit(loop))
    name = _kept_in(loop)
    if not keeping.changed or name is None:
        return ()
    return (f"{name} = []", ast.unparse(changed), f"{name} = torch.stack({name}).tolist()")


def _kept_in(loop: ast.For) -> str | None:
    """The list into which the loop puts what it read."""
    if len(loop.body) != 1:
        return None
    (body,) = loop.body
    if isinstance(body, ast.AugAssign) and isinstance(body.target, ast.Name):
        return body.target.id
    return None


class _Keeping(ast.NodeTransformer):
    """`loss.item()` and `float(loss)` become `loss.detach()`."""

    def __init__(self) -> None:
        self.changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        kept: ast.expr | None = None
        if isinstance(node.func, ast.Attribute) and node.func.attr in _READING:
            kept = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in _CASTING and node.args:
            kept = node.args[0]
        if kept is None:
            return node
        self.changed = True
        return ast.Call(ast.Attribute(kept, "detach", ast.Load()), [], [])


def _pinned(tree: ast.Module, what: str) -> tuple[str, ...]:
    """From pinned memory, and without waiting."""
    if not what.isidentifier():
        return ()
    moving = _Moving(what)
    changed = ast.fix_missing_locations(moving.visit(tree))
    if not moving.changed:
        return ()
    return (f"{what} = {what}.pin_memory()", ast.unparse(changed))


class _Moving(ast.NodeTransformer):
    """`X.to(…)` becomes `X.to(…, non_blocking=True)`."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in _MOVING:
            return node
        if not isinstance(function.value, ast.Name) or function.value.id != self._what:
            return node
        if all(word.arg != "non_blocking" for word in node.keywords):
            node.keywords.append(ast.keyword("non_blocking", ast.Constant(value=True)))
        self.changed = True
        return node


class _Detour(ast.NodeTransformer):
    """`X.to(…)` becomes `X.cpu().to(…)`."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in _MOVING:
            return node
        if ast.unparse(function.value) != self._what:
            return node
        here = ast.Attribute(function.value, "cpu", ast.Load())
        function.value = ast.Call(here, [], [])
        self.changed = True
        return node
