"""Reading: a lesson's file becomes a Lesson, or a list of all that is wrong with it; and the
lessons that there are.

markdown-it-py finds headings, blocks and links, each with its lines; what stands between two
blocks stays as it is in the file. Nothing is run, and nothing is fetched.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import did_you_mean
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lessons.expressions import expression, look_at_cell, look_at_words
from gpuexplorer.lessons.lesson import (
    CONTROLS,
    LESSON_FILE,
    NEEDS,
    WEB,
    Check,
    Code,
    Condition,
    Lesson,
    LessonError,
    Limit,
    Part,
    Point,
    Predict,
    Problem,
    Problems,
    Step,
    Text,
    Why,
)

SHOWN = "text"
WORDS = ("lesson", "needs", "predict", "python", "check", "point", "why", SHOWN)
_MOST_BYTES = 64 << 10  # several times the longest lesson; any Markdown of it is read soon
# Letters that hide what stands there: a person reads the cells before the first of them runs.
_HIDING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ANSWER = re.compile(r"- \[([ xX])\] *(\S.*)")
_NEED = "|".join(NEEDS)
_WITHIN = r"[0-9]{1,4}(\.[0-9]+)? ?%|a factor of [0-9]{1,4}(\.[0-9]+)?"
_MOST_PICTURE = 4 << 20  # bytes
_PICTURES = {".png": b"\x89PNG\r\n\x1a\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff"}
# What would run, load from elsewhere, or grow without end.
_HARMS = re.compile(
    rb"<!ENTITY|<\s*(script|foreignObject)|@import|url\(\s*['\"]?(?!\s*#)|\son\w+\s*="
    rb"|(href|src)\s*=\s*['\"]\s*(?!#|data:image/)",
    re.IGNORECASE,
)


def built_in() -> Iterator[Lesson | LessonError]:
    """By their names, which begin with their numbers. One that is broken hides no other."""
    for each in _files().values():
        try:
            yield read(each)
        except LessonError as error:
            yield error


def open_lesson(path: Path) -> Lesson:
    """One of one's own: a file, or a folder with a lesson.md in it."""
    file = file_of(path)
    ours = file.absolute().is_relative_to(_folder().absolute())
    return read(file, outside=not ours)


def find(name: str) -> Lesson:
    """By its whole name, its number, its name without the number, or a path."""
    files = _files()
    for each, file in files.items():
        number, _, rest = each.partition("-")
        if name in (each, rest, number, number.lstrip("0")):
            return read(file)
    if os.path.exists(name):  # noqa: PTH110 - says no where Path raises
        return open_lesson(Path(name))
    words = [*files, *(each.partition("-")[2] for each in files)]
    forms = mark("`gpuexplorer lesson list` names all; or give the path of a lesson.md.")
    close = did_you_mean(get_close_matches(name, words, 1), forms)
    raise LessonError(name, [Problem(0, Message("There is no such lesson."), close)])


def file_of(path: Path) -> Path:
    """A lesson is named by its file, or by the folder with a lesson.md in it."""
    # Says no where Path raises: whoever reads it is told why not.
    return path / LESSON_FILE if os.path.isdir(path) else path  # noqa: PTH112


def read(file: Path, *, outside: bool = False) -> Lesson:
    """Raises LessonError with all problems."""
    reader = _Reader(file)
    lesson = reader.lesson(outside=outside)
    if reader.found:
        raise LessonError(file, reader.found)
    return lesson


class _Key(NamedTuple):
    """Of what stands behind a colon in a block."""

    example: str
    shape: str = r".+"
    needed: bool = True


_LESSON = {
    "minutes": _Key("minutes: 20", r"[1-9][0-9]{0,2}"),
    "needs": _Key("needs: pytorch, card", rf"none|({_NEED})( *, *({_NEED}))*"),
}
_CHOICE = {"question": _Key("question: How long will it take?")}
_NUMBER = _CHOICE | {
    "number": _Key("number: copies[-1].seconds / ms"),
    "unit": _Key("unit: ms", needed=False),
    "within": _Key("within: 30 %, or: within: a factor of 3", _WITHIN, needed=False),
    "real": _Key("real: yes", "yes", needed=False),
}
_LIMIT = {
    "limit": _Key("limit: copies[-1].bytes / copies[-1].limit / ms"),
    "limit is": _Key("limit is: what they would take if the wire were used fully"),
}


class _Row(NamedTuple):
    """A line of a block, with the indented lines below it, which go on with it."""

    line: int
    text: str


