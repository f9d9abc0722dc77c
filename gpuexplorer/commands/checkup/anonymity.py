"""Anonymity: taking the names of a person and a computer out of text that leaves the house."""

import re
from dataclasses import dataclass
from functools import partial

# What may stand around a name that is a whole field: "ana@tower", "tower:0", "ana,video".
_EDGE = r"[/\\:;,=@\"']"
_PATH = re.compile(
    r"(?:(?<=^)|(?<=[\s\"'`(\[<=:;,]))(?:~|\.{1,2}|[A-Za-z]:|\\\\\?)?[/\\][^\s\"'`]*"
)
_HOMES = re.compile(
    r"((?:^|(?<=[\s\"'`(\[<=:;,]))(?:/mnt/[a-z]|[A-Za-z]:)?(?:/var|/export|/usr)?[/\\]+"
    r"(?:home|Users)[/\\]+)([^/\\\s:;,\"'`)\]>]+)",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"(://)[^/@\s]+@")
# Names that tell nobody anything, and that are ordinary words of a file system.
_NOBODY = frozenset({"", "root", "localhost", "public", "default", "shared"})


@dataclass(frozen=True, slots=True)
class Anonymity:
    """Whose names are taken out. A name is replaced where it is a whole part of a path or a
    whole field, never within a word, nor a word of a sentence.
    """

    home: str
    user: str
    host: str

    def clean(self, text: str) -> str:
        text = _PASSWORD.sub(r"\1", text)
        text = self._without_home(text)
        text = _HOMES.sub(_without_owner, text)
        for name, word in self._names():
            text = _PATH.sub(partial(_in_path, name=name, word=word), text)
            text = _as_field(text, name, word)
        return text

    def _without_home(self, text: str) -> str:
        home = self.home.rstrip("/\\")
        if len(home) < 2 or home.startswith("~"):
            return text
        # Windows writes either slash, and either case.
        pattern = r"[/\\]+".join(re.escape(part) for part in re.split(r"[/\\]+", home))
        return re.sub(rf"(?<![\w.~/\\-]){pattern}(?![\w.-]*[\w-])", "~", text, flags=re.I)

    def _names(self) -> list[tuple[str, str]]:
        short = self.host.split(".")[0]
        names = [(self.user, "USER"), (self.host, "HOST"), (short, "HOST")]
        # On Windows an account may come as DOMAIN\name, on a network as name@domain.
        names += [(part, "USER") for part in re.split(r"[\\@]", self.user)[:2]]
        return [(name, word) for name, word in names if not _is_nobody(name)]


def _without_owner(home: re.Match[str]) -> str:
    return home[0] if _is_nobody(home[2]) else f"{home[1]}USER"


def _in_path(path: re.Match[str], *, name: str, word: str) -> str:
    component = rf"(?<=[/\\@:=]){re.escape(name)}(?=$|[/\\:;,=@)\]>]|[.!?]$)"
    return re.sub(component, word, path[0], flags=re.IGNORECASE)


def _as_field(text: str, name: str, word: str) -> str:
    before, after = rf"(?:(?<=^)|(?<={_EDGE}))", rf"(?=$|{_EDGE})"
    field = rf"{before}{re.escape(name)}{after}"
    beside_at = rf"(?<![\w.-]){re.escape(name)}(?=@)|(?<=@){re.escape(name)}(?![\w-])"
    before_port = rf"(?<![\w.-]){re.escape(name)}(?=:\d)"
    pattern = f"{beside_at}|{before_port}"
    # A sentence has spaces, and there "yes/no" or "so, an" are words and not fields.
    if not re.search(r"\s", text) or re.search(r"\s", name):
        pattern = f"{field}|{pattern}"
    return re.sub(pattern, word, text, flags=re.IGNORECASE)


def _is_nobody(name: str) -> bool:
    return name.lower() in _NOBODY
