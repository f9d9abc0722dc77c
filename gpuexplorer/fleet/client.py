"""Prometheus: a question over HTTP, its whole answer within a time and a size, and what its
JSON says as plain values; or, as a sentence with a way out, why there is none. Follows no
redirection, so that no login goes where it was not meant to.
"""

import json
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import gpuexplorer
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.records import UNREADABLE, reader
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.fleet.login import Address, Login

PATIENCE = 30.0  # seconds for an answer
_LARGEST = 64_000_000  # of 150 000 cards
_SAID = 300  # letters of what a server says of it

Labels = Mapping[str, str]
T = TypeVar("T")


class Line(NamedTuple):
    """One series of a stretch of time."""

    labels: Labels
    times: Sequence[float]
    values: Sequence[float]


class Firing(NamedTuple):
    """An alert, in the words of whoever wrote its rule."""

    labels: Labels
    notes: Labels
    since: str  # as ISO 8601 writes it


class PrometheusError(Trouble):
    lasting = False  # asking again soon is pointless, and may lock somebody out
    status = 0  # of the answer, where there was one


class Prometheus:
    """For any thread but the window's, one at a time: every question waits for its answer, at
    most `patience`. Each raises PrometheusError, or Trouble where the login cannot be used.
    """

    def __init__(
        self, where: Address, login: Login | None = None, patience: float = PATIENCE
    ) -> None:
        self.where = where
        self.warnings: Sequence[str] = ()  # of the last answer that had some
        self._login, self._patience = login or Login(), patience
        self._connection: HTTPConnection | None = None
        self._asking, self._ended = threading.Lock(), False

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

    def table(self, query: str) -> Sequence[tuple[Labels, float]]:
        """Series of an instant."""
        return self._ask("query", _table, query=query)

    def samples(self, query: str) -> Sequence[Line]:
        """As they came, of a selector with a stretch of time, such as `m{…}[5m]`."""
        return self._ask("query", _lines, query=query)

    def range(self, query: str, start: float, end: float, step: float) -> Sequence[Line]:
        """A value per step, from the start on."""
        return self._ask("query_range", _lines, query=query, start=start, end=end, step=step)

    def names(self, since: float) -> Sequence[str]:
        """Of all metrics there are."""
        return self._ask("label/__name__/values", reader(Sequence[str]), start=since)

    def alerts(self) -> Sequence[Firing]:
        return self._ask("alerts", _firing)

    def end(self) -> None:
        """Gives up what is under way, and all that is asked from now on. For any thread."""
        self._ended = True
        self._hang_up()
        if self._asking.acquire(blocking=False):
            self._close()
            self._asking.release()

    # Any: what JSON holds, looked at by `read`.
    def _ask(self, path: str, read: Callable[[Any], T], **fields: str | float) -> T:
        written = {name: e if isinstance(e, str) else f"{e:.3f}" for name, e in fields.items()}
        with self._asking:
            body = self._body(f"{self.where.prefix}/api/v1/{path}", urlencode(written))
        try:
            answer = json.loads(body)
            if answer["status"] != "success":
                raise ValueError
            found = read(answer["data"])
            if said := answer.get("warnings"):
                self.warnings = [clean(each, _SAID) for each in said]
        except UNREADABLE:
            raise self._no_prometheus() from None
        return found

    def _body(self, path: str, fields: str) -> bytes:
        used_before = self._connection is not None
        try:
            try:
                return self._exchange(path, fields)
            except ConnectionError:
                # It may have hung up on a connection that lay idle: that is no answer.
                if not used_before or self._ended:
                    raise
                self._close()
                return self._exchange(path, fields)
        except (OSError, HTTPException, zlib.error) as error:
            self._close()
            raise self._no_answer(error) from None

    def _exchange(self, path: str, fields: str) -> bytes:
        if self._ended:
            raise ConnectionError
        if (connection := self._connection) is None:
            to, seconds = (self.where.host, self.where.port), self._patience
            connection = (
                HTTPSConnection(*to, timeout=seconds, context=self._login.tls())
                if self.where.secure
                else HTTPConnection(*to, timeout=seconds)
            )
            self._connection = connection
        headers = {
            "Accept": "application/json",
            "User-Agent": f"gpuexplorer/{gpuexplorer.__version__}",
            # Packing costs the server time, and on the same computer wins nothing.
            "Accept-Encoding": "identity" if self.where.is_here else "gzip",
        }
        if (login := self._login.header()) is not None:
            headers["Authorization"] = login
        if "query=" in fields:  # which may be longer than an address
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
            too_much = PrometheusError(
                "Prometheus at {url} answered with more than {size:.0f} MB, and was not read"
                " on.",
                "Ask for fewer cards with --match.",
                url=self.where.url,
                size=_LARGEST / 1e6,
            )
            too_much.status = answer.status
            raise too_much
        if answer.status != HTTPStatus.OK:
            raise _refused(answer.status, body, self.where.url, answer.getheader("Location"))
        if answer.length:
            raise IncompleteRead(b"")
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

    def _no_answer(self, error: Exception) -> PrometheusError:
        url = self.where.url
        if self._ended:
            return PrometheusError("The question to {url} was given up.", "", url=url)
        if isinstance(error, TimeoutError):
            return PrometheusError(
                "Prometheus at {url} did not answer in full within {seconds:.0f} s.",
                "It is asked again. If that stays so, ask for fewer cards with --match.",
                url=url,
                seconds=self._patience,
            )
        if isinstance(error, OSError):
            return unreachable(error, url, self.where.host)
        return self._no_prometheus()

    def _no_prometheus(self) -> PrometheusError:
        error = PrometheusError(
            "What answers at {url} is no Prometheus, or something changes its answers on the"
            " way.",
            "Look at the address, with its port and path.",
            url=self.where.url,
        )
        error.lasting, error.status = True, HTTPStatus.OK
        return error


