"""Prometheus: where one is asked, as a person typed it, and by whose login; a question over
HTTP, its whole answer within a time and a size, and what its JSON says as plain values; or, as
a sentence with a way out, why there is none. Follows no redirection, so that no login goes
where it was not meant to. A login stands in a file, which names other files:

    user = "me"
    password_file = "password"      # or password = "…", in a file that nobody else may read
    bearer_file = "token"           # instead of user and password
    ca_file = "own-ca.pem"          # certificates that are trusted instead of the system's
    certificate_file = "me.pem"     # a certificate of our own, and its key
    key_file = "me.key"

Files are looked for beside it, and read again at each use, since tokens are changed by others.
"""

import base64
import ipaddress
import json
import os
import socket
import ssl
import threading
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection, IncompleteRead
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode, urlsplit

import gpuexplorer
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.records import UNREADABLE, reader
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark

_FORMS = "Such as: http://prometheus.example.org:9090, or https://example.org/prometheus"


class Address(NamedTuple):
    """Without a name or a password: those stand in no command line and in no window."""

    secure: bool
    host: str
    port: int
    prefix: str = ""  # "/prometheus", where it stands behind such a path

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme, usual = ("https", 443) if self.secure else ("http", 80)
        port = "" if self.port == usual else f":{self.port}"
        return f"{scheme}://{host}{port}{self.prefix}"

    @property
    def is_here(self) -> bool:
        """Whether no network lies between."""
        with suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host == "localhost"


def address(text: str) -> Address:
    """Raises Trouble for what is none, and says nothing of a password in it."""
    if "@" in text:
        raise Trouble(
            "A name or a password in the address of Prometheus could be read by others.",
            "Write them into a file and name it with --prometheus-login.",
        )
    text = text.strip()
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"http://{text}")
        secure, prefix = parts.scheme == "https", parts.path.rstrip("/")
        port = (443 if secure else 80) if parts.port is None else parts.port
        plain = text.isascii() and text.isprintable() and " " not in text
        plain = plain and not parts.query and not parts.fragment
        if plain and parts.hostname and port and parts.scheme in ("http", "https"):
            prefix = prefix.removesuffix("/api/v1").removesuffix("/graph")
            return Address(secure, parts.hostname, port, prefix)
    raise Trouble("{text!r} is no address of a Prometheus.", _FORMS, text=text[:200])


_OTHERS = 0o077
# The certificates of Red Hat and its kin, of SUSE, and of Alpine.
SYSTEMS = (
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True, repr=False)
class Login:
    """By default nobody in particular. Never shown: it has no text of its own."""

    user: str = ""
    password: str | None = None
    password_file: Path | None = None
    bearer_file: Path | None = None
    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None

    @property
    def secret(self) -> bool:
        """Whether something goes along that others must not read."""
        return bool(self.user) or self.bearer_file is not None

    def header(self) -> str | None:
        """What stands behind `Authorization:`. Raises Trouble where a file cannot be read."""
        if self.bearer_file is not None:
            return f"Bearer {_only_line(self.bearer_file)}"
        if not self.user:
            return None
        password = self.password or ""
        if self.password_file is not None and not password:
            password = _only_line(self.password_file)
        return f"Basic {base64.b64encode(f'{self.user}:{password}'.encode()).decode()}"

    def tls(self) -> ssl.SSLContext:
        """Raises Trouble where a certificate cannot be used."""
        try:
            context = ssl.create_default_context(cafile=self.ca_file or _of_this_system())
        except (OSError, ValueError):  # an SSLError is the first
            raise Trouble(
                "{file} holds no certificates.",
                "It must be a file of PEM, with BEGIN CERTIFICATE in it.",
                file=self.ca_file,
            ) from None
        if self.certificate_file is not None:
            try:
                # An encrypted key would ask for its words at the terminal.
                context.load_cert_chain(self.certificate_file, self.key_file, password="")
            except (OSError, ValueError):
                raise Trouble(
                    "The certificate {file} and its key cannot be used.",
                    "Both must be PEM and belong together, and the key must not be encrypted.",
                    file=self.certificate_file,
                ) from None
        return context


_KEYS = tuple(each.name for each in fields(Login))


