"""gpuexplorer serve: the readings for Prometheus, until it is ended.

Under the names of NVIDIA's DCGM exporter where it has one, else as `gpuexplorer_…` in SI units.
A figure that is missing is not there; why, is in `gpuexplorer_missing_info`.
"""

import argparse
import errno
import gzip
import ipaddress
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client import Metric as Family
from prometheus_client.exposition import ThreadingWSGIServer

import gpuexplorer
from gpuexplorer.commands.arguments import (
    OK,
    WrongArgumentsError,
    add_options,
    in_the_words,
    reading_options,
)
from gpuexplorer.commands.source import choose, open_source
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.card_course import NO_FIGURES, state_of
from gpuexplorer.telemetry.exporter_names import XID, Name, own_name, served_name
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session, card_numbers, check_interval, session_on

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_PAGE = "/metrics"
_HERE, _PORT = "127.0.0.1", 9410  # 9400 is the DCGM exporter's own, which may run beside us
_USUAL = f"{_HERE}:{_PORT}"
# Only an address of IPv6 stands in brackets.
_ADDRESS = re.compile(r"(?:([^:\[\]]+|\[[^\[\]]*:[^\[\]]*\]):)?(\d{1,5})", re.ASCII)
_FORMS = "127.0.0.1:9410, [::1]:9410, 0.0.0.0:9410, 9410"
_FIRST_ANSWERS = 6.0
# Prometheus looks every 15 to 60 seconds.
_INTERVAL = 5.0
_PATIENCE = 5.0  # seconds with whoever asked nothing yet
_AT_ONCE = 64
_LONGEST = 200  # letters of a label
Labels = dict[str, str]
Sample = tuple[Name, str, Labels, float]  # with what it is about


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Show the readings to Prometheus: read only, and on this computer alone unless another"
        " address is chosen. Ctrl-C or SIGTERM ends it."
    )
    parser.add_argument(
        "--prometheus",
        nargs="?",
        const=_USUAL,
        metavar=tr("ADDRESS:PORT"),
        help=tr("where to listen; {usual} unless said otherwise", usual=_USUAL),
    )
    add_options(parser, reading_options(_INTERVAL))


def run(arguments: argparse.Namespace) -> int:
    text = arguments.prometheus
    if text is None:
        raise WrongArgumentsError(
            "Say which program the readings are for.", "Such as: gpuexplorer serve --prometheus"
        )
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[2]) > 65535:
        raise WrongArgumentsError(
            "{text!r} is no address with a port.", "Such as: {forms}", text=text, forms=_FORMS
        )
    with in_the_words():
        check_interval(arguments.interval)
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        _serve(arguments, (found[1] or _HERE).strip("[]"), int(found[2]))
    return OK


def _serve(arguments: argparse.Namespace, host: str, port: int) -> None:
    backend, attempts = open_source(arguments)
    if backend is None:
        raise Trouble(
            "No graphics card answers, so there is nothing to show. {why}",
            "`gpuexplorer doctor` looks for the cause.",
            why=paragraph([each.note for each in attempts]),
        )
    session = session_on(backend, attempts, arguments.interval)
    session.want(processes=False)
    session.start()
    try:
        session.wait_for_sweeps(1, _FIRST_ANSWERS)
        chosen = arguments.cards and {
            card.id for card in choose(session.cards(), arguments.cards)
        }
        with Server(host, port, Readings(session, chosen, port)) as server:
            said = [tr("Readings for Prometheus: {url}", url=server.url)]
            if session.simulated:
                said.append(tr(MADE_UP))
            if not server.local:
                said.append(
                    tr(
                        "Anybody who can reach this computer at that port can read them: no"
                        " password is asked for, and nothing is encrypted."
                    )
                )
            sys.stdout.write("".join(f"{each}\n" for each in said))
            sys.stdout.flush()
            server.serve_forever()
    finally:
        for ending in (signal.SIGINT, signal.SIGTERM):
            signal.signal(ending, signal.SIG_IGN)
        session.stop()


