"""Reading: a lesson's file becomes a Lesson, or a list of all that is wrong with it; and the
lessons that there are.

markdown-it-py finds headings, blocks and links, each with its lines; what stands between two
blocks stays as it is in the file. Nothing is run, and nothing is fetched.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import did_you_mean
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.cell_source import NO_PROGRAM, without_magics
from gpuexplorer.lessons.lesson import (
    CONTROLS,
    LESSON_FILE,
    NEEDS,
    WEB,
    Check,
    Code,
    Expression,
    Lesson,
    LessonError,
    Part,
    Point,
    Predict,
    Problem,
    Step,
    Text,
    Why,
)

SHOWN = "text"
WORDS = ("lesson", "needs", "predict", "python", "check", "point", "why", SHOWN)
_PICTURES = (".png", ".jpg", ".jpeg", ".svg")
# Letters that hide what stands there: a person reads the cells before the first of them runs.
_HIDING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ANSWER = re.compile(r"- \[([ xX])\] *(\S.*)")
_NEED = "|".join(NEEDS)
# By the keys of all blocks: an example, and what may stand behind the colon.
_KEYS = {
    "minutes": ("minutes: 20", r"[1-9]\d{0,2}"),
    "needs": ("needs: pytorch, card", rf"none|({_NEED})( *, *({_NEED}))*"),
    "question": ("question: How long will it take?", ".+"),
    "number": ("number: copies[-1].seconds / ms", ".+"),
    "unit": ("unit: ms", ".+"),
    "within": (
        "within: 30 %, or: within: a factor of 3",
        r"\d{1,4}(\.\d+)? ?%|a factor of \d{1,4}(\.\d+)?",
    ),
    "real": ("real: yes", "yes"),
    "limit": ("limit: copies[-1].bytes / copies[-1].limit / ms", ".+"),
    "limit is": ("limit is: what they would take if the wire were used fully", ".+"),
}


def built_in() -> Iterator[Lesson | LessonError]:
    """By their names, which begin with their numbers. One that is broken hides no other."""
    for each in _files().values():
        try:
            yield read(each)
        except LessonError as error:
            yield error


def find(name: str) -> Lesson:
    """By its whole name, its number, its name without the number, or a path."""
    files = _files()
    for each, file in files.items():
        number, _, rest = each.partition("-")
        if name in (each, rest, number, number.lstrip("0")):
            return read(file)
    path = Path(name)
    if path.is_file() or (path / LESSON_FILE).is_file():
        return read(path)
    words = [*files, *(each.partition("-")[2] for each in files)]
    forms = mark("`gpuexplorer lesson list` names all; or give the path of a lesson.md.")
    close = did_you_mean(get_close_matches(name, words, 1), forms)
    raise LessonError(name, [Problem(0, Message("There is no such lesson."), close)])


def read(path: Path) -> Lesson:
    """A lesson's file, or the folder with a lesson.md in it. Raises LessonError with all that
    is wrong.
    """
    return _Reader(path / LESSON_FILE if path.is_dir() else path).lesson()


def _files() -> dict[str, Path]:
    return {each.parent.name: each for each in sorted(_folder().glob(f"*/{LESSON_FILE}"))}


def _folder() -> Path:
    return resource("lessons").absolute()


class _Row(NamedTuple):
    """A line of a block, with the indented lines below it, which go on with it."""

    line: int
    text: str


class _Reader:
    def __init__(self, file: Path) -> None:
        self.problems: list[Problem] = []  # all: a teacher wants to know of them at once
        self._file = file
        self._lines: Sequence[str] = ()
        self._parser = MarkdownIt("commonmark").enable("table")

    def wrong(self, template: str, cure: str, line: int, /, **values: object) -> None:
        """Both are templates, filled in with the same values."""
        found = Problem(line, Message(template, **values), Message(cure, **values))
        if found not in self.problems:
            self.problems.append(found)

    def lesson(self) -> Lesson:
        """Raises LessonError where it cannot even be looked at."""
        text = self._text()
        self._lines = text.split("\n")
        tokens = self._parser.parse(text)
        self._look_at(tokens, self._lines)
        said: dict[str, _Row] = {}  # in the `lesson` block
        about: list[Part] = []  # what stands above the first step
        title, steps, parts, at = "", list[Step](), about, 0
        needs: list[Expression] = []
        for token, inside in pairwise([*tokens, Token("", "", 0)]):
            head = token.type == "heading_open" and (token.tag == "h2" or token is tokens[0])
            block = token.type == "fence" and _word(token) != SHOWN
            if token.level or token.map is None or not (head or block):
                continue
            parts += self._text_between(at, token.map[0])
            line, at = token.map[0] + 1, token.map[1]
            # As plain text: it stands in lists.
            words = "".join(each.content for each in inside.children or ()).strip()
            if token.tag == "h1":
                title = words
            elif head:
                needs, parts = [], []
                steps.append(Step(line, words, parts, needs))
            elif not steps and not said and _word(token) == "lesson":
                said = self._values(token, _rows(token), ("minutes", "needs"))
            elif not steps or _word(token) == "lesson":
                self._cannot_stand(token.info, line)
            elif _word(token) == "needs":
                needs += self._conditions(token)
            elif (part := self._part(token)) is not None:
                parts.append(part)
        parts += self._text_between(at, len(self._lines))
        lacks = {
            mark("its title"): title,
            mark("a `lesson` block"): said,
            mark("a step"): steps,
        }
        for what in (each for each, there in lacks.items() if not there):
            self.wrong(
                "This lesson lacks {what}.",
                "It begins with a line such as: # Tensors; then comes a `lesson` block, and"
                " each step begins with a heading such as: ## Look at the card",
                2 if title else 1,
                what=Message(what),
            )
        if self.problems:
            raise LessonError(self._file, sorted(self.problems))
        # A lesson has its folder's name, or its file's where that has one of its own.
        file = self._file.absolute()
        return Lesson(
            file.parent.name if file.name == LESSON_FILE else file.stem,
            title,
            int(said["minutes"].text),
            [each for each in re.split(" *, *", said["needs"].text) if each != "none"],
            "\n\n".join(each.markdown for each in about if isinstance(each, Text)),
            steps,
            self._file,
            not file.is_relative_to(_folder()),
        )

    def _text(self) -> str:
        """With plain line ends. Raises LessonError."""
        try:
            text = self._file.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", "") or Message("it is not written in UTF-8")
            cure = mark("Choose another; or make one: `gpuexplorer lesson new NAME`.")
            self.wrong("The file cannot be read: {why}.", cure, 0, why=why)
            raise LessonError(self._file, self.problems) from None
        if hiding := _HIDING.search(text):
            self.wrong(
                "This line has a letter that is not seen, and may hide others: {code}.",
                "Delete it; in Python it can be written as an escape, such as \\x1b.",
                text.count("\n", 0, hiding.start()) + 1,
                code=ascii(hiding[0]),
            )
            raise LessonError(self._file, self.problems)
        return text

    def _part(self, block: Token) -> Part | None:
        line, content = _line(block), block.content
        match _word(block):
            case "python":
                self._parsed(without_magics(content), "exec", line + 1)
                return Code(line, content.rstrip("\n"), block.info.split()[-1] == "fails")
            case "predict":
                return self._predict(block)
            case "check":
                return Check(line, self._conditions(block))
            case "point":
                # A page of its own once; it stands on that of the ways.
                control = content.strip().replace("copies.comparisons", "copies.sweep")
                if control not in CONTROLS:
                    near = get_close_matches(control, CONTROLS, 5, 0.4)
                    self.wrong(
                        "The window has no control {control!r}.",
                        "A `point` block names one: {names}.",
                        line + 1,
                        control=control[:60],
                        names=", ".join(near or CONTROLS),
                    )
                return Point(line, control)
            case "why":
                first, _, markdown = content.partition("\n")
                said = self._values(block, [_Row(line + 1, first)], ("question",))
                inside = self._parser.parse(markdown)
                self._look_at(inside, markdown.split("\n"), line + 1, (SHOWN,))
                return Why(line, said["question"].text, markdown.strip("\n"))
        return None  # it was said already that it cannot stand here

    def _text_between(self, begin: int, end: int) -> Iterator[Text]:
        while begin < end and not self._lines[begin].strip():
            begin += 1
        if text := "\n".join(self._lines[begin:end]).rstrip():
            yield Text(begin + 1, text)

    def _conditions(self, block: Token) -> Sequence[Expression]:
        """Lines of Python; `else:` says what is told where one of those above is not true."""
        found: list[Expression] = []
        waiting: list[_Row] = []
        for row in _rows(block):
            words = row.text.removeprefix("else:").strip()
            if waiting and words and words != row.text:
                found += [self._expression(each, words) for each in waiting]
                waiting = []
            else:
                waiting.append(row)
        if waiting or not found:
            self.wrong(
                "A condition stands here without its `else:`, or an `else:` without its"
                " condition.",
                "Write the condition, and below it: else: what a person should do where it is"
                " not true",
                waiting[0].line if waiting else _line(block),
            )
        return found

    def _predict(self, block: Token) -> Predict:
        line, rows = _line(block), _rows(block)
        choices = [row.text for row in rows if row.text.startswith("- ")]
        rows = [row for row in rows if not row.text.startswith("- ")]
        if choices:
            question = self._values(block, rows, ("question",))["question"].text
            answers = [found for each in choices if (found := _ANSWER.fullmatch(each))]
            right = [at for at, each in enumerate(answers) if each[1] != " "]
            if len(right) != 1 or not 1 < len(answers) == len(choices):
                self.wrong(
                    "A choice is one right answer among several.",
                    "Write a line for each, such as: - [ ] It fails; and for the right one:"
                    " - [x] It fails",
                    line,
                )
            texts = [each[2] for each in answers]
            return Predict(line, question, choices=texts, right=right[0] if right else -1)
        limits = ("limit", "limit is")
        limited = any(row.text.startswith("limit") for row in rows)
        needed = ("question", "number", *(limits if limited else ()))
        said = self._values(block, rows, needed, ("unit", "within", "real", *limits))
        number, limit, far = said["number"], said["limit"], said["within"].text
        factor = 0.0 if far.endswith("%") or not far else float(far.rpartition(" ")[2])
        return Predict(
            line,
            said["question"].text,
            self._expression(number) if number.text else None,
            said["unit"].text,
            float(far.rstrip(" %")) / 100 if far.endswith("%") else Predict.within,
            factor,
            self._expression(limit, said["limit is"].text) if limit.text else None,
            bool(said["real"].text),
        )

    def _values(
        self,
        block: Token,
        rows: Sequence[_Row],
        needed: Sequence[str],
        others: Sequence[str] = (),
    ) -> dict[str, _Row]:
        """The lines `key: value`, by their keys; what is not said, or wrong, stands empty."""
        word, line = _word(block), _line(block)
        found = dict.fromkeys((*needed, *others), _Row(line, ""))
        fine = True
        for row in rows:
            key, _, value = (each.strip() for each in row.text.partition(":"))
            if key in found and re.fullmatch(_KEYS[key][1], value):
                found[key] = _Row(row.line, value)
            else:
                fine, known = False, [key] if key in found else found
                self.wrong(
                    "{text!r} is nothing that a `{word}` block can have.",
                    "Its lines are such as: {example}. One that goes on with the one above is"
                    " indented.",
                    row.line,
                    text=row.text[:60],
                    word=word,
                    example="; ".join(_KEYS[each][0] for each in known),
                )
        for key in (each for each in needed if fine and not found[each].text):
            self.wrong(
                "This `{word}` block has no {key!r}.",
                "Such as: {example}",
                line,
                word=word,
                key=key,
                example=_KEYS[key][0],
            )
        return found

    def _expression(self, row: _Row, words: str = "") -> Expression:
        self._parsed(row.text, "eval", row.line)
        return Expression(row.line, row.text, words)

    def _parsed(self, source: str, mode: str, line: int) -> None:
        """`line`: of its first line."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ast.parse(source, mode=mode)
            except NO_PROGRAM as error:
                at = (getattr(error, "lineno", 1) or 1) - 1
                why = getattr(error, "msg", "") or error  # in Python's own words
                self.wrong("This is no Python: {why}.", "Mend it.", line + at, why=why)

    def _look_at(
        self,
        tokens: Sequence[Token],
        lines: Sequence[str],
        above: int = 0,
        words: Sequence[str] = (*WORDS, "python fails"),
    ) -> None:
        """What cannot be shown. `above`: lines of the file above these; `words`: the blocks
        that may stand here.
        """
        line = above
        for token in tokens:
            line = above + _line(token) if token.map else line
            if token.type == "fence":
                if token.info.strip() not in words or (token.level and token.info != SHOWN):
                    self._cannot_stand(token.info, line)
                first, after = token.map or (0, 0)
                close = lines[after - 1].strip(" \t>") if after <= len(lines) else ""
                if after - first < 2 or close.strip("`~") or len(close) < len(token.markup):
                    self.wrong(
                        "This block has no end.",
                        "Close it with a line of its own: ``` A block around another one begins"
                        " and ends with four backticks: ````",
                        line,
                    )
            at = line
            for each in token.children or (token,):
                match each.type:
                    case "softbreak" | "hardbreak":
                        at += 1
                    case "image":
                        self._look_at_target(str(each.attrs["src"]), at, picture=True)
                    case "link_open":
                        self._look_at_target(str(each.attrs["href"]), at)

    def _cannot_stand(self, word: str, line: int) -> None:
        self.wrong(
            "{word!r} is no block that can stand here.",
            "These can: {words}. What is only shown is ```text. They stand in a step, at the"
            " left margin; one `lesson` block stands above the first step.",
            line,
            word=word[:40],
            words=", ".join(WORDS[1:]),
        )

    def _look_at_target(self, said: str, line: int, *, picture: bool = False) -> None:
        """A link to another lesson is not followed, so that a ring of them keeps nobody."""
        folder, target = self._file.parent.resolve(), unquote(said)
        path = (folder / target).resolve()
        beside = path.parent.parent == folder.parent and path.name == LESSON_FILE
        if picture:
            beside = path.is_relative_to(folder) and path.suffix.lower() in _PICTURES
        fits = (beside and path.is_file()) or (target.startswith(WEB) and not picture)
        if not fits:
            self.wrong(
                "{target} is nothing that a lesson can show or lead to.",
                "Pictures are PNG, JPEG or SVG, and lie beside the lesson: ![What it shows]"
                "(picture.svg). Links lead to the web, or to another lesson:"
                " ../05-copies/lesson.md",
                line,
                target=target[:80],
            )


def _rows(block: Token) -> list[_Row]:
    rows: list[_Row] = []
    for line, text in enumerate(block.content.split("\n"), _line(block) + 1):
        if text[:1] in (" ", "\t") and rows and text.strip():
            rows[-1] = _Row(rows[-1].line, f"{rows[-1].text} {text.strip()}")
        elif text.strip():
            rows.append(_Row(line, text.strip()))
    return rows


def _word(fence: Token) -> str:
    return next(iter(fence.info.split()), "")


def _line(token: Token) -> int:
    """Of its beginning, counted from 1."""
    assert token.map is not None
    return token.map[0] + 1
