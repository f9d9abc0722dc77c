"""A lesson's Python, looked at and never run: cells, and expressions over what was measured."""

import ast
import warnings
from textwrap import shorten

from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.cell_source import NO_PROGRAM, without_magics
from gpuexplorer.lessons.lesson import Expression
from gpuexplorer.lessons.problem import Problems

_NO_EXPRESSION = mark("This is no Python expression: {why}.")
_EXAMPLE = mark("Such as: {example}")
_LONGEST = 8_000  # letters; a cell is something one reads


def look_at_cell(code: str, line: int, problems: Problems) -> None:
    """`line`: of its first line. What a notebook understands (`!ls`, `%time`) is let pass."""
    if len(code) > _LONGEST:
        problems.wrong(
            "This cell has {count} letters, and the longest that is read has {most}.",
            "Make several cells of it, or put the code into a file beside the lesson.",
            line,
            count=len(code),
            most=_LONGEST,
        )
        return
    text = without_magics(code)
    if not _has_code(text) and text == code:
        problems.wrong("There is no code in this cell.", "Write some, or leave it out.", line)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except NO_PROGRAM as error:
            at, why = _where(error)
            problems.wrong(
                "This is no Python: {why}.", "Mend the code of the cell.", line + at, why=why
            )


def expression(
    source: str,
    line: int,
    problems: Problems,
    example: str = "copies[-1].bytes == 256 * MiB",
    *,
    constant: bool = False,
) -> Expression:
    """`constant`: it may be a plain figure; all others say something of what happened.
    Nothing is worked out here.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source.strip(), mode="eval").body
            if not constant:
                _refuse_constants(tree, source.strip(), line, problems)
        except NO_PROGRAM as error:
            cure = mark("Use == to compare.") if _assigns(source) else _EXAMPLE
            problems.wrong(
                _NO_EXPRESSION,
                cure,
                line,
                why=_where(error)[1],
                example=example,
            )
    return Expression(line, source)


def _refuse_constants(tree: ast.expr, source: str, line: int, problems: Problems) -> None:
    """Whatever names nothing says the same on every machine: it always holds, or never."""
    if isinstance(tree, ast.BoolOp):
        for part in tree.values:
            _refuse_constants(part, source, line, problems)
    elif not any(isinstance(each, ast.Name) for each in ast.walk(tree)):
        text = shorten(ast.get_source_segment(source, tree) or source, 60, placeholder=" …")
        problems.wrong(
            "{text} is the same whatever happens.",
            "It has to name something that was measured, such as copies[-1].bytes.",
            line,
            text=text,
        )


def _where(error: BaseException) -> tuple[int, Message]:
    """Lines below the first, and Python's own words for what is wrong."""
    if isinstance(error, SyntaxError):
        return max((error.lineno or 1) - 1, 0), Message("{text}", text=error.msg)
    return 0, Message("it is nested too deeply, or holds what no program may")


def _assigns(source: str) -> bool:
    try:
        return isinstance(ast.parse(source.strip()).body[0], ast.Assign)
    except (*NO_PROGRAM, IndexError):  # a comment has nothing in it
        return False


def _has_code(text: str) -> bool:
    lines = (line.strip() for line in text.split("\n"))
    return any(line and not line.startswith("#") for line in lines)
