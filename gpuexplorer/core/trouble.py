"""Trouble: the world refused, and a person should read why and what to do."""


class Trouble(Exception):  # noqa: N818 - it is the world's fault, not an error of ours
    """Carries one sentence that says what happened, and a hint that says what to do."""

    def __init__(self, sentence: str, hint: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}".strip()
