"""The doctor's report: all examinations of one check-up, as text, as JSON, and as one file that
can be sent to somebody, without names in it.
"""

import io
import json
import re
import textwrap
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from gpuexplorer import __version__
from gpuexplorer.commands.checkup.driver import cards, container, driver, permissions
from gpuexplorer.commands.checkup.probe import (
    FINE,
    Answer,
    Probe,
    Subject,
    Topic,
    ask_driver,
)
from gpuexplorer.commands.checkup.program import display, memory, parts
from gpuexplorer.commands.checkup.pytorch import pythons
from gpuexplorer.commands.checkup.toolkits import toolkits
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.telemetry.looked_for import Looked, looked_for
from gpuexplorer.telemetry.whole_file import refuse_unwritable, write_whole

# In the order in which they are read.
EXAMINATIONS: Mapping[Subject, tuple[Message, Callable[[Probe, Answer], Topic]]] = {
    Subject.CARDS: (Message("Cards"), cards),
    Subject.DRIVER: (Message("Driver"), driver),
    Subject.PERMISSIONS: (Message("Permissions"), permissions),
    Subject.CONTAINER: (Message("Container"), container),
    Subject.PYTORCH: (Message("PyTorch"), pythons),
    Subject.TOOLKITS: (Message("Toolkits"), toolkits),
    Subject.DISPLAY: (Message("Display"), display),
    Subject.PARTS: (Message("Parts"), parts),
    Subject.MEMORY: (Message("Memory"), memory),
}
_GAP = 2  # between a verdict, a title and a text
_NARROWEST, _ENDLESS = 40, 10_000
_FOUND, _NOT_FOUND = Message("found"), Message("not found")
_TO_DO = Message("To do:")
_COLOURS = {Verdict.FINE: "32", Verdict.LOOK: "33", Verdict.BROKEN: "31"}


def examine(
    probe: Probe, clock: Clock, subjects: Collection[Subject] = frozenset(Subject)
) -> "Report":
    answer = ask_driver(probe)
    topics = [
        look(probe, answer)
        for subject, (_, look) in EXAMINATIONS.items()
        if subject in subjects
    ]
    taken_at = datetime.fromtimestamp(clock.wall(), UTC).isoformat(timespec="seconds")
    return Report(taken_at, topics, () if answer.answering else looked_for(probe))


