"""A Prometheus' JSON as plain values. Whatever else comes is no answer, and does no harm."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

from gpuexplorer.fleet.refusals import plain

# More values than so many would need more memory than a fleet is worth.
_MOST_PARTS = 8_000_000
_MOST_WARNINGS = 10
_MOST_LABELS = 100  # of rows for which a pattern is made
# What is read in one go keeps all else of the program waiting, 15 ms for each million.
MOST_AT_ONCE = 16_000_000

_HEAD, _FOOT = '{"status":"success","data":{"resultType":"vector","result":[', '"]}]}'
_ROW = '{"metric":'
_PIECE = 200_000  # letters that are read at once, while nothing else of the program runs
_PLAIN = r'"([^"\\]*)"'
_NAME = re.compile(f'{_PLAIN}:"')

Labels = Mapping[str, str]
T = TypeVar("T")
Told = tuple[T, Sequence[str]]  # and what the server warns of


class NoAnswerError(ValueError):
    """That is not how a Prometheus answers."""


class TooMuchError(NoAnswerError):
    """More than may be read in one go."""


class Line(NamedTuple):
    """One series of a range's answer."""

    labels: Labels
    times: Sequence[float]
    values: Sequence[float]


class Table(NamedTuple):
    """Many series of an instant: a column for each label, empty where a row has none."""

    labels: Mapping[str, Sequence[str]]
    values: Sequence[float]

    def rows(self) -> Iterator[Labels]:
        if not self.labels:
            return ({} for _ in self.values)
        rows = zip(*self.labels.values(), strict=True)
        return (dict(zip(self.labels, row, strict=True)) for row in rows)

    def pairs(self) -> Iterator[tuple[Labels, float]]:
        return zip(self.rows(), self.values, strict=True)


# Any: whatever JSON holds, looked at by those below; here and there.
def told(body: bytes) -> Told[Any]:
    """The data, and what the server warns of."""
    if len(body) > MOST_AT_ONCE:
        raise TooMuchError
    if sum(map(body.count, (b",", b"[", b"{"))) > _MOST_PARTS:
        raise NoAnswerError
    try:
        answer = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError from error
    if _sure(answer, dict).get("status") != "success" or "data" not in answer:
        raise NoAnswerError
    said = _sure(answer.get("warnings") or [], list)
    return answer["data"], [plain(_sure(each, str)) for each in said[:_MOST_WARNINGS]]


def table_of(body: bytes) -> Told[Table]:
    """Of an instant, and the warnings. There may be a hundred thousand rows at each beat, and
    nearly all answers have but rows of one form, in which no text is escaped: those are cut by
    one pattern, which takes a fifth of the time.
    """
    try:
        text = body.decode()
    except ValueError as error:
        raise NoAnswerError from error
    at, end = len(_HEAD), text.rfind(_FOOT) + len(_FOOT) - 2
    try:
        if not text.startswith(_HEAD + _ROW) or end < at:
            raise NoAnswerError
        # Behind the rows may stand warnings, or what else the server adds.
        _, warnings = told((_HEAD + text[end:]).encode())
    except NoAnswerError:
        data, warnings = told(body)
        return _table(_result(data, "vector")), warnings
    parts = []
    while at < end:
        further = text.find(_ROW, at + _PIECE, end)
        until = end if further < 0 else further
        piece = text[at:until].removesuffix(",")
        parts.append(_cut(piece) or _table(_piece(piece)))
        at = until
    return _joined(parts), warnings


def _cut(piece: str) -> Table | None:
    """None where its rows are not all alike."""
    names = _NAME.findall(piece, 0, piece.find("}"))
    if len(names) > _MOST_LABELS:
        return None
    labels = ",".join(f'"{re.escape(name)}":{_PLAIN}' for name in names)
    row = rf'{{"metric":{{{labels}}},"value":\[[\d.e+]+,{_PLAIN}\]}}(?:,(?={{)|\Z)'
    parts = re.split(row, piece, flags=re.ASCII)
    between, *texts, figures = (parts[at :: len(names) + 2] for at in range(len(names) + 2))
    if any(between):
        return None
    try:
        return Table(dict(zip(names, texts, strict=True)), list(map(float, figures)))
    except ValueError as error:
        raise NoAnswerError from error


def _piece(piece: str) -> Sequence[Mapping[str, Any]]:
    try:
        rows = json.loads(f"[{piece}]", parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError from error
    return [_sure(each, dict) for each in rows]


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    found = [_labels(each) for each in rows]
    names = dict.fromkeys(name for labels in found for name in labels)
    columns = {name: [labels.get(name, "") for labels in found] for name in names}
    return Table(columns, [_figure(_pair(each.get("value"))[1]) for each in rows])


def _joined(parts: Sequence[Table]) -> Table:
    names = dict.fromkeys(name for part in parts for name in part.labels)
    columns: dict[str, list[str]] = {name: [] for name in names}
    for part in parts:
        for name in names:
            columns[name] += part.labels.get(name) or [""] * len(part.values)
    return Table(columns, [value for part in parts for value in part.values])


def lines(body: bytes) -> Told[Sequence[Line]]:
    data, warnings = told(body)
    found = []
    for each in _result(data, "matrix"):
        pairs = [_pair(pair) for pair in _sure(each.get("values"), list)]
        times = [_number(time) for time, _ in pairs]
        found.append(Line(_labels(each), times, [_figure(figure) for _, figure in pairs]))
    return found, warnings


def words(body: bytes) -> Told[Sequence[str]]:
    data, warnings = told(body)
    return [_sure(each, str) for each in _sure(data, list)], warnings


def alerts(body: bytes) -> Told[Sequence[Mapping[str, Any]]]:
    data, warnings = told(body)
    return _rows(data, "alerts"), warnings


def _rows(data: Any, name: str) -> Sequence[Mapping[str, Any]]:
    return [_sure(each, dict) for each in _sure(_sure(data, dict).get(name), list)]


def _result(data: Any, kind: str) -> Sequence[Mapping[str, Any]]:
    if _sure(data, dict).get("resultType") != kind:
        raise NoAnswerError
    return _rows(data, "result")


def _labels(each: Mapping[str, Any]) -> Labels:
    labels: dict[str, str] = _sure(each.get("metric"), dict)
    for value in labels.values():
        _sure(value, str)
    return labels


def _pair(value: Any) -> Sequence[Any]:
    pair: list[Any] = _sure(value, list)
    if len(pair) != 2:
        raise NoAnswerError
    return pair


def _figure(text: Any) -> float:
    """Figures come as texts, for the sake of "NaN" and "+Inf"."""
    try:
        return float(_sure(text, str))
    except ValueError as error:
        raise NoAnswerError from error


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise NoAnswerError
    try:
        return float(value)
    except OverflowError as error:
        raise NoAnswerError from error


def _sure(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise NoAnswerError
    return value


def _refuse(name: str) -> NoReturn:
    raise NoAnswerError(name)
