"""The Markdown of a lesson: parsed as CommonMark with tables, and looked at for what no lesson
may have: HTML, unknown blocks, pictures and links that lead astray.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gpuexplorer.core.words import mark
from gpuexplorer.lessons.lesson import LESSON_FILE
from gpuexplorer.lessons.pictures import is_elsewhere, look_at_picture
from gpuexplorer.lessons.problem import Problems

SHOWN = "text"
WORDS = ("lesson", "needs", "predict", "python", "check", "point", "why", SHOWN)
_WEB = ("http://", "https://", "mailto:")


class Markdown:
    """Of one file."""

    def __init__(self, file: Path, problems: Problems) -> None:
        self._file = file
        self._problems = problems
        self._defined: dict[str, dict[str, dict[str, str]]] = {}  # where markdown-it puts links
        self._parser = MarkdownIt("commonmark").enable("table")
        # Where a link leads is judged here; what markdown-it refuses would become text unseen.
        self._parser.validateLink = lambda url: True  # type: ignore[method-assign]
        self._parser.normalizeLink = lambda url: url  # type: ignore[method-assign]

    def tokens(self, text: str, above: int, words: Sequence[str]) -> Sequence[Token]:
        """`above`: lines of the file above this text; `words`: the blocks it may have."""
        if words != WORDS:  # what a block defines is its own
            known = {"references": dict(self._defined.get("references", {}))}
        else:
            known = self._defined
        tokens = self._parser.parse(text, known)
        self._look_at(tokens, text.split("\n"), above, words)
        return tokens

    def with_links(self, markdown: str) -> str:
        """Each piece is shown alone, and `[a link]` may be defined in another."""
        links = [
            f"[{name}]: <{each['href']}>"
            for name, each in self._defined.get("references", {}).items()
            if f"[{name}]" in markdown.upper()
        ]
        return "\n".join([markdown, "", *links]) if links else markdown

    def _look_at(
        self, tokens: Sequence[Token], lines: Sequence[str], above: int, words: Sequence[str]
    ) -> None:
        line = above
        for token in tokens:
            line = above + token.map[0] + 1 if token.map else line
            if token.type == "html_block":
                self._refuse_html(token.content, line)
            elif token.type == "fence":
                self._look_at_word(token, line, words)
                last = lines[lines_of(token)[1] - 1] if lines_of(token)[1] <= len(lines) else ""
                self._look_at_end(token, last, line, within=words != WORDS)
            elif _is_step_or_title(token) and words != WORDS:
                self._problems.wrong(
                    "A heading of the first or second level stands within a block.",
                    "Use ### or smaller ones there.",
                    line,
                )
            elif token.type == "inline":
                self._look_at_inline(token, line)

    def _look_at_word(self, token: Token, line: int, words: Sequence[str]) -> None:
        word = word_of(token)
        if not word:
            self._problems.wrong(
                "This block has no word that says what it is.",
                "Write ```python for a cell, and ```text for what is only shown.",
                line,
            )
        elif word not in words:
            self._problems.wrong(
                "{word!r} is no block that can stand here.",
                "These can: {words}. What is only shown is ```text.",
                line,
                word=word[:40],
                words=", ".join(words),
            )
        elif token.level and word != SHOWN:
            self._problems.wrong(
                "This `{word}` block stands inside a list or a quotation.",
                "Begin it at the left margin.",
                line,
                word=word,
            )

    def _look_at_end(self, fence: Token, last: str, line: int, *, within: bool) -> None:
        first, after = lines_of(fence)
        close = last.strip(" \t>")
        if after - first < 2 or close.strip(fence.markup[0]) or len(close) < len(fence.markup):
            cure = mark("Close it with a line of its own: ```")
            if within:  # its end was taken for that of the block around it
                cure = mark("Begin and end the block around it with four backticks: ````")
            self._problems.wrong("This block has no end.", cure, line)

    def _look_at_inline(self, token: Token, line: int) -> None:
        for each in token.children or ():
            if each.type in ("softbreak", "hardbreak"):
                line += 1
            elif each.type == "html_inline":
                if not each.content.startswith("</"):  # its beginning is told of
                    self._refuse_html(each.content, line)
                line += each.content.count("\n")
            elif each.type == "image":
                look_at_picture(str(each.attrs["src"]), self._file, line, self._problems)
            elif each.type == "link_open":
                self._look_at_link(str(each.attrs["href"]), line)

    def _look_at_link(self, target: str, line: int) -> None:
        """One to another lesson is not followed, so that a ring of them keeps nobody."""
        if target.lower().startswith(_WEB):
            return
        path = Path(target)
        if is_elsewhere(target) or path.name != LESSON_FILE or path.parts[:1] != ("..",):
            self._problems.wrong(
                "{target!r} is no link that a lesson can have.",
                "Links lead to the web, or to another lesson: ../05-copies/lesson.md",
                line,
                target=target[:80],
            )
        # Says no where Path raises, as of a name that is too long.
        elif len(path.parts) != 3 or not os.path.isfile(self._file.parent / path):  # noqa: PTH113
            self._problems.wrong(
                "There is no lesson {target}.",
                "Lessons lie beside each other: ../05-copies/lesson.md",
                line,
                target=target[:80],
            )

    def _refuse_html(self, content: str, line: int) -> None:
        self._problems.wrong(
            "{html} is HTML, which a lesson cannot have.",
            "Write it in Markdown; what is to be shown as it is, between `…`.",
            line,
            html=content.strip().split("\n")[0][:40],
        )


def _is_step_or_title(token: Token) -> bool:
    return token.type == "heading_open" and token.tag in ("h1", "h2")


def word_of(fence: Token) -> str:
    return next(iter(fence.info.split()), "")


def lines_of(token: Token) -> tuple[int, int]:
    """Counted from 0: its first, and the one behind its last."""
    assert token.map is not None
    return token.map[0], token.map[1]
