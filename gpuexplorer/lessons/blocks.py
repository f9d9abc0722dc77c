"""Blocks: what stands between fences in a lesson, other than cells: `key: value`, and lists."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from gpuexplorer.lessons.controls import CONTROLS
from gpuexplorer.lessons.lesson import NEEDS, Check, Condition, Limit, Point, Predict
from gpuexplorer.lessons.problem import Problems
from gpuexplorer.lessons.python_source import expression

_NUMBER = "(cards[0].memory_used - before.cards[0].memory_used) / MiB"
_CHOICE = re.compile(r"- \[([ xX])\] *(\S.*)")
_WITHIN = re.compile(
    r"([0-9]{1,4}(?:\.[0-9]+)?) ?%|a factor of ([0-9]{1,4}(?:\.[0-9]+)?)", re.ASCII
)
_WHOLE = re.compile(r"[0-9]{1,4}")
_PREDICT = {
    "question": "question: How long will it take?", "number": f"number: {_NUMBER}",
    "unit": "", "within": "", "real": "", "limit": "", "limit is": "",
}  # fmt: skip
_LONGEST_LESSON = 600  # minutes


@dataclass(frozen=True)
class Row:
    """A line of a block, with the indented lines below it, which go on with it."""

    line: int
    text: str


@dataclass(frozen=True)
class Block:
    """A fenced block: `line` is that of its fence."""

    line: int
    word: str  # "predict"
    content: str

    @property
    def rows(self) -> Sequence[Row]:
        rows: list[Row] = []
        for line, text in enumerate(self.content.split("\n"), self.line + 1):
            if not text.strip():
                continue
            if text[0] in " \t" and rows:
                rows[-1] = Row(rows[-1].line, f"{rows[-1].text} {text.strip()}")
            else:
                rows.append(Row(line, text.strip()))
        return rows


@dataclass(frozen=True)
class Heading:
    """What the `lesson` block says."""

    minutes: int = 0
    needs: Sequence[str] = ()


def heading(block: Block, problems: Problems) -> Heading:
    examples = {"minutes": "minutes: 20", "needs": "needs: pytorch, card"}
    said = _values(block, block.rows, examples, problems)
    return Heading(_minutes(said["minutes"], problems), _needs(said["needs"], problems))


def predict(block: Block, problems: Problems) -> Predict:
    choices = [row for row in block.rows if row.text.startswith("- ")]
    others = [row for row in block.rows if not row.text.startswith("- ")]
    said = _values(block, others, _PREDICT | {"number": ""} if choices else _PREDICT, problems)
    question = said.pop("question").text
    if choices:
        for key, row in said.items():
            if row.line != block.line:
                problems.wrong(
                    "{key!r} belongs to a number, and this prediction is a choice.",
                    "Leave out either the number or the choices.",
                    row.line,
                    key=key,
                )
        texts, right = _choices(block, choices, problems)
        return Predict(block.line, question, choices=texts, right=right)
    number = said["number"]
    within, factor = _within(said["within"], problems)
    return Predict(
        block.line,
        question,
        number=expression(number.text, number.line, problems, _NUMBER) if number.text else None,
        unit=said["unit"].text,
        within=within,
        factor=factor,
        limit=_limit(block, said["limit"], said["limit is"], problems),
        real=_real(said["real"], problems),
    )


def check(block: Block, problems: Problems) -> Check:
    return Check(block.line, conditions(block, problems))


def conditions(block: Block, problems: Problems) -> Sequence[Condition]:
    """Lines of Python; `else:` says what is told where one of those above it is not true."""
    found: list[Condition] = []
    waiting: list[Row] = []
    for row in block.rows:
        if row.text.startswith("#"):
            problems.wrong(
                "A `{word}` block has no comments.",
                "Write it into the text above the block.",
                row.line,
                word=block.word,
            )
            continue
        if not row.text.startswith("else:"):
            waiting.append(row)
            continue
        otherwise = row.text.removeprefix("else:").strip()
        if not waiting or not otherwise:
            problems.wrong(
                "This `else:` has nothing to say, or nothing to say it of.",
                "Write the condition, and below it: else: what is told where it is not true",
                row.line,
            )
        found += [
            Condition(expression(each.text, each.line, problems), otherwise) for each in waiting
        ]
        waiting = []
    for row in waiting:
        expression(row.text, row.line, problems)
    if waiting or not block.rows:
        problems.wrong(
            "Nothing is told where this is not true.",
            "Write below it: else: what a person should do then",
            waiting[0].line if waiting else block.line,
        )
    return found


def point(block: Block, problems: Problems) -> Point:
    control = block.content.strip()
    if len(control.split()) > 1 and CONTROLS.keys() >= {*control.split()}:
        problems.wrong(
            "This `point` block names {count} controls.",
            "Write a block for each.",
            block.line + 2,
            count=len(control.split()),
        )
    elif control not in CONTROLS:
        problems.wrong(
            "The window has no control {control!r}.",
            "A `point` block names one: {names}.",
            block.line + 1,
            control=control[:60],
            names=", ".join(get_close_matches(control, CONTROLS, 5, 0.4) or CONTROLS),
        )
    return Point(block.line, control)


def question_of(block: Block, problems: Problems) -> tuple[str, int]:
    """Of a `why` block: its question, and how many lines of it are above the Markdown."""
    lines = block.content.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    key, _, value = lines[first].partition(":")
    if key.strip() != "question" or not value.strip():
        problems.wrong(
            "A `why` block begins with its question.",
            "Write as its first line: question: Why is that so?",
            block.line + 1 + first,
        )
        return "", first
    return value.strip(), first + 1


def _values(
    block: Block, rows: Sequence[Row], keys: Mapping[str, str], problems: Problems
) -> dict[str, Row]:
    """The lines `key: value`, by their keys; what is not said stands empty in the fence's line.
    `keys`: with an example for each that must be said.
    """
    found: dict[str, Row] = {}
    for row in rows:
        key, _, value = (each.strip() for each in row.text.partition(":"))
        if key not in keys:
            problems.wrong(
                "A `{word}` block has no {key!r}.",
                "Its keys are: {keys}. Behind each stands a colon. A line that goes on with the"
                " one above is indented.",
                row.line,
                word=block.word,
                key=key[:60],
                keys=", ".join(keys),
            )
        elif key in found:
            problems.wrong(
                "{key!r} is said twice.", "Leave one of them out.", row.line, key=key
            )
        else:
            found[key] = Row(row.line, value)
            if not value:
                problems.wrong(
                    "{key!r} has no value.", "Write it behind the colon.", row.line, key=key
                )
    for key, example in keys.items():
        if key not in found and example:
            problems.wrong(
                "This `{word}` block has no {key!r}.",
                "Such as: {example}",
                block.line,
                word=block.word,
                key=key,
                example=example,
            )
    return {key: found.get(key, Row(block.line, "")) for key in keys}


def _minutes(row: Row, problems: Problems) -> int:
    if not row.text:
        return 0
    if _WHOLE.fullmatch(row.text) and 1 <= int(row.text) <= _LONGEST_LESSON:
        return int(row.text)
    problems.wrong(
        "{text!r} is no number of minutes.",
        "Write a whole number from 1 to {most}, without a unit.",
        row.line,
        text=row.text[:60],
        most=_LONGEST_LESSON,
    )
    return 0


def _needs(row: Row, problems: Problems) -> Sequence[str]:
    words = [each.strip() for each in row.text.split(",") if each.strip()]
    if words == ["none"]:
        return ()
    for word in words:
        if word not in NEEDS:
            problems.wrong(
                "{word!r} is nothing that a lesson can need.",
                "Write none, or several of these with commas: {needs}.",
                row.line,
                word=word,
                needs=", ".join(NEEDS),
            )
    return words


def _within(row: Row, problems: Problems) -> tuple[float, float]:
    """As a share, or else as a factor: "30 %", "a factor of 3"."""
    if not row.text:  # said already, or as usual
        return Predict.within, Predict.factor
    match = _WITHIN.fullmatch(row.text)
    share, factor = (float(each or 0) for each in match.groups()) if match else (0.0, 0.0)
    if share > 0 or factor > 1:
        return share / 100, factor
    problems.wrong(
        "{text!r} does not say how far a prediction may be off.",
        "Such as: 30 %, or: a factor of 3",
        row.line,
        text=row.text[:60],
    )
    return Predict.within, Predict.factor


def _real(row: Row, problems: Problems) -> bool:
    if row.text not in ("yes", ""):
        problems.wrong(
            "`real` is followed by {text!r}.",
            "Write real: yes, or leave the line out.",
            row.line,
            text=row.text[:60],
        )
    return row.text == "yes"


def _limit(block: Block, number: Row, name: Row, problems: Problems) -> Limit | None:
    lines = [each.line for each in (number, name) if each.line != block.line]
    if len(lines) == 1:
        problems.wrong(
            "A limit has two lines: `limit` is a number, `limit is` says what it is.",
            "Such as: limit is: what the card's PCIe can carry",
            lines[0],
        )
    if not (number.text and name.text):
        return None
    example = "copies[-1].limit / GB"
    said = expression(number.text, number.line, problems, example, constant=True)
    return Limit(said, name.text)


def _choices(
    block: Block, rows: Sequence[Row], problems: Problems
) -> tuple[Sequence[str], int]:
    choices: list[str] = []
    right: list[int] = []
    for at, row in enumerate(rows):
        match = _CHOICE.fullmatch(row.text)
        if match is None:
            problems.wrong(
                "{text!r} is no choice.",
                "Write: - [ ] It fails, and for the right one: - [x] It fails",
                row.line,
                text=row.text[:60],
            )
            return [], -1
        choices.append(match[2])
        right += [at] if match[1] != " " else []
    if len(choices) < 2:
        problems.wrong(
            "A choice is one right answer among several.", "Write at least two.", block.line
        )
    if not right:
        problems.wrong(
            "No answer is marked as the right one.",
            "Write an x between its brackets: - [x]",
            block.line,
        )
    for each in right[1:]:
        problems.wrong(
            "This is a second right answer.",
            "Leave the x at one of them, and write the others so: - [ ]",
            rows[each].line,
        )
    return choices, right[0] if right else -1