@dataclass(frozen=True)
class _Block:
    """A fenced block: `line` is that of its fence."""

    line: int
    word: str  # "predict"
    content: str

    @property
    def rows(self) -> Sequence[_Row]:
        rows: list[_Row] = []
        for line, text in enumerate(self.content.split("\n"), self.line + 1):
            if text[:1] in (" ", "\t") and rows and text.strip():
                rows[-1] = _Row(rows[-1].line, f"{rows[-1].text} {text.strip()}")
            elif text.strip():
                rows.append(_Row(line, text.strip()))
        return rows


class _Reader(Problems):
    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self._defined: dict[str, dict[str, dict[str, str]]] = {}  # where markdown-it puts links
        self._parser = MarkdownIt("commonmark").enable("table")
        # Where a link leads is judged here; what markdown-it refuses would become text unseen.
        self._parser.validateLink = lambda url: True  # type: ignore[method-assign]
        self._parser.normalizeLink = lambda url: url  # type: ignore[method-assign]

    def lesson(self, *, outside: bool) -> Lesson:
        """Raises LessonError where it cannot even be looked at."""
        text = self._text()
        self._lines = text.split("\n")
        self._tokens = self._parser.parse(text, self._defined)
        self._look_at(self._tokens, self._lines, 0, WORDS)
        top = [each for each in self._tokens if each.level == 0 and each.map]
        begins = [at for at, each in enumerate(top) if each.tag == "h2"]
        ends = [*(_span(top[at])[0] for at in begins), len(self._lines)]
        bounds = [*begins, len(top)]
        title, (minutes, needs), about = self._head(top[: bounds[0]], ends[0])
        steps = [
            self._step(top[begin:behind], end)
            for (begin, behind), end in zip(pairwise(bounds), ends[1:], strict=True)
        ]
        look_at_words(steps, self)
        if not steps:
            self.wrong(
                "This lesson has no step.",
                "Begin each with a heading of the second level, such as: ## Look at the card",
                len(self._lines),
            )
        # A lesson has its folder's name, or its file's where that has one of its own.
        own = self._file.name != LESSON_FILE
        name = self._file.stem if own else self._file.absolute().parent.name
        heading = self._heading(top[0]).content if title else ""
        return Lesson(name, title, minutes, needs, about, steps, self._file, outside, heading)

    def _text(self) -> str:
        """With plain line ends. Raises LessonError."""
        text = ""
        try:
            found = self._file.stat()
            if not stat.S_ISREG(found.st_mode):  # it may have no end
                cure = mark("Name a lesson.md, or the folder that it lies in.")
                self.wrong("This is no ordinary file.", cure, 0)
            elif found.st_size > _MOST_BYTES:
                self.wrong(
                    "The file has {size} KiB, and a lesson has at most {most}.",
                    "Make several lessons of it; pictures are files beside it.",
                    0,
                    size=found.st_size >> 10,
                    most=_MOST_BYTES >> 10,
                )
            else:
                text = self._file.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            self.wrong("This line is not written in UTF-8.", "Save the file as UTF-8.", line)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            self.wrong(
                "The file cannot be read: {why}.",
                "Choose another; or make one: `gpuexplorer lesson new NAME`.",
                0,
                why=why or "its name is none that a file can have",
            )
        if hiding := _HIDING.search(text):
            self.wrong(
                "This line has a letter that is not seen, and may hide others: {code}.",
                "Delete it; in Python it can be written as an escape, such as \\x1b.",
                text.count("\n", 0, hiding.start()) + 1,
                code=ascii(hiding[0]),
            )
        if self.found:
            raise LessonError(self._file, self.found)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _head(
        self, top: Sequence[Token], end: int
    ) -> tuple[str, tuple[int, Sequence[str]], str]:
        """The title, what the `lesson` block says, and the text."""
        titles = [each for each in top if each.tag == "h1"]
        if not titles or titles[0] is not top[0]:
            self.wrong(
                "The lesson does not begin with its title.",
                "Write it as the first line: # Tensors on a device",
                1,
            )
        said: tuple[int, Sequence[str]] | None = None
        about = []
        for part in self._parts(top[bool(titles) :], end):
            if isinstance(part, Text):
                about.append(part.markdown)
            elif isinstance(part, _Block) and part.word == "lesson" and said is None:
                values = self._values(part, part.rows, _LESSON)
                needs = values["needs"].text.removeprefix("none").split(",")
                said = (
                    int(values["minutes"].text or 0),
                    [each.strip() for each in needs if each],
                )
            else:
                self._misplaced(part.line)
        if said is None:
            self.wrong(
                "There is no `lesson` block below the title.",
                "Write one with two lines: minutes: 20 and needs: pytorch",
                2,
            )
        return self._title(titles[0]) if titles else "", said or (0, ()), "\n\n".join(about)

    def _step(self, top: Sequence[Token], end: int) -> Step:
        parts: list[Part] = []
        needs: list[Condition] = []
        for part in self._parts(top[1:], end, _span(top[0])[1]):
            if not isinstance(part, _Block):
                parts.append(part)
            elif part.word == "needs":
                needs += self._conditions(part)
            else:
                self._misplaced(part.line)
        line, heading = _span(top[0])[0] + 1, self._heading(top[0]).content
        return Step(line, self._title(top[0]), parts, needs, heading)

    def _misplaced(self, line: int) -> None:
        self.wrong(
            "This block stands in the wrong place.",
            "Above the first step stand the title and one `lesson` block; all others stand in a"
            " step.",
            line,
        )

    def _heading(self, heading: Token) -> Token:
        return self._tokens[self._tokens.index(heading) + 1]

    def _title(self, heading: Token) -> str:
        """As plain text: it stands in lists."""
        children = self._heading(heading).children or ()
        return "".join(each.content for each in children).strip()

    def _parts(
        self, top: Sequence[Token], end: int, begin: int | None = None
    ) -> Iterator[Part | _Block]:
        """`lesson` and `needs` as the blocks they are; what stands between blocks as Text."""
        at = begin if begin is not None else (_span(top[0])[0] if top else end)
        for token in top:
            first, after = _span(token)
            if token.type != "fence" or _word(token) in (SHOWN, ""):
                continue
            yield from self._text_between(at, first)
            at = after
            block = _Block(first + 1, _word(token), token.content)
            part = self._part(block, token.info.split()[1:])
            if part is not None:
                yield part
        yield from self._text_between(at, end)

    def _text_between(self, begin: int, end: int) -> Iterator[Text]:
        while begin < end and not self._lines[begin].strip():
            begin += 1
        if text := "\n".join(self._lines[begin:end]).rstrip():
            yield Text(begin + 1, self._with_links(text))

    def _with_links(self, markdown: str) -> str:
        """Each piece is shown alone, and `[a link]` may be defined in another."""
        links = [
            f"[{name}]: <{each['href']}>"
            for name, each in self._defined.get("references", {}).items()
            if f"[{name}]" in markdown.upper()
        ]
        return "\n".join([markdown, "", *links]) if links else markdown

    def _part(self, block: _Block, more: Sequence[str]) -> Part | _Block | None:
        if more and (block.word, *more) != ("python", "fails"):
            self.wrong(
                "`{word}` is followed by {more!r}.",
                "Only `python fails` has a second word: a cell that is there to fail.",
                block.line,
                word=block.word,
                more=" ".join(more),
            )
        match block.word:
            case "python":
                look_at_cell(block.content, block.line + 1, self)
                return Code(block.line, block.content.rstrip("\n"), bool(more))
            case "predict":
                return self._predict(block)
            case "check":
                return Check(block.line, self._conditions(block))
            case "point":
                return self._point(block)
            case "why":
                return self._why(block)
            case "lesson" | "needs":
                return block
        return None  # said already

    def _why(self, block: _Block) -> Why:
        lines = block.content.split("\n")
        above = next((at for at, line in enumerate(lines) if line.strip()), 0)
        key, _, question = lines[above].partition(":")
        question = question.strip() if key.strip() == "question" else ""
        above += bool(question)
        if not question:
            self.wrong(
                "A `why` block begins with its question.",
                "Write as its first line: question: Why is that so?",
                block.line + 1 + above,
            )
        markdown = "\n".join(lines[above:])
        # What a block defines is its own.
        known = {"references": dict(self._defined.get("references", {}))}
        tokens = self._parser.parse(markdown, known)
        self._look_at(tokens, lines[above:], block.line + above, (SHOWN,))
        return Why(block.line, question, self._with_links(markdown.strip("\n")))

    def _point(self, block: _Block) -> Point:
        control = block.content.strip()
        if control not in CONTROLS:
            self.wrong(
                "The window has no control {control!r}.",
                "A `point` block names one: {names}.",
                block.line + 1,
                control=control[:60],
                names=", ".join(get_close_matches(control, CONTROLS, 5, 0.4) or CONTROLS),
            )
        return Point(block.line, control)

    def _conditions(self, block: _Block) -> Sequence[Condition]:
        """Lines of Python; `else:` says what is told where one of those above is not true."""
        found: list[Condition] = []
        waiting: list[_Row] = []
        for row in block.rows:
            if not row.text.startswith("else:"):
                waiting.append(row)
                continue
            otherwise = row.text.removeprefix("else:").strip()
            if not waiting or not otherwise:
                self.wrong(
                    "This `else:` has nothing to say, or nothing to say it of.",
                    "Write the condition, and below it: else: what is told if it is not true",
                    row.line,
                )
            found += [
                Condition(expression(each.text, each.line, self), otherwise) for each in waiting
            ]
            waiting = []
        for row in waiting:
            expression(row.text, row.line, self)
        if waiting or not block.rows:
            self.wrong(
                "Nothing is told where this is not true.",
                "Write below it: else: what a person should do then",
                waiting[0].line if waiting else block.line,
            )
        return found

    def _predict(self, block: _Block) -> Predict:
        choices = [row for row in block.rows if row.text.startswith("- ")]
        others = [row for row in block.rows if not row.text.startswith("- ")]
        if choices:
            question = self._values(block, others, _CHOICE)["question"].text
            texts, right = self._choices(block, choices)
            return Predict(block.line, question, choices=texts, right=right)
        keys = _NUMBER | (_LIMIT if any(e.text.startswith("limit") for e in others) else {})
        said = self._values(block, others, keys)
        number, far, limit = said["number"], said["within"].text, said.get("limit")
        within, factor = Predict.within, Predict.factor
        if far.endswith("%"):
            within = float(far[:-1]) / 100
        elif far:
            within, factor = 0.0, float(far.rpartition(" ")[2])
        best = None
        if limit and limit.text:
            best = expression(limit.text, limit.line, self, constant=True)
        return Predict(
            block.line,
            said["question"].text,
            expression(number.text, number.line, self) if number.text else None,
            said["unit"].text,
            within,
            factor,
            None if best is None else Limit(best, said["limit is"].text),
            bool(said["real"].text),
        )

    def _choices(self, block: _Block, rows: Sequence[_Row]) -> tuple[Sequence[str], int]:
        choices: list[str] = []
        right: list[int] = []
        for at, row in enumerate(rows):
            match = _ANSWER.fullmatch(row.text)
            if match is None:
                self.wrong(
                    "{text!r} is no choice.",
                    "Write: - [ ] It fails, and for the right one: - [x] It fails",
                    row.line,
                    text=row.text[:60],
                )
                return [], -1
            choices.append(match[2])
            right += [at] if match[1] != " " else []
        if len(choices) < 2 or len(right) != 1:
            self.wrong(
                "A choice is one right answer among several.",
                "Write at least two, one of them with an x: - [x]",
                rows[right[1]].line if len(right) > 1 else block.line,
            )
        return choices, right[0] if right else -1

    def _values(
        self, block: _Block, rows: Sequence[_Row], keys: Mapping[str, _Key]
    ) -> dict[str, _Row]:
        """The lines `key: value`, by their keys; what is not said stands empty in the fence's
        line, and so does what is wrong.
        """
        found = {key: _Row(block.line, "") for key in keys}
        said = set()
        for row in rows:
            key, _, value = (each.strip() for each in row.text.partition(":"))
            if key not in keys:
                self.wrong(
                    "A `{word}` block has no {key!r}.",
                    "Its keys are: {keys}. Behind each stands a colon. A line that goes on with"
                    " the one above is indented.",
                    row.line,
                    word=block.word,
                    key=key[:60],
                    keys=", ".join(keys),
                )
            elif key in said:
                cure = mark("Leave one of them out.")
                self.wrong("{key!r} is said twice.", cure, row.line, key=key)
            elif re.fullmatch(keys[key].shape, value):
                found[key] = _Row(row.line, value)
            else:
                self.wrong(
                    "{text!r} is nothing that {key!r} can be.",
                    "Such as: {example}",
                    row.line,
                    text=value[:60],
                    key=key,
                    example=keys[key].example,
                )
            said.add(key)
        for key in (each for each in keys if each not in said):
            if keys[key].needed:
                self.wrong(
                    "This `{word}` block has no {key!r}.",
                    "Such as: {example}",
                    block.line,
                    word=block.word,
                    key=key,
                    example=keys[key].example,
                )
        return found

    def _look_at(
        self, tokens: Sequence[Token], lines: Sequence[str], above: int, words: Sequence[str]
    ) -> None:
        """`above`: lines of the file above these; `words`: the blocks that may stand here."""
        line = above
        for token in tokens:
            line = above + token.map[0] + 1 if token.map else line
            if token.type == "html_block":
                self._refuse_html(token.content, line)
            elif token.type == "fence":
                self._look_at_fence(token, lines, line, words)
            elif token.type == "inline":
                self._look_at_inline(token, line)

    def _look_at_fence(
        self, fence: Token, lines: Sequence[str], line: int, words: Sequence[str]
    ) -> None:
        word = _word(fence)
        if not word:
            self.wrong(
                "This block has no word that says what it is.",
                "Write ```python for a cell, and ```text for what is only shown.",
                line,
            )
        elif word not in words:
            self.wrong(
                "{word!r} is no block that can stand here.",
                "These can: {words}. What is only shown is ```text.",
                line,
                word=word[:40],
                words=", ".join(words),
            )
        elif fence.level and word != SHOWN:
            self.wrong(
                "This `{word}` block stands inside a list or a quotation.",
                "Begin it at the left margin.",
                line,
                word=word,
            )
        first, after = _span(fence)
        close = lines[after - 1].strip(" \t>") if after <= len(lines) else ""
        if after - first < 2 or close.strip(fence.markup[0]) or len(close) < len(fence.markup):
            cure = mark("Close it with a line of its own: ```")
            if words != WORDS:  # its end was taken for that of the block around it
                cure = mark("Begin and end the block around it with four backticks: ````")
            self.wrong("This block has no end.", cure, line)

    def _look_at_inline(self, token: Token, line: int) -> None:
        for each in token.children or ():
            if each.type in ("softbreak", "hardbreak"):
                line += 1
            elif each.type == "html_inline":
                if not each.content.startswith("</"):  # its beginning is told of
                    self._refuse_html(each.content, line)
                line += each.content.count("\n")
            elif each.type == "image":
                self._look_at_picture(str(each.attrs["src"]), line)
            elif each.type == "link_open":
                self._look_at_link(str(each.attrs["href"]), line)

    def _look_at_link(self, target: str, line: int) -> None:
        """One to another lesson is not followed, so that a ring of them keeps nobody."""
        if target.lower().startswith(WEB):
            return
        path = Path(target)
        beside = path.parts[:1] == ("..",) and len(path.parts) == 3 and path.name == LESSON_FILE
        # Says no where Path raises, as of a name that is too long.
        if not beside or not os.path.isfile(self._file.parent / path):  # noqa: PTH113
            self.wrong(
                "{target!r} is no link that a lesson can have.",
                "Links lead to the web, or to another lesson that lies beside this one:"
                " ../05-copies/lesson.md",
                line,
                target=target[:80],
            )

    def _refuse_html(self, content: str, line: int) -> None:
        self.wrong(
            "{html} is HTML, which a lesson cannot have.",
            "Write it in Markdown; what is to be shown as it is, between `…`.",
            line,
            html=content.strip().split("\n")[0][:40],
        )

    def _look_at_picture(self, target: str, line: int) -> None:
        folder = self._file.parent
        path = folder / unquote(target)
        try:
            parts = urlsplit(target)
            beside = not (parts.scheme or parts.netloc)
            beside = beside and path.resolve().is_relative_to(folder.resolve())
            found = path.stat() if beside else None
        except (OSError, ValueError, RuntimeError):  # a loop of links among them
            found = None
        if found is None:
            self.wrong(
                "There is no picture {target} beside the lesson.",
                "Put it there, and write its name alone: ![What it shows](picture.svg). Nothing"
                " is fetched from elsewhere.",
                line,
                target=target[:80],
            )
        elif found.st_size > _MOST_PICTURE or not path.is_file() or not _is_picture(path):
            self.wrong(
                "{target} is no picture that can be shown.",
                "Save it as PNG, JPEG or SVG of at most 4 MiB, with that ending; an SVG without"
                " scripts, and without anything that it loads from elsewhere.",
                line,
                target=target[:80],
            )


def _is_picture(path: Path) -> bool:
    content, kind = path.read_bytes(), path.suffix.lower()
    if kind != ".svg":
        return kind in _PICTURES and content.startswith(_PICTURES[kind])
    try:
        tag = ElementTree.fromstring(content).tag if not _HARMS.search(content) else ""
    except (ElementTree.ParseError, ValueError, LookupError):
        return False
    return tag.rpartition("}")[2] == "svg"


def _word(fence: Token) -> str:
    return next(iter(fence.info.split()), "")


def _span(token: Token) -> tuple[int, int]:
    """Counted from 0: its first line, and the one behind its last."""
    assert token.map is not None
    return token.map[0], token.map[1]


def _files() -> dict[str, Path]:
    found = sorted(_folder().glob(f"*/{LESSON_FILE}"))
    return {each.parent.name: each for each in found}


def _folder() -> Path:
    return resource("lessons")