@dataclass(frozen=True, slots=True)
class Report:
    """What was found; `looked_for` is empty where a card answers."""

    taken_at: str
    topics: Sequence[Topic]
    looked_for: Sequence[Looked] = ()
    computer: str = ""  # its name, where it is another than this one

    def as_json(self, clean: Callable[[str], str] = str) -> str:
        """With all texts sent through `clean`."""
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
        return json.dumps(_cleaned(document, clean), indent=2) + "\n"

    def as_text(
        self, width: int = 80, *, colour: bool = False, say: Callable[[str], str] = tr
    ) -> str:
        """`say` translates; a report for others to read stays English with `str`."""
        lines = self._lines(max(width, _NARROWEST), colour, say)
        return "\n".join(line.rstrip() for line in lines)

    def _lines(self, width: int, colour: bool, say: Callable[[str], str]) -> Iterator[str]:
        titles = [EXAMINATIONS[topic.subject][0] for topic in self.topics]
        titles += [one.what.words for one in self.looked_for]
        words = [verdict.word for verdict in Verdict]
        words += [_FOUND, _NOT_FOUND] if self.looked_for else []
        first, second = (
            max(len(say(each)) for each in column) + _GAP for column in (words, titles)
        )

        def row(verdict: Verdict | Message, title: str, text: str) -> list[str]:
            word = say(verdict.word if isinstance(verdict, Verdict) else verdict)
            head = f"{word:<{first}}{say(title):<{second if title else 0}}"
            lines = wrapped(say(text), width, head, " " * len(head))
            if colour and isinstance(verdict, Verdict):
                rest = lines[0][len(word) :]
                lines[0] = f"\x1b[{_COLOURS[verdict]}m{word}\x1b[0m{rest}"
            return lines

        def below(mark: str, text: str) -> list[str]:
            margin = " " * (first + second)
            rest = margin + " " * (len(mark) + 1)
            return wrapped(say(text), width, f"{margin}{mark} ", rest)

        yield from wrapped(say(self._title()), width)
        yield ""
        if self.looked_for:
            yield from wrapped(say(Message("No card answers. This was looked for:")), width)
            yield ""
            for one in self.looked_for:
                found = _FOUND if one.found else _NOT_FOUND
                yield from row(found, one.what.words, one.sentence)
            yield ""
        for topic in self.topics:
            yield from row(topic.verdict, EXAMINATIONS[topic.subject][0], topic.sentence)
            for detail in topic.details:
                yield from below("-", detail)
            if topic.do:
                yield from below(say(_TO_DO), topic.do)
            yield ""
        counts = [
            f"{say(verdict.word)}: {number}"
            for verdict in Verdict
            if (number := sum(topic.verdict is verdict for topic in self.topics))
        ]
        short = Message.counted(
            "In short: {count} topic ({verdicts}).",
            "In short: {count} topics ({verdicts}).",
            len(self.topics),
            verdicts=", ".join(counts),
        )
        yield from wrapped(say(short), width)
        yield ""
        for topic in sorted(self.topics, key=lambda topic: -topic.verdict.rank):
            if topic.verdict is not FINE:
                title = EXAMINATIONS[topic.subject][0]
                yield from row(topic.verdict, title, topic.do or topic.sentence)
        fine = [EXAMINATIONS[one.subject][0] for one in self.topics if one.verdict is FINE]
        if fine:
            yield from row(FINE, NOTHING, ", ".join(say(title) for title in fine))

    def _title(self) -> Message:
        moment = datetime.fromisoformat(self.taken_at).astimezone(UTC)
        known = {"version": __version__, "moment": moment.strftime("%Y-%m-%d %H:%M UTC")}
        if not self.computer:
            return Message("GPU Explorer {version}: how this computer is, {moment}", **known)
        return Message(
            "GPU Explorer {version}: how {computer} is, {moment}",
            computer=self.computer,
            **known,
        )


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Paths, and commands between backticks, stay whole, so that they can be copied."""
    kept = re.sub("`[^`]*`", lambda command: command[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        kept,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines] or [first]


# Any: whatever JSON there is.
def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    """The names of its fields are ours, and stay as they are."""
    if isinstance(value, Mapping):
        return {name: _cleaned(each, clean) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(each, clean) for each in value]
    return clean(value) if isinstance(value, str) else value


_OF_INTEREST = ("CUDA", "NVIDIA", "QT", "PYTHON", "DISPLAY")
_SECRET = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH")
_PASSWORD = re.compile(r"(://)[^/@\s]+@")
_OWNERS = re.compile(r"([/\\](?:home|Users)[/\\]+)([^/\\\s:;,\"'`)\]>]+)", re.IGNORECASE)
# A word that is a path, a variable, or an address, and so may hold a name as one of its parts.
_HAS_PARTS = re.compile(r"^[\"'`(\[<]*(?:~|\.{0,2}[/\\]|[A-Za-z]:)|[=@]|:\d|://")
# Names that tell nobody anything, and that are ordinary words of a file system.
_NOBODY = frozenset({"", "root", "localhost", "public", "default", "shared"})


def anonymous(text: str, home: str, user: str, host: str) -> str:
    """Without these names. One is replaced where it is a whole part of a path, of an address or
    of a list, never within a word, nor a word of a sentence.
    """
    text = _PASSWORD.sub(r"\1", text)
    if len(home.rstrip("/\\")) > 1 and not home.startswith("~"):
        # Windows writes either slash, and either case.
        folders = re.split(r"[/\\]+", home.rstrip("/\\"))
        whole = r"[/\\]+".join(map(re.escape, folders))
        text = re.sub(rf"(?<![\w.~/\\-]){whole}(?![\w.-]*[\w-])", "~", text, flags=re.I)
    text = _OWNERS.sub(lambda path: path[1] + (path[2] if _nobody(path[2]) else "USER"), text)
    # On Windows an account may come as DOMAIN\name, on a network as name@domain.
    users = [user, *re.split(r"[\\@]", user)[:2]]
    names = [
        *((name, "USER") for name in users),
        (host, "HOST"),
        (host.partition(".")[0], "HOST"),
    ]
    for name, word in names:
        if not _nobody(name):
            text = _without(text, name, word)
    return text


def _without(text: str, name: str, word: str) -> str:
    one = re.compile(
        rf"(?<![^/\\:;,=@\"'`(\[<]){re.escape(name)}(?=$|[/\\:;,=@\"'`)\]>]|[.!?]$)", re.I
    )
    if " " in name or not re.search(r"\s", text):
        return one.sub(word, text)
    return re.sub(
        r"\S+",
        lambda each: one.sub(word, each[0]) if _HAS_PARTS.search(each[0]) else each[0],
        text,
    )


def _nobody(name: str) -> bool:
    return name.lower() in _NOBODY


def check_target(target: Path) -> None:
    """Raises Trouble where no bundle can be written; leaves nothing behind."""
    if target.exists():
        raise Trouble(
            "There is something at {file} already, and it was left as it is.",
            "Choose another name for the bundle.",
            file=target,
        )
    refuse_unwritable(target)


def write_bundle(target: Path, report: Report, probe: Probe) -> Message:
    """Write the file and say in one sentence what is in it. Raises Trouble where it cannot."""

    def clean(text: str) -> str:
        return anonymous(text, probe.home, probe.user, probe.host)

    environment = {
        name: "(left out)" if any(each in name.upper() for each in _SECRET) else clean(value)
        for name, value in sorted(probe.environment.items())
        if name.upper().startswith(_OF_INTEREST)
    }
    lines = report.as_text(_ENDLESS, say=str).splitlines()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doctor.txt", "".join(f"{clean(line)}\n" for line in lines))
        archive.writestr("doctor.json", report.as_json(clean))
        variables = "".join(f"{name}={value}\n" for name, value in environment.items())
        archive.writestr("environment.txt", variables)
    check_target(target)
    write_whole(target, [packed.getvalue()])
    return Message(
        "{file} holds this report as text and as JSON, and the variables CUDA*, NVIDIA*, QT*,"
        " PYTHON* and DISPLAY; the names of you and your computer were taken out.",
        file=target.absolute(),
    )
