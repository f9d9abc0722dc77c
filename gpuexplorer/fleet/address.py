"""Address: where a Prometheus is asked, as a person typed it."""

import ipaddress
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from gpuexplorer.core.trouble import Trouble

_LONGEST = 2000
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
    wrong = Trouble("{text!r} is no address of a Prometheus.", _FORMS, text=text[:200].strip())
    text = text.strip()
    if len(text) > _LONGEST or not text.isascii() or not text.isprintable() or " " in text:
        raise wrong
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise wrong
    if parts.query or parts.fragment:
        raise wrong
    secure = parts.scheme == "https"
    prefix = parts.path.rstrip("/").removesuffix("/api/v1").removesuffix("/graph")
    return Address(secure, parts.hostname, port or (443 if secure else 80), prefix)