def read_login(path: Path, ask: Callable[[str], str] | None = None) -> Login:
    """`ask` gets a password from the person, by the user's name. Raises Trouble."""
    try:
        told = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        # Python's words tell the place; they quote a letter at most.
        raise Trouble(
            "{file} cannot be read as settings: {reason}",
            'A line in it is such as: user = "me"',
            file=path,
            reason=str(error)[:200],
        ) from None
    for key, value in told.items():
        if key not in _KEYS or not isinstance(value, str) or not value:
            raise Trouble(
                "{file} says something that a login does not have: {key!r}.",
                "It may have these, each a text: {keys}.",
                file=path,
                key=key[:100],
                keys=", ".join(_KEYS),
            )
    files = {key: path.parent / told[key] for key in told if key in _KEYS[2:]}
    for file in files.values():
        _text(file)
    login = Login(**{**told, **files})
    wrong = ""
    if login.bearer_file and login.user:
        wrong = mark("{file} names both a user and a bearer token, and only one can be sent.")
    elif not login.user and (login.password or login.password_file):
        wrong = mark("{file} names a password and no user.")
    elif login.key_file and not login.certificate_file:
        wrong = mark("{file} names a key and no certificate.")
    if wrong:
        raise Trouble(wrong, "Mend that file.", file=path)
    if login.password and os.name == "posix" and path.stat().st_mode & _OTHERS:
        raise Trouble(
            "A password stands in {file}, and other users may read that file.",
            "Take that right away: chmod 600 {file}",
            file=path,
        )
    if login.user and login.password is None and login.password_file is None:
        if ask is None:
            raise Trouble(
                "{file} names a user and no password.",
                "Name a file that holds it, with password_file, or start this in a terminal,"
                " where it is asked for.",
                file=path,
            )
        login = replace(login, password=ask(login.user))
    return login


def _of_this_system() -> str | None:
    """The packaged program brings an OpenSSL that looks where Debian has them."""
    usual = ssl.get_default_verify_paths()
    if usual.cafile or usual.capath:
        return None
    return next((each for each in SYSTEMS if Path(each).is_file()), None)


def _only_line(path: Path) -> str:
    text = _text(path).strip()
    if not text or not text.isprintable() or not text.isascii():
        raise Trouble(
            "{file} holds no password or token: it must be one line of plain letters.",
            "Write it into that file and nothing else.",
            file=path,
        )
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else Message("it is no text")
        raise Trouble(
            "{file} cannot be read: {reason}.",
            "The login for Prometheus names it: mend its name or its rights.",
            file=path,
            reason=told,
        ) from None


PATIENCE = 30.0  # seconds for an answer
_LARGEST = 64_000_000  # of 150 000 cards
_SAID = 300  # letters of what a server says of it

Labels = Mapping[str, str]
Line = tuple[Labels, Sequence[tuple[float, float]]]  # a series, and its values by time
T = TypeVar("T")
_labels: Callable[[Any], Labels] = reader(Mapping[str, str])  # Any: whatever JSON holds


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

    def alerts(self) -> Sequence[tuple[Labels, Labels]]:
        """Of those that fire, the labels and the annotations; the oldest first."""
        return self._ask("alerts", _firing)

    def end(self) -> None:
        """Gives up what is under way, and all that is asked from now on. For any thread."""
        self._ended = True
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits
        if self._asking.acquire(blocking=False):
            self._close()
            self._asking.release()

    def no_answer(self, error: Exception) -> PrometheusError:
        """Why there is none, or none of a Prometheus."""
        if self._ended:
            return self._error("given up")
        if isinstance(error, ssl.SSLError):
            said = getattr(error, "verify_message", "") or error.reason or str(error)
            reason = error.reason or ""
            key = next((key for part, key in _TLS.items() if part in reason), "tls broke")
            return self._error(key, said=clean(said, _SAID).rstrip("."))
        if isinstance(error, OSError):
            kinds = TimeoutError, socket.gaierror, ConnectionRefusedError
            kind = next((each for each in kinds if isinstance(error, each)), OSError)
            said = clean(error.strerror or "it was closed", _SAID).rstrip(".")
            return self._error(kind, said=said)
        return self._error("no prometheus", HTTPStatus.OK)

    # Any: what JSON holds, looked at by `read`.
    def _ask(self, path: str, read: Callable[[Any], T], **fields: str | float) -> T:
        with self._asking:
            body = self._body(f"{self.where.prefix}/api/v1/{path}", urlencode(fields))
        try:
            answer = json.loads(body)
            if answer["status"] != "success":
                raise ValueError
            found = read(answer["data"])
            if said := answer.get("warnings"):
                self.warnings = [clean(each, _SAID) for each in said]
        except UNREADABLE:
            raise self._error("no prometheus", HTTPStatus.OK) from None
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
            raise self.no_answer(error) from None

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
            "Content-Type": "application/x-www-form-urlencoded",
        }
        if (login := self._login.header()) is not None:
            headers["Authorization"] = login
        if "query=" in fields:  # which may be longer than an address
            connection.request("POST", path, fields.encode(), headers)
        else:
            connection.request("GET", f"{path}?{fields}", None, headers)
        answer = connection.getresponse()
        body = answer.read(_LARGEST + 1)
        if answer.getheader("Content-Encoding") == "gzip":
            body = zlib.decompressobj(wbits=31).decompress(body, _LARGEST + 1)
        if len(body) > _LARGEST:
            self._close()
            raise self._error("too much", answer.status)
        if answer.status != HTTPStatus.OK:
            raise self._refused(answer.status, body, answer.getheader("Location"))
        if answer.length:
            raise IncompleteRead(b"")
        return body

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _refused(self, status: int, body: bytes, sent_to: str | None) -> PrometheusError:
        """For an answer that is not 200."""
        key: object = status if status in _WORDS else "sent on" if sent_to else "other"
        key = "wants tls" if _WANTS_TLS in body else key
        said = ""
        with suppress(*UNREADABLE):
            said = HTTPStatus(status).phrase
            told = clean(json.loads(body)["error"], _SAID)  # a page for browsers is not quoted
            said = told.rstrip(".") or said
        other = clean(sent_to or "", _SAID)
        return self._error(key, status, other=other, said=said or Message("it gives no reason"))

    def _error(self, key: object, status: int = 0, **values: object) -> PrometheusError:
        values |= {"url": self.where.url, "host": self.where.host}
        values |= {"seconds": self._patience, "size": _LARGEST / 1e6, "status": status}
        error = PrometheusError(*_WORDS[key], **values)
        error.lasting, error.status = key in _LASTING, status
        return error


