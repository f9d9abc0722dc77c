"""Prometheus: a question over HTTP, its whole answer within a time and a size, and what its
JSON says as plain values: whatever else comes is no answer. Follows no redirection, so that no
login goes where it was not meant to.
"""

import http.client
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import gpuexplorer
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.records import UNREADABLE, reader
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.fleet.login import Address, Login
from gpuexplorer.fleet.refusals import PrometheusError, refused, unreachable

PATIENCE = 30.0  # seconds for an answer
# Of 150 000 cards. To read more would keep all else of the program waiting.
_LARGEST = 64_000_000

Labels = Mapping[str, str]
T = TypeVar("T")


class Table(NamedTuple):
    """Many series of an instant."""

    labels: Sequence[Labels]
    values: Sequence[float]


class Line(NamedTuple):
    """One series of a stretch of time."""

    labels: Labels
    times: Sequence[float]
    values: Sequence[float]


class Firing(NamedTuple):
    """An alert, in the words of whoever wrote its rule."""

    labels: Labels
    notes: Labels


class Prometheus:
    """For any thread but the window's, one at a time: every question waits for its answer, at
    most `patience`. Each raises PrometheusError with a sentence, or Trouble where the login
    cannot be used.
    """

    def __init__(
        self, where: Address, login: Login | None = None, patience: float = PATIENCE
    ) -> None:
        self.where = where
        self._login, self._patience = login or Login(), patience
        self._connection: http.client.HTTPConnection | None = None
        self._asking, self._ended = threading.Lock(), False
        self._warnings: Sequence[str] = ()  # of the last answer that had some

    @property
    def exposed(self) -> Message:
        """That others can read the login on its way; else nothing."""
        if self.where.secure or self.where.is_here or not self._login.secret:
            return NOTHING
        return Message(
            "The login goes to {host} over plain http, and whoever is on the way can read it."
            " Use https, or a tunnel of ssh.",
            host=self.where.host,
        )

    def table(self, query: str) -> Table:
        """Of an instant."""
        return self._ask("query", {"query": query}, _table)

    def samples(self, query: str) -> Sequence[Line]:
        """As they came, of a selector with a stretch of time, such as `m{…}[5m]`."""
        return self._ask("query", {"query": query}, _lines)

    def range(self, query: str, start: float, end: float, step: float) -> Sequence[Line]:
        """A value per step, from the start on."""
        times = {"start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step:.3f}"}
        return self._ask("query_range", {"query": query, **times}, _lines)

    def names(self, since: float) -> Sequence[str]:
        """Of all metrics there are."""
        return self._ask(
            "label/__name__/values",
            {"start": f"{since:.0f}"},
            reader(Sequence[str]),
            post=False,
        )

    def alerts(self) -> Sequence[Firing]:
        return self._ask("alerts", {}, _firing, post=False)

    def taken_warnings(self) -> Sequence[str]:
        """What the server warned of since this was asked last."""
        said, self._warnings = self._warnings, ()
        return said

    def another(self) -> "Prometheus":
        """A client for the same, which ends by itself."""
        return Prometheus(self.where, self._login, self._patience)

    def end(self) -> None:
        """Gives up what is under way, and all that is asked from now on. For any thread."""
        self._ended = True
        self._hang_up()
        if self._asking.acquire(blocking=False):
            self._close()
            self._asking.release()

    # Any: what JSON holds, looked at by `read`.
    def _ask(
        self,
        path: str,
        fields: Mapping[str, str],
        read: Callable[[Any], T],
        *,
        post: bool = True,
    ) -> T:
        with self._asking:
            body = self._body(f"{self.where.prefix}/api/v1/{path}", urlencode(fields), post)
        try:
            answer = json.loads(body)
            if answer["status"] != "success":
                raise ValueError
            found = read(answer["data"])
            if said := answer.get("warnings"):
                self._warnings = [clean(each, 300) for each in said]
        except UNREADABLE:
            raise self._no_prometheus() from None
        return found

    def _body(self, path: str, fields: str, post: bool) -> bytes:
        until = time.monotonic() + self._patience
        # A server that sends a letter now and then must not hold it longer.
        watch = threading.Timer(self._patience, self._hang_up)
        watch.daemon, watch.name = True, "patience with Prometheus"
        watch.start()
        used_before = self._connection is not None
        try:
            try:
                body = self._exchange(path, fields, post)
            except ConnectionError:
                # It may have hung up on a connection that lay idle: that is no answer.
                if not used_before or self._ended:
                    raise
                self._close()
                body = self._exchange(path, fields, post)
            if time.monotonic() >= until:
                # A head that was cut off looks like one with nothing behind it.
                raise TimeoutError
            return body
        except (OSError, http.client.HTTPException, zlib.error, ValueError) as error:
            self._close()
            if self._ended:
                url = self.where.url
                raise PrometheusError("The question to {url} was given up.", url=url) from None
            if isinstance(error, TimeoutError) or time.monotonic() >= until:
                raise PrometheusError(
                    "Prometheus at {url} did not answer in full within {seconds:.0f} s.",
                    "It is asked again. If that stays so, ask for fewer cards with --match.",
                    url=self.where.url,
                    seconds=self._patience,
                ) from None
            if isinstance(error, OSError):
                raise unreachable(error, self.where.url, self.where.host) from None
            raise self._no_prometheus() from None
        finally:
            watch.cancel()

    def _exchange(self, path: str, fields: str, post: bool) -> bytes:
        if self._ended:
            raise ConnectionError
        if (connection := self._connection) is None:
            host, port, seconds = self.where.host, self.where.port, self._patience
            if self.where.secure:
                tls = self._login.tls()
                connection = http.client.HTTPSConnection(
                    host, port, timeout=seconds, context=tls
                )
            else:
                connection = http.client.HTTPConnection(host, port, timeout=seconds)
            self._connection = connection
        headers = {
            "Accept": "application/json",
            "User-Agent": f"gpuexplorer/{gpuexplorer.__version__}",
            # Packing costs the server time, and on the same computer wins nothing.
            "Accept-Encoding": "identity" if self.where.is_here else "gzip",
        }
        if (login := self._login.header()) is not None:
            headers["Authorization"] = login
        if post:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            connection.request("POST", path, fields.encode(), headers)
        else:
            connection.request("GET", f"{path}?{fields}", None, headers)
        answer = connection.getresponse()
        body = answer.read(_LARGEST + 1)
        if answer.getheader("Content-Encoding") == "gzip":
            body = zlib.decompressobj(wbits=31).decompress(body, _LARGEST + 1)
        if len(body) > _LARGEST:
            self._close()
            raise PrometheusError(
                "Prometheus at {url} answered with more than {size:.0f} MB, and was not read"
                " on.",
                "Ask for fewer cards with --match.",
                status=answer.status,
                url=self.where.url,
                size=_LARGEST / 1e6,
            )
        if answer.status != HTTPStatus.OK:
            raise refused(answer.status, body, self.where.url, answer.getheader("Location"))
        if answer.length:
            raise http.client.IncompleteRead(b"")
        return body

    def _hang_up(self) -> None:
        """Wakes the thread that waits."""
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _no_prometheus(self) -> PrometheusError:
        return PrometheusError(
            "What answers at {url} is no Prometheus, or something changes its answers on the"
            " way.",
            "Look at the address, with its port and path.",
            lasting=True,
            status=HTTPStatus.OK,
            url=self.where.url,
        )


# Any: whatever JSON holds; what is not as it should be raises one of UNREADABLE.
def _table(data: Any) -> Table:
    rows = _result(data, "vector")
    values = [float(row["value"][1]) for row in rows]
    return Table([_labels(row["metric"]) for row in rows], values)


def _lines(data: Any) -> Sequence[Line]:
    found = []
    for row in _result(data, "matrix"):
        times, values = [], []
        for at, value in row["values"]:
            times.append(float(at))
            values.append(float(value))
        found.append(Line(_labels(row["metric"]), times, values))
    return found


def _firing(data: Any) -> Sequence[Firing]:
    return [
        Firing(_labels(row["labels"]), _labels(row.get("annotations") or {}))
        for row in data["alerts"]
        if row["state"] == "firing"
    ]


def _result(data: Any, kind: str) -> Sequence[Any]:
    if data["resultType"] != kind or type(data["result"]) is not list:
        raise ValueError
    found: Sequence[Any] = data["result"]
    return found


def _labels(value: Any) -> Labels:
    for each in value.values():
        if type(each) is not str:
            raise TypeError
    labels: Labels = value
    return labels
