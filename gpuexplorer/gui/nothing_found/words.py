"""What stands on each screen as soon as a card answers."""

from gpuexplorer.core.words import mark
from gpuexplorer.gui.theme.icons import Icon

OVERVIEW = "overview"
STANDS_HERE = {
    OVERVIEW: (
        Icon.CARD,
        mark(
            "Every card gets a tile here: how busy and how full it is, its power, its "
            "temperature and its links, over time."
        ),
    ),
    "processes": (
        Icon.PROCESSES,
        mark(
            "Programs that use a card are listed here: who runs each, how much of the card's "
            "memory it holds, and how busy it keeps the card."
        ),
    ),
    "topology": (
        Icon.TOPOLOGY,
        mark(
            "The machine is drawn here as soon as a card answers: cards, processors, switches "
            "and the links between them, each with what it can carry and what it carries now."
        ),
    ),
    "events": (
        Icon.EVENTS,
        mark(
            "What happens to a card is listed here: throttling, errors, a card that is lost or "
            "comes back, and every alert, each with its beginning and its end."
        ),
    ),
}
