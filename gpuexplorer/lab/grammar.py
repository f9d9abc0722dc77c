"""Reads one line of the lab: a little Python and PyTorch, of which nothing is evaluated."""

import ast
import difflib
import keyword
import re
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab import vocabulary

LONGEST_LINE = 4000
_DEEPEST = 40
_LARGEST_POWER = 64
_MOST_LOOPS = 2
_NAMED = re.compile(r"([\w -]*\w) *=(?!=)")  # what stands to the left, be it a name or not

_OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult,
    ast.BitAnd, ast.BitOr, ast.BitXor, ast.UAdd, ast.USub, ast.Not, ast.Invert,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot,
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One line that was understood. `tree` holds only what the lab knows."""

    text: str
    tree: ast.stmt
    makes: "tuple[str, ...]"  # names that stand for something new afterwards
    uses: "frozenset[str]"  # names of the shelf that must be there
    deletes: "tuple[str, ...]"


def read_line(text: str) -> Line:
    """Raises Trouble, with the word that is not understood and what may have been meant."""
    text = text.strip()
    if not text:
        raise Trouble("There is nothing on this line.", "Such as: X = torch.ones(2, 3)")
    if len(text) > LONGEST_LINE:
        raise Trouble("This line is too long.", "At most {most} letters.", most=LONGEST_LINE)
    try:
        body = ast.parse(text, mode="exec").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = getattr(error, "offset", None)
        named = _NAMED.match(text)
        if named and (keyword.iskeyword(named[1]) or not named[1].isidentifier()):
            check_name(named[1])
        missing = Message("Is a bracket or a quote missing?")
        if not where:
            raise Trouble("This is not a line of Python.", missing) from None
        raise Trouble(
            "This is not a line of Python near letter {place}.", missing, place=where
        ) from None
    if not body:
        raise Trouble("There is only a remark on this line.", "Such as: X = torch.ones(2, 3)")
    if len(body) != 1:
        raise Trouble("The lab takes one statement a line.", "Write the second in a new line.")
    check = _Check()
    check.statement(body[0])
    return Line(text, body[0], tuple(check.makes), frozenset(check.uses), tuple(check.deletes))


def check_name(name: str) -> str:
    """A name for something on the shelf."""
    if keyword.iskeyword(name):
        raise Trouble("{name!r} is no name.", "It is a word of Python itself.", name=name)
    if not name.isidentifier():
        raise Trouble(
            "{name!r} is no name.", "Letters, digits and _, and no digit first.", name=name
        )
    if name.startswith("_"):
        raise Trouble("{name!r} begins with _, which the lab keeps to itself.", name=name)
    if name in vocabulary.TAKEN:
        raise Trouble(
            "{name!r} already means something here.", "Choose another name.", name=name
        )
    return name


def dotted(node: ast.expr) -> "str | None":
    """`nn.Linear` as "torch.nn.Linear"; None for what begins with something on the shelf."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in vocabulary.ROOTS:
        return None
    return ".".join((vocabulary.ROOTS[node.id], *reversed(parts)))


