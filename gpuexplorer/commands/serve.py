"""gpuexplorer serve: the readings for Prometheus, until it is ended.

Under the names of NVIDIA's DCGM exporter where it has one, else as `gpuexplorer_…` in SI units.
A figure that is missing is not there; why, is in `gpuexplorer_missing_info`.
"""

import argparse
import ipaddress
import os
import re
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler

from prometheus_client import Metric as Family
from prometheus_client.exposition import ThreadingWSGIServer, make_wsgi_app

import gpuexplorer
from gpuexplorer.commands.arguments import (
    OK,
    Option,
    WrongArgumentsError,
    add_options,
    in_the_words,
    reading_options,
)
from gpuexplorer.commands.source import choose, open_source
from gpuexplorer.core.cards import HOST_ID, CardId, CardKind, CardState
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.metrics import METRICS, Metric
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, paragraph, tr
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.card_course import NO_FIGURES, state_of
from gpuexplorer.telemetry.exporter_names import XID, Name, own_name, served_name
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session, card_numbers, check_interval, session_on

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

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
_ENDINGS = (signal.SIGINT, signal.SIGTERM)
Labels = Mapping[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Show the readings to Prometheus: read only, and on this computer alone unless another"
        " address is chosen. Ctrl-C or SIGTERM ends it."
    )
    said = Message("where to listen; {usual} unless said otherwise", usual=_USUAL)
    where = Option("ADDRESS:PORT", said, nargs="?", const=_USUAL)
    add_options(parser, {"--prometheus": where, **reading_options(_INTERVAL)})


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
    for ending in _ENDINGS:
        signal.signal(ending, signal.default_int_handler)
    backend, attempts = open_source(arguments)
    if backend is None:
        raise Trouble(
            "No graphics card answers, so there is nothing to show. {why}",
            "`gpuexplorer doctor` looks for the cause.",
            why=paragraph([each.note for each in attempts]),
        )
    session = session_on(backend, attempts, arguments.interval)
    if not session.simulated:
        sys.stderr.writelines(f"{tr(each)}\n" for each in backend.notes())
    session.want(processes=False)
    session.start()
    with suppress(KeyboardInterrupt), ExitStack() as leaving:
        leaving.callback(session.stop)
        for ending in _ENDINGS:
            leaving.callback(signal.signal, ending, signal.SIG_IGN)
        session.wait_for_sweeps(1, _FIRST_ANSWERS)
        chosen = arguments.cards and {
            card.id for card in choose(session.cards(), arguments.cards)
        }
        host, port = (found[1] or _HERE).strip("[]"), int(found[2])
        with Server(host, port, Readings(session, chosen, port)) as server:
            said = [Message("Readings for Prometheus: {url}", url=server.url)]
            said += [MADE_UP] if session.simulated else []
            if not server.local:
                open_to_all = Message(
                    "Anybody who can reach this computer at that port can read them: no"
                    " password is asked for, and nothing is encrypted."
                )
                said.append(open_to_all)
            sys.stdout.writelines(f"{tr(each)}\n" for each in said)
            sys.stdout.flush()
            server.serve_forever()
    return OK