# Any: whatever JSON holds; what is not as it should be raises one of UNREADABLE.
def _table(data: Any) -> Sequence[tuple[Labels, float]]:
    rows = _result(data, "vector")
    return [(_labels(row["metric"]), float(row["value"][1])) for row in rows]


def _lines(data: Any) -> Sequence[Line]:
    found = []
    for row in _result(data, "matrix"):
        times = [float(at) for at, _ in row["values"]]
        values = [float(value) for _, value in row["values"]]
        found.append(Line(_labels(row["metric"]), times, values))
    return found


def _firing(data: Any) -> Sequence[Firing]:
    return [
        Firing(
            _labels(row["labels"]),
            _labels(row.get("annotations") or {}),
            str(row.get("activeAt")),
        )
        for row in data["alerts"]
        if row["state"] == "firing"
    ]


def _result(data: Any, kind: str) -> Sequence[Any]:
    if data["resultType"] != kind or type(data["result"]) is not list:
        raise ValueError
    found: Sequence[Any] = data["result"]
    return found


def _labels(value: Any) -> Labels:
    if not all(type(each) is str for each in value.values()):
        raise TypeError
    labels: Labels = value
    return labels


_WANTS_TLS = b"HTTP request to an HTTPS server"  # as Go's servers and nginx say it
_LASTING = (301, 302, 303, 307, 308, 400, 401, 403, 404, 405)
_NO_PAGE = (
    mark("There is no Prometheus at {url}: the address answers, and knows no such page."),
    mark("If it stands behind a path, write that too: https://example.org/prometheus."),
)
_BUSY = (
    mark("Prometheus at {url} is too busy, or is just starting: {said}."),
    mark("It is asked again. If that stays so, ask for fewer cards with --match."),
)
_SENT_ON = (
    mark("{url} sends on to another address, {other}, which may be a page to log in."),
    mark("Nothing was sent there. If that is the Prometheus, name it with --prometheus."),
)
_OTHER = (
    mark("{url} answered with status {status}: {said}."),
    mark("Look at the log of Prometheus, or of what stands before it."),
)
_WORDS = {
    400: (
        mark("Prometheus at {url} does not understand the question: {said}."),
        mark("If --match was given, look for the mistake there."),
    ),
    401: (
        mark("Prometheus at {url} wants to know who asks, and this login is not accepted."),
        mark("Name a file with user and password, or a token, with --prometheus-login."),
    ),
    403: (
        mark("Prometheus at {url} does not let this login read it."),
        mark("Ask whoever runs it for the right to read, or use another login."),
    ),
    422: (
        mark("Prometheus at {url} could not work the answer out: {said}."),
        mark("If it names a limit, ask for fewer cards with --match."),
    ),
    **dict.fromkeys((404, 405), _NO_PAGE),
    **dict.fromkeys((429, 503, 504), _BUSY),
}