class Readings:
    """A collector of the Prometheus client. Reads no driver: it tells the newest there is.
    `port`: where it is told, which with the computer's name tells simulated cards of several
    apart.
    """

    def __init__(
        self, session: Session, cards: Collection[CardId] | None = None, port: int = 0
    ) -> None:
        self._session, self._chosen = session, cards
        self._host = {"hostname": _plain(session.computer)}
        self._of_simulated = f"-{session.computer}-{port}"

    def collect(self) -> Iterator[Family]:
        """By their names: the page has each family in one piece."""
        families: dict[str, Family] = {}
        for name, about, labels, value in self._samples():
            family, kind = name.name, "gauge"
            if name.counter:
                # To a counter's name the client adds `_total`: it would be DCGM's no more.
                family = name.name.removesuffix("_total")
                kind = "unknown" if family == name.name else "counter"
            if family not in families:
                families[family] = Family(family, about, kind)
            # Rounded, as 0.55 is no 55.00000000000001 %.
            figure = value if name.factor == 1 else float(f"{value * name.factor:.15g}")
            families[family].add_sample(name.name, labels, figure)
        yield from families.values()

    def _samples(self) -> Iterator[Sample]:
        session = self._session
        about = {
            "version": gpuexplorer.__version__,
            "source": session.source.name,
            "driver_version": _plain(session.source.driver_version or ""),
            "simulated": str(session.simulated).lower(),
        }
        said = "Who tells this. Where `simulated` is true, every figure is made up."
        yield Name("gpuexplorer_info"), said, self._host | about, 1
        cards, numbers = session.cards(), card_numbers(session.cards())
        codes = {
            each.card: each.sentence.values.get("code")
            for each in session.happenings()
            if each.kind is Kind.XID
        }
        for card in cards:
            reading, code = session.reading(card.id), codes.get(card.id)
            if self._chosen is not None and card.id not in self._chosen:
                continue
            ours, dcgm = self._labels(card, numbers[card.id])
            if reading is not None:
                age = max(0.0, session.clock.now() - reading.at)
                said = "How long ago the card was read last, or was found not to answer."
                yield Name("gpuexplorer_reading_age_seconds"), said, ours, age
                said = "1 for the state in which the card is, 0 for the others."
                for state in (*CardState, NO_FIGURES):
                    labels, value = (
                        ours | {"state": str(state)},
                        int(state == state_of(reading)),
                    )
                    yield Name("gpuexplorer_card_state"), said, labels, value
                yield from _figures(reading, _OF_CARDS, ours, dcgm)
            if isinstance(code, int):
                said = "Number of the newest Xid error since this exporter was started."
                yield Name(XID), said, dcgm, code
        host = session.reading(HOST_ID)
        if host is not None:
            yield from _figures(host, _OF_HOST, self._host, {})

    def _labels(self, card: Card, number: str) -> tuple[Labels, Labels]:
        """Of our own figures, and of those of the DCGM exporter. A MIG instance has a UUID of
        its own, and `mig`.
        """
        number, _, instance = number.partition(".")
        domain, _, rest = (card.bus_id or "").partition(":")
        uuid = card.id + self._of_simulated if card.simulated else card.id
        ours = {"gpu": number, "UUID": _plain(uuid), **self._host}
        if card.kind is CardKind.MIG:
            ours["mig"] = instance
        if card.simulated:
            ours["simulated"] = "true"
        dcgm = {
            "pci_bus_id": f"{domain:0>8}:{rest}".upper() if rest else "",
            "device": f"nvidia{number}",
            "modelName": _plain(card.name),
        }
        return ours, ours | dcgm


_OF_CARDS = {each.id: served_name(each) for each in METRICS.values()}
_OF_HOST = {each.id: own_name(each, "host_") for each in METRICS.values()}


def _figures(
    reading: Reading, names: Mapping[MetricId, Name], ours: Labels, dcgm: Labels
) -> Iterator[Sample]:
    for metric, value in reading.values.items():
        name, about = names[metric], METRICS[metric].meaning
        labels = {**(dcgm if name.name.startswith("DCGM") else ours), **name.labels}
        # The family has those of all parts, "N" for each.
        said = about.template.format_map(dict.fromkeys(about.values, "N"))
        yield name, said, labels, value
    for metric, absence in reading.missing.items():
        name, said = names[metric], "A figure that is not there, and why."
        why = {"metric": name.name, "reason": absence.value}
        yield Name("gpuexplorer_missing_info"), said, {**ours, **name.labels, **why}, 1