class Readings:
    """A collector of the Prometheus client. Reads no driver: it tells the newest there is.
    `port`: where it is told, which with the computer's name tells simulated cards of several
    apart.
    """

    def __init__(
        self, session: Session, cards: Collection[CardId] | None = None, port: int = 0
    ) -> None:
        self._session, self._chosen, self._port = session, cards, port

    def collect(self) -> Iterable[Family]:
        """By their names: the page has each family in one piece."""
        session, families = self._session, dict[str, Family]()

        def add(name: Name, about: str, labels: Labels, value: float = 1.0) -> None:
            family, kind = name.name, "gauge"
            if name.counter:
                # To a counter's name the client adds `_total`: it would be DCGM's no more.
                family = name.name.removesuffix("_total")
                kind = "unknown" if family == name.name else "counter"
            # Rounded, as 0.55 is no 55.00000000000001 %.
            figure = value if name.factor == 1 else float(f"{value * name.factor:.15g}")
            there = families.setdefault(family, Family(family, about, kind))
            there.add_sample(name.name, {**labels, **name.labels}, figure)

        def add_figures(
            reading: Reading, named: Callable[[Metric], Name], ours: Labels, dcgm: Labels
        ) -> None:
            for metric in map(METRICS.__getitem__, reading.values):
                name, about = named(metric), metric.meaning
                # The family has those of all parts, "N" for each.
                said = about.template.format_map(dict.fromkeys(about.values, "N"))
                labels = dcgm if name.name.startswith("DCGM") else ours
                add(name, said, labels, reading.values[metric.id])
            for metric_id, absence in reading.missing.items():
                name, said = named(METRICS[metric_id]), "A figure that is not there, and why."
                why = {"metric": name.name, "reason": absence.value, **name.labels}
                add(Name("gpuexplorer_missing_info"), said, {**ours, **why})

        computer = {"hostname": clean(session.computer)}
        about = {
            "version": gpuexplorer.__version__,
            "source": session.source.name,
            "driver_version": clean(session.source.driver_version or ""),
            "simulated": str(session.simulated).lower(),
        }
        said = "Who tells this. Where `simulated` is true, every figure is made up."
        add(Name("gpuexplorer_info"), said, computer | about)
        codes = {
            each.card: each.sentence.values.get("code")
            for each in session.happenings()
            if each.kind is Kind.XID
        }
        numbers = card_numbers(session.cards())
        for card in session.cards():
            if self._chosen is not None and card.id not in self._chosen:
                continue
            # An instance of MIG has a UUID of its own, and `mig`.
            number, _, instance = numbers[card.id].partition(".")
            domain, _, rest = (card.bus_id or "").partition(":")
            uuid = f"{card.id}-{session.computer}-{self._port}" if card.simulated else card.id
            ours = {"gpu": number, "UUID": clean(uuid), **computer}
            if card.kind is CardKind.MIG:
                ours["mig"] = instance
            if card.simulated:
                ours["simulated"] = "true"
            dcgm = {
                **ours,
                "pci_bus_id": f"{domain:0>8}:{rest}".upper() if rest else "",
                "device": f"nvidia{number}",
                "modelName": clean(card.name),
            }
            reading, code = session.reading(card.id), codes.get(card.id)
            if reading is not None:
                age = max(0.0, session.clock.now() - reading.at)
                said = "How long ago the card was read last, or was found not to answer."
                add(Name("gpuexplorer_reading_age_seconds"), said, ours, age)
                said = "1 for the state in which the card is, 0 for the others."
                for state in (*map(str, CardState), NO_FIGURES):
                    is_so = state == state_of(reading)
                    add(Name("gpuexplorer_card_state"), said, ours | {"state": state}, is_so)
                add_figures(reading, served_name, ours, dcgm)
            if isinstance(code, int):
                said = "Number of the newest Xid error since this exporter was started."
                add(Name(XID), said, dcgm, code)
        host = session.reading(HOST_ID)
        if host is not None:
            add_figures(host, partial(own_name, of="host_"), computer, {})
        return families.values()


class Server(ThreadingWSGIServer):
    """Listens as soon as it is made; `serve_forever` answers until `shutdown`. Whoever is not
    done when so many came later is hung up on, so that nobody keeps others from reading.
    """

    # On Windows that would let two programs listen at one port.
    allow_reuse_address = os.name == "posix"
    request_queue_size = _AT_ONCE

    def __init__(self, host: str, port: int, readings: Readings) -> None:
        """Raises Trouble where it cannot listen there."""
        self._newest: deque[socket.socket] = deque(maxlen=_AT_ONCE)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            self.address_family = found[0][0]
            super().__init__((host, port), _Question)
        except (OSError, UnicodeError) as error:
            raise Trouble(
                "Nothing can be shown at port {port} of {host}: {reason}.",
                "Choose another port, such as {other} (`ss -ltnp` names who has this one), or"
                " an address of this computer: 127.0.0.1 is always there, and 0.0.0.0 stands"
                " for all of them. Ports below 1024 are the administrator's.",
                port=port,
                host=host,
                other=port + 1,
                reason=getattr(error, "strerror", None) or error,
            ) from error
        self.local = _is_loopback(self.socket.getsockname()[0])
        self._page = make_wsgi_app(readings)
        self.set_app(self._answer)

    @property
    def url(self) -> str:
        host, port = self.socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics"

    def _answer(
        self, asked: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        name = None
        with suppress(ValueError):
            name = urlsplit(f"//{asked.get('HTTP_HOST', 'localhost')}").hostname
        # A browser may be led here by a page that gave its own name our address.
        if self.local and not (name == "localhost" or _is_loopback(name)):
            start_response("421 Misdirected Request", [])
            return []
        # Whole and in one form, whatever else a client may choose.
        usual = {"QUERY_STRING": "", "HTTP_ACCEPT": ""}
        page: Iterable[bytes] = self._page(asked | usual, start_response)
        return page

    def process_request(self, request: Any, client_address: Any) -> None:  # as it is declared
        if len(self._newest) == _AT_ONCE:
            with suppress(OSError):  # it is over, as a rule
                self._newest[0].shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for it
        self._newest.append(request)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:  # as it is declared
        """Who hangs up on us is no trouble; the rest is a bug of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Question(WSGIRequestHandler):
    timeout = _PATIENCE

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked is nobody's business."""


def _is_loopback(host: object) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    return False
