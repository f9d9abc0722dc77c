"""gpuexplorer record: keep what the cards do in a file, until it is told to stop."""

import argparse
import signal
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

from gpuexplorer.commands.arguments import (
    HOST,
    OK,
    WrongArgumentsError,
    add_options,
    in_the_words,
    reading_options,
)
from gpuexplorer.commands.source import opened
from gpuexplorer.commands.terminal import ProgressLine
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.recording.recorder import Listening, Recorder, length, machine_of
from gpuexplorer.telemetry.session import check_interval

_LOOK = 0.5
# A disk that does not answer for so long is left to itself.
_LAST_PATIENCE = 60.0
_ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Record all cards, the computer and who uses the cards, until Ctrl-C. The window opens"
        " the file."
    )
    parser.add_argument("file", type=Path, metavar=tr("FILE"), help=tr("such as night.gpurec"))
    parser.add_argument(
        "--duration",
        metavar=tr("TIME"),
        help=tr("end by itself after 90, 90s, 10m or 2h"),
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help=tr(
            "also what is costly to ask: traffic of PCIe and NVLink, and how busy the parts of"
            " a card are"
        ),
    )
    parser.add_argument(
        "--anonymous",
        action="store_true",
        help=tr("without the computer's name, UUIDs, users, and names of programs"),
    )
    add_options(parser, {**reading_options(1.0), **HOST})


def run(arguments: argparse.Namespace) -> int:
    text = arguments.duration
    seconds = None if text is None else length(text.strip())
    if text is not None and not seconds:
        raise WrongArgumentsError(
            "--duration {text!r} is no length of time.",
            "Write it as 90, 90s, 10m or 2h.",
            text=text,
        )
    with in_the_words():
        check_interval(arguments.interval)
    source = opened(arguments)
    session = source.session(arguments.interval)
    for attempt in session.attempts:
        sys.stderr.write(f"{tr(attempt.note)}\n")
    if session.bare:
        sys.stderr.write(f"{tr('So only the computer itself is recorded.')}\n")
    over = threading.Event()
    endings = [signal.Signals[e] for e in _ENDINGS if e in signal.Signals.__members__]
    before: dict[signal.Signals, Any] = {}  # Any: as `signal` has it
    try:
        only = None
        if arguments.cards is not None:
            named = source.chosen(session.cards(), arguments.cards)
            only = frozenset(card.id for card in named)
        # Who ends it has asked for just that: it is no failure.
        before = {each: signal.signal(each, lambda *_: over.set()) for each in endings}
        recorder = Recorder(
            arguments.file,
            machine_of(session, anonymous=arguments.anonymous),
            session.clock,
            anonymous=arguments.anonymous,
            on_trouble=lambda _: over.set(),
        )
        listening = Listening(session, recorder, only)
        usual = (Cadence.FAST, Cadence.SLOW)
        session.want(tuple(Cadence) if arguments.all else usual)
        session.start()
        recorder.start()
        with ProgressLine(sys.stderr) as line:
            left = _LOOK if seconds is None else seconds
            while left > 0 and not over.wait(min(left, _LOOK)):
                told = tr("Recording {time}, {size}. Ctrl-C ends it.", **_so_far(recorder))
                line.show(paragraph((told, source.silence)))
                left = _LOOK if seconds is None else seconds - recorder.seconds
        listening.stop()
        written = recorder.stop(_LAST_PATIENCE)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        session.stop()
    if recorder.trouble is not None:
        raise recorder.trouble
    if not written:
        raise Trouble(
            "The disk does not answer, so the end of the recording {file} may be missing.",
            "Look at the disk.",
            file=arguments.file,
        )
    made_up = mark("Recorded {time} of simulated cards, {size}: {file}")
    real = mark("Recorded {time}, {size}: {file}")
    template = made_up if session.simulated else real
    sys.stdout.write(f"{tr(template, **_so_far(recorder), file=arguments.file)}\n")
    return OK


def _so_far(recorder: Recorder) -> dict[str, object]:
    time = timedelta(seconds=int(recorder.seconds))
    return {"time": time, "size": bytes_words(recorder.size)}
