"""What the window can be told at its start, sentences for what it cannot be told, and what is
done where no window can open: the table in the terminal.
"""

import argparse
import getpass
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gpuexplorer.commands.arguments import (
    HOST,
    SOURCE,
    Option,
    WrongArgumentsError,
    add_options,
    in_the_words,
    number,
)
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, paragraph, told, tr

if TYPE_CHECKING:
    from gpuexplorer.fleet.fleet import Fleet

# What gui/desk.py offers, which this may not ask: a wrong word is told before Qt is loaded.
SCREENS = (
    *("overview", "card", "processes", "topology", "events", "lab", "copies", "lessons"),
    "machines",
)
_SMALLEST, _LARGEST = (560, 420), (7680, 4320)
_A_DAY = 86_400.0


def names_file(word: str) -> bool:
    """Whether who types this means a file, and no command."""
    return word.lower().endswith(".gpurec") or Path(word).name != word or Path(word).is_file()


def size(text: str) -> tuple[int, int]:
    parts = re.fullmatch(r"(\d{1,6})[x×](\d{1,6})", text.strip().lower())
    wide, high = (int(parts[1]), int(parts[2])) if parts else (0, 0)
    if not (_SMALLEST[0] <= wide <= _LARGEST[0] and _SMALLEST[1] <= high <= _LARGEST[1]):
        said = tr(
            "{text!r} is not a size that is possible; from {smallest} to {largest} is",
            text=text,
            smallest="{}x{}".format(*_SMALLEST),
            largest="{}x{}".format(*_LARGEST),
        )
        raise argparse.ArgumentTypeError(said)
    return wide, high


def seconds(text: str) -> float:
    value = number(text)
    if not 0 <= value <= _A_DAY:
        said = tr("{text!r} is no length of time up to a day; write 10 or 0.5", text=text)
        raise argparse.ArgumentTypeError(said)
    return value


WINDOW = {
    "recording": Option("FILE.gpurec", "open this recording, as --open does", nargs="?"),
    **HOST,
    "--prometheus": Option(
        "URL", "show the cards that this Prometheus knows, by host and rack"
    ),
    "--match": Option(
        "SELECTOR", "of these only those whose labels fit, such as: 'cluster=\"a\"'"
    ),
    "--prometheus-login": Option(
        "FILE", "a file that says who asks, in which words, and which certificates are used"
    ),
    "--host-label": Option(
        "LABEL", "the label that names the host, where it is not found by itself"
    ),
    "--open": Option("FILE", "open this recording"),
    "--or-simulate": Option("", "where no card answers, open on two simulated ones"),
    "--read-only": Option("", "no process can be ended from this window"),
    "--view": Option(
        "NAME",
        Message(
            "open on this screen: {screens}; for pictures also: all", screens=", ".join(SCREENS)
        ),
        choices=(*SCREENS, "all"),
    ),
    "--theme": Option(
        "THEME",
        "dark or light, whatever the settings say; for pictures also: both",
        choices=("dark", "light", "both"),
    ),
    "--size": Option("WxH", "size of the window, such as 1600x1000", size),
    "--screenshot": Option("DIR", "write a PNG per screen and theme into this folder, and end"),
    "--after": Option(
        "SECONDS",
        "pictures only after so many seconds of readings; simulated cards have lived "
        "through them already",
        seconds,
    ),
    "--quit-after": Option("SECONDS", "end after so many seconds", seconds),
    "--diagnostics": Option(
        "FILE", "at the end, write what the program cost, as JSON; - is the terminal"
    ),
    **SOURCE,
}


def add_window_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, WINDOW)


