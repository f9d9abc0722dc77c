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
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TextIO

from gpuexplorer.commands.arguments import (
    HOST,
    INTERRUPTED,
    OK,
    Option,
    WrongArgumentsError,
    add_options,
    one_host,
)
from gpuexplorer.commands.checkup.probe import Probe, ask_driver
from gpuexplorer.commands.checkup.report import Report, examine
from gpuexplorer.commands.terminal import Terminal, gathered, progress_line, wrap
from gpuexplorer.core.clock import Clock, SystemClock
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
_GAP = 2  # between a verdict, a title and a text
_FAR_PATIENCE, _DEEP_PATIENCE = 60.0, 180.0
TITLES = {
    "cards": Message("Cards"),
    "driver": Message("Driver"),
    "permissions": Message("Permissions"),
    "container": Message("Container"),
    "pytorch": Message("PyTorch"),
    "toolkits": Message("Toolkits"),
    "display": Message("Display"),
    "parts": Message("Parts"),
    "memory": Message("Memory"),
}
_FOUND, _NOT_FOUND = Message("found"), Message("not found")
_COLOURS = dict(zip((str(each.word) for each in Verdict), (32, 33, 31), strict=True))
_OPTIONS = {
    "--json": Option("", "print it for programs to read"),
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
    host, pytorch, into = one_host(arguments), arguments.get_pytorch, arguments.into
    if into is not None and not pytorch:
        raise WrongArgumentsError("--into goes with --get-pytorch.")
    if arguments.unless_found and into is None:
        raise WrongArgumentsError("--unless-found goes with --into.")
    if pytorch and (host or arguments.json or arguments.bundle or arguments.deep):
        raise WrongArgumentsError(
            "--get-pytorch goes with --into alone.",
            "Run it on the computer that is to have PyTorch.",
        )
    if pytorch:
        return _get_pytorch(into, unless_found=arguments.unless_found)
    if host is None:
        probe = Probe(deep=arguments.deep)
        return check(probe, arguments, SystemClock(), sys.stdout, sys.stderr)
    if arguments.bundle is not None:
        raise WrongArgumentsError(
            "A bundle can only be made of this computer.",
            "Run the doctor on {host} itself, or leave out --bundle.",
            host=host,
        )
    _show(_examined(host, arguments), arguments, sys.stdout)
    return OK


def check(
    probe: Probe, arguments: argparse.Namespace, clock: Clock, out: TextIO, complaints: TextIO
) -> int:
    if arguments.bundle is not None:
        check_target(arguments.bundle)
    report = examine(probe, clock)
    _show(report, arguments, out)
    if arguments.bundle is not None:
        # What programs read must stay JSON and nothing else.
        beside = complaints if arguments.json else out
        beside.write("\n")
        _say(beside, write_bundle(arguments.bundle, report, probe))
    return OK


def _show(report: Report, arguments: argparse.Namespace, out: TextIO) -> None:
    if arguments.json:
        out.write(report.as_json())
    else:
        terminal = Terminal(out)
        terminal.show(as_text(report, _width(terminal), colour=terminal.colour))


def _say(out: TextIO, *sentences: Message) -> None:
    terminal = Terminal(out)
    for line in (line for each in sentences for line in wrap(tr(each), _width(terminal), "")):
        terminal.show(line)


def _width(terminal: Terminal) -> int:
    if "COLUMNS" in os.environ:
        return max(terminal.width(), _NARROWEST)
    return min(terminal.width(), _WIDEST) if terminal.interactive else _PAPER


def _examined(host: str, arguments: argparse.Namespace) -> Report:
    """Raises Trouble where there is no connection, or no report that can be read."""
    # Whoever looks at this computer needs no ssh.
    from gpuexplorer.commands.source import connected  # noqa: PLC0415 - as just said
    from gpuexplorer.remote.wire import CheckUp  # noqa: PLC0415

    far = connected(host, arguments)
    try:
        patience = _DEEP_PATIENCE if arguments.deep else _FAR_PATIENCE
        report: Report = value_of(Report, far.asked(CheckUp(arguments.deep), patience))
    except UnreadableError:
        raise Trouble("What {host} said of itself cannot be read.", host=host) from None
    finally:
        far.stop(1.0)
    return replace(report, computer=far.stream.computer)


def _get_pytorch(into: Path | None, *, unless_found: bool) -> int:
    answer, never, say = ask_driver(Probe()), threading.Event(), partial(_say, sys.stdout)
    listed = [each.card for each in answer.seen]
    for_cards = listed, answer.source.driver_version
    folder = own_environment(os.environ, Path.home()) if into is None else into.absolute()
    others = candidates(os.environ, Path.home()) if into is None or unless_found else []
    for each in [folder, *others]:
        there = there_already(each, *for_cards)
        if there is not None:
            say(Message("{python} is there already, and suits.", python=there.label))
            return OK
    say(Message("Finding the build of PyTorch that suits, and its size…"))
    plan = None
    try:
        plan = plan_for(folder, *for_cards, never)
        say(*plan.sentences)
        with progress_line(sys.stderr) as show:
            got = get(plan, lambda progress: show(tr(progress.said)), never)
    except KeyboardInterrupt:
        if plan is not None:
            plan.give_up()
        say(Message(CANCELLED))
        return INTERRUPTED
    say(Message("PyTorch was loaded, and works: {python}.", python=got.label))
    return OK


def as_text(report: Report, width: int, *, colour: bool = False) -> str:
    topics = report.topics
    looked: list[tuple[str, str, str]] = [
        (_FOUND if each.found else _NOT_FOUND, each.what.sentence, each.sentence)
        for each in report.looked_for
    ]
    heads = [[*(each.word for each in Verdict), *(word for word, _, _ in looked)]]
    heads.append([*(TITLES[each.topic] for each in topics), *(title for _, title, _ in looked)])
    first, second = (max(len(tr(each)) for each in some) + _GAP for some in heads)
    margin, lines = " " * (first + second), list[str]()

    def add(text: str, head: str = "") -> None:
        lines.extend(wrap(tr(text), width, " " * len(head), head))

    def row(word: str, title: str, text: str) -> None:
        at, said = len(lines), tr(word)
        add(text, f"{said:<{first}}{tr(title):<{second if title else 0}}")
        if colour and word in _COLOURS:
            lines[at] = lines[at].replace(said, f"\x1b[{_COLOURS[word]}m{said}\x1b[0m", 1)

    moment = datetime.fromisoformat(report.taken_at).astimezone(UTC)
    add(
        Message(
            "GPU Explorer {version}: how {computer} is, {moment}",
            version=report.gpuexplorer,
            computer=report.computer or Message("this computer"),
            moment=moment.strftime("%Y-%m-%d %H:%M UTC"),
        )
    )
    if looked:
        lines.append("")
        add(Message("No card answers. This was looked for:"))
        lines.append("")
    for each in looked:
        row(*each)
    for topic in topics:
        lines.append("")
        row(topic.verdict.word, TITLES[topic.topic], topic.sentence)
        for detail in topic.details:
            add(detail, f"{margin}- ")
        if topic.do:
            add(topic.do, f"{margin}{tr('To do:')} ")
    those = gathered((topic.verdict, topic) for topic in topics)
    counts = [f"{tr(each.word)}: {len(those[each])}" for each in Verdict if each in those]
    lines.append("")
    add(
        Message.counted(
            "In short: {count} topic ({verdicts}).",
            "In short: {count} topics ({verdicts}).",
            len(topics),
            verdicts=", ".join(counts),
        )
    )
    lines.append("")
    fine = those.pop(Verdict.FINE, [])
    for topic in (topic for verdict in reversed(Verdict) for topic in those.get(verdict, ())):
        row(topic.verdict.word, TITLES[topic.topic], topic.do or topic.sentence)
    if fine:
        row(Verdict.FINE.word, "", ", ".join(tr(TITLES[each.topic]) for each in fine))
    return "\n".join(line.rstrip() for line in lines)


_OF_INTEREST = ("CUDA", "NVIDIA", "QT", "PYTHON", "DISPLAY")
_SECRET = re.compile("KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH")
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
        whole = r"[/\\]+".join(map(re.escape, re.split(r"[/\\]+", home.rstrip("/\\"))))
        text = re.sub(rf"(?i)(?<![\w.~/\\-]){whole}(?![\w.-]*[\w-])", "~", text)
    text = _OWNERS.sub(
        lambda path: path[0] if path[2].lower() in _NOBODY else f"{path[1]}USER", text
    )
    # On Windows an account may come as DOMAIN\name, on a network as name@domain.
    names = dict.fromkeys([user, *re.split(r"[\\@]", user)[:2]], "USER")
    for name, word in (names | dict.fromkeys([host, host.partition(".")[0]], "HOST")).items():
        if name.lower() not in _NOBODY:
            text = _without(text, name, word)
    return text


def _without(text: str, name: str, word: str) -> str:
    one = re.compile(
        rf"(?i)(?<![^/\\:;,=@\"'`(\[<]){re.escape(name)}(?=$|[/\\:;,=@\"'`)\]>]|[.!?]$)"
    )
    if " " in name or not re.search(r"\s", text):
        return one.sub(word, text)
    return re.sub(
        r"\S+",
        lambda each: one.sub(word, each[0]) if _HAS_PARTS.search(each[0]) else each[0],
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
