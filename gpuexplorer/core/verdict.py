"""Verdict: how a part of the computer is."""

from gpuexplorer.core.absence import Told
from gpuexplorer.core.words import Message


class Verdict(Told):
    """From good to bad, by the names that programs know them by."""

    FINE = "fine", Message("OK")
    LOOK = "look", Message("warning")
    BROKEN = "broken", Message("broken")
