"""What to call a program in a few letters: "train.py" for "python train.py --model gpt2"."""

import re
from pathlib import PurePosixPath, PureWindowsPath

_INTERPRETER = re.compile(r"^(python|pypy|ipython)[0-9.]*w?(\.exe)?$", re.IGNORECASE)


def program_name(command: str) -> str:
    """The script where an interpreter runs one, the module after -m, else the program."""
    words = command.split()
    if not words:
        return command
    name = _base(words[0])
    if not _INTERPRETER.match(name):
        return name
    for at, word in enumerate(words[1:], start=1):
        if word == "-m" and at + 1 < len(words):
            return words[at + 1]
        if word == "-c":
            return name
        if not word.startswith("-"):
            return _base(word)
    return name


def _base(path: str) -> str:
    return (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name or path