class _Check:
    """Walks the tree; whatever is not expressly allowed is refused."""

    def __init__(self) -> None:
        self.makes: list[str] = []
        self.deletes: list[str] = []
        self.uses: set[str] = set()
        self._depth = 0
        self._loops = 0

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.expression(value)
                self._target(target)
            case ast.AugAssign(target=target, op=operator, value=value):
                self._operator(operator)
                self.expression(value)
                self._place(target)
            case ast.Expr(value=value):
                self.expression(value)
            case ast.Delete(targets=targets):
                for target in targets:
                    if not isinstance(target, ast.Name):
                        raise Trouble("Only names can be deleted.", "Such as: del X")
                    self.uses.add(target.id)
                    self.deletes.append(target.id)
            case ast.With(items=[ast.withitem(context_expr=context, optional_vars=None)]):
                self._with(context, node.body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call() as numbers, orelse=[]):
                self._loop(name, numbers, node.body)
            case ast.Import() | ast.ImportFrom():
                raise Trouble(
                    "Nothing needs to be imported here.", "torch, nn and F are already there."
                )
            case ast.Assign():
                raise Trouble("Assign to one name at a time.", "Such as: Y = X + 1")
            case _:
                raise Trouble(
                    "The lab does not understand {what}.",
                    "It takes assignments, calls, del, `for i in range(10): …` and "
                    "`with torch.no_grad(): …`.",
                    what=_called(node),
                )

    def expression(self, node: ast.expr) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Trouble("This line is nested too deeply.", "Take it apart into several.")
        self._expression(node)
        self._depth -= 1

    def _expression(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=value):
                if isinstance(value, bytes) or value is Ellipsis:
                    raise Trouble("The lab has no use for {value}.", value=repr(value))
            case ast.Name(id=name):
                self._name(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self.expression(part)
            case ast.UnaryOp(op=operator, operand=operand):
                self._operator(operator)
                self.expression(operand)
            case ast.BinOp(left=left, op=operator, right=right):
                self._operator(operator)
                self._power(operator, right)
                self.expression(left)
                self.expression(right)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                self._operator(operator)
                self.expression(left)
                self.expression(right)
            case ast.Subscript(value=value, slice=index):
                self.expression(value)
                self._index(index)
            case ast.Attribute():
                self._attribute(node)
            case ast.Call():
                self._call(node)
            case _:
                raise Trouble(
                    "The lab does not understand {what}.",
                    "It takes names, numbers, + - * / @, indices, and calls of PyTorch.",
                    what=_called(node),
                )

    def _call(self, node: ast.Call) -> None:
        function = node.func
        name = dotted(function)
        if name is not None:
            self._known(name)
        elif isinstance(function, ast.Attribute):
            if function.attr not in vocabulary.METHODS:
                raise _unknown(function.attr, vocabulary.METHODS, Message("method"))
            self.expression(function.value)
        elif isinstance(function, ast.Name):
            called = vocabulary.BUILTINS | vocabulary.HELPERS | vocabulary.MODELS
            if function.id not in called:
                self._name(function.id)  # a model on the shelf
        else:
            self.expression(function)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise Trouble("The lab does not understand * in a call.", "Write them out.")
            self.expression(argument)
        for word in node.keywords:
            if word.arg is None:
                raise Trouble("The lab does not understand ** in a call.", "Write them out.")
            self.expression(word.value)

    def _attribute(self, node: ast.Attribute) -> None:
        name = dotted(node)
        if name is not None:
            self._known(name)
            return
        if node.attr not in vocabulary.ATTRIBUTES:
            raise _unknown(node.attr, vocabulary.ATTRIBUTES, Message("attribute"))
        self.expression(node.value)

    def _name(self, name: str) -> None:
        if name in vocabulary.TAKEN:
            raise Trouble("{name!r} has to be called here.", "Such as: {name}(…)", name=name)
        if name.startswith("_"):
            raise Trouble("{name!r} begins with _, which the lab keeps to itself.", name=name)
        self.uses.add(name)

    def _known(self, name: str) -> None:
        if name not in vocabulary.DOTTED:
            raise _unknown(name, vocabulary.DOTTED, Message("word"))

    def _index(self, node: ast.expr) -> None:
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                for part in (lower, upper, step):
                    if part is not None:
                        self.expression(part)
            case ast.Tuple(elts=parts):
                for part in parts:
                    self._index(part)
            case ast.Constant(value=value) if value is Ellipsis:
                pass
            case _:
                self.expression(node)

    def _target(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            self.makes.append(check_name(node.id))
        else:
            self._place(node)

    def _place(self, node: ast.expr) -> None:
        """What may stand at the left of `=` beside a new name: a part of what is there."""
        match node:
            case ast.Name(id=name):
                self._name(name)
                self.makes.append(name)
            case ast.Subscript():
                self.expression(node)
            case ast.Attribute(attr="data" | "grad"):
                self.expression(node)
            case _:
                raise Trouble(
                    "The lab cannot assign to {what}.", "Such as: X[0] = 1", what=_called(node)
                )

    def _with(self, context: ast.expr, body: "list[ast.stmt]") -> None:
        name = dotted(context.func) if isinstance(context, ast.Call) else None
        allowed = ("torch.no_grad", "torch.device", "torch.cuda.device", "torch.cuda.stream")
        if name not in allowed:
            raise Trouble(
                "The lab does not understand this `with`.", "It takes {word}.", word=allowed[0]
            )
        self.expression(context)
        for each in body:
            self.statement(each)

    def _loop(self, name: str, numbers: ast.Call, body: "list[ast.stmt]") -> None:
        if not (isinstance(numbers.func, ast.Name) and numbers.func.id == "range"):
            raise Trouble("A loop of the lab counts.", "Such as: for i in range(10): …")
        self.expression(numbers)
        self._loops += 1
        if self._loops > _MOST_LOOPS:
            raise Trouble("These are too many loops for one line.", "Take it apart.")
        self.makes.append(check_name(name))
        for each in body:
            self.statement(each)

    def _operator(self, node: ast.AST) -> None:
        if not isinstance(node, _OPERATORS):
            raise Trouble("The lab does not understand {what}.", what=_called(node))

    def _power(self, operator: ast.operator, right: ast.expr) -> None:
        """A tower of powers would keep the worker busy for ever."""
        if isinstance(operator, ast.Pow) and isinstance(right, ast.Constant):
            value = right.value
            if isinstance(value, int) and abs(value) > _LARGEST_POWER:
                raise Trouble("The power {value} is too large for the lab.", value=value)
        elif isinstance(operator, ast.Pow) and isinstance(right, ast.BinOp):
            raise Trouble("A power of a power is too large for the lab.")


_CALLED: "dict[type[ast.AST], str]" = {
    ast.Lambda: mark("lambda"),
    ast.ListComp: mark("a comprehension"),
    ast.GeneratorExp: mark("a comprehension"),
    ast.DictComp: mark("a comprehension"),
    ast.SetComp: mark("a comprehension"),
    ast.Dict: mark("a dictionary"),
    ast.Set: mark("a set"),
    ast.JoinedStr: mark("an f-string"),
    ast.IfExp: mark("a condition"),
    ast.BoolOp: mark("and / or"),
    ast.NamedExpr: mark(":="),
    ast.Compare: mark("a chain of comparisons"),
    ast.For: mark("a loop"),
    ast.While: mark("a loop"),
    ast.If: mark("a condition"),
    ast.FunctionDef: mark("def"),
    ast.ClassDef: mark("class"),
    ast.Try: mark("try"),
    ast.Assert: mark("assert"),
    ast.AsyncFunctionDef: mark("async"),
    ast.AnnAssign: mark("a type beside a name"),
    ast.Tuple: mark("several names at once"),
    ast.Attribute: mark("what is part of a thing"),
}


def _called(node: ast.AST) -> str:
    known = _CALLED.get(type(node))
    return f"{type(node).__name__.lower()!r}" if known is None else Message(known)


def _unknown(name: str, known: "frozenset[str]", what: Message) -> Trouble:
    root, _, last = name.rpartition(".")
    short = {each.rpartition(".")[2]: each for each in known}
    beside = {each.rpartition(".")[2]: each for each in known if each.startswith(f"{root}.")}
    short = beside if difflib.get_close_matches(last, beside) else short
    near = difflib.get_close_matches(last, short, n=1)
    hint = Message("The list of its words is in the help.")
    if near:
        hint = Message("Did you mean {word}?", word=short[near[0]])
    sentence = Message("The lab does not know the {what} {name!r}.", what=what, name=name)
    return Trouble(sentence, hint)