def _plain(text: str) -> str:
    """Without what is no letter: names may hold anything, and half letters end a page."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST])


class Server(ThreadingWSGIServer):
    """Listens as soon as it is made; `serve_forever` answers until `shutdown`. Of too many at
    once the oldest is hung up on, so that nobody keeps others from reading.
    """

    # On Windows that would let two programs listen at one port.
    allow_reuse_address = os.name == "posix"
    request_queue_size = _AT_ONCE

    def __init__(self, host: str, port: int, readings: Readings) -> None:
        """Raises Trouble where it cannot listen there."""
        self._readings = readings
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            self.address_family = found[0][0]
            super().__init__((host, port), _Question)
        except (OSError, UnicodeError) as error:
            raise _cannot_listen(error, host, port) from error
        self.local = _is_loopback(self.socket.getsockname()[0])
        self.set_app(self._answer)

    @property
    def url(self) -> str:
        host, port = self.socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{_PAGE}"

    def _answer(
        self, asked: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        status, kind, page = HTTPStatus.OK, "text/plain; charset=utf-8", b""
        if self.local and not _meant_for_us(asked.get("HTTP_HOST", "localhost")):
            status = HTTPStatus.MISDIRECTED_REQUEST
        elif asked["REQUEST_METHOD"] not in ("GET", "HEAD"):
            status = HTTPStatus.NOT_IMPLEMENTED
        elif asked["PATH_INFO"] == _PAGE:
            page, kind = generate_latest(self._readings), CONTENT_TYPE_PLAIN_0_0_4
        elif asked["PATH_INFO"] == "/":
            front = tr("GPU Explorer shows its readings to Prometheus at {page}", page=_PAGE)
            page = front.encode()
        else:
            status = HTTPStatus.NOT_FOUND
        if status is not HTTPStatus.OK:
            page = f"{status.value} {status.phrase}\n".encode()
        headers = [("Content-Type", kind)]
        if "gzip" in asked.get("HTTP_ACCEPT_ENCODING", ""):
            page = gzip.compress(page, compresslevel=1)
            headers.append(("Content-Encoding", "gzip"))
        headers.append(("Content-Length", str(len(page))))
        start_response(f"{status.value} {status.phrase}", headers)
        return [] if asked["REQUEST_METHOD"] == "HEAD" else [page]

    def process_request(self, request: Any, client_address: Any) -> None:  # as it is declared
        with self._lock:
            self._open.append(request)
            oldest = self._open.pop(0) if len(self._open) > _AT_ONCE else None
        if oldest is not None:
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)  # which wakes the thread that waits for it
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # as it is declared
        with self._lock, suppress(ValueError):
            self._open.remove(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # as it is declared
        """Who hangs up on us is no trouble; the rest is a bug of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Question(WSGIRequestHandler):
    timeout = _PATIENCE

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked is nobody's business."""


def _meant_for_us(host: str) -> bool:
    """Whether a browser was not led here by a page that gave its own name our address."""
    name = None
    with suppress(ValueError):
        name = urlsplit(f"//{host}").hostname
    return name == "localhost" or _is_loopback(name)


def _is_loopback(host: object) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    return False


def _cannot_listen(error: OSError | UnicodeError, host: str, port: int) -> Trouble:
    if isinstance(error, socket.gaierror | UnicodeError) or error.errno == errno.EADDRNOTAVAIL:
        return Trouble(
            "This computer has no address {host!r}.",
            "127.0.0.1 is always there, and 0.0.0.0 stands for all of its addresses.",
            host=host,
        )
    if error.errno == errno.EADDRINUSE:
        return Trouble(
            "Another program listens at port {port} of {host} already.",
            "Choose another one, such as {other}, or end that program: `ss -ltnp` names it.",
            port=port,
            host=host,
            other=port + 1,
        )
    return Trouble(
        "Nothing can be shown at port {port} of {host}: {reason}.",
        "Choose another address or port; those below 1024 are the administrator's.",
        port=port,
        host=host,
        reason=error.strerror,
    )
