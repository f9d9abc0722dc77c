"""Asker: one question over HTTP, and its whole answer within a time and a size.

Follows no redirection, so that no login goes where it was not meant to.
"""

import http.client
import socket
import threading
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlencode

import gpuexplorer
from gpuexplorer.fleet.address import Address
from gpuexplorer.fleet.login import Login
from gpuexplorer.fleet.refusals import (
    given_up,
    no_prometheus,
    refused,
    too_late,
    too_much,
    unreachable,
)

_AT_A_TIME = 1 << 18
_MOST_SAID = 100_000  # bytes of an answer that is an error
_IDLE = 4  # connections kept for the next question

Fields = Mapping[str, str | list[str]]


class Asker:
    """For any thread, each with its own question; what waits can be given up from another."""

    def __init__(self, where: Address, login: Login) -> None:
        self.where = where
        self._login = login
        self._lock = threading.Lock()
        self._idle: list[http.client.HTTPConnection] = []
        self._asking: set[http.client.HTTPConnection] = set()
        self._ended = False

    def ask(self, path: str, fields: Fields, most: int, seconds: float, post: bool) -> bytes:
        """Raises PrometheusError, or Trouble where the login's files cannot be used."""
        asked = urlencode(fields, doseq=True)
        header = self._header(post=post)
        until = time.monotonic() + seconds
        while True:
            connection, used_before = self._connection(seconds)
            # A server that sends a letter now and then must not hold it longer.
            watch = threading.Timer(max(0.0, until - time.monotonic()), _hang_up, [connection])
            watch.daemon = True
            watch.name = "patience with Prometheus"
            watch.start()
            kept = False
            try:
                body = self._answer(connection, path, asked, header, most, post=post)
                if time.monotonic() >= until:
                    # A head that was cut off looks like one with nothing behind it.
                    raise self._broken(until, seconds, TimeoutError())
                kept = connection.sock is not None
                return body
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # It may have hung up on a connection that lay idle: that is no answer.
                if used_before and time.monotonic() < until and not self._ended:
                    continue
                raise self._broken(until, seconds, ConnectionError()) from None
            except OSError as error:
                raise self._broken(until, seconds, error) from None
            except (http.client.HTTPException, zlib.error, ValueError, AttributeError):
                # AttributeError: of a connection that was closed under way.
                late = self._ended or time.monotonic() >= until
                url = self.where.url
                raise (
                    self._broken(until, seconds, OSError()) if late else no_prometheus(url)
                ) from None
            finally:
                watch.cancel()
                self._put_back(connection, kept=kept)
                watch.join()

    def end(self) -> None:
        """Gives up whatever is under way, and all that is asked from now on."""
        with self._lock:
            self._ended = True
            asking, idle, self._idle = list(self._asking), self._idle, []
        for each in asking:
            _hang_up(each)
        for each in idle:
            each.close()

    def _answer(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        asked: str,
        header: Mapping[str, str],
        most: int,
        *,
        post: bool,
    ) -> bytes:
        path = self.where.prefix + path
        if post:
            connection.request("POST", path, asked.encode(), dict(header))
        else:
            connection.request("GET", f"{path}?{asked}" if asked else path, None, dict(header))
        answer = connection.getresponse()
        good = answer.status == http.HTTPStatus.OK
        zipped = answer.getheader("Content-Encoding", "identity").lower()
        if zipped not in ("identity", "gzip"):
            raise no_prometheus(self.where.url)
        body = self._read(answer, most if good else _MOST_SAID, zipped == "gzip", good=good)
        if good:
            return body
        raise refused(answer.status, body, self.where.url, answer.getheader("Location"))

    def _read(
        self, answer: http.client.HTTPResponse, most: int, zipped: bool, *, good: bool
    ) -> bytes:
        pieces: list[bytes] = []
        size = 0
        unzip = zlib.decompressobj(wbits=31)
        while piece := answer.read1(_AT_A_TIME):
            if zipped:
                piece = unzip.decompress(piece, most - size + 1)
            size += len(piece)
            pieces.append(piece)
            if size > most:
                if not good:
                    break
                raise too_much(self.where.url, most)
        if good and answer.length:
            raise http.client.IncompleteRead(b"")
        answer.close()  # or the connection would not take the next question
        return b"".join(pieces)[:most]

    def _header(self, *, post: bool) -> Mapping[str, str]:
        header = {
            "Accept": "application/json",
            "User-Agent": f"gpuexplorer/{gpuexplorer.__version__}",
            # Packing costs the server time, and on the same computer wins nothing.
            "Accept-Encoding": "identity" if self.where.is_here else "gzip",
        }
        if post:
            header["Content-Type"] = "application/x-www-form-urlencoded"
        if (login := self._login.header()) is not None:
            header["Authorization"] = login
        return header

    def _connection(self, seconds: float) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            if self._ended:
                raise given_up(self.where.url)
            used_before = bool(self._idle)
            connection = self._idle.pop() if used_before else self._made(seconds)
            self._asking.add(connection)
        return connection, used_before

    def _made(self, seconds: float) -> http.client.HTTPConnection:
        host, port = self.where.host, self.where.port
        if self.where.secure:
            context = self._login.tls()
            return http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
        return http.client.HTTPConnection(host, port, timeout=seconds)

    def _put_back(self, connection: http.client.HTTPConnection, *, kept: bool) -> None:
        with self._lock:
            self._asking.discard(connection)
            if kept and not self._ended and len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def _broken(self, until: float, seconds: float, error: OSError) -> Exception:
        if self._ended:
            return given_up(self.where.url)
        if isinstance(error, TimeoutError) or time.monotonic() >= until:
            return too_late(self.where.url, seconds)
        return unreachable(error, self.where.url, self.where.host)


def _hang_up(connection: http.client.HTTPConnection) -> None:
    """Wakes the thread that waits for it."""
    sock = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
