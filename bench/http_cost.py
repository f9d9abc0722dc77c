"""What questions over HTTP cost so far: the wait for answers, and the bytes they came in."""

import time
from http.client import HTTPConnection, HTTPResponse
from typing import NamedTuple


class Cost(NamedTuple):
    waited: float = 0.0  # seconds until answers began: the server's, and the way's
    bytes: int = 0


class Meter:
    """Of all connections of this process, from now on."""

    def __init__(self) -> None:
        self.cost = Cost()
        getresponse, read = HTTPConnection.getresponse, HTTPResponse.read

        def waited(connection: HTTPConnection) -> HTTPResponse:
            began = time.monotonic()
            answer = getresponse(connection)
            took = time.monotonic() - began
            self.cost = self.cost._replace(waited=self.cost.waited + took)
            return answer

        def carried(answer: HTTPResponse, most: int | None = None) -> bytes:
            piece = read(answer, most)
            self.cost = self.cost._replace(bytes=self.cost.bytes + len(piece))
            return piece

        HTTPConnection.getresponse = waited  # type: ignore[assignment, method-assign]
        HTTPResponse.read = carried  # type: ignore[assignment, method-assign]
