"""What another machine says, as text that can be shown: no escapes, no controls, no end."""

import re
import unicodedata

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?", re.DOTALL
)


def plain(said: "bytes | str", longest: int = 2_000) -> str:
    """Its end, where it is longer: that is where the reason stands."""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    text = text[-8 * longest :].replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    text = "".join(each for each in _ESCAPES.sub("", text) if each == "\n" or _shows(each))
    return text if len(text) <= longest else f"…{text[-longest:]}"


def last_lines(said: "bytes | str", many: int = 3, longest: int = 300) -> str:
    """As one line; empty where nothing was said."""
    lines = [each.strip() for each in plain(said).splitlines() if each.strip()]
    return plain(" / ".join(lines[-many:]), longest)


def _shows(letter: str) -> bool:
    return unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
