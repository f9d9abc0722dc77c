"""Address and Login: where a Prometheus is asked, as a person typed it, and how it is told who
asks: that stands in a file, which names other files.

    user = "me"
    password_file = "password"      # or password = "…", in a file that nobody else may read
    bearer_file = "token"           # instead of user and password
    ca_file = "own-ca.pem"          # certificates that are trusted instead of the system's
    certificate_file = "me.pem"     # a certificate of our own, and its key
    key_file = "me.key"

Files are looked for beside it, and read again at each use, since tokens are changed by others.
"""

import base64
import ipaddress
import os
import ssl
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark

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
    text = text.strip()
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"http://{text}")
        secure, prefix = parts.scheme == "https", parts.path.rstrip("/")
        port = (443 if secure else 80) if parts.port is None else parts.port
        plain = text.isascii() and text.isprintable() and " " not in text
        plain = plain and not parts.query and not parts.fragment
        if plain and parts.hostname and port and parts.scheme in ("http", "https"):
            prefix = prefix.removesuffix("/api/v1").removesuffix("/graph")
            return Address(secure, parts.hostname, port, prefix)
    raise Trouble("{text!r} is no address of a Prometheus.", _FORMS, text=text[:200])


_OTHERS = 0o077
# The certificates of Red Hat and its kin, of SUSE, and of Alpine.
SYSTEMS = (
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True, repr=False)
class Login:
    """By default nobody in particular. Never shown: it has no text of its own."""

    user: str = ""
    password: str | None = None
    password_file: Path | None = None
    bearer_file: Path | None = None
    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None

    @property
    def secret(self) -> bool:
        """Whether something goes along that others must not read."""
        return bool(self.user) or self.bearer_file is not None

    def header(self) -> str | None:
        """What stands behind `Authorization:`. Raises Trouble where a file cannot be read."""
        if self.bearer_file is not None:
            return f"Bearer {_only_line(self.bearer_file)}"
        if not self.user:
            return None
        password = self.password or ""
        if self.password_file is not None and not password:
            password = _only_line(self.password_file)
        return f"Basic {base64.b64encode(f'{self.user}:{password}'.encode()).decode()}"

    def tls(self) -> ssl.SSLContext:
        """Raises Trouble where a certificate cannot be used."""
        try:
            context = ssl.create_default_context(cafile=self.ca_file or _of_this_system())
        except (OSError, ValueError):  # an SSLError is the first
            raise Trouble(
                "{file} holds no certificates.",
                "It must be a file of PEM, with BEGIN CERTIFICATE in it.",
                file=self.ca_file,
            ) from None
        if self.certificate_file is not None:
            try:
                # An encrypted key would ask for its words at the terminal.
                context.load_cert_chain(self.certificate_file, self.key_file, password="")
            except (OSError, ValueError):
                raise Trouble(
                    "The certificate {file} and its key cannot be used.",
                    "Both must be PEM and belong together, and the key must not be encrypted.",
                    file=self.certificate_file,
                ) from None
        return context


_KEYS = tuple(each.name for each in fields(Login))


def read_login(path: Path, ask: Callable[[str], str] | None = None) -> Login:
    """`ask` gets a password from the person, by the user's name. Raises Trouble."""
    try:
        told = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        # Python's words tell the place; they quote a letter at most.
        raise Trouble(
            "{file} cannot be read as settings: {reason}",
            'A line in it is such as: user = "me"',
            file=path,
            reason=str(error)[:200],
        ) from None
    for key, value in told.items():
        if key not in _KEYS or not isinstance(value, str) or not value:
            raise Trouble(
                "{file} says something that a login does not have: {key!r}.",
                "It may have these, each a text: {keys}.",
                file=path,
                key=key[:100],
                keys=", ".join(_KEYS),
            )
    files = {key: path.parent / told.pop(key) for key in _KEYS[2:] if key in told}
    for file in files.values():
        _text(file)
    login = Login(told.get("user", ""), told.get("password"), **files)
    wrong = ""
    if login.bearer_file and login.user:
        wrong = mark("{file} names both a user and a bearer token, and only one can be sent.")
    elif ":" in login.user or not login.user.isprintable():
        wrong = mark("The user in {file} has a colon or a control character in it.")
    elif not login.user and (login.password or login.password_file):
        wrong = mark("{file} names a password and no user.")
    elif login.key_file and not login.certificate_file:
        wrong = mark("{file} names a key and no certificate.")
    if wrong:
        raise Trouble(wrong, "Mend that file.", file=path)
    if login.password and os.name == "posix" and path.stat().st_mode & _OTHERS:
        raise Trouble(
            "A password stands in {file}, and other users may read that file.",
            "Take that right away: chmod 600 {file}",
            file=path,
        )
    if login.user and login.password is None and login.password_file is None:
        if ask is None:
            raise Trouble(
                "{file} names a user and no password.",
                "Name a file that holds it, with password_file, or start this in a terminal,"
                " where it is asked for.",
                file=path,
            )
        login = replace(login, password=ask(login.user))
    return login


def _of_this_system() -> str | None:
    """The packaged program brings an OpenSSL that looks where Debian has them."""
    usual = ssl.get_default_verify_paths()
    if usual.cafile or usual.capath:
        return None
    return next((each for each in SYSTEMS if Path(each).is_file()), None)


def _only_line(path: Path) -> str:
    text = _text(path).strip()
    if not text or not text.isprintable() or not text.isascii():
        raise Trouble(
            "{file} holds no password or token: it must be one line of plain letters.",
            "Write it into that file and nothing else.",
            file=path,
        )
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else Message("it is no text")
        raise Trouble(
            "{file} cannot be read: {reason}.",
            "The login for Prometheus names it: mend its name or its rights.",
            file=path,
            reason=told,
        ) from None
