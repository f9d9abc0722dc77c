"""A Prometheus as far as the program asks one: its shapes, and what else one may send."""

import json
import re
import socket
import statistics
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
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
        if path == "/api/v1/label/__name__/values":
            return sorted(self.series)
        if path == "/api/v1/labels":
            name = fields["match[]"][0].partition("{")[0]
            return sorted({label for labels, _ in self.series[name] for label in labels})
        if path == "/api/v1/alerts":
            return {"alerts": self.alerts}
        if path == "/api/v1/query" and fields["query"][0].endswith("[10m]"):
            return {"resultType": "matrix", "result": self._samples(fields["query"][0])}
        if path == "/api/v1/query":
            return {"resultType": "vector", "result": self._vector(fields["query"][0])}
        if path == "/api/v1/query_range":
            return {"resultType": "matrix", "result": self._matrix(fields)}
        return {}

    def _vector(self, query: str) -> list[dict[str, object]]:
        named = re.search(r'__name__=~"([^"]*)"', query)
        names = named[1].split("|") if named else [re.findall(r"(\w+)\{", query)[0]]
        by = re.search(r"by \(([^)]*)\)", query)
        most = re.search(r">= 0 <= ([\d.]+)", query)
        told_of: dict[tuple[tuple[str, str], ...], list[float]] = defaultdict(list)
        there = [
            (labels | {"__name__": name}, value)
            for name in names
            for labels, value in self.series.get(name, ())
        ]
        for labels, value in there:
            if not _fits(labels, query) or (most and not 0 <= value <= float(most[1])):
                continue
            kept = by[1].split(",") if by else list(labels)
            key = tuple((each, labels[each]) for each in kept if each in labels)
            told = self.age if "timestamp(" in query else value
            told_of[key].append(told)
        ways: dict[str, Callable[[list[float]], float]]
        ways = {"count": len, "avg": statistics.fmean}
        how = ways.get(query.partition(" by ")[0], max)
        groups = {key: float(how(told)) for key, told in told_of.items()}
        if query.endswith("> 0"):
            groups = {key: value for key, value in groups.items() if value > 0}
        if "== 1" in query:
            groups = {key: value for key, value in groups.items() if value == 1}
        return [
            {"metric": dict(key), "value": [1764000000.123, str(value)]}
            for key, value in groups.items()
        ]

    def _samples(self, query: str) -> list[dict[str, object]]:
        """One every 15 seconds."""
        return [
            {"metric": row["metric"], "values": [[15.0 * at, "1"] for at in range(40)]}
            for row in self._vector(query)
        ]

    def _matrix(self, fields: Mapping[str, list[str]]) -> list[dict[str, object]]:
        start, end, step = (float(fields[each][0]) for each in ("start", "end", "step"))
        times = [start + step * each for each in range(int((end - start) / step) + 1)]
        return [
            {"metric": row["metric"], "values": [[at, row["value"][1]] for at in times]}  # type: ignore[index]  # a pair
            for row in self._vector(fields["query"][0])
        ]


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
