"""`gpuexplorer doctor`: look at everything the program needs here, or on another computer where
the same code looks, and say what to do: as text, as JSON, or as a file to send to somebody.
"""

import argparse
import io
import os
import re
import sys
import threading
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TextIO

from gpuexplorer.commands.arguments import (
    HOST,
    INTERRUPTED,
    JSON,
    OK,
    Option,
    add_options,
    one_host,
)
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.commands.checkup.report import Report, examine, title_of
from gpuexplorer.commands.terminal import Page, Terminal, progress_line, wrap
from gpuexplorer.core.harmless import value_of
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, tr, use_language
from gpuexplorer.lab.get_pytorch import CANCELLED, get, plan_for, there_already
from gpuexplorer.lab.pythons import candidates, own_environment
from gpuexplorer.telemetry.whole_file import refuse_unwritable, write_whole

# Longer lines are hard to read; and what is not a terminal may be printed.
_WIDEST, _PAPER, _NARROWEST, _ENDLESS = 110, 80, 40, 10_000
_FAR_PATIENCE = 180.0  # every PyTorch there may be loaded meanwhile
_FOUND, _NOT_FOUND = Message("found"), Message("not found")
_COLOURS = dict(zip((str(each.sentence) for each in Verdict), (32, 33, 31), strict=True))
_OPTIONS = {
    **JSON,
    "--bundle": Option(
        "FILE",
        "also write a .zip to send to somebody, without the names of you and the computer",
        Path,
    ),
    "--deep": Option(
        "", "also load PyTorch in each Python that has it, and ask for its cards and its cuDNN"
    ),
    "--get-pytorch": Option(
        "",
        "download the PyTorch that suits driver and cards, after saying how large it is and"
        " where it goes; does nothing where one is there already",
    ),
    "--into": Option(
        "FOLDER",
        "with --get-pytorch: into this environment, which is made where there is none; else"
        " into one of GPU Explorer's own",
        Path,
    ),
    "--unless-found": Option(
        "", "with --into: do nothing where another Python here has one that suits"
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Look at everything GPU Explorer needs on a computer, say how it is, and what to do"
        " about it. Sleeping cards are not woken."
    )
    parser.epilog = tr(
        "The exit status is 0 when the check was made, whatever it found; 1 when the bundle"
        " could not be written, or the other computer not be asked; 2 when the command was not"
        " understood."
    )
    add_options(parser, _OPTIONS | HOST)


def run(arguments: argparse.Namespace) -> int:
    host = one_host(arguments)
    if arguments.get_pytorch:
        return _get_pytorch(arguments.into, unless_found=arguments.unless_found)
    if host is not None:
        _show(_examined(host, arguments), arguments)
        return OK
    return check(Probe(deep=arguments.deep), arguments)


def check(probe: Probe, arguments: argparse.Namespace) -> int:
    if arguments.bundle is not None:
        check_target(arguments.bundle)
    report = examine(probe)
    _show(report, arguments)
    if arguments.bundle is not None:
        # What programs read must stay JSON and nothing else.
        beside = sys.stderr if arguments.json else sys.stdout
        beside.write("\n")
        _say(write_bundle(arguments.bundle, report, probe), beside)
    return OK


def _show(report: Report, arguments: argparse.Namespace) -> None:
    terminal = Terminal()
    if arguments.json:
        sys.stdout.write(report.as_json())
    else:
        terminal.show(as_text(report, _width(terminal), colour=terminal.colour))


def _say(sentence: Message, out: TextIO | None = None) -> None:
    terminal = Terminal(out)
    terminal.show("\n".join(wrap(tr(sentence), _width(terminal), "")))


def _width(terminal: Terminal) -> int:
    widest = _WIDEST if terminal.interactive else _PAPER
    wanted = _ENDLESS if "COLUMNS" in os.environ else widest
    return max(_NARROWEST, min(terminal.width(), wanted))


def _examined(host: str, arguments: argparse.Namespace) -> Report:
    """Raises Trouble where there is no connection, or no report that can be read."""
    # Whoever looks at this computer needs no ssh.
    from gpuexplorer.commands.source import connected  # noqa: PLC0415 - as just said
    from gpuexplorer.remote.wire import CheckUp  # noqa: PLC0415

    far = connected(host, arguments)
    try:
        told = far.asked(CheckUp(arguments.deep), _FAR_PATIENCE)
        report: Report = value_of(Report, told)
    except UnreadableError:
        raise Trouble("What {host} said of itself cannot be read.", host=host) from None
    finally:
        far.stop(1.0)
    return replace(report, computer=far.stream.computer)


def _get_pytorch(into: Path | None, *, unless_found: bool) -> int:
    probe, never = Probe(), threading.Event()
    for_cards = probe.seen, probe.session.source.driver_version
    folder = own_environment(os.environ, Path.home()) if into is None else into.absolute()
    others = candidates(os.environ, Path.home()) if into is None or unless_found else []
    for each in [folder, *others]:
        there = there_already(each, *for_cards)
        if there is not None:
            _say(Message("{python} is there already, and suits.", python=there.label))
            return OK
    _say(Message("Finding the build of PyTorch that suits, and its size…"))
    plan = None
    try:
        plan = plan_for(folder, *for_cards, never)
        for sentence in plan.sentences:
            _say(sentence)
        with progress_line(sys.stderr) as show:
            got = get(plan, lambda progress: show(tr(progress.said)), never)
    except KeyboardInterrupt:
        if plan is not None:
            plan.give_up()
        _say(Message(CANCELLED))
        return INTERRUPTED
    _say(Message("PyTorch was loaded, and works: {python}.", python=got.label))
    return OK


def as_text(report: Report, width: int, *, colour: bool = False) -> str:
    page, topics = Page(width), report.topics
    rows = [(each.verdict.sentence, title_of(each), each.sentence) for each in topics]
    looked = [
        (_FOUND if each.found else _NOT_FOUND, each.what.sentence, each.sentence)
        for each in report.looked_for
    ]
    # How wide verdicts and titles are, with a gap.
    first, second = (
        max(len(tr(row[column])) + 2 for row in (*rows, *looked)) for column in (0, 1)
    )
    margin = " " * (first + second)

    def add(text: str, head: str = "") -> None:
        page.add(*(line.rstrip() for line in wrap(tr(text), width, " " * len(head), head)))

    def row(word: str, title: str, text: str) -> None:
        at, said = len(page.lines), tr(word)
        add(text, f"{said:<{first}}{tr(title):<{second if title else 0}}")
        if colour and word in _COLOURS:
            marked = f"\x1b[{_COLOURS[word]}m{said}\x1b[0m"
            page.lines[at] = page.lines[at].replace(said, marked, 1)

    moment = datetime.fromisoformat(report.taken_at).astimezone(UTC)
    add(
        Message(
            "GPU Explorer {version}: how {computer} is, {moment}",
            version=report.gpuexplorer,
            computer=report.computer or Message("this computer"),
            moment=moment.strftime("%Y-%m-%d %H:%M UTC"),
        )
    )
    page.add("")
    if looked:
        add(Message("No card answers. This was looked for:"))
        page.add("")
        for each in looked:
            row(*each)
        page.add("")
    for topic, told in zip(topics, rows, strict=True):
        row(*told)
        for detail in topic.details:
            add(detail, f"{margin}- ")
        if topic.do:
            add(topic.do, f"{margin}{tr('To do:')} ")
        page.add("")
    verdicts = Counter(topic.verdict for topic in topics)
    counts = [f"{tr(each.sentence)}: {verdicts[each]}" for each in Verdict if verdicts[each]]
    add(Message("In short: {verdicts}.", verdicts=", ".join(counts)))
    page.add("")
    for verdict in (Verdict.BROKEN, Verdict.LOOK):
        for topic in (each for each in topics if each.verdict is verdict):
            row(verdict.sentence, title_of(topic), topic.do or topic.sentence)
    if fine := [tr(title_of(each)) for each in topics if each.verdict is Verdict.FINE]:
        row(Verdict.FINE.sentence, "", ", ".join(fine))
    return str(page)


_OF_INTEREST = ("CUDA", "NVIDIA", "QT", "PYTHON", "DISPLAY")
_SECRET = re.compile("KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH")
_PASSWORD = re.compile(r"(://)[^/@\s]+@")
_OWNERS = re.compile(r"([/\\](?:home|Users)[/\\]+)([^/\\\s:;,\"'`)\]>]+)", re.IGNORECASE)
# A word that is a path, a variable, or an address, and so may hold a name as one of its parts.
_HAS_PARTS = re.compile(r"^[\"'`(\[<]*(?:~|\.{0,2}[/\\]|[A-Za-z]:)|[=@]|:\d|://")
# Names that tell nobody anything, and that are ordinary words of a file system.
_NOBODY = frozenset({"", "~", "root", "localhost", "public", "default", "shared"})


def anonymous(text: str, home: str, user: str, host: str) -> str:
    """Without these names. One is replaced where it is a whole part of a path, of an address or
    of a list, never within a word, nor a word of a sentence.
    """
    text = _without(_PASSWORD.sub(r"\1", text), home.rstrip("/\\"), "~")
    text = _OWNERS.sub(
        lambda path: path[0] if path[2].lower() in _NOBODY else f"{path[1]}USER", text
    )
    # On Windows an account may come as DOMAIN\name, on a network as name@domain.
    names = dict.fromkeys([user, *re.split(r"[\\@]", user)[:2]], "USER")
    for name, word in (names | dict.fromkeys([host, host.partition(".")[0]], "HOST")).items():
        text = _without(text, name, word)
    return text


def _without(text: str, name: str, word: str) -> str:
    if name.lower() in _NOBODY:
        return text
    # Windows writes either slash, and either case.
    said = r"[/\\]+".join(map(re.escape, re.split(r"[/\\]+", name)))
    one = re.compile(rf"(?i)(?<![^/\\:;,=@\"'`(\[<]){said}(?=$|[/\\:;,=@\"'`)\]>]|[.!?]$)")
    whole = " " in name or not re.search(r"\s", text)
    return re.sub(
        r"[\s\S]+" if whole else r"\S+",
        lambda each: one.sub(word, each[0]) if whole or _HAS_PARTS.search(each[0]) else each[0],
        text,
    )


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

    variables = [
        f"{name}={'(left out)' if _SECRET.search(name.upper()) else clean(value)}\n"
        for name, value in sorted(probe.environment.items())
        if name.upper().startswith(_OF_INTEREST)
    ]
    use_language("en")  # whatever its writer speaks
    lines = as_text(report, _ENDLESS).splitlines()
    use_language()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doctor.txt", "".join(f"{clean(line)}\n" for line in lines))
        archive.writestr("doctor.json", report.as_json(clean))
        archive.writestr("environment.txt", "".join(variables))
    check_target(target)
    write_whole(target, [packed.getvalue()])
    return Message(
        "{file} holds this report as text and as JSON, and the variables CUDA*, NVIDIA*, QT*,"
        " PYTHON* and DISPLAY; the names of you and your computer were taken out.",
        file=target.absolute(),
    )
