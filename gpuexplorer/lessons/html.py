"""A played lesson as one page that needs nothing else: no network, no script, no other file."""

import base64
import mimetypes
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import assert_never
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gpuexplorer.core.html_page import html_page
from gpuexplorer.core.resources import resource
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words, duration, figure, grouped, rate
from gpuexplorer.core.words import listed, mark, paragraph, tr, trn
from gpuexplorer.lab.events import Pictured, Transferred
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.printed import clean, error_words, overwritten
from gpuexplorer.lessons.lesson import WEB, Check, Code, Point, Predict, Text, Why
from gpuexplorer.lessons.player import Player, StepPlay, StepState
from gpuexplorer.lessons.values import Revealed, how_far

_MOST_LETTERS = 4_000  # of what one cell printed: a page and a bit
_MOST_COPIES = 20  # rows of one cell
_STATES = {
    StepState.AHEAD: mark("not played"),
    StepState.BEGUN: mark("begun, not finished"),
    StepState.DONE: mark("done"),
    StepState.FAILED: mark("not as it should be"),
    StepState.SKIPPED: mark("skipped"),
}


def refuse_other_endings(path: Path) -> None:
    """Raises Trouble."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise Trouble(
            "{file} was not saved: its name does not end as a page's does.",
            "End it with .html.",
            file=path.name,
        )


def contents(player: Player, ledger: Ledger, path: Path, machine: str = "") -> bytes:
    """What is to be written there, as far as it was played. Raises Trouble."""
    refuse_other_endings(path)
    saved = datetime.now(UTC).astimezone()
    return page(player, ledger, saved, machine).encode("utf-8", "replace")


def page(player: Player, ledger: Ledger, saved: datetime, machine: str = "") -> str:
    """`machine`: its name, where it is another computer."""
    body = "".join(_Page(player, ledger, saved, machine).body())
    return html_page(clean(player.lesson.title), resource("lessons", "export.css"), body)


class _Page:
    def __init__(self, player: Player, ledger: Ledger, saved: datetime, machine: str) -> None:
        self._player, self._ledger, self._saved = player, ledger, saved
        self._machine = machine
        self._folder = player.lesson.file.parent.resolve()
        extras = ["table", "strikethrough"]
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(extras)

    def body(self) -> Iterator[str]:
        lesson, hello, steps = self._player.lesson, self._ledger.hello, self._player.steps
        simulated = hello is not None and hello.simulated
        chip = f' <strong class="chip">{_text(tr("simulated"))}</strong>' if simulated else ""
        yield f'<header>\n<p class="over">{_text(tr("A lesson of GPU Explorer"))}{chip}</p>\n'
        yield f"<h1>{self._line(lesson.heading or lesson.title)}</h1>\n"
        yield f'<div class="about">{self._html(lesson.about)}</div>\n<dl>\n'
        for name, what in self._facts():
            yield f"<div><dt>{_text(name)}</dt><dd>{_text(what)}</dd></div>\n"
        source = [tr("Everything was measured on this machine.")] if hello is not None else []
        if simulated:
            modelled = tr(
                "The cards are simulated. Times and memory of the cards come from a model of"
                " them; the results of the cells are computed for real."
            )
            source = [modelled]
        if all(each.state is StepState.SKIPPED for each in steps):
            skipped = tr(
                "Every step of this lesson was skipped on this machine; each says why."
            )
            source.append(skipped)
        yield f'</dl>\n<p class="note">{_text(" ".join(source))}</p>\n</header>\n'
        for number, step in enumerate(steps, 1):
            over = tr("Step {number} of {count}", number=number, count=len(steps))
            yield f'<section>\n<p class="over">{_text(over)} · '
            yield f'<span class="{step.state}">{_text(tr(_STATES[step.state]))}</span></p>\n'
            yield f"<h2>{self._line(step.step.heading or step.step.title)}</h2>\n"
            yield from self._parts(step)
            yield "</section>\n"

    def _facts(self) -> Iterator[tuple[str, str]]:
        """On what and when it was played."""
        hello = self._ledger.hello
        if hello is None:
            yield tr("Machine"), tr("No cell was run.")
        else:
            if self._machine:
                yield tr("Machine"), self._machine
            cards = [e for e in hello.devices if e.usable and e.name not in ("cpu", "meta")]
            named = Counter(tr(each.label) for each in cards)
            words = [
                f"{count} × {name}" if count > 1 else name for name, count in named.items()
            ]
            yield trn("Card", "Cards", max(1, len(cards))), listed(words) or tr("none")
            build = tr("{version}, for {build}", version=hello.torch, build=hello.build)
            yield "PyTorch", hello.torch if hello.simulated else build
            yield "Python", hello.python
        yield tr("Saved"), f"{self._saved:%Y-%m-%d %H:%M}"

    def _parts(self, step: StepPlay) -> Iterator[str]:
        skipped = step.state is StepState.SKIPPED
        if skipped:
            yield f'<p class="note">{self._line(step.reason)}</p>\n'
        for part in step.step.parts:
            match part:
                case Text():
                    yield self._html(part.markdown)
                case _ if skipped:
                    pass  # nothing could come of it here
                case Code():
                    yield from self._cell(part, step)
                case Predict():
                    yield from self._predict(part, step)
                case Check():
                    yield from self._check(part, step)
                case Why():
                    yield f"<details open>\n<summary>{self._line(part.question)}</summary>\n"
                    yield f"{self._html(part.markdown)}</details>\n"
                case Point():
                    pass  # a control of the window
                case _:
                    assert_never(part)

    def _cell(self, part: Code, step: StepPlay) -> Iterator[str]:
        cell = self._player.cell(part)
        yield f'<div class="cell">\n<pre class="code">{_text(part.source)}</pre>\n'
        if note := _note(part, cell, step):
            yield f'<p class="note">{_text(note)}</p>\n'
        if cell is not None:
            yield from _outcome(cell)
        yield "</div>\n"

    def _predict(self, part: Predict, step: StepPlay) -> Iterator[str]:
        said, revealed = step.predictions.get(part.line), step.revealed.get(part.line)
        yield f'<div class="predict">\n<p class="over">{_text(tr("Prediction"))}</p>\n'
        yield f"<p><strong>{self._line(part.question)}</strong></p>\n"
        if part.choices:
            yield '<ul class="choices">\n'
            for at, choice in enumerate(part.choices):
                mine = said is not None and said.value == at
                right = revealed is not None and at == part.right
                marks = [tr("your answer")] * mine + [tr("so it is")] * right
                yield f'<li class="{"right" if right else "mine" if mine else ""}">'
                yield f"{self._line(choice)} <small>{_text(', '.join(marks))}</small></li>\n"
            yield "</ul>\n"
        else:
            shown = revealed or Revealed()
            measured = tr("Measured, simulated") if shown.modelled else tr("Measured")
            limit = tr("Limit: {what}", what=part.limit.name) if part.limit else ""
            rows = (
                (tr("You said"), None if said is None else said.value),
                (measured, shown.measured),
                (limit, shown.limit),
            )
            yield '<table class="figures">\n'
            for name, value in rows:
                if value is not None:
                    number = f"{figure(value)} {part.unit}"
                    yield f"<tr><td>{_text(name)}</td><td>{_text(number)}</td></tr>\n"
            yield "</table>\n"
        missing = said is None and any(each.predictions for each in self._player.steps)
        verdict = [tr("Nobody predicted this.")] if missing else []
        if revealed is None:
            verdict.append(tr("It was not revealed."))
        else:
            verdict += [tr(how_far(part, said, revealed)), tr(revealed.why)]
        tone = "good" if revealed is not None and revealed.right else "quiet"
        yield f'<p class="{tone}">{_text(paragraph(verdict))}</p>\n</div>\n'

    def _check(self, part: Check, step: StepPlay) -> Iterator[str]:
        checked = step.checked.get(part.line)
        tone, own, told = "quiet", tr("Not checked."), ""
        if checked is not None and checked.held:
            tone, own = "good", tr("Checked, and it holds.")
        elif checked is not None:
            tone, told = "bad", paragraph((checked.found, checked.told))
            own = tr(checked.error or mark("Checked, and it does not hold."))
        yield f'<div class="check {tone}">'
        for each in part.conditions:
            wrong = tone == "bad" and checked and checked.line == each.expression.line
            kind = ' class="bad"' if wrong else ""
            yield f"<code{kind}>{_text(each.expression.source)}</code>"
        yield f"<p>{_text(own)} {self._line(told)}</p></div>\n"

    def _line(self, markdown: str) -> str:
        return self._html(clean(markdown), inline=True)

    def _html(self, markdown: str, *, inline: bool = False) -> str:
        """`inline`: a part of a sentence, such as a question."""
        parse = self._markdown.parseInline if inline else self._markdown.parse
        tokens = parse(markdown)
        for token in tokens:
            self._settle(token.children or ())
        return str(self._markdown.renderer.render(tokens, self._markdown.options, {}))

    def _settle(self, tokens: Sequence[Token]) -> None:
        """Pictures are put inside; a link to what lies beside the lesson is only words."""
        inside = False
        for token in tokens:
            if token.type == "image":
                picture = self._picture(str(token.attrs["src"]))
                token.attrs["src"] = picture
                if not picture:
                    missing = tr("A picture is missing here: {what}", what=token.content)
                    token.type, token.content = "html_inline", f"<em>{escape(missing)}</em>"
            if token.type == "link_open":
                inside = not str(token.attrs["href"]).startswith(WEB)
            if inside and token.type in ("link_open", "link_close"):
                token.tag, token.attrs = "span", {}
            if token.type == "link_close":
                inside = False

    def _picture(self, source: str) -> str:
        """As a `data:` address; empty where there is none beside the lesson."""
        path = (self._folder / unquote(source)).resolve()
        kind = mimetypes.guess_type(path.name)[0] or ""
        inside = self._folder in path.parents and path.is_file()
        if not inside or not kind.startswith("image/"):
            return ""
        return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _note(part: Code, cell: Cell | None, step: StepPlay) -> str:
    """Why there is nothing of it, or why it is not as it should be; empty: all is well."""
    if cell is None:
        if step.state is StepState.DONE or part.line in step.cells:
            return tr("This cell ran in an earlier session, and what it did was not kept.")
        if step.state is StepState.FAILED:
            return tr("This cell was not run, since what is above it is not as it should be.")
        return tr("This cell was not run.")
    match cell.state, part.fails:
        case (("waiting" | "running"), _):
            return tr("This cell was still running when the lesson was saved.")
        case "failed", True:
            return tr("This cell is here to fail.")
        case "done", True:
            return tr("This cell is here to fail, and it did not.")
        case "cancelled", _:
            return tr("This cell was stopped before it was done.")
    return ""


def _outcome(cell: Cell) -> Iterator[str]:
    """What it printed and drew, why it failed, what it cost."""
    if cell.forgotten:
        lost = tr(
            "[{letters} letters before this were not kept]", letters=grouped(cell.forgotten)
        )
        yield f'<pre class="out note">{_text(lost)}</pre>\n'
    for each in cell.outputs:
        if isinstance(each, Pictured):
            alt = tr("What this cell drew")
            yield f'<img src="data:image/png;base64,{_text(each.png)}" alt="{_text(alt)}">\n'
        elif each.text.strip():
            printed = _text(_shortened(overwritten(each.text)))
            yield f'<pre class="out {_text(each.stream)}">{printed}</pre>\n'
    if cell.failed is not None and cell.state == "failed":
        yield f'<pre class="out error">{_text(error_words(cell.failed))}</pre>\n'
        yield f'<p class="note">{_text(tr(cell.failed.told))}</p>\n'
    if cell.transfers:
        yield from _copies(cell.transfers)
    if said := " · ".join(time_words(cell)):
        yield f'<p class="times">{_text(said)}</p>\n'


def _shortened(text: str) -> str:
    """Of very much the beginning, a sentence, and the end."""
    if len(text) <= _MOST_LETTERS:
        return text
    half = _MOST_LETTERS // 2
    letters = grouped(len(text) - _MOST_LETTERS)
    middle = tr("[{letters} letters are left out here]", letters=letters)
    return f"{text[:half]}\n{middle}\n{text[-half:]}"


def _copies(copies: Sequence[Transferred]) -> Iterator[str]:
    modelled = any(each.modelled for each in copies)
    time = tr("Time, simulated") if modelled else tr("Time")
    heads = (tr("Copy"), tr("Size"), time, tr("Rate"), tr("Host memory"))
    rows = [heads, *map(_copy_row, copies[:_MOST_COPIES])]
    yield '<table class="copies">\n'
    for at, row in enumerate(rows):
        kind = "td" if at else "th"
        yield f"<tr>{''.join(f'<{kind}>{_text(each)}</{kind}>' for each in row)}</tr>\n"
    yield "</table>\n"
    if rest := copies[_MOST_COPIES:]:
        more = trn(
            "{count} more copy is left out here, of {size}.",
            "{count} more copies are left out here, of {size} together.",
            sum(each.copies for each in rest),
            size=bytes_words(sum(each.bytes for each in rest)),
        )
        yield f"<p>{_text(more)}</p>\n"


def _copy_row(copy: Transferred) -> Sequence[str]:
    way = f"{copy.source} → {copy.target}"
    if copy.already_there:
        return (way, bytes_words(copy.bytes), tr("already there, nothing copied"), "", "")
    if copy.copies > 1:
        way = tr("{way}, {count} times", way=way, count=copy.copies)
    if not copy.asked:
        way = tr("{way}, not asked for", way=way)
    time, speed = tr("not timed"), ""
    if copy.seconds is not None:
        time = str(duration(copy.seconds))
        speed = str(rate(copy.bytes / copy.seconds)) if copy.seconds > 0 else ""
    host = "" if copy.pinned is None else tr("pinned") if copy.pinned else tr("pageable")
    if copy.intact is False:
        host = tr("arrived WRONG")
    return (way, bytes_words(copy.bytes), time, speed, host)


def _text(text: str) -> str:
    return escape(clean(text))
