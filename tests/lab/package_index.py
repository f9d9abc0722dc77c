"""A package index on the loopback, with wheels of a few kilobytes that play PyTorch."""

import base64
import hashlib
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from urllib.parse import unquote

_TORCH = """
from torch.version import __version__, cuda
from types import SimpleNamespace
version = SimpleNamespace(cuda=cuda)
class _Two(float):
    def sum(self): return _Two(2 * self)
    def __add__(self, other): return _Two(float(self) + float(other))
def ones(count): return _Two(1.0)
"""
_PADDING = 200_000  # so that half of one is more than what a socket takes at once


@dataclass
class Index:
    """`half` cuts PyTorch's wheel off, `held` stands still in the middle of it."""

    port: int = 0
    builds: "dict[str, bytes]" = field(default_factory=dict)  # by the name of the wheel
    nonsense: bool = False
    half: bool = False
    held: bool = False
    halfway: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/whl"

    def page(self, package: str) -> bytes:
        if self.nonsense:
            return b"\x00\xff Welcome to this hotel. Accept our terms to go on."
        names = [name for name in self.builds if name.startswith(f"{package}-")]
        links = "".join(f'<a href="/files/{name}">{name}</a>' for name in names)
        return f"<!DOCTYPE html><html><body>{links}</body></html>".encode()


@contextmanager
def serving(index: Index) -> Iterator[Index]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = unquote(self.path).strip("/").split("/")
            body = index.page(parts[-1]) if parts[0] == "whl" else index.builds.get(parts[-1])
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "HEAD":
                return
            slow = parts[-1].startswith("torch-") and (index.half or index.held)
            self.wfile.write(body[: len(body) // 2] if slow else body)
            self.wfile.flush()
            if slow:
                index.halfway.set()
            if slow and index.held:
                index.go_on.wait()

        do_HEAD = do_GET  # noqa: N815 - its server calls it

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    index.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield index
    finally:
        index.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()


def with_torch(version: str, cuda: "str | None" = None) -> Index:
    told = f"__version__ = {version!r}\ncuda: 'str | None' = {cuda!r}\n"
    torch = {"torch/__init__.py": _TORCH, "torch/version.py": told}
    index = Index()
    for name, each, files in (
        ("torch", version, {**torch, "torch/padding": "x" * _PADDING}),
        ("numpy", "9.0", {"numpy/__init__.py": ""}),
        ("nicety", "1.0", {"nicety.py": ""}),
    ):
        needs = ["nicety"] if name == "torch" else []
        index.builds[f"{name}-{each}-py3-none-any.whl"] = wheel(name, each, files, needs)
    return index


def wheel(name: str, version: str, files: "dict[str, str]", needs: "list[str]") -> bytes:
    folder = f"{name}-{version}.dist-info"
    wanted = "".join(f"Requires-Dist: {each}\n" for each in needs)
    files = files | {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\n"
        f"Version: {version}\n{wanted}",
        f"{folder}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    rows = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        rows.append(f"{path},sha256={digest.rstrip(b'=').decode()},{len(text)}")
    files[f"{folder}/RECORD"] = "\n".join([*rows, f"{folder}/RECORD,,", ""])
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()
