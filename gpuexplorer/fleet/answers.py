"""A Prometheus' JSON as plain values. Whatever else comes is no answer, and does no harm."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from gpuexplorer.fleet.refusals import plain

# More values than so many would need more memory than a fleet is worth.
_MOST_PARTS = 8_000_000
_MOST_WARNINGS = 10

_HEAD, _FOOT = '{"status":"success","data":{"resultType":"vector","result":[', "]}}"
_ROW = re.compile(r'\{"metric":(\{[^{}\\]*\}),"value":\[[\d.e+]+,"([^"\\]*)"\]\}', re.ASCII)

Labels = Mapping[str, str]


class NoAnswerError(ValueError):
    """That is not how a Prometheus answers."""


class Point(NamedTuple):
    """What one series of an instant's answer says."""

    labels: Labels
    value: float  # may be no number, or infinite


class Line(NamedTuple):
    """One series of a range's answer."""

    labels: Labels
    times: Sequence[float]
    values: Sequence[float]


# Any: whatever JSON holds, looked at by those below; here and there.
def told(body: bytes) -> tuple[Any, Sequence[str]]:
    """The data, and what the server warns of."""
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


def rows_of(body: bytes) -> tuple[list[tuple[str, float]], Sequence[str]]:
    """Of an instant: the labels of each series as JSON, its value, and the warnings.

    Nearly all answers have but rows of one form, in which no text is escaped. Read as such
    they take a third of the time, and there may be a hundred thousand rows at each beat.
    """
    try:
        text = body.decode()
        if text.startswith(_HEAD) and text.endswith(_FOOT):
            found = _ROW.findall(text)
            if len(found) == text.count('"metric"'):
                return [(labels, float(value)) for labels, value in found], ()
    except ValueError as error:
        raise NoAnswerError from error
    data, warnings = told(body)
    return [(json.dumps(labels), value) for labels, value in points(data)], warnings


def labels_of(text: str) -> Labels:
    """Of a row."""
    try:
        labels = _sure(json.loads(text), dict)
    except ValueError as error:
        raise NoAnswerError from error
    return {name: _sure(value, str) for name, value in labels.items()}


def points(data: Any) -> list[Point]:
    found = []
    try:
        for each in _result(data, "vector"):
            labels, (_, text) = each["metric"], each["value"]
            if type(labels) is not dict or type(text) is not str:
                raise NoAnswerError
            for value in labels.values():
                if type(value) is not str:
                    raise NoAnswerError
            found.append(Point(labels, float(text)))
    except (LookupError, TypeError, ValueError) as error:
        raise NoAnswerError from error
    return found


def lines(data: Any) -> list[Line]:
    found = []
    for each in _result(data, "matrix"):
        pairs = _sure(each.get("values"), list)
        times = [_number(pair[0]) for pair in pairs if _is_pair(pair)]
        values = [_figure(pair[1]) for pair in pairs if _is_pair(pair)]
        found.append(Line(_labels(each), times, values))
    return found


def words(data: Any) -> Sequence[str]:
    return [_sure(each, str) for each in _sure(data, list)]


def texts(data: Any) -> Mapping[str, str]:
    return {name: value for name, value in _sure(data, dict).items() if isinstance(value, str)}


def rows(data: Any, name: str) -> Sequence[Mapping[str, Any]]:
    found = _sure(_sure(data, dict).get(name), list)
    return [_sure(each, dict) for each in found]


def _result(data: Any, kind: str) -> Sequence[Mapping[str, Any]]:
    if _sure(data, dict).get("resultType") != kind:
        raise NoAnswerError
    found: list[Mapping[str, Any]] = _sure(data.get("result"), list)
    if any(type(each) is not dict for each in found):
        raise NoAnswerError
    return found


def _labels(each: Mapping[str, Any]) -> Labels:
    labels: dict[str, str] | None = each.get("metric")
    if type(labels) is not dict:
        raise NoAnswerError
    for value in labels.values():
        if type(value) is not str:
            raise NoAnswerError
    return labels


def _is_pair(pair: Any) -> bool:
    return len(_sure(pair, list)) == 2


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
