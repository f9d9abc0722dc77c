"""Opening: the cells of a program or a notebook. Nothing runs by being opened."""

import ast
import io
import json
import re
import stat
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.cell_source import NO_PROGRAM, plain

_MOST_BYTES = 64 << 20  # notebooks hold pictures
# `# %%` of editors, and what Jupyter writes when it exports a notebook.
_MARKER = re.compile(r"^# ?(?:%%(?P<title>.*)|In\[[ \d]*\]:\s*)$")
_FORMATS = (3, 4)


@dataclass(frozen=True, slots=True, eq=False)
class OpenedCell:
    """One that stands there and has not run."""

    code: str
    path: str


def opened(path: Path) -> "list[str]":
    """The cells in their order; Trouble where there are none."""
    content = _content(path)
    kind = path.suffix.lower()
    if kind not in (".py", ".ipynb"):
        raise Trouble(
            "{file} is neither a Python program nor a notebook.",
            "The lab opens files whose names end in .py or .ipynb.",
            file=path.name,
        )
    cells = _of_notebook(content, path.name) if kind == ".ipynb" else _of_program(content, path)
    if not cells:
        raise Trouble("There is no code in {file}.", "Choose another file.", file=path.name)
    return cells


def program(path: Path) -> str:
    """The text of a program that is to run whole; Trouble where it is none."""
    content = _content(path)
    match path.suffix.lower():
        case ".py":
            return _text(content, path)
        case ".ipynb":
            raise Trouble(
                "{file} is a notebook: each of its cells is watched when it runs.",
                "Open it with “Open…”, and run its cells.",
                file=path.name,
            )
    raise Trouble(
        "{file} is no Python program.",
        "Choose a file whose name ends in .py.",
        file=path.name,
    )


def _content(path: Path) -> bytes:
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or path.is_dir()):  # it may have no end
            raise Trouble("{file} is no ordinary file.", "Choose another file.", file=path.name)
        size = found.st_size
        content = path.read_bytes() if size <= _MOST_BYTES else b""
    except OSError as error:
        raise Trouble(
            "{file} cannot be read: {why}.",
            "Choose another file, or ask for the right to read this one.",
            file=path.name,
            why=error.strerror,
        ) from None
    if size > _MOST_BYTES:
        raise Trouble(
            "{file} has {size} MiB, and the lab opens files of up to {most} MiB.",
            "Clear the outputs of the notebook and save it again, or split the program.",
            file=path.name,
            size=size >> 20,
            most=_MOST_BYTES >> 20,
        )
    return content


def _of_notebook(content: bytes, name: str) -> "list[str]":
    """The cells with code. What else stands in it is left out."""
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise Trouble(
            "{file} is not a whole notebook: it cannot be read as JSON.",
            "Save it again with the program it comes from.",
            file=name,
        ) from None
    try:
        written_in = _language(notebook)
        version = notebook["nbformat"]
        sheets = notebook["worksheets"] if version == _FORMATS[0] else [notebook]
        codes = [
            _joined(each["source"] if "source" in each else each["input"])
            for sheet in sheets
            for each in sheet["cells"]
            if each["cell_type"] == "code"
        ]
    except (LookupError, TypeError, AttributeError):
        raise Trouble(
            "{file} is JSON, but not a notebook that the lab can read.",
            "It reads notebooks of the formats 3 and 4, as Jupyter saves them.",
            file=name,
        ) from None
    if written_in != "python":
        raise Trouble(
            "{file} is a notebook in {language}, and the lab runs Python.",
            "Choose another file.",
            file=name,
            language=written_in,
        )
    return [each for each in codes if each.strip()]


# JSON holds whatever it holds; what is not as it should be ends in a LookupError or TypeError.
def _language(notebook: "dict[str, dict[str, dict[str, str]]]") -> str:
    about = notebook["metadata"]
    kernel = about.get("kernelspec", {}).get("language")
    return (kernel or about.get("language_info", {}).get("name") or "python").lower()


def _joined(source: "str | list[str]") -> str:
    return plain(source if isinstance(source, str) else "".join(source)).strip("\n")


def _text(content: bytes, path: Path) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return plain(content.decode(encoding))
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise Trouble(
            "{file} is not text in the encoding that it should have, usually UTF-8.",
            "Save it as UTF-8, or say its encoding in its first line.",
            file=path.name,
        ) from None


def _of_program(content: bytes, path: Path) -> "list[str]":
    code = _text(content, path)
    lines = code.split("\n")
    markers = [at for at, line in enumerate(lines) if _MARKER.match(line)]
    begins = _marked(lines, markers) if markers else _grouped(code)
    cut = ["\n".join(lines[begin:end]) for begin, end in begins]
    return [each.strip("\n") for each in cut if _has_code(each)]


def _marked(lines: "Sequence[str]", markers: "Sequence[int]") -> "Iterator[tuple[int, int]]":
    """From one marker to the next; text that is meant to be read is left out."""
    yield 0, markers[0]
    for begin, end in zip(markers, [*markers[1:], len(lines)], strict=True):
        found = _MARKER.match(lines[begin])
        assert found is not None
        if "[markdown]" not in (found["title"] or ""):
            yield begin + 1, end


def _grouped(code: str) -> "Iterator[tuple[int, int]]":
    """Imports together; else what no empty line parts. Remarks go with what follows them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(code).body
    except NO_PROGRAM:
        yield 0, code.count("\n") + 1
        return
    lines = code.split("\n")
    begin = end = 0
    before: ast.stmt | None = None
    for each in statements:
        decorators = getattr(each, "decorator_list", ())
        first = min((each.lineno, *(one.lineno for one in decorators)))
        apart = any(not line.strip() for line in lines[end : first - 1])
        if before is not None and apart and not (_is_import(before) and _is_import(each)):
            yield begin, end
            begin = end
        before, end = each, each.end_lineno or each.lineno
    yield begin, len(lines)


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _has_code(text: str) -> bool:
    lines = (line.strip() for line in text.split("\n"))
    return any(line and not line.startswith("#") for line in lines)
