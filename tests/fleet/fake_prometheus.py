"""A Prometheus as far as the program asks one: its shapes, and what else one may send."""

import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Series = tuple[dict[str, str], float]


def card(number: int, **more: str) -> dict[str, str]:
    """Labels as the DCGM exporter has them."""
    return {
        "UUID": f"GPU-{number:04d}",
        "Hostname": f"node-{number // 8}",
        "gpu": str(number % 8),
        "modelName": "NVIDIA H100 80GB HBM3",
        "pci_bus_id": "00000000:3B:00.0",
        "instance": f"10.0.0.{number // 8}:9400",
        "job": "dcgm",
        **more,
    }


class FakePrometheus(ThreadingHTTPServer):
    """`series` by name; `special` answers a path instead: status, headers, body."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.series: dict[str, list[Series]] = {}
        self.before: dict[str, list[Series]] = {}  # told within the last hour, and no more
        self.alerts: list[dict[str, Any]] = []  # Any: as JSON has them
        self.age = 3.0
        self.special: dict[str, tuple[int, Mapping[str, str], bytes]] = {}
        self.asked: list[tuple[str, Mapping[str, list[str]]]] = []
        self.headers_seen: list[Mapping[str, str]] = []
        self.hold: Callable[[], object] = lambda: None
        self.connections = 0

    def get_request(self) -> tuple[socket.socket, Any]:  # Any: as socketserver has it
        self.connections += 1
        return super().get_request()

    def handle_error(self, request: object, client_address: object) -> None:
        """Who was given up hangs up; what else happens here is a bug of a test."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # a socket

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def queries(self) -> list[str]:
        return [fields["query"][0] for _, fields in self.asked if "query" in fields]

    def answer(self, path: str, fields: Mapping[str, list[str]]) -> object:
        match path.removeprefix("/api/v1/"):
            case "label/__name__/values":
                return sorted(self.series)
            case "alerts":
                return {"alerts": self.alerts}
        query = fields["query"][0]
        told = list(self._rows(query))
        if path.endswith("query"):
            rows = [{"metric": dict(key), "value": [9.1, str(value)]} for key, value in told]
            return {"resultType": "vector", "result": rows}
        start, end, step = (
            float(fields.get(each, [usual])[0])
            for each, usual in (("start", "0"), ("end", "600"), ("step", "15"))
        )
        times = [start + step * each for each in range(int((end - start) / step) + 1)]
        rows = [
            {"metric": dict(key), "values": [[at, str(value)] for at in times]}
            for key, value in told
        ]
        return {"resultType": "matrix", "result": rows}

    def _rows(self, query: str) -> Iterator[tuple[Iterable[tuple[str, str]], float]]:
        named = re.search(r'__name__=~"([^"]*)"', query)
        names = named[1].split("|") if named else [re.findall(r"(\w+)\{", query)[0]]
        by = re.search(r"by \(([^)]*)\)", query)
        told_of: dict[tuple[tuple[str, str], ...], float] = {}
        for name in names:
            before = self.before.get(name, ()) if "[3600s]" in query else ()
            for labels, value in (*before, *self.series.get(name, ())):
                there = labels | {"__name__": name}
                if _fits(there, query):
                    kept = by[1].split(",") if by else list(there)
                    key = tuple((each, there[each]) for each in kept if each in there)
                    told = self.age if "timestamp(" in query else value
                    told_of[key] = max(told, told_of.get(key, told))
        for key, told in told_of.items():
            if (told > 0 or "> 0" not in query) and (told == 1 or "== 1" not in query):
                yield key, told


def _fits(labels: Mapping[str, str], query: str) -> bool:
    for name, sign, text in re.findall(r'(\w+)(=~?)("(?:[^"\\]|\\.)*")', query):
        told, value = labels.get(name, ""), json.loads(text)
        if not (re.fullmatch(value, told) if sign == "=~" else told == value):
            return False
    return True


class _Answer(BaseHTTPRequestHandler):
    server: FakePrometheus
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self._tell(parts.path, parse_qs(parts.query))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._tell(self.path, parse_qs(body.decode()))

    def _tell(self, path: str, fields: Mapping[str, list[str]]) -> None:
        self.server.asked.append((path, fields))
        self.server.headers_seen.append(dict(self.headers))
        self.server.hold()
        special = self.server.special.get(path) or self.server.special.get("*")
        if special is None:
            data = self.server.answer(path, fields)
            body = json.dumps({"status": "success", "data": data}).encode()
            special = 200, {"Content-Type": "application/json"}, body
        status, headers, body = special
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if "Content-Length" in headers:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def fake_prometheus() -> Iterator[FakePrometheus]:
    server = FakePrometheus()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
