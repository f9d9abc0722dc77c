"""gpuexplorer record: keep what the cards do in a file, until it is told to stop."""

import argparse
import signal
import sys
import threading
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

from gpuexplorer.commands.arguments import (
    HOST,
    OK,
    Option,
    add_options,
    in_the_words,
    reading_options,
)
from gpuexplorer.commands.source import opened
from gpuexplorer.commands.terminal import progress_line
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.recording.recorder import Listening, Recorder, length, machine_of
from gpuexplorer.telemetry.session import Session, check_interval

_LOOK = 0.5
# A disk that does not answer for so long is left to itself.
_LAST_PATIENCE = 60.0
_ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP")


def _duration(text: str) -> float:
    seconds = length(text.strip())
    if not seconds:
        said = tr("{text!r} is no length of time; write it as 90, 90s, 10m or 2h", text=text)
        raise argparse.ArgumentTypeError(said)
    return seconds


_OPTIONS = {
    "file": Option("FILE", "such as night.gpurec", Path),
    "--duration": Option("TIME", "end by itself after 90, 90s, 10m or 2h", _duration),
    "--all": Option(
        "",
        "also what is costly to ask: traffic of PCIe and NVLink, and how busy the parts of"
        " a card are",
    ),
    "--anonymous": Option(
        "", "without the computer's name, UUIDs, users, and names of programs"
    ),
    **reading_options(1.0),
    **HOST,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Record all cards, the computer and who uses the cards, until Ctrl-C. The window opens"
        " the file."
    )
    add_options(parser, _OPTIONS)


def run(arguments: argparse.Namespace) -> int:
    seconds = arguments.duration
    with in_the_words():
        check_interval(arguments.interval)
    source = opened(arguments)
    session = Session(source.stream, arguments.interval)
    for attempt in session.stream.attempts:
        sys.stderr.write(f"{tr(attempt.note)}\n")
    if session.bare:
        sys.stderr.write(f"{tr('So only the computer itself is recorded.')}\n")
    if source.far is None and not session.simulated:
        sys.stderr.writelines(f"{tr(each)}\n" for each in source.backend.notes())
    over = threading.Event()
    with ExitStack() as leaving:
        leaving.callback(session.stop)
        asked = arguments.cards
        named = () if asked is None else source.chosen(session.cards(), asked)
        # Who ends it has asked for just that: it is no failure.
        for number in (each for each in signal.Signals if each.name in _ENDINGS):
            before = signal.signal(number, lambda *_: over.set())
            leaving.callback(signal.signal, number, before)
        recorder = Recorder(
            arguments.file,
            machine_of(session),
            session.clock,
            anonymous=arguments.anonymous,
            on_trouble=lambda _: over.set(),
        )
        listening = Listening(session, recorder, [card.id for card in named])
        session.want(tuple(Cadence) if arguments.all else (Cadence.FAST, Cadence.SLOW))
        session.start()
        recorder.start()
        with progress_line(sys.stderr) as show:
            left = _LOOK if seconds is None else seconds
            while left > 0 and not over.wait(min(left, _LOOK)):
                told = tr("Recording {time}, {size}. Ctrl-C ends it.", **_so_far(recorder))
                show(paragraph((told, source.silence)))
                left = _LOOK if seconds is None else seconds - recorder.seconds
        listening.stop()
        written = recorder.stop(_LAST_PATIENCE)
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
    said = tr(made_up if session.simulated else real, **_so_far(recorder), file=arguments.file)
    sys.stdout.write(f"{said}\n")
    return OK


def _so_far(recorder: Recorder) -> dict[str, object]:
    time = timedelta(seconds=int(recorder.seconds))
    return {"time": time, "size": bytes_words(recorder.size)}