def check_window_arguments(arguments: argparse.Namespace) -> None:
    """Raises WrongArgumentsError for words that do not go together, and Trouble for places that
    cannot be written to and files that cannot be read: at once, and not after a minute of
    measuring.
    """
    # Who asks for the version, or for help, waits for none of them.
    from gpuexplorer.remote.ssh import host_name  # noqa: PLC0415
    from gpuexplorer.telemetry.whole_file import refuse_unwritable  # noqa: PLC0415

    if arguments.screenshot is None and {arguments.view, arguments.theme} & {"all", "both"}:
        raise WrongArgumentsError(
            "A window opens on one screen and has one theme.",
            "Say which, or ask for pictures of all with --screenshot DIR.",
        )
    with in_the_words():
        arguments.host = [host_name(each).text for each in arguments.host]
    arguments.fleet = _fleet(arguments)
    arguments.open = arguments.open or arguments.recording
    if arguments.open is not None:
        from gpuexplorer.recording.recording import open_recording  # noqa: PLC0415 - needs numpy

        open_recording(Path(arguments.open)).close()
    if arguments.screenshot is not None:
        folder = Path(arguments.screenshot)
        with suppress(OSError):  # the next line says why
            folder.mkdir(parents=True, exist_ok=True)
        refuse_unwritable(folder / "overview-dark.png")
    if arguments.diagnostics not in (None, "-"):
        refuse_unwritable(Path(arguments.diagnostics))


def _fleet(arguments: argparse.Namespace) -> "Fleet | None":
    """Raises WrongArgumentsError, or Trouble for an address, a selector or a login that cannot
    be used.
    """
    if arguments.prometheus is None:
        return None
    from gpuexplorer.fleet.client import (  # noqa: PLC0415 - as above
        Prometheus,
        address,
        read_login,
    )
    from gpuexplorer.fleet.fleet import Fleet, is_label, match  # noqa: PLC0415 - as above

    label = arguments.host_label
    if label is not None and not is_label(label):
        raise WrongArgumentsError(
            "{text!r} is no name of a label.",
            "Such names have letters, figures and _, as in: node",
            text=label,
        )
    login, where = None, address(arguments.prometheus)
    if arguments.prometheus_login is not None:
        terminal = sys.stdin is not None and sys.stdin.isatty()
        login = read_login(Path(arguments.prometheus_login), _ask if terminal else None)
        login.header()
        if where.secure:
            login.tls()
    chosen = "" if arguments.match is None else match(arguments.match)
    return Fleet(Prometheus(where, login), chosen, label or "")


def _ask(user: str) -> str:
    return getpass.getpass(tr("Password of {user} for Prometheus: ", user=user))


def do_without_display(*, pictures: bool) -> None:
    """Let Qt draw where nobody looks: pictures always, so that no window flashes up, and what
    is only measured where there is no display.
    """
    displays = "DISPLAY", "WAYLAND_DISPLAY"
    unseen = pictures or not any(map(os.environ.get, displays))
    if sys.platform == "linux" and unseen and not os.environ.get("QT_QPA_PLATFORM"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"


def why_no_window() -> Message | None:
    """The reason; None where a window can be tried."""
    from gpuexplorer.commands.checkup.probe import Probe, Topic  # noqa: PLC0415
    from gpuexplorer.commands.checkup.report import display  # noqa: PLC0415

    topic = Topic("display")
    display(topic, Probe())
    if topic.verdict is Verdict.FINE or os.environ.get("QT_QPA_PLATFORM"):
        return None
    return told(topic.sentence, topic.do) if topic.verdict is Verdict.BROKEN else topic.sentence


def show_table(arguments: argparse.Namespace, why: Message) -> int:
    """The live table, or one picture of it where nobody looks at a terminal. Raises Trouble
    where a table cannot show what was asked for.
    """
    if arguments.fleet is not None or len(arguments.host) > 1:
        raise Trouble(
            why, "In the terminal one machine is shown: `gpuexplorer snapshot --host NAME`."
        )
    from gpuexplorer.commands import snapshot  # noqa: PLC0415 - a window needs none
    from gpuexplorer.commands.source import opened  # noqa: PLC0415
    from gpuexplorer.telemetry.sources import MAKE_BELIEVE  # noqa: PLC0415

    if arguments.or_simulate and arguments.simulate is None and not arguments.host:
        with opened(arguments) as source:
            arguments.simulate = None if source.backend.cards() else MAKE_BELIEVE
    said = paragraph((why, tr("Here is the table in the terminal instead.")))
    sys.stderr.write(f"{said}\n")
    sys.stderr.flush()
    loop = 1.0 if sys.stdout.isatty() else None
    form = {"json": False, "csv": False, "loop": loop, "count": None, "cards": None}
    return snapshot.run(argparse.Namespace(**(vars(arguments) | form)))
