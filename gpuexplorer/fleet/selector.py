"""Selectors: which series are meant, and by which labels they are put together, as PromQL
writes it.
"""

import re
from collections.abc import Collection, Mapping

from gpuexplorer.core.trouble import Trouble

_LONGEST = 2000
_LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
_TEXT = r'"(?:[^"\\\n]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'" + r"|`[^`]*`"
_ONE = re.compile(rf"\s*({_LABEL})\s*(=~|!~|!=|=)\s*({_TEXT})\s*", re.ASCII)
_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$])")
_FORM = 'Such as: --match \'cluster="a",node=~"gpu-.*"\''


def is_label(text: str) -> bool:
    return re.fullmatch(_LABEL, text, re.ASCII) is not None


def match(text: str) -> str:
    """What a person typed behind --match, without braces. Raises Trouble for anything but
    labels and what they are to be; so nothing but that comes into a question.
    """
    inside = text.strip()
    if len(inside) > _LONGEST or not inside.isprintable():
        raise Trouble("This selector is too long, or has control characters in it.", _FORM)
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1]
    found, at = [], 0
    while at < len(inside):
        one = _ONE.match(inside, at)
        if one is None or (one.end() < len(inside) and inside[one.end()] != ","):
            raise Trouble(
                "The selector {text!r} cannot be read from letter {place} on.",
                _FORM,
                text=text,
                place=at + 1,
            )
        if one[1] == "__name__":
            raise Trouble("Which metrics are asked for, --match cannot say.", _FORM)
        found.append(f"{one[1]}{one[2]}{one[3]}")
        at = one.end() + 1
    if not found:
        raise Trouble("The selector after --match is empty.", _FORM)
    return ",".join(found)


def quoted(value: str) -> str:
    """As PromQL writes a text, whatever is in it."""
    value = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + value.replace("\n", "\\n").replace("\r", "\\r") + '"'


def one_of(label: str, values: Collection[str]) -> str:
    """A matcher for any of these values."""
    told = "|".join(_SPECIAL.sub(r"\\\1", each) for each in sorted(values))
    return f"{label}=~{quoted(told)}"


def selector(metric: str, labels: Mapping[str, str], matched: str) -> str:
    """Of one metric, always."""
    own = [f"{name}={quoted(value)}" for name, value in labels.items()]
    return f"{metric}{{{','.join(filter(None, (*own, matched)))}}}"


def any_of(metrics: Collection[str], matched: str) -> str:
    """Of several metrics by name. Their names are ours, and hold nothing to be escaped."""
    return f'{{__name__=~"{"|".join(sorted(metrics))}",{matched}}}'


def grouped(how: str, by: Collection[str], what: str) -> str:
    """Such as the "max" of what has the same labels."""
    return f"{how} by ({','.join(by)}) ({what})"


def aged(by: Collection[str], what: str) -> str:
    """How many seconds ago the newest of them came."""
    return "time() - " + grouped("max", by, f"timestamp({what})")
