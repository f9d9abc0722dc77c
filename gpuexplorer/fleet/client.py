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
import re
import socket
import ssl
import threading
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import gpuexplorer
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.records import UNREADABLE, reader
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark

_URL = re.compile(
    r"(?:(https?)://)?([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(/[\w./~%:@!$&'()*+,;=-]*)?",
    re.ASCII | re.IGNORECASE,
)
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
    found = _URL.fullmatch(text.strip())
    if found is not None and int(found[3] or 1) < 1 << 16:
        scheme, host, port, path = found.groups("")
        secure = scheme.lower() == "https"
        prefix = path.rstrip("/").removesuffix("/api/v1").removesuffix("/graph")
        return Address(secure, host.strip("[]"), int(port or (443 if secure else 80)), prefix)
    raise Trouble("{text!r} is no address of a Prometheus.", _FORMS, text=text[:200])


_OTHERS = 0o077
# The certificates of Red Hat and its kin, of SUSE, and of Alpine.
SYSTEMS = ("/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem")


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
        file = self.ca_file
        try:
            context = ssl.create_default_context(cafile=file or _of_this_system())
            if (file := self.certificate_file) is not None:
                # An encrypted key would ask for its words at the terminal.
                context.load_cert_chain(file, self.key_file, password="")
        except (OSError, ValueError):  # an SSLError is the first
            raise Trouble(
                "{file} holds no certificates, or not one for the key.",
                "All must be PEM; a certificate and its key belong together, and the key must"
                " not be encrypted.",
                file=file,
            ) from None
        return context


_KEYS = tuple(each.name for each in fields(Login))


def read_login(path: Path, ask: Callable[[str], str] | None = None) -> Login:
    """`ask` gets a password from the person, by the user's name. Raises Trouble."""
    try:
        told = tomllib.loads(_text(path))
        for key, value in told.items():
            if key not in _KEYS or not isinstance(value, str):
                raise ValueError(key)
    except ValueError as error:  # of Python's, which tells the place and quotes a letter
        raise Trouble(
            "{file} is no login: {reason}",
            'It may have these, each a text, as in user = "me": {keys}.',
            file=path,
            reason=str(error)[:200],
            keys=", ".join(_KEYS),
        ) from None
    files = {key: path.parent / told[key] for key in told if key in _KEYS[2:]}
    for file in files.values():
        _text(file)
    login = Login(**{**told, **files})
    password = login.password or login.password_file
    wanted = ask if login.user and not password else None
    alone = login.key_file and not login.certificate_file
    if (
        (login.user and login.bearer_file)
        or bool(login.user) != bool(password or wanted)
        or alone
    ):
        raise Trouble(
            "What {file} names does not go together.",
            "It may name a user and a password, or a bearer token; and a certificate, with or"
            " without a key. A password that it does not name is asked for in a terminal.",
            file=path,
        )
    if login.password and os.name == "posix" and path.stat().st_mode & _OTHERS:
        raise Trouble(
            "A password stands in {file}, and other users may read that file.",
            "Take that right away: chmod 600 {file}",
            file=path,
        )
    return login if wanted is None else replace(login, password=wanted(login.user))


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
        told = error.strerror if isinstance(error, OSError) else mark("it is no text")
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
            raise self._error(None, said=mark("it cannot be read")) from None
        return found

    def _body(self, path: str, fields: str) -> bytes:
        try:
            with suppress(ConnectionError):
                return self._exchange(path, fields)
            # It may have hung up on a connection that lay idle: that is no answer.
            self._close()
            return self._exchange(path, fields)
        except (OSError, HTTPException, zlib.error) as error:
            self._close()
            key = next((each for each in type(error).__mro__ if each in _WORDS), None)
            told = (getattr(error, e, "") for e in ("verify_message", "reason", "strerror"))
            said = next(filter(None, told), str(error))
            raise self._error("ended" if self._ended else key, said=said) from None

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
            raise self._refused(answer.status, body, answer.reason)
        return body

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _refused(self, status: int, body: bytes, phrase: str) -> PrometheusError:
        """For an answer that is not 200."""
        said = ""
        with suppress(*UNREADABLE):
            said = json.loads(body)["error"]  # a page for browsers is not quoted
        key = status if status in _WORDS else "other" if status >= _SERVERS else None
        if status == HTTPStatus.BAD_REQUEST and not said:
            key = None
        return self._error(key, status, said=said or phrase)

    def _error(self, key: object, status: int = 0, said: str = "") -> PrometheusError:
        sentence, hint, lasting = _WORDS[key]
        error = PrometheusError(
            sentence,
            hint,
            url=self.where.url,
            host=self.where.host,
            seconds=self._patience,
            size=_LARGEST / 1e6,
            status=status,
            said=clean(said, _SAID).rstrip("."),
        )
        error.lasting, error.status = lasting, status
        return error


