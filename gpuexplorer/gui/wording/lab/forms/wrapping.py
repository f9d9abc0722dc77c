"""Breaks a line of code where it is too long for its place, as a person would."""


def wrapped(code: str, columns: int) -> list[str]:
    """After a comma or a bracket where there is one, and indented further from there on."""
    return [part for line in code.split("\n") for part in _one(line, max(8, columns))]


def _one(line: str, columns: int) -> list[str]:
    indent = " " * min(len(line) - len(line.lstrip()) + 4, columns // 2)
    found = []
    while len(line) > columns:
        at = _break(line, columns, len(indent))
        found.append(line[:at].rstrip())
        line = indent + line[at:].lstrip()
    return [*found, line]


def _break(line: str, columns: int, least: int) -> int:
    call = line.rfind(").", least + 1, columns + 1)
    if call > columns // 2:
        return call + 1
    comma = line.rfind(", ", least + 1, columns + 1)
    if comma > columns // 2:
        return comma + 2
    bracket = line.rfind("(", least + 1, columns - 1)
    if bracket > columns // 3:
        return bracket + 1
    blank = line.rfind(" ", least + 1, columns)
    return blank + 1 if blank > least else columns