# Any: whatever JSON holds; what is not as it should be raises one of UNREADABLE.
def _table(data: Any) -> Sequence[tuple[Labels, float]]:
    return [(_labels(row["metric"]), float(row["value"][1])) for row in data["result"]]


def _lines(data: Any) -> Sequence[Line]:
    return [
        (_labels(row["metric"]), [(float(at), float(value)) for at, value in row["values"]])
        for row in data["result"]
    ]


def _firing(data: Any) -> Sequence[tuple[Labels, Labels]]:
    fires = [row for row in data["alerts"] if row["state"] == "firing"]
    fires.sort(key=lambda row: str(row.get("activeAt")))
    return [(_labels(row["labels"]), _labels(row.get("annotations") or {})) for row in fires]


_WANTS_TLS = b"HTTP request to an HTTPS server"  # as Go's servers and nginx say it
_TLS = {  # by a part of OpenSSL's reason
    "CERTIFICATE_VERIFY_FAILED": "not trusted",
    "CERTIFICATE_REQUIRED": "certificate wanted",
    "UNKNOWN_CA": "certificate refused",
    "_CERTIFICATE": "certificate refused",
    "WRONG_VERSION_NUMBER": "no tls",
    "HTTP_REQUEST": "no tls",
}
_NO_PAGE = (
    mark("There is no Prometheus at {url}: the address answers, and knows no such page."),
    mark("If it stands behind a path, write that too: https://example.org/prometheus."),
)
_BUSY = (
    mark("Prometheus at {url} is too busy, or is just starting: {said}."),
    mark("It is asked again. If that stays so, ask for fewer cards with --match."),
)
_LASTING = {
    *(400, 401, 403, 404, 405, "sent on", "wants tls", "no prometheus"),
    *("not trusted", "certificate wanted", "certificate refused", "no tls"),
}
# Why there is no answer, and the way out: by the status of an answer, by Python's error, or by
# a word of ours.
_WORDS: Mapping[object, tuple[str, str]] = {
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
    "sent on": (
        mark("{url} sends on to another address, {other}, which may be a page to log in."),
        mark("Nothing was sent there. If that is the Prometheus, name it with --prometheus."),
    ),
    "other": (
        mark("{url} answered with status {status}: {said}."),
        mark("Look at the log of Prometheus, or of what stands before it."),
    ),
    "wants tls": (
        mark("At {url} https is spoken, and the address says http."),
        mark("Write https:// before it."),
    ),
    "no prometheus": (
        mark(
            "What answers at {url} is no Prometheus, or something changes its answers on the"
            " way."
        ),
        mark("Look at the address, with its port and path."),
    ),
    "too much": (
        mark("Prometheus at {url} answered with more than {size:.0f} MB, and was not read on."),
        mark("Ask for fewer cards with --match."),
    ),
    "given up": (mark("The question to {url} was given up."), ""),
    TimeoutError: (
        mark("Prometheus at {url} did not answer in full within {seconds:.0f} s."),
        mark("It is asked again. If that stays so, ask for fewer cards with --match."),
    ),
    socket.gaierror: (
        mark("This computer finds no address for the name {host}."),
        mark("Look at how it is written, and at the network."),
    ),
    ConnectionRefusedError: (
        mark("Nothing listens at {url}."),
        mark("Look whether Prometheus runs, and its port."),
    ),
    OSError: (
        mark("The connection to {url} broke: {said}."),
        mark("It is tried again."),
    ),
    "not trusted": (
        mark("{host} shows a certificate that is not trusted: {said}."),
        mark(
            "It must be for this name and this day. If it is from a CA of your own, name that"
            " with ca_file in the login."
        ),
    ),
    "certificate wanted": (
        mark("{host} wants to see a certificate of yours."),
        mark("Name it with certificate_file and key_file in --prometheus-login."),
    ),
    "certificate refused": (
        mark("{host} does not accept your certificate: {said}."),
        mark("Ask whoever runs it for one, and name it in --prometheus-login."),
    ),
    "no tls": (
        mark("{url} does not speak https."),
        mark("Look at the port; if it is right, write http:// before it."),
    ),
    "tls broke": (
        mark("No encrypted connection to {host} comes about: {said}."),
        mark("Look whether it speaks https at that port, and whether it wants a certificate."),
    ),
}
