"""Text for tables that a spreadsheet opens."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence


def harmless(text: str) -> str:
    """A spreadsheet takes a text that begins so for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def csv_of(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """A header and a line each. What there is not is an empty field; what is no column is left
    out.
    """
    words = {True: "yes", False: "no"}
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        told = {name: words[e] if isinstance(e, bool) else e for name, e in row.items()}
        writer.writerow(told)
    return out.getvalue()


def tabbed(captions: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """What stands on the screen, with tabs between; the note above it, where there is one."""
    lines = [note] if note else []
    lines.append("\t".join(captions))
    lines += ["\t".join(harmless(" ".join(each.split())) for each in row) for row in rows]
    return "\n".join(lines) + "\n"
