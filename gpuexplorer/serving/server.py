"""Server: shows the readings to whoever asks by HTTP, and does nothing else for them.

Who is slow or silent is hung up on after a few seconds, and the oldest of too many at once, so
that nobody keeps others from reading.
"""

import errno
import gzip
import ipaddress
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any
from urllib.parse import urlsplit

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.serving.readings import Readings

PAGE = "/metrics"
USUAL_PORT = 9410  # 9400 is the DCGM exporter's own, which may run beside us
_PATIENCE = 5.0  # seconds for a whole request and its answer
_AT_ONCE = 16
# Who has not asked for so many seconds makes room; else it is looked for so many times.
_SILENT, _LOOKS = 0.05, 20


class Server(ThreadingTCPServer):
    """Listens as soon as it is made; `serve_forever` answers until `shutdown`."""

    daemon_threads = True
    # On Windows that would let two programs listen at one port.
    allow_reuse_address = os.name == "posix"
    request_queue_size = 64

    def __init__(self, host: str, port: int, readings: Readings) -> None:
        """Raises Trouble where it cannot listen there."""
        self.readings = readings
        self.making = threading.Lock()  # one page at a time: it is work for the processor
        self._until: dict[socket.socket, float] = {}
        self._asked: set[socket.socket] = set()  # they wait for their answer
        self._lock = threading.Condition()
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            self.address_family = found[0][0]
            super().__init__((host, port), _Answer)
        except (OSError, UnicodeError) as error:
            raise _cannot_listen(error, host, port) from error
        self.local = _is_loopback(self.socket.getsockname()[0])

    @property
    def url(self) -> str:
        host, port = self.socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{PAGE}"

    def process_request(self, request: socket.socket, client_address: object) -> None:  # type: ignore[override]  # a socket, since this is TCP
        with self._lock:
            # Those who asked get their answer before the next one is let in.
            for _ in range(_LOOKS):
                if self._lock.wait_for(self._has_room, _SILENT):
                    break
            while len(self._until) >= _AT_ONCE:
                self._hang_up(next(iter(self._silent() or self._until)))
            self._until[request] = time.monotonic() + _PATIENCE
        super().process_request(request, client_address)

    def asks(self, request: socket.socket) -> None:
        with self._lock:
            self._asked.add(request)

    def _has_room(self) -> bool:
        return len(self._until) < _AT_ONCE or bool(self._silent())

    def _silent(self) -> list[socket.socket]:
        came_by = time.monotonic() + _PATIENCE - _SILENT
        return [
            each
            for each, until in self._until.items()
            if each not in self._asked and until <= came_by
        ]

    def service_actions(self) -> None:
        """Called again and again while it serves."""
        now = time.monotonic()
        with self._lock:
            for request in [each for each, until in self._until.items() if until < now]:
                self._hang_up(request)

    def shutdown_request(self, request: socket.socket) -> None:  # type: ignore[override]  # as above
        with self._lock:
            self._until.pop(request, None)
            self._asked.discard(request)
            self._lock.notify()
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # as it is declared
        """Who hangs up on us is no trouble; the rest is a bug of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def _hang_up(self, request: socket.socket) -> None:
        del self._until[request]
        with suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)  # which wakes the thread that waits for it


class _Answer(BaseHTTPRequestHandler):
    """One question, and its answer."""

    server: Server
    timeout = _PATIENCE
    server_version, sys_version = "gpuexplorer", ""
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "%(code)d %(message)s\n"

    def do_GET(self) -> None:
        self.server.asks(self.connection)
        path = self.path.partition("?")[0]
        if self.server.local and not self._meant_for_us():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        elif path == PAGE:
            with self.server.making:
                page = generate_latest(self.server.readings)
            self._send(page, CONTENT_TYPE_PLAIN_0_0_4)
        elif path == "/":
            front = tr("GPU Explorer shows its readings to Prometheus at {page}", page=PAGE)
            self._send(front.encode(), "text/plain; charset=utf-8")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _meant_for_us(self) -> bool:
        """Whether a browser was not led here by a page that gave its own name our address."""
        name = None
        with suppress(ValueError):
            name = urlsplit(f"//{self.headers.get('Host', 'localhost')}").hostname
        return name == "localhost" or _is_loopback(name)

    def _send(self, page: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            page = gzip.compress(page, compresslevel=1)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked is nobody's business."""


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
    if isinstance(error, PermissionError):
        return Trouble(
            "This user may not listen at port {port}.",
            "Ports below 1024 are the administrator's: choose a higher one, such as {usual}.",
            port=port,
            usual=USUAL_PORT,
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
        "Choose another address or port.",
        port=port,
        host=host,
        reason=error.strerror,
    )
