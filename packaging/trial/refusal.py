"""Why a step of the trial cannot be taken here at all: what is missing, what to type."""


class CannotTryError(Exception):
    """One sentence or two; the step is told as untried, which is no failure of the program."""
