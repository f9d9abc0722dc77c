"""Text for tables that a spreadsheet opens."""

from collections.abc import Sequence


def harmless(text: str) -> str:
    """A spreadsheet takes a text that begins so for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def tabbed(captions: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """What stands on the screen, with tabs between; the note above it, where there is one."""
    lines = [note] if note else []
    lines.append("\t".join(captions))
    lines += ["\t".join(harmless(" ".join(each.split())) for each in row) for row in rows]
    return "\n".join(lines) + "\n"
