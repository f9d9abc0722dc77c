"""Reading: a lesson's file becomes a Lesson, or a list of all that is wrong with it.

markdown-it-py finds headings, blocks and links, each with its lines; what stands between two
blocks stays as it is in the file. Nothing is run, and nothing is fetched.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from markdown_it.token import Token

from gpuexplorer.lessons import blocks
from gpuexplorer.lessons.blocks import Block
from gpuexplorer.lessons.lesson import (
    LESSON_FILE,
    Code,
    Condition,
    Lesson,
    Part,
    Step,
    Text,
    Why,
)
from gpuexplorer.lessons.lesson_file import text_of
from gpuexplorer.lessons.markdown import SHOWN, WORDS, Markdown, lines_of, word_of
from gpuexplorer.lessons.problem import LessonError, Problem, Problems
from gpuexplorer.lessons.python_source import look_at_cell
from gpuexplorer.lessons.vocabulary import look_at_words


def read(file: Path, *, outside: bool = False) -> Lesson:
    """Raises LessonError with all problems."""
    problems = Problems()
    lesson = _Reader(text_of(file), file, problems).lesson(outside=outside)
    if problems.found:
        raise LessonError(file, problems.found)
    return lesson


def problems(file: Path) -> Sequence[Problem]:
    """All of them, by their lines; empty: it can be played."""
    try:
        read(file)
    except LessonError as error:
        return error.problems
    return []


class _Reader:
    def __init__(self, text: str, file: Path, problems: Problems) -> None:
        self._lines = text.split("\n")
        self._file = file
        self._problems = problems
        self._markdown = Markdown(file, problems)
        self._tokens = self._markdown.tokens(text, 0, WORDS)

    def lesson(self, *, outside: bool) -> Lesson:
        top = [each for each in self._tokens if each.level == 0 and each.map]
        begins = [at for at, each in enumerate(top) if _is_heading(each, "h2")]
        first = begins[0] if begins else len(top)
        title, head, about = self._head(top[:first], self._line_of(top, first))
        steps = []
        for begin, end in pairwise([*begins, len(top)]):
            steps.append(self._step(top[begin:end], self._line_of(top, end)))
        look_at_words(steps, self._problems)
        if not steps:
            self._problems.wrong(
                "This lesson has no step.",
                "Begin each with a heading of the second level, such as: ## Look at the card",
                len(self._lines),
            )
        return Lesson(
            name=name_of(self._file),
            title=title,
            minutes=head.minutes,
            needs=head.needs,
            about=about,
            steps=steps,
            file=self._file,
            outside=outside,
            heading=next((self._heading(e).content for e in top if _is_heading(e, "h1")), ""),
        )

    def _line_of(self, top: Sequence[Token], at: int) -> int:
        """Counted from 0, as markdown-it does."""
        return lines_of(top[at])[0] if at < len(top) else len(self._lines)

    def _head(self, top: Sequence[Token], end: int) -> tuple[str, blocks.Heading, str]:
        titles = [each for each in self._tokens if _is_heading(each, "h1") and not each.level]
        if not titles or not top or titles[0] is not top[0]:
            self._problems.wrong(
                "The lesson does not begin with its title.",
                "Write it as the first line: # Tensors on a device",
                1,
            )
        for each in titles[1:]:
            self._problems.wrong(
                "This is a second title.",
                "A lesson has one; steps have headings of the second level: ## …",
                lines_of(each)[0] + 1,
            )
        found: list[blocks.Heading] = []
        about = []
        for part in self._parts(top[bool(titles) :], end):
            if isinstance(part, Text):
                about.append(part.markdown)
            elif isinstance(part, Block) and part.word == "lesson" and not found:
                found.append(blocks.heading(part, self._problems))
            else:
                self._problems.wrong(
                    "This block stands above the first step.",
                    "Above it stand the title, one `lesson` block, and a few sentences.",
                    part.line,
                )
        if not found:
            self._problems.wrong(
                "There is no `lesson` block below the title.",
                "Write one with two lines: minutes: 20 and needs: pytorch",
                2,
            )
        title = self._title(titles[0]) if titles else ""
        return title, found[0] if found else blocks.Heading(), "\n\n".join(about)

    def _step(self, top: Sequence[Token], end: int) -> Step:
        line = lines_of(top[0])[0] + 1
        parts: list[Part] = []
        needs: list[Condition] = []
        for part in self._parts(top[1:], end, lines_of(top[0])[1]):
            if not isinstance(part, Block):
                parts.append(part)
            elif part.word == "needs":
                needs += blocks.conditions(part, self._problems)
            else:
                self._problems.wrong(
                    "The `lesson` block stands in a step.",
                    "It stands once, below the title.",
                    part.line,
                )
        if not top[1:]:
            self._problems.wrong(
                "Nothing stands in this step.", "Write its text, or take it out.", line
            )
        return Step(line, self._title(top[0]), parts, needs, self._heading(top[0]).content)

    def _heading(self, heading: Token) -> Token:
        return self._tokens[self._tokens.index(heading) + 1]

    def _title(self, heading: Token) -> str:
        """As plain text: it stands in lists."""
        children = self._heading(heading).children or ()
        title = "".join(each.content for each in children).strip()
        if not title:
            line = lines_of(heading)[0] + 1
            self._problems.wrong("This heading is empty.", "Write a few words behind it.", line)
        return title

    def _parts(
        self, top: Sequence[Token], end: int, begin: int | None = None
    ) -> Iterator[Part | Block]:
        """`lesson` and `needs` as the blocks they are; what stands between blocks as Text."""
        at = begin if begin is not None else (lines_of(top[0])[0] if top else end)
        for token in top:
            first, after = lines_of(token)
            if token.type != "fence" or word_of(token) in (SHOWN, ""):
                continue
            yield from self._text(at, first)
            at = after
            block = Block(first + 1, word_of(token), token.content)
            part = self._part(block, token.info.split()[1:])
            if part is not None:
                yield part
        yield from self._text(at, end)

    def _part(self, block: Block, more: Sequence[str]) -> Part | Block | None:
        if more and (block.word, *more) != ("python", "fails"):
            self._problems.wrong(
                "`{word}` is followed by {more!r}.",
                "Only `python fails` has a second word: a cell that is there to fail.",
                block.line,
                word=block.word,
                more=" ".join(more),
            )
        match block.word:
            case "python":
                look_at_cell(block.content, block.line + 1, self._problems)
                return Code(block.line, block.content.rstrip("\n"), bool(more))
            case "predict":
                return blocks.predict(block, self._problems)
            case "check":
                return blocks.check(block, self._problems)
            case "point":
                return blocks.point(block, self._problems)
            case "why":
                return self._why(block)
            case "lesson" | "needs":
                return block
        return None  # said already

    def _why(self, block: Block) -> Why:
        question, above = blocks.question_of(block, self._problems)
        markdown = "\n".join(block.content.split("\n")[above:])
        tokens = self._markdown.tokens(markdown, block.line + above, (SHOWN,))
        if question and not tokens:
            self._problems.wrong(
                "This `why` gives no answer.", "Write it below the question.", block.line
            )
        return Why(block.line, question, self._markdown.with_links(markdown.strip("\n")))

    def _text(self, begin: int, end: int) -> Iterator[Text]:
        while begin < end and not self._lines[begin].strip():
            begin += 1
        text = "\n".join(self._lines[begin:end]).rstrip()
        if text:
            yield Text(begin + 1, self._markdown.with_links(text))


def name_of(file: Path) -> str:
    """A lesson has its folder's name, or its file's where that has one of its own."""
    return file.absolute().parent.name if file.name == LESSON_FILE else file.stem


def _is_heading(token: Token, tag: str) -> bool:
    return token.type == "heading_open" and token.tag == tag
