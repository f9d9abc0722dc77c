"""Login: how a Prometheus is told who asks. It stands in a file, which names other files.

    user = "me"
    password_file = "password"      # or password = "…", in a file that nobody else may read
    bearer_file = "token"           # instead of user and password
    ca_file = "own-ca.pem"          # certificates that are trusted instead of the system's
    certificate_file = "me.pem"     # a certificate of our own, and its key
    key_file = "me.key"

Files are looked for beside it, and read again at each use, since tokens are changed by others.
"""

import base64
import os
import ssl
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark

_LARGEST = 100_000  # bytes of such a file
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

    def header(self) -> str | None:
        """What stands behind `Authorization:`. Raises Trouble where a file cannot be read."""
        if self.bearer_file is not None:
            return f"Bearer {_only_line(self.bearer_file)}"
        if not self.user:
            return None
        password = self.password
        if password is None and self.password_file is not None:
            password = _only_line(self.password_file)
        both = f"{self.user}:{password or ''}".encode()
        return f"Basic {base64.b64encode(both).decode()}"

    def tls(self) -> ssl.SSLContext:
        """Raises Trouble where a certificate cannot be used."""
        if self.ca_file is None:
            context = ssl.create_default_context(cafile=_of_this_system())
        else:
            _text(self.ca_file)
            try:
                context = ssl.create_default_context(cafile=self.ca_file)
            except (ssl.SSLError, OSError):
                raise Trouble(
                    "{file} holds no certificates.",
                    "It must be a file of PEM, with BEGIN CERTIFICATE in it.",
                    file=self.ca_file,
                ) from None
        if self.certificate_file is not None:
            _text(self.certificate_file)
            if self.key_file is not None:
                _text(self.key_file)
            try:
                # An encrypted key would ask for its words at the terminal.
                context.load_cert_chain(self.certificate_file, self.key_file, password="")
            except (ssl.SSLError, OSError, ValueError):
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
    except (tomllib.TOMLDecodeError, RecursionError) as error:
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
    login = Login(told.get("user", ""), told.get("password"), **files)
    _check(login, path)
    for file in files.values():
        _text(file)
    if login.user and login.password is None and login.password_file is None:
        if ask is None:
            raise Trouble(
                "{file} names a user and no password.",
                "Name a file that holds it, with password_file, or start this in a terminal,"
                " where it is asked for.",
                file=path,
            )
        login = Login(login.user, ask(login.user), **files)
    return login


def _of_this_system() -> str | None:
    """The packaged program brings an OpenSSL that looks where Debian has them."""
    usual = ssl.get_default_verify_paths()
    if usual.cafile or usual.capath:
        return None
    return next((each for each in SYSTEMS if Path(each).is_file()), None)


def _check(login: Login, path: Path) -> None:
    if login.bearer_file is not None and login.user:
        wrong = mark("{file} names both a user and a bearer token, and only one can be sent.")
    elif login.user and (":" in login.user or not login.user.isprintable()):
        wrong = mark("The user in {file} has a colon or a control character in it.")
    elif not login.user and (login.password or login.password_file):
        wrong = mark("{file} names a password and no user.")
    elif login.key_file is not None and login.certificate_file is None:
        wrong = mark("{file} names a key and no certificate.")
    else:
        if login.password and os.name == "posix" and path.stat().st_mode & _OTHERS:
            raise Trouble(
                "A password stands in {file}, and other users may read that file.",
                "Take that right away: chmod 600 {file}",
                file=path,
            )
        return
    raise Trouble(wrong, "Mend that file.", file=path)


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
        with path.open("rb") as file:
            found = file.read(_LARGEST + 1)
        text = found.decode()
    except OSError as error:
        raise Trouble(
            "{file} cannot be read: {reason}.",
            "The login for Prometheus names it: mend its name or its rights.",
            file=path,
            reason=error.strerror or type(error).__name__,
        ) from None
    except UnicodeDecodeError:
        found, text = b"", ""
    if len(found) > _LARGEST or not text:
        raise Trouble(
            "{file} is empty, too large, or no text.",
            "The login for Prometheus names it: name another.",
            file=path,
        )
    return text
