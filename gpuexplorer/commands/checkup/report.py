"""Report: all topics of one check-up, and how they read on paper and as JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.finding import Fact, Topic, Verdict
from gpuexplorer.commands.checkup.paper import Paper
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.telemetry.looked_for import Looked

_NARROWEST = 24
_FOUND, _ABSENT = Message("found"), Message("absent")
_TO_DO = Message("To do:")


@dataclass(frozen=True, slots=True)
class Report:
    """What was found; `looked_for` is empty where a card answers."""

    taken_at: str
    topics: Sequence[Topic]
    looked_for: Sequence[Looked] = ()
    computer: str = ""  # its name, where it is another than this one

    def cleaned(self, clean: Callable[[str], str]) -> "Report":
        """The same report with every text in it sent through `clean`: in English only."""
        topics = [
            Topic(
                topic.subject,
                [clean(detail) for detail in topic.details],
                _cleaned_facts(topic.facts, clean),
                topic.verdict,
                Message(clean(topic.sentence)),
                Message(clean(topic.do)),
            )
            for topic in self.topics
        ]
        looked = [
            Looked(one.what, clean(one.where), one.found, Message(clean(one.sentence)))
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
                    "topic": topic.subject,
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

    def as_text(
        self, width: int = 80, *, colour: bool = False, say: Callable[[str], str] = tr
    ) -> str:
        """`say` translates; a report for others to read stays English with `str`."""
        words = [verdict.word for verdict in Verdict]
        if self.looked_for:
            words += [_FOUND, _ABSENT]
        paper = Paper(max(width, _NARROWEST), say, words, colour=colour)
        lines = self._lines(paper)
        return "\n".join(line.rstrip() for line in lines)

    def _moment(self) -> str:
        moment = datetime.fromisoformat(self.taken_at).astimezone(UTC)
        return moment.strftime("%Y-%m-%d %H:%M UTC")

    def _lines(self, paper: Paper) -> Iterator[str]:
        yield from paper.wrapped(self._title())
        yield ""
        if self.looked_for:
            yield from paper.wrapped(Message("No card answers. This was looked for:"))
            yield ""
            room = paper.widest([one.what.words for one in self.looked_for])
            for one in self.looked_for:
                found = _FOUND if one.found else _ABSENT
                yield from paper.columns(found, one.what.words, one.sentence, room)
            yield ""
        room = paper.widest([topic.title for topic in self.topics])
        for topic in self.topics:
            yield from paper.verdict(topic.verdict, topic.title, topic.sentence, room)
            for detail in topic.details:
                yield from paper.indented(detail, "-", room)
            if topic.do:
                yield from paper.indented(topic.do, paper.say(_TO_DO), room)
            yield ""
        yield from self._summary(paper, room)

    def _title(self) -> Message:
        known = {"version": __version__, "moment": self._moment()}
        if self.computer:
            name = self.computer
            return Message(
                "GPU Explorer {version}: how {computer} is, {moment}", computer=name, **known
            )
        return Message("GPU Explorer {version}: how this computer is, {moment}", **known)

    def _summary(self, paper: Paper, room: int) -> Iterator[str]:
        counts = [
            f"{number} {paper.say(verdict.word)}"
            for verdict in Verdict
            if (number := sum(topic.verdict is verdict for topic in self.topics))
        ]
        short = Message.counted(
            "In short: {count} topic, {verdicts}.",
            "In short: {count} topics, {verdicts}.",
            len(self.topics),
            verdicts=", ".join(counts),
        )
        yield from paper.wrapped(short)
        yield ""
        for topic in sorted(self.topics, key=lambda topic: -topic.verdict.rank):
            if topic.verdict is not Verdict.FINE:
                text = topic.do or topic.sentence
                yield from paper.verdict(topic.verdict, topic.title, text, room)
        fine = [topic.title for topic in self.topics if topic.verdict is Verdict.FINE]
        if fine:
            titles = ", ".join(paper.say(title) for title in fine)
            yield from paper.verdict(Verdict.FINE, NOTHING, titles, 0)


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
