"""A played lesson as one page that needs nothing else: no network, no script, no other file."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from typing import assert_never

from gpuexplorer.core.html_page import html_page
from gpuexplorer.core.resources import resource
from gpuexplorer.core.words import tr
from gpuexplorer.lab.events import Pictured
from gpuexplorer.lab.ledger import Cell, Ledger, time_words
from gpuexplorer.lab.printed import clean, error_words
from gpuexplorer.lessons.export import plots, words
from gpuexplorer.lessons.export.texts import Texts
from gpuexplorer.lessons.lesson import Check, Code, Part, Point, Predict, Text, Why
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.step_play import StepPlay, StepState


def page(player: Player, ledger: Ledger, saved: datetime, machine: str = "") -> str:
    body = "".join(_Page(player, ledger, saved, machine).body())
    return html_page(clean(player.lesson.title), resource("lessons", "export.css"), body)


class _Page:
    def __init__(self, player: Player, ledger: Ledger, saved: datetime, machine: str) -> None:
        self._player, self._ledger, self._saved = player, ledger, saved
        self._machine = machine
        self._texts = Texts(player.lesson.file.parent)

    def body(self) -> Iterator[str]:
        lesson, hello = self._player.lesson, self._ledger.hello
        simulated = hello is not None and hello.simulated
        chip = f' <strong class="chip">{_say(words.SIMULATED)}</strong>' if simulated else ""
        yield f'<header>\n<p class="over">{_say("A lesson of GPU Explorer")}{chip}</p>\n'
        yield f"<h1>{self._line(lesson.heading or lesson.title)}</h1>\n"
        yield f'<div class="about">{self._texts.html(lesson.about)}</div>\n<dl>\n'
        for name, what in words.machine_words(self._ledger, self._saved, self._machine):
            yield f"<div><dt>{_text(name)}</dt><dd>{_text(what)}</dd></div>\n"
        source = _text(words.source_words(self._ledger))
        skipped = _text(words.skipped_words(self._player))
        yield f'</dl>\n<p class="note">{source} {skipped}</p>\n</header>\n'
        for number, step in enumerate(self._player.steps, 1):
            yield from self._step(number, step)

    def _step(self, number: int, step: StepPlay) -> Iterator[str]:
        over = tr("Step {number} of {count}", number=number, count=len(self._player.steps))
        yield f'<section>\n<p class="over">{_text(over)} · '
        yield f'<span class="{step.state}">{_text(words.state_words(step))}</span></p>\n'
        yield f"<h2>{self._line(step.step.heading or step.step.title)}</h2>\n"
        if step.state is StepState.SKIPPED:
            # Its cells and questions are left out: nothing could come of them here.
            yield f'<p class="note">{self._line(step.reason)}</p>\n'
            parts: Sequence[Part] = [p for p in step.step.parts if isinstance(p, Text)]
        else:
            parts = step.step.parts
        for part in parts:
            yield from self._part(part, step)
        yield plots.memory(step.before, step.after)
        yield "</section>\n"

    def _part(self, part: Part, step: StepPlay) -> Iterator[str]:
        match part:
            case Text():
                yield self._texts.html(part.markdown)
            case Code():
                yield from self._cell(part, step)
            case Predict():
                yield from self._predict(part, step)
            case Check():
                held, told, own = words.check_words(part, step)
                tone = {True: "good", False: "bad", None: "quiet"}[held]
                yield f'<div class="check {tone}">'
                checked = step.checked.get(part.line)
                for each in part.conditions:
                    wrong = not held and checked and checked.line == each.expression.line
                    mark = ' class="bad"' if wrong else ""
                    yield f"<code{mark}>{_text(each.expression.source)}</code>"
                yield f"<p>{_text(own)} {self._line(told)}</p></div>\n"
            case Why():
                yield f"<details open>\n<summary>{self._line(part.question)}</summary>\n"
                yield f"{self._texts.html(part.markdown)}</details>\n"
            case Point():
                pass  # a control of the window
            case _:
                assert_never(part)

    def _cell(self, part: Code, step: StepPlay) -> Iterator[str]:
        cell = self._player.cell(part)
        yield f'<div class="cell">\n<pre class="code">{_text(part.source)}</pre>\n'
        note = words.cell_words(part, cell, step)
        if note:
            yield f'<p class="note">{_text(note)}</p>\n'
        if cell is not None:
            yield from _outcome(cell)
        yield "</div>\n"

    def _predict(self, part: Predict, step: StepPlay) -> Iterator[str]:
        yield f'<div class="predict">\n<p class="over">{_say("Prediction")}</p>\n'
        yield f"<p><strong>{self._line(part.question)}</strong></p>\n"
        if part.choices:
            yield '<ul class="choices">\n'
            for choice, tone, marks in words.choices(part, step):
                yield f'<li class="{tone}">{self._line(choice)} '
                yield f"<small>{_text(marks)}</small></li>\n"
            yield "</ul>\n"
        else:
            yield plots.bars(list(words.figures(part, step)))
        revealed = step.revealed.get(part.line)
        found = "good" if revealed is not None and revealed.right else "quiet"
        verdict = words.verdict(part, step, self._player)
        yield f'<p class="{found}">{_text(verdict)}</p>\n' if verdict else ""
        yield "</div>\n"

    def _line(self, markdown: str) -> str:
        return self._texts.html(clean(markdown), inline=True)


def _outcome(cell: Cell) -> Iterator[str]:
    """What it printed and drew, why it failed, what it cost."""
    for each in words.outputs(cell):
        if isinstance(each, Pictured):
            alt = tr("What this cell drew")
            yield f'<img src="data:image/png;base64,{_text(each.png)}" alt="{_text(alt)}">\n'
        elif each.text.strip():
            yield f'<pre class="out {_text(each.stream)}">{_text(each.text)}</pre>\n'
    if cell.failed is not None and cell.state == "failed":
        yield f'<pre class="out error">{_text(error_words(cell.failed))}</pre>\n'
        yield f'<p class="note">{_text(tr(cell.failed.told))}</p>\n'
    yield plots.losses(cell)
    rows = words.copy_rows(cell)
    if rows:
        heads = "".join(f"<th>{_text(each)}</th>" for each in rows[0])
        yield f'<table class="copies">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n'
        for row in rows[1:]:
            yield f"<tr>{''.join(f'<td>{_text(each)}</td>' for each in row)}</tr>\n"
        yield f"</tbody>\n</table>\n<p>{_text(words.more_copies(cell))}</p>\n"
    yield plots.timeline(cell)
    said = " · ".join(time_words(cell))
    if said:
        yield f'<p class="times">{_text(said)}</p>\n'


def _say(template: str) -> str:
    return escape(tr(template))


def _text(text: str) -> str:
    return escape(clean(text))
