"""Words for people: whole templates, translated by gettext when they are shown. Below that they
travel as a `Message`, which `tr` turns into text. Runs under the worker's Python too.
"""

import gettext
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from gpuexplorer.core.resources import resource

DOMAIN = "gpuexplorer"
PSEUDO = "qps"  # a language for tests: LANGUAGE=qps shows what was never handed to `tr`
OPEN, CLOSE = "⟦", "⟧"
_ACCENTED = str.maketrans("aceinorsuyACEINORSUY", "áčéíñóŕšúýÁČÉÍÑÓŔŠÚÝ")


class Message(str):
    """A template with its values, which may be messages; as a string it is the English text.
    Whoever shows it translates the template, and logic reads the values.
    """

    template: str
    many: str  # the template for more than one, where it counts something
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> "Message":
        return cls._of(template, "", values)

    @classmethod
    def counted(cls, one: str, many: str, count: int, /, **values: object) -> "Message":
        """`one` or `many`, by the count, which fills in `{count}`."""
        return cls._of(one, many, {"count": count, **values})

    @classmethod
    def _of(cls, template: str, many: str, values: Mapping[str, object]) -> "Message":
        english = many if many and values["count"] != 1 else template
        message = super().__new__(cls, english.format_map(values) if values else english)
        # Plain, where it is made of another message.
        message.template, message.many, message.values = str(template), str(many), values
        return message

    def as_json(self) -> "dict[str, object]":
        """For a pipe or a file; `from_json` reads it again."""
        values = {
            name: value.as_json() if isinstance(value, Message) else value
            for name, value in self.values.items()
        }
        return {"template": self.template, "many": self.many, "values": values}

    @staticmethod
    def from_json(written: "Mapping[str, Any]") -> "Message":
        """From whoever wrote it: raises one of UNREADABLE where the template would grow beyond
        measure, looks into its values or lacks one, or it is no message at all.
        """
        values = {
            name: Message.from_json(value) if isinstance(value, dict) else value
            for name, value in written["values"].items()
        }
        template, many = written["template"], written["many"]
        longest = max(len(str(value)) for value in ("", *values.values()))
        for each in (template, many):
            named, left = _PLACE.findall(each), _PLACE.sub("", each)
            size = len(each) + len(named) * (longest + _WIDEST)
            if size > _LONGEST or "{" in left or "}" in left or {*named} - {"", *values}:
                raise ValueError(each)
        if many and type(values["count"]) is not int:
            raise TypeError("no count")
        return Message._of(template, many, values)


# More than any message of ours has, and little enough to be shown.
_LONGEST = 100_000
_WIDEST = 99
# A place with its name, or a doubled brace. Its form is one that ours have, none of which
# makes a figure a gigabyte wide.
_PLACE = re.compile(
    r"\{\{|\}\}|\{([a-zA-Z_]\w*)(?:![rs])?"
    r"(?::[<>]?0?\d{0,2},?(?:\.\d{1,2})?[a-zA-Z%]?|:(?:%[a-zA-Z][-:./ ]?)+)?\}"
)
NOTHING = Message("")


def mark(template: str) -> str:
    """Names a template for the catalogue, and does nothing else: `tr` translates it later."""
    return template


def tr(words: str, /, **values: object) -> str:
    """In the language of this process. `words` is a template, a marked one, or a message."""
    if isinstance(words, Message):
        if words.many:
            return trn(words.template, words.many, **words.values)  # type: ignore[arg-type]
        return tr(words.template, **words.values)
    return _filled(_translations.gettext(words) if words else "", values)


def trn(one: str, many: str, /, count: int, **values: object) -> str:
    """As `tr`, by the count, which fills in `{count}`."""
    return _filled(_translations.ngettext(one, many, count), {"count": count, **values})


def listed(words: Sequence[str]) -> str:
    """What is already translated, as a list: "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return tr("{several} and {last}", several=", ".join(words[:-1]), last=words[-1])


def paragraph(sentences: Sequence[str]) -> str:
    """Whole sentences in a row. Messages are translated; what is none is translated already."""
    return " ".join(
        tr(each) if isinstance(each, Message) else each for each in sentences if each
    )


def told(*sentences: str) -> Message:
    """Whole sentences, one after the other, to be translated by whoever shows them."""
    kept = [each for each in sentences if each]
    if not kept:
        return NOTHING
    first, *more = kept
    if more:
        return Message("{first} {more}", first=first, more=told(*more))
    return first if isinstance(first, Message) else Message("{text}", text=first)


def on(machine: "str | None", said: Message) -> Message:
    """Where that is; None is this computer, of which it goes without saying."""
    if machine is None:
        return said
    return Message("On {machine}: {said}", machine=machine, said=said)


def all_of(words: "Sequence[str]") -> Message:
    """Names as a list, to be translated by whoever shows it: "a, b and c"."""
    if len(words) < 2:
        return told(*words)
    several = words[0]
    for each in words[1:-1]:
        several = Message("{several}, {next}", several=several, next=each)
    return Message("{several} and {last}", several=several, last=words[-1])


def use_language(language: "str | None" = None) -> None:
    """By default as the environment says, or English; before the first word is shown."""
    global _translations  # noqa: PLW0603 - a process speaks one language
    asked = os.environ.get("LANGUAGE", "") if language is None else language
    if asked == PSEUDO:
        _translations = _Pseudo()
    else:
        languages, folder = None if language is None else [language], None
        # The worker's Python has no more of the program than it needs.
        with suppress(FileNotFoundError):
            folder = resource("locale")
        _translations = gettext.translation(DOMAIN, folder, languages, fallback=True)


def _filled(template: str, values: "Mapping[str, object]") -> str:
    if not values:
        return template
    return template.format_map(
        {name: tr(v) if isinstance(v, Message) else v for name, v in values.items()}
    )


_OUTSIDE = re.compile(r"[^{}]+(?![^{]*\})")  # of places for values


class _Pseudo(gettext.NullTranslations):
    """Marked, accented, a third longer; places for values stay as they are."""

    def gettext(self, message: str) -> str:
        text = _OUTSIDE.sub(lambda found: found[0].translate(_ACCENTED), message)
        return f"{OPEN}{text}{'~' * (len(message) // 3)}{CLOSE}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


_translations: gettext.NullTranslations = gettext.NullTranslations()
use_language()
