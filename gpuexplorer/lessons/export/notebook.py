"""A played lesson as a notebook, to be read and run again in Jupyter."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import assert_never

from gpuexplorer.core.words import tr
from gpuexplorer.lab.cell_source import lines_of
from gpuexplorer.lab.ledger import IMPORTS, Cell, Ledger, time_words
from gpuexplorer.lab.printed import clean
from gpuexplorer.lab.session_files import UNFINISHED, Json, code, code_cell, notebook_of
from gpuexplorer.lessons.export import words
from gpuexplorer.lessons.export.texts import Texts
from gpuexplorer.lessons.lesson import Check, Code, Part, Point, Predict, Text, Why
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.step_play import StepPlay, StepState

# What Markdown or HTML would take for its own.
_MARKS = str.maketrans(
    {each: f"\\{each}" for each in "\\`*_[]|$~"} | {"<": "&lt;", "&": "&amp;"}
)


def notebook(player: Player, ledger: Ledger, saved: datetime, machine: str = "") -> str:
    """In nbformat 4.5."""
    every = _Notebook(player, ledger, saved, machine).cells()
    cells = [each for each in every if each["source"] or each["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        cell["id"] = f"lesson-{number}"
    return notebook_of(cells)


class _Notebook:
    def __init__(self, player: Player, ledger: Ledger, saved: datetime, machine: str) -> None:
        self._player, self._ledger, self._saved = player, ledger, saved
        self._machine = machine
        self._texts = Texts(player.lesson.file.parent)

    def cells(self) -> Iterator[Json]:
        lesson = self._player.lesson
        machine = words.machine_words(self._ledger, self._saved, self._machine)
        facts = [f"- {_text(name)}: {_text(what)}" for name, what in machine]
        source = f"**{_text(words.source_words(self._ledger))}**" if self._ledger.hello else ""
        about = self._texts.markdown(lesson.about)
        skipped = _text(words.skipped_words(self._player))
        yield _markdown(
            f"# {self._line(lesson.heading or lesson.title)}",
            about,
            "\n".join(facts),
            source,
            skipped,
        )
        yield _markdown(tr("The lab has these names from the beginning; Jupyter has not."))
        yield code(IMPORTS)
        for step in self._player.steps:
            yield from self._step(step)

    def _step(self, step: StepPlay) -> Iterator[Json]:
        title = f"## {self._line(step.step.heading or step.step.title)}"
        state = "" if step.state is StepState.DONE else f"*{_text(words.state_words(step))}*"
        skipped = step.state is StepState.SKIPPED
        yield _markdown(title, state, self._line(step.reason) if skipped else "")
        for part in step.step.parts:
            if not skipped or isinstance(part, Text):
                yield from self._part(part, step)

    def _part(self, part: Part, step: StepPlay) -> Iterator[Json]:
        match part:
            case Text():
                yield _markdown(self._texts.markdown(part.markdown))
            case Code():
                yield from self._cell(part, step)
            case Predict():
                question = f"**{tr('Prediction')}: {self._line(part.question)}**"
                yield _markdown(
                    question,
                    self._predicted(part, step),
                    _text(words.verdict(part, step, self._player)),
                )
            case Check():
                held, told, own = words.check_words(part, step)
                checked = step.checked.get(part.line)
                wrong = checked.line if checked and not held else 0
                sources = "\n".join(
                    f"{e.source}  # {tr('does not hold')}" if e.line == wrong else e.source
                    for e in (each.expression for each in part.conditions)
                )
                yield _markdown(_fenced(sources), _text(own), self._line(told))
            case Why():
                yield _markdown(
                    f"**{self._line(part.question)}**", self._texts.markdown(part.markdown)
                )
            case Point():
                pass  # a control of the window
            case _:
                assert_never(part)

    def _cell(self, part: Code, step: StepPlay) -> Iterator[Json]:
        cell = self._player.cell(part)
        note = words.cell_words(part, cell, step)
        if cell is None or cell.state in UNFINISHED:
            yield code(part.source, tags=["raises-exception"] if part.fails else [])
            yield _markdown(_text(note))
            return
        yield code_cell(replace(cell, outputs=list(words.outputs(cell))))
        yield _markdown(_text(note), *_cost(cell))

    def _predicted(self, part: Predict, step: StepPlay) -> str:
        if not part.choices:
            beside = f" ({tr(words.SIMULATED)})"
            found = words.figures(part, step)
            rows = [(each.name, each.text + beside * each.modelled) for each in found]
            return _table([("", tr("Figure")), *rows], "l|r") if rows else ""
        return "\n".join(
            f"- {self._line(choice)} ({_text(marks)})" if marks else f"- {self._line(choice)}"
            for choice, _, marks in words.choices(part, step)
        )

    def _line(self, markdown: str) -> str:
        return self._texts.markdown(" ".join(clean(markdown).split()))


def _cost(cell: Cell) -> Iterator[str]:
    times, rows = time_words(cell), words.copy_rows(cell)
    yield f"*{_text(' · '.join(times))}*" if times else ""
    yield _table(rows, "l|r|r|r|l") if rows else ""
    yield _text(words.more_copies(cell))


def _table(rows: Sequence[Sequence[str]], sides: str) -> str:
    """The first row is the heads'."""
    line = sides.replace("l", ":--").replace("r", "--:")
    lines = [f"| {' | '.join(_text(each) for each in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{line}|", *lines[1:]])


def _fenced(source: str) -> str:
    return f"~~~~python\n{source}\n~~~~"


def _text(text: str) -> str:
    """Words that are no Markdown, in one line."""
    return " ".join(clean(text).split()).translate(_MARKS)


def _markdown(*paragraphs: str) -> Json:
    text = "\n\n".join(each for each in paragraphs if each)
    return {"cell_type": "markdown", "id": "", "metadata": {}, "source": lines_of(text)}
