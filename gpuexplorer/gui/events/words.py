"""What the screen of events says."""

from gpuexplorer.core.words import Message, mark, paragraph, tr

NOTHING_LISTED = mark("No event is listed that could be copied.")
SIMULATED_LINE = mark("SIMULATED: these events are made up")
WOULD_BE_TOLD = mark(
    "Lost cards, cards that stop answering, fall asleep or are slowed down, memory errors, "
    "alerts, and programs that come and go are listed here as they happen."
)
NO_SUCH = mark("No event matches this kind, card and search.")
_THIN = "\N{THIN SPACE}"


def list_state(total: int, listed: int, *, chosen: bool) -> str:
    """ "5 of 9 events. Newest first. …"; empty where nothing ever took place."""
    if not total:
        return ""
    number = thousands(total)
    state = Message.counted("{count} event.", "{number} events.", total, number=number)
    if chosen:
        state = Message.counted(
            "{listed} of {count} event.",
            "{listed} of {number} events.",
            total,
            listed=thousands(listed),
            number=number,
        )
    hint = tr("Newest first. Enter shows the moment on the plots.") if listed else ""
    return paragraph([state, hint])


def with_count(words: str, count: int) -> str:
    return f"{words}  {thousands(count)}" if count else words


def thousands(number: int) -> str:
    return f"{number:,}".replace(",", _THIN)
