"""What the screen of processes says: why nobody is listed, who is picked, and how it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.units import Units, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.programs import on_how_many
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.session import Session

_MOST_NAMED = 8
CARD, COMMAND, MEMORY = "card", "command", "memory"
SIMULATED_LINE = mark("SIMULATED: these processes are made up")
READ_ONLY = mark("Read-only: nothing can be ended from this window.")
PID_HOST = mark(
    "This program runs in a container. The driver reports the pids of the host, and in here "
    "they mean nothing or somebody else, so programs have no names and cannot be ended. To see "
    "them, start the container with `--pid=host`."
)

Held = Mapping[str, float | None]  # by the card's number; None where it is not known


# The heading, what it means, and its name where there is room for more than the heading.
COLUMN_WORDS = {
    CARD: (mark("Card"), mark("The card, or the MIG instance, that it uses."), ""),
    COMMAND: (mark("Command"), mark("How the program was started."), ""),
    "pid": (mark("PID"), mark("The number of the process."), ""),
    "user": (mark("User"), mark("Whose process it is."), ""),
    MEMORY: (
        mark("Memory, {unit}"),
        mark("Memory of the card that it holds.\nnvidia-smi: used_gpu_memory"),
        mark("Memory of the card"),
    ),
    "sm": (
        mark("SM, %"),
        mark(
            "Share of the last moment in which one of its kernels ran on the card.\n"
            "nvidia-smi pmon: sm"
        ),
        mark("SM (computing)"),
    ),
    "history": (
        mark("SM, last 4 min"),
        mark("The same share over the last four minutes."),
        mark("SM of the last 4 minutes"),
    ),
    "controller": (
        mark("Memory ctrl, %"),
        mark(
            "Share of the last moment in which it read or wrote the card's memory.\n"
            "nvidia-smi pmon: mem"
        ),
        mark("Memory controller"),
    ),
    "encoder": (
        mark("Enc, %"),
        mark(
            "Share of the last moment in which it used the video encoder.\nnvidia-smi pmon: enc"
        ),
        mark("Video encoder"),
    ),
    "decoder": (
        mark("Dec, %"),
        mark(
            "Share of the last moment in which it used the video decoder.\nnvidia-smi pmon: dec"
        ),
        mark("Video decoder"),
    ),
    "cpu": (
        mark("CPU, %"),
        mark(
            "Time on the computer's processor, of one core: 200 % are two cores at full work."
        ),
        mark("Processor (CPU)"),
    ),
    "host_memory": (
        mark("Host, {unit}"),
        mark("Memory of the computer that it holds (resident set size)."),
        mark("Memory of the computer"),
    ),
    "since": (mark("Since"), mark("When it was started."), mark("Started at")),
    "use": (
        mark("Kind"),
        mark("C: it computes. G: it draws on a screen. C+G: both, as nvidia-smi says it."),
        mark("Kind (computes, draws)"),
    ),
    "container": (
        mark("Container"),
        mark("The container it runs in, where it does."),
        "",
    ),
}


@dataclass(frozen=True, slots=True)
class NobodyListed:
    """What stands in the place of the rows."""

    heading: str
    more: str = ""
    way_on: str = ""


@dataclass(frozen=True, slots=True)
class ProcessNotice:
    """A sentence above the rows."""

    sentence: str
    icon: Icon = Icon.NOTE
    tone: Tone = Tone.QUIET


def nobody(session: Session, cards: Sequence[Shown]) -> NobodyListed:
    """Where there is no row at all."""
    real = [shown for shown in cards if shown.card.kind is CardKind.GPU]
    if not real:
        return NobodyListed(tr("There is no card that a program could use."))
    if why := session.source.figures_alone:
        return NobodyListed(tr("Which programs use the cards is not known."), tr(why))
    unknown = set(session.processes_unknown())
    if all(_state(session, shown.card.id) is CardState.NO_DRIVER for shown in real):
        return NobodyListed(
            tr("The driver is gone."),
            tr(
                "Without it nobody knows which programs use the cards. It is looked for again"
                " and again; when it is back, processes are listed here."
            ),
        )
    if unknown.issuperset(shown.card.id for shown in real):
        reasons = "\n".join(_reasons(session, real))
        return NobodyListed(tr("Which programs use the cards is not known just now."), reasons)
    if all(session.process_book.looked_at(shown.card.id) is None for shown in real):
        return NobodyListed(tr("Asking the driver which programs use the cards…"))
    more = trn(
        "A program that uses the card is listed here.",
        "A program that uses one of the {count} cards is listed here.",
        len(real),
    )
    if session.stream.elsewhere and not session.simulated:
        container = tr(
            "This program runs in a container; started without --pid=host, some drivers "
            "leave out the processes of others."
        )
        more = f"{more}\n{container}"
    return NobodyListed(tr("No program uses a card."), more)


def filtered(hidden: int, words: str, card: str) -> NobodyListed:
    """Where a filter hides all rows there are."""
    if words and card:
        heading = tr("No process like “{words}” on card {card}.", words=words, card=card)
    elif words:
        heading = tr("No process like “{words}”.", words=words)
    else:
        heading = tr("No process on card {card}.", card=card) if card else tr("No process.")
    rest = trn(
        "{count} process is hidden by the filter.",
        "{count} processes are hidden by the filter.",
        hidden,
    )
    return NobodyListed(heading, rest, tr("Clear the filter"))


def notices(
    session: Session, cards: Sequence[Shown], rows: Sequence[BookRow]
) -> Sequence[ProcessNotice]:
    """What is to be known beside the rows; nothing where there are none."""
    if not rows:
        return ()
    found = []
    if any(row.named.elsewhere for row in rows):
        found.append(ProcessNotice(tr(PID_HOST)))
    unknown = set(session.processes_unknown())
    without = [shown for shown in cards if shown.card.id in unknown]
    if without:
        found.append(ProcessNotice(_untold(session, without), Icon.WARNING, Tone.WARN))
    return found


def _untold(session: Session, cards: Sequence[Shown]) -> str:
    count = len(cards)
    if count > _MOST_NAMED:
        return tr("Which programs use {count} of the cards is not known just now.", count=count)
    named = trn(
        "card {numbers}",
        "cards {numbers}",
        count,
        numbers=listed([shown.number for shown in cards]),
    )
    reasons = {session.state_sentence(shown.card.id) for shown in cards}
    if len(reasons) > 1 or _works(session, cards[0].card.id):
        return tr("Which programs use {cards} is not known just now.", cards=named)
    return tr(
        "Which programs use {cards} is not known just now: {reason}.",
        cards=named,
        reason=tr(reasons.pop()),
    )


def _reasons(session: Session, cards: Sequence[Shown]) -> list[str]:
    return [
        tr(
            "Card {number}: {reason}.",
            number=shown.number,
            reason=tr(session.state_sentence(shown.card.id)),
        )
        for shown in cards[:_MOST_NAMED]
    ]


def _works(session: Session, card: CardId) -> bool:
    return session.stream.silence(card) is None and _state(session, card) is CardState.WORKING


def _state(session: Session, card: CardId) -> CardState | None:
    reading = session.reading(card)
    return None if reading is None else reading.state


def summary(
    there: Sequence[NamedProcess],
    shown: int,
    rows: int,
    parents: Mapping[CardId, CardId],
    units: Units,
    *,
    simulated: bool,
    recorded: bool,
) -> str:
    """ "5 processes on 2 cards; this window holds no card memory". `rows` are all there are,
    also of processes that ended, or on a card that does not say who uses it. A recording says
    nothing of this window.
    """
    words = on_how_many(there, parents)
    if not words:
        return ""
    if shown < rows:
        words = trn(
            "{shown} of {count} row shown; {rest}",
            "{shown} of {count} rows shown; {rest}",
            rows,
            shown=shown,
            rest=words,
        )
    if simulated:
        return tr("{processes}, all made up", processes=words)
    if recorded:
        return words
    ours = [named for named in there if named.ours]
    if not ours:
        return tr("{processes}; this window holds no card memory", processes=words)
    held = sum(named.process.values.get(ProcessFigure.MEMORY, 0.0) for named in ours)
    return tr(
        "{processes}; this window holds {memory}", processes=words, memory=memory(held, units)
    )