def _refused(status: int, body: bytes, url: str, sent_to: str | None) -> PrometheusError:
    """For an answer that is not 200."""
    sentence, hint = _WORDS.get(status, _OTHER if sent_to is None else _SENT_ON)
    if _WANTS_TLS in body:
        sentence = mark("At {url} https is spoken, and the address says http.")
        hint = mark("Write https:// before it.")
    said = ""
    with suppress(*UNREADABLE):
        said = HTTPStatus(status).phrase
        told = clean(json.loads(body)["error"], _SAID)  # a page for browsers is not quoted
        said = told.rstrip(".") or said
    error = PrometheusError(
        sentence,
        hint,
        status=status,
        url=url,
        other=clean(sent_to or "", _SAID),
        said=said or Message("it gives no reason"),
    )
    error.lasting, error.status = status in _LASTING, status
    return error


def unreachable(error: OSError, url: str, host: str) -> PrometheusError:
    """For a network that carries nothing there and back."""
    said, lasting = error.strerror or "it was closed", False
    match error:
        case ssl.SSLError():
            sentence, hint = _of_tls(error)
            said = getattr(error, "verify_message", "") or error.reason or str(error)
            lasting = sentence is not _NOT_ENCRYPTED
        case socket.gaierror():
            sentence = mark("This computer finds no address for the name {host}.")
            hint = mark("Look at how it is written, and at the network.")
        case ConnectionRefusedError():
            sentence = mark("Nothing listens at {url}.")
            hint = mark("Look whether Prometheus runs, and its port.")
        case _:
            sentence = mark("The connection to {url} broke: {said}.")
            hint = mark("It is tried again.")
    told = clean(said, _SAID).rstrip(".")
    refusal = PrometheusError(sentence, hint, url=url, host=host, said=told)
    refusal.lasting = lasting
    return refusal


_TLS = (
    (
        ("CERTIFICATE_REQUIRED",),
        mark("{host} wants to see a certificate of yours."),
        mark("Name it with certificate_file and key_file in --prometheus-login."),
    ),
    (
        ("UNKNOWN_CA", "_CERTIFICATE"),
        mark("{host} does not accept your certificate: {said}."),
        mark("Ask whoever runs it for one, and name it in --prometheus-login."),
    ),
    (
        ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"),
        mark("{url} does not speak https."),
        mark("Look at the port; if it is right, write http:// before it."),
    ),
)
_NOT_ENCRYPTED = mark("No encrypted connection to {host} comes about: {said}.")
_OF_UNKNOWN_CA = range(18, 22)  # OpenSSL's X509_V_ERR_… for that


def _of_tls(error: ssl.SSLError) -> tuple[str, str]:
    if isinstance(error, ssl.SSLCertVerificationError):
        hint = mark(
            "It must be for this name and this day: ask whoever runs it for another one."
        )
        if error.verify_code in _OF_UNKNOWN_CA:
            hint = mark("If it is from a CA of your own, name that with ca_file in the login.")
        return mark("{host} shows a certificate that is not trusted: {said}."), hint
    for reasons, sentence, hint in _TLS:
        if any(each in (error.reason or "") for each in reasons):
            return sentence, hint
    return _NOT_ENCRYPTED, mark(
        "Look whether it speaks https at that port, and whether it wants a certificate."
    )
