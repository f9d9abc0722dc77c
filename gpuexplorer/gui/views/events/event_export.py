"""Events as text for the clipboard, and as a file that can be computed with."""

import csv
import io
from collections.abc import Sequence
from datetime import datetime

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.views.events.event_rows import Told
from gpuexplorer.gui.wording.moments import moment_words

SIMULATED_LINE = mark("SIMULATED: these events are made up")
_CAPTIONS = (
    *("time", "simulated", "kind", "card", "card_id", "what_happened", "how_it_came_out"),
    "lasted [s]",
)


def as_text(rows: Sequence[Told], now: float, *, simulated: bool) -> str:
    """With tabs between, so that a spreadsheet takes it as a table. `now`: the time of day."""
    lines = [tr(SIMULATED_LINE)] if simulated else []
    for row in rows:
        time = moment_words(row.happening.wall, now)
        said = (time, row.number, row.happening.sentence, row.result)
        lines.append("\t".join(said).rstrip())
    return "\n".join(lines) + "\n"


def as_csv(rows: Sequence[Told], *, simulated: bool) -> str:
    """The time with its zone, and lengths in seconds. For any thread: it may take long."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CAPTIONS)
    for row in rows:
        happening = row.happening
        moment = datetime.fromtimestamp(happening.wall).astimezone()
        writer.writerow(
            (
                moment.isoformat(timespec="milliseconds"),
                "yes" if simulated else "no",
                happening.kind.value,
                row.number,
                happening.card or "",
                happening.sentence,
                row.result,
                "" if happening.lasted is None else f"{happening.lasted:.6g}",
            )
        )
    return text.getvalue()