# Any: whatever JSON holds; what is not as it should be raises one of UNREADABLE.
def _labels(data: Any) -> Labels:
    """Strangers' texts, made plain; hardly any is not."""
    labels: Labels = data
    if "".join(labels.values()).isprintable():
        return labels
    return {name: clean(text, _SAID) for name, text in labels.items()}


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


_SERVERS = 500  # from this status on it is the server's own trouble
_BUSY = (
    mark("Prometheus at {url} is too busy, or is just starting: {said}."),
    mark("It is asked again. If that stays so, ask for fewer cards with --match."),
    False,
)
# Why there is no answer, the way out, and whether it is of no use to ask again soon: by the
# status of an answer, by Python's error, or by a word of ours; None: it is no answer of one.
_WORDS: Mapping[object, tuple[str, str, bool]] = {
    400: (
        mark("Prometheus at {url} does not understand the question: {said}."),
        mark("If --match was given, look for the mistake there."),
        True,
    ),
    401: (
        mark("Prometheus at {url} wants to know who asks, and this login is not accepted."),
        mark("Name a file with user and password, or a token, with --prometheus-login."),
        True,
    ),
    403: (
        mark("Prometheus at {url} does not let this login read it."),
        mark("Ask whoever runs it for the right to read, or use another login."),
        True,
    ),
    None: (
        mark(
            "What answers at {url} is no Prometheus, or something changes its answers on the"
            " way: {said}."
        ),
        mark(
            "Look at the address: http or https, its port, and its path, such as"
            " https://example.org/prometheus. Nothing was sent to where it may lead."
        ),
        True,
    ),
    422: (
        mark("Prometheus at {url} could not work the answer out: {said}."),
        mark("If it names a limit, ask for fewer cards with --match."),
        False,
    ),
    **dict.fromkeys((429, 503, 504), _BUSY),
    "other": (
        mark("{url} answered with status {status}: {said}."),
        mark("Look at the log of Prometheus, or of what stands before it."),
        False,
    ),
    "too much": (
        mark("Prometheus at {url} answered with more than {size:.0f} MB, and was not read on."),
        mark("Ask for fewer cards with --match."),
        False,
    ),
    "ended": (mark("The question to {url} was given up."), "", False),
    TimeoutError: (
        mark("Prometheus at {url} did not answer in full within {seconds:.0f} s."),
        mark("It is asked again. If that stays so, ask for fewer cards with --match."),
        False,
    ),
    ssl.SSLError: (
        mark("No encrypted connection to {host} comes about: {said}."),
        mark(
            "Its certificate must be for this name and this day, and from a CA of this system,"
            " or of your own: name that with ca_file in the login. If it wants one of yours,"
            " name that with certificate_file and key_file. If it speaks no https, write http://."
        ),
        True,
    ),
    OSError: (
        mark("There is no connection to {url}: {said}."),
        mark(
            "Look at how it is written, at the network, and whether Prometheus runs at that"
            " port. It is tried again."
        ),
        False,
    ),
}
