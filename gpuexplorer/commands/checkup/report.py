"""Report: all topics of one check-up, and how they read on paper and as JSON."""

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict, counted
from gpuexplorer.telemetry.looked_for import Looked

_VERDICT_WIDTH = 8
_TITLE_WIDTH = 13
_LOOKED_WIDTH = 16
_WIDE = 80  # below it, no line may be longer
_NARROW = 60  # below it, text stands under its head
_NARROWEST = 24
_STICKS = "\0"  # stands for a space at which no line may end
_COLOURS = {Verdict.FINE: "32", Verdict.LOOK: "33", Verdict.BROKEN: "31"}


@dataclass(frozen=True, slots=True)
class Report:
    """What was found; `looked_for` is empty where a card answers."""

    taken_at: str
    topics: Sequence[Topic]
    looked_for: Sequence[Looked] = ()

    def cleaned(self, clean: Callable[[str], str]) -> "Report":
        """The same report with every text in it sent through `clean`."""
        topics = [
            Topic(
                topic.title,
                topic.verdict,
                clean(topic.sentence),
                clean(topic.do),
                [clean(detail) for detail in topic.details],
                _cleaned_facts(topic.facts, clean),
            )
            for topic in self.topics
        ]
        looked = [
            Looked(one.what, clean(one.where), one.found, clean(one.sentence))
            for one in self.looked_for
        ]
        return Report(self.taken_at, topics, looked)

    def as_json(self) -> str:
        document = {
            "schema": 1,
            "taken_at": self.taken_at,
            "gpuexplorer": __version__,
            "looked_for": [
                {
                    "what": one.what,
                    "where": one.where,
                    "found": one.found,
                    "sentence": one.sentence,
                }
                for one in self.looked_for
            ],
            "topics": [
                {
                    "topic": topic.name,
                    "verdict": topic.verdict,
                    "sentence": topic.sentence,
                    "do": topic.do,
                    "details": list(topic.details),
                    "facts": topic.facts,
                }
                for topic in self.topics
            ],
        }
        return json.dumps(document, indent=2) + "\n"

    def as_text(self, width: int = 80, *, colour: bool = False) -> str:
        return "\n".join(line.rstrip() for line in self._lines(max(width, _NARROWEST), colour))

    def _moment(self) -> str:
        moment = datetime.fromisoformat(self.taken_at).astimezone(UTC)
        return moment.strftime("%Y-%m-%d %H:%M UTC")

    def _lines(self, width: int, colour: bool) -> Iterator[str]:
        title = f"GPU Explorer {__version__}: how this computer is, {self._moment()}"
        yield from wrapped(title, width)
        yield ""
        if self.looked_for:
            yield from wrapped("No card answers. This was looked for:", width)
            yield ""
            for one in self.looked_for:
                mark = "found" if one.found else "absent"
                yield from _columns(mark, one.what, one.sentence, width, _LOOKED_WIDTH)
            yield ""
        for topic in self.topics:
            head = _columns(topic.verdict, topic.title, topic.sentence, width)
            yield from _coloured(head, topic.verdict, colour)
            for detail in topic.details:
                yield from _indented(detail, "- ", width)
            if topic.do:
                yield from _indented(topic.do, "To do: ", width)
            yield ""
        yield from self._summary(width, colour)

    def _summary(self, width: int, colour: bool) -> Iterator[str]:
        counts = [
            f"{number} {verdict}"
            for verdict in Verdict
            if (number := sum(topic.verdict is verdict for topic in self.topics))
        ]
        short = f"In short: {counted(len(self.topics), 'topic')}, {', '.join(counts)}."
        yield from wrapped(short, width)
        yield ""
        for topic in sorted(self.topics, key=lambda topic: -topic.verdict.rank):
            if topic.verdict is Verdict.FINE:
                continue
            head = _columns(topic.verdict, topic.title, topic.do or topic.sentence, width)
            yield from _coloured(head, topic.verdict, colour)
        fine = [topic.title for topic in self.topics if topic.verdict is Verdict.FINE]
        if fine:
            head = _columns(Verdict.FINE, "", ", ".join(fine), width, title_width=0)
            yield from _coloured(head, Verdict.FINE, colour)


def _columns(
    verdict: str, title: str, text: str, width: int, title_width: int = _TITLE_WIDTH
) -> list[str]:
    first = f"{verdict:<{_VERDICT_WIDTH}}{title:<{title_width}}"
    if width < _NARROW:
        return [first, *wrapped(text, width, "  ", "  ")]
    return wrapped(text, width, first, " " * len(first))


def _indented(text: str, mark: str, width: int) -> list[str]:
    if width < _NARROW:
        return wrapped(text, width, f"  {mark}", "    ")
    margin = " " * (_VERDICT_WIDTH + _TITLE_WIDTH)
    return wrapped(text, width, margin + mark, margin + " " * len(mark))


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Paths, and commands between backticks, stay whole, so that they can be copied; below
    80 columns only those that fit.
    """
    wide = width >= _WIDE
    room = width - len(rest) - len(".")

    def kept(command: re.Match[str]) -> str:
        fits = wide or len(command[0]) <= room
        return command[0].replace(" ", _STICKS) if fits else command[0]

    lines = textwrap.wrap(
        re.sub("`[^`]*`", kept, text),
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=not wide,
        break_on_hyphens=False,
    )
    return [line.replace(_STICKS, " ") for line in lines] or [first]


def _coloured(lines: Sequence[str], verdict: Verdict, colour: bool) -> Iterator[str]:
    for number, line in enumerate(lines):
        if colour and number == 0:
            head = f"\x1b[{_COLOURS[verdict]}m{verdict}\x1b[0m"
            yield head + line[len(verdict) :]
        else:
            yield line


def _cleaned_facts(
    facts: Mapping[str, Fact], clean: Callable[[str], str]
) -> Mapping[str, Fact]:
    """The names of facts are ours; only a file's may hold somebody's name."""
    return {
        clean(name) if "/" in name else name: _cleaned_fact(fact, clean)
        for name, fact in facts.items()
    }


def _cleaned_fact(fact: Fact, clean: Callable[[str], str]) -> Fact:
    match fact:
        case str():
            return clean(fact)
        case Mapping():
            return _cleaned_facts(fact, clean)
        case Sequence():
            return [_cleaned_fact(one, clean) for one in fact]
        case _:
            return fact
