"""Trouble: the world refused, and a person should read why and what to do."""

from collections.abc import Sequence

from gpuexplorer.core.words import Message, paragraph


class Trouble(Exception):  # noqa: N818 - it is the world's fault, not an error of ours
    """A sentence that says what happened, and a hint that says what to do: templates with the
    same values, or messages already.
    """

    def __init__(self, template: str, hint: str = "", /, **values: object) -> None:
        self.sentence = _message(template, values)
        self.hint = _message(hint, values)
        super().__init__(self.sentence)

    @property
    def told(self) -> str:
        """Sentence and hint in the language of this process, to be shown."""
        return paragraph((self.sentence, self.hint))

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}".strip()


def did_you_mean(close: Sequence[str], forms: str) -> Message:
    """A hint for what was mistyped: the first of what is close to it, and the right forms."""
    right = _message(forms, {})
    if not close:
        return right
    return Message("Did you mean {word}? {forms}", word=close[0], forms=right)


def _message(template: str, values: dict[str, object]) -> Message:
    return template if isinstance(template, Message) else Message(template, **values)
