"""Prometheus: what can be asked of one, always of a selector that is closed."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from gpuexplorer.fleet import answers
from gpuexplorer.fleet.address import Address
from gpuexplorer.fleet.answers import (
    Line,
    NoAnswerError,
    T,
    Table,
    Told,
    TooMuchError,
)
from gpuexplorer.fleet.asker import Asker, Fields
from gpuexplorer.fleet.login import Login
from gpuexplorer.fleet.refusals import no_prometheus, too_much

MOST_POINTS = 11_000  # of a series; Prometheus refuses more
PATIENCE = 30.0  # seconds for an answer
_MOST_BYTES = 64_000_000  # of what is read in pieces
_SMALL = 8_000_000
_API = "/api/v1/"


class Prometheus:
    """For any thread but the window's: every question waits for its answer, at most `patience`.

    Each raises PrometheusError with a sentence, or Trouble where the login cannot be used.
    """

    def __init__(
        self, where: Address, login: Login | None = None, patience: float = PATIENCE
    ) -> None:
        self.where = where
        self._patience = patience
        self._login = login or Login()
        self._asker = Asker(where, self._login)
        self.warnings: Sequence[str] = ()  # of the last answer that had some

    def table(self, query: str) -> Table:
        """Of an instant."""
        return self._ask("query", {"query": query}, answers.table_of, _MOST_BYTES)

    def samples(self, query: str) -> Sequence[Line]:
        """As they came, of a selector with a stretch of time, such as `m{…}[5m]`."""
        return self._ask("query", {"query": query}, answers.lines)

    def range(self, query: str, start: float, end: float, step: float) -> Sequence[Line]:
        """From the asked start on, a value per step: see `aligned`."""
        if not (step > 0 and end >= start) or (end - start) / step > MOST_POINTS:
            raise ValueError("more points than are answered")
        times = {"start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step:.3f}"}
        return self._ask("query_range", {"query": query, **times}, answers.lines)

    def names(self, since: float) -> Sequence[str]:
        """Of all metrics there are."""
        path = "label/__name__/values"
        return self._ask(path, {"start": f"{since:.0f}"}, answers.words, _SMALL, post=False)

    def labels(self, selector: str, since: float) -> Sequence[str]:
        """Which labels the series of this selector have."""
        asked: Fields = {"match[]": [selector], "start": f"{since:.0f}"}
        return self._ask("labels", asked, answers.words, _SMALL)

    # Any: rows of JSON, which whoever asks looks at with care.
    def alerts(self) -> Sequence[Any]:
        return self._ask("alerts", {}, answers.alerts, post=False)

    def another(self) -> "Prometheus":
        """A client for the same, which ends by itself."""
        return Prometheus(self.where, self._login, self._patience)

    def end(self) -> None:
        """Gives up what waits. For any thread."""
        self._asker.end()

    def _ask(
        self,
        path: str,
        fields: Fields,
        read: Callable[[bytes], Told[T]],
        most: int = answers.MOST_AT_ONCE,
        *,
        post: bool = True,
    ) -> T:
        body = self._asker.ask(_API + path, fields, most, self._patience, post)
        try:
            found, warnings = read(body)
        except TooMuchError:
            raise too_much(self.where.url, answers.MOST_AT_ONCE) from None
        except NoAnswerError:
            raise no_prometheus(self.where.url) from None
        if warnings:
            self.warnings = warnings
        return found


def aligned(
    start: float, end: float, columns: int, finest: float
) -> tuple[float, float, float]:
    """Start, end and step that stay the same points while a plot is moved. `finest`: how often
    there is something new.
    """
    wanted = max((end - start) / max(1, min(columns, MOST_POINTS - 2)), finest, 1.0)
    step = next((each for each in _STEPS if each >= wanted), math.ceil(wanted))
    return math.floor(start / step) * step, math.ceil(end / step) * step, step


_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400)
