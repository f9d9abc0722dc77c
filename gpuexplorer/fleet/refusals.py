"""What a Prometheus may answer instead of figures, as sentences with a way out."""

import json
import socket
import ssl
from contextlib import suppress
from http import HTTPStatus

from gpuexplorer.core.harmless import clean
from gpuexplorer.core.records import UNREADABLE
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark

_WANTS_TLS = b"HTTP request to an HTTPS server"  # as Go's servers and nginx say it
_OF_UNKNOWN_CA = range(18, 22)  # OpenSSL's X509_V_ERR_… for that
_LONGEST = 300  # letters of what the server says of it
_LASTING = (301, 302, 303, 307, 308, 400, 401, 403, 404, 405)

_NO_PAGE = (
    mark("There is no Prometheus at {url}: the address answers, and knows no such page."),
    mark("If it stands behind a path, write that too: https://example.org/prometheus."),
)
_BUSY = (
    mark("Prometheus at {url} is too busy, or is just starting: {said}."),
    mark("It is asked again. If that stays so, ask for fewer cards with --match."),
)
_SENT_ON = (
    mark("{url} sends on to another address, {other}, which may be a page to log in."),
    mark("Nothing was sent there. If that is the Prometheus, name it with --prometheus."),
)
_OTHER = (
    mark("{url} answered with status {status}: {said}."),
    mark("Look at the log of Prometheus, or of what stands before it."),
)
_WORDS = {
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
    404: _NO_PAGE,
    405: _NO_PAGE,
    422: (
        mark("Prometheus at {url} could not work the answer out: {said}."),
        mark("If it names a limit, ask for fewer cards with --match."),
    ),
    429: _BUSY,
    503: _BUSY,
    504: _BUSY,
}


class PrometheusError(Trouble):
    """`lasting`: asking again soon is pointless, and may lock somebody out. `status`: of the
    answer, where there was one.
    """

    def __init__(
        self,
        template: str,
        hint: str = "",
        /,
        *,
        lasting: bool = False,
        status: int = 0,
        **values: object,
    ) -> None:
        super().__init__(template, hint, status=status, **values)
        self.lasting, self.status = lasting, status


def refused(status: int, body: bytes, where: str, sent_to: str | None) -> PrometheusError:
    """For an answer that is not 200."""
    sentence, hint = _WORDS.get(status, _SENT_ON if sent_to is not None else _OTHER)
    if _WANTS_TLS in body:
        sentence = mark("At {url} https is spoken, and the address says http.")
        hint = mark("Write https:// before it.")
    said = ""
    with suppress(*UNREADABLE):  # a page for browsers is not quoted
        said = clean(json.loads(body)["error"], _LONGEST).rstrip(".")
    if not said:
        with suppress(ValueError):
            said = HTTPStatus(status).phrase
    return PrometheusError(
        sentence,
        hint,
        lasting=status in _LASTING,
        status=status,
        url=where,
        other=clean(sent_to or "", _LONGEST),
        said=said or Message("it gives no reason"),
    )


def unreachable(error: OSError, where: str, host: str) -> PrometheusError:
    """For a network that carries nothing there and back."""
    said, lasting = clean(error.strerror or "it was closed"), False
    if isinstance(error, ssl.SSLError):
        sentence, hint, said, lasting = _of_tls(error)
    elif isinstance(error, socket.gaierror):
        sentence = mark("This computer finds no address for the name {host}.")
        hint = mark("Look at how it is written, and at the network.")
    elif isinstance(error, ConnectionRefusedError):
        sentence = mark("Nothing listens at {url}.")
        hint = mark("Look whether Prometheus runs, and its port.")
    else:
        sentence = mark("The connection to {url} broke: {said}.")
        hint = mark("It is tried again.")
    return PrometheusError(sentence, hint, lasting=lasting, url=where, host=host, said=said)


def _of_tls(error: ssl.SSLError) -> tuple[str, str, str, bool]:
    """Sentence, hint, what OpenSSL says, and whether it will stay so."""
    reason = error.reason or ""
    said = clean(reason or str(error), _LONGEST)
    if isinstance(error, ssl.SSLCertVerificationError):
        said = clean(error.verify_message or str(error), _LONGEST).rstrip(".")
        sentence = mark("{host} shows a certificate that is not trusted: {said}.")
        hint = mark(
            "It must be for this name and this day: ask whoever runs it for another one."
        )
        if error.verify_code in _OF_UNKNOWN_CA:
            hint = mark("If it is from a CA of your own, name that with ca_file in the login.")
    elif "CERTIFICATE_REQUIRED" in reason:
        sentence = mark("{host} wants to see a certificate of yours.")
        hint = mark("Name it with certificate_file and key_file in --prometheus-login.")
    elif "UNKNOWN_CA" in reason or "_CERTIFICATE" in reason:
        sentence = mark("{host} does not accept your certificate: {said}.")
        hint = mark("Ask whoever runs it for one, and name it in --prometheus-login.")
    elif reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"):
        sentence = mark("{url} does not speak https.")
        hint = mark("Look at the port; if it is right, write http:// before it.")
    else:
        sentence = mark("No encrypted connection to {host} comes about: {said}.")
        hint = mark(
            "Look whether it speaks https at that port, and whether it wants a certificate."
        )
        return sentence, hint, said, False
    return sentence, hint, said, True
