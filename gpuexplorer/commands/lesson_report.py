"""What came of a lesson that the command line played: as sentences while it goes on, and as
JSON at its end.
"""

import re
from collections.abc import Mapping

from gpuexplorer.commands.lab_notebook import Paper
from gpuexplorer.commands.page import wrap
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import Message, tr
from gpuexplorer.lab.events import Event, Failed
from gpuexplorer.lab.printed import error_words
from gpuexplorer.lessons.lesson import Check, Code, Lesson, Predict
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.predicting import how_far
from gpuexplorer.lessons.revealing import sources_of
from gpuexplorer.lessons.step_play import Checked, Revealed, StepPlay, StepState
from gpuexplorer.lessons.values import cell_fields

_WIDEST = 80
_MARKS = re.compile(r"(\*\*|__|`)(.+?)\1")


def unmarked(markdown: str) -> str:
    """A line of it, without the marks of bold and code."""
    return _MARKS.sub(r"\2", markdown)


class Report:
    """Text on standard output; `silent`: none at all."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._paper = Paper()
        self._width = min(Terminal().width(), _WIDEST)

    def say(self, text: str, indent: int = 0) -> None:
        """Sentences, in lines that fit; nothing where there are none."""
        blank = " " * indent
        for line in unmarked(tr(text)).splitlines():
            for each in wrap(line, self._width - indent, "") if line else [""]:
                self._line(f"{blank}{each}".rstrip())

    def title(self, lesson: Lesson) -> None:
        self.say(lesson.title)
        self._line("=" * min(len(unmarked(lesson.title)), self._width))

    def step(self, number: int, step: StepPlay) -> None:
        self._line("")
        self.say(f"{number}. {step.step.title}")

    def ending(self, sentence: Message) -> None:
        self._line("")
        self.say(sentence)

    def code(self, part: Code) -> None:
        for place, line in enumerate(part.source.rstrip().split("\n")):
            self._line(f"  {'>>>' if place == 0 else '...'} {line}".rstrip())

    def expressions(self, part: Check | Predict) -> None:
        for source in sources_of(part):
            self._line("  " + tr("worked out: {expression}", expression=source))

    def event(self, event: Event) -> None:
        """Of a cell of the lesson: what it shows while it runs."""
        match event:
            case Failed():
                self.say(Message("{error}", error=error_words(event)))
                self.say(event.told)
            case _ if not self._silent:
                self._paper.show(event, ())

    def revealed(self, part: Predict, step: StepPlay) -> None:
        shown = step.revealed[part.line]
        said = step.predictions.get(part.line)
        self.say(part.question, 2)
        if part.number is None:
            self.say(Message("The answer: {answer}", answer=part.choices[part.right]), 4)
        elif shown.measured is None:
            self.say(Message("Nothing was measured. {why}", why=shown.reason), 4)
        else:
            self.say(_measured(part, shown), 4)
            if part.limit is not None:
                self.say(_limit(part, shown), 4)
        far = how_far(part, said, shown)
        if said is not None and far:
            self.say(Message("Predicted: {said}. {far}", said=said.said, far=far), 4)

    def checked(self, part: Check, checked: Checked) -> None:
        if checked.held:
            self.say(Message("Checked, and it holds."), 2)
            return
        sources = {each.expression.line: each.expression.source for each in part.conditions}
        source = sources[checked.line]
        words = Message("Line {line} does not hold: {source}", line=checked.line, source=source)
        self.say(words, 2)
        self.say(checked.error or checked.found, 4)
        self.say(checked.told, 4)

    def _line(self, text: str) -> None:
        if not self._silent:
            self._paper.line(f"{text}\n")


def as_json(player: Player, *, simulated: bool, torch: str | None) -> Mapping[str, object]:
    return {
        "name": player.lesson.name,
        "title": player.lesson.title,
        "simulated": simulated,
        "torch": torch,
        "steps": [_step(player, each) for each in player.steps],
    }


def _step(player: Player, step: StepPlay) -> Mapping[str, object]:
    ran = [player.cell(each) for each in step.step.cells]
    return {
        "title": step.step.title,
        "state": step.state,
        "reason": tr(step.reason),
        "cells": [cell_fields(each) for each in ran if each is not None],
        "predictions": [_predict(p, step) for p in step.step.parts if isinstance(p, Predict)],
        "checks": [
            {**vars(each), "error": tr(each.error), "found": tr(each.found)}
            for _, each in sorted(step.checked.items())
        ],
    }


def _predict(part: Predict, step: StepPlay) -> Mapping[str, object]:
    said, shown = step.predictions.get(part.line), step.revealed.get(part.line, Revealed())
    return {
        "question": part.question,
        "unit": part.unit,
        "said": None if said is None else said.said,
        **vars(shown),
        "reason": tr(shown.reason),
    }


def _measured(part: Predict, shown: Revealed) -> Message:
    assert shown.measured is not None
    words = f"{figure(shown.measured)} {part.unit}".strip()
    if shown.modelled:
        return Message("Measured: {figure} (simulated)", figure=words)
    return Message("Measured: {figure}", figure=words)


def _limit(part: Predict, shown: Revealed) -> Message:
    assert part.limit is not None
    if shown.limit is None:
        return Message("The limit is not known. {why}", why=shown.reason)
    words = f"{figure(shown.limit)} {part.unit}".strip()
    return Message("At best: {figure}, {name}", figure=words, name=part.limit.name)


def failed(player: Player) -> bool:
    return any(each.state not in (StepState.DONE, StepState.SKIPPED) for each in player.steps)
